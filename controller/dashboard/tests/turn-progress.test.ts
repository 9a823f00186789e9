import { describe, expect, it } from 'vitest';
import { ended, heard, NOTHING, type Course } from '../src/logic/turn-progress';
import type { Progress, Reply, Told } from '../src/protocol/responses';
import { EventReader } from '../src/protocol/sse';
import { text } from './fixtures';

const after = (...all: Told[]): Course => all.reduce(heard, NOTHING);
const states = (course: Course) => course.tasks.map((task) => `${task.task}: ${task.state}`);

const look = { agent: 'vision', task: 'look around' };
const make = { agent: 'code', task: 'make a tool' };
const plan: Told = { event: 'plan', data: { steps: [look, make] } };
const begun = (data: { agent: string; task: string }): Told => ({ event: 'begun', data });
const step = (of: { agent: string; task: string }, outcome = 'done'): Told => ({
  event: 'step',
  data: { ...of, text: `${of.task}.`, outcome, steps: [] } satisfies Progress,
});
const reply: Told = {
  event: 'reply',
  data: { text: 'Done.', outcome: 'done', plan: [], steps: [], tool: null } satisfies Reply,
};

describe('the course of a sentence', () => {
  it('goes through its plan step by step', () => {
    expect(states(after(plan))).toEqual(['look around: waiting', 'make a tool: waiting']);
    expect(states(after(plan, begun(look)))[0]).toBe('look around: running');
    expect(states(after(plan, begun(look), step(look), begun(make)))).toEqual([
      'look around: done',
      'make a tool: running',
    ]);
    const refused = after(plan, begun(look), step(look, 'refused'), reply);
    expect(states(refused)).toEqual(['look around: failed', 'make a tool: left']);
    expect(refused.tasks[0]!.told!.outcome).toBe('refused');
    expect(refused.reply!.text).toBe('Done.');
  });

  it('shows the steps of a server that tells of nothing else', () => {
    const told = new EventReader().take(text('chat.sse')).map((data) => JSON.parse(data) as Told);
    const course = after(...told);
    expect(states(course)).toEqual(['nod twice: done', 'look left 20 deg: done']);
    expect(course.reply).not.toBeNull();
  });

  it('keeps apart steps of the same words', () => {
    const twice: Told = { event: 'plan', data: { steps: [look, look] } };
    expect(states(after(twice, begun(look), step(look), begun(look)))).toEqual([
      'look around: done',
      'look around: running',
    ]);
  });

  it('takes up a new plan for what has not begun', () => {
    const next: Told = {
      event: 'plan',
      data: { steps: [look, { agent: 'vision', task: 'say it' }] },
    };
    expect(states(after(plan, begun(look), next))).toEqual([
      'look around: running',
      'say it: waiting',
    ]);
  });

  it('ends what an agent is at, also in other words', () => {
    expect(states(after(begun(make), step({ agent: 'code', task: 'make_tool' })))).toEqual([
      'make a tool: done',
    ]);
  });

  it('says who hands to whom and who thinks', () => {
    const handoff: Told = {
      event: 'handoff',
      data: { from: 'coordinator', to: 'code', task: 'make a tool' },
    };
    const course = after(plan, { event: 'thinking', data: { agent: 'coordinator' } });
    expect(course.thinking).toBe('coordinator');
    expect(heard(course, handoff)).toMatchObject({ thinking: null });
    expect(heard(course, handoff).tasks[1]).toMatchObject({
      from: 'coordinator',
      state: 'waiting',
    });
    // Nobody planned it.
    expect(after(handoff).tasks).toMatchObject([{ agent: 'code', from: 'coordinator' }]);
  });

  it('follows the check of a tool to what it found', () => {
    const checking = (done: number): Told => ({
      event: 'checking',
      data: { tool: 'wave', stage: 'rehearsal', done, of: 8 },
    });
    const at = after(plan, begun(look), step(look), begun(make), checking(1), checking(5));
    expect(at.tasks[1]!.check).toMatchObject({ progress: { done: 5, of: 8 }, stage: 'rehearsal' });
    const finding = { rule: 'r', line: 3, verdict: 'ask', reason: 'x', hint: '' } as const;
    const data = { tool: 'wave', admitted: true, needs_approval: true, stage: 'review' };
    const over = heard(at, { event: 'checked', data: { ...data, findings: [finding] } });
    expect(over.tasks[1]!.check).toMatchObject({ progress: null, needsApproval: true });
    expect(over.tasks[1]!.check!.findings).toEqual([finding]);
    expect(after({ event: 'checked', data }).tasks[0]!.check!.findings).toEqual([]);
  });

  it('asks until it goes on', () => {
    const question: Told = { event: 'question', data: { id: '1', text: 'May I?' } };
    expect(after(plan, question).question).toMatchObject({ text: 'May I?' });
    expect(after(plan, question, step(look)).question).toBeNull();
    expect(ended(after(plan, question)).question).toBeNull();
  });

  it('is not changed by words that nobody knows', () => {
    const course = after(plan);
    const strange = { event: 'applause', data: null } as unknown as Told;
    expect(heard(course, strange)).toBe(course);
  });
});
