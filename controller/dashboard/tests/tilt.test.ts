import { describe, expect, it } from 'vitest';
import { DEAD_ZONE_DEG, tiltedSetpoint, tiltFrom, tiltOf } from '../src/logic/tilt';
import { AXES, AXIS_LIMITS, type Setpoint } from '../src/logic/teleop';

const still = Object.fromEntries(AXES.map((axis) => [axis, 0])) as Setpoint;
const rounded = (tilt: ReturnType<typeof tiltOf>) =>
  tilt && [Math.round(tilt.forward_deg) + 0, Math.round(tilt.right_deg) + 0];

describe('the tilt of a phone', () => {
  it('is that against gravity, in the axes of the screen', () => {
    expect(rounded(tiltOf(0, 0, 0))).toEqual([0, 0]);
    // The upper edge is lifted; the right edge is lowered.
    expect(rounded(tiltOf(30, 0, 0))).toEqual([-30, 0]);
    expect(rounded(tiltOf(0, 30, 0))).toEqual([0, 30]);
    expect(rounded(tiltOf(90, 0, 0))).toEqual([-90, 0]);
    // A phone on its left side, with the screen turned: what was its right edge is the upper one.
    expect(rounded(tiltOf(0, -30, 90))).toEqual([-30, 0]);
    expect(rounded(tiltOf(30, 0, 90))).toEqual([0, 30]);
    expect(rounded(tiltOf(0, 30, 270))).toEqual([-30, 0]);
  });

  it('is unknown without a sensor', () => {
    expect(tiltOf(null, null, 0)).toBeNull();
    expect(tiltOf(NaN, 0, 0)).toBeNull();
  });

  it('counts from its center, beyond a dead zone', () => {
    const center = { forward_deg: -40, right_deg: 5 };
    expect(tiltFrom(center, center)).toEqual({ forward_deg: 0, right_deg: 0 });
    expect(tiltFrom(center, { forward_deg: -38, right_deg: 7 })).toEqual({
      forward_deg: 0,
      right_deg: 0,
    });
    const beyond = tiltFrom(center, { forward_deg: -20, right_deg: -15 });
    expect(beyond).toEqual({ forward_deg: 20 - DEAD_ZONE_DEG, right_deg: -20 + DEAD_ZONE_DEG });
    // Over the edge where the angle wraps.
    const [before, after] = [-175, 175].map((forward_deg) => ({ forward_deg, right_deg: 0 }));
    expect(tiltFrom(before!, after!).forward_deg).toBeCloseTo(-10 + DEAD_ZONE_DEG);
  });

  it('moves pitch and yaw or roll from where they were, within their limits', () => {
    const base = { ...still, pitch_deg: 5, yaw_deg: 10, z_mm: 7 };
    const tilt = { forward_deg: 10, right_deg: 20 };
    expect(tiltedSetpoint(base, tilt, 'yaw')).toEqual({ ...base, pitch_deg: 15, yaw_deg: -20 });
    expect(tiltedSetpoint(base, tilt, 'roll')).toEqual({ ...base, pitch_deg: 15, roll_deg: 20 });
    const far = tiltedSetpoint(base, { forward_deg: -170, right_deg: -90 }, 'yaw');
    expect([far.pitch_deg, far.yaw_deg]).toEqual([
      -AXIS_LIMITS.pitch_deg.max,
      AXIS_LIMITS.yaw_deg.max,
    ]);
  });
});
