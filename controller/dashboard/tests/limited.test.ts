import { describe, expect, it } from 'vitest';
import { ROBOT_STATE } from '../src/protocol/compat';
import type { Clamp, RobotState } from '../src/protocol/responses';
import { imageMark, project, type CameraIntrinsics } from '../src/logic/camera-model';
import { addTarget, announce, holdAxes, limitedAxes, type SentTarget } from '../src/logic/limited';
import { postureFromSetpoint, setpointFromPosture, type Setpoint } from '../src/logic/teleop';
import { fixture } from './fixtures';

const { state } = fixture<{ state: RobotState }>('frame', { inside: { state: ROBOT_STATE } });
const goal = state.posture!;
const still = setpointFromPosture(goal);
const sent = (...targets: [number, Partial<Setpoint>][]): SentTarget[] =>
  targets.reduce<SentTarget[]>((all, [at, by]) => addTarget(all, { ...still, ...by }, at), []);
const clamp = (what: string, cause: string, max_clamp_deg = 5): Clamp => ({
  what,
  cause,
  cycles: 1,
  max_clamp_deg,
});
const up = still.pitch_deg + 20;

describe('limited axes', () => {
  it('are none while the goal follows within a moment', () => {
    const moving = sent(
      [0, {}],
      [100, { pitch_deg: still.pitch_deg + 10 }],
      [200, { pitch_deg: up }],
    );
    expect(limitedAxes(moving, goal, [], false)).toEqual([]);
    expect(limitedAxes([], goal, [], false)).toEqual([]);
  });

  it('are those whose goal is outside all targets of a moment, with the largest clamp as the cause', () => {
    const waiting = sent([50, { pitch_deg: up }]);
    const clamps = [
      clamp('stewart_1', 'velocity', 1),
      clamp('head', 'head_pitch_roll', 8),
      clamp('right_antenna', 'position', 90),
    ];
    expect(limitedAxes(waiting, goal, clamps, false)).toEqual([
      {
        axis: 'pitch_deg',
        wanted: up,
        reached: expect.closeTo(still.pitch_deg, 6) as number,
        cause: 'head_pitch_roll',
      },
    ]);
    expect(limitedAxes(waiting, goal, [], false)[0]?.cause).toBeNull();
    expect(limitedAxes(waiting, goal, clamps, true)[0]?.cause).toBe('unreachable');
  });

  it('name the axes of each joint', () => {
    const by = { body_yaw_deg: still.body_yaw_deg + 90, left_deg: 170, right_deg: -170 };
    const clamps = [
      clamp('body_yaw', 'velocity'),
      clamp('left_antenna', 'acceleration'),
      clamp('right_antenna', 'jerk'),
    ];
    const causes = limitedAxes(sent([0, by]), goal, clamps, false).map(({ axis, cause }) => [
      axis,
      cause,
    ]);
    expect(causes).toEqual([
      ['body_yaw_deg', 'velocity'],
      ['right_deg', 'jerk'],
      ['left_deg', 'acceleration'],
    ]);
  });

  it('forget old targets, except for the one in force', () => {
    const [first, second] = [
      { ...still, z_mm: 1 },
      { ...still, z_mm: 2 },
    ];
    let all = addTarget([], first, 0);
    all = addTarget(all, second, 100);
    expect(addTarget(all, second, 300)).toHaveLength(2);
    expect(addTarget(all, second, 900)).toEqual([{ at: 100, target: second }]);
    // The page sees the robot late.
    expect(addTarget(all, second, 900, 400)).toHaveLength(2);
  });

  it('stay for a while, with the cause that was known', () => {
    const one = { axis: 'pitch_deg', wanted: 40, reached: 30, cause: 'position' } as const;
    let held = holdAxes([], [one], 0);
    held = holdAxes(held, [{ ...one, cause: null }], 500);
    expect(held).toEqual([{ ...one, until: 1500 }]);
    expect(holdAxes(held, [], 1400)).toEqual(held);
    expect(holdAxes(held, [], 1500)).toEqual([]);
  });

  it('are announced at most every few seconds', () => {
    const first = announce({ text: '', at: -Infinity }, 'pitch', 0);
    expect(first).toEqual({ text: 'pitch', at: 0 });
    expect(announce(first, 'roll', 3000)).toBe(first);
    expect(announce(first, 'roll', 4000)).toEqual({ text: 'roll', at: 4000 });
    expect(announce(first, 'pitch', 9000)).toBe(first);
  });
});

describe('the wanted direction in the image', () => {
  const camera: CameraIntrinsics = {
    camera: 'front',
    width: 640,
    height: 480,
    focal_length_px: [275, 275],
    principal_point_px: [319.5, 239.5],
    distortion: [-0.0694, 0.1565, -0.0004, 0.0003, -0.0983],
  };
  const ahead = { ...goal, yaw_deg: 10, pitch_deg: 5, roll_deg: 0 };
  const mark = (by: Partial<typeof goal>) => imageMark(camera, { ...ahead, ...by }, ahead);

  it('is the center for the present posture', () => {
    const { x, y, roll_deg, isInside } = mark({});
    expect([x, y, roll_deg].map((value) => Math.round(value * 2) / 2 + 0)).toEqual([
      319.5, 239.5, 0,
    ]);
    expect(isInside).toBe(true);
  });

  it('lies on the side to which the head turns, and is rolled as the head', () => {
    expect(mark({ yaw_deg: 25 }).x).toBeLessThan(300);
    expect(mark({ pitch_deg: 20 }).y).toBeGreaterThan(260);
    expect(mark({ roll_deg: 15 }).roll_deg).toBeCloseTo(15);
  });

  it('is a point at the edge outside the image, also behind the head', () => {
    for (const yaw_deg of [80, 120, 170]) {
      const { x, y, isInside } = mark({ yaw_deg });
      expect(isInside).toBe(false);
      expect(x).toBeCloseTo(32);
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(480);
    }
    expect(project(camera, [-1, 0, 0])).toBeNull();
    expect(project(camera, [1, 8, 0])).toBeNull();
  });

  it('comes from the setpoint, whose yaw is relative to the body', () => {
    const back = postureFromSetpoint({ ...still, yaw_deg: 30, body_yaw_deg: 100 });
    expect(back.yaw_deg).toBe(130);
    expect(setpointFromPosture(back).yaw_deg).toBeCloseTo(30);
  });
});
