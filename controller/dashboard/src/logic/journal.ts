/** Entries of the journal, chosen and handed out. */

import type { Entry } from '../wire/answers';

export interface Wanted {
  kind: string;
  who: string;
  words: string;
  troubles: boolean;
}

/** Whether something went wrong. */
export function isTrouble(entry: Entry): boolean {
  if (entry.kind === 'call') return /^[45]/.test(entry.outcome);
  if (entry.kind === 'body') return entry.what === 'fault';
  return /^(refused|raised|failed|not_understood|fault|error|stopped|partly)/.test(entry.outcome);
}

export function chosen(entries: Entry[], wanted: Wanted): Entry[] {
  const words = wanted.words.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    if (wanted.kind !== '' && entry.kind !== wanted.kind) return false;
    if (wanted.who !== '' && entry.who !== wanted.who) return false;
    if (wanted.troubles && !isTrouble(entry)) return false;
    const text = JSON.stringify(entry).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Each thing once, in the order of the alphabet. */
export function distinct(all: string[]): string[] {
  return [...new Set(all)].sort((one, other) => one.localeCompare(other));
}

/** One JSON document a line, the oldest first, as in the file. */
export function lines(entries: Entry[]): string {
  return [...entries]
    .reverse()
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('');
}
