import { describe, expect, it } from 'vitest';
import { compareRuns, findOffset } from '../src/logic/plots/compare-runs';
import { emptyRow, fill, FrameRows } from '../src/logic/plots/rows';
import { anglesAt, imageAt, RunReader, runFromRehearsal } from '../src/logic/plots/run';
import { Samples } from '../src/logic/plots/samples';
import { FIRST_COLUMN, signalById } from '../src/logic/plots/signals';
import { MOTORS } from '../src/protocol/joints';
import { LineReader, parseMessage, type RecordingMessage } from '../src/protocol/recording';
import { decodeFrame } from '../src/protocol/telemetry';
import { bytes, fixture } from './fixtures';

const column = (id: string): number => signalById(id)!.column;

/** Returns a run in which one joint sways after a rest, with another one in its place if `motor` says so. */
function swaying(rest_s: number, { motor = 7, amplitude = 10, period_s = 0.02 } = {}): Samples {
  const samples = new Samples();
  const row = emptyRow();
  for (let at = 0; at * period_s < rest_s + 3; at += 1) {
    const time = at * period_s - rest_s;
    const angles = MOTORS.map((_, joint) =>
      joint === motor && time > 0 ? amplitude * Math.sin(4 * time) : 0,
    );
    fill(row, 'goal', angles);
    fill(row, 'present', angles);
    samples.push(at * period_s, row);
  }
  return samples;
}

describe('two runs', () => {
  it('are shifted so that their motions begin together', () => {
    const one = swaying(0.4);
    expect(findOffset(one, one)).toBe(0);
    expect(findOffset(one, swaying(1.5))).toBeCloseTo(-1.1, 2);
    expect(findOffset(swaying(1.5), one)).toBeCloseTo(1.1, 2);
    // Also at another rate, and where one of them never moves.
    expect(Math.abs(findOffset(one, swaying(1, { period_s: 0.03 })) + 0.6)).toBeLessThan(0.02);
    expect(findOffset(one, new Samples())).toBe(0);
    expect(Number.isFinite(findOffset(one, swaying(1, { amplitude: 0 })))).toBe(true);
  });

  it('differ most at a motor and a time', () => {
    const one = swaying(0.4);
    const same = compareRuns(one, swaying(0.9), -0.5);
    expect(same.goal?.max_deg).toBeLessThan(0.01);
    const apart = compareRuns(one, swaying(0.4, { amplitude: 12 }), 0);
    expect(apart.present?.motor).toBe('right_antenna');
    expect(apart.present?.max_deg).toBeCloseTo(2, 1);
    expect(Math.abs(Math.sin(4 * (apart.present!.at_s - 0.4)))).toBeCloseTo(1, 2);
    expect(compareRuns(one, swaying(0), 1000)).toEqual({ goal: null, present: null });
  });
});

const header = {
  type: 'header' as const,
  name: '<img src=x onerror=alert(1)>',
  period_s: 0.01,
  // In another order than ours.
  motors: [...MOTORS].reverse().map((name) => ({ name })),
};

const cycle = (number: number, angle: number): RecordingMessage => ({
  type: 'cycle',
  cycle: number,
  goal_deg: [angle + 1, 0, 0, 0, 0, 0, 0, 0, 0],
  present_deg: [angle, 0, 0, 0, 0, 0, 0, 0, 0],
  clamps: number === 102 ? [{ motor: 0, amount_deg: 2.5 }] : [],
});

