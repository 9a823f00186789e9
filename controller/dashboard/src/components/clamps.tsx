/** Lists which joints the safety envelope clamps, and by how much. */

import { activeClamps, robotState, robotStateStale } from '../net/live';
import type { Clamp } from '../protocol/responses';
import { formatNumber, messages } from '../i18n';
import { WhyClamped } from './why';

export const clampText = (clamp: Clamp): string => {
  const w = messages.value;
  const cause = w.causes[clamp.cause] ?? clamp.cause;
  return w.talk.clamped(clamp.what, formatNumber(clamp.max_clamp_deg, 1), cause);
};

/** Without a current clamp this shows those of the last motion, labelled as such. */
export function Clamps() {
  const w = messages.value.robot;
  const now = activeClamps();
  const last = robotStateStale.value ? [] : (robotState.value?.state.clamps ?? []);
  const all = now.length > 0 ? now : last;
  if (all.length === 0) return null;
  return (
    <div class={`clamps ${now.length > 0 ? 'is-active' : ''}`}>
      <strong role="status">{now.length > 0 ? w.clampedNow : w.wasClamped}</strong>
      <ul>
        {all.map((clamp) => (
          <li key={`${clamp.what} ${clamp.cause}`}>{clampText(clamp)}</li>
        ))}
      </ul>
      <WhyClamped clamps={all} texts={all.map(clampText)} />
    </div>
  );
}
