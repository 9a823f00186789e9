/** The camera's pictures as they come, so that it is known how old the newest is. */

import { signal } from '@preact/signals';
import { wait } from '../logic/backoff';
import type { Specs } from '../logic/camera-model';
import type { Detections } from '../protocol/responses';
import { PictureReader } from '../protocol/mjpeg';
import { ask, detailOf, open } from './http';
import { ofRobot } from './robots';

export interface Picture {
  at: number;
  bitmap: ImageBitmap;
}

export const picture = signal<Picture | null>(null);
/** Whether anybody can see the page: pictures take one of the few connections that a browser has for a server. */
export const seen = signal(document.visibilityState === 'visible');
document.addEventListener('visibilitychange', () => {
  seen.value = document.visibilityState === 'visible';
});

export const cameraTrouble = ofRobot<string | null>(null);

/** A picture older than this is stale, milliseconds. */
export const PICTURE_STALE_MS = 1000;

/** The longest wait between two attempts, and the longest silence within one, milliseconds. */
const LONGEST_WAIT_MS = 2000;
const SILENT_MS = 4000;

/** Keeps the pictures coming until the signal ends it. */
export async function watch(fps: number, signal: AbortSignal): Promise<void> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    const pictures = await stream(fps, signal);
    if (pictures > 0) tries = 0;
    if (signal.aborted) break;
    await new Promise((done) => setTimeout(done, Math.min(wait(tries), LONGEST_WAIT_MS)));
  }
  picture.value?.bitmap.close();
  picture.value = null;
}

async function stream(fps: number, signal: AbortSignal): Promise<number> {
  let pictures = 0;
  const ending = new AbortController();
  const end = () => ending.abort();
  let silence = setTimeout(end, SILENT_MS);
  signal.addEventListener('abort', end);
  try {
    const response = await open(`/api/v1/camera/stream?fps=${fps}`, { signal: ending.signal });
    if (!response.ok || response.body === null) {
      const said: unknown = await response.json().catch(() => null);
      cameraTrouble.value = detailOf(said, response);
      return 0;
    }
    const reader = response.body.getReader();
    const parts = new PictureReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return pictures;
      clearTimeout(silence);
      silence = setTimeout(end, SILENT_MS);
      const newest = parts.take(value).at(-1);
      if (newest === undefined) continue;
      const at = performance.now();
      const bitmap = await createImageBitmap(
        new Blob([newest as BlobPart], { type: 'image/jpeg' }),
      );
      const before = picture.value;
      picture.value = { at, bitmap };
      before?.bitmap.close();
      cameraTrouble.value = null;
      pictures += 1;
    }
  } catch {
    if (!signal.aborted && picture.value === null) cameraTrouble.value = '';
    return pictures;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', end);
    ending.abort();
  }
}

export const look = (signal: AbortSignal) =>
  ask<Detections>('/api/v1/camera/detections', { signal, patience: 10_000 });

export const lens = (signal: AbortSignal) =>
  ask<Specs>('/api/camera/specs', { signal, patience: 5000 });
