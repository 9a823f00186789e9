/** Where the expectations about a motion are: their lines in the list, and their times in the motion. Pure functions. */

import type { Finding, Measured } from '../protocol/responses';

/** Returns the line, from 1, in which each item of a JSON list begins. */
export function itemLines(text: string): number[] {
  const lines: number[] = [];
  let depth = 0;
  let line = 1;
  let isItemOpen = false;
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"|\n|[^\s"]/g)) {
    if (token === '\n') line += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else {
      if (depth === 1 && token === ',') isItemOpen = false;
      else if (depth === 1 && !isItemOpen) {
        isItemOpen = true;
        lines.push(line);
      }
      if (token === '[' || token === '{') depth += 1;
    }
  }
  return lines;
}

/** Returns a finding at the line of each expectation that is not met. */
export function missedFindings(all: Measured[], text: string): Finding[] {
  const lines = itemLines(text);
  return all.flatMap(({ held, expected, measured }, at) =>
    held
      ? []
      : [
          {
            rule: 'motion-differs',
            line: lines[at] ?? 1,
            verdict: 'reject' as const,
            reason: `${expected}: ${measured}`,
            hint: '',
          },
        ],
  );
}

/** An expectation at the time at which the motion shows whether it is met. */
export interface ReplayNote {
  at_s: number;
  held: boolean;
  text: string;
}

/** Returns the notes of a motion of this duration in the order of time. */
export function replayNotes(all: Measured[], duration_s: number): ReplayNote[] {
  const notes = all.flatMap(({ held, expected, measured, at_s }) =>
    at_s === undefined || at_s === null
      ? []
      : [{ at_s: Math.max(0, Math.min(duration_s, at_s)), held, text: `${expected}: ${measured}` }],
  );
  return notes.sort((one, other) => one.at_s - other.at_s);
}
