/** The section of time that the plots show: how it follows, zooms and moves. Seconds. Pure functions. */

export interface Span {
  from: number;
  to: number;
}

export type TimeWindow =
  /** The latest seconds, moving on. */
  | { kind: 'follow'; length_s: number }
  /** All there is. */
  | { kind: 'all' }
  | ({ kind: 'fixed' } & Span);

/** The shortest window, seconds. */
export const MIN_LENGTH_S = 0.1;

/** Returns the shown section of what there is, or `null` if there is nothing. */
export function shownSpan(window: TimeWindow, extent: Span | null): Span | null {
  if (extent === null) return null;
  if (window.kind === 'fixed') return { from: window.from, to: window.to };
  if (window.kind === 'follow') return { from: extent.to - window.length_s, to: extent.to };
  return { from: extent.from, to: Math.max(extent.to, extent.from + MIN_LENGTH_S) };
}

/** Returns a window between two times in any order, neither too short nor beyond what there is. */
export function selectSpan(one: number, other: number, extent: Span): TimeWindow {
  const whole = Math.max(MIN_LENGTH_S, extent.to - extent.from);
  const length = Math.min(whole, Math.max(MIN_LENGTH_S, Math.abs(other - one)));
  const from = Math.max(extent.from, Math.min(Math.min(one, other), extent.from + whole - length));
  return { kind: 'fixed', from, to: from + length };
}

/** Changes the length of the window by a factor. The time `around` keeps its place in it. */
export function zoom(
  window: TimeWindow,
  extent: Span | null,
  factor: number,
  around?: number,
): TimeWindow {
  const shown = shownSpan(window, extent);
  if (shown === null || extent === null) return window;
  if (window.kind === 'follow')
    return { kind: 'follow', length_s: Math.max(MIN_LENGTH_S, window.length_s * factor) };
  const center = around ?? (shown.from + shown.to) / 2;
  const from = center - (center - shown.from) * factor;
  const to = center + (shown.to - center) * factor;
  if (to - from >= extent.to - extent.from) return { kind: 'all' };
  return selectSpan(from, to, extent);
}

/** Moves the window by a part of its length. A window that followed stays behind. */
export function pan(window: TimeWindow, extent: Span | null, parts: number): TimeWindow {
  const shown = shownSpan(window, extent);
  if (shown === null || extent === null) return window;
  const by = parts * (shown.to - shown.from);
  return selectSpan(shown.from + by, shown.to + by, extent);
}

/** Moves one edge of the window. The other one stays where it is. */
export function moveEdge(
  window: TimeWindow,
  extent: Span | null,
  edge: 'from' | 'to',
  to: number,
): TimeWindow {
  const shown = shownSpan(window, extent);
  if (shown === null || extent === null) return window;
  const clamped = Math.max(extent.from, Math.min(extent.to, to));
  return edge === 'from'
    ? selectSpan(Math.min(clamped, shown.to - MIN_LENGTH_S), shown.to, extent)
    : selectSpan(shown.from, Math.max(clamped, shown.from + MIN_LENGTH_S), extent);
}

/** Returns a time within a span, moved by `steps` hundredths of it, for keys. */
export const stepTime = (at: number, span: Span, steps: number): number =>
  Math.max(span.from, Math.min(span.to, at + (steps * (span.to - span.from)) / 100));
