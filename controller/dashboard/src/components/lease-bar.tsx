/** Shows who is in control and whether heartbeats are answered. Its buttons take and release control. */

import { isAllowed, leaseHolder, roundTrip, stale } from '../net/live';
import {
  askForControl,
  isStopped,
  lease,
  releaseControl,
  takeControl,
  withdrawRequest,
} from '../net/teleop';
import { formatNumber, messages } from '../i18n';
import { RoleButton, NeedsRole } from './basics';

export function LeaseBar() {
  const w = messages.value.drive;
  const mine = lease.value;
  const other = mine.status === 'held' ? null : leaseHolder.value;
  return (
    <section
      class={`card wide lease ${mine.status === 'held' ? 'is-mine' : ''}`}
      aria-label={w.takeControl}
    >
      <p>
        <strong aria-live="polite">{statusText()}</strong> <span class="note">{detailText()}</span>{' '}
        <span class="is-plain-bad" role="status">
          {rejectionText()}
        </span>
      </p>
      <span class="note">
        {w.latency}: {roundTrip.value === null ? '–' : `${formatNumber(roundTrip.value)} ms`}
      </span>
      <NeedsRole action="control" />
      <span class="buttons">
        <ControlButton hasHolder={other !== null} />
        {other !== null && isAllowed('manage') && (
          <RoleButton action="manage" disabled={stale.value} onClick={() => void takeControl(true)}>
            {w.takeOver}
          </RoleButton>
        )}
      </span>
    </section>
  );
}

/** Takes control, asks its holder for it, withdraws that, or releases it, as the state permits. */
function ControlButton({ hasHolder }: { hasHolder: boolean }) {
  const w = messages.value.drive;
  const { status } = lease.value;
  if (status === 'held' || status === 'asking')
    return (
      <button
        type="button"
        onClick={() => (status === 'held' ? void releaseControl() : withdrawRequest())}
      >
        {status === 'held' ? w.release : w.withdraw}
      </button>
    );
  const isRequesting = status === 'requesting';
  return (
    <RoleButton
      action="control"
      class="primary"
      disabled={isRequesting || stale.value}
      onClick={() => void (hasHolder ? askForControl() : takeControl(false))}
    >
      {isRequesting ? `${w.requesting} …` : hasHolder ? w.ask : w.takeControl}
    </RoleButton>
  );
}

function statusText(): string {
  const w = messages.value.drive;
  const mine = lease.value;
  if (mine.status === 'held') return `${w.inControl} (${mine.owner}).`;
  if (mine.status === 'lost') return w.lost[mine.reason];
  if (mine.status === 'requesting') return `${w.requesting} …`;
  if (mine.status === 'asking') return w.asking;
  return otherText() || w.free;
}

/** Says who else is in control; empty if no one is. */
function otherText(): string {
  const other = leaseHolder.value;
  return other === null ? '' : messages.value.drive.others(other.owner, other.purpose);
}

function detailText(): string {
  const w = messages.value.drive;
  const mine = lease.value;
  if (mine.status === 'lost') return [mine.detail, otherText()].join(' ').trim();
  if (mine.status !== 'held' || rejectionText() !== '') return '';
  return mine.roundTrip === null ? w.noHeartbeat : w.heartbeat(formatNumber(mine.roundTrip));
}

/** Returns why the robot does not follow the controls; empty if it does. */
function rejectionText(): string {
  const w = messages.value;
  const mine = lease.value;
  if (mine.status !== 'held') return '';
  if (stale.value) return w.drive.notLive;
  if (isStopped.value) return w.drive.stopped;
  return mine.rejection === null ? '' : w.talk.rejected(mine.rejection.reason);
}
