/** The robot in 3D. The renderer is loaded on first use. */

import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { differVisibly, goalDrawing, presentDrawing } from '../logic/drawing';
import { limitMarks, type Marks } from '../logic/limits';
import { limits } from '../net/limits';
import { activeClamps, frame, stale } from '../net/live';
import type { SceneView } from '../scene/scene';
import { messages } from '../i18n';
import { LimitMarks } from './limit-marks';
import { afterFirstPaint } from './after-first-paint';

const failed = signal(false);

export function Robot3D() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scene = useRef<SceneView | null>(null);
  useEffect(() => {
    let ended = false;
    let end = () => {};
    void afterFirstPaint()
      .then(() => import('../scene/scene'))
      .then(
        ({ createScene: build }) => {
          if (ended || canvas.current === null) return;
          try {
            scene.current = build(canvas.current);
          } catch {
            failed.value = true;
            return;
          }
          end = renderFrames(scene.current, canvas.current);
        },
        () => (failed.value = true),
      );
    return () => {
      ended = true;
      end();
      scene.current?.dispose();
      scene.current = null;
    };
  }, []);
  const w = messages.value.robot;
  const isUnknown = frame.value !== null && frame.value.posture === null;
  return (
    <div class={`scene ${stale.value ? 'is-old' : ''}`}>
      <canvas ref={canvas} role="img" aria-label={w.scene} />
      {failed.value && <p class="scene-note">{w.noScene}</p>}
      {isUnknown && <p class="scene-note">{w.unknown}</p>}
      <p class="scene-hint">{w.ghost}</p>
      {!stale.value && <LimitMarks marks={currentMarks()} />}
      <button type="button" class="scene-reset" onClick={() => scene.current?.reset()}>
        {w.resetView}
      </button>
    </div>
  );
}

/** Returns the parts that are at a limit now. */
const currentMarks = (): Marks =>
  frame.value === null ? {} : limitMarks(frame.value, limits.value, activeClamps());

/** Draws each new frame while the canvas has a size. Returns a function that stops it. */
function renderFrames(scene: SceneView, canvas: HTMLCanvasElement): () => void {
  const sizes = new ResizeObserver(() => scene.resize(canvas.clientWidth, canvas.clientHeight));
  sizes.observe(canvas);
  const end = effect(() => {
    const latest = frame.value;
    const now = latest === null ? null : presentDrawing(latest);
    const goalPose = latest === null || stale.value ? null : goalDrawing(latest);
    const ghost =
      now !== null && goalPose !== null && differVisibly(now, goalPose) ? goalPose : null;
    scene.show(now, ghost, stale.value, currentMarks());
  });
  return () => {
    sizes.disconnect();
    end();
  };
}
