/** A stop and what is known of it: only the robot's own answer confirms it. */

export type StopState =
  | { status: 'ready' }
  | { status: 'sent'; since: number }
  | { status: 'confirmed'; motionState: string; roundTripMs: number; at: number }
  | { status: 'failed'; detail: string; at: number };

/** For how long an outcome stays on the button, milliseconds. */
const SHOWN_MS = 6000;

/** Without an answer for so long it is said aloud that there is none yet, milliseconds. */
export const WARN_AFTER_MS = 1000;

export function visibleStop(stop: StopState, now: number): StopState {
  const over =
    (stop.status === 'confirmed' || stop.status === 'failed') && now - stop.at > SHOWN_MS;
  return over && stop.status === 'confirmed' ? { status: 'ready' } : stop;
}

/** What an answer to a stop says. */
export function stopFromReply(
  answer: { ok: true; value: unknown } | { ok: false; detail: string },
  since: number,
  now: number,
): StopState {
  if (!answer.ok) return { status: 'failed', detail: answer.detail, at: now };
  const doing = (answer.value as { doing?: unknown } | null)?.doing;
  return typeof doing === 'string'
    ? { status: 'confirmed', motionState: doing, roundTripMs: now - since, at: now }
    : { status: 'failed', detail: 'the answer says nothing of the robot', at: now };
}

/** One stop goes several ways: what one of them confirmed, another that failed does not take back. */
export const mergeStops = (before: StopState, after: StopState): StopState =>
  before.status === 'confirmed' ? before : after;

/** Where the space bar writes a space: everywhere else it is a stop. */
export function acceptsText(element: {
  tagName: string;
  type?: string;
  isContentEditable?: boolean;
}): boolean {
  if (element.isContentEditable === true || element.tagName === 'TEXTAREA') return true;
  const nonText = [
    'range',
    'checkbox',
    'radio',
    'button',
    'submit',
    'reset',
    'color',
    'file',
    'image',
  ];
  return element.tagName === 'INPUT' && !nonText.includes(element.type ?? 'text');
}
