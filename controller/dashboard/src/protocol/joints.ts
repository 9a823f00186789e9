/** The nine motors, in the order of the robot's messages. */
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

/** The posture of the robot: millimetres and degrees, the head relative to its neutral pose. */
export interface Posture {
  x_mm: number;
  y_mm: number;
  z_mm: number;
  roll_deg: number;
  pitch_deg: number;
  yaw_deg: number;
  body_yaw_deg: number;
  /** The right and the left antenna. */
  antennas_deg: [number, number];
}

/** The motion states, in the order of their numbers in telemetry. */
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
