/** The stop: asked for at once, by every way there is, and confirmed by the robot's answer alone. */

import { judged, settled, shown, type Stop } from '../logic/stop-state';
import { post } from './http';
import { now } from './live';
import { ofRobot, onParting } from './robots';
import { stopHere } from './telemetry';

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
  const hear = (answer: Parameters<typeof judged>[0]) => {
    if (mine === latest) stop.value = settled(stop.value, judged(answer, since, performance.now()));
  };
  // The stream is open already, and a question may have to wait for a connection.
  const streamed = stopHere().then((value) => value !== null && hear({ ok: true, value }));
  listeners.forEach((listener) => listener());
  const asked = post('/api/v1/stop', {}, { patience: 15_000 }).then(hear);
  await Promise.all([streamed, asked]);
}

/** What the page shows of it now. */
export const shownStop = (): Stop => shown(stop.value, now.value);
