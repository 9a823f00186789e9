/** The 3D scene: lights, floor and an orbiting camera. It draws only when something has changed. */

import {
  AmbientLight,
  CircleGeometry,
  Color,
  DirectionalLight,
  GridHelper,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Drawing } from '../logic/drawing';
import type { Marks } from '../logic/limits';
import { createModel } from './model';

export interface SceneView {
  /** Shows the present pose, the goal pose (`null` hides it), whether they are stale, and the marks. */
  show(now: Drawing | null, goal: Drawing | null, isStale: boolean, marks: Marks): void;
  resize(width: number, height: number): void;
  reset(): void;
  dispose(): void;
}

const CAMERA_POSITION = new Vector3(0.6, 0.31, 0.34);
const CAMERA_TARGET = new Vector3(0, 0, 0.165);

/** A rehearsal has another floor, so that its robot is not mistaken for the real one. */
const GROUNDS = {
  robot: { color: 0x8a93a0, floor: 0.18, grid: 0.22, divisions: 12 },
  rehearsal: { color: 0x7a4fd0, floor: 0.42, grid: 0.5, divisions: 4 },
} as const;

/** Creates the scene. Throws if the browser has no WebGL. */
export function createScene(
  canvas: HTMLCanvasElement,
  kind: 'robot' | 'rehearsal' = 'robot',
): SceneView {
  const ground = GROUNDS[kind];
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  const scene = new Scene();
  const camera = new PerspectiveCamera(34, 1, 0.02, 10);
  camera.up.set(0, 0, 1);
  const controls = new OrbitControls(camera, canvas);
  controls.enablePan = false;
  controls.minDistance = 0.3;
  controls.maxDistance = 1.4;
  controls.maxPolarAngle = 1.75;

  const key = new DirectionalLight(new Color(0xffffff), 2.1);
  key.position.set(0.6, 0.5, 1);
  scene.add(new AmbientLight(0xffffff, 0.5), new HemisphereLight(0xffffff, 0x9aa3b0, 1.1), key);
  const floor = new Mesh(
    new CircleGeometry(0.2, 64),
    new MeshBasicMaterial({ color: ground.color, transparent: true, opacity: ground.floor }),
  );
  floor.position.z = -0.0005;
  const grid = new GridHelper(0.6, ground.divisions, ground.color, ground.color);
  grid.rotation.x = Math.PI / 2;
  grid.material.transparent = true;
  grid.material.opacity = ground.grid;
  scene.add(floor, grid);

  const robot = createModel(kind);
  const ghost = createModel('goal');
  robot.root.visible = ghost.root.visible = false;
  scene.add(robot.root, ghost.root);

  let requested = 0;
  let wasStale = false;
  const draw = () => {
    requested = 0;
    renderer.render(scene, camera);
  };
  const requestDraw = () => {
    requested ||= requestAnimationFrame(draw);
  };
  const reset = () => {
    camera.position.copy(CAMERA_POSITION);
    controls.target.copy(CAMERA_TARGET);
    controls.update();
    requestDraw();
  };
  controls.addEventListener('change', requestDraw);
  reset();

  return {
    show(now, goal, isStale, marks) {
      robot.root.visible = now !== null;
      ghost.root.visible = goal !== null && !isStale;
      if (now !== null) robot.pose(now);
      robot.mark(marks);
      if (goal !== null) ghost.pose(goal);
      if (isStale !== wasStale) robot.fade(isStale);
      wasStale = isStale;
      requestDraw();
    },
    resize(width, height) {
      if (width <= 0 || height <= 0) return;
      renderer.setSize(width, height, false);
      camera.aspect = width / height;
      camera.updateProjectionMatrix();
      requestDraw();
    },
    reset,
    dispose() {
      cancelAnimationFrame(requested);
      controls.dispose();
      renderer.dispose();
    },
  };
}
