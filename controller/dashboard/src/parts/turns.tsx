/** Turns of a conversation, each with its steps. */

import type { Turn } from '../net/talk';
import { turns } from '../net/talk';
import type { Progress, Step } from '../wire/answers';
import { words } from '../words';
import { path } from './route';
import { told } from './trims';

export const Turns = () => (
  <>
    {turns.value.map((turn) => (
      <Said key={turn.id} turn={turn} />
    ))}
  </>
);

function Said({ turn }: { turn: Turn }) {
  const w = words.value.talk;
  const { reply, end } = turn;
  return (
    <>
      <p class="said">
        <span class="hidden">{w.you}: </span>
        {turn.said}
      </p>
      <div class="told">
        <span class="hidden">{w.robot}: </span>
        <ol>
          {turn.steps.map((step, at) => (
            <One key={at} step={step} />
          ))}
        </ol>
        {end === null && <p class="note">{w.working} …</p>}
        {reply && turn.steps.map((step) => step.text).join(' ') !== reply.text && (
          <p>{reply.text}</p>
        )}
        {reply && <p class="note">{w.follows(outcome(reply.outcome))}</p>}
        {reply?.tool && (
          <p>
            {w.tool(reply.tool.name, reply.tool.version)}{' '}
            <a href={path('tools', reply.tool.name)}>{w.openTool}</a>
          </p>
        )}
        {turn.error && <p class="outcome is-bad">{turn.error}</p>}
        {end?.is === 'refused' && <p class="outcome is-bad">{w.refused(end.detail)}</p>}
        {end?.is === 'gone' && <p class="outcome is-bad">{w.gone}</p>}
      </div>
    </>
  );
}

const outcome = (word: string): string => words.value.outcomes[word] ?? word;

function One({ step }: { step: Progress }) {
  return (
    <li>
      <span class="agent">{step.agent}</span>
      <span>{step.text || step.task}</span>
      <span class={`badge ${step.outcome === 'done' ? 'is-good' : 'is-bad'}`}>
        {outcome(step.outcome)}
      </span>
      {step.steps.flatMap(notes).map((note, at) => (
        <span key={at} class="more">
          {note}
        </span>
      ))}
    </li>
  );
}

/** What was held back or refused in a step. */
export function notes(step: Step): string[] {
  const w = words.value.talk;
  const trims = (step.trims ?? []).map(told);
  return step.refusal ? [...trims, w.refused(step.refusal)] : trims;
}
