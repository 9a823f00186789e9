/** Counts things in French. */

export const plural = (count: number, one: string, more: string) =>
  `${count} ${count < 2 ? one : more}`;
