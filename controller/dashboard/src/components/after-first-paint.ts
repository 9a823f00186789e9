/** Resolves after the first paint. Heavy work waits for it, so that the light parts of the page appear at once. */
export const afterFirstPaint = (): Promise<void> =>
  new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
