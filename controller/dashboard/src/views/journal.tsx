/** What happened and why, and what is remembered of conversations. */

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import {
  ALL,
  chosen,
  distinct,
  isTrouble,
  lines,
  names,
  query,
  type Wanted,
} from '../logic/journal';
import { ask, askFile } from '../net/http';
import { allowed } from '../net/live';
import { Card, download, NeedsRole, Outcome } from '../components/basics';
import { SessionList } from '../components/session-list';
import type { Entry } from '../protocol/responses';
import { language, moment, number, words } from '../i18n';
import { ofRobot } from '../net/robots';

/** How many entries are asked for at once. */
const PAGE = 300;
/** How long nothing is written before the journal is asked anew, milliseconds. */
const PAUSE_MS = 300;

const entries = ofRobot<Entry[]>([]);
/** Where the earlier ones begin; `undefined` where the server does not look through the whole file. */
const next = ofRobot<string | number | null | undefined>(undefined);
/** Who was met in what was loaded so far, whatever is looked for now. */
const met = ofRobot<string[]>([]);
const trouble = ofRobot('');
const wanted = signal<Wanted>(ALL);

interface Told {
  entries: Entry[];
  next?: string | number | null;
}

/** Asks for the latest, or for those before what is there. */
async function load(signal?: AbortSignal, isMore = false): Promise<void> {
  const before = isMore && next.value ? { before: next.value } : {};
  const path = `/api/v1/journal${query(wanted.value, { limit: PAGE, ...before })}`;
  const answer = await ask<Told>(path, { patience: 15_000, ...(signal ? { signal } : {}) });
  if (signal?.aborted) return;
  trouble.value = answer.ok ? '' : answer.detail;
  if (!answer.ok) return;
  entries.value = isMore ? [...entries.value, ...answer.value.entries] : answer.value.entries;
  next.value = answer.value.next;
  met.value = distinct([...met.value, ...answer.value.entries.map((entry) => entry.who)]);
}

/** All that fits as a file: from the server, or from a server of before what was loaded. */
async function save(found: Entry[]): Promise<void> {
  const name = 'journal.ndjson';
  const type = 'application/x-ndjson';
  if (!wanted.value.troubles) {
    const path = `/api/v1/journal/download${query(wanted.value)}`;
    const answer = await askFile(path, { patience: 120_000 });
    if (answer.ok) return download(name, type, answer.value);
    if (answer.status !== 404) return void (trouble.value = answer.detail);
  }
  download(name, type, lines(found));
}

export function JournalView() {
  const w = words.value;
  const may = allowed('journal');
  const { kind, who, words: text, id } = wanted.value;
  useEffect(() => {
    if (!may) return;
    const ending = new AbortController();
    const timer = setTimeout(
      () => void load(ending.signal),
      entries.value.length > 0 ? PAUSE_MS : 0,
    );
    return () => (clearTimeout(timer), ending.abort());
  }, [may, kind, who, text, id]);
  const found = chosen(entries.value, wanted.value);
  return (
    <div class="view">
      <Card
        title={w.journal.journal}
        aside={
          <span class="buttons">
            <button type="button" disabled={!may} onClick={() => void load()}>
              {w.common.refresh}
            </button>
            <button type="button" disabled={found.length === 0} onClick={() => void save(found)}>
              {w.common.download}
            </button>
          </span>
        }
      >
        <NeedsRole deed="journal" />
        <Filters />
        {trouble.value !== '' && <Outcome bad text={trouble.value} />}
        <p class="note one-line" role="status">
          {w.journal.shown(found.length, entries.value.length)}
        </p>
        <ul class="entries">
          {found.map((entry) => (
            <One key={`${entry.run}.${entry.seq}`} entry={entry} />
          ))}
        </ul>
        {may && found.length === 0 && <p class="note">{w.journal.empty}</p>}
        {next.value !== null && next.value !== undefined && (
          <p class="buttons">
            <button type="button" disabled={!may} onClick={() => void load(undefined, true)}>
              {w.journal.earlier}
            </button>
          </p>
        )}
      </Card>
      <SessionList />
    </div>
  );
}

const change = (by: Partial<Wanted>) => (wanted.value = { ...wanted.value, ...by });

function Filters() {
  const w = words.value.journal;
  const kinds = distinct([...Object.keys(w.kinds), ...entries.value.map((entry) => entry.kind)]);
  return (
    <div class="filters" role="search">
      <label>
        {w.kind}
        <select
          value={wanted.value.kind}
          onChange={(event) => change({ kind: event.currentTarget.value })}
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
        {w.who}
        <select
          value={wanted.value.who}
          onChange={(event) => change({ who: event.currentTarget.value })}
        >
          <option value="">{w.any}</option>
          {met.value.map((who) => (
            <option key={who} value={who}>
              {who}
            </option>
          ))}
        </select>
      </label>
      <label>
        {w.words}
        <input
          type="search"
          list="journal-names"
          value={wanted.value.words}
          onInput={(event) => change({ words: event.currentTarget.value })}
        />
        <datalist id="journal-names">
          {names(entries.value).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <button
        type="button"
        aria-pressed={wanted.value.troubles}
        onClick={() => change({ troubles: !wanted.value.troubles })}
      >
        {w.troubles}
      </button>
      {wanted.value.id !== '' && (
        <button type="button" aria-pressed="true" onClick={() => change({ id: '' })}>
          {w.together} ×
        </button>
      )}
    </div>
  );
}

function One({ entry }: { entry: Entry }) {
  const w = words.value.journal;
  const [open, setOpen] = useState(false);
  const time = new Date(entry.at).toLocaleTimeString(language.value);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="entry">
          <time dateTime={entry.at} title={moment(entry.at)}>
            {time}
          </time>
          <span>{w.kinds[entry.kind] ?? entry.kind}</span>
          <span class="note entry-who">{entry.who}</span>
          <span class="entry-what">{entry.what}</span>
          <span class={`badge ${isTrouble(entry) ? 'is-bad' : ''}`}>
            {entry.outcome.slice(0, 40)}
          </span>
        </summary>
        {open && (
          <div class="entry-more" tabIndex={0}>
            {entry.took_ms !== undefined && <p class="note">{number(entry.took_ms, 1)} ms</p>}
            {entry.lost ? <p class="outcome is-bad">{w.lost(entry.lost)}</p> : null}
            {entry.id !== undefined && entry.id !== wanted.value.id && (
              <button type="button" onClick={() => change({ id: entry.id ?? '' })}>
                {w.together}
              </button>
            )}
            <pre>{JSON.stringify(entry, null, 2)}</pre>
          </div>
        )}
      </details>
    </li>
  );
}
