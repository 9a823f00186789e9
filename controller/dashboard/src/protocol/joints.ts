/** The robot's motors, motion states and posture. */

import type { components } from '../../generated-types/openapi';
import type { ROBOT_STATE, Upgraded } from './compat';
import robot from './robot.json';

/** The nine motors, in the order of the robot's messages. */
export const MOTORS: readonly string[] = robot.motors;

export type Motor = (typeof robot.motors)[number];

/** The posture of the robot: millimetres and degrees, the head relative to its neutral pose. */
export type Posture = components['schemas']['PostureReport'];

export type MotionState = Upgraded<
  components['schemas']['RobotState'],
  typeof ROBOT_STATE
>['motion_state'];

/** The motion states, in the order of their numbers in telemetry. */
export const MOTION_STATES = robot.motion_states as readonly MotionState[];

/** How far the head, the body and the antennas may move to either side unless the configuration says otherwise. */
export const DEFAULT_LIMITS = robot.limits;

export const toDegrees = (radians: number): number => (radians * 180) / Math.PI;
export const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;
