/** Lays one run over another: finds the shift between them, and where they differ most. Seconds and degrees. */

import { MOTORS } from '../../protocol/joints';
import type { Samples } from './samples';
import { FIRST_COLUMN } from './signals';

/** A goal that has changed by this much has begun to move, degrees. */
const ONSET_DEG = 0.5;
/** The search around the first estimate, and its step, seconds. */
const SEARCH_S = 0.5;
const STEP_S = 0.01;
/** The most moments at which a shift is judged, and at which the runs are compared. */
const MAX_MOMENTS = 500;
const MAX_COMPARED = 5000;

const GOAL = FIRST_COLUMN.goal;

/** Returns when the goals begin to move; the first time if they never do. */
function onset(run: Samples): number {
  for (let index = run.first; index < run.next; index += 1) {
    const moved = MOTORS.some(
      (_, motor) =>
        Math.abs(run.valueAt(GOAL + motor, index) - run.valueAt(GOAL + motor, run.first)) >
        ONSET_DEG,
    );
    if (moved) return run.timeAt(index);
  }
  return run.firstTime;
}

/** Returns evenly spaced times at which both runs have samples, on the clock of the first one. */
function sharedTimes(one: Samples, other: Samples, offset_s: number, most: number): number[] {
  const from = Math.max(one.firstTime, other.firstTime + offset_s);
  const to = Math.min(one.lastTime, other.lastTime + offset_s);
  if (!(to >= from)) return [];
  const count = Math.max(1, Math.min(most, Math.ceil((to - from) / STEP_S)));
  return Array.from({ length: count + 1 }, (_, at) => from + ((to - from) * at) / count);
}

/** Returns the mean square difference of the goals. */
function cost(one: Samples, other: Samples, offset_s: number): number {
  let [sum, count] = [0, 0];
  for (const time of sharedTimes(one, other, offset_s, MAX_MOMENTS)) {
    for (let motor = 0; motor < MOTORS.length; motor += 1) {
      const apart =
        one.valueAtTime(GOAL + motor, time, false) -
        other.valueAtTime(GOAL + motor, time - offset_s, false);
      if (Number.isNaN(apart)) continue;
      sum += apart * apart;
      count += 1;
    }
  }
  return count === 0 ? Infinity : sum / count;
}

/** Returns the seconds to add to the times of the other run, so that its motion begins with that of the first. */
export function findOffset(one: Samples, other: Samples): number {
  if (one.length === 0 || other.length === 0) return 0;
  const coarse = onset(one) - onset(other);
  let best = { offset: coarse, cost: cost(one, other, coarse) };
  for (let step = 1; step * STEP_S <= SEARCH_S; step += 1) {
    for (const offset of [coarse + step * STEP_S, coarse - step * STEP_S]) {
      const found = cost(one, other, offset);
      // A shift that is no better than a smaller one is no shift.
      if (found < best.cost * 0.999 - 1e-9) best = { offset, cost: found };
    }
  }
  return Math.round(best.offset * 1000) / 1000;
}

export interface Difference {
  max_deg: number;
  motor: string;
  at_s: number;
}

export interface Comparison {
  goal: Difference | null;
  present: Difference | null;
}

/** Returns the largest differences of goals and of present positions; `null` if the runs do not overlap. */
export function compareRuns(one: Samples, other: Samples, offset_s: number): Comparison {
  const times: number[] = [];
  const to = Math.min(one.lastTime, other.lastTime + offset_s);
  const first = one.indexFrom(other.firstTime + offset_s - 1e-9);
  const stride = Math.ceil(Math.max(1, one.next - first) / MAX_COMPARED);
  for (let index = first; index < one.next && one.timeAt(index) <= to + 1e-9; index += stride)
    times.push(one.timeAt(index));
  const largest = (column: number): Difference | null => {
    let found: Difference | null = null;
    for (const at_s of times) {
      MOTORS.forEach((motor, at) => {
        const apart = Math.abs(
          one.valueAtTime(column + at, at_s, false) -
            other.valueAtTime(column + at, at_s - offset_s, false),
        );
        if (apart > (found?.max_deg ?? -1)) found = { max_deg: apart, motor, at_s };
      });
    }
    return found;
  };
  return { goal: largest(GOAL), present: largest(FIRST_COLUMN.present) };
}
