import { describe, expect, it } from 'vitest';
import { amountOf, dialsOf, layOut, tempoOfTaps, withAmount } from '../src/logic/choreography';
import {
  allSteps,
  insertAfter,
  insertBeside,
  removeStep,
  repeatSteps,
  setSeconds,
  shiftStep,
  startOnBeat,
  swapStep,
  toTempo,
  cutSteps,
  unwrap,
  type Path,
} from '../src/logic/score';
import type { Movement, Plan, Step, Target, TargetName } from '../src/protocol/score';

const turn = (left: number, seconds = 1): Step => ({
  move: {
    part: 'head',
    targets: [['head_left', { value: left }]],
    seconds: { value: seconds },
    easing: null,
  },
});
const wait = (seconds: number): Step => ({ wait: { value: seconds } });
const body: Step = { move: { part: 'body', targets: [], seconds: { value: 2 }, easing: null } };
/** Each step of the list takes a second. */
const second = () => 1;

describe('edits of steps', () => {
  it('count steps as the server does', () => {
    const steps: Step[] = [{ together: [{ sequence: [turn(1), turn(2)] }, body] }, wait(1)];
    const paths = allSteps(steps).map(({ path }) => path.join('.'));
    expect(paths).toEqual(['0', '0.0', '0.0.0', '0.0.1', '0.1', '1']);
  });

  it('insert after a track as its continuation', () => {
    const steps: Step[] = [{ together: [turn(1), body] }];
    expect(insertAfter(steps, [0, 0], turn(2))).toEqual([
      { together: [{ sequence: [turn(1), turn(2)] }, body] },
    ]);
    expect(insertAfter(steps, null, turn(2))).toEqual([...steps, turn(2)]);
  });

  it('insert beside a step, and beside one that runs with others', () => {
    const once = insertBeside([turn(1)], [0], body);
    expect(once).toEqual([{ together: [turn(1), body] }]);
    expect(insertBeside(once, [0, 1], wait(1))).toEqual([{ together: [turn(1), body, wait(1)] }]);
    expect(insertBeside(once, [0], wait(1))).toEqual([{ together: [turn(1), body, wait(1)] }]);
  });

  it('leave no empty loop and no lonely track behind', () => {
    const steps: Step[] = [
      { repeat: { times: { value: 2 }, steps: [turn(1)] } },
      { together: [turn(2), body] },
    ];
    expect(removeStep(steps, [0, 0])).toEqual([{ together: [turn(2), body] }]);
    expect(removeStep(steps, [1, 1])).toEqual([steps[0], turn(2)]);
  });

  it('repeat several steps, and take them out again', () => {
    const steps = [turn(1), turn(2), wait(1)];
    const repeated = repeatSteps(steps, [1], [0], 3);
    expect(repeated).toEqual([
      { repeat: { times: { value: 3 }, steps: [turn(1), turn(2)] } },
      wait(1),
    ]);
    expect(unwrap(repeated, [0])).toEqual(steps);
  });

  it('shift by the waits around a step, so that later steps stay', () => {
    expect(shiftStep([turn(1), turn(2), wait(0.5), turn(3)], [1], 0.3, second)).toEqual([
      turn(1),
      wait(0.3),
      turn(2),
      wait(0.2),
      turn(3),
    ]);
    expect(shiftStep([turn(1), wait(1), turn(2)], [2], -0.4, second)).toEqual([
      turn(1),
      wait(0.6),
      turn(2),
    ]);
    expect(shiftStep([turn(1), wait(0.2), turn(2)], [2], -0.5, second)).toEqual([turn(1), turn(2)]);
  });

  it('change places when a step is moved over the middle of another', () => {
    expect(shiftStep([turn(1), turn(2)], [1], -0.6, second)).toEqual([turn(2), turn(1)]);
    expect(swapStep([turn(1), turn(2)], [0], 1)).toEqual([turn(2), turn(1)]);
    expect(swapStep([turn(1)], [0], -1)).toEqual([turn(1)]);
  });

  it('begin a track later with a wait of its own', () => {
    expect(shiftStep([{ together: [turn(1), body] }], [0, 0], 0.5, second)).toEqual([
      { together: [{ sequence: [wait(0.5), turn(1)] }, body] },
    ]);
  });

  it('set durations to half beats, but not those of parameters', () => {
    const ruled: Step = {
      move: { part: 'body', targets: [], seconds: { parameter: 'pace' }, easing: null },
    };
    const steps = [turn(1, 0.9), wait(0.1), ruled];
    expect(toTempo(steps, 60, () => null)).toEqual([turn(1, 1), wait(0.5), ruled]);
  });

  it('begin at the first beat of a sound', () => {
    const steps: Step[] = [{ sound: 'a.wav' }, wait(2), turn(1)];
    expect(startOnBeat(steps, [0], 0.3)).toEqual([{ sound: 'a.wav' }, wait(0.3), turn(1)]);
    expect(startOnBeat([steps[0]!, turn(1)], [0], 0)).toEqual([steps[0], turn(1)]);
  });

  it('cut what runs outside of a time', () => {
    const steps = [wait(1), turn(1), turn(2)];
    const spans = [
      { start_s: 0, end_s: 1 },
      { start_s: 1, end_s: 2 },
      { start_s: 2, end_s: 3 },
    ];
    const spanOf = (path: Path) => spans[path[0]!]!;
    expect(cutSteps(steps, 0.4, 2, spanOf)).toEqual([wait(0.6), turn(1)]);
    expect(cutSteps(steps, 1, Infinity, spanOf)).toEqual([turn(1), turn(2)]);
  });

  it('never make a movement shorter than the language permits', () => {
    expect(setSeconds([turn(1)], [0], -3)).toEqual([turn(1, 0.1)]);
  });
});

