/** Points, turns and poses, as far as drawing needs them. Metres and radians. */

export type Point = readonly [number, number, number];
/** Three rows. */
export type Turn = readonly [Point, Point, Point];
export interface Pose {
  at: Point;
  turn: Turn;
}

export const sum = (a: Point, b: Point): Point => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const less = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a: Point, by: number): Point => [a[0] * by, a[1] * by, a[2] * by];
export const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Point): number => Math.hypot(a[0], a[1], a[2]);

export const turned = (turn: Turn, point: Point): Point => [
  dot(turn[0], point),
  dot(turn[1], point),
  dot(turn[2], point),
];

export const moved = (pose: Pose, point: Point): Point => sum(pose.at, turned(pose.turn, point));

/** `Rz(yaw) Ry(pitch) Rx(roll)`. */
export function turnOf(roll: number, pitch: number, yaw: number): Turn {
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

/** Roll, pitch, yaw of a turn. */
export function anglesOf(turn: Turn): [number, number, number] {
  return [
    Math.atan2(turn[2][1], turn[2][2]),
    Math.asin(Math.max(-1, Math.min(1, -turn[2][0]))),
    Math.atan2(turn[1][0], turn[0][0]),
  ];
}

export const aboutZ = (angle: number): Turn => turnOf(0, 0, angle);

/** The solution of a square system by elimination; `null` where there is none. Both are used up. */
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
