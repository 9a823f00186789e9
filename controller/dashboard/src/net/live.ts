/** What the page knows of the robot, as signals that views read. */

import { computed, signal } from '@preact/signals';
import { STALE_MS, Freshness } from '../logic/freshness';
import { NOBODY, may, type Deed, type Standing } from '../logic/roles';
import type { BodyState, Health, Holder } from '../protocol/responses';
import type { Frame } from '../protocol/telemetry';

export type Link =
  /** Frames come over the WebSocket. */
  | { is: 'live' }
  /** They don't, and the state is asked for instead. */
  | { is: 'asked' }
  | { is: 'connecting' }
  | { is: 'waiting'; until: number; why: string }
  /** The server wants to know who asks. */
  | { is: 'locked'; why: string };

export const link = signal<Link>({ is: 'connecting' });
export const frame = signal<Frame | null>(null);
export const fresh = new Freshness();

/** With its time of arrival; these are asked for about every second. */
export const body = signal<{ at: number; state: BodyState } | null>(null);
export const health = signal<{ at: number; state: Health } | null>(null);
export const holder = signal<Holder | null>(null);
export const standing = signal<Standing>(NOBODY);

/** The page's own clock, milliseconds; it ticks ten times a second. */
export const now = signal(performance.now());

/** How old the newest frame is, milliseconds. */
export const age = computed(() => {
  void frame.value;
  return fresh.age(now.value);
});
export const stale = computed(() => age.value > STALE_MS);

/** Answers that are asked for every second are stale later than frames are. */
export const SLOW_STALE_MS = 3000;
export const bodyStale = computed(
  () => body.value === null || now.value - body.value.at > SLOW_STALE_MS,
);
export const healthStale = computed(
  () => health.value === null || now.value - health.value.at > SLOW_STALE_MS,
);

/** How long a question takes to be answered, milliseconds. */
export const roundTrip = computed(() => {
  void health.value;
  return fresh.roundTrip(now.value);
});

export const allowed = (deed: Deed): boolean => may(standing.value, deed);

/** Another robot, or another person: nothing of before holds. */
export function forget(): void {
  fresh.forget();
  frame.value = null;
  body.value = null;
  health.value = null;
  holder.value = null;
  standing.value = NOBODY;
}
