/** Remembers the last seconds while the view Drive is open. */

import { effect, untracked } from '@preact/signals';
import { PastRing, type Past } from '../logic/past';
import { cameraFrame } from './camera';
import { limited } from './limited';
import { activeClamps, frame } from './live';
import { lease } from './teleop';

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
      if (image !== null) own.addImage({ at: image.at, jpeg: image.jpeg });
    }),
  ];
  return () => {
    ends.forEach((end) => end());
    ring = null;
  };
}

export const takePast = (): Past | null => ring?.snapshot() ?? null;
