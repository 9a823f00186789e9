/** Vectors, rotations and poses for drawing. Metres and radians. */

export type Point = readonly [number, number, number];
/** A rotation matrix as three rows. */
export type RotationMatrix = readonly [Point, Point, Point];
export interface Pose {
  position: Point;
  rotation: RotationMatrix;
}

export const add = (a: Point, b: Point): Point => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Point, by: number): Point => [a[0] * by, a[1] * by, a[2] * by];
export const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const norm = (a: Point): number => Math.hypot(a[0], a[1], a[2]);

export const rotate = (rotation: RotationMatrix, point: Point): Point => [
  dot(rotation[0], point),
  dot(rotation[1], point),
  dot(rotation[2], point),
];

export const transform = (pose: Pose, point: Point): Point =>
  add(pose.position, rotate(pose.rotation, point));

/** Returns `Rz(yaw) Ry(pitch) Rx(roll)`. */
export function rotationFromRpy(roll: number, pitch: number, yaw: number): RotationMatrix {
  const [sr, cr, sp, cp, sy, cy] = [
    Math.sin(roll),
    Math.cos(roll),
    Math.sin(pitch),
    Math.cos(pitch),
    Math.sin(yaw),
    Math.cos(yaw),
  ];
  return [
    [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
    [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
    [-sp, cp * sr, cp * cr],
  ];
}

/** Returns the roll, pitch and yaw of a rotation. */
export function rpyFromRotation(rotation: RotationMatrix): [number, number, number] {
  return [
    Math.atan2(rotation[2][1], rotation[2][2]),
    Math.asin(Math.max(-1, Math.min(1, -rotation[2][0]))),
    Math.atan2(rotation[1][0], rotation[0][0]),
  ];
}

export const rotationZ = (angle: number): RotationMatrix => rotationFromRpy(0, 0, angle);

/** Solves a square linear system by Gaussian elimination; returns `null` if it is singular. Overwrites both arguments. */
export function solve(rows: number[][], right: number[]): number[] | null {
  const size = right.length;
  for (let column = 0; column < size; column += 1) {
    let best = column;
    for (let row = column + 1; row < size; row += 1) {
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[best]![column]!)) best = row;
    }
    [rows[column], rows[best]] = [rows[best]!, rows[column]!];
    [right[column], right[best]] = [right[best]!, right[column]!];
    const pivot = rows[column]![column]!;
    if (Math.abs(pivot) < 1e-12) return null;
    for (let row = 0; row < size; row += 1) {
      if (row === column) continue;
      const part = rows[row]![column]! / pivot;
      for (let at = column; at < size; at += 1) rows[row]![at]! -= part * rows[column]![at]!;
      right[row]! -= part * right[column]!;
    }
  }
  return right.map((value, row) => value / rows[row]![row]!);
}
