/** What the plots show: the run, the one that it is compared with, the section of time, the cursor and the layout. */

import { computed, effect, signal } from '@preact/signals';
import { findOffset } from '../logic/plots/compare-runs';
import {
  layoutsText,
  parseLayout,
  parseLayouts,
  PRESETS,
  type Layout,
} from '../logic/plots/layout';
import type { Run } from '../logic/plots/run';
import type { Samples } from '../logic/plots/samples';
import { shownSpan, type Span, type TimeWindow } from '../logic/plots/time-window';
import { history } from '../net/history';
import { now } from '../net/live';
import { robotSignal } from '../net/robots';
import { load, save } from '../net/storage';

/** The run on the plots; `null` is the robot, live. */
export const run = robotSignal<Run | null>(null);
/** The run that is drawn over it. */
export const other = robotSignal<Run | null>(null);
/** What is added to the times of the other run, seconds. */
export const offset = robotSignal(0);

const LIVE_WINDOW: TimeWindow = { kind: 'follow', length_s: 30 };
export const timeWindow = robotSignal<TimeWindow>(LIVE_WINDOW);

/** The time under the cursor, seconds; `null` if there is no cursor. */
export const cursor = robotSignal<number | null>(null);
/** Whether the live plots stand still. They go on recording. */
export const paused = robotSignal<Span | null>(null);
export const playing = robotSignal(false);

/** The line that is drawn bold: the plot and the signal. */
export const emphasized = signal<{ plot: number; signal: string } | null>(null);

export const layout = signal<Layout>(parseLayout(load('plots.layout')) ?? PRESETS.motion);
effect(() => save('plots.layout', JSON.stringify(layout.value)));
export const layouts = signal(parseLayouts(load('plots.layouts')));
effect(() => save('plots.layouts', layoutsText(layouts.value)));

/** Ticks four times a second, for texts that follow the robot. */
export const slowTick = computed(() => Math.floor(now.value / 250));

export const isLive = computed(() => run.value === null);

export const shownSamples = (): Samples => run.value?.samples ?? history;

/** Returns from when to when there are samples of the shown run or the other one. */
export function extent(): Span | null {
  const samples = shownSamples();
  if (samples.length === 0) return null;
  const span = { from: samples.firstTime, to: samples.lastTime };
  const compared = other.value;
  if (compared === null || compared.samples.length === 0 || run.value === null) return span;
  return {
    from: Math.min(span.from, compared.samples.firstTime + offset.value),
    to: Math.max(span.to, compared.samples.lastTime + offset.value),
  };
}

/** Users who prefer reduced motion see the live plots move on once a second. */
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** Returns the section of time that is shown now. */
export function span(): Span | null {
  if (paused.value !== null && timeWindow.value.kind === 'follow') return paused.value;
  const all = extent();
  if (all === null || !isLive.value || !reducedMotion.matches)
    return shownSpan(timeWindow.value, all);
  return shownSpan(timeWindow.value, { ...all, to: Math.ceil(all.to) });
}

/** Shows a run, or the robot itself. */
export function showRun(next: Run | null): void {
  run.value = next;
  other.value = null;
  offset.value = 0;
  cursor.value = null;
  paused.value = null;
  playing.value = false;
  timeWindow.value = next === null ? LIVE_WINDOW : { kind: 'all' };
}

/** Draws another run over the shown one, where their motions fit best. */
export function compareWith(next: Run | null): void {
  other.value = next;
  offset.value =
    next === null || run.value === null ? 0 : findOffset(run.value.samples, next.samples);
}

/** Lets the live plots move on, or stand still with what they show. */
export function setPaused(isPaused: boolean): void {
  paused.value = isPaused ? span() : null;
  if (!isPaused) cursor.value = null;
}

export function setWindow(next: TimeWindow): void {
  timeWindow.value = next;
  if (next.kind !== 'follow') paused.value = null;
}

/** Returns to the view of the beginning: live and following, or the whole run. */
export function resetWindow(): void {
  paused.value = null;
  setWindow(isLive.value ? LIVE_WINDOW : { kind: 'all' });
  if (isLive.value) cursor.value = null;
}
