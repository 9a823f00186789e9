/** What the robot's limits took off the motion that goes on, while they do. */

import { robotState, robotStateStale, frame, stale } from '../net/live';
import type { Clamp } from '../protocol/responses';
import { formatNumber, messages } from '../i18n';

/** The trims that bite now; none where the robot does not say that they do. */
export function activeClamps(): Clamp[] {
  const isClamping = frame.value?.clamping === true && !stale.value;
  return isClamping && !robotStateStale.value ? (robotState.value?.state.clamps ?? []) : [];
}

export const clampText = (clamp: Clamp): string => {
  const w = messages.value;
  const cause = w.causes[clamp.cause] ?? clamp.cause;
  return w.talk.clamped(clamp.what, formatNumber(clamp.max_clamp_deg, 1), cause);
};

/** The last motion's trims are told too, but as what they are. */
export function Clamps() {
  const w = messages.value.robot;
  const now = activeClamps();
  const last = robotStateStale.value ? [] : (robotState.value?.state.clamps ?? []);
  const all = now.length > 0 ? now : last;
  if (all.length === 0) return null;
  return (
    <div class={`trims ${now.length > 0 ? 'is-biting' : ''}`}>
      <strong role="status">{now.length > 0 ? w.clampedNow : w.wasClamped}</strong>
      <ul>
        {all.map((trim) => (
          <li key={`${trim.what} ${trim.cause}`}>{clampText(trim)}</li>
        ))}
      </ul>
    </div>
  );
}
