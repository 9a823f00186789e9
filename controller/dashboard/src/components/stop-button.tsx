/** STOP: on every view, and on the space bar wherever that writes no space. */

import { useEffect } from 'preact/hooks';
import { LATE_MS, writesText } from '../logic/stop-state';
import { now } from '../net/live';
import { sayStop, shownStop } from '../net/stop';
import { number, words } from '../i18n';

function onKey(event: KeyboardEvent): void {
  if (event.code !== 'Space' || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target;
  if (at instanceof HTMLElement) {
    const { tagName, isContentEditable } = at;
    const type = at instanceof HTMLInputElement ? at.type : '';
    if (writesText({ tagName, type, isContentEditable })) return;
  }
  // Also no button is pressed by it: it is a stop, and nothing else.
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat && event.type === 'keydown') void sayStop();
}

export function StopButton() {
  useEffect(() => {
    const types = ['keydown', 'keyup'] as const;
    types.forEach((type) => addEventListener(type, onKey, { capture: true }));
    return () => types.forEach((type) => removeEventListener(type, onKey, { capture: true }));
  }, []);
  const w = words.value.stop;
  return (
    <button type="button" class="stop" onClick={() => void sayStop()} aria-keyshortcuts="Space">
      <span class="stop-word">{w.stop}</span>
      <span class="stop-hint">{w.hint}</span>
    </button>
  );
}

/** What is known of the last stop; read out when it changes. */
export function StopOutcome() {
  const w = words.value;
  const stop = shownStop();
  let text = '';
  if (stop.is === 'sent') text = now.value - stop.since > LATE_MS ? w.stop.late : w.stop.sent;
  if (stop.is === 'failed') text = w.stop.failed(stop.detail);
  if (stop.is === 'confirmed') {
    const doing = (w.doing as Record<string, string>)[stop.doing] ?? stop.doing;
    text = w.stop.confirmed(doing, number(stop.tookMs));
  }
  return (
    <div class={`stop-outcome is-${stop.is}`} role="alert" aria-live="assertive">
      {text}
    </div>
  );
}
