/** Counts things in German. */

export const plural = (count: number, one: string, more: string) =>
  `${count} ${count === 1 ? one : more}`;
