import { describe, expect, it } from 'vitest';
import { upgradeChatEvent } from '../src/protocol/compat';
import {
  finishProgress,
  applyEvent,
  NO_PROGRESS,
  type TurnProgress,
} from '../src/logic/turn-progress';
import type { StepReport, Reply, ChatEvent } from '../src/protocol/responses';
import { SseReader } from '../src/protocol/sse';
import { text } from './fixtures';

const after = (...all: ChatEvent[]): TurnProgress => all.reduce(applyEvent, NO_PROGRESS);
const states = (progress: TurnProgress) =>
  progress.tasks.map((task) => `${task.task}: ${task.state}`);

const look = { agent: 'vision', task: 'look around' };
const make = { agent: 'code', task: 'make a tool' };
const plan: ChatEvent = { event: 'plan', data: { steps: [look, make] } };
const started = (data: { agent: string; task: string }): ChatEvent => ({
  event: 'step_started',
  data,
});
const step = (of: { agent: string; task: string }, outcome = 'done'): ChatEvent => ({
  event: 'step_finished',
  data: { ...of, text: `${of.task}.`, outcome, steps: [] } satisfies StepReport,
});
const reply: ChatEvent = {
  event: 'reply',
  data: { text: 'Done.', outcome: 'done', plan: [], steps: [], tool: null } satisfies Reply,
};

describe('the progress of a turn', () => {
  it('follows the plan step by step', () => {
    expect(states(after(plan))).toEqual(['look around: waiting', 'make a tool: waiting']);
    expect(states(after(plan, started(look)))[0]).toBe('look around: running');
    expect(states(after(plan, started(look), step(look), started(make)))).toEqual([
      'look around: done',
      'make a tool: running',
    ]);
    const refused = after(plan, started(look), step(look, 'refused'), reply);
    expect(states(refused)).toEqual(['look around: failed', 'make a tool: skipped']);
    expect(refused.tasks[0]!.result!.outcome).toBe('refused');
    expect(refused.reply!.text).toBe('Done.');
  });

  it('shows the steps of a server that only sends finished steps', () => {
    const events = new SseReader()
      .push(text('chat.sse'))
      .map((data) => upgradeChatEvent(JSON.parse(data)) as ChatEvent);
    const progress = after(...events);
    expect(states(progress)).toEqual(['nod twice: done', 'look left 20 deg: done']);
    expect(progress.reply).not.toBeNull();
  });

  it('distinguishes steps with the same task', () => {
    const twice: ChatEvent = { event: 'plan', data: { steps: [look, look] } };
    expect(states(after(twice, started(look), step(look), started(look)))).toEqual([
      'look around: done',
      'look around: running',
    ]);
  });

  it('replaces steps that have not started by a new plan', () => {
    const next: ChatEvent = {
      event: 'plan',
      data: { steps: [look, { agent: 'vision', task: 'say it' }] },
    };
    expect(states(after(plan, started(look), next))).toEqual([
      'look around: running',
      'say it: waiting',
    ]);
  });

  it('finishes the running step of an agent even if its task is worded differently', () => {
    expect(states(after(started(make), step({ agent: 'code', task: 'make_tool' })))).toEqual([
      'make a tool: done',
    ]);
  });

  it('shows handoffs and the running model', () => {
    const handoff: ChatEvent = {
      event: 'handoff',
      data: { from: 'coordinator', to: 'code', task: 'make a tool' },
    };
    const progress = after(plan, { event: 'thinking', data: { agent: 'coordinator' } });
    expect(progress.thinking).toBe('coordinator');
    expect(applyEvent(progress, handoff)).toMatchObject({ thinking: null });
    expect(applyEvent(progress, handoff).tasks[1]).toMatchObject({
      from: 'coordinator',
      state: 'waiting',
    });
    // The plan did not contain it.
    expect(after(handoff).tasks).toMatchObject([{ agent: 'code', from: 'coordinator' }]);
  });

  it('follows a tool check to its findings', () => {
    const checking = (done: number): ChatEvent => ({
      event: 'check_progress',
      data: { tool: 'wave', phase: 'rehearsal', done, of: 8 },
    });
    const at = after(plan, started(look), step(look), started(make), checking(1), checking(5));
    expect(at.tasks[1]!.check).toMatchObject({ progress: { done: 5, of: 8 }, phase: 'rehearsal' });
    const finding = {
      rule: 'r',
      line: 3,
      verdict: 'needs_approval',
      reason: 'x',
      hint: '',
    } as const;
    const data = { tool: 'wave', accepted: true, needs_approval: true, phase: 'review' };
    const over = applyEvent(at, {
      event: 'check_finished',
      data: { ...data, findings: [finding] },
    });
    expect(over.tasks[1]!.check).toMatchObject({ progress: null, needsApproval: true });
    expect(over.tasks[1]!.check!.findings).toEqual([finding]);
    expect(after({ event: 'check_finished', data }).tasks[0]!.check!.findings).toEqual([]);
  });

  it('keeps a question until the turn continues', () => {
    const question: ChatEvent = { event: 'question', data: { id: '1', text: 'May I?' } };
    expect(after(plan, question).question).toMatchObject({ text: 'May I?' });
    expect(after(plan, question, step(look)).question).toBeNull();
    expect(finishProgress(after(plan, question)).question).toBeNull();
  });

  it('ignores unknown events', () => {
    const progress = after(plan);
    const strange = { event: 'applause', data: null } as unknown as ChatEvent;
    expect(applyEvent(progress, strange)).toBe(progress);
  });
});
