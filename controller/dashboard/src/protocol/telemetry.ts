/**
 * Decodes telemetry frames: 136 bytes, little-endian, metres and radians. The server's API documentation defines the
 * layout.
 */

import { toDegrees, MOTION_STATES, MOTORS, type MotionState, type Posture } from './joints';
import { STOP_REPLY, upgrade } from './compat';
import type { RobotState } from './responses';

const LAYOUT_VERSION = 1;
const FRAME_BYTES = 136;

/** The state of the robot at one moment. Angles in degrees; `null` means unknown. */
export interface Frame {
  /** The number of the frame within its connection, counting skipped frames; `null` for a polled state. */
  seq: number | null;
  cycles: number;
  /** When the state was read, seconds on the clock of the control loop; `null` if unknown. */
  at_s: number | null;
  motion_state: MotionState;
  faulty: boolean;
  /** Whether the current motion is clamped; `null` if unknown. */
  clamping: boolean | null;
  present_deg: (number | null)[];
  goal_deg: number[];
  posture: Posture | null;
  torque: boolean[];
  /** Whether the position of each motor was read in this cycle. */
  fresh: boolean[];
}

/** Returns the decoded frame, or `null` if the layout is unknown. */
export function decodeFrame(bytes: ArrayBuffer): Frame | null {
  if (bytes.byteLength !== FRAME_BYTES) return null;
  const view = new DataView(bytes);
  const motionState = MOTION_STATES[view.getUint8(1)];
  if (view.getUint8(0) !== LAYOUT_VERSION || motionState === undefined) return null;
  const numbers = (at: number, count: number) =>
    Array.from({ length: count }, (_, index) => view.getFloat32(at + 4 * index, true));
  const bits = (at: number) => {
    const word = view.getUint16(at, true);
    return MOTORS.map((_, index) => ((word >> index) & 1) === 1);
  };
  return {
    seq: view.getUint32(4, true),
    cycles: Number(view.getBigUint64(8, true)),
    at_s: Number(view.getBigUint64(16, true)) / 1e9,
    motion_state: motionState,
    faulty: (view.getUint16(2, true) & 1) === 1,
    clamping: (view.getUint16(2, true) & 2) === 2,
    present_deg: numbers(24, 9).map((angle) => (Number.isFinite(angle) ? toDegrees(angle) : null)),
    goal_deg: numbers(60, 9).map(toDegrees),
    posture: decodePosture(numbers(96, 9)),
    torque: bits(132),
    fresh: bits(134).map((old) => !old),
  };
}

function decodePosture(values: number[]): Posture | null {
  if (!values.every(Number.isFinite)) return null;
  const [x, y, z] = values.slice(0, 3).map((metres) => metres * 1000) as [number, number, number];
  const [roll, pitch, yaw, body, right, left] = values.slice(3).map(toDegrees) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    x_mm: x,
    y_mm: y,
    z_mm: z,
    roll_deg: roll,
    pitch_deg: pitch,
    yaw_deg: yaw,
    body_yaw_deg: body,
    antennas_deg: [right, left],
  };
}

/** Converts a polled state to a frame. */
export function frameFromState(state: RobotState): Frame {
  return {
    seq: null,
    cycles: state.cycles,
    at_s: null,
    motion_state: state.motion_state,
    faulty: state.fault !== null,
    clamping: null,
    present_deg: state.joints.map((joint) => joint.present_deg),
    goal_deg: state.joints.map((joint) => joint.goal_deg),
    posture: state.posture,
    torque: state.joints.map((joint) => joint.torque),
    fresh: state.joints.map((joint) => joint.freshness === 'fresh'),
  };
}

/** Returns the reply to a stop that was sent over the stream, or `null` for any other message. */
export function parseStopReply(text: string): unknown {
  try {
    const message = JSON.parse(text) as { type?: unknown } | null;
    return message?.type === 'stopped' ? upgrade(message, STOP_REPLY) : null;
  } catch {
    return null;
  }
}
