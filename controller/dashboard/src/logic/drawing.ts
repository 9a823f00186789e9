/** The geometry to draw for a frame of telemetry: present and goal pose of the robot. Metres and radians. */

import { toRadians, type Posture } from '../protocol/joints';
import type { Frame } from '../protocol/telemetry';
import {
  rotationZ,
  rpyFromRotation,
  subtract,
  norm,
  transform,
  add,
  rotate,
  rotationFromRpy,
  type Point,
  type Pose,
} from './geometry';
import { crankEnd, HEAD_HEIGHT, headFromCranks, LEGS } from './stewart-platform';

export interface Drawing {
  bodyYaw: number;
  head: Pose;
  antennas: [number, number];
  /** The points of each leg in the world frame: motor axis, end of the crank, ball joint at the head. */
  legs: { pivot: Point; elbow: Point; ballJoint: Point }[];
}

/** Returns the head's pose in the world frame. */
export function headPose(posture: Posture): Pose {
  return {
    position: [posture.x_mm / 1000, posture.y_mm / 1000, posture.z_mm / 1000 + HEAD_HEIGHT],
    rotation: rotationFromRpy(
      toRadians(posture.roll_deg),
      toRadians(posture.pitch_deg),
      toRadians(posture.yaw_deg),
    ),
  };
}

function assemble(
  head: Pose,
  bodyYaw: number,
  cranks: number[],
  antennas: [number, number],
): Drawing {
  const turn = rotationZ(bodyYaw);
  const legs = LEGS.map((leg, index) => ({
    pivot: rotate(turn, leg.pivot),
    elbow: rotate(turn, crankEnd(leg, cranks[index]!)),
    ballJoint: transform(head, leg.ballJoint),
  }));
  return { bodyYaw, head, antennas, legs };
}

/** Returns the present pose, or `null` if a motor position is unknown. */
export function presentDrawing(frame: Frame): Drawing | null {
  const { posture } = frame;
  const cranks = frame.present_deg.slice(1, 7);
  if (posture === null || cranks.some((angle) => angle === null)) return null;
  const [right, left] = posture.antennas_deg;
  return assemble(
    headPose(posture),
    toRadians(posture.body_yaw_deg),
    cranks.map((angle) => toRadians(angle as number)),
    [toRadians(right), toRadians(left)],
  );
}

/** Returns the goal pose, or `null` if the forward kinematics do not converge. */
export const goalDrawing = (frame: Frame): Drawing | null =>
  drawingFromMotors(frame.goal_deg, frame.posture ?? NEUTRAL);

/** Returns the pose for these motor positions, or `null` if there is none. The search starts at the posture `near`. */
export function drawingFromMotors(motors_deg: number[], near: Posture): Drawing | null {
  const bodyYaw = toRadians(motors_deg[0]!);
  const cranks = motors_deg.slice(1, 7).map(toRadians);
  const head = headPose(near);
  const back = rotationZ(-toRadians(near.body_yaw_deg));
  const inBody: Pose = { position: rotate(back, head.position), rotation: head.rotation };
  const angles = [
    toRadians(near.roll_deg),
    toRadians(near.pitch_deg),
    toRadians(near.yaw_deg - near.body_yaw_deg),
  ];
  const found =
    headFromCranks(cranks, inBody, angles) ??
    headFromCranks(
      cranks,
      { position: [0, 0, HEAD_HEIGHT], rotation: rotationFromRpy(0, 0, 0) },
      [0, 0, 0],
    );
  if (found === null) return null;
  const [roll, pitch, yaw] = rpyFromRotation(found.rotation);
  const world: Pose = {
    position: rotate(rotationZ(bodyYaw), found.position),
    rotation: rotationFromRpy(roll, pitch, yaw + bodyYaw),
  };
  return assemble(world, bodyYaw, cranks, [toRadians(motors_deg[7]!), toRadians(motors_deg[8]!)]);
}

/** Converts a drawing to a posture in millimetres and degrees. */
export function postureFromDrawing(drawing: Drawing): Posture {
  const [x, y, z] = drawing.head.position;
  const [roll, pitch, yaw] = rpyFromRotation(drawing.head.rotation).map(
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

/** Whether two drawings differ enough to be visible. */
export function differVisibly(one: Drawing, other: Drawing): boolean {
  const turn = (a: Pose, b: Pose) =>
    Math.max(
      ...[0, 1, 2].map((row) => norm(subtract(a.rotation[row] as Point, b.rotation[row] as Point))),
    );
  return (
    norm(subtract(one.head.position, other.head.position)) > 0.0015 ||
    turn(one.head, other.head) > 0.02 ||
    Math.abs(one.bodyYaw - other.bodyYaw) > 0.02 ||
    one.antennas.some((angle, index) => Math.abs(angle - other.antennas[index]!) > 0.03)
  );
}

/** The midpoint between two points. */
export const midpoint = (a: Point, b: Point): Point => {
  const [x, y, z] = add(a, b);
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
