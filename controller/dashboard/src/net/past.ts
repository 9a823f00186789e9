/** Remembers the last seconds while the view Drive is open. */

import { effect, untracked } from '@preact/signals';
import { PastRing, type Past, type PastImage } from '../logic/past';
import { cameraFrame, type CameraFrame } from './camera';
import { limited } from './limited';
import { activeClamps, frame } from './live';
import { lease } from './teleop';

/** A frame of a video is encoded this often, milliseconds. */
const ENCODE_INTERVAL_MS = 200;

/** Encodes frames of a video, one at a time. */
class Encoder {
  private readonly worker = new Worker(new URL('./jpeg.worker.ts', import.meta.url), {
    type: 'module',
  });
  private isBusy = false;
  private encodedAt = -Infinity;

  constructor(private readonly onImage: (image: PastImage) => void) {}

  /** Encodes a copy of the frame, since the next one replaces it; nothing while it is too early or busy. */
  encode({ at, bitmap }: CameraFrame): void {
    if (this.isBusy || at - this.encodedAt < ENCODE_INTERVAL_MS) return;
    this.isBusy = true;
    this.encodedAt = at;
    this.worker.onmessage = ({ data: jpeg }: MessageEvent<Blob>) => {
      this.isBusy = false;
      this.onImage({ at, jpeg });
    };
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    const copy = canvas.transferToImageBitmap();
    this.worker.postMessage(copy, [copy]);
  }

  end(): void {
    this.worker.terminate();
  }
}

let ring: PastRing | null = null;

/** Remembers until the returned function is called. Then everything is forgotten. */
export function rememberPast(): () => void {
  const own = (ring = new PastRing());
  let encoder: Encoder | null = null;
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
      encoder ??= new Encoder((encoded) => own.addImage(encoded));
      encoder.encode(image);
    }),
  ];
  return () => {
    ends.forEach((end) => end());
    encoder?.end();
    ring = null;
  };
}

export const takePast = (): Past | null => ring?.snapshot() ?? null;
