/** What steps and axes are called in the language of the page. */

import { constantOf, kindOf } from '../logic/score';
import type { Amount, Step } from '../protocol/score';
import { formatNumber, messages } from '../i18n';

/** The names of the axes that the rest of the page uses. */
const AXIS_KEYS: Record<string, string> = {
  head_turn: 'yaw_deg',
  head_pitch: 'pitch_deg',
  head_tilt: 'roll_deg',
  head_forward: 'x_mm',
  head_side: 'y_mm',
  head_rise: 'z_mm',
  body_turn: 'body_yaw_deg',
  antenna_left: 'left_deg',
  antenna_right: 'right_deg',
};

export const axisLabel = (axis: string): string =>
  (messages.value.axes as Record<string, string>)[AXIS_KEYS[axis] ?? ''] ?? axis;

/** Returns an amount as it is written: a number, or what sets it. */
export function amountText(amount: Amount): string {
  if ('value' in amount) return formatNumber(amount.value, Number.isInteger(amount.value) ? 0 : 1);
  if ('parameter' in amount) return amount.parameter;
  if ('product' in amount) return `${formatNumber(amount.product[0])} × ${amount.product[1]}`;
  return `${amountText(amount.ramp[0])} … ${amountText(amount.ramp[1])}`;
}

export function stepLabel(step: Step): string {
  const w = messages.value.timeline;
  const kind = (w.kinds as Record<string, string>)[kindOf(step)] ?? '';
  if ('move' in step) {
    const { part, targets } = step.move;
    if (targets.length === 0) return `${w.lanes[part]}: ${w.kinds.neutral}`;
    const shown = targets.map(
      ([name, amount]) =>
        `${name.replace(/^(head|antennas?|body)_/, '').replaceAll('_', ' ')} ${amountText(amount)}`,
    );
    return shown.join(', ');
  }
  if ('wait' in step) return `${w.kinds.wait} ${amountText(step.wait)} s`;
  if ('repeat' in step) return `${amountText(step.repeat.times)} ×`;
  if ('play' in step) return step.play;
  if ('sound' in step) return step.sound;
  if ('photo' in step) return kind;
  const reaction = Object.values(step)[0] as { event?: string | { thing: string } };
  if (reaction.event !== undefined) return `${kind}: ${eventLabel(reaction.event)}`;
  return kind;
}

export function eventLabel(event: string | { thing: string }): string {
  const w = messages.value.timeline;
  return typeof event === 'string' ? (w.events[event] ?? event) : w.thing(event.thing);
}

/** Returns a constant for a form; an empty text if something else sets it. */
export const constantText = (amount: Amount | null): string => {
  const constant = constantOf(amount);
  return constant === null ? '' : String(constant);
};
