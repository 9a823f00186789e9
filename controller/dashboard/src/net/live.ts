/** The known state of the robot, as signals for the views. */

import { computed, signal } from '@preact/signals';
import { STALE_MS, Freshness } from '../logic/freshness';
import { NO_ACCESS, isPermitted, type Action, type Access } from '../logic/roles';
import type { Clamp, ControlRequest, RobotState, Health, LeaseHolder } from '../protocol/responses';
import type { Frame } from '../protocol/telemetry';

export type Link =
  /** Frames arrive over the WebSocket. */
  | { status: 'live' }
  /** There is no WebSocket; the page polls the state instead. */
  | { status: 'polling' }
  | { status: 'connecting' }
  | { status: 'waiting'; until: number; reason: string }
  /** The server requires a token. */
  | { status: 'unauthorized'; reason: string };

/** How many frames a second the page asks for, and how many while it plots them. */
const RATE_HZ = 30;
export const PLOT_RATE_HZ = 50;
export const telemetryRate = signal(RATE_HZ);

/** Asks for more frames until the returned function is called. */
export function plotTelemetry(): () => void {
  telemetryRate.value = PLOT_RATE_HZ;
  return () => (telemetryRate.value = RATE_HZ);
}

export const link = signal<Link>({ status: 'connecting' });
export const frame = signal<Frame | null>(null);
export const freshness = new Freshness();

/** The port at which the robot's computer serves the camera's video by WebRTC. */
export const webrtcPort = signal<number | null>(null);

/** The polled state, with its time of arrival. */
export const robotState = signal<{ at: number; state: RobotState } | null>(null);
export const health = signal<{ at: number; state: Health } | null>(null);
export const leaseHolder = signal<LeaseHolder | null>(null);
/** The clients that ask this page for the control that it has. */
export const controlRequests = signal<ControlRequest[]>([]);
export const access = signal<Access>(NO_ACCESS);

/** The fleet that the server is an operator of; `undefined` until the server has said whether there is one. */
export const fleetName = signal<string | null | undefined>(undefined);

/** The page's clock, milliseconds. It ticks ten times a second. */
export const now = signal(performance.now());

/** The age of the latest frame, milliseconds. */
export const age = computed(() => {
  void frame.value;
  return freshness.age(now.value);
});
export const stale = computed(() => age.value > STALE_MS);

/** Polled data goes stale later than frames, milliseconds. */
export const SLOW_STALE_MS = 3000;
export const robotStateStale = computed(
  () => robotState.value === null || now.value - robotState.value.at > SLOW_STALE_MS,
);
export const healthStale = computed(
  () => health.value === null || now.value - health.value.at > SLOW_STALE_MS,
);

/** Returns the clamps that act on the current motion. The list is empty if the robot does not report them. */
export function activeClamps(): Clamp[] {
  const isClamping = frame.value?.clamping === true && !stale.value;
  return isClamping && !robotStateStale.value ? (robotState.value?.state.clamps ?? []) : [];
}

/** The latest round trip, milliseconds. */
export const roundTrip = computed(() => {
  void health.value;
  return freshness.roundTrip(now.value);
});

export const isAllowed = (action: Action): boolean => isPermitted(access.value, action);

/** Forgets the state, for another robot or another user. */
export function reset(): void {
  freshness.reset();
  frame.value = null;
  robotState.value = null;
  health.value = null;
  leaseHolder.value = null;
  access.value = NO_ACCESS;
  fleetName.value = undefined;
  webrtcPort.value = null;
}
