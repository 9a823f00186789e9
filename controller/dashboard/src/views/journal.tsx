/** What happened and why, and what is remembered of conversations. */

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { chosen, distinct, isTrouble, lines, type Wanted } from '../logic/journal';
import { ask } from '../net/http';
import { allowed } from '../net/live';
import { Card, download, NeedsRole, Outcome } from '../parts/small';
import { SessionList } from '../parts/session-list';
import type { Entry } from '../wire/answers';
import { language, moment, number, words } from '../words';
import { ofRobot } from '../net/robots';

const MOST = 1000;
/** How many entries are shown at once. */
const SHOWN = 150;

const entries = ofRobot<Entry[]>([]);
const trouble = ofRobot('');
const wanted = signal<Wanted>({ kind: '', who: '', words: '', troubles: false });

async function load(): Promise<void> {
  const answer = await ask<{ entries: Entry[] }>(`/api/v1/journal?limit=${MOST}`, {
    patience: 15_000,
  });
  trouble.value = answer.ok ? '' : answer.detail;
  if (answer.ok) entries.value = answer.value.entries;
}

export function JournalView() {
  const w = words.value;
  const may = allowed('journal');
  useEffect(() => {
    if (may) void load();
  }, [may]);
  const found = chosen(entries.value, wanted.value);
  const save = () => download('journal.jsonl', 'application/jsonl', lines(found));
  return (
    <div class="view">
      <Card
        title={w.journal.journal}
        aside={
          <span class="buttons">
            <button type="button" disabled={!may} onClick={() => void load()}>
              {w.common.refresh}
            </button>
            <button type="button" disabled={found.length === 0} onClick={save}>
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
          {found.slice(0, SHOWN).map((entry) => (
            <One key={`${entry.run}.${entry.seq}`} entry={entry} />
          ))}
        </ul>
        {may && entries.value.length > 0 && found.length === 0 && (
          <p class="note">{w.journal.empty}</p>
        )}
      </Card>
      <SessionList />
    </div>
  );
}

function Filters() {
  const w = words.value.journal;
  const change = (by: Partial<Wanted>) => (wanted.value = { ...wanted.value, ...by });
  const kinds = distinct(entries.value.map((entry) => entry.kind));
  const people = distinct(entries.value.map((entry) => entry.who));
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
          {people.map((who) => (
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
          value={wanted.value.words}
          onInput={(event) => change({ words: event.currentTarget.value })}
        />
      </label>
      <button
        type="button"
        aria-pressed={wanted.value.troubles}
        onClick={() => change({ troubles: !wanted.value.troubles })}
      >
        {w.troubles}
      </button>
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
            <pre>{JSON.stringify(entry, null, 2)}</pre>
          </div>
        )}
      </details>
    </li>
  );
}
