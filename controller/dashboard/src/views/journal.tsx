/** The journal of events, and the saved conversations. */

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import {
  NO_FILTER,
  filterEntries,
  distinct,
  isError,
  toJsonLines,
  mentionedNames,
  journalQuery,
  type JournalFilter,
} from '../logic/journal';
import { request, requestFile } from '../net/http';
import { isAllowed } from '../net/live';
import { Card, download, NeedsRole, Outcome } from '../components/basics';
import { route } from '../components/route';
import { SessionList } from '../components/session-list';
import { JOURNAL } from '../protocol/compat';
import type { JournalEntry } from '../protocol/responses';
import { language, formatTime, formatNumber, messages } from '../i18n';
import { robotSignal } from '../net/robots';

/** The number of entries in one request. */
const PAGE_SIZE = 300;
/** The pause in typing after which the journal is searched, milliseconds. */
const SEARCH_DELAY_MS = 300;

const entries = robotSignal<JournalEntry[]>([]);
/** Where older entries begin; `undefined` if the server does not search the whole file. */
const next = robotSignal<string | number | null | undefined>(undefined);
/** The actors in all entries loaded so far, whatever the filter. */
const actors = robotSignal<string[]>([]);
const loadError = robotSignal('');
const filter = signal<JournalFilter>(NO_FILTER);

interface JournalPage {
  entries: JournalEntry[];
  next?: string | number | null;
}

/** Loads the latest entries, or those before the loaded ones. */
async function load(signal?: AbortSignal, isMore = false): Promise<void> {
  const before = isMore && next.value ? { before: next.value } : {};
  const path = `/api/v1/journal${journalQuery(filter.value, { limit: PAGE_SIZE, ...before })}`;
  const answer = await request<JournalPage>(path, {
    timeoutMs: 15_000,
    shape: JOURNAL,
    ...(signal ? { signal } : {}),
  });
  if (signal?.aborted) return;
  loadError.value = answer.ok ? '' : answer.detail;
  if (!answer.ok) return;
  entries.value = isMore ? [...entries.value, ...answer.value.entries] : answer.value.entries;
  next.value = answer.value.next;
  actors.value = distinct([...actors.value, ...answer.value.entries.map((entry) => entry.actor)]);
}

/** Downloads all matching entries. Older servers have no download, so the loaded entries are used instead. */
async function save(visible: JournalEntry[]): Promise<void> {
  const name = 'journal.ndjson';
  const type = 'application/x-ndjson';
  if (!filter.value.errorsOnly) {
    const path = `/api/v1/journal/download${journalQuery(filter.value)}`;
    const answer = await requestFile(path, { timeoutMs: 120_000 });
    if (answer.ok) return download(name, type, answer.value);
    if (answer.status !== 404) return void (loadError.value = answer.detail);
  }
  download(name, type, toJsonLines(visible));
}

export default function JournalView() {
  const w = messages.value;
  const permitted = isAllowed('journal');
  const { kind, actor, text, id } = filter.value;
  useEffect(() => {
    if (!permitted) return;
    const ending = new AbortController();
    const timer = setTimeout(
      () => void load(ending.signal),
      entries.value.length > 0 ? SEARCH_DELAY_MS : 0,
    );
    return () => (clearTimeout(timer), ending.abort());
  }, [permitted, kind, actor, text, id]);
  const found = filterEntries(entries.value, filter.value);
  const isFiltered = filter.value.errorsOnly || [kind, actor, text, id].some((one) => one !== '');
  // An address may name what to look for.
  const searched = route.value.rest[0];
  useEffect(() => {
    if (searched !== undefined) filter.value = { ...NO_FILTER, text: searched };
  }, [searched]);
  return (
    <div class="view">
      <Card
        title={w.journal.journal}
        aside={
          <span class="buttons">
            <button type="button" disabled={!permitted} onClick={() => void load()}>
              {w.common.refresh}
            </button>
            <button type="button" disabled={found.length === 0} onClick={() => void save(found)}>
              {w.common.download}
            </button>
          </span>
        }
      >
        <NeedsRole action="journal" />
        <Filters />
        {loadError.value !== '' && <Outcome bad text={loadError.value} />}
        <p class="note one-line" role="status">
          {w.journal.shown(found.length, entries.value.length)}
        </p>
        <ul class="entries">
          {found.map((entry) => (
            <EntryView key={`${entry.process_id}.${entry.seq}`} entry={entry} />
          ))}
        </ul>
        {permitted && found.length === 0 && (
          <p class="note">
            {isFiltered ? w.journal.empty : w.help.empty.journalHint}{' '}
            {isFiltered && (
              <button type="button" class="link" onClick={() => (filter.value = NO_FILTER)}>
                {w.help.empty.clearFilter}
              </button>
            )}
          </p>
        )}
        {next.value !== null && next.value !== undefined && (
          <p class="buttons">
            <button type="button" disabled={!permitted} onClick={() => void load(undefined, true)}>
              {w.journal.older}
            </button>
          </p>
        )}
      </Card>
      <SessionList />
    </div>
  );
}

