/**
 * Which axes the robot's limits hold back, and why. Pure functions.
 *
 * The goal follows the targets within a moment. An axis whose goal is outside all its targets of that moment is limited.
 */

import type { Posture } from '../protocol/joints';
import type { Clamp } from '../protocol/responses';
import { AXES, setpointFromPosture, type Axis, type Setpoint } from './teleop';

/** The goal follows a target within this time, milliseconds. */
const FOLLOW_MS = 500;
/** A limited axis is shown for at least this long, so that the display does not flicker, milliseconds. */
export const HOLD_MS = 1000;
/** The shortest interval between two announcements to a screen reader, milliseconds. */
export const ANNOUNCE_MS = 4000;
/** A smaller difference is not shown, degrees or millimetres. */
const TOLERANCE = 1.5;

export interface SentTarget {
  at: number;
  target: Setpoint;
}

/**
 * Adds a target, and removes those that the goal follows no longer. The last one before the window remains in force. `delay_ms`
 * is how late the page sees what the robot does with a target.
 */
export function addTarget(
  sent: SentTarget[],
  target: Setpoint,
  now: number,
  delay_ms = 0,
): SentTarget[] {
  const all = sent.at(-1)?.target === target ? sent : [...sent, { at: now, target }];
  const old = all.filter(({ at }) => at <= now - delay_ms - FOLLOW_MS).length;
  return all.slice(Math.max(0, old - 1));
}

export interface LimitedAxis {
  axis: Axis;
  wanted: number;
  reached: number;
  /** The cause that the server reports, `unreachable` for a rejected target, `null` if it is unknown. */
  cause: string | null;
}

const HEAD_AXES: readonly Axis[] = ['yaw_deg', 'pitch_deg', 'roll_deg', 'x_mm', 'y_mm', 'z_mm'];

/** Returns the axes that a clamp may limit. */
function clampedBy(clamp: Clamp): readonly Axis[] {
  if (clamp.cause === 'head_pitch_roll') return ['pitch_deg', 'roll_deg'];
  if (clamp.cause === 'relative_yaw') return ['yaw_deg', 'body_yaw_deg'];
  if (clamp.what === 'body_yaw' || clamp.what === 'body_rotation') return ['body_yaw_deg'];
  if (clamp.what === 'right_antenna') return ['right_deg'];
  if (clamp.what === 'left_antenna') return ['left_deg'];
  return HEAD_AXES;
}

function causeOf(axis: Axis, clamps: Clamp[], isRejected: boolean): string | null {
  // The server rejects a target as a whole if no position of the legs can hold the head there.
  if (isRejected) return 'unreachable';
  const largest = clamps
    .filter((clamp) => clampedBy(clamp).includes(axis))
    .reduce<Clamp | null>(
      (most, clamp) => (most === null || clamp.max_clamp_deg > most.max_clamp_deg ? clamp : most),
      null,
    );
  return largest?.cause ?? null;
}

/** Returns the axes that are limited now. `clamps` are those of the current motion. */
export function limitedAxes(
  sent: SentTarget[],
  goal: Posture,
  clamps: Clamp[],
  isRejected: boolean,
): LimitedAxis[] {
  const latest = sent.at(-1);
  if (latest === undefined) return [];
  const reached = setpointFromPosture(goal);
  return AXES.filter((axis) => {
    const wanted = sent.map(({ target }) => target[axis]);
    return (
      reached[axis] > Math.max(...wanted) + TOLERANCE ||
      reached[axis] < Math.min(...wanted) - TOLERANCE
    );
  }).map((axis) => ({
    axis,
    wanted: latest.target[axis],
    reached: reached[axis],
    cause: causeOf(axis, clamps, isRejected),
  }));
}

export type HeldAxis = LimitedAxis & { until: number };

/** Returns the axes to show: those that are limited now, and those that were a moment ago, in a fixed order. */
export function holdAxes(held: HeldAxis[], current: LimitedAxis[], now: number): HeldAxis[] {
  return AXES.flatMap((axis) => {
    const before = held.find((one) => one.axis === axis);
    const one = current.find((other) => other.axis === axis);
    // A cause that is known once stays, since the clamps are polled less often than the goal.
    if (one !== undefined)
      return [{ ...one, cause: one.cause ?? before?.cause ?? null, until: now + HOLD_MS }];
    return before !== undefined && before.until > now ? [before] : [];
  });
}

export interface Announcement {
  text: string;
  at: number;
}

/** Returns what a screen reader is told. A new text waits until the last one is some seconds old. */
export function announce(last: Announcement, text: string, now: number): Announcement {
  return text === last.text || now - last.at < ANNOUNCE_MS ? last : { text, at: now };
}
