/**
 * Estimates how old the newest data about the robot is.
 *
 * The clocks of the robot and of this page have different origins. The fastest message of the last seconds gives
 * their offset, except for its transmission time. That time is taken as half of the fastest round trip. Hence a
 * delayed message is old when it arrives, and a state that is repeated without a new reading gets older.
 */

/** Data older than this is stale, milliseconds. */
export const STALE_MS = 500;

/** How long a message counts towards the clock offset, milliseconds. */
const WINDOW_MS = 10_000;

export class Freshness {
  /** The smallest offset first. An offset that a later one undercuts or equals is left out, since it cannot count again. */
  private offsets: { at: number; offset: number }[] = [];
  private roundTrips: { at: number; duration: number }[] = [];
  private latest: { read: number; arrived: number } | null = null;

  /** Records data that arrived at `now` and was read at `read_s` on the robot's clock; `null` if the time is unknown. */
  received(read_s: number | null, now: number): void {
    if (read_s === null) {
      this.latest = { read: NaN, arrived: now };
      return;
    }
    const read = read_s * 1000;
    // The clock of a restarted robot starts again.
    if (this.latest !== null && read < this.latest.read) this.offsets = [];
    if (this.latest === null || !(read <= this.latest.read) || this.offsets.length === 0) {
      this.offsets = recent(this.offsets, now);
      const offset = now - read;
      while (this.offsets.length > 0 && this.offsets.at(-1)!.offset >= offset) this.offsets.pop();
      this.offsets.push({ at: now, offset });
    }
    this.latest = { read, arrived: now };
  }

  /** Records the duration of a round trip. */
  addRoundTrip(duration: number, now: number): void {
    this.roundTrips = recent(this.roundTrips, now);
    this.roundTrips.push({ at: now, duration });
  }

  /** Returns the latest round trip, milliseconds, or `null` if none was measured recently. */
  roundTrip(now: number): number | null {
    return recent(this.roundTrips, now).at(-1)?.duration ?? null;
  }

  /** Returns the estimated one-way latency from the robot, milliseconds; 0 if it is unknown. */
  latency(now: number): number {
    const roundTrips = recent(this.roundTrips, now).map((one) => one.duration);
    return roundTrips.length === 0 ? 0 : Math.min(...roundTrips) / 2;
  }

  /** Returns the age of the newest data, milliseconds; infinite if there is none. */
  age(now: number): number {
    if (this.latest === null) return Infinity;
    const latency = this.latency(now);
    const { read, arrived } = this.latest;
    const [smallest] = this.offsets;
    if (Number.isNaN(read) || smallest === undefined) return now - arrived + latency;
    return Math.max(now - arrived, now - read - smallest.offset) + latency;
  }

  isStale(now: number): boolean {
    return this.age(now) > STALE_MS;
  }

  /** Forgets everything, for a new connection that may be to another robot. */
  reset(): void {
    this.offsets = [];
    this.roundTrips = [];
    this.latest = null;
  }
}

function recent<T extends { at: number }>(all: T[], now: number): T[] {
  return all.filter((one) => now - one.at < WINDOW_MS);
}
