/** Watches which axes the robot's limits hold back while this page is in control. */

import { effect, signal, untracked } from '@preact/signals';
import { goalDrawing, postureFromDrawing } from '../logic/drawing';
import {
  addTarget,
  holdAxes,
  limitedAxes,
  type HeldAxis,
  type LimitedAxis,
  type SentTarget,
} from '../logic/limited';
import { frame, freshness, robotState, robotStateStale, stale } from './live';
import * as steering from './teleop';

/** The axes to show as limited. */
export const limited = signal<HeldAxis[]>([]);
/** The goal that the robot accepted last. */
export const reachedPosture = signal<ReturnType<typeof postureFromDrawing> | null>(null);

let sent: SentTarget[] = [];

/** Returns what is limited in the latest frame. */
function currentLimits(now: number): LimitedAxis[] {
  const latest = frame.value;
  const target = steering.target.value;
  const { lease } = steering;
  const isSteering = lease.value.status === 'held' && !stale.value && !steering.isStopped.value;
  if (latest === null || target === null || !isSteering) {
    sent = [];
    reachedPosture.value = null;
    return [];
  }
  // Otherwise a slow line or a busy computer would look like a limit.
  const delay_ms = freshness.age(now) + (freshness.roundTrip(now) ?? 0);
  sent = addTarget(sent, target, now, delay_ms);
  const goal = goalDrawing(latest);
  if (goal === null) return [];
  const posture = postureFromDrawing(goal);
  reachedPosture.value = posture;
  const clamps = robotStateStale.value ? [] : (robotState.value?.state.clamps ?? []);
  const isRejected = lease.value.status === 'held' && lease.value.rejection !== null;
  return limitedAxes(sent, posture, clamps, isRejected);
}

/** Watches each frame until the returned function is called. */
export function watchLimits(): () => void {
  const end = effect(() => {
    void frame.value;
    untracked(() => {
      const now = performance.now();
      const held = holdAxes(limited.value, currentLimits(now), now);
      if (held.length > 0 || limited.value.length > 0) limited.value = held;
    });
  });
  return () => {
    end();
    sent = [];
    limited.value = [];
    reachedPosture.value = null;
  };
}
