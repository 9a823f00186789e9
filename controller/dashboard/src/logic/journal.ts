/** Entries of the journal: what to ask the server for, what to choose of the answer, and how to hand it out. */

import type { Entry } from '../protocol/responses';

export interface Wanted {
  kind: string;
  who: string;
  words: string;
  /** All that belongs to one call has its identifier. */
  id: string;
  troubles: boolean;
}

export const ALL: Wanted = { kind: '', who: '', words: '', id: '', troubles: false };

/** What the server is asked for. It knows of no trouble: that is chosen here. */
export function query(wanted: Wanted, more: Record<string, string | number> = {}): string {
  const { kind, who, words, id } = wanted;
  const asked = Object.entries({ ...more, kind, who, text: words.trim(), id });
  const said = asked
    .filter(([, value]) => value !== '')
    .map(([key, value]) => [key, String(value)]);
  return said.length === 0 ? '' : `?${new URLSearchParams(said).toString()}`;
}

/** Whether something went wrong. */
export function isTrouble(entry: Entry): boolean {
  if (entry.kind === 'call') return /^[45]/.test(entry.outcome);
  if (entry.kind === 'body') return entry.what === 'fault';
  return /^(refused|raised|failed|not_understood|fault|error|stopped|partly)/.test(entry.outcome);
}

/** Also of a server that filters nothing itself. */
export function chosen(entries: Entry[], wanted: Wanted): Entry[] {
  const words = wanted.words.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    if (wanted.kind !== '' && entry.kind !== wanted.kind) return false;
    if (wanted.who !== '' && entry.who !== wanted.who) return false;
    if (wanted.id !== '' && entry.id !== wanted.id) return false;
    if (wanted.troubles && !isTrouble(entry)) return false;
    const text = JSON.stringify(entry).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Each thing once, in the order of the alphabet. */
export function distinct(all: string[]): string[] {
  return [...new Set(all)].sort((one, other) => one.localeCompare(other));
}

/** Tools and agents that the entries name. */
export function names(entries: Entry[]): string[] {
  const named = entries.flatMap(({ kind, who, detail }) => {
    const tool = (detail as { tool?: unknown } | null | undefined)?.tool;
    const name = (tool as { name?: unknown } | null | undefined)?.name ?? tool;
    return [kind === 'step' ? who : undefined, typeof name === 'string' ? name : undefined];
  });
  return distinct(named.filter((name) => name !== undefined));
}

/** One JSON document a line, the oldest first, as in the file. */
export function lines(entries: Entry[]): string {
  return [...entries]
    .reverse()
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('');
}
