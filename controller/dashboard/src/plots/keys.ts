/** The keys on a plot: cursor, zoom and section of time. */

import { pan, stepTime, zoom } from '../logic/plots/time-window';
import { cursor, extent, playing, resetWindow, setWindow, span, timeWindow } from './state';

/** Handles a key on a plot. */
export function handleKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const shown = span();
  const all = extent();
  if (shown === null || all === null) return;
  const at = cursor.value ?? (shown.from + shown.to) / 2;
  const steps = event.shiftKey ? 10 : 1;
  const moveCursor = (to: number) => {
    playing.value = false;
    cursor.value = to;
  };
  const actions: Record<string, () => void> = {
    ArrowLeft: () => moveCursor(stepTime(at, shown, -steps)),
    ArrowRight: () => moveCursor(stepTime(at, shown, steps)),
    Home: () => moveCursor(shown.from),
    End: () => moveCursor(shown.to),
    PageUp: () => setWindow(pan(timeWindow.value, all, -0.5)),
    PageDown: () => setWindow(pan(timeWindow.value, all, 0.5)),
    '+': () => setWindow(zoom(timeWindow.value, all, 1 / 2, cursor.value ?? undefined)),
    '=': () => setWindow(zoom(timeWindow.value, all, 1 / 2, cursor.value ?? undefined)),
    '-': () => setWindow(zoom(timeWindow.value, all, 2, cursor.value ?? undefined)),
    Escape: resetWindow,
  };
  const action = actions[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
}
