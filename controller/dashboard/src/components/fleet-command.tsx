/** Sends sentences, stops and releases to the selected robots, and lists what each has answered. */

import { signal } from '@preact/signals';
import { compareNames, listNames, wordFor } from '../logic/fleet';
import {
  isBusy,
  isWaiting,
  recipients,
  releaseRobots,
  say,
  sent,
  stopRobots,
  type Sent,
} from '../net/fleet';
import { robotSignal } from '../net/robots';
import type { FleetReply } from '../protocol/fleet';
import { formatNumber, language, messages } from '../i18n';
import { Card, NeedsRole, Outcome, RoleButton } from './basics';
import { Elapsed } from './elapsed';
import { Check } from './fleet-check';
import { summaryOf } from './fleet-summary';

const draft = robotSignal('');
const together = signal(false);

export function FleetCommand() {
  const w = messages.value.fleet;
  const to = recipients();
  const text = draft.value.trim();
  const canSend = to.length > 0 && !isBusy();
  const submit = (event: Event) => {
    event.preventDefault();
    if (text === '' || !canSend) return;
    draft.value = '';
    void say(to, text, together.value);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
  };
  const latest = sent.value.find((one) => one.command !== 'stop');
  const outcome = latest === undefined ? { text: '', bad: false } : summaryOf(latest);
  let hint = '';
  if (to.length === 0) hint = w.noneSelected;
  else if (isBusy()) hint = w.busy;
  return (
    <Card title={w.command} class="fleet-command">
      <NeedsRole action="fleet" />
      <form class="stack" onSubmit={submit}>
        <p class="fleet-to">{to.length > 0 ? w.to(listNames(to)) : w.noneSelected}</p>
        <textarea
          rows={2}
          maxLength={4000}
          aria-label={w.sentence}
          placeholder={w.sentence}
          value={draft.value}
          onInput={(event) => (draft.value = event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <div class="buttons">
          <RoleButton
            action="fleet"
            type="submit"
            class="primary"
            disabled={text === '' || !canSend}
            {...(hint === '' ? {} : { title: hint })}
          >
            {w.send}
          </RoleButton>
          <Check
            checked={together.value}
            title={w.togetherHint}
            onChange={() => (together.value = !together.value)}
          >
            {w.together}
          </Check>
        </div>
        <div class="buttons">
          <RoleButton
            action="fleet"
            class="fleet-stop-some"
            disabled={to.length === 0}
            onClick={() => void stopRobots(to)}
          >
            {w.stopSelected}
          </RoleButton>
          <RoleButton action="fleet" disabled={!canSend} onClick={() => void releaseRobots(to)}>
            {w.releaseSelected}
          </RoleButton>
        </div>
      </form>
      {isBusy() && <p class="note">{w.busy}</p>}
      <Outcome text={outcome.text} bad={outcome.bad} />
    </Card>
  );
}

/** Lists the commands with the answer of each robot. */
export function FleetAnswers() {
  const w = messages.value.fleet;
  return (
    <Card title={w.answers}>
      {sent.value.length === 0 && <p class="note">{w.noAnswers}</p>}
      <ul class="fleet-answers" tabIndex={0} aria-label={w.answers}>
        {sent.value.map((one) => (
          <Answer key={one.id} one={one} />
        ))}
      </ul>
    </Card>
  );
}

function Answer({ one }: { one: Sent }) {
  const w = messages.value.fleet;
  const { result } = one;
  const answer = result.status === 'answered' ? result.answer : null;
  const hasReplies = answer !== null && answer.replies.length > 0;
  const skew = answer?.skew_ms ?? null;
  return (
    <li>
      <p>
        <strong>{w.commandNames[one.command]}</strong> {one.subject}
      </p>
      <p class="note">
        <time dateTime={one.sentAt.toISOString()}>
          {one.sentAt.toLocaleTimeString(language.value)}
        </time>
        {!hasReplies && ` · ${w.to(one.to === null ? w.allRobots : listNames(one.to))}`}
        {skew !== null && ` · ${w.skew(`${formatNumber(skew, 1)} ms`)}`}
      </p>
      {isWaiting(one) && (
        <p class="note">
          {w.pending} … <Elapsed />
        </p>
      )}
      {!isWaiting(one) && !hasReplies && <p class="outcome is-bad">{summaryOf(one).text}</p>}
      {hasReplies && (
        <>
          {answer.refusal !== null && <p class="outcome is-bad">{answer.refusal}</p>}
          <ul>
            {sortReplies(answer.replies).map((reply, at) => (
              <Reply key={at} reply={reply} />
            ))}
          </ul>
        </>
      )}
    </li>
  );
}

const sortReplies = (replies: FleetReply[]): FleetReply[] =>
  [...replies].sort((one, other) => compareNames(one.robot, other.robot));

function Reply({ reply }: { reply: FleetReply }) {
  const w = messages.value.fleet;
  const { robot, outcome, text, reason, refusal } = reply;
  const level = outcome === 'done' ? 'is-good' : outcome === 'absent' ? 'is-warn' : 'is-bad';
  const explanation = text ?? reason ?? (refusal === null ? '' : wordFor(w.refusals, refusal));
  return (
    <li class="fleet-reply">
      <span class="mono">{robot}</span>
      <span class={`badge ${level}`}>{wordFor(w.outcomes, outcome)}</span>
      {explanation !== '' && <span class="fleet-reply-text">{explanation}</span>}
    </li>
  );
}
