/**
 * How old the newest thing is that we know of the robot.
 *
 * The robot's clock and ours begin at different times. The quickest message of the last seconds tells how far they are
 * apart, but for the time that it was on its way, which is half of the quickest answer to a question of ours. So what
 * is held up on its way is old when it arrives, and what is told over and over without being read anew gets older.
 */

/** Older than this is stale, milliseconds. */
export const STALE_MS = 500;

/** For how long a message counts as a measure of the clocks, milliseconds. */
const WINDOW_MS = 10_000;

export class Freshness {
  private offsets: { at: number; offset: number }[] = [];
  private roundTrips: { at: number; duration: number }[] = [];
  private newest: { read: number; arrived: number } | null = null;

  /** Something came at `now` that was read at `read_s` on the robot's clock; `null` where that was not told. */
  received(read_s: number | null, now: number): void {
    if (read_s === null) {
      this.newest = { read: NaN, arrived: now };
      return;
    }
    const read = read_s * 1000;
    // A robot that has begun anew counts from its own beginning.
    if (this.newest !== null && read < this.newest.read) this.offsets = [];
    if (this.newest === null || !(read <= this.newest.read) || this.offsets.length === 0) {
      this.offsets = recent(this.offsets, now);
      this.offsets.push({ at: now, offset: now - read });
    }
    this.newest = { read, arrived: now };
  }

  /** A question was answered after so long. */
  addRoundTrip(duration: number, now: number): void {
    this.roundTrips = recent(this.roundTrips, now);
    this.roundTrips.push({ at: now, duration: duration });
  }

  /** How long an answer takes, milliseconds: the latest; `null` when none came lately. */
  roundTrip(now: number): number | null {
    return recent(this.roundTrips, now).at(-1)?.duration ?? null;
  }

  /** How long anything is on its way from the robot to us, milliseconds, as far as that is known. */
  latency(now: number): number {
    const roundTrips = recent(this.roundTrips, now).map((one) => one.duration);
    return roundTrips.length === 0 ? 0 : Math.min(...roundTrips) / 2;
  }

  /** How old the newest is, milliseconds; infinite when there is none. */
  age(now: number): number {
    if (this.newest === null) return Infinity;
    const latency = this.latency(now);
    const { read, arrived } = this.newest;
    if (Number.isNaN(read) || this.offsets.length === 0) return now - arrived + latency;
    const offset = Math.min(...this.offsets.map((one) => one.offset));
    return Math.max(now - arrived, now - read - offset) + latency;
  }

  isStale(now: number): boolean {
    return this.age(now) > STALE_MS;
  }

  /** Another connection, perhaps to another robot. */
  reset(): void {
    this.offsets = [];
    this.roundTrips = [];
    this.newest = null;
  }
}

function recent<T extends { at: number }>(all: T[], now: number): T[] {
  return all.filter((one) => now - one.at < WINDOW_MS);
}
