/**
 * Teleoperation setpoints: the axes, rate-limited targets, and input from keys and gamepads. Pure functions.
 *
 * `yaw_deg` is the head's yaw relative to the body, so the head turns with the body.
 */

import { DEFAULT_LIMITS, type Posture } from '../protocol/joints';

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

/** The range of each control to either side, its maximum rate per second, and its step. */
export const AXIS_LIMITS: Record<Axis, { max: number; maxRate: number; step: number }> = {
  yaw_deg: { max: DEFAULT_LIMITS.relative_yaw_deg, maxRate: 120, step: 1 },
  pitch_deg: { max: DEFAULT_LIMITS.head_pitch_deg, maxRate: 90, step: 1 },
  roll_deg: { max: DEFAULT_LIMITS.head_roll_deg, maxRate: 90, step: 1 },
  x_mm: { max: 30, maxRate: 60, step: 1 },
  y_mm: { max: 30, maxRate: 60, step: 1 },
  z_mm: { max: 30, maxRate: 60, step: 1 },
  body_yaw_deg: { max: DEFAULT_LIMITS.body_yaw_deg, maxRate: 120, step: 1 },
  right_deg: { max: DEFAULT_LIMITS.antenna_deg, maxRate: 300, step: 5 },
  left_deg: { max: DEFAULT_LIMITS.antenna_deg, maxRate: 300, step: 5 },
};

/** The axes whose positive direction is the robot's left. Their sliders run from right to left. */
export const LEFT_POSITIVE: readonly Axis[] = [
  'yaw_deg',
  'body_yaw_deg',
  'y_mm',
  'right_deg',
  'left_deg',
];

export function clamp(axis: Axis, value: number): number {
  const { max } = AXIS_LIMITS[axis];
  return Math.max(-max, Math.min(max, value));
}

/** Wraps an angle to half a turn either way. */
const wrapAngle = (angle: number): number => angle - 360 * Math.round(angle / 360);

/** Returns the setpoint that keeps the robot in a posture. */
export function setpointFromPosture(posture: Posture): Setpoint {
  const { antennas_deg, ...head } = posture;
  const yaw_deg = wrapAngle(head.yaw_deg - head.body_yaw_deg);
  const all = { ...head, yaw_deg, right_deg: antennas_deg[0], left_deg: antennas_deg[1] };
  return Object.fromEntries(AXES.map((axis) => [axis, all[axis]])) as Setpoint;
}

/** Returns the posture that a setpoint asks for. */
export function postureFromSetpoint(setpoint: Setpoint): Posture {
  const { right_deg, left_deg, ...head } = setpoint;
  const yaw_deg = wrapAngle(head.yaw_deg + head.body_yaw_deg);
  return { ...head, yaw_deg, antennas_deg: [right_deg, left_deg] };
}

/** Moves the target towards the setpoint by one step. `scale` is the speed, from 0 to 1. */
export function stepTowards(
  target: Setpoint,
  setpoint: Setpoint,
  seconds: number,
  scale: number,
): Setpoint {
  const next = { ...target };
  for (const axis of AXES) {
    const max = AXIS_LIMITS[axis].maxRate * scale * seconds;
    next[axis] += Math.max(-max, Math.min(max, setpoint[axis] - target[axis]));
  }
  return next;
}

export const isSameSetpoint = (one: Setpoint, other: Setpoint): boolean =>
  AXES.every((axis) => Math.abs(one[axis] - other[axis]) < 1e-6);

/** Returns the target as the server expects it. */
export function targetMessage(target: Setpoint): Record<string, unknown> {
  const round = (value: number) => Math.round(value * 100) / 100;
  const { right_deg, left_deg, ...rest } = target;
  const world = { ...rest, yaw_deg: rest.yaw_deg + rest.body_yaw_deg };
  const parts = Object.entries(world).map(([axis, value]) => [axis, round(value)]);
  return { ...Object.fromEntries(parts), antennas_deg: [round(right_deg), round(left_deg)] };
}

/** The rate of each axis relative to its maximum, from -1 to 1. */
export type AxisRates = Partial<Record<Axis, number>>;

/** Moves the setpoint at the given rates. */
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

/** The rates of each key, by its physical position on the keyboard. */
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

/**
 * Returns the rates of a gamepad with the standard layout. Left stick: body yaw and height; right stick: head;
 * triggers: antennas.
 */
export function gamepadRates(axes: readonly number[], buttons: readonly number[]): AxisRates {
  const stick = (at: number) => {
    const value = axes[at] ?? 0;
    // The dead zone: sticks do not rest exactly at their centre.
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

/** Whether the stop button of a gamepad is pressed: the right one of the four, labelled B or circle. */
export const isStopPressed = (buttons: readonly number[]): boolean => (buttons[1] ?? 0) > 0.5;

/**
 * Returns the setpoint that looks in a direction in the world frame. The body turns for what the head cannot
 * comfortably reach.
 */
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

/** Returns the axes whose goal visibly lags behind the target, because the robot's limits clamp it. */
export function clampedAxes(target: Setpoint, goal: Posture): Axis[] {
  const is = setpointFromPosture(goal);
  return AXES.filter((axis) => Math.abs(target[axis] - is[axis]) > 1.5);
}
