import { describe, expect, it } from 'vitest';
import { itemLines, missedFindings, replayNotes } from '../src/logic/expectations';

const still = { held: false, expected: 'body turn still', measured: '30 degrees', at_s: 0.8 };
const moves = { held: true, expected: 'head left', measured: '15 degrees', at_s: 0.4 };

describe('expectations', () => {
  it('are found at their lines, however the list is written', () => {
    expect(itemLines('[\n  {"kind": "moves"},\n  {"kind": "still"}\n]')).toEqual([2, 3]);
    expect(itemLines('[{"a": [1, 2]}, {"b": "x, [\\"{"},\n\n{\n"c": 1\n}]')).toEqual([1, 1, 3]);
    expect(itemLines('')).toEqual([]);
    expect(itemLines('[]')).toEqual([]);
  });

  it('that are not met become findings at their lines', () => {
    const text = '[\n  {"kind": "moves"},\n  {"kind": "still"}\n]';
    expect(missedFindings([moves, still], text)).toMatchObject([
      { line: 3, verdict: 'reject', reason: 'body turn still: 30 degrees' },
    ]);
    expect(missedFindings([moves], text)).toEqual([]);
  });

  it('are noted in a replay in the order of time, within its duration', () => {
    const late = { ...still, at_s: 9 };
    const { at_s: _, ...timeless } = moves;
    expect(replayNotes([late, timeless, moves], 2)).toEqual([
      { at_s: 0.4, held: true, text: 'head left: 15 degrees' },
      { at_s: 2, held: false, text: 'body turn still: 30 degrees' },
    ]);
  });
});
