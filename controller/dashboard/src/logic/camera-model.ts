/**
 * Looking at what was clicked in a picture: the ray of a pixel by the lens's own numbers (OpenCV's model), and how the head
 * has to turn so that its camera looks along it.
 */

import { toDegrees, type Posture } from '../protocol/joints';
import { headPose } from './drawing';
import { rotate, type Point } from './geometry';

/** What `/api/camera/specs` tells of the lens. */
export interface CameraSpecs {
  name: string;
  default_resolution: { width: number; height: number };
  K: number[][];
  D: number[];
}

/** Where a straight ray is seen, by k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4. */
export function distort(x: number, y: number, coefficients: number[]): [number, number] {
  const [k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4] = Array.from(
    { length: 12 },
    (_, at) => coefficients[at] ?? 0,
  ) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const r = x * x + y * y;
  const radial = (1 + r * (k1 + r * (k2 + r * k3))) / (1 + r * (k4 + r * (k5 + r * k6)));
  return [
    x * radial + 2 * p1 * x * y + p2 * (r + 2 * x * x) + r * (s1 + s2 * r),
    y * radial + p1 * (r + 2 * y * y) + 2 * p2 * x * y + r * (s3 + s4 * r),
  ];
}

/** The straight ray of what is seen; `null` where the lens's numbers do not hold. */
export function undistort(x: number, y: number, coefficients: number[]): [number, number] | null {
  let [atX, atY] = [x, y];
  for (let round = 0; round < 100; round += 1) {
    const [seenX, seenY] = distort(atX, atY, coefficients);
    const [offX, offY] = [x - seenX, y - seenY];
    if (!Number.isFinite(offX) || !Number.isFinite(offY)) return null;
    if (Math.hypot(offX, offY) < 1e-9) return [atX, atY];
    atX += 0.7 * offX;
    atY += 0.7 * offY;
  }
  return null;
}

/** The direction of a place in the picture (each from 0 to 1, from the left and the top), in the head's frame. */
export function unproject(specs: CameraSpecs, u: number, v: number): Point | null {
  const { width, height } = specs.default_resolution;
  const [fx, cx] = [specs.K[0]?.[0], specs.K[0]?.[2]];
  const [fy, cy] = [specs.K[1]?.[1], specs.K[1]?.[2]];
  if (!fx || !fy || cx === undefined || cy === undefined) return null;
  const undistorted = undistort((u * width - 0.5 - cx) / fx, (v * height - 0.5 - cy) / fy, specs.D);
  // The camera looks along the head's x; to its right is the head's minus y, down in the picture minus z.
  return undistorted === null ? null : [1, -undistorted[0], -undistorted[1]];
}

/** How far the head looks up and down of itself, degrees. */
const MAX_PITCH_DEG = 34;

/** Which yaw and pitch turn the head from where it is to what was clicked, degrees. */
export function aimAt(direction: Point, from: Posture): { yaw_deg: number; pitch_deg: number } {
  const [x, y, z] = rotate(headPose(from).rotation, direction);
  const pitch = -toDegrees(Math.atan2(z, Math.hypot(x, y)));
  return {
    yaw_deg: toDegrees(Math.atan2(y, x)),
    pitch_deg: Math.max(-MAX_PITCH_DEG, Math.min(MAX_PITCH_DEG, pitch)),
  };
}
