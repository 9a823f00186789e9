import { describe, expect, it } from 'vitest';
import { ROBOT_STATE } from '../src/protocol/compat';
import { limitMarks, rangePosition } from '../src/logic/limits';
import type { RobotState, Limits, Clamp } from '../src/protocol/responses';
import { MOTORS } from '../src/protocol/joints';
import { decodeFrame, frameFromState } from '../src/protocol/telemetry';
import { fixture, bytes } from './fixtures';

const { frames, state } = fixture<{ frames: string[]; state: RobotState }>('frame', {
  inside: { state: ROBOT_STATE },
});

const limits: Limits = {
  joints: MOTORS.map((name) => ({
    name,
    min_deg: name.startsWith('stewart') ? -50 : -160,
    max_deg: name.startsWith('stewart') ? 80 : 160,
    max_velocity_dps: 300,
    acceleration_dps2: 2000,
  })),
  head_pitch_deg: 40,
  head_roll_deg: 40,
  relative_yaw_deg: 65,
};
const clamp = (what: string, cause: string): Clamp => ({
  what,
  cause,
  max_clamp_deg: 3,
  cycles: 9,
});
const positions = {
  present_deg: [0, 20, -20, 20, -20, 20, -20, -10, 10],
  posture: { ...state.posture!, pitch_deg: 0, roll_deg: 0, yaw_deg: 0, body_yaw_deg: 0 },
  clamping: false,
};

describe('limits', () => {
  it('locate the present and the goal position in the range', () => {
    const range = { min_deg: -50, max_deg: 50 };
    expect(rangePosition(range, 0, 25)).toEqual({ present: 0.5, goal: 0.75, near: null });
    expect(rangePosition(range, 46, 0).near).toBe('high');
    expect(rangePosition(range, -45.1, 0).near).toBe('low');
    expect(rangePosition(range, 45, 0).near).toBeNull();
    expect(rangePosition(range, 70, -70)).toMatchObject({ present: 1, goal: 0 });
    // Without a reading the goal counts.
    expect(rangePosition(range, null, 50)).toEqual({ present: null, goal: 1, near: 'high' });
  });

  it('mark a joint near its limit', () => {
    expect(limitMarks(positions, limits, [])).toEqual({});
    const leg = {
      ...positions,
      present_deg: positions.present_deg.map((angle, at) => (at === 3 ? 77 : angle)),
    };
    expect(limitMarks(leg, limits, [])).toEqual({ stewart_3: 'near' });
    expect(limitMarks(leg, null, [])).toEqual({});
    const unread = { ...positions, present_deg: [null, ...positions.present_deg.slice(1)] };
    expect(limitMarks(unread, limits, [])).toEqual({});
  });

  it('mark the head near its pitch, roll and relative yaw limits', () => {
    const head = (by: object) =>
      limitMarks({ ...positions, posture: { ...positions.posture, ...by } }, limits, [])['head'];
    expect(head({ pitch_deg: -36 })).toBe('near');
    expect(head({ roll_deg: 34 })).toBeUndefined();
    expect(head({ yaw_deg: 62 })).toBe('near');
    expect(head({ yaw_deg: 100, body_yaw_deg: 60 })).toBeUndefined();
    expect(head({ yaw_deg: -179, body_yaw_deg: 160 })).toBeUndefined();
  });

  it('mark clamped parts during the clamped motion', () => {
    const clamps = [
      clamp('stewart_2', 'velocity'),
      clamp('pitch', 'head_pitch_roll'),
      clamp('body_yaw', 'position'),
    ];
    expect(limitMarks(positions, limits, clamps)).toEqual({});
    expect(limitMarks({ ...positions, clamping: true }, limits, clamps)).toEqual({
      stewart_2: 'clamped',
      head: 'clamped',
      body_rotation: 'clamped',
    });
    expect(limitMarks({ ...positions, clamping: null }, limits, clamps)).toEqual({});
  });

  it('read the clamping bit of a frame', () => {
    const frame = frames[0]!;
    expect(decodeFrame(bytes(frame))!.clamping).toBe(false);
    const clamped = decodeFrame(bytes(`${frame.slice(0, 4)}0200${frame.slice(8)}`))!;
    expect([clamped.clamping, clamped.faulty]).toEqual([true, false]);
    expect(frameFromState(state).clamping).toBeNull();
  });
});
