/** Journal entries: the query for the server, the filter in the page and the export. */

import { journalParameters } from '../protocol/compat';
import type { JournalEntry } from '../protocol/responses';

export interface JournalFilter {
  kind: string;
  actor: string;
  text: string;
  /** The identifier that all entries of one request share. */
  id: string;
  errorsOnly: boolean;
}

export const NO_FILTER: JournalFilter = {
  kind: '',
  actor: '',
  text: '',
  id: '',
  errorsOnly: false,
};

/** Returns the query string for the server. The page applies the errors-only filter itself. */
export function journalQuery(
  filter: JournalFilter,
  paging: Record<string, string | number> = {},
): string {
  const { kind, actor, text, id } = filter;
  const search = journalParameters(kind, actor, text.trim(), id);
  const parameters = Object.entries({ ...paging, ...search });
  const nonEmpty = parameters
    .filter(([, value]) => value !== '')
    .map(([key, value]) => [key, String(value)]);
  return nonEmpty.length === 0 ? '' : `?${new URLSearchParams(nonEmpty).toString()}`;
}

/** Whether the entry reports an error. */
export function isError(entry: JournalEntry): boolean {
  if (entry.kind === 'http_request') return /^[45]/.test(entry.outcome);
  if (entry.kind === 'robot') return entry.action === 'fault';
  return /^(refused|raised|failed|not_understood|fault|error|stopped|partly)/.test(entry.outcome);
}

/** Applies the whole filter, since older servers do not filter. */
export function filterEntries(entries: JournalEntry[], filter: JournalFilter): JournalEntry[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    if (filter.kind !== '' && entry.kind !== filter.kind) return false;
    if (filter.actor !== '' && entry.actor !== filter.actor) return false;
    if (filter.id !== '' && entry.id !== filter.id) return false;
    if (filter.errorsOnly && !isError(entry)) return false;
    const text = JSON.stringify(entry).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Returns each text once, in alphabetical order. */
export function distinct(all: string[]): string[] {
  return [...new Set(all)].sort((one, other) => one.localeCompare(other));
}

/** Returns the tools and agents that the entries mention. */
export function mentionedNames(entries: JournalEntry[]): string[] {
  const named = entries.flatMap(({ kind, actor, detail }) => {
    const tool = (detail as { tool?: unknown } | null | undefined)?.tool;
    const name = (tool as { name?: unknown } | null | undefined)?.name ?? tool;
    return [kind === 'step' ? actor : undefined, typeof name === 'string' ? name : undefined];
  });
  return distinct(named.filter((name) => name !== undefined));
}

/** Returns the entries as JSON Lines, the oldest first, as in the file. */
export function toJsonLines(entries: JournalEntry[]): string {
  return [...entries]
    .reverse()
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('');
}
