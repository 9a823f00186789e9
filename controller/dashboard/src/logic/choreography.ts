/** Where the steps of a tool stand on the timeline. Pure functions; seconds. */

import type {
  Amount,
  Movement,
  Part,
  Plan,
  Step,
  StepRun,
  Target,
  TargetName,
} from '../protocol/score';
import { allSteps, constantOf, innerSteps, kindOf, rounded, type Kind, type Path } from './score';

/** The rows of the timeline, from top to bottom. */
export const LANES = ['head', 'antennas', 'body', 'all', 'sound', 'photo', 'wait'] as const;

export type Lane = (typeof LANES)[number];

/** A step without steps inside, at its first run. */
export interface Block {
  path: Path;
  step: Step;
  lane: Lane;
  start_s: number;
  end_s: number;
  /** When a loop runs it again. */
  again: { start_s: number; end_s: number }[];
  peak_speed: number;
  clamped: boolean;
}

/** A loop, a reaction, or tracks that run at once, around other steps. */
export interface Bracket {
  path: Path;
  step: Step;
  kind: Kind;
  start_s: number;
  end_s: number;
  /** The row in which it is drawn, below those of the brackets around it. */
  depth: number;
}

export interface Layout {
  blocks: Block[];
  brackets: Bracket[];
  /** Steps that do not run in a call without arguments. */
  idle: { path: Path; step: Step }[];
  seconds: number;
}

function laneOf(step: Step): Lane {
  if ('move' in step) return step.move.part;
  if ('wait' in step) return 'wait';
  if ('photo' in step) return 'photo';
  return 'sound' in step ? 'sound' : 'all';
}

/** The part that a motor moves, from its name. */
export function partOfJoint(joint: string): Part {
  if (joint.includes('antenna')) return 'antennas';
  return joint.startsWith('stewart') ? 'head' : 'body';
}

export function layOut(steps: Step[], plan: Plan): Layout {
  const runs = new Map<number, StepRun[]>();
  for (const run of plan.runs) {
    const known = runs.get(run.step);
    if (known === undefined) runs.set(run.step, [run]);
    else known.push(run);
  }
  const layout: Layout = { blocks: [], brackets: [], idle: [], seconds: plan.seconds };
  allSteps(steps).forEach(({ path, step }, index) => {
    const [first, ...again] = runs.get(index) ?? [];
    if (first === undefined) {
      layout.idle.push({ path, step });
      return;
    }
    const { start_s, end_s } = first;
    if (innerSteps(step) !== null) {
      const depth = path.length - 1;
      layout.brackets.push({ path, step, kind: kindOf(step), start_s, end_s, depth });
      return;
    }
    const lane = laneOf(step);
    const clamped = [first, ...again].some((run) => isClamped(plan, lane, run));
    const peak_speed = Math.max(first.peak_speed, ...again.map((run) => run.peak_speed));
    layout.blocks.push({ path, step, lane, start_s, end_s, again, peak_speed, clamped });
  });
  placeInRows(layout.brackets);
  return layout;
}

/** Puts each bracket below the one around it, in the first row that is free at its time. */
function placeInRows(brackets: Bracket[]): void {
  const placed: Bracket[] = [];
  for (const bracket of brackets) {
    const around = placed.filter(({ path }) =>
      path.every((at, depth) => bracket.path[depth] === at),
    );
    let row = 1 + Math.max(-1, ...around.map(({ depth }) => depth));
    const isTaken = (other: Bracket) =>
      other.depth === row && other.start_s < bracket.end_s && other.end_s > bracket.start_s;
    while (placed.some(isTaken)) row += 1;
    bracket.depth = row;
    placed.push(bracket);
  }
}

function isClamped(plan: Plan, lane: Lane, run: StepRun): boolean {
  if (lane === 'sound' || lane === 'photo' || lane === 'wait') return false;
  return plan.clamps.some(
    ({ joint, from_s, to_s }) =>
      (lane === 'all' || partOfJoint(joint) === lane) && from_s < run.end_s && to_s > run.start_s,
  );
}

/** An axis of a part, with the targets in its two directions. */
export interface Dial {
  axis: string;
  unit: string;
  /** The targets for values above and below zero, as a slider shows them. */
  positive: Target;
  negative: Target;
}

/** Returns the axes of a part. Targets of one axis come in pairs: left and right, up and down. */
export function dialsOf(part: Part, targets: Target[]): Dial[] {
  const dials: Dial[] = [];
  for (const target of targets) {
    const [axis, other] = target.axes;
    if (target.part !== part || axis === undefined || other !== undefined) continue;
    if (dials.some((dial) => dial.axis === axis)) continue;
    const pair = targets.find((one) => one !== target && one.axes.join() === axis);
    if (pair !== undefined) {
      dials.push({ axis, unit: target.unit, positive: target, negative: pair });
    }
  }
  return dials;
}

/** Replaces targets for several axes at once, such as both antennas, by one per axis. */
function single(movement: Movement, targets: Target[]): [TargetName, Amount][] {
  return movement.targets.flatMap(([name, amount]) => {
    const known = targets.find(({ target }) => target === name);
    if (known === undefined || known.axes.length < 2)
      return [[name, amount] as [TargetName, Amount]];
    const isInward = name.endsWith('inward');
    return known.axes.flatMap((axis) => {
      const own = targets.find(
        (one) => one.axes.join() === axis && one.target.endsWith('inward') === isInward,
      );
      return own === undefined ? [] : [[own.target, amount] as [TargetName, Amount]];
    });
  });
}

/** Returns what a movement asks of an axis: a signed value, an amount that a parameter sets, or `null` for nothing. */
export function amountOf(
  movement: Movement,
  dial: Dial,
  targets: Target[],
): { constant: number } | { written: Amount } | null {
  for (const [name, amount] of single(movement, targets)) {
    const sign = name === dial.positive.target ? 1 : name === dial.negative.target ? -1 : 0;
    if (sign === 0) continue;
    const constant = constantOf(amount);
    return constant === null ? { written: amount } : { constant: rounded(sign * constant) };
  }
  return null;
}

/** Sets what a movement asks of an axis; `null` leaves the axis out. */
export function withAmount(
  movement: Movement,
  dial: Dial,
  amount: number | null,
  targets: Target[],
): Movement {
  const others = single(movement, targets).filter(
    ([name]) => name !== dial.positive.target && name !== dial.negative.target,
  );
  if (amount === null) return { ...movement, targets: others };
  const target = amount < 0 ? dial.negative : dial.positive;
  const clamped = Math.min(Math.abs(amount), target.maximum);
  return { ...movement, targets: [...others, [target.target, { value: rounded(clamped) }]] };
}

/** Returns the beats per minute of at least two taps, milliseconds; `null` if they are no tempo. */
export function tempoOfTaps(taps: number[]): number | null {
  const gaps = taps.slice(1).map((tap, at) => tap - taps[at]!);
  if (gaps.length === 0) return null;
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const bpm = Math.round(60_000 / mean);
  return bpm >= 30 && bpm <= 240 ? bpm : null;
}
