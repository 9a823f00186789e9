/** What the robot's limits took off the motion that goes on, while they do. */

import { body, bodyStale, frame, stale } from '../net/live';
import type { Trim } from '../protocol/responses';
import { number, words } from '../i18n';

/** The trims that bite now; none where the robot does not say that they do. */
export function biting(): Trim[] {
  const isTrimming = frame.value?.trimming === true && !stale.value;
  return isTrimming && !bodyStale.value ? (body.value?.state.trims ?? []) : [];
}

export const told = (trim: Trim): string => {
  const w = words.value;
  const cause = w.causes[trim.cause] ?? trim.cause;
  return w.talk.trimmed(trim.what, number(trim.worst_deg, 1), cause);
};

/** The last motion's trims are told too, but as what they are. */
export function Trims() {
  const w = words.value.robot;
  const now = biting();
  const last = bodyStale.value ? [] : (body.value?.state.trims ?? []);
  const all = now.length > 0 ? now : last;
  if (all.length === 0) return null;
  return (
    <div class={`trims ${now.length > 0 ? 'is-biting' : ''}`}>
      <strong role="status">{now.length > 0 ? w.trimming : w.wereTrimmed}</strong>
      <ul>
        {all.map((trim) => (
          <li key={`${trim.what} ${trim.cause}`}>{told(trim)}</li>
        ))}
      </ul>
    </div>
  );
}
