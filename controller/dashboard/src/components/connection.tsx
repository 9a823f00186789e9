/** Shows whether the displayed state of the robot is current. */

import { age, frame, health, link, now, roundTrip, stale } from '../net/live';
import { formatNumber, formatDuration, messages } from '../i18n';

export function Connection() {
  const w = messages.value.link;
  const at = link.value;
  const isEmpty = frame.value === null;
  let state: string;
  let text: string;
  let announced = '';
  if (at.status === 'unauthorized') [state, text] = ['bad', w.unauthorized];
  else if (!isEmpty && stale.value)
    [state, text, announced] = ['stale', w.stale(formatDuration(age.value)), w.staleShort];
  else if (at.status === 'live') [state, text] = ['good', w.live];
  else if (at.status === 'polling') [state, text] = ['fair', w.polling];
  else if (at.status === 'waiting') [state, text] = ['bad', w.disconnected];
  else [state, text] = ['fair', w.connecting];
  return (
    <div class="connection">
      <span class={`badge is-${state}`} aria-hidden="true">
        {text}
      </span>
      {/* Screen readers do not announce the age: it changes ten times a second. */}
      <span class="hidden" role="status">
        {announced || text}
      </span>
      <span class="connection-more">{detail()}</span>
    </div>
  );
}

function detail(): string {
  const w = messages.value.link;
  const at = link.value;
  if (at.status === 'waiting')
    return w.nextAttempt(formatNumber(Math.max(0, at.until - now.value) / 1000, 0));
  const trip = roundTrip.value;
  if (trip === null || health.value === null) return '';
  return w.roundTrip(formatNumber(trip));
}

/** A bar above the page when its data is stale. */
export function StaleBar() {
  const w = messages.value.link;
  if (!stale.value) return null;
  const at = link.value;
  const reason = at.status === 'waiting' || at.status === 'unauthorized' ? ` ${at.reason}` : '';
  const text = frame.value === null ? w.noData : w.stale(formatDuration(age.value));
  return (
    <p class="stale-bar">
      {text}
      {reason}
    </p>
  );
}
