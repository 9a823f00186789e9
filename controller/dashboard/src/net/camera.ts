/** Receives the camera stream frame by frame, so that the age of the latest frame is known. */

import { signal } from '@preact/signals';
import { retryDelay } from '../logic/backoff';
import type { CameraIntrinsics } from '../logic/camera-model';
import { DETECTIONS } from '../protocol/compat';
import type { Detections } from '../protocol/responses';
import { MjpegReader } from '../protocol/mjpeg';
import { request, errorDetail, fetchFrom } from './http';
import { robotSignal } from './robots';

export interface CameraFrame {
  at: number;
  bitmap: ImageBitmap;
  /** The image as it was received; `null` for a frame of a video. */
  jpeg: Blob | null;
}

export const cameraFrame = signal<CameraFrame | null>(null);
/** Whether the page is visible. A hidden page closes the stream, since browsers allow few connections per server. */
export const pageVisible = signal(document.visibilityState === 'visible');
document.addEventListener('visibilitychange', () => {
  pageVisible.value = document.visibilityState === 'visible';
});

export const cameraError = robotSignal<string | null>(null);

/** A frame older than this is stale, milliseconds. */
export const FRAME_STALE_MS = 1000;

/** The longest delay between attempts, and the longest silence on an open stream, milliseconds. */
const MAX_RETRY_DELAY_MS = 2000;
const READ_TIMEOUT_MS = 4000;

/** Receives frames and reconnects until the signal aborts. */
export async function streamCamera(fps: number, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const frames = await readStream(fps, signal);
    if (frames > 0) attempt = 0;
    if (signal.aborted) break;
    await new Promise((done) =>
      setTimeout(done, Math.min(retryDelay(attempt), MAX_RETRY_DELAY_MS)),
    );
  }
  cameraFrame.value?.bitmap.close();
  cameraFrame.value = null;
}

async function readStream(fps: number, signal: AbortSignal): Promise<number> {
  let frames = 0;
  const ending = new AbortController();
  const end = () => ending.abort();
  let watchdog = setTimeout(end, READ_TIMEOUT_MS);
  signal.addEventListener('abort', end);
  try {
    const response = await fetchFrom(`/api/v1/camera/stream?fps=${fps}`, { signal: ending.signal });
    if (!response.ok || response.body === null) {
      const body: unknown = await response.json().catch(() => null);
      cameraError.value = errorDetail(body, response);
      return 0;
    }
    const reader = response.body.getReader();
    const parts = new MjpegReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return frames;
      clearTimeout(watchdog);
      watchdog = setTimeout(end, READ_TIMEOUT_MS);
      const latest = parts.push(value).at(-1);
      if (latest === undefined) continue;
      const at = performance.now();
      const jpeg = new Blob([latest as BlobPart], { type: 'image/jpeg' });
      const bitmap = await createImageBitmap(jpeg);
      const previous = cameraFrame.value;
      cameraFrame.value = { at, bitmap, jpeg };
      previous?.bitmap.close();
      cameraError.value = null;
      frames += 1;
    }
  } catch {
    if (!signal.aborted && cameraFrame.value === null) cameraError.value = '';
    return frames;
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener('abort', end);
    ending.abort();
  }
}

export const fetchDetections = (signal: AbortSignal) =>
  request<Detections>('/api/v1/camera/detections', {
    signal,
    timeoutMs: 10_000,
    shape: DETECTIONS,
  });

export const fetchCameraIntrinsics = (signal: AbortSignal) =>
  request<CameraIntrinsics>('/api/v1/camera/intrinsics', { signal, timeoutMs: 5000 });
