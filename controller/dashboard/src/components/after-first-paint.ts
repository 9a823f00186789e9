/** After the page was painted: what is heavy waits for that, so that what is light is seen at once. */
export const afterFirstPaint = (): Promise<void> =>
  new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
