/**
 * Samples of all signals over time, in typed arrays of bounded size. When they are full, the oldest samples are
 * overwritten. A sample has an index that never changes; unknown values are NaN.
 */

import { COLUMNS } from './signals';

/** Ten minutes at 50 Hz. */
export const CAPACITY = 30_000;

/** The size to begin with. It doubles as needed, since most visits are short. */
const INITIAL_SIZE = 1024;

export class Samples {
  private times: Float64Array;
  private columns: Float32Array[];
  private size: number;
  /** The index of the next sample, which is also the number of samples so far. */
  private end = 0;

  constructor(
    private readonly capacity: number = CAPACITY,
    private readonly columnCount: number = COLUMNS,
  ) {
    this.size = Math.min(INITIAL_SIZE, capacity);
    this.times = new Float64Array(this.size);
    this.columns = Array.from({ length: columnCount }, () => new Float32Array(this.size));
  }

  /** The index of the oldest sample. */
  get first(): number {
    return Math.max(0, this.end - this.size);
  }

  /** The index after the latest sample. It changes with every sample. */
  get next(): number {
    return this.end;
  }

  get length(): number {
    return this.end - this.first;
  }

  /** Whether samples have been overwritten. */
  get overwritten(): boolean {
    return this.end > this.capacity;
  }

  /** Adds a sample, one value per column. Returns `false` without adding it if its time does not advance. */
  push(time_s: number, values: ArrayLike<number>): boolean {
    if (!Number.isFinite(time_s) || (this.length > 0 && time_s <= this.lastTime)) return false;
    if (this.end === this.size && this.size < this.capacity) this.grow();
    const slot = this.end % this.size;
    this.times[slot] = time_s;
    for (let column = 0; column < this.columnCount; column += 1)
      this.columns[column]![slot] = values[column] ?? NaN;
    this.end += 1;
    return true;
  }

  clear(): void {
    this.end = 0;
  }

  /** The time of the oldest sample, seconds; NaN if there is none. */
  get firstTime(): number {
    return this.length === 0 ? NaN : this.timeAt(this.first);
  }

  get lastTime(): number {
    return this.length === 0 ? NaN : this.timeAt(this.end - 1);
  }

  timeAt(index: number): number {
    return this.times[index % this.size]!;
  }

  valueAt(column: number, index: number): number {
    return this.columns[column]![index % this.size]!;
  }

  /** Returns the index of the first sample at or after a time, or `next`. */
  indexFrom(time_s: number): number {
    let [low, high] = [this.first, this.end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.timeAt(middle) < time_s) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the index of the latest sample at or before a time, or `null` if there is none. */
  indexAt(time_s: number): number | null {
    const from = this.indexFrom(time_s);
    if (from < this.end && this.timeAt(from) === time_s) return from;
    return from > this.first ? from - 1 : null;
  }

  /**
   * Returns the values of a column with their places from an index up to another one, in at most two pieces: the array,
   * and the first place and the one after the last. For loops over many samples.
   */
  pieces(column: number, from: number, to: number): [Float32Array, number, number][] {
    const values = this.columns[column]!;
    if (to <= from) return [];
    const [first, last] = [from % this.size, (to - 1) % this.size];
    return first <= last
      ? [[values, first, last + 1]]
      : [
          [values, first, this.size],
          [values, 0, last + 1],
        ];
  }

  /** Returns the value at a time: that of the latest sample before it, or one interpolated linearly. NaN if unknown. */
  valueAtTime(column: number, time_s: number, stepped: boolean): number {
    const before = this.indexAt(time_s);
    if (before === null || time_s > this.lastTime) return NaN;
    const value = this.valueAt(column, before);
    const from = this.timeAt(before);
    if (stepped || from === time_s || before + 1 >= this.end) return value;
    const fraction = (time_s - from) / (this.timeAt(before + 1) - from);
    return value + fraction * (this.valueAt(column, before + 1) - value);
  }

  private grow(): void {
    const size = Math.min(2 * this.size, this.capacity);
    const times = new Float64Array(size);
    times.set(this.times);
    this.times = times;
    this.columns = this.columns.map((old) => {
      const column = new Float32Array(size);
      column.set(old);
      return column;
    });
    this.size = size;
  }
}
