/** Shows on every view that another client asks for the control that this page has. One click or key answers. */

import { useLayoutEffect } from 'preact/hooks';
import { acceptsText } from '../logic/stop-state';
import { controlRequests } from '../net/live';
import { answerRequest } from '../net/teleop';
import { messages } from '../i18n';
import '../style/teleoperation.css';

/** The keys that answer, by their position on the keyboard: none of them drives the robot. */
const HAND_OVER_KEY = 'KeyH';
const DECLINE_KEY = 'KeyN';

/** Whether a key event may answer: no text is typed, and no key is held down. */
function isAnswer(event: KeyboardEvent): boolean {
  const at = event.target;
  const isTyping = at instanceof HTMLElement && acceptsText(at as HTMLInputElement);
  return !(isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey);
}

export default function ControlRequestBar() {
  const w = messages.value.drive;
  // The oldest one first.
  const request = controlRequests.value[0];
  // Before the request is drawn: from then on the keys answer it.
  useLayoutEffect(() => {
    if (request === undefined) return;
    const onKey = (event: KeyboardEvent) => {
      if (!isAnswer(event)) return;
      if (event.code === HAND_OVER_KEY) answerRequest(request.id, true);
      if (event.code === DECLINE_KEY) answerRequest(request.id, false);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [request?.id]);
  if (request === undefined) return null;
  return (
    <section class="card control-request" role="alert" aria-label={w.ask}>
      <p>
        <strong>{w.asked(request.owner, request.purpose)}</strong>{' '}
        <span class="note">{w.askedHint}</span>
      </p>
      <span class="buttons">
        <button type="button" class="primary" onClick={() => answerRequest(request.id, true)}>
          {w.handOver} <kbd>H</kbd>
        </button>
        <button type="button" onClick={() => answerRequest(request.id, false)}>
          {w.decline} <kbd>N</kbd>
        </button>
      </span>
    </section>
  );
}
