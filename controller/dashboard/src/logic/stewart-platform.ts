/**
 * The legs that carry the head: where each motor sits, how its arm turns, where its rod meets the head, and where the
 * head is when the arms stand at given angles. Metres; the body's frame is the world's, turned by the body's yaw.
 */

import { less, moved, solve, sum, times, length, turnOf, type Point, type Pose } from './geometry';

/** From the body's origin up to the neutral head. */
export const HEAD_HEIGHT = 0.177;
export const ARM = 0.04;
export const ROD = 0.085;

export interface Leg {
  pivot: Point;
  /** Where the arm points at angle zero and at a quarter turn. */
  ahead: Point;
  aside: Point;
  /** Where the rod meets the head, in the head's frame. */
  ball: Point;
}

export const LEGS: readonly Leg[] = [
  {
    pivot: [0.02699057811093811, 0.026748914460103163, 0.07663325409026873],
    ahead: [0.8660247915798898, -0.5000010603626028, -2.298079077119539e-6],
    aside: [4.490195936008854e-6, 3.1810770986818273e-6, 0.999999999984859],
    ball: [0.020648178337122566, 0.021763723638894568, 1.0345743467476964e-7],
  },
  {
    pivot: [0.009669970308047848, 0.03674900379480585, 0.0766333000521544],
    ahead: [-0.8660211183436269, 0.5000074225224785, 2.298069723064582e-6],
    aside: [-4.490219645842903e-6, -3.181063409649239e-6, -0.999999999984859],
    ball: [0.00852381571767217, 0.028763668526131346, 1.183437210727778e-7],
  },
  {
    pivot: [-0.03666069825622655, 0.01000011608629868, 0.07663342299448257],
    ahead: [6.326794896519466e-6, 0.9999999999799852, -7.0550646912150425e-12],
    aside: [-1.0196153102346142e-6, 1.3505961633338446e-11, 0.9999999999994795],
    ball: [-0.029172011376922807, 0.0069999429399361995, 4.0290270064691214e-8],
  },
  {
    pivot: [-0.03666077172023576, -0.009999865338437615, 0.07663342299448232],
    ahead: [-3.673205069955933e-6, -0.9999999999932537, -6.767968877969483e-14],
    aside: [1.0196153102837198e-6, -3.6775764393585005e-12, -0.9999999999994795],
    ball: [-0.029172040355214434, -0.0069999960097160766, -3.1608172912367394e-8],
  },
  {
    pivot: [0.009669744869838334, -0.03674904912286439, 0.07663330005203527],
    ahead: [-0.8660284647694133, -0.4999946981757419, 2.298079429767357e-6],
    aside: [4.490172883391843e-6, -3.1811099293773187e-6, 0.9999999999848591],
    ball: [0.008523809101930114, -0.028763713010385224, -1.4344916837716326e-7],
  },
  {
    pivot: [0.026990337066403518, -0.02674913845737482, 0.0766332540903862],
    ahead: [0.8660247915798897, 0.5000010603626025, -2.298069644866714e-6],
    aside: [-4.490196220318687e-6, 3.1810964558725514e-6, -0.9999999999848591],
    ball: [0.020648186722822436, -0.02176369606185343, -8.957920105689965e-8],
  },
];

/** Where the arm of a leg ends, in the body's frame. */
export function armEnd(leg: Leg, angle: number): Point {
  const along = times(leg.ahead, ARM * Math.cos(angle));
  return sum(leg.pivot, sum(along, times(leg.aside, ARM * Math.sin(angle))));
}

/** The six numbers of a pose: where it is, and roll, pitch, yaw. */
type Six = [number, number, number, number, number, number];

const poseOf = (six: Six): Pose => ({
  at: [six[0], six[1], six[2]],
  turn: turnOf(six[3], six[4], six[5]),
});

/** The head's pose in the body's frame for these six arms, found from a pose that is near; `null` if none is. */
export function headFromArms(
  angles: readonly number[],
  near: Pose,
  nearAngles: Six[3][],
): Pose | null {
  const ends = LEGS.map((leg, place) => armEnd(leg, angles[place]!));
  const off = (six: Six): number[] => {
    const pose = poseOf(six);
    return LEGS.map((leg, place) => length(less(moved(pose, leg.ball), ends[place]!)) - ROD);
  };
  let six: Six = [...near.at, nearAngles[0] ?? 0, nearAngles[1] ?? 0, nearAngles[2] ?? 0] as Six;
  for (let round = 0; round < 20; round += 1) {
    const now = off(six);
    if (Math.max(...now.map(Math.abs)) < 1e-7) return poseOf(six);
    const step = 1e-6;
    const columns = six.map((_, at) => {
      const other = [...six] as Six;
      other[at]! += step;
      return off(other).map((value, row) => (value - now[row]!) / step);
    });
    const rows = now.map((_, row) => columns.map((column) => column[row]!));
    const by = solve(
      rows,
      now.map((value) => -value),
    );
    if (by === null) return null;
    // A long step would lead out of where the straight line holds.
    const scale = Math.min(1, 0.3 / Math.max(1e-9, ...by.map(Math.abs)));
    six = six.map((value, at) => value + scale * by[at]!) as Six;
  }
  return null;
}
