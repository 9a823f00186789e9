/** Shows the turns of a conversation with their steps. */

import type { CheckProgress, TaskState, Task } from '../logic/turn-progress';
import type { Turn } from '../net/conversation';
import { turns } from '../net/conversation';
import type { MotionStep } from '../protocol/responses';
import { formatNumber, messages } from '../i18n';
import { Findings } from './findings';
import { path } from './route';
import { clampText } from './clamps';

export const Turns = () => (
  <>
    {turns.value.map((turn) => (
      <TurnView key={turn.id} turn={turn} />
    ))}
  </>
);

function TurnView({ turn }: { turn: Turn }) {
  const w = messages.value.talk;
  const { progress, end } = turn;
  const { tasks, reply, thinking } = progress;
  const stepTexts = tasks.flatMap((task) => task.result?.text ?? []).join(' ');
  return (
    <>
      <p class="user-message">
        <span class="hidden">{w.you}: </span>
        {turn.message}
      </p>
      <div class="robot-reply">
        <span class="hidden">{w.robot}: </span>
        <ol class="steps">
          {tasks.map((task, at) => (
            <TaskView key={at} task={task} />
          ))}
        </ol>
        {end === null && (
          <p class="note">{thinking === null ? w.working : w.thinking(agent(thinking))} …</p>
        )}
        {reply && stepTexts !== reply.text && <p>{reply.text}</p>}
        {reply && <p class="note">{w.outcome(outcome(reply.outcome))}</p>}
        {reply?.tool && (
          <p>
            {w.tool(reply.tool.name, reply.tool.version)}{' '}
            <a href={path('tools', reply.tool.name)}>{w.openTool}</a>
          </p>
        )}
        {progress.error && <p class="outcome is-bad">{progress.error}</p>}
        {end?.is === 'refused' && <p class="outcome is-bad">{w.rejected(end.detail)}</p>}
        {end?.is === 'gone' && <p class="outcome is-bad">{w.disconnected}</p>}
      </div>
    </>
  );
}

const outcome = (word: string): string => messages.value.outcomes[word] ?? word;

const agent = (name: string): string => messages.value.agents[name] ?? name;

const CLASS: Record<TaskState, string> = {
  waiting: '',
  running: 'is-fair',
  done: 'is-good',
  failed: 'is-bad',
  skipped: '',
};

function TaskView({ task }: { task: Task }) {
  const w = messages.value.talk;
  const { result, state, from } = task;
  return (
    <li class={`is-step-${state}`}>
      <span class="agent">
        {from !== null && (
          <>
            {agent(from)} <span aria-hidden="true">→</span>
            <span class="hidden">{w.handsOffTo}</span>{' '}
          </>
        )}
        {agent(task.agent)}
      </span>
      <span>{result?.text || task.task}</span>
      <span class={`badge ${CLASS[state]}`}>
        {result === null ? w.states[state] : outcome(result.outcome)}
      </span>
      {task.check && <CheckView check={task.check} />}
      {(result?.steps ?? []).flatMap(stepNotes).map((note, at) => (
        <span key={at} class="more">
          {note}
        </span>
      ))}
    </li>
  );
}

/** Shows the progress of a tool check, or its result. */
function CheckView({ check }: { check: CheckProgress }) {
  const w = messages.value;
  const { progress } = check;
  const phase = w.tools.phases[check.phase] ?? check.phase;
  if (progress !== null) {
    const { done, of } = progress;
    const what = `${check.tool}: ${phase}`;
    return (
      <div class="check">
        {/* The total is not known at the start. Screen readers do not announce each step. */}
        <progress max={Math.max(1, of)} aria-label={what} {...(of > 0 ? { value: done } : {})} />
        <span class="note" aria-hidden="true">
          {of > 0 ? `${what} ${formatNumber(done)} / ${formatNumber(of)}` : what}
        </span>
      </div>
    );
  }
  const verdict = !check.accepted
    ? w.tools.rejectedBy(phase)
    : check.needsApproval
      ? w.talk.needsApproval
      : w.tools.accepted;
  return (
    <div class="check">
      <p>
        <span class="mono">{check.tool}</span>: {verdict}
      </p>
      {check.findings.length > 0 && <Findings all={check.findings} />}
    </div>
  );
}

/** Returns a line for each clamp and for the error of a motion step. */
export function stepNotes(step: MotionStep): string[] {
  const clamps = (step.clamps ?? []).map(clampText);
  return step.error ? [...clamps, messages.value.talk.rejected(step.error)] : clamps;
}
