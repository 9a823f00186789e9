/** Lists the saved conversations, shows them, downloads them and deletes them. */

import { useEffect } from 'preact/hooks';
import { request } from '../net/http';
import { isAllowed } from '../net/live';
import { SESSIONS } from '../protocol/compat';
import type { Session } from '../protocol/responses';
import { formatTime, messages } from '../i18n';
import { Card, RoleButton, download, NeedsRole, Outcome } from './basics';
import { robotSignal } from '../net/robots';

interface SessionDetails {
  turns: { at: number; said: string; answer: string; ending: string }[];
}

const sessions = robotSignal<Session[] | null>(null);
const loadError = robotSignal('');
const open = robotSignal<{ id: string; turns: SessionDetails['turns'] } | null>(null);

const sessionPath = (id: string) => `/api/v1/sessions/${encodeURIComponent(id)}`;

async function load(): Promise<void> {
  const answer = await request<{ sessions: Session[] }>('/api/v1/sessions', {
    timeoutMs: 10_000,
    shape: SESSIONS,
  });
  loadError.value = answer.ok ? '' : answer.detail;
  if (answer.ok) sessions.value = answer.value.sessions;
}

async function show(id: string): Promise<void> {
  if (open.value?.id === id) return void (open.value = null);
  const answer = await request<SessionDetails>(sessionPath(id), { timeoutMs: 10_000 });
  loadError.value = answer.ok ? '' : answer.detail;
  if (answer.ok) open.value = { id, turns: answer.value.turns };
}

async function save(id: string): Promise<void> {
  const answer = await request<unknown>(sessionPath(id), { timeoutMs: 10_000 });
  loadError.value = answer.ok ? '' : answer.detail;
  if (answer.ok) download(`${id}.json`, 'application/json', JSON.stringify(answer.value, null, 2));
}

async function deleteSession(id: string): Promise<void> {
  const answer = await request(sessionPath(id), { method: 'DELETE', timeoutMs: 10_000 });
  loadError.value = answer.ok ? '' : answer.detail;
  if (open.value?.id === id) open.value = null;
  await load();
}

export function SessionList() {
  const w = messages.value;
  const permitted = isAllowed('sessions');
  useEffect(() => {
    if (permitted) void load();
  }, [permitted]);
  return (
    <Card title={w.journal.sessions}>
      <NeedsRole action="sessions" />
      {loadError.value !== '' && <Outcome bad text={loadError.value} />}
      {sessions.value?.length === 0 && (
        <p class="note">
          {w.journal.noSessions} {w.help.empty.sessionsHint}
        </p>
      )}
      <ul class="sessions">
        {(sessions.value ?? []).map((session) => (
          <li key={session.id}>
            <span>
              <strong>{session.id}</strong> · {w.journal.turns(session.turn_count)} ·{' '}
              <span class="note">
                {formatTime(session.last_used_at)} · “{session.first_message}”
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
              <RoleButton action="maintain" onClick={() => void deleteSession(session.id)}>
                {w.journal.delete}
              </RoleButton>
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
