import { describe, expect, it } from 'vitest';
import { extremes, plotData, type Line } from '../src/logic/plots/plot-data';
import { CAPACITY, Samples } from '../src/logic/plots/samples';
import { COLUMNS, FIRST_COLUMN, SIGNALS, signalById } from '../src/logic/plots/signals';
import {
  moveEdge,
  pan,
  selectSpan,
  shownSpan,
  stepTime,
  zoom,
  type TimeWindow,
} from '../src/logic/plots/time-window';
import { MOTORS } from '../src/protocol/joints';

/** Returns samples of one column at 50 Hz. */
function sampled(count: number, value: (at: number) => number, capacity = CAPACITY): Samples {
  const samples = new Samples(capacity, 1);
  for (let at = 0; at < count; at += 1) samples.push(at / 50, [value(at)]);
  return samples;
}

const line = (samples: Samples, more: Partial<Line> = {}): Line => ({
  samples,
  column: 0,
  stepped: false,
  offset_s: 0,
  ...more,
});

describe('the signals', () => {
  it('have unique names and columns', () => {
    expect(new Set(SIGNALS.map(({ id }) => id)).size).toBe(COLUMNS);
    SIGNALS.forEach((signal, at) => {
      expect(signal.column).toBe(at);
      expect(signalById(signal.id)).toBe(signal);
    });
    MOTORS.forEach((motor, at) =>
      expect(signalById(`goal.${motor}`)?.column).toBe(FIRST_COLUMN.goal + at),
    );
    expect(signalById('goal.nose')).toBeUndefined();
  });
});

describe('samples', () => {
  it('grow up to their capacity and then overwrite the oldest', () => {
    const samples = sampled(5000, (at) => at, 3000);
    expect([samples.length, samples.first, samples.next]).toEqual([3000, 2000, 5000]);
    expect(samples.overwritten).toBe(true);
    for (const index of [2000, 2001, 3500, 4999]) {
      expect(samples.timeAt(index)).toBe(index / 50);
      expect(samples.valueAt(0, index)).toBe(index);
    }
    expect([samples.firstTime, samples.lastTime]).toEqual([40, 4999 / 50]);
    samples.clear();
    expect([samples.length, samples.firstTime]).toEqual([0, NaN]);
  });

  it('find the sample of a time', () => {
    const samples = sampled(100, (at) => at);
    expect(samples.indexFrom(-1)).toBe(0);
    expect(samples.indexFrom(0.03)).toBe(2);
    expect(samples.indexFrom(9)).toBe(100);
    expect(samples.indexAt(-1)).toBeNull();
    expect(samples.indexAt(0.02)).toBe(1);
    expect(samples.indexAt(0.03)).toBe(1);
    expect(samples.valueAtTime(0, 0.03, false)).toBeCloseTo(1.5);
    expect(samples.valueAtTime(0, 0.03, true)).toBe(1);
    expect(samples.valueAtTime(0, 9, true)).toBeNaN();
  });

  it('reject times that do not advance', () => {
    const samples = sampled(2, (at) => at);
    for (const time of [0, 0.02, NaN, Infinity]) expect(samples.push(time, [1])).toBe(false);
    expect(samples.push(0.03, [])).toBe(true);
    expect(samples.valueAt(0, 2)).toBeNaN();
  });
});

