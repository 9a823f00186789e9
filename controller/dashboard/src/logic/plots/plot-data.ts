/**
 * Reduces samples to what a plot can show. Where there are more samples than pixels, each pixel gets the lowest and the
 * highest value, so that no peak is lost.
 */

import type { Samples } from './samples';

/** One line of a plot. */
export interface Line {
  samples: Samples;
  column: number;
  stepped: boolean;
  /** Is added to the times of the samples, seconds. */
  offset_s: number;
}

export interface PlotData {
  xs: Float64Array;
  /** The values of each line; `null` where they are unknown. */
  ys: (Float64Array | (number | null)[])[];
  /** Whether each pixel has two values, the lowest and the highest, of which the first one occurs first. */
  isDense: boolean;
}

/** Returns the data of lines between two times, with at most about `2 * pixels` points per line. */
export function plotData(lines: Line[], from: number, to: number, pixels: number): PlotData {
  if (lines.length === 0 || !(to > from))
    return { xs: new Float64Array(0), ys: [], isDense: false };
  const most = Math.max(...lines.map((line) => count(line, from, to)));
  return most > 2 * pixels ? envelope(lines, from, to, pixels) : exact(lines, from, to);
}

/** The samples of a line between two times, and one more on either side, so that it reaches the edges. */
function range({ samples, offset_s }: Line, from: number, to: number): [number, number] {
  const low = Math.max(samples.first, samples.indexFrom(from - offset_s) - 1);
  return [low, Math.min(samples.next, samples.indexFrom(to - offset_s) + 1)];
}

function count(line: Line, from: number, to: number): number {
  const [low, high] = range(line, from, to);
  return high - low;
}

/** Times that are closer together than this are those of one moment, seconds. */
const SAME_MOMENT_S = 2e-4;

/** Returns every sample of every line, at the times of all of them. */
function exact(lines: Line[], from: number, to: number): PlotData {
  const runs: Line[] = [];
  for (const line of lines) {
    const isSame = (run: Line) => run.samples === line.samples && run.offset_s === line.offset_s;
    if (!runs.some(isSame)) runs.push(line);
  }
  const times = runs.flatMap((line) => {
    const [low, high] = range(line, from, to);
    return Array.from(
      { length: high - low },
      (_, at) => line.samples.timeAt(low + at) + line.offset_s,
    );
  });
  const xs = Float64Array.from(times).sort();
  return atTimes(lines, runs.length === 1 ? xs : distinct(xs));
}

/** Two runs at the same rate share most times, up to rounding. */
const distinct = (sorted: Float64Array): Float64Array =>
  sorted.filter((time, at) => at === 0 || time - sorted[at - 1]! > SAME_MOMENT_S);

const atTimes = (lines: Line[], xs: Float64Array): PlotData => ({
  xs,
  ys: lines.map((line) => withGaps(interpolated(line, xs))),
  isDense: false,
});

const interpolated = ({ samples, column, stepped, offset_s }: Line, xs: Float64Array) =>
  xs.map((x) => samples.valueAtTime(column, nearSample(samples, x - offset_s), stepped));

/** Undoes the rounding of a time, without which a line would lose its first and its last sample. */
function nearSample(samples: Samples, time_s: number): number {
  for (const end of [samples.firstTime, samples.lastTime])
    if (Math.abs(time_s - end) <= SAME_MOMENT_S) return end;
  return time_s;
}

/** Returns the lowest and the highest value of each pixel, in the order in which they occur. */
function envelope(lines: Line[], from: number, to: number, pixels: number): PlotData {
  const step = (to - from) / pixels;
  // Multiples of the step: while the window moves on, a pixel keeps its samples, and the line does not flicker.
  const start = Math.floor(from / step);
  const buckets = pixels + 2;
  const xs = new Float64Array(2 * buckets);
  for (let at = 0; at < 2 * buckets; at += 1) xs[at] = (start + (at + 0.5) / 2) * step;
  const edges = new Map<string, number[]>();
  const edgesOf = (line: Line): number[] => {
    const run = `${runs.indexOf(line.samples)} ${line.offset_s}`;
    const known = edges.get(run) ?? bucketEdges(line, start, step, buckets);
    edges.set(run, known);
    return known;
  };
  const runs = lines.map(({ samples }) => samples);
  const ys = lines.map((line) =>
    // A run with few samples has none in most pixels.
    withGaps(
      count(line, from, to) > 2 * pixels ? reduce(line, edgesOf(line)) : interpolated(line, xs),
    ),
  );
  return { xs, ys, isDense: true };
}

/** Returns the index of the first sample in each bucket, and the one after the last. */
function bucketEdges({ samples, offset_s }: Line, start: number, step: number, buckets: number) {
  return Array.from({ length: buckets + 1 }, (_, at) =>
    samples.indexFrom((start + at) * step - offset_s),
  );
}

function reduce({ samples, column }: Line, edges: number[]): Float64Array {
  const values = new Float64Array(2 * (edges.length - 1)).fill(NaN);
  for (let bucket = 0; bucket + 1 < edges.length; bucket += 1) {
    const [from, to] = [edges[bucket]!, edges[bucket + 1]!];
    if (from === to) continue;
    let [least, greatest, leastAt, greatestAt, place] = [Infinity, -Infinity, 0, 0, 0];
    for (const [all, first, end] of samples.pieces(column, from, to)) {
      for (let at = first; at < end; at += 1) {
        const value = all[at]!;
        place += 1;
        if (value < least) {
          least = value;
          leastAt = place;
        }
        if (value > greatest) {
          greatest = value;
          greatestAt = place;
        }
      }
    }
    // All of them may be unknown.
    if (least > greatest) continue;
    const isRising = leastAt <= greatestAt;
    values[2 * bucket] = isRising ? least : greatest;
    values[2 * bucket + 1] = isRising ? greatest : least;
  }
  return bridge(values);
}

/** Fills single empty pixels from the one before: samples that are about as dense as pixels leave some out. */
function bridge(values: Float64Array): Float64Array {
  for (let at = 2; at + 2 < values.length; at += 2) {
    const isEmpty = Number.isNaN(values[at]!);
    if (!isEmpty || Number.isNaN(values[at - 1]!) || Number.isNaN(values[at + 2]!)) continue;
    values[at] = values[at + 1] = values[at - 1]!;
  }
  return values;
}

/** Returns the values with `null` for those that are unknown, or the values themselves if all are known. */
function withGaps(values: Float64Array): Float64Array | (number | null)[] {
  if (!values.some(Number.isNaN)) return values;
  return Array.from(values, (value) => (Number.isNaN(value) ? null : value));
}

/** The lowest and the highest value between two times; `null` if none is known. */
export function extremes(
  { samples, column, offset_s }: Line,
  from: number,
  to: number,
): { min: number; max: number } | null {
  let [min, max] = [Infinity, -Infinity];
  const [low, high] = [samples.indexFrom(from - offset_s), samples.indexFrom(to - offset_s + 1e-9)];
  for (const [all, first, end] of samples.pieces(column, low, high)) {
    for (let at = first; at < end; at += 1) {
      const value = all[at]!;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  return min <= max ? { min, max } : null;
}
