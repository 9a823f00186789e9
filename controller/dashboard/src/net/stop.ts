/** The stop: asked for at once, by every way there is, and confirmed by the robot's answer alone. */

import { judged, shown, type Stop } from '../logic/stopping';
import { post } from './http';
import { now } from './live';
import { ofRobot, onParting } from './robots';

export const stop = ofRobot<Stop>({ is: 'ready' });

/** What else has to hear of a stop. */
const listeners = new Set<() => void>();

export function onStop(listener: () => void): void {
  listeners.add(listener);
}

let latest = 0;
// A stop of another robot says nothing of this one.
onParting(() => (latest += 1));

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
