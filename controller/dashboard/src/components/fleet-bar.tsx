/** Stays at the top of the fleet: the button that stops every robot, and what needs attention. */

import { summarize } from '../logic/fleet';
import { fleet, fleetError, isFleetOld, sent, stopAll } from '../net/fleet';
import { now } from '../net/live';
import { formatDuration, messages } from '../i18n';
import { Outcome, RoleButton } from './basics';
import { stopSummary } from './fleet-summary';

export function FleetBar() {
  const w = messages.value.fleet;
  const stop = sent.value.find((one) => one.command === 'stop');
  const outcome = stop === undefined ? { text: '', bad: false } : stopSummary(stop);
  return (
    <section class="fleet-bar card" aria-label={w.stopAll}>
      <RoleButton
        action="fleet"
        class="fleet-stop"
        title={w.stopAllHint}
        onClick={() => void stopAll()}
      >
        {w.stopAll}
      </RoleButton>
      <div class="fleet-bar-text">
        <p role="status">{attention()}</p>
        <OldNote />
        <Outcome text={outcome.text} bad={outcome.bad} />
      </div>
    </section>
  );
}

/** Says how many robots are present, and names those that need attention. */
function attention(): string {
  const w = messages.value.fleet;
  const state = fleet.value?.state;
  if (state === undefined) return fleetError.value || `${messages.value.common.loading} …`;
  const { present, total, faults, silent, stopped } = summarize(state.robots);
  const parts = [
    state.error === null ? '' : `${w.unreachable} ${state.error}`,
    w.present(present, total),
    faults.length > 0 ? w.faults(faults.join(', ')) : '',
    silent.length > 0 ? w.silent(silent.join(', ')) : '',
    stopped.length > 0 ? w.stopped(stopped.join(', ')) : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Screen readers do not announce the age: it changes ten times a second. */
function OldNote() {
  const w = messages.value.fleet;
  const old = isFleetOld();
  const age = old && fleet.value !== null ? now.value - fleet.value.at : 0;
  return (
    <>
      {old && (
        <p class="fleet-old" aria-hidden="true">
          {w.old(formatDuration(age))} {fleetError.value}
        </p>
      )}
      <span class="hidden" role="status">
        {old ? `${w.oldShort} ${fleetError.value}` : ''}
      </span>
    </>
  );
}
