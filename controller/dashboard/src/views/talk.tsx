/** The conversation with the robot: messages, steps and results. */

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isAllowed } from '../net/live';
import { request, post } from '../net/http';
import {
  answerQuestion,
  busy,
  cancelTurn,
  submitMessage,
  session,
  turns,
} from '../net/conversation';
import { Card, RoleButton, NeedsRole } from '../components/basics';
import { Clamps } from '../components/clamps';
import { Robot3D } from '../components/robot-3d';
import { Turns } from '../components/turns';
import { Understood } from '../components/understood';
import { useMedia } from '../components/use-media';
import { Voice } from '../components/voice';
import { PLAN, SESSIONS } from '../protocol/compat';
import type { Session, UnderstoodPart } from '../protocol/responses';
import { messages } from '../i18n';
import { robotSignal } from '../net/robots';

const draft = signal('');
const plan = robotSignal('');
const planParts = robotSignal<UnderstoodPart[]>([]);
const sessionIds = robotSignal<string[]>([]);

interface PlanPreview {
  outcome: string;
  plan: { agent: string; task: string }[];
  understood?: UnderstoodPart[];
  message: string | null;
}

export function TalkView() {
  const w = messages.value;
  const end = useRef<HTMLDivElement>(null);
  const last = turns.value.at(-1);
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [turns.value.length, last?.progress]);
  // On a phone the model of the robot is not even loaded.
  const showsRobot = useMedia('(min-width: 1100px)');
  return (
    <div class={`view talk-view ${showsRobot ? 'has-robot' : ''}`}>
      <Card
        title={w.views.talk}
        aside={
          <button type="button" onClick={() => (turns.value = [])} disabled={busy.value}>
            {w.talk.clear}
          </button>
        }
      >
        <div class="log" role="log" aria-label={w.talk.log} aria-live="polite">
          {turns.value.length === 0 && <p class="note">{w.help.empty.turnsHint}</p>}
          <Turns />
          <div ref={end} class="log-end" />
        </div>
        <div class="say">
          <Question />
          <Voice />
          <MessageForm />
        </div>
      </Card>
      {showsRobot && (
        <Card title={w.views.robot} class="talk-robot">
          <Robot3D />
          <Clamps />
        </Card>
      )}
    </div>
  );
}

function MessageForm() {
  const w = messages.value.talk;
  const submit = (event: Event) => {
    event.preventDefault();
    const text = draft.value.trim();
    if (text === '' || busy.value) return;
    draft.value = plan.value = '';
    planParts.value = [];
    void submitMessage(text);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
  };
  return (
    <form onSubmit={submit}>
      <NeedsRole action="talk" />
      <div class="examples" role="group" aria-label={w.examples}>
        {turns.value.length === 0 &&
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
          <button type="button" onClick={cancelTurn}>
            {w.cancel}
          </button>
        ) : (
          <RoleButton
            action="talk"
            type="submit"
            class="primary"
            disabled={draft.value.trim() === ''}
          >
            {w.send}
          </RoleButton>
        )}
        <RoleButton
          action="talk"
          disabled={draft.value.trim() === ''}
          onClick={() => void previewPlan()}
        >
          {w.previewPlan}
        </RoleButton>
      </div>
      <p class="note one-line" role="status">
        {plan.value}
      </p>
      <Understood parts={planParts.value} />
      <Sessions />
    </form>
  );
}

async function previewPlan(): Promise<void> {
  const answer = await post<PlanPreview>(
    '/api/v1/plans',
    { text: draft.value },
    { timeoutMs: 15_000, shape: PLAN },
  );
  const w = messages.value.talk;
  planParts.value = [];
  if (!answer.ok) plan.value = answer.detail;
  else if (answer.value.message !== null) plan.value = answer.value.message;
  else {
    plan.value = `${w.plan} ${answer.value.plan.map((part) => part.task).join('; ')}`;
    planParts.value = answer.value.understood ?? [];
  }
}

/** Selects the session in which the conversation is saved. */
function Sessions() {
  const w = messages.value.talk;
  const permitted = isAllowed('sessions');
  useEffect(() => {
    if (!permitted) return;
    void request<{ sessions: Session[] }>('/api/v1/sessions', {
      timeoutMs: 5000,
      shape: SESSIONS,
    }).then((answer) => {
      if (answer.ok) sessionIds.value = answer.value.sessions.map((one) => one.id);
    });
  }, [permitted, turns.value.length]);
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
        {sessionIds.value.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  );
}

function Question() {
  const w = messages.value.talk;
  const input = useRef<HTMLInputElement>(null);
  const question = turns.value.at(-1)?.progress.question;
  useEffect(() => input.current?.focus(), [question]);
  if (!question) return null;
  const answer = (text: string) => text !== '' && void answerQuestion(question, text);
  const submit = (event: Event) => {
    event.preventDefault();
    answer(input.current?.value.trim() ?? '');
  };
  return (
    <form class="question" onSubmit={submit}>
      <p role="alert">
        <strong>{w.asks}:</strong> {question.text}
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
