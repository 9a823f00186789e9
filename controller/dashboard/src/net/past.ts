/** Remembers the last seconds while the view Drive is open. */

import { effect, untracked } from '@preact/signals';
import { PastRing, type Past } from '../logic/past';
import { cameraFrame } from './camera';
import { limited } from './limited';
import { activeClamps, frame } from './live';
import { lease } from './teleop';

/** A frame of a video is encoded this often, milliseconds. */
const ENCODE_INTERVAL_MS = 200;
let encodedAt = -Infinity;

/** Encodes a frame of a video. It is copied at once, since the next frame replaces it. */
function encode(bitmap: ImageBitmap): Promise<Blob> {
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.7 });
}

let ring: PastRing | null = null;

/** Remembers until the returned function is called. Then everything is forgotten. */
export function rememberPast(): () => void {
  const own = (ring = new PastRing());
  const ends = [
    effect(() => {
      const latest = frame.value;
      if (latest === null) return;
      untracked(() => {
        const steers = lease.value.status === 'held';
        const axes = steers ? limited.value.map(({ axis }) => axis) : null;
        own.addFrame({
          at: performance.now(),
          frame: latest,
          clamps: activeClamps(),
          limited: axes,
        });
      });
    }),
    effect(() => {
      const image = cameraFrame.value;
      if (image === null) return;
      if (image.jpeg !== null) return own.addImage({ at: image.at, jpeg: image.jpeg });
      if (image.at - encodedAt < ENCODE_INTERVAL_MS) return;
      encodedAt = image.at;
      void encode(image.bitmap).then((jpeg) => own.addImage({ at: image.at, jpeg }));
    }),
  ];
  return () => {
    ends.forEach((end) => end());
    ring = null;
  };
}

export const takePast = (): Past | null => ring?.snapshot() ?? null;
