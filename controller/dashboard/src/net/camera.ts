/** The camera's pictures as they come, so that it is known how old the newest is. */

import { signal } from '@preact/signals';
import { wait } from '../logic/backoff';
import type { Specs } from '../logic/lens';
import type { Detections } from '../wire/answers';
import { PictureReader } from '../wire/pictures';
import { ask, detailOf, open } from './http';

export interface Picture {
  at: number;
  bitmap: ImageBitmap;
}

export const picture = signal<Picture | null>(null);
export const cameraTrouble = signal<string | null>(null);

/** A picture older than this is stale, milliseconds. */
export const PICTURE_STALE_MS = 1000;

/** Keeps the pictures coming until the signal ends it. */
export async function watch(fps: number, signal: AbortSignal): Promise<void> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    const pictures = await stream(fps, signal);
    if (pictures > 0) tries = 0;
    if (signal.aborted) break;
    await new Promise((done) => setTimeout(done, wait(tries)));
  }
  picture.value?.bitmap.close();
  picture.value = null;
}

async function stream(fps: number, signal: AbortSignal): Promise<number> {
  let pictures = 0;
  try {
    const response = await open(`/api/v1/camera/stream?fps=${fps}`, { signal });
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
  }
}

export const look = (signal: AbortSignal) =>
  ask<Detections>('/api/v1/camera/detections', { signal, patience: 10_000 });

export const lens = (signal: AbortSignal) =>
  ask<Specs>('/api/camera/specs', { signal, patience: 5000 });
