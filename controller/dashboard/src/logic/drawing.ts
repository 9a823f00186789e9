/** What there is to draw of a frame of telemetry: the body as it is, and where it is told to be. Metres, radians. */

import { radians, type Posture } from '../protocol/joints';
import type { Frame } from '../protocol/telemetry';
import {
  aboutZ,
  anglesOf,
  less,
  length,
  moved,
  sum,
  turned,
  turnOf,
  type Point,
  type Pose,
} from './geometry';
import { armEnd, HEAD_HEIGHT, headFromArms, LEGS } from './stewart-platform';

export interface Drawing {
  bodyYaw: number;
  head: Pose;
  antennas: [number, number];
  /** From each pivot over the end of its arm to the head, in the world. */
  legs: { pivot: Point; elbow: Point; ball: Point }[];
}

/** The head's pose in the world. */
export function headOf(posture: Posture): Pose {
  return {
    at: [posture.x_mm / 1000, posture.y_mm / 1000, posture.z_mm / 1000 + HEAD_HEIGHT],
    turn: turnOf(radians(posture.roll_deg), radians(posture.pitch_deg), radians(posture.yaw_deg)),
  };
}

function assembled(
  head: Pose,
  bodyYaw: number,
  arms: number[],
  antennas: [number, number],
): Drawing {
  const turn = aboutZ(bodyYaw);
  const legs = LEGS.map((leg, place) => ({
    pivot: turned(turn, leg.pivot),
    elbow: turned(turn, armEnd(leg, arms[place]!)),
    ball: moved(head, leg.ball),
  }));
  return { bodyYaw, head, antennas, legs };
}

/** The body as it is; `null` where its motors are not all known. */
export function present(frame: Frame): Drawing | null {
  const { posture } = frame;
  const arms = frame.present_deg.slice(1, 7);
  if (posture === null || arms.some((angle) => angle === null)) return null;
  const [right, left] = posture.antennas_deg;
  return assembled(
    headOf(posture),
    radians(posture.body_yaw_deg),
    arms.map((angle) => radians(angle as number)),
    [radians(right), radians(left)],
  );
}

/** Where it is told to be; `null` where that can't be found. */
export const goal = (frame: Frame): Drawing | null =>
  drawn(frame.goal_deg, frame.posture ?? NEUTRAL);

/** The body whose motors stand so, looked for from near a posture; `null` where that can't be found. */
export function drawn(motors_deg: number[], near: Posture): Drawing | null {
  const bodyYaw = radians(motors_deg[0]!);
  const arms = motors_deg.slice(1, 7).map(radians);
  const head = headOf(near);
  const back = aboutZ(-radians(near.body_yaw_deg));
  const inBody: Pose = { at: turned(back, head.at), turn: head.turn };
  const angles = [
    radians(near.roll_deg),
    radians(near.pitch_deg),
    radians(near.yaw_deg - near.body_yaw_deg),
  ];
  const found =
    headFromArms(arms, inBody, angles) ??
    headFromArms(arms, { at: [0, 0, HEAD_HEIGHT], turn: turnOf(0, 0, 0) }, [0, 0, 0]);
  if (found === null) return null;
  const [roll, pitch, yaw] = anglesOf(found.turn);
  const world: Pose = {
    at: turned(aboutZ(bodyYaw), found.at),
    turn: turnOf(roll, pitch, yaw + bodyYaw),
  };
  return assembled(world, bodyYaw, arms, [radians(motors_deg[7]!), radians(motors_deg[8]!)]);
}

/** A drawing as a posture: millimetres and degrees. */
export function postureOf(drawing: Drawing): Posture {
  const [x, y, z] = drawing.head.at;
  const [roll, pitch, yaw] = anglesOf(drawing.head.turn).map(
    (angle) => (angle * 180) / Math.PI,
  ) as [number, number, number];
  const inDegrees = (angle: number) => (angle * 180) / Math.PI;
  return {
    x_mm: x * 1000,
    y_mm: y * 1000,
    z_mm: (z - HEAD_HEIGHT) * 1000,
    roll_deg: roll,
    pitch_deg: pitch,
    yaw_deg: yaw,
    body_yaw_deg: inDegrees(drawing.bodyYaw),
    antennas_deg: [inDegrees(drawing.antennas[0]), inDegrees(drawing.antennas[1])],
  };
}

/** Whether two drawings differ so much that it can be seen. */
export function differs(one: Drawing, other: Drawing): boolean {
  const turn = (a: Pose, b: Pose) =>
    Math.max(...[0, 1, 2].map((row) => length(less(a.turn[row] as Point, b.turn[row] as Point))));
  return (
    length(less(one.head.at, other.head.at)) > 0.0015 ||
    turn(one.head, other.head) > 0.02 ||
    Math.abs(one.bodyYaw - other.bodyYaw) > 0.02 ||
    one.antennas.some((angle, place) => Math.abs(angle - other.antennas[place]!) > 0.03)
  );
}

/** The middle between two points. */
export const middle = (a: Point, b: Point): Point => {
  const [x, y, z] = sum(a, b);
  return [x / 2, y / 2, z / 2];
};

export const NEUTRAL: Posture = {
  x_mm: 0,
  y_mm: 0,
  z_mm: 0,
  roll_deg: 0,
  pitch_deg: 0,
  yaw_deg: 0,
  body_yaw_deg: 0,
  antennas_deg: [0, 0],
};
