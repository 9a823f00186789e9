/** The state of a stop. Only the robot's own reply confirms it. */

export type StopState =
  | { status: 'ready' }
  | { status: 'sent'; since: number }
  | { status: 'confirmed'; motionState: string; roundTripMs: number; at: number }
  | { status: 'failed'; detail: string; at: number };

/** How long the result stays visible, milliseconds. */
const SHOWN_MS = 6000;

/** Without a reply for this long, the page warns the user, milliseconds. */
export const WARN_AFTER_MS = 1000;

export function visibleStop(stop: StopState, now: number): StopState {
  const over =
    (stop.status === 'confirmed' || stop.status === 'failed') && now - stop.at > SHOWN_MS;
  return over && stop.status === 'confirmed' ? { status: 'ready' } : stop;
}

/** Returns the state that a reply to a stop implies. */
export function stopFromReply(
  answer: { ok: true; value: unknown } | { ok: false; detail: string },
  since: number,
  now: number,
): StopState {
  if (!answer.ok) return { status: 'failed', detail: answer.detail, at: now };
  const state = (answer.value as { motion_state?: unknown } | null)?.motion_state;
  return typeof state === 'string'
    ? { status: 'confirmed', motionState: state, roundTripMs: now - since, at: now }
    : { status: 'failed', detail: 'the reply does not contain the state of the robot', at: now };
}

/** A stop is sent over several channels. Once one of them confirms it, a failure of another does not count. */
export const mergeStops = (before: StopState, after: StopState): StopState =>
  before.status === 'confirmed' ? before : after;

/** Whether an element accepts text, so that the space bar types a space. Elsewhere the space bar stops the robot. */
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
