/** Exponential backoff with jitter for reconnecting. */

const FIRST_MS = 250;
const MAX_MS = 8000;

/** Returns the delay before an attempt, milliseconds. Attempts count from 0; `random` is from 0 to 1. */
export function retryDelay(attempt: number, random: number = Math.random()): number {
  const full = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(attempt, 20));
  return full * (0.5 + 0.5 * random);
}
