/** Steering by the tilt of a phone, relative to its tilt when it began. Pure functions. */

import { toDegrees, toRadians } from '../protocol/joints';
import { clamp, type Setpoint } from './teleop';

/** What a tilt to the side moves. A tilt forward always moves the pitch. */
export type TiltMode = 'yaw' | 'roll';

export interface Tilt {
  /** The tilt of the upper edge away from the user, degrees. */
  forward_deg: number;
  /** The tilt of the right edge down, degrees. */
  right_deg: number;
}

/** A smaller tilt moves nothing, since a hand is never quite still, degrees. */
export const DEAD_ZONE_DEG = 3;

/** The head turns further than a wrist, so the yaw is that multiple of the tilt. */
const YAW_GAIN = 1.5;

/**
 * Returns the tilt of a device against gravity from the angles of an orientation event; `null` without a sensor. The
 * compass is not used, so that turning around and drifting change nothing. `screenAngle` is that of the screen, degrees.
 */
export function tiltOf(
  beta: number | null,
  gamma: number | null,
  screenAngle: number,
): Tilt | null {
  if (beta === null || gamma === null || !Number.isFinite(beta + gamma)) return null;
  const [b, g, a] = [toRadians(beta), toRadians(gamma), toRadians(screenAngle)];
  // The direction upwards in the axes of the device, then in those of the screen.
  const [x, y, z] = [-Math.cos(b) * Math.sin(g), Math.sin(b), Math.cos(b) * Math.cos(g)];
  const right = Math.cos(a) * x - Math.sin(a) * y;
  const up = Math.sin(a) * x + Math.cos(a) * y;
  return {
    forward_deg: -toDegrees(Math.atan2(up, z)),
    right_deg: toDegrees(Math.asin(Math.max(-1, Math.min(1, -right)))),
  };
}

const wrap = (angle: number): number => angle - 360 * Math.round(angle / 360);

/** The motion begins at the edge of the dead zone, without a jump. */
const outsideDeadZone = (angle: number): number =>
  Math.sign(angle) * Math.max(0, Math.abs(angle) - DEAD_ZONE_DEG);

/** Returns the tilt relative to its center. */
export const tiltFrom = (center: Tilt, tilt: Tilt): Tilt => ({
  forward_deg: outsideDeadZone(wrap(tilt.forward_deg - center.forward_deg)),
  right_deg: outsideDeadZone(tilt.right_deg - center.right_deg),
});

/** Returns the setpoint for a tilt, beginning from the setpoint at its center. */
export function tiltedSetpoint(base: Setpoint, tilt: Tilt, mode: TiltMode): Setpoint {
  const pitch_deg = clamp('pitch_deg', base.pitch_deg + tilt.forward_deg);
  if (mode === 'roll')
    return { ...base, pitch_deg, roll_deg: clamp('roll_deg', base.roll_deg + tilt.right_deg) };
  // A positive yaw is to the left.
  const yaw_deg = clamp('yaw_deg', base.yaw_deg - YAW_GAIN * tilt.right_deg);
  return { ...base, pitch_deg, yaw_deg };
}
