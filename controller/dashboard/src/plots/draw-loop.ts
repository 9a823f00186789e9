/** Calls the parts of the plots once per animation frame, and only while something has changed. */

import {
  cursor,
  emphasized,
  layout,
  offset,
  other,
  run,
  shownSamples,
  span,
  timeWindow,
} from './state';
import type { Span } from '../logic/plots/time-window';

type Draw = (shown: Span | null) => void;

const parts = new Set<Draw>();
const moved = new Set<Draw>();
let requested = 0;
let drawn: unknown[] = [];
let drawnCursor: unknown[] = [];

/** Draws a part whenever its data may have changed. Returns a function that ends it. */
export function onDraw(draw: Draw): () => void {
  parts.add(draw);
  redraw();
  return begin(parts, draw);
}

/** Draws a part whenever the cursor or the section of time has changed. */
export function onCursor(draw: Draw): () => void {
  moved.add(draw);
  drawnCursor = [];
  return begin(moved, draw);
}

function begin(all: Set<Draw>, draw: Draw): () => void {
  requested ||= requestAnimationFrame(step);
  return () => {
    all.delete(draw);
    if (parts.size + moved.size > 0) return;
    cancelAnimationFrame(requested);
    requested = 0;
  };
}

/** Draws everything in the next frame, for instance at another size. */
export function redraw(): void {
  drawn = [];
}

const differ = (one: unknown[], two: unknown[]): boolean =>
  one.length !== two.length || one.some((value, at) => value !== two[at]);

function step(): void {
  requested = requestAnimationFrame(step);
  const shown = span();
  const samples = shownSamples();
  // While the section stands still, samples after it change nothing.
  const latest = shown !== null && samples.lastTime > shown.to ? null : samples.next;
  const view = [shown?.from, shown?.to];
  const now = [
    ...view,
    samples,
    latest,
    run.value,
    other.value,
    offset.value,
    layout.value,
    timeWindow.value.kind,
    emphasized.value,
  ];
  if (differ(now, drawn)) {
    drawn = now;
    parts.forEach((draw) => draw(shown));
  }
  const nowCursor = [...view, cursor.value, samples.next];
  if (differ(nowCursor, drawnCursor)) {
    drawnCursor = nowCursor;
    moved.forEach((draw) => draw(shown));
  }
}
