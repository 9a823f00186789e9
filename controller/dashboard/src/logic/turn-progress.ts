/**
 * The progress of a conversation turn, from its events: the plan, the state of each step, handoffs and tool checks.
 *
 * A step goes from waiting to running (`step_started`) to done or failed (`step_finished`). Older servers only send
 * finished steps. An event of an unknown step adds that step. Unknown events change nothing.
 */

import type { Finding, StepReport, Reply, ChatEvent, UnderstoodPart } from '../protocol/responses';

export type TaskState = 'waiting' | 'running' | 'done' | 'failed' | 'skipped';

export interface Task {
  agent: string;
  task: string;
  state: TaskState;
  /** The agent that handed the step over. */
  from: string | null;
  check: CheckProgress | null;
  /** The report of the finished step. */
  result: StepReport | null;
  /** When it started and ended, milliseconds of the page's clock. */
  startedAt: number | null;
  endedAt: number | null;
}

export interface CheckProgress {
  tool: string;
  phase: string;
  /** The progress of the check; `null` when it has finished. */
  progress: { done: number; of: number } | null;
  accepted: boolean;
  needsApproval: boolean;
  findings: Finding[];
  /** The phases so far, with the time at which each began, and the end of the last one. */
  phases: { phase: string; startedAt: number }[];
  endedAt: number | null;
}

export interface Question {
  id: string;
  text: string;
}

export interface TurnProgress {
  tasks: Task[];
  /** How the sentence was taken. */
  understood: UnderstoodPart[];
  /** The agent whose model is running. */
  thinking: string | null;
  question: Question | null;
  reply: Reply | null;
  error: string | null;
}

export const NO_PROGRESS: TurnProgress = {
  tasks: [],
  understood: [],
  thinking: null,
  question: null,
  reply: null,
  error: null,
};

const newTask = (agent: string, task: string, state: TaskState): Task => ({
  agent,
  task,
  state,
  from: null,
  check: null,
  result: null,
  startedAt: null,
  endedAt: null,
});

/** Applies an event that arrived at a time. */
export function applyEvent(
  progress: TurnProgress,
  event: ChatEvent,
  at: number = performance.now(),
): TurnProgress {
  // A model runs until the next event.
  const now = { ...progress, thinking: null };
  switch (event.event) {
    case 'plan': {
      const started = progress.tasks.filter((task) => task.state !== 'waiting');
      const rest = event.data.steps.filter(
        (step) => !started.some((task) => task.agent === step.agent && task.task === step.task),
      );
      return {
        ...now,
        understood: event.data.understood ?? progress.understood,
        tasks: [...started, ...rest.map((step) => newTask(step.agent, step.task, 'waiting'))],
      };
    }
    case 'step_started':
      return {
        ...now,
        tasks: updateTask(progress.tasks, event.data, ['waiting'], {
          state: 'running',
          startedAt: at,
        }),
      };
    case 'thinking':
      return { ...progress, thinking: event.data.agent };
    case 'handoff': {
      const { from, to, task } = event.data;
      return {
        ...now,
        tasks: updateTask(progress.tasks, { agent: to, task }, ['waiting', 'running'], { from }),
      };
    }
    case 'check_progress': {
      const { tool, phase, done, of } = event.data;
      const check: CheckProgress = {
        tool,
        phase,
        progress: { done, of },
        accepted: false,
        needsApproval: false,
        findings: [],
        phases: [{ phase, startedAt: at }],
        endedAt: null,
      };
      return { ...now, tasks: attachCheck(progress.tasks, check) };
    }
    case 'check_finished': {
      const { tool, phase, accepted, needs_approval, findings } = event.data;
      const check: CheckProgress = {
        tool,
        phase,
        progress: null,
        accepted,
        needsApproval: needs_approval,
        findings: findings ?? [],
        phases: [],
        endedAt: at,
      };
      return { ...now, tasks: attachCheck(progress.tasks, check) };
    }
    case 'step_finished': {
      const state = event.data.outcome === 'done' ? 'done' : 'failed';
      const by: Partial<Task> = { state, result: event.data, endedAt: at };
      return {
        ...now,
        question: null,
        tasks: updateTask(progress.tasks, event.data, ['running', 'waiting'], by),
      };
    }
    case 'question':
      return { ...now, question: event.data };
    case 'reply':
      return finishProgress({
        ...now,
        understood: event.data.understood ?? progress.understood,
        question: null,
        reply: event.data,
      });
    case 'error':
      return finishProgress({ ...now, question: null, error: event.data.detail });
    default:
      return progress;
  }
}

/** Ends the turn. Unfinished steps count as skipped. */
export function finishProgress(progress: TurnProgress): TurnProgress {
  const tasks = progress.tasks.map((task) =>
    task.state === 'waiting' || task.state === 'running'
      ? { ...task, state: 'skipped' as const }
      : task,
  );
  return { ...progress, thinking: null, question: null, tasks };
}

/** Updates the matching step: the agent's step with the same task, else the agent's running step, else a new one. */
function updateTask(
  tasks: Task[],
  { agent, task }: { agent: string; task: string },
  states: TaskState[],
  by: Partial<Task>,
): Task[] {
  const isOpen = (one: Task) => one.agent === agent && states.includes(one.state);
  const same = tasks.findIndex((one) => isOpen(one) && one.task === task);
  const own = same >= 0 ? same : tasks.findIndex((one) => isOpen(one) && one.state === 'running');
  if (own < 0) return [...tasks, { ...newTask(agent, task, 'waiting'), ...by }];
  return tasks.map((one, at) => (at === own ? { ...one, ...by } : one));
}

/** Attaches a check to the running step, else to the last one. */
function attachCheck(tasks: Task[], check: CheckProgress): Task[] {
  const runs = tasks.map((task) => task.state === 'running').lastIndexOf(true);
  const own = runs >= 0 ? runs : tasks.length - 1;
  if (own < 0) return [{ ...newTask('code', check.tool, 'running'), check }];
  return tasks.map((task, at) =>
    at === own ? { ...task, check: withPhases(task.check, check) } : task,
  );
}

/** Adds the phases of the same check so far. A draft that is checked again begins with its first phase. */
function withPhases(before: CheckProgress | null, check: CheckProgress): CheckProgress {
  if (before === null || before.tool !== check.tool || before.endedAt !== null) return check;
  const known = before.phases.at(-1)?.phase;
  const more = check.phases.filter(({ phase }) => phase !== known);
  return { ...check, phases: [...before.phases, ...more] };
}

/** A word that a tool can be named by, from what it does. */
export function toolName(task: string): string {
  const words = task
    .toLowerCase()
    .normalize('NFD')
    .match(/[a-z]+/g);
  return (words ?? [])
    .filter((word) => !['the', 'then', 'a', 'and', 'times', 'degrees', 'to'].includes(word))
    .slice(0, 3)
    .join('_');
}
