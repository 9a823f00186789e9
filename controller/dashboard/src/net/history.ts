/** The history of the robot's signals since the page was opened: the latest ten minutes at 50 Hz. */

import { effect, signal, untracked } from '@preact/signals';
import { FrameRows, type SlowState } from '../logic/plots/rows';
import { Samples } from '../logic/plots/samples';
import { frame, health, healthStale, robotState, robotStateStale } from './live';
import { onRobotChange } from './robots';

export const history = new Samples();

/** The number of objects in the latest detection; `null` while nobody detects. */
export const detectionCount = signal<number | null>(null);

/** What to add to a time of the history for seconds since 1970, by the clock of this computer. */
export const clockOffset = signal(0);

/** A gap that is longer than this is not bridged by a line, seconds. */
const MAX_GAP_S = 0.5;

function slowState(): SlowState {
  const isKnown = !robotStateStale.value;
  return {
    joints: isKnown ? (robotState.value?.state.joints ?? null) : null,
    clamps: isKnown ? (robotState.value?.state.clamps ?? []) : [],
    health: healthStale.value ? null : (health.value?.state ?? null),
    detections: detectionCount.value,
  };
}

let recording = false;

/** Adds each frame of telemetry to the history, from now on. */
export function recordHistory(): void {
  if (recording) return;
  recording = true;
  const rows = new FrameRows();
  const gap = new Float32Array(0);
  onRobotChange(() => history.clear());
  effect(() => {
    const latest = frame.value;
    const at_s = latest?.at_s ?? null;
    if (latest === null || at_s === null) return;
    untracked(() => {
      const row = rows.of(latest, slowState());
      // After a restart of the server its clock begins again.
      if (at_s < history.lastTime - MAX_GAP_S) history.clear();
      if (at_s > history.lastTime + MAX_GAP_S) history.push(history.lastTime + 1e-3, gap);
      if (history.length === 0) clockOffset.value = Date.now() / 1000 - at_s;
      history.push(at_s, row);
    });
  });
}
