/** The names of signals, runs and times in the language of the page. */

import { computed } from '@preact/signals';
import type { Run } from '../logic/plots/run';
import type { Signal } from '../logic/plots/signals';
import { clockOffset } from '../net/history';
import { formatNumber, formatTime, language, messages } from '../i18n';

/** The most characters of a name that a server sent. */
const MAX_NAME_LENGTH = 80;

export const shortName = (name: string): string =>
  name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;

export function partLabel({ group, part }: Signal): string {
  const w = messages.value;
  if (group === 'head' || group === 'head_goal') return (w.axes as Record<string, string>)[part]!;
  return (w.plots.parts as Record<string, string>)[part] ?? part;
}

export const groupLabel = ({ group }: Signal): string => messages.value.plots.groups[group];

/** Returns the name of a signal: what it measures, and of what. */
export function signalLabel(signal: Signal): string {
  const part = partLabel(signal);
  return signal.group === 'state' || signal.group === 'camera'
    ? part
    : `${groupLabel(signal)}: ${part}`;
}

/** Rounding may leave a zero with a minus. */
const withoutMinus = (text: string): string => text.replace(/^[-−](0([.,]0+)?)$/, '$1');

/** Returns a value with its unit. Small values have more decimals. */
export function valueText(value: number | null, unit: string): string {
  if (value === null || Number.isNaN(value)) return '–';
  const digits = unit === '' ? 0 : Math.abs(value) >= 1000 ? 0 : unit === 'V' ? 2 : 1;
  const number = withoutMinus(formatNumber(value, digits));
  return unit === '' || unit === '°' ? `${number}${unit}` : `${number} ${unit}`;
}

/** Is made once per language, which takes longer than using it. */
const clock = computed(
  () =>
    new Intl.DateTimeFormat(language.value, {
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    }),
);

/** Returns the text of a time: of the day when live, otherwise since the start of the run. */
export function timeText(at_s: number, isLive: boolean, digits = 2): string {
  if (!isLive) return `${withoutMinus(formatNumber(at_s, digits))} s`;
  const date = new Date((at_s + clockOffset.value) * 1000);
  const time = clock.value.format(date);
  return digits === 0 ? time : `${time}${fraction(date, digits)}`;
}

const fraction = (date: Date, digits: number): string =>
  formatNumber(
    Math.floor(date.getMilliseconds() / 10 ** (3 - digits)) / 10 ** digits,
    digits,
  ).slice(1);

export function runLabel(run: Run): string {
  const w = messages.value.plots;
  const name = shortName(run.name);
  if (run.kind === 'rehearsal') return w.rehearsalOf(name);
  return run.start_time === null ? name : `${name} (${formatTime(run.start_time)})`;
}
