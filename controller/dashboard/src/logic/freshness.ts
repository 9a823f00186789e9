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
const MEMORY_MS = 10_000;

export class Freshness {
  private gaps: { at: number; gap: number }[] = [];
  private trips: { at: number; trip: number }[] = [];
  private newest: { read: number; arrived: number } | null = null;

  /** Something came at `now` that was read at `read_s` on the robot's clock; `null` where that was not told. */
  heard(read_s: number | null, now: number): void {
    if (read_s === null) {
      this.newest = { read: NaN, arrived: now };
      return;
    }
    const read = read_s * 1000;
    // A robot that has begun anew counts from its own beginning.
    if (this.newest !== null && read < this.newest.read) this.gaps = [];
    if (this.newest === null || !(read <= this.newest.read) || this.gaps.length === 0) {
      this.gaps = recent(this.gaps, now);
      this.gaps.push({ at: now, gap: now - read });
    }
    this.newest = { read, arrived: now };
  }

  /** A question was answered after so long. */
  answered(trip: number, now: number): void {
    this.trips = recent(this.trips, now);
    this.trips.push({ at: now, trip });
  }

  /** How long an answer takes, milliseconds: the latest; `null` when none came lately. */
  roundTrip(now: number): number | null {
    return recent(this.trips, now).at(-1)?.trip ?? null;
  }

  /** How long anything is on its way from the robot to us, milliseconds, as far as that is known. */
  way(now: number): number {
    const trips = recent(this.trips, now).map((one) => one.trip);
    return trips.length === 0 ? 0 : Math.min(...trips) / 2;
  }

  /** How old the newest is, milliseconds; infinite when there is none. */
  age(now: number): number {
    if (this.newest === null) return Infinity;
    const way = this.way(now);
    const { read, arrived } = this.newest;
    if (Number.isNaN(read) || this.gaps.length === 0) return now - arrived + way;
    const gap = Math.min(...this.gaps.map((one) => one.gap));
    return Math.max(now - arrived, now - read - gap) + way;
  }

  isStale(now: number): boolean {
    return this.age(now) > STALE_MS;
  }

  /** Another connection, perhaps to another robot. */
  forget(): void {
    this.gaps = [];
    this.trips = [];
    this.newest = null;
  }
}

function recent<T extends { at: number }>(all: T[], now: number): T[] {
  return all.filter((one) => now - one.at < MEMORY_MS);
}
