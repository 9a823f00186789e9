/** Who steers, how well the heart is heard, and taking and giving back. */

import { allowed, holder, roundTrip, stale } from '../net/live';
import { giveBack, halted, lease, take } from '../net/teleop';
import { number, words } from '../i18n';
import { DeedButton, NeedsRole } from './basics';

export function LeaseBar() {
  const w = words.value.drive;
  const mine = lease.value;
  const other = mine.is === 'held' ? null : holder.value;
  return (
    <section class={`card wide lease ${mine.is === 'held' ? 'is-mine' : ''}`} aria-label={w.take}>
      <p>
        <strong aria-live="polite">{state()}</strong> <span class="note">{more()}</span>{' '}
        <span class="is-plain-bad" role="status">
          {trouble()}
        </span>
      </p>
      <span class="note">
        {w.latency}: {roundTrip.value === null ? '–' : `${number(roundTrip.value)} ms`}
      </span>
      <NeedsRole deed="steer" />
      <span class="buttons">
        {mine.is === 'held' ? (
          <button type="button" onClick={() => void giveBack()}>
            {w.giveBack}
          </button>
        ) : (
          <DeedButton
            deed="steer"
            class="primary"
            disabled={mine.is === 'asking' || stale.value}
            onClick={() => void take(false)}
          >
            {mine.is === 'asking' ? `${w.asking} …` : w.take}
          </DeedButton>
        )}
        {other !== null && allowed('shelve') && (
          <DeedButton deed="shelve" disabled={stale.value} onClick={() => void take(true)}>
            {w.takeOver}
          </DeedButton>
        )}
      </span>
    </section>
  );
}

function state(): string {
  const w = words.value.drive;
  const mine = lease.value;
  if (mine.is === 'held') return `${w.held} (${mine.owner}).`;
  if (mine.is === 'lost') return w.lost[mine.why];
  if (mine.is === 'asking') return `${w.asking} …`;
  const other = holder.value;
  return other === null ? w.free : w.others(other.owner, other.for);
}

function more(): string {
  const w = words.value.drive;
  const mine = lease.value;
  if (mine.is === 'lost') return mine.detail;
  if (mine.is !== 'held' || trouble() !== '') return '';
  return mine.trip === null ? w.noHeartbeat : w.heartbeat(number(mine.trip));
}

/** Why the robot does not follow. */
function trouble(): string {
  const w = words.value;
  const mine = lease.value;
  if (mine.is !== 'held') return '';
  if (stale.value) return w.drive.staleNo;
  if (halted.value) return w.drive.stopped;
  return mine.refused === null ? '' : w.talk.refused(mine.refused.why);
}
