/** The camera model of OpenCV: turns a click in the image into a viewing direction, and that into head angles. */

import type { components } from '../../generated-types/openapi';
import { toDegrees, toRadians, type Posture } from '../protocol/joints';
import { headPose } from './drawing';
import { dot, rotate, rotationFromRpy, type Point, type RotationMatrix } from './geometry';

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

/** Where a direction is in the image, in pixels. */
export interface ImageMark {
  x: number;
  y: number;
  /** The roll of the head in the image, degrees clockwise. */
  roll_deg: number;
  /** Whether the image shows the direction. Otherwise the mark is at the edge nearest to it. */
  isInside: boolean;
}

/** A mark at the edge stays this far inside the image, as a part of its size. */
const EDGE = 0.05;

const inverse = (rotation: RotationMatrix): RotationMatrix => {
  const column = (at: 0 | 1 | 2): Point => [rotation[0][at], rotation[1][at], rotation[2][at]];
  return [column(0), column(1), column(2)];
};

/** Returns the pixel of a direction in the head's frame, or `null` if the lens does not show it. */
export function project(camera: CameraIntrinsics, [x, y, z]: Point): [number, number] | null {
  const [[fx, fy], [cx, cy]] = [camera.focal_length_px, camera.principal_point_px];
  if (x < 0.1) return null;
  const straight: [number, number] = [-y / x, -z / x];
  const distorted = distort(...straight, camera.distortion);
  // The distortion is a polynomial that returns to the image far outside it.
  const back = undistort(...distorted, camera.distortion);
  if (back === null || Math.hypot(back[0] - straight[0], back[1] - straight[1]) > 1e-3) return null;
  const [u, v] = [cx + fx * distorted[0], cy + fy * distorted[1]];
  const isShown = u >= 0 && v >= 0 && u <= camera.width && v <= camera.height;
  return isShown ? [u, v] : null;
}

/** Returns the point at the image's edge in a direction from the principal point. */
function edgePoint({ width, height, principal_point_px }: CameraIntrinsics, [, y, z]: Point) {
  const [cx, cy] = principal_point_px;
  const [right, down] = [-y, -z];
  const room = (from: number, size: number, by: number) =>
    Math.abs(by) < 1e-9 ? Infinity : ((by > 0 ? size - from : from) - EDGE * size) / Math.abs(by);
  const by = Math.min(room(cx, width, right), room(cy, height, down));
  return Number.isFinite(by) ? [cx + by * right, cy + by * down] : [cx, cy];
}

/** Returns where the image of the head in posture `from` shows the direction in which another posture looks. */
export function imageMark(camera: CameraIntrinsics, posture: Posture, from: Posture): ImageMark {
  const { roll_deg, pitch_deg, yaw_deg } = posture;
  const to = rotationFromRpy(toRadians(roll_deg), toRadians(pitch_deg), toRadians(yaw_deg));
  const back = inverse(headPose(from).rotation);
  const ahead = rotate(back, [to[0][0], to[1][0], to[2][0]]);
  const left = rotate(back, [to[0][1], to[1][1], to[2][1]]);
  const inside = project(camera, ahead);
  const [x, y] = inside ?? edgePoint(camera, ahead);
  const roll = toDegrees(Math.atan2(dot(left, [0, 0, 1]), dot(left, [0, 1, 0])));
  return { x: x!, y: y!, roll_deg: roll, isInside: inside !== null };
}
