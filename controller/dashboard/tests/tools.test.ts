import { describe, expect, it } from 'vitest';
import { diff, type Line } from '../src/logic/diff';
import { fields, filled, read } from '../src/logic/form';
import { ALL, chosen, distinct, isTrouble, lines, names, query } from '../src/logic/journal';
import { may, NEEDS, ROLES, concluded, NOBODY } from '../src/logic/roles';
import type { Entry, Listed, Schema } from '../src/protocol/responses';
import { answer } from './fixtures';

describe('forms', () => {
  const sway = answer<{ tools: Listed[] }>('tools').tools.find((tool) => tool.name === 'sway')!;

  it('have a field for each parameter of a tool', () => {
    const [times, wide, how] = fields(sway.parameters);
    expect(times).toMatchObject({ name: 'times', kind: 'integer', usual: '1', least: 1, most: 40 });
    expect(wide).toMatchObject({ kind: 'number', usual: '20.0'.replace('.0', '') });
    expect(how).toMatchObject({ name: 'how', kind: 'text', usual: 'slow' });
  });

  it('leave out what is not filled in, and say what does not fit', () => {
    const all = fields(sway.parameters);
    expect(filled(all, {})).toEqual({ args: {}, troubles: {} });
    expect(filled(all, { times: '3', wide: '12,5', how: 'quick' }).args).toEqual({
      times: 3,
      wide: 12.5,
      how: 'quick',
    });
    expect(filled(all, { times: '1.5', wide: '99' }).troubles).toEqual({
      times: { why: 'integer' },
      wide: { why: 'most', bound: 60 },
    });
    expect(filled(all, { times: '0' }).troubles['times']).toEqual({ why: 'least', bound: 1 });
    expect(filled(all, { times: 'many' }).troubles['times']).toEqual({ why: 'number' });
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
    const [loud, side, points] = fields(schema);
    expect([loud!.kind, side!.kind, points!.kind]).toEqual(['switch', 'choice', 'json']);
    expect(loud!.usual).toBe('false');
    expect(read(loud!, 'true')).toEqual({ value: true });
    expect(read(points!, '')).toEqual({ trouble: { why: 'missing' } });
    expect(read(points!, '[1,')).toEqual({ trouble: { why: 'json' } });
    expect(read(points!, '[1, 2]')).toEqual({ value: [1, 2] });
  });
});

describe('diff', () => {
  const told = (all: Line[]) => all.map((line) => line.sign + line.text);

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
  const { entries } = answer<{ entries: Entry[] }>('journal');
  const all = ALL;

  it('is chosen from by kind, by whom, by words and by trouble', () => {
    expect(chosen(entries, all)).toEqual(entries);
    const tools = chosen(entries, { ...all, kind: 'tool' });
    expect(tools.length).toBe(2);
    expect(chosen(entries, { ...all, who: 'the pulse' }).every((one) => one.kind === 'body')).toBe(
      true,
    );
    expect(chosen(entries, { ...all, words: 'SANDWICH not_understood' })).toHaveLength(1);
    const troubles = chosen(entries, { ...all, troubles: true });
    expect(troubles.map((one) => one.outcome).sort()).toEqual(['409', 'not_understood']);
    expect(isTrouble({ ...entries[0]!, kind: 'body', what: 'fault' })).toBe(true);
  });

  it('is asked for what is wanted, and for no more', () => {
    expect(query(ALL)).toBe('');
    expect(query(ALL, { limit: 300 })).toBe('?limit=300');
    const some = { ...ALL, kind: 'tool', words: ' sway & more ', troubles: true };
    expect(query(some, { limit: 5, before: 'a/1' })).toBe(
      '?limit=5&before=a%2F1&kind=tool&text=sway+%26+more',
    );
  });

  it('names the tools and agents that can be looked for', () => {
    expect(names(entries)).toEqual(expect.arrayContaining(['code', 'do_wiggle', 'sway']));
    expect(names([{ ...entries[0]!, detail: null }])).toEqual([]);
    const one = entries.find((entry) => entry.id !== undefined)!;
    const together = chosen(entries, { ...ALL, id: one.id! });
    expect(together.length).toBeGreaterThan(0);
    expect(together.every((entry) => entry.id === one.id)).toBe(true);
  });

  it('is handed out line by line, the oldest first', () => {
    const out = lines(entries.slice(0, 2))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
    expect(out.map((one) => one.seq)).toEqual([entries[1]!.seq, entries[0]!.seq]);
    expect(distinct(['b', 'a', 'b'])).toEqual(['a', 'b']);
  });
});

describe('roles', () => {
  it('offer what the server would allow', () => {
    const deeds = Object.keys(NEEDS) as (keyof typeof NEEDS)[];
    const allowed = ROLES.map(
      (role) =>
        deeds.filter((deed) => may({ atLeast: role, exact: true, name: null }, deed)).length,
    );
    expect(allowed).toEqual([2, 7, 12, deeds.length]);
    expect(deeds.filter((deed) => may(NOBODY, deed))).toEqual([]);
  });

  it('are concluded from what was answered', () => {
    const asked = { viewer: true, operator: true, engineer: false };
    expect(concluded(asked)).toMatchObject({ atLeast: 'operator', exact: true });
    expect(may(concluded(asked), 'approve')).toBe(false);
    // Nothing that can be read tells an owner from an engineer.
    expect(may(concluded({ ...asked, engineer: true }), 'approve')).toBe(true);
    expect(concluded({ viewer: false, operator: false, engineer: false })).toEqual(NOBODY);
  });
});
