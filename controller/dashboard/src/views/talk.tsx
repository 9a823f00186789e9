/** Talking to the robot: what was said, what was done for it step by step, and what came of it. */

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { allowed } from '../net/live';
import { ask as askServer, post } from '../net/http';
import { answerQuestion, busy, haltTalk, sayAloud, session, turns } from '../net/conversation';
import { Card, DeedButton, NeedsRole } from '../components/basics';
import { Turns } from '../components/turns';
import { Voice } from '../components/voice';
import type { Session } from '../protocol/responses';
import { words } from '../i18n';
import { ofRobot } from '../net/robots';

const draft = signal('');
const plan = ofRobot('');
const known = ofRobot<string[]>([]);

interface Reading {
  follows: string;
  plan: { agent: string; task: string }[];
  says: string | null;
}

export function TalkView() {
  const w = words.value;
  const end = useRef<HTMLDivElement>(null);
  const last = turns.value.at(-1);
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [turns.value.length, last?.course]);
  return (
    <div class="view talk-view">
      <Card
        title={w.views.talk}
        aside={
          <button type="button" onClick={() => (turns.value = [])} disabled={busy.value}>
            {w.talk.clear}
          </button>
        }
      >
        <div class="log" role="log" aria-label={w.talk.log} aria-live="polite">
          {turns.value.length === 0 && <p class="note">{w.talk.say}.</p>}
          <Turns />
          <div ref={end} />
        </div>
        <div class="say">
          <Question />
          <Voice />
          <Say />
        </div>
      </Card>
    </div>
  );
}

function Say() {
  const w = words.value.talk;
  const isAsked = turns.value.at(-1)?.course.question != null;
  const submit = (event: Event) => {
    event.preventDefault();
    const text = draft.value.trim();
    if (text === '' || busy.value) return;
    draft.value = plan.value = '';
    void sayAloud(text);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
  };
  return (
    <form onSubmit={submit}>
      <NeedsRole deed="talk" />
      <div class="examples" role="group" aria-label={w.examples}>
        {!isAsked &&
          w.sentences.map((sentence) => (
            <button type="button" key={sentence} onClick={() => (draft.value = sentence)}>
              {sentence}
            </button>
          ))}
      </div>
      <div class="row">
        <textarea
          rows={1}
          aria-label={w.say}
          placeholder={w.say}
          value={draft.value}
          onInput={(event) => (draft.value = event.currentTarget.value)}
          onKeyDown={onKey}
        />
        {busy.value ? (
          <button type="button" onClick={haltTalk}>
            {w.halt}
          </button>
        ) : (
          <DeedButton
            deed="talk"
            type="submit"
            class="primary"
            disabled={draft.value.trim() === ''}
          >
            {w.send}
          </DeedButton>
        )}
        <DeedButton deed="talk" disabled={draft.value.trim() === ''} onClick={() => void foresee()}>
          {w.plan}
        </DeedButton>
      </div>
      <p class="note one-line" role="status">
        {plan.value}
      </p>
      <Sessions />
    </form>
  );
}

async function foresee(): Promise<void> {
  const answer = await post<Reading>('/api/v1/plans', { text: draft.value }, { patience: 15_000 });
  const w = words.value.talk;
  if (!answer.ok) plan.value = answer.detail;
  else if (answer.value.says !== null) plan.value = answer.value.says;
  else plan.value = `${w.planned} ${answer.value.plan.map((part) => part.task).join('; ')}`;
}

/** In which session it is remembered. */
function Sessions() {
  const w = words.value.talk;
  const may = allowed('sessions');
  useEffect(() => {
    if (!may) return;
    void askServer<{ sessions: Session[] }>('/api/v1/sessions', { patience: 5000 }).then(
      (answer) => {
        if (answer.ok) known.value = answer.value.sessions.map((one) => one.id);
      },
    );
  }, [may, turns.value.length]);
  return (
    <label class="session">
      {w.session}
      <input
        type="text"
        list="sessions"
        pattern="[A-Za-z0-9_\-]*"
        placeholder={w.noSession}
        value={session.value}
        onInput={(event) => (session.value = event.currentTarget.value.replace(/[^\w-]/g, ''))}
      />
      <datalist id="sessions">
        {known.value.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  );
}

function Question() {
  const w = words.value.talk;
  const input = useRef<HTMLInputElement>(null);
  const asked = turns.value.at(-1)?.course.question;
  useEffect(() => input.current?.focus(), [asked]);
  if (!asked) return null;
  const answer = (text: string) => text !== '' && void answerQuestion(asked, text);
  const submit = (event: Event) => {
    event.preventDefault();
    answer(input.current?.value.trim() ?? '');
  };
  return (
    <form class="question" onSubmit={submit}>
      <p role="alert">
        <strong>{w.asks}:</strong> {asked.text}
      </p>
      <div class="row">
        <button type="button" onClick={() => answer('yes')}>
          {w.yes}
        </button>
        <button type="button" onClick={() => answer('no')}>
          {w.no}
        </button>
        <label>
          {w.answer}
          <input ref={input} type="text" autocomplete="off" />
        </label>
        <button type="submit">{w.send}</button>
      </div>
    </form>
  );
}
