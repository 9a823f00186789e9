/** Shows the head camera with the detected objects. A click reports its position in the image. */

import { effect, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import {
  cameraError,
  fetchDetections,
  cameraFrame,
  FRAME_STALE_MS,
  pageVisible,
  streamCamera,
} from '../net/camera';
import { freshness, now, webrtcPort } from '../net/live';
import type { Detections } from '../protocol/responses';
import { formatNumber, formatDuration, messages } from '../i18n';
import { Card } from './basics';
import { robotSignal } from '../net/robots';

const FPS = 12;
/** The interval between object detections, milliseconds. */
const DETECT_INTERVAL_MS = 700;

const cameraShown = signal(true);
/** Whether the user wants video by WebRTC, and why it failed last. */
const wantsVideo = signal(false);
const videoError = robotSignal('');
const detecting = signal(false);
const detections = robotSignal<Detections | null>(null);
const detectError = robotSignal('');

interface CameraProps {
  /** Receives the position of a click, each coordinate from 0 to 1, from the left and from the top. */
  onPoint?: (across: number, down: number) => void;
  hint?: string;
  /** Whether to offer video with a low delay, if the server has it. */
  offersVideo?: boolean;
  /** Shown over the image. */
  children?: ComponentChildren;
}

export function Camera({ onPoint, hint, offersVideo = false, children }: CameraProps) {
  const w = messages.value.robot;
  const canvas = useRef<HTMLCanvasElement>(null);
  const visible = cameraShown.value && pageVisible.value;
  const hasVideo = offersVideo && webrtcPort.value !== null;
  const isVideo = hasVideo && wantsVideo.value;
  useEffect(() => {
    if (!visible) return;
    const ending = new AbortController();
    void (isVideo ? streamVideo(ending.signal) : streamCamera(FPS, ending.signal));
    const end = effect(() => draw(canvas.current));
    return () => (ending.abort(), end());
  }, [visible, isVideo]);
  const isDetecting = detecting.value && visible;
  useEffect(() => {
    if (!isDetecting) return;
    const ending = new AbortController();
    void detectLoop(ending.signal);
    return () => ending.abort();
  }, [isDetecting]);
  const at = cameraFrame.value?.at;
  const age =
    at === undefined ? Infinity : Math.max(0, now.value - at) + freshness.latency(now.value);
  const isOld = age > FRAME_STALE_MS;
  const click = (event: MouseEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    onPoint?.((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  };
  return (
    <Card
      title={w.camera}
      class="camera-card"
      aside={
        <span class="buttons">
          {hasVideo && (
            <button type="button" aria-pressed={isVideo} onClick={toggleVideo}>
              {messages.value.drive.video.lowDelay}
            </button>
          )}
          <button
            type="button"
            aria-pressed={detecting.value}
            onClick={() => (detecting.value = !detecting.value)}
          >
            {w.detect}
          </button>
          <button type="button" onClick={() => (cameraShown.value = !cameraShown.value)}>
            {cameraShown.value ? w.cameraHide : w.cameraShow}
          </button>
        </span>
      }
    >
      <div class={`camera ${isOld ? 'is-old' : ''} ${onPoint ? 'is-clickable' : ''}`}>
        <canvas
          ref={canvas}
          width={320}
          height={240}
          role="img"
          aria-label={w.camera}
          onClick={click}
        />
        {visible && at !== undefined && children}
        {(!visible || at === undefined) && (
          <p class="scene-note">
            {w.cameraOff} {cameraError.value}
          </p>
        )}
        {visible && at !== undefined && isOld && (
          <p class="scene-note">{w.imageAge(formatDuration(age))}</p>
        )}
      </div>
      <p class="note one-line">
        {videoError.value ||
          detectError.value ||
          (isDetecting && detections.value
            ? w.detected(detections.value.objects.length)
            : (hint ?? ''))}
      </p>
    </Card>
  );
}

function toggleVideo(): void {
  videoError.value = '';
  wantsVideo.value = !wantsVideo.value;
}

/** Receives video. If it fails, the single images follow, and the page says why. */
async function streamVideo(signal: AbortSignal): Promise<void> {
  const video = await import('../net/webrtc-video');
  const reason = signal.aborted ? '' : await video.streamVideo(signal);
  if (signal.aborted) return;
  videoError.value = messages.value.drive.video.fallback(reason);
  wantsVideo.value = false;
}

async function detectLoop(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetchDetections(signal);
    if (signal.aborted) break;
    detections.value = answer.ok ? answer.value : null;
    detectError.value = answer.ok ? (answer.value.objects_unavailable_reason ?? '') : answer.detail;
    await new Promise((done) => setTimeout(done, DETECT_INTERVAL_MS));
  }
  detections.value = null;
  detectError.value = '';
}

/** Draws the latest frame and boxes around the objects of the latest detection. */
function draw(canvas: HTMLCanvasElement | null): void {
  const latest = cameraFrame.value;
  const detected = detections.value;
  const pen = canvas?.getContext('2d');
  if (!canvas || !pen || latest === null) return;
  const { width, height } = latest.bitmap;
  if (canvas.width !== width || canvas.height !== height)
    [canvas.width, canvas.height] = [width, height];
  pen.drawImage(latest.bitmap, 0, 0);
  if (detected === null) return;
  const scale = width / detected.width;
  const size = Math.max(11, Math.round(width / 28));
  pen.font = `${size}px system-ui, sans-serif`;
  pen.lineWidth = Math.max(1.5, width / 240);
  for (const object of detected.objects) {
    const [x, y, wide, high] = object.bbox_xywh.map((pixels) => pixels * scale) as [
      number,
      number,
      number,
      number,
    ];
    const label = `${object.label} ${formatNumber(object.score * 100)} %`;
    pen.strokeStyle = '#ffb020';
    pen.strokeRect(x, y, wide, high);
    pen.fillStyle = '#ffb020';
    pen.fillRect(x, Math.max(0, y - size - 4), pen.measureText(label).width + 8, size + 4);
    pen.fillStyle = '#1a1a1a';
    pen.fillText(label, x + 4, Math.max(size, y - 4));
  }
}
