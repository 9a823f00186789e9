/** How close the joints are to their limits, and which parts of the robot are clamped. Pure functions. */

import type { Limits, Clamp } from '../protocol/responses';
import { MOTORS, type Motor, type Posture } from '../protocol/joints';

/** The distance to a limit that counts as near, degrees. */
export const NEAR_DEG = 5;

/** Positions within a range, each from 0 to 1. */
export interface RangePosition {
  present: number | null;
  goal: number;
  near: 'low' | 'high' | null;
}

export function rangePosition(
  range: { min_deg: number; max_deg: number },
  present_deg: number | null,
  goal_deg: number,
): RangePosition {
  const { min_deg, max_deg } = range;
  const fraction = (angle: number) =>
    Math.max(0, Math.min(1, (angle - min_deg) / Math.max(1e-9, max_deg - min_deg)));
  const angle = present_deg ?? goal_deg;
  const isLow = angle - min_deg < NEAR_DEG;
  const isHigh = max_deg - angle < NEAR_DEG;
  return {
    present: present_deg === null ? null : fraction(present_deg),
    goal: fraction(goal_deg),
    near: isLow ? 'low' : isHigh ? 'high' : null,
  };
}

/** The parts of the 3D model: each motor moves one, and the six legs carry the head. */
export type Part = Motor | 'head';
/** The part is near a limit, or the safety envelope clamps it. */
export type Mark = 'near' | 'clamped';
export type Marks = Partial<Record<Part, Mark>>;

/** Returns the parts that a clamp affects. */
function clampedParts(clamp: Clamp): Part[] {
  if (clamp.cause === 'head_pitch_roll' || clamp.cause === 'relative_yaw') return ['head'];
  if (clamp.what === 'body_yaw') return ['body_rotation'];
  const motor = MOTORS.find((name) => name === clamp.what);
  return [motor ?? 'head'];
}

interface MotorPositions {
  present_deg: (number | null)[];
  posture: Posture | null;
  /** Whether the current motion is clamped; `null` if the robot does not report it. */
  clamping: boolean | null;
}

export function limitMarks(
  positions: MotorPositions,
  limits: Limits | null,
  clamps: Clamp[],
): Marks {
  const all: Marks = {};
  if (limits !== null) {
    MOTORS.forEach((name, at) => {
      const range = limits.joints.find((joint) => joint.name === name);
      const angle = positions.present_deg[at];
      if (range === undefined || angle === null || angle === undefined) return;
      if (rangePosition(range, angle, angle).near !== null) all[name] = 'near';
    });
    if (positions.posture !== null && headIsNear(positions.posture, limits)) all.head = 'near';
  }
  if (positions.clamping === true) {
    for (const part of clamps.flatMap(clampedParts)) all[part] = 'clamped';
  }
  return all;
}

/** Whether the head is near its pitch or roll limit, or near its yaw limit relative to the body. */
function headIsNear(
  { pitch_deg, roll_deg, yaw_deg, body_yaw_deg }: Posture,
  limits: Limits,
): boolean {
  const turn = yaw_deg - body_yaw_deg;
  const relative = turn - 360 * Math.round(turn / 360);
  return (
    Math.abs(pitch_deg) > limits.head_pitch_deg - NEAR_DEG ||
    Math.abs(roll_deg) > limits.head_roll_deg - NEAR_DEG ||
    Math.abs(relative) > limits.relative_yaw_deg - NEAR_DEG
  );
}
