/** Edits by keys: what each key does to the selected step. */

import {
  insertAfter,
  removeStep,
  setSeconds,
  shiftStep,
  stepAt,
  swapStep,
  type Path,
} from '../logic/score';
import type { Step } from '../protocol/score';
import type { TimelineState } from './state';

/** How far an arrow key moves or stretches, seconds. */
const STEP_SECONDS = 0.1;

/** The step that was copied. It is kept while the page is open, also for other tools. */
let copied: Step | null = null;

interface Editing {
  steps: Step[];
  selected: Path | null;
  secondsOf: (path: Path) => number;
  speed: number;
  keep: (steps: Step[], moved?: Step) => void;
  timeline: TimelineState;
}

/** Carries out what a key stands for. Returns whether it stands for anything. */
export function keyEdit(event: KeyboardEvent, editing: Editing): boolean {
  if (event.target instanceof HTMLElement && event.target.closest('input, select, textarea')) {
    return false;
  }
  return event.ctrlKey || event.metaKey ? withControl(event, editing) : alone(event, editing);
}

function withControl({ key, shiftKey }: KeyboardEvent, editing: Editing): boolean {
  const { steps, selected, keep, timeline } = editing;
  const step = selected === null ? null : stepAt(steps, selected);
  switch (key.toLowerCase()) {
    case 'z':
      (shiftKey ? timeline.redo : timeline.undo)();
      return true;
    case 'y':
      timeline.redo();
      return true;
    case 'c':
      copied = step;
      return step !== null;
    case 'v':
      if (copied !== null) paste(structuredClone(copied), steps, selected, keep);
      return copied !== null;
    case 'd':
      if (step !== null) paste(structuredClone(step), steps, selected, keep);
      return step !== null;
    default:
      return false;
  }
}

function paste(step: Step, steps: Step[], after: Path | null, keep: Editing['keep']): void {
  keep(insertAfter(steps, after, step), step);
}

function alone(event: KeyboardEvent, editing: Editing): boolean {
  const { steps, selected, secondsOf, speed, keep, timeline } = editing;
  const step = selected === null ? null : stepAt(steps, selected);
  if (selected === null || step === null) return false;
  const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (by !== 0) {
    if (event.altKey) keep(swapStep(steps, selected, by), step);
    else if (event.shiftKey) {
      const seconds = secondsOf(selected) + by * STEP_SECONDS;
      keep(setSeconds(steps, selected, 'wait' in step ? seconds : seconds * speed));
    } else keep(shiftStep(steps, selected, by * STEP_SECONDS, secondsOf), step);
    return true;
  }
  if (event.key === 'Delete' || event.key === 'Backspace') {
    timeline.edit(removeStep(steps, selected), null);
    return true;
  }
  if (event.key === 'Escape') timeline.select(null);
  return event.key === 'Escape';
}
