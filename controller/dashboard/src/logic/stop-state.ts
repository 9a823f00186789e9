/** A stop and what is known of it: only the robot's own answer confirms it. */

export type Stop =
  | { is: 'ready' }
  | { is: 'sent'; since: number }
  | { is: 'confirmed'; doing: string; tookMs: number; at: number }
  | { is: 'failed'; detail: string; at: number };

/** For how long an outcome stays on the button, milliseconds. */
const SHOWN_MS = 6000;

/** Without an answer for so long it is said aloud that there is none yet, milliseconds. */
export const LATE_MS = 1000;

export function shown(stop: Stop, now: number): Stop {
  const over = (stop.is === 'confirmed' || stop.is === 'failed') && now - stop.at > SHOWN_MS;
  return over && stop.is === 'confirmed' ? { is: 'ready' } : stop;
}

/** What an answer to a stop says. */
export function judged(
  answer: { ok: true; value: unknown } | { ok: false; detail: string },
  since: number,
  now: number,
): Stop {
  if (!answer.ok) return { is: 'failed', detail: answer.detail, at: now };
  const doing = (answer.value as { doing?: unknown } | null)?.doing;
  return typeof doing === 'string'
    ? { is: 'confirmed', doing, tookMs: now - since, at: now }
    : { is: 'failed', detail: 'the answer says nothing of the robot', at: now };
}

/** One stop goes several ways: what one of them confirmed, another that failed does not take back. */
export const settled = (before: Stop, after: Stop): Stop =>
  before.is === 'confirmed' ? before : after;

/** Where the space bar writes a space: everywhere else it is a stop. */
export function writesText(element: {
  tagName: string;
  type?: string;
  isContentEditable?: boolean;
}): boolean {
  if (element.isContentEditable === true || element.tagName === 'TEXTAREA') return true;
  const still = [
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
  return element.tagName === 'INPUT' && !still.includes(element.type ?? 'text');
}