describe('a recording', () => {
  it('becomes samples of all signals from its first cycle on', () => {
    const reader = new RunReader();
    const messages: RecordingMessage[] = [
      header,
      { type: 'image', cycle: 99, jpeg: 'AAAA', detections: [{ label: 'cup', score: 0.5 }] },
      cycle(100, 5),
      cycle(102, 6),
      {
        type: 'motors',
        cycle: 103,
        temperature_c: [40, null, 31, 31, 31, 31, 31, 31, 31],
        voltage_v: [],
        current_ma: [],
        velocity_dps: [],
      },
      {
        type: 'control_loop',
        cycle: 103,
        jitter_p50_us: 3,
        jitter_p99_us: 20,
        jitter_max_us: 99,
        overruns: 1,
      },
      { type: 'image', cycle: 103, jpeg: 'BBBB' },
      cycle(104, 7),
      { type: 'footer', cycles: 3 },
    ];
    for (const message of messages) expect(reader.push(message)).toBe(true);
    const { samples, images, name, truncated } = reader.run;
    expect([name, truncated]).toEqual([header.name, false]);
    const values = (id: string) => [0, 1, 2].map((index) => samples.valueAt(column(id), index));
    expect([0, 1, 2].map((index) => samples.timeAt(index))).toEqual([0, 0.02, 0.04]);
    expect(values('present.left_antenna')).toEqual([5, 6, 7]);
    expect(values('goal.left_antenna')).toEqual([6, 7, 8]);
    expect(values('tracking_error.left_antenna')).toEqual([1, 1, 1]);
    expect(values('clamp.left_antenna')).toEqual([0, 2.5, 0]);
    expect(values('state.clamped')).toEqual([0, 1, 0]);
    expect(values('temperature.left_antenna')).toEqual([NaN, NaN, 40]);
    expect(values('temperature.right_antenna')).toEqual([NaN, NaN, NaN]);
    expect(values('jitter.p99_us')).toEqual([NaN, NaN, 20]);
    expect(values('camera.detections')).toEqual([1, 1, 0]);
    expect(values('head.left_deg')).toEqual([5, 6, 7]);
    expect(images.map(({ at_s, jpeg }) => [at_s, jpeg])).toEqual([
      [-0.01, 'AAAA'],
      [0.03, 'BBBB'],
    ]);
    expect(imageAt(images, 0.02)?.jpeg).toBe('AAAA');
    expect(imageAt(images, 9)?.jpeg).toBe('BBBB');
    expect(imageAt(images, -1)).toBeNull();
    expect(anglesAt(samples, 'present', 0.03)?.[8]).toBe(6);
    expect(anglesAt(samples, 'present', -1)).toBeNull();
  });

  it('is rejected if its motors are not those of the robot', () => {
    const wrong: RecordingMessage[] = [
      { ...header, motors: [{ name: 'nose' }] },
      { ...header, period_s: 0 },
      { ...header, motors: null as never },
      cycle(1, 1),
    ];
    for (const message of wrong) expect(new RunReader().push(message)).toBe(false);
  });

  it('may hold anything in its numbers', () => {
    const reader = new RunReader();
    reader.push(header);
    const odd = { type: 'cycle', cycle: 1, goal_deg: ['x', null], present_deg: 7, clamps: 'x' };
    expect(reader.push(odd as never)).toBe(true);
    expect(reader.push({ ...odd, cycle: '2' } as never)).toBe(true);
    expect(reader.run.samples.length).toBe(1);
    expect(anglesAt(reader.run.samples, 'goal', 0)).toBeNull();
  });

  it('is read line by line, however it arrives', () => {
    const lines = [header, cycle(1, 1), cycle(2, 2)].map((message) => JSON.stringify(message));
    const text = new TextEncoder().encode(`${lines.join('\n')}\nnot a message\n{"type":"cyc`);
    for (const size of [1, 7, 100, text.length]) {
      const [splitter, found] = [new LineReader(), [] as string[]];
      for (let at = 0; at < text.length; at += size)
        found.push(...splitter.push(text.subarray(at, at + size)));
      expect(found).toEqual([...lines, 'not a message']);
    }
    expect(parseMessage('not a message')).toBeNull();
    expect(parseMessage('7')).toBeNull();
    expect(parseMessage(lines[0]!)?.type).toBe('header');
  });
});

describe('a rehearsal', () => {
  it('becomes a run with the pose of the head', () => {
    const { present_deg } = decodeFrame(bytes(fixture<{ frames: string[] }>('frame').frames[0]!))!;
    const angles = present_deg.map((angle) => angle ?? 0);
    const cycles = [0, 1].map(() => ({ present_deg: angles, goal_deg: angles }));
    const run = runFromRehearsal('nod v1', { period_s: 0.02, cycles, truncated: true });
    expect([run.kind, run.truncated, run.samples.length]).toEqual(['rehearsal', true, 2]);
    expect(run.samples.timeAt(1)).toBe(0.02);
    expect(run.samples.valueAt(column('head.yaw_deg'), 1)).toBeCloseTo(20, 0);
    expect(run.samples.valueAt(column('clamp.left_antenna'), 1)).toBeNaN();
  });

  it('keeps the expectations at their times within the motion', () => {
    const cycles = [0, 1, 2].map(() => ({
      present_deg: MOTORS.map(() => 0),
      goal_deg: MOTORS.map(() => 0),
    }));
    const measured = [
      { held: false, expected: 'ends level', measured: '12°', at_s: 9 },
      { held: true, expected: 'turns left', measured: '20°', at_s: 0.02 },
      { held: true, expected: 'takes 1 s', measured: '1 s', at_s: null },
    ];
    const { notes } = runFromRehearsal('nod', { period_s: 0.02, cycles }, measured);
    expect(notes.map(({ at_s, held }) => [at_s, held])).toEqual([
      [0.02, true],
      [0.04, false],
    ]);
  });
});

describe('a frame of telemetry', () => {
  it('becomes a row with what is known of the slow state', () => {
    const frame = decodeFrame(bytes(fixture<{ frames: string[] }>('frame').frames[0]!))!;
    const rows = new FrameRows();
    const unknown = { joints: null, clamps: [], health: null, detections: null };
    const first = rows.of(frame, unknown);
    expect(first[column('present.left_antenna')]).toBeCloseTo(10, 0);
    expect(first[column('head.yaw_deg')]).toBeCloseTo(20, 0);
    expect(first[column('head_goal.yaw_deg')]).toBeCloseTo(20, 0);
    expect(first[column('state.clamped')]).toBe(0);
    for (const id of ['temperature.left_antenna', 'jitter.p50_us', 'camera.detections'])
      expect(first[column(id)]).toBeNaN();
    const clamps = [{ what: 'left_antenna', cause: 'velocity', max_clamp_deg: 3, cycles: 9 }];
    const joints = [{ name: 'left_antenna', temperature_c: 41, voltage_v: 5, current_ma: -120 }];
    const next = rows.of(
      { ...frame, clamping: true },
      { ...unknown, clamps, joints: joints as never, detections: 2 },
    );
    expect(next[column('clamp.left_antenna')]).toBe(3);
    expect(next[column('clamp.right_antenna')]).toBe(0);
    expect(next[column('temperature.left_antenna')]).toBe(41);
    expect(next[column('current.left_antenna')]).toBe(-120);
    expect(next[column('temperature.right_antenna')]).toBeNaN();
    expect(next[FIRST_COLUMN.camera]).toBe(2);
    expect(rows.of({ ...frame, clamping: null }, unknown)[column('state.clamped')]).toBeNaN();
  });
});
