/**
 * The Stewart platform that carries the head: its dimensions and its forward kinematics. Metres. The body frame is
 * the world frame rotated by the body's yaw.
 */

import {
  subtract,
  transform,
  solve,
  add,
  scale,
  norm,
  rotationFromRpy,
  type Point,
  type Pose,
} from './geometry';

/** The height of the neutral head above the body's origin. */
export const HEAD_HEIGHT = 0.177;
export const CRANK_LENGTH = 0.04;
export const ROD_LENGTH = 0.085;

export interface Leg {
  pivot: Point;
  /** The direction of the crank at angle zero and at a quarter turn. */
  zeroDirection: Point;
  quarterDirection: Point;
  /** Where the rod joins the head, in the head's frame. */
  ballJoint: Point;
}

export const LEGS: readonly Leg[] = [
  {
    pivot: [0.02699057811093811, 0.026748914460103163, 0.07663325409026873],
    zeroDirection: [0.8660247915798898, -0.5000010603626028, -2.298079077119539e-6],
    quarterDirection: [4.490195936008854e-6, 3.1810770986818273e-6, 0.999999999984859],
    ballJoint: [0.020648178337122566, 0.021763723638894568, 1.0345743467476964e-7],
  },
  {
    pivot: [0.009669970308047848, 0.03674900379480585, 0.0766333000521544],
    zeroDirection: [-0.8660211183436269, 0.5000074225224785, 2.298069723064582e-6],
    quarterDirection: [-4.490219645842903e-6, -3.181063409649239e-6, -0.999999999984859],
    ballJoint: [0.00852381571767217, 0.028763668526131346, 1.183437210727778e-7],
  },
  {
    pivot: [-0.03666069825622655, 0.01000011608629868, 0.07663342299448257],
    zeroDirection: [6.326794896519466e-6, 0.9999999999799852, -7.0550646912150425e-12],
    quarterDirection: [-1.0196153102346142e-6, 1.3505961633338446e-11, 0.9999999999994795],
    ballJoint: [-0.029172011376922807, 0.0069999429399361995, 4.0290270064691214e-8],
  },
  {
    pivot: [-0.03666077172023576, -0.009999865338437615, 0.07663342299448232],
    zeroDirection: [-3.673205069955933e-6, -0.9999999999932537, -6.767968877969483e-14],
    quarterDirection: [1.0196153102837198e-6, -3.6775764393585005e-12, -0.9999999999994795],
    ballJoint: [-0.029172040355214434, -0.0069999960097160766, -3.1608172912367394e-8],
  },
  {
    pivot: [0.009669744869838334, -0.03674904912286439, 0.07663330005203527],
    zeroDirection: [-0.8660284647694133, -0.4999946981757419, 2.298079429767357e-6],
    quarterDirection: [4.490172883391843e-6, -3.1811099293773187e-6, 0.9999999999848591],
    ballJoint: [0.008523809101930114, -0.028763713010385224, -1.4344916837716326e-7],
  },
  {
    pivot: [0.026990337066403518, -0.02674913845737482, 0.0766332540903862],
    zeroDirection: [0.8660247915798897, 0.5000010603626025, -2.298069644866714e-6],
    quarterDirection: [-4.490196220318687e-6, 3.1810964558725514e-6, -0.9999999999848591],
    ballJoint: [0.020648186722822436, -0.02176369606185343, -8.957920105689965e-8],
  },
];

/** Returns the end of a leg's crank in the body frame. */
export function crankEnd(leg: Leg, angle: number): Point {
  const along = scale(leg.zeroDirection, CRANK_LENGTH * Math.cos(angle));
  return add(leg.pivot, add(along, scale(leg.quarterDirection, CRANK_LENGTH * Math.sin(angle))));
}

/** A pose as x, y, z, roll, pitch, yaw. */
type PoseVector = [number, number, number, number, number, number];

const poseFromVector = (vector: PoseVector): Pose => ({
  position: [vector[0], vector[1], vector[2]],
  rotation: rotationFromRpy(vector[3], vector[4], vector[5]),
});

/**
 * Returns the head's pose in the body frame for six crank angles, or `null` if none is found. The search starts at
 * `near`.
 */
export function headFromCranks(
  angles: readonly number[],
  near: Pose,
  nearAngles: PoseVector[3][],
): Pose | null {
  const ends = LEGS.map((leg, index) => crankEnd(leg, angles[index]!));
  const lengthErrors = (vector: PoseVector): number[] => {
    const pose = poseFromVector(vector);
    return LEGS.map(
      (leg, index) => norm(subtract(transform(pose, leg.ballJoint), ends[index]!)) - ROD_LENGTH,
    );
  };
  let vector: PoseVector = [
    ...near.position,
    nearAngles[0] ?? 0,
    nearAngles[1] ?? 0,
    nearAngles[2] ?? 0,
  ] as PoseVector;
  for (let round = 0; round < 20; round += 1) {
    const now = lengthErrors(vector);
    if (Math.max(...now.map(Math.abs)) < 1e-7) return poseFromVector(vector);
    const step = 1e-6;
    const columns = vector.map((_, at) => {
      const other = [...vector] as PoseVector;
      other[at]! += step;
      return lengthErrors(other).map((value, row) => (value - now[row]!) / step);
    });
    const rows = now.map((_, row) => columns.map((column) => column[row]!));
    const delta = solve(
      rows,
      now.map((value) => -value),
    );
    if (delta === null) return null;
    // Limits the step, since the linearisation holds only nearby.
    const scale = Math.min(1, 0.3 / Math.max(1e-9, ...delta.map(Math.abs)));
    vector = vector.map((value, at) => value + scale * delta[at]!) as PoseVector;
  }
  return null;
}
