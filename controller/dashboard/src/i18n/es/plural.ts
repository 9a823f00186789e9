/** Counts things in Spanish. */

export const plural = (count: number, one: string, more: string) =>
  `${count} ${count === 1 ? one : more}`;
