/** How near each joint is to the end of its range, and which parts of the body are held back. Pure. */

import type { Limits, Trim } from '../protocol/responses';
import { MOTORS, type Motor, type Posture } from '../protocol/joints';

/** Nearer than this to a limit is near, degrees. */
export const NEAR_DEG = 5;

/** Where in a range something is, each from 0 to 1. */
export interface Place {
  present: number | null;
  goal: number;
  near: 'low' | 'high' | null;
}

export function place(
  range: { low_deg: number; high_deg: number },
  present_deg: number | null,
  goal_deg: number,
): Place {
  const { low_deg, high_deg } = range;
  const part = (angle: number) =>
    Math.max(0, Math.min(1, (angle - low_deg) / Math.max(1e-9, high_deg - low_deg)));
  const angle = present_deg ?? goal_deg;
  const isLow = angle - low_deg < NEAR_DEG;
  const isHigh = high_deg - angle < NEAR_DEG;
  return {
    present: present_deg === null ? null : part(present_deg),
    goal: part(goal_deg),
    near: isLow ? 'low' : isHigh ? 'high' : null,
  };
}

/** The parts that are drawn: each motor moves one, and the six legs carry the head. */
export type Part = Motor | 'head';
/** A part is at the end of what it can do, or the robot holds it back from more. */
export type Mark = 'near' | 'trimmed';
export type Marks = Partial<Record<Part, Mark>>;

/** The parts that one trim holds back. */
function heldBy(trim: Trim): Part[] {
  if (trim.cause === 'head_tilt' || trim.cause === 'relative_yaw') return ['head'];
  if (trim.what === 'body_yaw') return ['body_rotation'];
  const motor = MOTORS.find((name) => name === trim.what);
  return [motor ?? 'head'];
}

interface Told {
  present_deg: (number | null)[];
  posture: Posture | null;
  /** Whether what plays now is being held back; `null` where the robot does not say. */
  trimming: boolean | null;
}

export function marks(told: Told, limits: Limits | null, trims: Trim[]): Marks {
  const all: Marks = {};
  if (limits !== null) {
    MOTORS.forEach((name, at) => {
      const range = limits.joints.find((joint) => joint.name === name);
      const angle = told.present_deg[at];
      if (range === undefined || angle === null || angle === undefined) return;
      if (place(range, angle, angle).near !== null) all[name] = 'near';
    });
    if (told.posture !== null && headIsNear(told.posture, limits)) all.head = 'near';
  }
  if (told.trimming === true) {
    for (const part of trims.flatMap(heldBy)) all[part] = 'trimmed';
  }
  return all;
}

/** Whether the head as a whole is at the end of its tilt, or of its turn against the body. */
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
