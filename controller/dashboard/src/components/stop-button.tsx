/** The STOP button. It is on every view, and the space bar triggers it except in text fields. */

import { useEffect } from 'preact/hooks';
import { WARN_AFTER_MS, acceptsText } from '../logic/stop-state';
import { now } from '../net/live';
import { sendStop, currentStop } from '../net/stop';
import { formatNumber, messages } from '../i18n';

function onKey(event: KeyboardEvent): void {
  if (event.code !== 'Space' || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target;
  if (at instanceof HTMLElement) {
    const { tagName, isContentEditable } = at;
    const type = at instanceof HTMLInputElement ? at.type : '';
    if (acceptsText({ tagName, type, isContentEditable })) return;
  }
  // The space bar must not also press the focused button.
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat && event.type === 'keydown') void sendStop();
}

export function StopButton() {
  useEffect(() => {
    const types = ['keydown', 'keyup'] as const;
    types.forEach((type) => addEventListener(type, onKey, { capture: true }));
    return () => types.forEach((type) => removeEventListener(type, onKey, { capture: true }));
  }, []);
  const w = messages.value.stop;
  return (
    <button type="button" class="stop" onClick={() => void sendStop()} aria-keyshortcuts="Space">
      <span class="stop-word">{w.stop}</span>
      <span class="stop-hint">{w.hint}</span>
    </button>
  );
}

/** Shows the state of the last stop. Screen readers announce it when it changes. */
export function StopOutcome() {
  const w = messages.value;
  const stop = currentStop();
  let text = '';
  if (stop.status === 'sent')
    text = now.value - stop.since > WARN_AFTER_MS ? w.stop.late : w.stop.sent;
  if (stop.status === 'failed') text = w.stop.failed(stop.detail);
  if (stop.status === 'confirmed') {
    const state = (w.motionStates as Record<string, string>)[stop.motionState] ?? stop.motionState;
    text = w.stop.confirmed(state, formatNumber(stop.roundTripMs));
  }
  return (
    <div class={`stop-outcome is-${stop.status}`} role="alert" aria-live="assertive">
      {text}
    </div>
  );
}
