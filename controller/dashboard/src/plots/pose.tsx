/** The robot in 3D and its camera image at the time under the cursor. */

import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  differVisibly,
  drawingFromMotors,
  goalDrawing,
  NEUTRAL,
  postureFromDrawing,
  presentDrawing,
  type Drawing,
} from '../logic/drawing';
import { anglesAt, imageAt, type Run } from '../logic/plots/run';
import type { Samples } from '../logic/plots/samples';
import { frame, stale } from '../net/live';
import { useScene } from '../components/use-scene';
import type { SceneView } from '../scene/scene';
import { formatNumber, messages } from '../i18n';
import { onCursor } from './draw-loop';
import { shortName, timeText } from './labels';
import { cursor, isLive, offset, other, run, shownSamples } from './state';

/** The live pose is drawn this often, milliseconds. */
const LIVE_INTERVAL_MS = 100;

/** Returns the time that is shown: that of the cursor, or the beginning of a run; `null` is now. */
const shownTime = (): number | null =>
  cursor.value ?? (isLive.value ? null : shownSamples().firstTime);

export function PosePanel() {
  const w = messages.value.plots;
  const live = isLive.value;
  const at = shownTime();
  const isPast = live && at !== null;
  return (
    <section class="card pose-card" aria-label={messages.value.robot.scene}>
      <div class="card-head">
        <h2>{messages.value.robot.scene}</h2>
        <span class={`badge ${isPast ? 'is-stale' : 'is-plain'}`}>
          {at === null ? w.now : timeText(at, live)}
        </span>
      </div>
      <PoseView key={live ? 'robot' : 'rehearsal'} kind={live ? 'robot' : 'rehearsal'} />
      {isPast && <p class="note">{w.past}</p>}
      {run.value !== null && <CameraImage run={run.value} at_s={at ?? 0} />}
    </section>
  );
}

function PoseView({ kind }: { kind: 'robot' | 'rehearsal' }) {
  const w = messages.value;
  const { canvas, scene, failed } = useScene(kind);
  useEffect(() => {
    if (scene === null) return;
    const show = poser(scene);
    let shownAt = -Infinity;
    const endCursor = onCursor(() => {
      const at = performance.now();
      // A computer without a graphics processor needs the time for the plots.
      if (shownTime() === null && at - shownAt < LIVE_INTERVAL_MS) return;
      shownAt = at;
      show();
    });
    // Without frames nothing moves the cursor, but the pose becomes stale.
    const endStale = effect(() => void (stale.value, show()));
    return () => (endCursor(), endStale());
  }, [scene]);
  const isRun = kind === 'rehearsal';
  return (
    <div class={`scene ${isRun ? 'is-rehearsal' : ''}`}>
      <canvas ref={canvas} role="img" aria-label={w.robot.scene} />
      {isRun && <p class="replay-badge">{w.plots.badge}</p>}
      {failed && <p class="scene-note">{w.robot.noScene}</p>}
      <p class="scene-hint">{isRun && other.value !== null ? w.plots.ghost : w.robot.ghost}</p>
    </div>
  );
}

/** Returns a function that shows the robot at the shown time. */
function poser(scene: SceneView): () => void {
  let [near, goalNear] = [NEUTRAL, NEUTRAL];
  const pose = (samples: Samples, group: 'present' | 'goal', at_s: number): Drawing | null => {
    const angles = anglesAt(samples, group, at_s);
    const drawing = angles && drawingFromMotors(angles, group === 'present' ? near : goalNear);
    if (drawing === null) return null;
    if (group === 'present') near = postureFromDrawing(drawing);
    else goalNear = postureFromDrawing(drawing);
    return drawing;
  };
  return () => {
    const at = shownTime();
    const latest = frame.value;
    if (at === null) {
      const now = latest === null ? null : presentDrawing(latest);
      const goal = latest === null || stale.value ? null : goalDrawing(latest);
      return scene.show(now, ghost(now, goal), stale.value, {});
    }
    const now = pose(shownSamples(), 'present', at);
    const compared = isLive.value ? null : other.value;
    const over =
      compared === null
        ? pose(shownSamples(), 'goal', at)
        : pose(compared.samples, 'present', at - offset.value);
    // The past is drawn as what is old, so that nobody takes it for the robot as it is now.
    scene.show(now, isLive.value ? null : ghost(now, over), isLive.value, {});
  };
}

const ghost = (now: Drawing | null, other: Drawing | null): Drawing | null =>
  now !== null && other !== null && differVisibly(now, other) ? other : null;

function CameraImage({ run: shown, at_s }: { run: Run; at_s: number }) {
  const w = messages.value.plots;
  if (shown.images.length === 0) return <p class="note">{w.noImages}</p>;
  const image = imageAt(shown.images, at_s) ?? shown.images[0]!;
  const found = image.detections.map(
    ({ label, score }) => `${shortName(label)} ${formatNumber(100 * score)} %`,
  );
  return (
    <figure class="run-image">
      <img
        src={`data:image/jpeg;base64,${image.jpeg}`}
        alt={w.imageAt(timeText(image.at_s, false))}
      />
      <figcaption class="note">
        {[w.imageAt(timeText(image.at_s, false)), ...found].join(' · ')}
      </figcaption>
    </figure>
  );
}
