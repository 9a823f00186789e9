/** The tool that is being written on this page, and its check by the server. */

import { signal } from '@preact/signals';
import { CHECK } from '../protocol/compat';
import type { CheckResult } from '../protocol/responses';
import { post, type Result } from './http';
import { robotSignal } from './robots';

const TEMPLATE = `from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def peek(robot: ReachyMini, degrees: float = 15.0) -> str:
    """Look to the left and back.

    Args:
        robot: The robot.
        degrees: How far to look, between 5 and 30.

    Returns:
        What was done.
    """
    robot.goto_target(head=create_head_pose(yaw=degrees), duration=0.8)
    robot.goto_target(head=create_head_pose(), duration=0.8)
    return f"looked {degrees} degrees to the left"
`;

const TEMPLATE_EXPECTS = [
  { kind: 'moves', axis: 'head_turn', direction: 'left', at_least: 10 },
  { kind: 'still', axes: ['body_turn'], within: 3 },
];

const asText = (expects: unknown[]): string =>
  `[\n${expects.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]`;

/** The draft is kept as long as the page is open. */
export const code = signal(TEMPLATE);
export const expectsText = signal(asText(TEMPLATE_EXPECTS));

/** The version that the draft is to follow. */
export const original = signal<{ name: string; version: number; code: string } | null>(null);

/** Makes a copy of a version the draft. */
export function draftFrom(name: string, version: number, text: string, expects: unknown[]): void {
  original.value = { name, version, code: text };
  code.value = text;
  expectsText.value = expects.length === 0 ? '' : asText(expects);
}

/** Begins with the example again. */
export function newDraft(): void {
  original.value = null;
  code.value = TEMPLATE;
  expectsText.value = asText(TEMPLATE_EXPECTS);
}

/** A draft that the timeline can show. */
const MOTION = `from reachy_mini import ReachyMini
from motion import head, neutral, perform


def my_motion(robot: ReachyMini) -> str:
    """Look to the left and back."""
    return perform(
        robot,
        head(left=20, seconds=0.8),
        neutral(seconds=0.8),
    )
`;

/** Begins with a motion for the timeline. What it must do is not known yet. */
export function newMotion(): void {
  code.value = MOTION;
  expectsText.value = '';
}

/** Returns the expectations of a text; `null` if it is no list. */
export function parseExpects(text: string): unknown[] | null {
  if (text.trim() === '') return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether the server is too old to return the motion with a check. */
const lacksMotion = robotSignal(false);

export async function checkCode(
  code: string,
  expects: unknown[],
  signal: AbortSignal,
): Promise<Result<CheckResult>> {
  const ask = (body: object) =>
    post<CheckResult>('/api/v1/tools/check', body, { signal, shape: CHECK });
  if (lacksMotion.value) return ask({ code });
  const more = expects.length === 0 ? {} : { expects };
  const answer = await ask({ code, motion: true, ...more });
  // The server says what is wrong with an expectation.
  if (answer.ok || answer.status !== 422 || signal.aborted || expects.length > 0) return answer;
  // Older servers reject the field `motion`.
  const plain = await ask({ code });
  lacksMotion.value = plain.ok;
  return plain;
}
