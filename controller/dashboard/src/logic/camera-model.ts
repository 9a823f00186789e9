/** The camera model of OpenCV: turns a click in the image into a viewing direction, and that into head angles. */

import type { components } from '../../generated-types/openapi';
import { toDegrees, type Posture } from '../protocol/joints';
import { headPose } from './drawing';
import { rotate, type Point } from './geometry';

/** The projection model of the camera's images, from `/api/v1/camera/intrinsics`. */
export type CameraIntrinsics = components['schemas']['Intrinsics'];

/** Applies the lens distortion. The coefficients are k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4. */
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

/** Removes the lens distortion. Returns `null` if the iteration does not converge. */
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

/**
 * Returns the direction of an image point in the head's frame; `u` and `v` are from 0 to 1, from the left and the
 * top.
 */
export function unproject(camera: CameraIntrinsics, u: number, v: number): Point | null {
  const { width, height, distortion } = camera;
  const [[fx, fy], [cx, cy]] = [camera.focal_length_px, camera.principal_point_px];
  if (!fx || !fy) return null;
  const undistorted = undistort(
    (u * width - 0.5 - cx) / fx,
    (v * height - 0.5 - cy) / fy,
    distortion,
  );
  // The camera looks along the head's x axis. Image right is the head's -y, image down is its -z.
  return undistorted === null ? null : [1, -undistorted[0], -undistorted[1]];
}

/** The largest pitch that a click sets, degrees. */
const MAX_PITCH_DEG = 34;

/** Returns the head's yaw and pitch that point the camera in a direction, degrees. */
export function aimAt(direction: Point, from: Posture): { yaw_deg: number; pitch_deg: number } {
  const [x, y, z] = rotate(headPose(from).rotation, direction);
  const pitch = -toDegrees(Math.atan2(z, Math.hypot(x, y)));
  return {
    yaw_deg: toDegrees(Math.atan2(y, x)),
    pitch_deg: Math.max(-MAX_PITCH_DEG, Math.min(MAX_PITCH_DEG, pitch)),
  };
}
