/** Edits of a tool's steps. Pure functions: each returns a new list of steps. */

import type { Amount, Reaction, Step } from '../protocol/score';

/** Where a step is: its position in the list of steps, then in the list of the steps inside, and so on. */
export type Path = readonly number[];

export type Kind =
  | 'move'
  | 'neutral'
  | 'wait'
  | 'repeat'
  | 'together'
  | 'sequence'
  | 'play'
  | 'sound'
  | 'photo'
  | 'otherwise'
  | 'when'
  | 'whenever'
  | 'as_long_as'
  | 'until';

export const kindOf = (step: Step): Kind => Object.keys(step)[0] as Kind;

/** The shortest movement that an edit makes, seconds. */
const MIN_SECONDS = 0.1;

export const value = (constant: number): Amount => ({ value: rounded(constant) });

/** Returns the constant of an amount; `null` if a parameter or a loop sets it. */
export const constantOf = (amount: Amount | null): number | null =>
  amount != null && 'value' in amount ? amount.value : null;

/** Rounds to hundredths, as times and amounts are written. */
export const rounded = (number: number): number => Math.round(number * 100) / 100 + 0;

export function innerSteps(step: Step): Step[] | null {
  const kind = kindOf(step);
  const content = (step as Record<string, unknown>)[kind];
  if (isPlainList(kind)) return content as Step[];
  if (kind === 'repeat' || isReaction(kind)) return (content as { steps: Step[] }).steps;
  return null;
}

/** Whether a step is nothing but a list of steps. */
const isPlainList = (kind: Kind): boolean =>
  kind === 'together' || kind === 'sequence' || kind === 'otherwise';

export const isReaction = (kind: Kind): boolean =>
  kind === 'when' || kind === 'whenever' || kind === 'as_long_as' || kind === 'until';

function withInner(step: Step, steps: Step[]): Step {
  const kind = kindOf(step);
  if (isPlainList(kind)) return { [kind]: steps } as unknown as Step;
  const content = (step as unknown as Record<string, Reaction>)[kind];
  return { [kind]: { ...content, steps } } as unknown as Step;
}

/** Returns all steps with their paths, outer steps before inner ones, as the server counts them. */
export function allSteps(steps: Step[], within: Path = []): { path: Path; step: Step }[] {
  return steps.flatMap((step, at) => {
    const path = [...within, at];
    return [{ path, step }, ...allSteps(innerSteps(step) ?? [], path)];
  });
}

export function stepAt(steps: Step[], path: Path): Step | null {
  const [first, ...rest] = path;
  const step = first === undefined ? undefined : steps[first];
  if (step === undefined) return null;
  return rest.length === 0 ? step : stepAt(innerSteps(step) ?? [], rest);
}

export const samePath = (one: Path | null, other: Path | null): boolean =>
  one !== null && other !== null && one.join() === other.join();

/** Replaces the list in which a path ends. */
function inList(steps: Step[], path: Path, edit: (list: Step[], at: number) => Step[]): Step[] {
  const [first, ...rest] = path;
  if (first === undefined) return steps;
  if (rest.length === 0) return edit(steps, first);
  return steps.map((step, at) =>
    at === first ? withInner(step, inList(innerSteps(step) ?? [], rest, edit)) : step,
  );
}

/** Replaces one step by any number of steps. */
const replace = (steps: Step[], path: Path, by: Step[]): Step[] =>
  inList(steps, path, (list, at) => [...list.slice(0, at), ...by, ...list.slice(at + 1)]);

export const updateStep = (steps: Step[], path: Path, step: Step): Step[] =>
  replace(steps, path, [step]);

const isTrack = (steps: Step[], path: Path): boolean => {
  const outer = stepAt(steps, path.slice(0, -1));
  return outer !== null && kindOf(outer) === 'together';
};