const updateFilter = (by: Partial<JournalFilter>) => (filter.value = { ...filter.value, ...by });

function Filters() {
  const w = messages.value.journal;
  const kinds = distinct([...Object.keys(w.kinds), ...entries.value.map((entry) => entry.kind)]);
  return (
    <div class="filters" role="search">
      <label>
        {w.kind}
        <select
          value={filter.value.kind}
          onChange={(event) => updateFilter({ kind: event.currentTarget.value })}
        >
          <option value="">{w.any}</option>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {w.kinds[kind] ?? kind}
            </option>
          ))}
        </select>
      </label>
      <label>
        {w.actor}
        <select
          value={filter.value.actor}
          onChange={(event) => updateFilter({ actor: event.currentTarget.value })}
        >
          <option value="">{w.any}</option>
          {actors.value.map((who) => (
            <option key={who} value={who}>
              {who}
            </option>
          ))}
        </select>
      </label>
      <label>
        {w.text}
        <input
          type="search"
          list="journal-names"
          value={filter.value.text}
          onInput={(event) => updateFilter({ text: event.currentTarget.value })}
        />
        <datalist id="journal-names">
          {mentionedNames(entries.value).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <button
        type="button"
        aria-pressed={filter.value.errorsOnly}
        onClick={() => updateFilter({ errorsOnly: !filter.value.errorsOnly })}
      >
        {w.errorsOnly}
      </button>
      {filter.value.id !== '' && (
        <button type="button" aria-pressed="true" onClick={() => updateFilter({ id: '' })}>
          {w.wholeRequest} ×
        </button>
      )}
    </div>
  );
}

function EntryView({ entry }: { entry: JournalEntry }) {
  const w = messages.value.journal;
  const [open, setOpen] = useState(false);
  const time = new Date(entry.at).toLocaleTimeString(language.value);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="entry">
          <time dateTime={entry.at} title={formatTime(entry.at)}>
            {time}
          </time>
          <span>{w.kinds[entry.kind] ?? entry.kind}</span>
          <span class="note entry-who">{entry.actor}</span>
          <span class="entry-what">{entry.action}</span>
          <span class={`badge ${isError(entry) ? 'is-bad' : ''}`}>
            {entry.outcome.slice(0, 40)}
          </span>
        </summary>
        {open && (
          <div class="entry-more" tabIndex={0}>
            {entry.duration_ms !== undefined && entry.duration_ms !== null && (
              <p class="note">{formatNumber(entry.duration_ms, 1)} ms</p>
            )}
            {entry.dropped ? <p class="outcome is-bad">{w.dropped(entry.dropped)}</p> : null}
            {entry.id !== undefined && entry.id !== filter.value.id && (
              <button type="button" onClick={() => updateFilter({ id: entry.id ?? '' })}>
                {w.wholeRequest}
              </button>
            )}
            <pre>{JSON.stringify(entry, null, 2)}</pre>
          </div>
        )}
      </details>
    </li>
  );
}
