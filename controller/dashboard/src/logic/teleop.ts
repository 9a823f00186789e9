/**
 * Wishes of whoever steers: the axes, how a target follows a wish at a chosen pace, and what devices say. Pure.
 *
 * `yaw_deg` is the head's against the body, so that the head goes along when the body turns.
 */

import type { Posture } from '../protocol/joints';

export const AXES = [
  'yaw_deg',
  'pitch_deg',
  'roll_deg',
  'x_mm',
  'y_mm',
  'z_mm',
  'body_yaw_deg',
  'right_deg',
  'left_deg',
] as const;

export type Axis = (typeof AXES)[number];
export type Setpoint = Record<Axis, number>;

/** What the controls reach to either side, and how fast a target follows at full pace, per second. */
export const AXIS_LIMITS: Record<Axis, { max: number; maxRate: number; step: number }> = {
  yaw_deg: { max: 65, maxRate: 120, step: 1 },
  pitch_deg: { max: 40, maxRate: 90, step: 1 },
  roll_deg: { max: 40, maxRate: 90, step: 1 },
  x_mm: { max: 30, maxRate: 60, step: 1 },
  y_mm: { max: 30, maxRate: 60, step: 1 },
  z_mm: { max: 30, maxRate: 60, step: 1 },
  body_yaw_deg: { max: 160, maxRate: 120, step: 1 },
  right_deg: { max: 180, maxRate: 300, step: 5 },
  left_deg: { max: 180, maxRate: 300, step: 5 },
};

/** The axes whose positive side is the robot's left, which controls show on the left. */
export const LEFT_POSITIVE: readonly Axis[] = [
  'yaw_deg',
  'body_yaw_deg',
  'y_mm',
  'right_deg',
  'left_deg',
];

export function clamp(axis: Axis, value: number): number {
  const { max: most } = AXIS_LIMITS[axis];
  return Math.max(-most, Math.min(most, value));
}

/** An angle within half a turn. */
const wrapAngle = (angle: number): number => angle - 360 * Math.round(angle / 360);

/** The wish to stay where the body is. */
export function setpointFromPosture(posture: Posture): Setpoint {
  const { antennas_deg, ...head } = posture;
  const yaw_deg = wrapAngle(head.yaw_deg - head.body_yaw_deg);
  const all = { ...head, yaw_deg, right_deg: antennas_deg[0], left_deg: antennas_deg[1] };
  return Object.fromEntries(AXES.map((axis) => [axis, all[axis]])) as Setpoint;
}

/** The target one step nearer to the wish; `scale` is the pace, from 0 to 1. */
export function stepTowards(
  target: Setpoint,
  setpoint: Setpoint,
  seconds: number,
  scale: number,
): Setpoint {
  const next = { ...target };
  for (const axis of AXES) {
    const most = AXIS_LIMITS[axis].maxRate * scale * seconds;
    next[axis] += Math.max(-most, Math.min(most, setpoint[axis] - target[axis]));
  }
  return next;
}

export const isSameSetpoint = (one: Setpoint, other: Setpoint): boolean =>
  AXES.every((axis) => Math.abs(one[axis] - other[axis]) < 1e-6);

/** What is sent: the parts of a target in the words of the server. */
export function targetMessage(target: Setpoint): Record<string, unknown> {
  const round = (value: number) => Math.round(value * 100) / 100;
  const { right_deg, left_deg, ...rest } = target;
  const world = { ...rest, yaw_deg: rest.yaw_deg + rest.body_yaw_deg };
  const parts = Object.entries(world).map(([axis, value]) => [axis, round(value)]);
  return { ...Object.fromEntries(parts), antennas_deg: [round(right_deg), round(left_deg)] };
}

/** How fast each axis is pushed, from -1 to 1. */
export type AxisRates = Partial<Record<Axis, number>>;

/** Moves the wish on as it is pushed. */
export function applyRates(
  setpoint: Setpoint,
  rates: AxisRates,
  seconds: number,
  scale: number,
): Setpoint {
  const next = { ...setpoint };
  for (const axis of AXES) {
    const by = rates[axis] ?? 0;
    if (by !== 0)
      next[axis] = clamp(axis, next[axis] + by * AXIS_LIMITS[axis].maxRate * scale * seconds);
  }
  return next;
}

/** What each key pushes, by its place on the keyboard. */
export const KEYS: Record<string, AxisRates> = {
  ArrowLeft: { yaw_deg: 1 },
  ArrowRight: { yaw_deg: -1 },
  ArrowUp: { pitch_deg: -1 },
  ArrowDown: { pitch_deg: 1 },
  KeyA: { body_yaw_deg: 1 },
  KeyD: { body_yaw_deg: -1 },
  KeyW: { z_mm: 1 },
  KeyS: { z_mm: -1 },
  KeyQ: { roll_deg: -1 },
  KeyE: { roll_deg: 1 },
  KeyZ: { left_deg: 1, right_deg: -1 },
  KeyX: { left_deg: -1, right_deg: 1 },
};

export function sumRates(rates: AxisRates[]): AxisRates {
  const sum: AxisRates = {};
  for (const one of rates) {
    for (const axis of AXES) {
      const by = (sum[axis] ?? 0) + (one[axis] ?? 0);
      if (by !== 0 || axis in sum) sum[axis] = Math.max(-1, Math.min(1, by));
    }
  }
  return sum;
}

/** What a gamepad in the standard layout pushes: left stick body and height, right stick head, triggers antennas. */
export function gamepadRates(axes: readonly number[], buttons: readonly number[]): AxisRates {
  const stick = (at: number) => {
    const value = axes[at] ?? 0;
    // Sticks rest a little off their middle.
    return Math.abs(value) < 0.15 ? 0 : (value - Math.sign(value) * 0.15) / 0.85;
  };
  const rates: AxisRates = {
    body_yaw_deg: -stick(0),
    z_mm: -stick(1),
    yaw_deg: -stick(2),
    pitch_deg: stick(3),
    roll_deg: (buttons[5] ?? 0) - (buttons[4] ?? 0),
    left_deg: buttons[6] ?? 0,
    right_deg: -(buttons[7] ?? 0),
  };
  return Object.fromEntries(Object.entries(rates).filter(([, by]) => by !== 0));
}

/** Whether a gamepad says stop: its right-hand button, which is B or a circle. */
export const isStopPressed = (buttons: readonly number[]): boolean => (buttons[1] ?? 0) > 0.5;

/** The wish to look that way, seen from the world: the head turns, and beyond what is easy the body too. */
export function lookAt(setpoint: Setpoint, yaw_deg: number, pitch_deg: number): Setpoint {
  const comfortable = 40;
  const off = wrapAngle(yaw_deg - setpoint.body_yaw_deg);
  const head = Math.max(-comfortable, Math.min(comfortable, off));
  const body_yaw_deg = clamp('body_yaw_deg', setpoint.body_yaw_deg + off - head);
  return {
    ...setpoint,
    yaw_deg: clamp('yaw_deg', head),
    pitch_deg: clamp('pitch_deg', pitch_deg),
    body_yaw_deg,
  };
}

/** The axes whose goal stays behind the target by more than can be seen: what the robot's limits hold back. */
export function clampedAxes(target: Setpoint, goal: Posture): Axis[] {
  const is = setpointFromPosture(goal);
  return AXES.filter((axis) => Math.abs(target[axis] - is[axis]) > 1.5);
}
