/** Whether what is shown of the robot is what it is now. */

import { age, frame, health, link, now, roundTrip, stale } from '../net/live';
import { number, span, words } from '../i18n';

export function Connection() {
  const w = words.value.link;
  const at = link.value;
  const nothing = frame.value === null;
  let state: string;
  let text: string;
  let said = '';
  if (at.is === 'locked') [state, text] = ['bad', w.locked];
  else if (!nothing && stale.value)
    [state, text, said] = ['stale', w.stale(span(age.value)), w.old];
  else if (at.is === 'live') [state, text] = ['good', w.live];
  else if (at.is === 'asked') [state, text] = ['fair', w.asked];
  else if (at.is === 'waiting') [state, text] = ['bad', w.waiting];
  else [state, text] = ['fair', w.connecting];
  return (
    <div class="connection">
      <span class={`badge is-${state}`} aria-hidden="true">
        {text}
      </span>
      {/* An age that is read out ten times a second would be of no use. */}
      <span class="hidden" role="status">
        {said || text}
      </span>
      <span class="connection-more">{more()}</span>
    </div>
  );
}

function more(): string {
  const w = words.value.link;
  const at = link.value;
  if (at.is === 'waiting') return w.next(number(Math.max(0, at.until - now.value) / 1000, 0));
  const trip = roundTrip.value;
  if (trip === null || health.value === null) return '';
  return w.trip(number(trip));
}

/** A bar over the page when nothing on it is live. */
export function StaleBar() {
  const w = words.value.link;
  if (!stale.value) return null;
  const at = link.value;
  const why = at.is === 'waiting' || at.is === 'locked' ? ` ${at.why}` : '';
  const text = frame.value === null ? w.nothing : w.stale(span(age.value));
  return (
    <p class="stale-bar">
      {text}
      {why}
    </p>
  );
}
