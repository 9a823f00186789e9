/** How long to wait before the next attempt: longer each time, and not all at once. */

const FIRST_MS = 250;
const LONGEST_MS = 8000;

/** Before attempt `tries` (from 0); `chance` is from 0 to 1. */
export function wait(tries: number, chance: number = Math.random()): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries, 20));
  return whole * (0.5 + 0.5 * chance);
}
