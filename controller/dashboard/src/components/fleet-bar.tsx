/** Stays at the top of the fleet: the button that stops every robot, and what needs attention. */

import { listNames, sortRobots, summarize } from '../logic/fleet';
import { fleet, fleetError, fleetOld, sent, stopAll } from '../net/fleet';
import { now } from '../net/live';
import { formatDuration, messages } from '../i18n';
import { Outcome, RoleButton } from './basics';
import { stopSummary } from './fleet-summary';

export function FleetBar() {
  const w = messages.value.fleet;
  const error = fleet.value?.state.error ?? null;
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
        <div role="status">
          {error !== null && (
            <p class="fleet-old">
              {w.unreachable} {error}
            </p>
          )}
          <p>{attention()}</p>
        </div>
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
  const { present, total, faults, silent, stopped } = summarize(sortRobots(state.robots));
  const parts = [
    w.present(present, total),
    faults.length > 0 ? w.faults(listNames(faults)) : '',
    silent.length > 0 ? w.silent(listNames(silent)) : '',
    stopped.length > 0 ? w.stopped(listNames(stopped)) : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Screen readers do not announce the age: it changes ten times a second. */
function OldNote() {
  const w = messages.value.fleet;
  const old = fleetOld.value;
  // That the server does not respond is said already.
  const isKnown = fleetError.value === messages.value.link.unreachable;
  const reason = isKnown ? '' : fleetError.value;
  const age = old && fleet.value !== null ? now.value - fleet.value.at : 0;
  return (
    <>
      {old && (
        <p class="fleet-old" aria-hidden="true">
          {w.old(formatDuration(age))} {reason}
        </p>
      )}
      <span class="hidden" role="status">
        {old ? `${w.oldShort} ${reason}` : ''}
      </span>
    </>
  );
}
