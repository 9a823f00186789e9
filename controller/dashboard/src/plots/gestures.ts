/** The pointer on a plot: it moves the cursor, selects a section to zoom into, and zooms with the wheel and Ctrl. */

import { selectSpan, zoom, type Span } from '../logic/plots/time-window';
import type { Chart } from './chart';
import {
  cursor,
  extent,
  isLive,
  paused,
  playing,
  resetWindow,
  setPaused,
  setWindow,
  span,
  timeWindow,
} from './state';

/** A pointer that has moved less than this has not dragged, pixels. */
const DRAG_PX = 6;
const WHEEL_FACTOR = 1.25;

/** Handles the pointer on a plot until the returned function is called. */
export function handlePointer(chart: Chart): () => void {
  const { area } = chart;
  /** Where and when a drag began; the live plots stand still while it lasts. */
  let drag: { id: number; left: number; shown: Span } | null = null;
  const left = (event: PointerEvent | WheelEvent) => {
    const box = area.getBoundingClientRect();
    return Math.max(0, Math.min(box.width, event.clientX - box.left));
  };
  const move = (event: PointerEvent) => {
    const shown = drag?.shown ?? span();
    if (shown === null) return;
    cursor.value = chart.timeAt(left(event), shown);
    if (drag !== null && Math.abs(left(event) - drag.left) >= DRAG_PX)
      chart.showSelection({ from: drag.left, to: left(event) });
  };
  const down = (event: PointerEvent) => {
    const shown = span();
    if (event.button !== 0 || shown === null) return;
    playing.value = false;
    if (isLive.value && timeWindow.value.kind === 'follow') paused.value ??= shown;
    drag = { id: event.pointerId, left: left(event), shown };
    area.setPointerCapture(event.pointerId);
    move(event);
  };
  const up = (event: PointerEvent) => {
    if (drag === null || event.pointerId !== drag.id) return;
    const { left: from, shown } = drag;
    drag = null;
    chart.showSelection(null);
    const all = extent();
    if (all === null || Math.abs(left(event) - from) < DRAG_PX) return;
    setWindow(selectSpan(chart.timeAt(from, shown), chart.timeAt(left(event), shown), all));
  };
  const cancel = () => {
    drag = null;
    chart.showSelection(null);
  };
  const leave = () => {
    // What moves on has no use for a cursor that nobody holds.
    const isMoving = isLive.value && paused.value === null && timeWindow.value.kind === 'follow';
    if (drag === null && isMoving) cursor.value = null;
  };
  const reset = () => {
    setPaused(false);
    resetWindow();
  };
  const wheel = (event: WheelEvent) => {
    const shown = span();
    // Without Ctrl the wheel scrolls the page.
    if (!event.ctrlKey || shown === null) return;
    event.preventDefault();
    const factor = event.deltaY > 0 ? WHEEL_FACTOR : 1 / WHEEL_FACTOR;
    setWindow(zoom(timeWindow.value, extent(), factor, chart.timeAt(left(event), shown)));
  };
  const listeners = [
    ['pointermove', move],
    ['pointerdown', down],
    ['pointerup', up],
    ['pointercancel', cancel],
    ['pointerleave', leave],
    ['dblclick', reset],
  ] as const;
  for (const [type, listener] of listeners) area.addEventListener(type, listener as EventListener);
  area.addEventListener('wheel', wheel, { passive: false });
  return () => {
    for (const [type, listener] of listeners)
      area.removeEventListener(type, listener as EventListener);
    area.removeEventListener('wheel', wheel);
  };
}
