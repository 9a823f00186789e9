/** The stop: asked for at once, by every way there is, and confirmed by the robot's answer alone. */

import { signal } from '@preact/signals';
import { judged, shown, type Stop } from '../logic/stopping';
import { post } from './http';
import { now } from './live';

export const stop = signal<Stop>({ is: 'ready' });

/** What else has to hear of a stop. */
const listeners = new Set<() => void>();

export function onStop(listener: () => void): void {
  listeners.add(listener);
}

let latest = 0;

export async function sayStop(): Promise<void> {
  latest += 1;
  const mine = latest;
  const since = performance.now();
  stop.value = { is: 'sent', since };
  listeners.forEach((listener) => listener());
  const answer = await post('/api/v1/stop', {}, { patience: 15_000 });
  if (mine === latest) stop.value = judged(answer, since, performance.now());
}

/** What the page shows of it now. */
export const shownStop = (): Stop => shown(stop.value, now.value);
