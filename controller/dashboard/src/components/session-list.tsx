/** Sessions of conversations: shown, taken away as a file, forgotten. */

import { useEffect } from 'preact/hooks';
import { ask } from '../net/http';
import { allowed } from '../net/live';
import type { Session } from '../protocol/responses';
import { moment, words } from '../i18n';
import { Card, DeedButton, download, NeedsRole, Outcome } from './basics';
import { ofRobot } from '../net/robots';

interface Remembered {
  turns: { at: number; said: string; answer: string; ending: string }[];
}

const sessions = ofRobot<Session[] | null>(null);
const trouble = ofRobot('');
const open = ofRobot<{ id: string; turns: Remembered['turns'] } | null>(null);

const place = (id: string) => `/api/v1/sessions/${encodeURIComponent(id)}`;

async function load(): Promise<void> {
  const answer = await ask<{ sessions: Session[] }>('/api/v1/sessions', { patience: 10_000 });
  trouble.value = answer.ok ? '' : answer.detail;
  if (answer.ok) sessions.value = answer.value.sessions;
}

async function show(id: string): Promise<void> {
  if (open.value?.id === id) return void (open.value = null);
  const answer = await ask<Remembered>(place(id), { patience: 10_000 });
  trouble.value = answer.ok ? '' : answer.detail;
  if (answer.ok) open.value = { id, turns: answer.value.turns };
}

async function save(id: string): Promise<void> {
  const answer = await ask<unknown>(place(id), { patience: 10_000 });
  trouble.value = answer.ok ? '' : answer.detail;
  if (answer.ok) download(`${id}.json`, 'application/json', JSON.stringify(answer.value, null, 2));
}

async function forget(id: string): Promise<void> {
  const answer = await ask(place(id), { method: 'DELETE', patience: 10_000 });
  trouble.value = answer.ok ? '' : answer.detail;
  if (open.value?.id === id) open.value = null;
  await load();
}

export function SessionList() {
  const w = words.value;
  const may = allowed('sessions');
  useEffect(() => {
    if (may) void load();
  }, [may]);
  return (
    <Card title={w.journal.sessions}>
      <NeedsRole deed="sessions" />
      {trouble.value !== '' && <Outcome bad text={trouble.value} />}
      {sessions.value?.length === 0 && <p class="note">{w.journal.noSessions}</p>}
      <ul class="sessions">
        {(sessions.value ?? []).map((session) => (
          <li key={session.id}>
            <span>
              <strong>{session.id}</strong> · {w.journal.turns(session.turns)} ·{' '}
              <span class="note">
                {moment(session.used)} · “{session.first}”
              </span>
            </span>
            <span class="buttons">
              <button
                type="button"
                aria-expanded={open.value?.id === session.id}
                onClick={() => void show(session.id)}
              >
                {w.journal.open}
              </button>
              <button type="button" onClick={() => void save(session.id)}>
                {w.common.download}
              </button>
              <DeedButton deed="measure" onClick={() => void forget(session.id)}>
                {w.journal.forget}
              </DeedButton>
            </span>
            {open.value?.id === session.id && (
              <ol class="log wide">
                {open.value.turns.map((turn, at) => (
                  <li key={at}>
                    <p>
                      <strong>{w.talk.you}:</strong> {turn.said}
                    </p>
                    <p>
                      <strong>{w.talk.robot}:</strong> {turn.answer}
                    </p>
                  </li>
                ))}
              </ol>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
