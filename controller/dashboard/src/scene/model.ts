/** The robot as simple shapes: a rotating body, six legs, a head and two antennas. Metres; x forward, z up. */

import {
  CapsuleGeometry,
  CylinderGeometry,
  Group,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  SphereGeometry,
  Vector3,
  type Material,
} from 'three';
import { RoundedBoxGeometry } from 'three/examples/jsm/geometries/RoundedBoxGeometry.js';
import type { Drawing } from '../logic/drawing';
import type { Point, Pose } from '../logic/geometry';
import type { Mark, Marks, Part } from '../logic/limits';
import { MOTORS } from '../protocol/joints';

const ANTENNA: Point = [-0.01, 0.04, 0.06];
const ANTENNA_LENGTH = 0.11;
const UP = new Vector3(0, 1, 0);

export interface Model {
  root: Group;
  pose(drawing: Drawing): void;
  fade(isStale: boolean): void;
  /** Colours the parts that are near a limit or clamped. */
  mark(marks: Marks): void;
}

interface Materials {
  shell: Material;
  dark: Material;
  metal: Material;
  accent: Material;
  glass: Material;
}

/** What the model shows: the present pose, the goal pose or a rehearsal. */
export type ModelKind = 'robot' | 'goal' | 'rehearsal';

const standardMaterial = (color: number, roughness: number, metalness = 0) =>
  new MeshStandardMaterial({ color, roughness, metalness });

const tints = (): Record<Mark, MeshStandardMaterial> => ({
  near: standardMaterial(0xe8a013, 0.5),
  clamped: standardMaterial(0xd1202c, 0.5),
});

function solid(shell: number): Materials {
  return {
    shell: standardMaterial(shell, 0.55),
    dark: standardMaterial(0x30353d, 0.6),
    metal: standardMaterial(0x8b939e, 0.35, 0.6),
    accent: standardMaterial(0xe08a1e, 0.5),
    glass: standardMaterial(0x10141a, 0.12, 0.2),
  };
}

function ghost(): Materials {
  const thinned = (opacity: number) =>
    // The offset prevents flickering with surfaces at the same depth.
    new MeshBasicMaterial({
      color: 0x2f7fe0,
      transparent: true,
      opacity,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 2,
    });
  const [thin, thick] = [thinned(0.3), thinned(0.7)];
  return { shell: thin, dark: thick, metal: thick, accent: thick, glass: thin };
}

/** A box with rounded edges. */
function roundedBox(x: number, y: number, z: number, round: number, material: Material): Mesh {
  return new Mesh(new RoundedBoxGeometry(x, y, z, 5, round), material);
}

interface HeadModel {
  group: Group;
  shell: Mesh;
  antennas: [Group, Group];
  masts: Mesh[];
}

function head(materials: Materials): HeadModel {
  const group = new Group();
  const shell = roundedBox(0.09, 0.13, 0.08, 0.03, materials.shell);
  shell.position.set(0, 0, 0.02);
  const face = roundedBox(0.012, 0.1, 0.05, 0.006, materials.glass);
  face.position.set(0.043, 0, 0.024);
  group.add(shell, face);
  for (const side of [1, -1]) {
    const eye = new Mesh(new SphereGeometry(0.017, 20, 14), materials.shell);
    eye.position.set(0.044, side * 0.026, 0.026);
    const pupil = new Mesh(new SphereGeometry(0.0085, 16, 12), materials.glass);
    pupil.position.set(0.057, side * 0.026, 0.026);
    group.add(eye, pupil);
  }
  const masts: Mesh[] = [];
  const antennas = [-1, 1].map((side) => {
    const joint = new Group();
    joint.position.set(ANTENNA[0], side * ANTENNA[1], ANTENNA[2]);
    const mast = new Mesh(new CylinderGeometry(0.0022, 0.003, ANTENNA_LENGTH, 10), materials.dark);
    mast.rotation.x = Math.PI / 2;
    mast.position.z = ANTENNA_LENGTH / 2;
    const tip = new Mesh(new SphereGeometry(0.006, 14, 10), materials.accent);
    tip.position.z = ANTENNA_LENGTH;
    joint.add(mast, tip);
    masts.push(mast);
    group.add(joint);
    return joint;
  }) as [Group, Group];
  return { group, shell, antennas, masts };
}