describe('the data of a plot', () => {
  it('has every sample where there is room', () => {
    const samples = sampled(100, (at) => at);
    const { xs, ys } = plotData([line(samples)], 0.5, 1, 100);
    // One more on either side, so that the line reaches the edges.
    expect([xs[0], xs.at(-1)]).toEqual([0.48, 1]);
    expect(Array.from(ys[0]!)).toEqual(Array.from(xs, (time) => Math.round(time * 50)));
  });

  it('keeps every peak where there are more samples than pixels', () => {
    const samples = sampled(30_000, (at) => (at === 12_345 ? 99 : Math.sin(at / 300)));
    const { xs, ys } = plotData([line(samples)], 0, 600, 400);
    const values = Array.from(ys[0]!).filter((value) => value !== null);
    expect(xs.length).toBeLessThan(900);
    expect(Math.max(...values)).toBe(99);
    expect(Math.min(...values)).toBeCloseTo(-1, 3);
    const at = values.indexOf(99);
    expect(Math.abs(xs[at]! - 12_345 / 50)).toBeLessThan(600 / 400);
  });

  it('does not flicker while the window moves on', () => {
    const samples = sampled(30_000, (at) => Math.sin(at / 7));
    const one = plotData([line(samples)], 100, 500, 400);
    const two = plotData([line(samples)], 100.02, 500.02, 400);
    const early = Array.from(one.xs).findIndex((time) => time > 200);
    expect(two.xs.slice(early, early + 300)).toEqual(one.xs.slice(early, early + 300));
    expect(two.ys[0]!.slice(early, early + 300)).toEqual(one.ys[0]!.slice(early, early + 300));
  });

  it('has gaps where values are unknown', () => {
    const samples = sampled(50, (at) => (at >= 10 && at < 20 ? NaN : at));
    const values = Array.from(plotData([line(samples)], 0, 1, 400).ys[0]!);
    expect(values[9]).toBe(9);
    expect(values.slice(10, 20)).toEqual(Array(10).fill(null));
    const many = sampled(5000, (at) => (at >= 1000 && at < 2000 ? NaN : at));
    const { xs, ys } = plotData([line(many)], 0, 100, 100);
    Array.from(xs).forEach((time, at) => {
      if (time > 21 && time < 39) expect(ys[0]![at]).toBeNull();
      if (time > 41 && time < 99) expect(ys[0]![at]).not.toBeNull();
    });
  });

  it('lays runs with other times and rates over each other', () => {
    const one = sampled(50, (at) => at);
    const slow = new Samples(100, 1);
    for (let at = 0; at < 10; at += 1) slow.push(at / 10, [10 * at]);
    const { xs, ys } = plotData([line(one), line(slow, { offset_s: 0.01 })], 0, 2, 400);
    const at = Array.from(xs).findIndex((time) => Math.abs(time - 0.5) < 1e-9);
    expect([ys[0]![at], ys[1]![at]]).toEqual([25, expect.closeTo(49, 3) as unknown]);
    // Both begin and end with a sample of their own.
    expect(
      Array.from(ys[1]!)
        .filter((value) => value !== null)
        .at(-1),
    ).toBe(90);
    expect(ys[0]!.at(-1)).toBe(49);
    const sparse = new Samples(100, 1);
    for (let at = 0; at < 60; at += 1) sparse.push(10 * at, [at]);
    const dense = plotData([line(sampled(30_000, () => 1)), line(sparse)], 0, 590, 100);
    expect(dense.ys[1]!.filter((value) => value !== null).length).toBeGreaterThan(190);
  });

  it('is empty without lines or time', () => {
    const samples = sampled(50, (at) => at);
    expect(plotData([], 0, 1, 100).ys).toEqual([]);
    expect(plotData([line(samples)], 1, 1, 100).xs.length).toBe(0);
    expect(Array.from(plotData([line(new Samples(10, 1))], 0, 1, 100).ys[0]!)).toEqual([]);
  });

  it('tells the lowest and the highest value', () => {
    const samples = sampled(100, (at) => (at === 5 ? NaN : at));
    expect(extremes(line(samples), 0, 1)).toEqual({ min: 0, max: 50 });
    expect(extremes(line(samples), 5, 6)).toBeNull();
  });
});

describe('the section of time', () => {
  const all = { from: 0, to: 100 };
  const follow: TimeWindow = { kind: 'follow', length_s: 30 };

  it('follows, shows everything or stays', () => {
    expect(shownSpan(follow, all)).toEqual({ from: 70, to: 100 });
    expect(shownSpan({ kind: 'all' }, all)).toEqual(all);
    expect(shownSpan({ kind: 'fixed', from: 1, to: 2 }, all)).toEqual({ from: 1, to: 2 });
    expect(shownSpan(follow, null)).toBeNull();
  });

  it('zooms around a time and back to everything', () => {
    expect(zoom(follow, all, 0.5)).toEqual({ kind: 'follow', length_s: 15 });
    const near = zoom({ kind: 'all' }, all, 0.5, 20);
    expect(near).toEqual({ kind: 'fixed', from: 10, to: 60 });
    expect(zoom(near, all, 0.5, 20)).toEqual({ kind: 'fixed', from: 15, to: 40 });
    expect(zoom(near, all, 4)).toEqual({ kind: 'all' });
    expect(zoom(near, null, 4)).toBe(near);
  });

  it('is selected in either direction and stays within what there is', () => {
    expect(selectSpan(30, 10, all)).toEqual({ kind: 'fixed', from: 10, to: 30 });
    expect(selectSpan(-20, 10, all)).toEqual({ kind: 'fixed', from: 0, to: 30 });
    expect(selectSpan(95, 120, all)).toEqual({ kind: 'fixed', from: 75, to: 100 });
    const tiny = selectSpan(50, 50, all);
    expect(tiny.kind === 'fixed' && tiny.to - tiny.from).toBeCloseTo(0.1);
  });

  it('moves as a whole and by its edges', () => {
    const fixed: TimeWindow = { kind: 'fixed', from: 40, to: 60 };
    expect(pan(fixed, all, 0.5)).toEqual({ kind: 'fixed', from: 50, to: 70 });
    expect(pan(fixed, all, -9)).toEqual({ kind: 'fixed', from: 0, to: 20 });
    expect(moveEdge(fixed, all, 'from', 10)).toEqual({ kind: 'fixed', from: 10, to: 60 });
    expect(moveEdge(fixed, all, 'to', 200)).toEqual({ kind: 'fixed', from: 40, to: 100 });
    const crossed = moveEdge(fixed, all, 'to', 10);
    expect(crossed.kind === 'fixed' && crossed.from).toBe(40);
    expect(stepTime(40, { from: 40, to: 60 }, -1)).toBe(40);
    expect(stepTime(40, { from: 40, to: 60 }, 10)).toBe(42);
  });
});
