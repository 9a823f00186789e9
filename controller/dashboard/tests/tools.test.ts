import { describe, expect, it } from 'vitest';
import { JOURNAL, TOOL_LIST } from '../src/protocol/compat';
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
  const sway = fixture<{ tools: ToolSummary[] }>('tools', TOOL_LIST).tools.find(
    (tool) => tool.name === 'sway',
  )!;

  it('have a field for each parameter of a tool', () => {
    const [times, wide, how] = formFields(sway.parameters);
    expect(times).toMatchObject({
      name: 'times',
      kind: 'integer',
      defaultText: '1',
      min: 1,
      max: 40,
    });
    expect(wide).toMatchObject({ kind: 'number', defaultText: '20.0'.replace('.0', '') });
    expect(how).toMatchObject({ name: 'how', kind: 'text', defaultText: 'slow' });
  });

  it('omit empty fields and report invalid ones', () => {
    const all = formFields(sway.parameters);
    expect(collectArguments(all, {})).toEqual({ args: {}, errors: {} });
    expect(collectArguments(all, { times: '3', wide: '12,5', how: 'quick' }).args).toEqual({
      times: 3,
      wide: 12.5,
      how: 'quick',
    });
    expect(collectArguments(all, { times: '1.5', wide: '99' }).errors).toEqual({
      times: { kind: 'integer' },
      wide: { kind: 'max', bound: 60 },
    });
    expect(collectArguments(all, { times: '0' }).errors['times']).toEqual({
      kind: 'min',
      bound: 1,
    });
    expect(collectArguments(all, { times: 'many' }).errors['times']).toEqual({ kind: 'number' });
  });

  it('support switches, choices and JSON', () => {
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
    expect(parseField(points!, '')).toEqual({ error: { kind: 'missing' } });
    expect(parseField(points!, '[1,')).toEqual({ error: { kind: 'json' } });
    expect(parseField(points!, '[1, 2]')).toEqual({ value: [1, 2] });
  });
});

describe('diff', () => {
  const signed = (all: DiffLine[]) => all.map((line) => line.sign + line.text);

  it('marks removed and added lines', () => {
    expect(signed(diff('a\nb\nc', 'a\nx\nc\nd'))).toEqual([' a', '-b', '+x', ' c', '+d']);
    expect(signed(diff('a', 'a'))).toEqual([' a']);
    expect(signed(diff('', 'a'))).toEqual(['-', '+a']);
    expect(diff('a\nb', 'b')[1]).toEqual({ sign: ' ', text: 'b', oldNumber: 2, newNumber: 1 });
  });

  it('transforms any text into any other', () => {
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
  const { entries } = fixture<{ entries: JournalEntry[] }>('journal', JOURNAL);
  const all = NO_FILTER;

  it('filters entries by kind, actor, text and error', () => {
    expect(filterEntries(entries, all)).toEqual(entries);
    const tools = filterEntries(entries, { ...all, kind: 'tool' });
    expect(tools.length).toBe(2);
    expect(
      filterEntries(entries, { ...all, actor: 'the pulse' }).every((one) => one.kind === 'robot'),
    ).toBe(true);
    expect(filterEntries(entries, { ...all, text: 'SANDWICH not_understood' })).toHaveLength(1);
    const errors = filterEntries(entries, { ...all, errorsOnly: true });
    expect(errors.map((one) => one.outcome).sort()).toEqual(['409', 'not_understood']);
    expect(isError({ ...entries[0]!, kind: 'robot', action: 'fault' })).toBe(true);
  });

  it('omits empty parameters from the query', () => {
    expect(journalQuery(NO_FILTER)).toBe('');
    expect(journalQuery(NO_FILTER, { limit: 300 })).toBe('?limit=300');
    const some = { ...NO_FILTER, kind: 'tool', text: ' sway & more ', errorsOnly: true };
    expect(journalQuery(some, { limit: 5, before: 'a/1' })).toBe(
      '?limit=5&before=a%2F1&kind=tool&text=sway+%26+more',
    );
  });

  it('lists the tools and agents that entries mention', () => {
    expect(mentionedNames(entries)).toEqual(expect.arrayContaining(['code', 'do_wiggle', 'sway']));
    expect(
      mentionedNames([{ ...entries[0]!, detail: undefined } as unknown as JournalEntry]),
    ).toEqual([]);
    const one = entries.find((entry) => entry.id !== undefined)!;
    const together = filterEntries(entries, { ...NO_FILTER, id: one.id! });
    expect(together.length).toBeGreaterThan(0);
    expect(together.every((entry) => entry.id === one.id)).toBe(true);
  });

  it('exports JSON Lines with the oldest entry first', () => {
    const out = toJsonLines(entries.slice(0, 2))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JournalEntry);
    expect(out.map((one) => one.seq)).toEqual([entries[1]!.seq, entries[0]!.seq]);
    expect(distinct(['b', 'a', 'b'])).toEqual(['a', 'b']);
  });
});

describe('roles', () => {
  it('permit the same actions as the server', () => {
    const actions = Object.keys(REQUIRED_ROLE) as (keyof typeof REQUIRED_ROLE)[];
    const allowed = ROLES.map(
      (role) =>
        actions.filter((action) => isPermitted({ atLeast: role, exact: true, name: null }, action))
          .length,
    );
    expect(allowed).toEqual([2, 8, 14, actions.length]);
    expect(actions.filter((action) => isPermitted(NO_ACCESS, action))).toEqual([]);
  });

  it('are inferred from which requests succeed', () => {
    const asked = { viewer: true, operator: true, engineer: false };
    expect(accessFromAnswers(asked)).toMatchObject({ atLeast: 'operator', exact: true });
    expect(isPermitted(accessFromAnswers(asked), 'approve')).toBe(false);
    // No readable resource distinguishes an owner from an engineer.
    expect(isPermitted(accessFromAnswers({ ...asked, engineer: true }), 'approve')).toBe(true);
    expect(accessFromAnswers({ viewer: false, operator: false, engineer: false })).toEqual(
      NO_ACCESS,
    );
  });
});