/** A rod whose end points are set later. */
function rod(radius: number, material: Material): Mesh {
  return new Mesh(new CylinderGeometry(radius, radius, 1, 10), material);
}

function stretchBetween(mesh: Mesh, from: Point, to: Point): void {
  const [a, b] = [new Vector3(...from), new Vector3(...to)];
  const along = b.clone().sub(a);
  mesh.position.copy(a).addScaledVector(along, 0.5);
  mesh.scale.set(1, Math.max(along.length(), 1e-6), 1);
  mesh.quaternion.setFromUnitVectors(UP, along.normalize());
}

function applyPose(group: Group, { position: at, rotation: turn }: Pose): void {
  const [x, y, z] = turn;
  const matrix = new Matrix4().set(...x, at[0], ...y, at[1], ...z, at[2], 0, 0, 0, 1);
  matrix.decompose(group.position, group.quaternion, group.scale);
}

const SHELLS = { robot: 0xe9ebef, rehearsal: 0xcbb8f2 } as const;

export function createModel(kind: ModelKind): Model {
  const isGhost = kind === 'goal';
  const materials = isGhost ? ghost() : solid(SHELLS[kind]);
  const tint = tints();
  const root = new Group();
  const body = new Group();
  /** The meshes that show the mark of each part. */
  const shells: Partial<Record<Part, Mesh[]>> = {};
  if (!isGhost) {
    const shell = roundedBox(0.12, 0.12, 0.066, 0.028, materials.shell);
    shell.position.z = 0.036;
    const collar = new Mesh(new CylinderGeometry(0.048, 0.052, 0.01, 40), materials.dark);
    collar.rotation.x = Math.PI / 2;
    collar.position.z = 0.0715;
    const front = roundedBox(0.006, 0.03, 0.008, 0.003, materials.accent);
    front.position.set(0.0585, 0, 0.05);
    body.add(shell, collar, front);
    shells.body_rotation = [shell];
  }
  const headModel = head(materials);
  const cranks = Array.from({ length: 6 }, () => rod(isGhost ? 0.002 : 0.0045, materials.dark));
  const rods = Array.from({ length: 6 }, () => rod(isGhost ? 0.001 : 0.0022, materials.metal));
  const pivots = Array.from(
    { length: 6 },
    () => new Mesh(new CapsuleGeometry(0.006, 0.006, 4, 10), materials.metal),
  );
  root.add(body, headModel.group, ...cranks, ...rods);
  if (!isGhost) root.add(...pivots);
  shells.head = [headModel.shell];
  MOTORS.slice(1, 7).forEach((leg, at) => (shells[leg] = [cranks[at]!, rods[at]!, pivots[at]!]));
  MOTORS.slice(7).forEach((antenna, at) => (shells[antenna] = [headModel.masts[at]!]));
  const plain = new Map(
    Object.values(shells).flatMap((all = []) => all.map((mesh) => [mesh, mesh.material] as const)),
  );

  return {
    root,
    pose(drawing) {
      body.rotation.z = drawing.bodyYaw;
      applyPose(headModel.group, drawing.head);
      // Positive angles lean both antennas to the robot's left.
      headModel.antennas.forEach((joint, at) => (joint.rotation.x = -drawing.antennas[at]!));
      drawing.legs.forEach((leg, at) => {
        stretchBetween(cranks[at]!, leg.pivot, leg.elbow);
        stretchBetween(rods[at]!, leg.elbow, leg.ballJoint);
        pivots[at]!.position.set(...leg.pivot);
      });
    },
    fade(isStale) {
      if (isGhost) return;
      const all = [...Object.values(materials), ...Object.values(tint)] as MeshStandardMaterial[];
      for (const material of all) {
        material.transparent = isStale;
        material.opacity = isStale ? 0.28 : 1;
        material.depthWrite = !isStale;
        material.needsUpdate = true;
      }
    },
    mark(marks) {
      for (const [part, meshes] of Object.entries(shells) as [Part, Mesh[]][]) {
        const mark = marks[part];
        for (const mesh of meshes) {
          mesh.material = mark === undefined ? plain.get(mesh)! : tint[mark];
        }
      }
    },
  };
}
