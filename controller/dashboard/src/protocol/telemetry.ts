/** One frame of telemetry: 136 bytes, little-endian, metres and radians; see the server's document. */

import { degrees, DOINGS, MOTORS, type Doing, type Posture } from './joints';
import type { BodyState } from './responses';

const LAYOUT = 1;
const LENGTH = 136;

/** How the body was at one moment. Angles in degrees; what is not known is `null`. */
export interface Frame {
  /** Counts up within one connection; those that were left out are counted. `null` where it was asked for. */
  number: number | null;
  beats: number;
  /** When the state was read, seconds of the pulse's clock; `null` where that is not told. */
  at_s: number | null;
  doing: Doing;
  faulty: boolean;
  /** Whether the motion that plays now is held back; `null` where that is not told. */
  trimming: boolean | null;
  present_deg: (number | null)[];
  goal_deg: number[];
  posture: Posture | null;
  torque: boolean[];
  /** Whether the position of each motor is of this beat. */
  fresh: boolean[];
}

/** The frame in a message, or `null` when this is none that we know. */
export function decode(bytes: ArrayBuffer): Frame | null {
  if (bytes.byteLength !== LENGTH) return null;
  const view = new DataView(bytes);
  const doing = DOINGS[view.getUint8(1)];
  if (view.getUint8(0) !== LAYOUT || doing === undefined) return null;
  const numbers = (at: number, count: number) =>
    Array.from({ length: count }, (_, place) => view.getFloat32(at + 4 * place, true));
  const bits = (at: number) => {
    const word = view.getUint16(at, true);
    return MOTORS.map((_, place) => ((word >> place) & 1) === 1);
  };
  return {
    number: view.getUint32(4, true),
    beats: Number(view.getBigUint64(8, true)),
    at_s: Number(view.getBigUint64(16, true)) / 1e9,
    doing,
    faulty: (view.getUint16(2, true) & 1) === 1,
    trimming: (view.getUint16(2, true) & 2) === 2,
    present_deg: numbers(24, 9).map((angle) => (Number.isFinite(angle) ? degrees(angle) : null)),
    goal_deg: numbers(60, 9).map(degrees),
    posture: posture(numbers(96, 9)),
    torque: bits(132),
    fresh: bits(134).map((old) => !old),
  };
}

function posture(told: number[]): Posture | null {
  if (!told.every(Number.isFinite)) return null;
  const [x, y, z] = told.slice(0, 3).map((metres) => metres * 1000) as [number, number, number];
  const [roll, pitch, yaw, body, right, left] = told.slice(3).map(degrees) as [
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

/** The same of a state that was asked for. */
export function frameOf(state: BodyState): Frame {
  return {
    number: null,
    beats: state.beats,
    at_s: null,
    doing: state.doing,
    faulty: state.fault !== null,
    trimming: null,
    present_deg: state.joints.map((joint) => joint.present_deg),
    goal_deg: state.joints.map((joint) => joint.goal_deg),
    posture: state.posture,
    torque: state.joints.map((joint) => joint.torque),
    fresh: state.joints.map((joint) => joint.reading === 'fresh'),
  };
}

/** The answer to a stop that was said on the stream, or `null` when this is another word. */
export function stopped(text: string): unknown {
  try {
    const told = JSON.parse(text) as { type?: unknown } | null;
    return told?.type === 'stopped' ? told : null;
  } catch {
    return null;
  }
}