describe('the layout', () => {
  const plan: Plan = {
    seconds: 4,
    runs: [
      { step: 0, start_s: 0, end_s: 2, peak_speed: 0.9 },
      { step: 1, start_s: 0, end_s: 1, peak_speed: 0.2 },
      { step: 1, start_s: 1, end_s: 2, peak_speed: 0.9 },
    ],
    sounds: [],
    unknown_moves: [],
    clamps: [{ joint: 'stewart_3', cause: 'velocity', from_s: 1.2, to_s: 1.4, most_deg: 3 }],
    unreachable_s: null,
    period_s: 0.1,
    axes: [],
    speed: [],
    cycles: [],
  };
  const steps: Step[] = [{ repeat: { times: { value: 2 }, steps: [turn(1)] } }, wait(1)];

  it('shows a step once, with its later rounds, its limits, and the loop around it', () => {
    const { blocks, brackets, idle } = layOut(steps, plan);
    expect(blocks).toHaveLength(1);
    expect(blocks[0]).toMatchObject({ lane: 'head', end_s: 1, peak_speed: 0.9, clamped: true });
    expect(blocks[0]!.again).toHaveLength(1);
    expect(brackets).toMatchObject([{ kind: 'repeat', start_s: 0, end_s: 2, depth: 0 }]);
    expect(idle.map(({ path }) => path)).toEqual([[1]]);
  });
});

describe('brackets', () => {
  it('that overlap stand in rows of their own', () => {
    const loop = (times: number): Step => ({
      repeat: { times: { value: times }, steps: [turn(1)] },
    });
    const run = (step: number, end_s: number) => ({ step, start_s: 0, end_s, peak_speed: 0 });
    const { brackets } = layOut([{ together: [loop(2), loop(3)] }], {
      seconds: 3,
      runs: [run(0, 3), run(1, 2), run(2, 1), run(3, 3), run(4, 1)],
      sounds: [],
      unknown_moves: [],
      clamps: [],
      unreachable_s: null,
      period_s: 0.1,
      axes: [],
      speed: [],
      cycles: [],
    });
    expect(brackets.map(({ depth }) => depth)).toEqual([0, 1, 2]);
  });
});

describe('the dials of a movement', () => {
  const target = (
    name: TargetName,
    axes: string[],
    direction: string,
    maximum: number,
  ): Target => ({
    target: name,
    part: 'antennas',
    word: name,
    direction,
    axes,
    unit: 'degrees',
    maximum,
  });
  const targets = [
    target('antenna_left', ['antenna_left'], 'outward', 90),
    target('antenna_right', ['antenna_right'], 'outward', 90),
    target('antennas_both', ['antenna_left', 'antenna_right'], 'outward', 90),
    target('antenna_left_inward', ['antenna_left'], 'inward', 40),
    target('antenna_right_inward', ['antenna_right'], 'inward', 40),
    target('antennas_both_inward', ['antenna_left', 'antenna_right'], 'inward', 40),
  ];
  const both: Movement = {
    part: 'antennas',
    targets: [['antennas_both', { value: 30 }]],
    seconds: null,
    easing: null,
  };

  it('show a target of both antennas on each, and change one alone', () => {
    const [left, right] = dialsOf('antennas', targets);
    expect(amountOf(both, left!, targets)).toEqual({ constant: 30 });
    const edited = withAmount(both, right!, -60, targets);
    expect(edited.targets).toEqual([
      ['antenna_left', { value: 30 }],
      ['antenna_right_inward', { value: 40 }],
    ]);
    expect(amountOf(edited, right!, targets)).toEqual({ constant: -40 });
    expect(withAmount(edited, right!, null, targets).targets).toEqual([
      ['antenna_left', { value: 30 }],
    ]);
  });

  it('name what a parameter sets', () => {
    const [left] = dialsOf('antennas', targets);
    const written = { product: [20, 'size'] as [number, string] };
    const movement: Movement = { ...both, targets: [['antenna_left', written]] };
    expect(amountOf(movement, left!, targets)).toEqual({ written });
  });
});

describe('a tempo', () => {
  it('is the mean of the taps, and none for one tap or an impossible one', () => {
    expect(tempoOfTaps([0, 500, 1000, 1510])).toBe(119);
    expect(tempoOfTaps([0])).toBeNull();
    expect(tempoOfTaps([0, 20])).toBeNull();
  });
});
