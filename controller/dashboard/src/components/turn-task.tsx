/** One step of a turn: what was asked, what was done, what was clamped, and how a tool is made, with seconds. */

import type { CheckProgress, TaskState, Task } from '../logic/turn-progress';
import { setpointFromPosture, AXES } from '../logic/teleop';
import { cancelTurn } from '../net/conversation';
import { now } from '../net/live';
import type { MotionStep } from '../protocol/responses';
import { formatNumber, messages } from '../i18n';
import { Findings } from './findings';
import { clampText } from './clamps';
import { WhyClamped } from './why';

export const outcomeText = (word: string): string => messages.value.outcomes[word] ?? word;

export const agentText = (name: string): string => messages.value.agents[name] ?? name;

const CLASS: Record<TaskState, string> = {
  waiting: '',
  running: 'is-fair',
  done: 'is-good',
  failed: 'is-bad',
  skipped: '',
};

/** Returns how long something has taken, or has been taking. */
function secondsText(from: number, to: number | null): string {
  const seconds = Math.max(0, (to ?? now.value) - from) / 1000;
  return messages.value.common.seconds(formatNumber(seconds, to === null ? 0 : 1));
}

export function TaskView({ task }: { task: Task }) {
  const w = messages.value.talk;
  const { result, state, from, check, startedAt, endedAt } = task;
  // A tool is drafted until its check begins.
  const clamps = (result?.steps ?? []).flatMap((step) => step.clamps ?? []);
  const isDrafting = state === 'running' && task.agent === 'code' && check === null;
  return (
    <li class={`is-step-${state}`}>
      <span class="agent">
        {from !== null && (
          <>
            {agentText(from)} <span aria-hidden="true">→</span>
            <span class="hidden">{w.handsOffTo}</span>{' '}
          </>
        )}
        {agentText(task.agent)}
      </span>
      <span>{result?.text || task.task}</span>
      <span class="step-state">
        <span class={`badge ${CLASS[state]}`}>
          {result === null ? w.states[state] : outcomeText(result.outcome)}
        </span>
        {startedAt !== null && (state === 'running' || endedAt !== null) && (
          <span class="elapsed" aria-hidden="true">
            {secondsText(startedAt, endedAt)}
          </span>
        )}
        {state === 'running' && (
          <button type="button" class="stop-step" onClick={cancelTurn}>
            {w.stopStep}
          </button>
        )}
      </span>
      {isDrafting && <p class="check note">{w.drafting} …</p>}
      {check && <CheckView check={check} />}
      {(result?.steps ?? []).flatMap(motionNotes).map((note, at) => (
        <span key={at} class="more">
          {note}
        </span>
      ))}
      {clamps.length > 0 && (
        <div class="check">
          <WhyClamped clamps={clamps} texts={clamps.map(clampText)} />
        </div>
      )}
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
        <Phases check={check} />
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
      <Phases check={check} />
      <p>
        <span class="mono">{check.tool}</span>: {verdict}
      </p>
      {check.findings.length > 0 && <Findings all={check.findings} />}
    </div>
  );
}

/** Lists the phases of a check with their seconds. */
function Phases({ check: { phases, endedAt } }: { check: CheckProgress }) {
  const w = messages.value;
  if (phases.length === 0) return null;
  return (
    <ol class="phases" aria-label={w.talk.phases}>
      {phases.map(({ phase, startedAt }, at) => {
        const end = phases[at + 1]?.startedAt ?? endedAt;
        return (
          <li key={at} class={end === null ? 'is-now' : ''}>
            {w.tools.phases[phase] ?? phase}{' '}
            <span class="elapsed" aria-hidden="true">
              {secondsText(startedAt, end)}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** The difference from which the achieved value of an axis is worth showing, degrees or millimetres. */
const NOTABLE = 1;

/** Returns a line for each axis that did not get where it was to go, for each clamp, and for the error of a motion step. */
export function motionNotes(step: MotionStep): string[] {
  return [...deviations(step), ...stepNotes(step)];
}

function deviations({ requested, achieved }: MotionStep): string[] {
  const w = messages.value;
  if (!requested || !achieved) return [];
  const [wanted, reached] = [setpointFromPosture(requested), setpointFromPosture(achieved)];
  return AXES.filter((axis) => Math.abs(wanted[axis] - reached[axis]) >= NOTABLE).map((axis) => {
    const amount = (value: number) =>
      `${formatNumber(value, 1)}${axis.endsWith('mm') ? ' mm' : '°'}`;
    return w.talk.deviates(w.axes[axis], amount(wanted[axis]), amount(reached[axis]));
  });
}

/** Returns a line for each clamp and for the error of a motion step. */
export function stepNotes(step: MotionStep): string[] {
  const clamps = (step.clamps ?? []).map(clampText);
  return step.error ? [...clamps, messages.value.talk.rejected(step.error)] : clamps;
}