/** Leaves out loops without steps, and replaces tracks that run alone by their steps. */
function tidied(steps: Step[]): Step[] {
  return steps.flatMap((step) => {
    const inner = innerSteps(step);
    if (inner === null) return [step];
    const rest = tidied(inner);
    if (rest.length === 0) return [];
    const kind = kindOf(step);
    return rest.length === 1 && (kind === 'together' || kind === 'sequence')
      ? rest
      : [withInner(step, rest)];
  });
}

export const removeStep = (steps: Step[], path: Path): Step[] => tidied(replace(steps, path, []));

/** Inserts a step after another one, or at the end. */
export function insertAfter(steps: Step[], path: Path | null, step: Step): Step[] {
  const before = path === null ? null : stepAt(steps, path);
  if (path === null || before === null) return [...steps, step];
  if (!isTrack(steps, path)) return replace(steps, path, [before, step]);
  return updateStep(steps, path, { sequence: [before, step] });
}

/** Inserts a step that runs at the same time as another one. */
export function insertBeside(steps: Step[], path: Path, step: Step): Step[] {
  const beside = stepAt(steps, path);
  if (beside === null) return steps;
  if (isTrack(steps, path)) return replace(steps, path, [beside, step]);
  const together = kindOf(beside) === 'together' ? [...innerSteps(beside)!, step] : [beside, step];
  return updateStep(steps, path, { together });
}

/** Repeats the steps from one path to another in the same list, or the first one. */
export function repeatSteps(steps: Step[], path: Path, to: Path, times: number): Step[] {
  const isSameList = path.slice(0, -1).join() === to.slice(0, -1).join();
  return inList(steps, path, (list, at) => {
    const other = isSameList && !isTrack(steps, path) ? to[to.length - 1]! : at;
    const [from, until] = [Math.min(at, other), Math.max(at, other)];
    const loop: Step = { repeat: { times: value(times), steps: list.slice(from, until + 1) } };
    return [...list.slice(0, from), loop, ...list.slice(until + 1)];
  });
}

/** Replaces a loop or a reaction by the steps inside it, without those for the case that the event does not come. */
export function unwrap(steps: Step[], path: Path): Step[] {
  const step = stepAt(steps, path);
  const inner = step === null ? null : innerSteps(step);
  if (inner === null || inner.length === 0) return steps;
  const kept = inner.filter((one) => !('otherwise' in one));
  const by = isTrack(steps, path) && kept.length > 1 ? [{ sequence: kept }] : kept;
  return tidied(replace(steps, path, by));
}

/**
 * Returns the duration that a movement or a wait names, `null` if it leaves it to the default, and nothing for other
 * steps.
 */
export function namedSeconds(step: Step): Amount | null | undefined {
  if ('move' in step) return step.move.seconds ?? null;
  if ('neutral' in step) return step.neutral.seconds ?? null;
  return 'wait' in step ? step.wait : undefined;
}

/** Sets the duration of a movement or a wait. */
export function setSeconds(steps: Step[], path: Path, seconds: number): Step[] {
  const step = stepAt(steps, path);
  if (step === null) return steps;
  const amount = value(Math.max(MIN_SECONDS, seconds));
  if ('move' in step) return updateStep(steps, path, { move: { ...step.move, seconds: amount } });
  if ('neutral' in step) {
    return updateStep(steps, path, { neutral: { ...step.neutral, seconds: amount } });
  }
  return 'wait' in step ? updateStep(steps, path, { wait: amount }) : steps;
}

const waitSeconds = (step: Step | undefined): number | null =>
  step !== undefined && 'wait' in step ? constantOf(step.wait) : null;

const waiting = (seconds: number): Step[] =>
  rounded(seconds) > 0 ? [{ wait: value(seconds) }] : [];

/**
 * Moves a step in time. The wait before it changes, and the wait after it, so that later steps stay where they are if they
 * can. A step that is moved over the middle of the one before changes places with it. `secondsOf` returns the duration of
 * a step of the same list.
 */
