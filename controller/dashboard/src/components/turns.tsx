/** Turns of a conversation, each with its steps. */

import type { Check, State, Task } from '../logic/turn-progress';
import type { Turn } from '../net/conversation';
import { turns } from '../net/conversation';
import type { Step } from '../protocol/responses';
import { number, words } from '../i18n';
import { Findings } from './findings';
import { path } from './route';
import { told } from './clamps';

export const Turns = () => (
  <>
    {turns.value.map((turn) => (
      <Said key={turn.id} turn={turn} />
    ))}
  </>
);

function Said({ turn }: { turn: Turn }) {
  const w = words.value.talk;
  const { course, end } = turn;
  const { tasks, reply, thinking } = course;
  const told = tasks.flatMap((task) => task.told?.text ?? []).join(' ');
  return (
    <>
      <p class="said">
        <span class="hidden">{w.you}: </span>
        {turn.said}
      </p>
      <div class="told">
        <span class="hidden">{w.robot}: </span>
        <ol class="steps">
          {tasks.map((task, at) => (
            <One key={at} task={task} />
          ))}
        </ol>
        {end === null && (
          <p class="note">{thinking === null ? w.working : w.thinking(agent(thinking))} …</p>
        )}
        {reply && told !== reply.text && <p>{reply.text}</p>}
        {reply && <p class="note">{w.follows(outcome(reply.outcome))}</p>}
        {reply?.tool && (
          <p>
            {w.tool(reply.tool.name, reply.tool.version)}{' '}
            <a href={path('tools', reply.tool.name)}>{w.openTool}</a>
          </p>
        )}
        {course.error && <p class="outcome is-bad">{course.error}</p>}
        {end?.is === 'refused' && <p class="outcome is-bad">{w.refused(end.detail)}</p>}
        {end?.is === 'gone' && <p class="outcome is-bad">{w.gone}</p>}
      </div>
    </>
  );
}

const outcome = (word: string): string => words.value.outcomes[word] ?? word;

const agent = (name: string): string => words.value.agents[name] ?? name;

const CLASS: Record<State, string> = {
  waiting: '',
  running: 'is-fair',
  done: 'is-good',
  failed: 'is-bad',
  left: '',
};

function One({ task }: { task: Task }) {
  const w = words.value.talk;
  const { told, state, from } = task;
  return (
    <li class={`is-step-${state}`}>
      <span class="agent">
        {from !== null && (
          <>
            {agent(from)} <span aria-hidden="true">→</span>
            <span class="hidden">{w.handsTo}</span>{' '}
          </>
        )}
        {agent(task.agent)}
      </span>
      <span>{told?.text || task.task}</span>
      <span class={`badge ${CLASS[state]}`}>
        {told === null ? w.states[state] : outcome(told.outcome)}
      </span>
      {task.check && <OfCheck check={task.check} />}
      {(told?.steps ?? []).flatMap(notes).map((note, at) => (
        <span key={at} class="more">
          {note}
        </span>
      ))}
    </li>
  );
}

/** How far the check of a tool has come, or what it found. */
function OfCheck({ check }: { check: Check }) {
  const w = words.value;
  const { progress } = check;
  const stage = w.tools.stages[check.stage] ?? check.stage;
  if (progress !== null) {
    const { done, of } = progress;
    const what = `${check.tool}: ${stage}`;
    return (
      <div class="check">
        {/* How much there is to do is not known from the start. The steps themselves are not read out. */}
        <progress max={Math.max(1, of)} aria-label={what} {...(of > 0 ? { value: done } : {})} />
        <span class="note" aria-hidden="true">
          {of > 0 ? `${what} ${number(done)} / ${number(of)}` : what}
        </span>
      </div>
    );
  }
  const verdict = !check.admitted
    ? w.tools.refusedBy(stage)
    : check.needsApproval
      ? w.talk.admittedBut
      : w.tools.admitted;
  return (
    <div class="check">
      <p>
        <span class="mono">{check.tool}</span>: {verdict}
      </p>
      {check.findings.length > 0 && <Findings all={check.findings} />}
    </div>
  );
}

/** What was held back or refused in a step. */
export function notes(step: Step): string[] {
  const trims = (step.trims ?? []).map(told);
  return step.refusal ? [...trims, words.value.talk.refused(step.refusal)] : trims;
}
