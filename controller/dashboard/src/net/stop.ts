/** Sends a stop over every channel at once. Only the robot's reply confirms it. */

import { stopFromReply, mergeStops, visibleStop, type StopState } from '../logic/stop-state';
import { STOP_REPLY } from '../protocol/compat';
import { post } from './http';
import { now } from './live';
import { robotSignal, onRobotChange } from './robots';
import { stopOverSocket } from './telemetry';

export const stop = robotSignal<StopState>({ status: 'ready' });

/** Called on each stop. */
const listeners = new Set<() => void>();

export function onStop(listener: () => void): void {
  listeners.add(listener);
}

let latest = 0;
// Replies from the previous robot do not count.
onRobotChange(() => (latest += 1));

export async function sendStop(): Promise<void> {
  latest += 1;
  const generation = latest;
  const since = performance.now();
  stop.value = { status: 'sent', since };
  const onReply = (answer: Parameters<typeof stopFromReply>[0]) => {
    if (generation === latest)
      stop.value = mergeStops(stop.value, stopFromReply(answer, since, performance.now()));
  };
  // The WebSocket is already open; an HTTP request may have to wait for a connection.
  const streamed = stopOverSocket().then((value) => value !== null && onReply({ ok: true, value }));
  listeners.forEach((listener) => listener());
  const requested = post('/api/v1/stop', {}, { timeoutMs: 15_000, shape: STOP_REPLY }).then(
    onReply,
  );
  await Promise.all([streamed, requested]);
}

/** Returns the state of the last stop, as the page shows it now. */
export const currentStop = (): StopState => visibleStop(stop.value, now.value);