export function shiftStep(
  steps: Step[],
  path: Path,
  by: number,
  secondsOf: (path: Path) => number,
): Step[] {
  const step = stepAt(steps, path);
  if (step === null || rounded(by) === 0) return steps;
  if (isTrack(steps, path)) {
    return by < 0 ? steps : updateStep(steps, path, { sequence: [...waiting(by), step] });
  }
  return inList(steps, path, (list, at) => {
    const before = waitSeconds(list[at - 1]);
    const first = before === null ? at : at - 1;
    const previous = list[first - 1];
    const rest = (before ?? 0) + by;
    if (rest < 0 && previous !== undefined) {
      const previousSeconds = secondsOf([...path.slice(0, -1), first - 1]);
      if (-rest > previousSeconds / 2) {
        const [own, after] = [list.slice(first, at), list.slice(at + 1)];
        return [...list.slice(0, first - 1), step, ...own, previous, ...after];
      }
    }
    const applied = Math.max(0, rest) - (before ?? 0);
    const after = waitSeconds(list[at + 1]);
    const last = after === null ? at : at + 1;
    const isLast = at === list.length - 1;
    const left = isLast ? 0 : Math.max(0, (after ?? 0) - applied);
    return [
      ...list.slice(0, first),
      ...waiting((before ?? 0) + applied),
      step,
      ...waiting(left),
      ...list.slice(last + 1),
    ];
  });
}

/** Changes places with the step before or after it. */
export function swapStep(steps: Step[], path: Path, by: 1 | -1): Step[] {
  return inList(steps, path, (list, at) => {
    const [one, other] = [list[at], list[at + by]];
    if (one === undefined || other === undefined) return list;
    return list.map((step, index) => (index === at ? other : index === at + by ? one : step));
  });
}

/**
 * Sets every duration to a whole number of half beats, at least one. A duration that a parameter or a loop sets stays.
 * `secondsOf` returns the duration of a step that names none.
 */
export function toTempo(
  steps: Step[],
  beatsPerMinute: number,
  secondsOf: (path: Path) => number | null,
): Step[] {
  const half = 30 / beatsPerMinute;
  const onBeat = (seconds: number) => Math.max(1, Math.round(seconds / half)) * half;
  return allSteps(steps).reduce((edited, { path, step }) => {
    const own = namedSeconds(step);
    if (own === undefined || (own !== null && constantOf(own) === null)) return edited;
    const seconds = constantOf(own) ?? secondsOf(path);
    return seconds === null ? edited : setSeconds(edited, path, onBeat(seconds));
  }, steps);
}

/** Lets the step after a sound begin at the sound's first beat. */
export function startOnBeat(steps: Step[], sound: Path, first_s: number): Step[] {
  return inList(steps, sound, (list, at) => {
    const after = waitSeconds(list[at + 1]) === null ? at : at + 1;
    return [...list.slice(0, at + 1), ...waiting(first_s), ...list.slice(after + 1)];
  });
}

/** Keeps what runs between two times. `spanOf` returns when a step runs first. Waits are shortened. */
export function cutSteps(
  steps: Step[],
  from: number,
  to: number,
  spanOf: (path: Path) => { start_s: number; end_s: number } | null,
): Step[] {
  const keep = (list: Step[], within: Path): Step[] =>
    list.flatMap((step, at) => {
      const path = [...within, at];
      const span = spanOf(path);
      if (span === null) return [step];
      const inner = innerSteps(step);
      const isInside = span.start_s >= from - 1e-6 && span.end_s <= to + 1e-6;
      if (isInside) return [step];
      if (inner !== null && kindOf(step) !== 'repeat') return [withInner(step, keep(inner, path))];
      if ('wait' in step) {
        const left = Math.min(span.end_s, to) - Math.max(span.start_s, from);
        return waiting(left);
      }
      const isOutside = span.end_s <= from + 1e-6 || span.start_s >= to - 1e-6;
      return isOutside ? [] : [step];
    });
  return tidied(keep(steps, []));
}
