import { describe, expect, it } from 'vitest';
import { diff, type DiffLine } from '../src/logic/diff';
import { formFields, collectArguments, parseField } from '../src/logic/form';
import {
  NO_FILTER,
  filterEntries,
  distinct,
  isError,
  toJsonLines,
  mentionedNames,
  journalQuery,
} from '../src/logic/journal';
import {
  isPermitted,
  REQUIRED_ROLE,
  ROLES,
  accessFromAnswers,
  NO_ACCESS,
} from '../src/logic/roles';
import type { JournalEntry, ToolSummary, Schema } from '../src/protocol/responses';
import { fixture } from './fixtures';

describe('forms', () => {
  const sway = fixture<{ tools: ToolSummary[] }>('tools').tools.find(
    (tool) => tool.name === 'sway',
  )!;

  it('have a field for each parameter of a tool', () => {
    const [times, wide, how] = formFields(sway.parameters);
    expect(times).toMatchObject({ name: 'times', kind: 'integer', usual: '1', least: 1, most: 40 });
    expect(wide).toMatchObject({ kind: 'number', usual: '20.0'.replace('.0', '') });
    expect(how).toMatchObject({ name: 'how', kind: 'text', usual: 'slow' });
  });

  it('leave out what is not filled in, and say what does not fit', () => {
    const all = formFields(sway.parameters);
    expect(collectArguments(all, {})).toEqual({ args: {}, troubles: {} });
    expect(collectArguments(all, { times: '3', wide: '12,5', how: 'quick' }).args).toEqual({
      times: 3,
      wide: 12.5,
      how: 'quick',
    });
    expect(collectArguments(all, { times: '1.5', wide: '99' }).errors).toEqual({
      times: { why: 'integer' },
      wide: { why: 'most', bound: 60 },
    });
    expect(collectArguments(all, { times: '0' }).errors['times']).toEqual({
      why: 'least',
      bound: 1,
    });
    expect(collectArguments(all, { times: 'many' }).errors['times']).toEqual({ why: 'number' });
  });

  it('know switches, choices and what is only JSON', () => {
    const schema: Schema = {
      type: 'object',
      required: ['points'],
      properties: {
        loud: { type: 'boolean', default: false },
        side: { type: 'string', enum: ['left', 'right'] },
        points: { type: 'array', items: { type: 'number' } },
      },
    };
    const [loud, side, points] = formFields(schema);
    expect([loud!.kind, side!.kind, points!.kind]).toEqual(['switch', 'choice', 'json']);
    expect(loud!.defaultText).toBe('false');
    expect(parseField(loud!, 'true')).toEqual({ value: true });
    expect(parseField(points!, '')).toEqual({ trouble: { why: 'missing' } });
    expect(parseField(points!, '[1,')).toEqual({ trouble: { why: 'json' } });
    expect(parseField(points!, '[1, 2]')).toEqual({ value: [1, 2] });
  });
});

describe('diff', () => {
  const told = (all: DiffLine[]) => all.map((line) => line.sign + line.text);

  it('names what was taken out and put in', () => {
    expect(told(diff('a\nb\nc', 'a\nx\nc\nd'))).toEqual([' a', '-b', '+x', ' c', '+d']);
    expect(told(diff('a', 'a'))).toEqual([' a']);
    expect(told(diff('', 'a'))).toEqual(['-', '+a']);
    expect(diff('a\nb', 'b')[1]).toEqual({ sign: ' ', text: 'b', was: 2, is: 1 });
  });

  it('leads from each text to the other, whatever they are', () => {
    let seed = 7;
    const chance = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor((seed / 2147483648) * below);
    };
    const some = () => Array.from({ length: chance(30) }, () => 'abcd'[chance(4)]).join('\n');
    for (let round = 0; round < 200; round += 1) {
      const [before, after] = [some(), some()];
      const all = diff(before, after);
      const side = (sign: string) =>
        all
          .filter((line) => line.sign === ' ' || line.sign === sign)
          .map((line) => line.text)
          .join('\n');
      expect(side('-')).toBe(before);
      expect(side('+')).toBe(after);
    }
  });
});

describe('journal', () => {
  const { entries } = fixture<{ entries: JournalEntry[] }>('journal');
  const all = NO_FILTER;

  it('is chosen from by kind, by whom, by words and by trouble', () => {
    expect(filterEntries(entries, all)).toEqual(entries);
    const tools = filterEntries(entries, { ...all, kind: 'tool' });
    expect(tools.length).toBe(2);
    expect(
      filterEntries(entries, { ...all, actor: 'the pulse' }).every((one) => one.kind === 'body'),
    ).toBe(true);
    expect(filterEntries(entries, { ...all, text: 'SANDWICH not_understood' })).toHaveLength(1);
    const troubles = filterEntries(entries, { ...all, errorsOnly: true });
    expect(troubles.map((one) => one.outcome).sort()).toEqual(['409', 'not_understood']);
    expect(isError({ ...entries[0]!, kind: 'body', action: 'fault' })).toBe(true);
  });

  it('is asked for what is wanted, and for no more', () => {
    expect(journalQuery(NO_FILTER)).toBe('');
    expect(journalQuery(NO_FILTER, { limit: 300 })).toBe('?limit=300');
    const some = { ...NO_FILTER, kind: 'tool', words: ' sway & more ', troubles: true };
    expect(journalQuery(some, { limit: 5, before: 'a/1' })).toBe(
      '?limit=5&before=a%2F1&kind=tool&text=sway+%26+more',
    );
  });

  it('names the tools and agents that can be looked for', () => {
    expect(mentionedNames(entries)).toEqual(expect.arrayContaining(['code', 'do_wiggle', 'sway']));
    expect(mentionedNames([{ ...entries[0]!, detail: null }])).toEqual([]);
    const one = entries.find((entry) => entry.id !== undefined)!;
    const together = filterEntries(entries, { ...NO_FILTER, id: one.id! });
    expect(together.length).toBeGreaterThan(0);
    expect(together.every((entry) => entry.id === one.id)).toBe(true);
  });

  it('is handed out line by line, the oldest first', () => {
    const out = toJsonLines(entries.slice(0, 2))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JournalEntry);
    expect(out.map((one) => one.seq)).toEqual([entries[1]!.seq, entries[0]!.seq]);
    expect(distinct(['b', 'a', 'b'])).toEqual(['a', 'b']);
  });
});

describe('roles', () => {
  it('offer what the server would allow', () => {
    const deeds = Object.keys(REQUIRED_ROLE) as (keyof typeof REQUIRED_ROLE)[];
    const allowed = ROLES.map(
      (role) =>
        deeds.filter((deed) => isPermitted({ atLeast: role, exact: true, name: null }, deed))
          .length,
    );
    expect(allowed).toEqual([2, 7, 12, deeds.length]);
    expect(deeds.filter((deed) => isPermitted(NO_ACCESS, deed))).toEqual([]);
  });

  it('are concluded from what was answered', () => {
    const asked = { viewer: true, operator: true, engineer: false };
    expect(accessFromAnswers(asked)).toMatchObject({ atLeast: 'operator', exact: true });
    expect(isPermitted(accessFromAnswers(asked), 'approve')).toBe(false);
    // Nothing that can be read tells an owner from an engineer.
    expect(isPermitted(accessFromAnswers({ ...asked, engineer: true }), 'approve')).toBe(true);
    expect(accessFromAnswers({ viewer: false, operator: false, engineer: false })).toEqual(
      NO_ACCESS,
    );
  });
});
