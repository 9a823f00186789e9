/** The robot in 3D. What draws it is loaded when it is wanted for the first time. */

import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { differs, goal, present } from '../logic/drawing';
import { marks, type Marks } from '../logic/limits';
import { limits } from '../net/limits';
import { frame, stale } from '../net/live';
import type { Stage } from '../scene/scene';
import { words } from '../i18n';
import { Marked } from './limit-marks';
import { painted } from './after-first-paint';
import { biting } from './clamps';

const trouble = signal(false);

export function Robot3D() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const stage = useRef<Stage | null>(null);
  useEffect(() => {
    let ended = false;
    let end = () => {};
    void painted()
      .then(() => import('../scene/scene'))
      .then(
        ({ stage: build }) => {
          if (ended || canvas.current === null) return;
          try {
            stage.current = build(canvas.current);
          } catch {
            trouble.value = true;
            return;
          }
          end = keep(stage.current, canvas.current);
        },
        () => (trouble.value = true),
      );
    return () => {
      ended = true;
      end();
      stage.current?.dispose();
      stage.current = null;
    };
  }, []);
  const w = words.value.robot;
  const lost = frame.value !== null && frame.value.posture === null;
  return (
    <div class={`scene ${stale.value ? 'is-old' : ''}`}>
      <canvas ref={canvas} role="img" aria-label={w.scene} />
      {trouble.value && <p class="scene-note">{w.noScene}</p>}
      {lost && <p class="scene-note">{w.unknown}</p>}
      <p class="scene-hint">{w.ghost}</p>
      {!stale.value && <Marked marks={held()} />}
      <button type="button" class="scene-reset" onClick={() => stage.current?.reset()}>
        {w.resetView}
      </button>
    </div>
  );
}

/** What is at its limits now. */
const held = (): Marks => (frame.value === null ? {} : marks(frame.value, limits.value, biting()));

/** Draws every frame that comes, while the canvas has a size. */
function keep(stage: Stage, canvas: HTMLCanvasElement): () => void {
  const sizes = new ResizeObserver(() => stage.resize(canvas.clientWidth, canvas.clientHeight));
  sizes.observe(canvas);
  const end = effect(() => {
    const newest = frame.value;
    const now = newest === null ? null : present(newest);
    const wanted = newest === null || stale.value ? null : goal(newest);
    const ghost = now !== null && wanted !== null && differs(now, wanted) ? wanted : null;
    stage.show(now, ghost, stale.value, held());
  });
  return () => {
    sizes.disconnect();
    end();
  };
}
