/**
 * What comes of a sentence, as it is told: the plan, each step's state, who hands to whom, and how far a check has come.
 *
 * A step is waiting --begun--> running --step--> done or not. Servers of before tell of finished steps only; what
 * is told of no step that is known is a step of its own. Words that are not known change nothing.
 */

import type { Finding, Progress, Reply, Told } from '../protocol/responses';

export type State = 'waiting' | 'running' | 'done' | 'failed' | 'left';

export interface Task {
  agent: string;
  task: string;
  state: State;
  /** Who handed it over. */
  from: string | null;
  check: Check | null;
  /** What was told at its end. */
  told: Progress | null;
}

export interface Check {
  tool: string;
  stage: string;
  /** How far it has come; `null` once it is over. */
  progress: { done: number; of: number } | null;
  admitted: boolean;
  needsApproval: boolean;
  findings: Finding[];
}

export interface Question {
  id: string;
  text: string;
}

export interface Course {
  tasks: Task[];
  /** The agent whose model is thinking. */
  thinking: string | null;
  question: Question | null;
  reply: Reply | null;
  error: string | null;
}

export const NOTHING: Course = {
  tasks: [],
  thinking: null,
  question: null,
  reply: null,
  error: null,
};

const fresh = (agent: string, task: string, state: State): Task => ({
  agent,
  task,
  state,
  from: null,
  check: null,
  told: null,
});

export function heard(course: Course, told: Told): Course {
  // Whoever thinks does so until something else is told.
  const now = { ...course, thinking: null };
  switch (told.event) {
    case 'plan': {
      const begun = course.tasks.filter((task) => task.state !== 'waiting');
      const rest = told.data.steps.filter(
        (step) => !begun.some((task) => task.agent === step.agent && task.task === step.task),
      );
      return {
        ...now,
        tasks: [...begun, ...rest.map((step) => fresh(step.agent, step.task, 'waiting'))],
      };
    }
    case 'begun':
      return { ...now, tasks: changed(course.tasks, told.data, ['waiting'], { state: 'running' }) };
    case 'thinking':
      return { ...course, thinking: told.data.agent };
    case 'handoff': {
      const { from, to, task } = told.data;
      return {
        ...now,
        tasks: changed(course.tasks, { agent: to, task }, ['waiting', 'running'], { from }),
      };
    }
    case 'checking': {
      const { tool, stage, done, of } = told.data;
      const check: Check = {
        tool,
        stage,
        progress: { done, of },
        admitted: false,
        needsApproval: false,
        findings: [],
      };
      return { ...now, tasks: checked(course.tasks, check) };
    }
    case 'checked': {
      const { tool, stage, admitted, needs_approval, findings } = told.data;
      const check: Check = {
        tool,
        stage,
        progress: null,
        admitted,
        needsApproval: needs_approval,
        findings: findings ?? [],
      };
      return { ...now, tasks: checked(course.tasks, check) };
    }
    case 'step': {
      const state = told.data.outcome === 'done' ? 'done' : 'failed';
      const by = { state, told: told.data } as const;
      return {
        ...now,
        question: null,
        tasks: changed(course.tasks, told.data, ['running', 'waiting'], by),
      };
    }
    case 'question':
      return { ...now, question: told.data };
    case 'reply':
      return ended({ ...now, question: null, reply: told.data });
    case 'error':
      return ended({ ...now, question: null, error: told.data.detail });
    default:
      return course;
  }
}

/** Nothing more will be told: what was not finished was left. */
export function ended(course: Course): Course {
  const tasks = course.tasks.map((task) =>
    task.state === 'waiting' || task.state === 'running'
      ? { ...task, state: 'left' as const }
      : task,
  );
  return { ...course, thinking: null, question: null, tasks };
}

/** Changes the step that is meant: the same words by the same agent, else what that agent is at, else a new one. */
function changed(
  tasks: Task[],
  { agent, task }: { agent: string; task: string },
  states: State[],
  by: Partial<Task>,
): Task[] {
  const isOpen = (one: Task) => one.agent === agent && states.includes(one.state);
  const same = tasks.findIndex((one) => isOpen(one) && one.task === task);
  const own = same >= 0 ? same : tasks.findIndex((one) => isOpen(one) && one.state === 'running');
  if (own < 0) return [...tasks, { ...fresh(agent, task, 'waiting'), ...by }];
  return tasks.map((one, at) => (at === own ? { ...one, ...by } : one));
}

/** A check belongs to the step that runs, else to the last one. */
function checked(tasks: Task[], check: Check): Task[] {
  const runs = tasks.map((task) => task.state === 'running').lastIndexOf(true);
  const own = runs >= 0 ? runs : tasks.length - 1;
  if (own < 0) return [{ ...fresh('code', check.tool, 'running'), check }];
  return tasks.map((task, at) => (at === own ? { ...task, check } : task));
}
