/** The nine motors, in the order in which the robot tells of them. */
export const MOTORS = [
  'body_rotation',
  'stewart_1',
  'stewart_2',
  'stewart_3',
  'stewart_4',
  'stewart_5',
  'stewart_6',
  'right_antenna',
  'left_antenna',
] as const;

export type Motor = (typeof MOTORS)[number];

/** Where the body is: millimetres and degrees, the head relative to neutral. */
export interface Posture {
  x_mm: number;
  y_mm: number;
  z_mm: number;
  roll_deg: number;
  pitch_deg: number;
  yaw_deg: number;
  body_yaw_deg: number;
  /** Right, left. */
  antennas_deg: [number, number];
}

/** What the body does, in the order of the numbers in telemetry. */
export const MOTION_STATES = [
  'holding',
  'moving',
  'stopping',
  'torque_off',
  'hand_guiding',
  'stowing',
] as const;

export type MotionState = (typeof MOTION_STATES)[number];

export const toDegrees = (radians: number): number => (radians * 180) / Math.PI;
export const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;
