/** What the page knows of the robot, as signals that views read. */

import { computed, signal } from '@preact/signals';
import { STALE_MS, Freshness } from '../logic/freshness';
import { NO_ACCESS, isPermitted, type Action, type Access } from '../logic/roles';
import type { RobotState, Health, LeaseHolder } from '../protocol/responses';
import type { Frame } from '../protocol/telemetry';

export type Link =
  /** Frames come over the WebSocket. */
  | { status: 'live' }
  /** They don't, and the state is asked for instead. */
  | { status: 'polling' }
  | { status: 'connecting' }
  | { status: 'waiting'; until: number; reason: string }
  /** The server wants to know who asks. */
  | { status: 'unauthorized'; reason: string };

export const link = signal<Link>({ status: 'connecting' });
export const frame = signal<Frame | null>(null);
export const freshness = new Freshness();

/** With its time of arrival; these are asked for about every second. */
export const robotState = signal<{ at: number; state: RobotState } | null>(null);
export const health = signal<{ at: number; state: Health } | null>(null);
export const leaseHolder = signal<LeaseHolder | null>(null);
export const access = signal<Access>(NO_ACCESS);

/** The page's own clock, milliseconds; it ticks ten times a second. */
export const now = signal(performance.now());

/** How old the newest frame is, milliseconds. */
export const age = computed(() => {
  void frame.value;
  return freshness.age(now.value);
});
export const stale = computed(() => age.value > STALE_MS);

/** Answers that are asked for every second are stale later than frames are. */
export const SLOW_STALE_MS = 3000;
export const robotStateStale = computed(
  () => robotState.value === null || now.value - robotState.value.at > SLOW_STALE_MS,
);
export const healthStale = computed(
  () => health.value === null || now.value - health.value.at > SLOW_STALE_MS,
);

/** How long a question takes to be answered, milliseconds. */
export const roundTrip = computed(() => {
  void health.value;
  return freshness.roundTrip(now.value);
});

export const isAllowed = (action: Action): boolean => isPermitted(access.value, action);

/** Another robot, or another person: nothing of before holds. */
export function reset(): void {
  freshness.reset();
  frame.value = null;
  robotState.value = null;
  health.value = null;
  leaseHolder.value = null;
  access.value = NO_ACCESS;
}
