import { describe, expect, it } from 'vitest';
import {
  addPlot,
  layoutsText,
  MAX_PLOTS,
  MAX_SIGNALS,
  movePlot,
  parseLayout,
  parseLayouts,
  PRESETS,
  removePlot,
  toggleSignal,
} from '../src/logic/plots/layout';
import { SIGNALS, signalById } from '../src/logic/plots/signals';

describe('a layout', () => {
  it('survives being stored', () => {
    for (const layout of Object.values(PRESETS)) {
      expect(parseLayout(JSON.stringify(layout))).toEqual(layout);
      for (const { signals } of layout.plots)
        expect(signals.every((id) => signalById(id) !== undefined)).toBe(true);
    }
    const all = new Map([['my plots', PRESETS.motors]]);
    expect(parseLayouts(layoutsText(all))).toEqual(all);
  });

  it('is checked when it is read', () => {
    for (const text of [null, '', 'x', '7', '{}', '{"plots": 3}', '[]'])
      expect(parseLayout(text)).toBeNull();
    const odd = {
      columns: 7,
      plots: [{ signals: ['goal.nose', 3, 'goal.left_antenna', 'goal.left_antenna'] }, null],
    };
    expect(parseLayout(JSON.stringify(odd))).toEqual({
      columns: 1,
      plots: [
        { id: 0, signals: ['goal.left_antenna'] },
        { id: 1, signals: [] },
      ],
    });
    const many = { plots: Array(99).fill({ signals: SIGNALS.map(({ id }) => id) }) as unknown[] };
    const bounded = parseLayout(JSON.stringify(many))!;
    expect(bounded.plots.length).toBe(MAX_PLOTS);
    expect(bounded.plots[0]!.signals.length).toBe(MAX_SIGNALS);
    expect(parseLayouts('{"a": 1}').size).toBe(0);
    expect(parseLayouts('[["", {"plots": []}], ["a", 7], 3]').size).toBe(0);
  });

  it('gains, loses and moves plots', () => {
    const { plots } = addPlot(PRESETS.motion);
    expect(plots.map(({ id }) => id)).toEqual([0, 1, 2]);
    const fewer = removePlot({ columns: 1, plots }, 1);
    expect(fewer.plots.map(({ id }) => id)).toEqual([0, 2]);
    expect(movePlot(fewer, 2, -1).plots.map(({ id }) => id)).toEqual([2, 0]);
    expect(movePlot(fewer, 2, 1)).toBe(fewer);
    let full = addPlot({ columns: 1, plots: [] });
    expect(full.plots).toEqual([{ id: 0, signals: [] }]);
    for (let more = 0; more < 20; more += 1) full = addPlot(full);
    expect(full.plots.length).toBe(MAX_PLOTS);
  });

  it('has a bounded number of signals in a plot', () => {
    let layout = toggleSignal(PRESETS.timing, 1, 'jitter.overruns');
    expect(layout.plots[1]!.signals).toEqual([]);
    for (const { id } of SIGNALS) layout = toggleSignal(layout, 1, id);
    expect(layout.plots[1]!.signals.length).toBe(MAX_SIGNALS);
    expect(layout.plots[0]).toBe(PRESETS.timing.plots[0]);
  });
});
