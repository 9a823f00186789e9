/** Streams telemetry over a WebSocket and reconnects. Between attempts it polls the state over HTTP. */

import { retryDelay } from '../logic/backoff';
import { ROBOT_STATE } from '../protocol/compat';
import type { RobotState } from '../protocol/responses';
import { decodeFrame, frameFromState, parseStopReply } from '../protocol/telemetry';
import { request } from './http';
import { frame, freshness, link, now, telemetryRate } from './live';
import { openSocket } from './sockets';

/** An open stream that is silent for this long is closed, milliseconds. */
const READ_TIMEOUT_MS = 3000;
/** The polling interval without a stream, milliseconds. */
const POLL_INTERVAL_MS = 200;

/** Resolvers of pending stops, in the order in which they were sent. */
let pendingStops: ((latest: unknown) => void)[] = [];
let activeSocket: WebSocket | null = null;

/** Sends a stop over the telemetry WebSocket. Resolves to the robot's reply, or to `null` if there is no connection. */
export function stopOverSocket(): Promise<unknown> {
  if (activeSocket?.readyState !== WebSocket.OPEN) return Promise.resolve(null);
  activeSocket.send(JSON.stringify({ type: 'stop' }));
  return new Promise((done) => pendingStops.push(done));
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), done()), { once: true });
  });

/** Receives frames until the signal aborts. */
export async function streamTelemetry(signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted;) {
    if (link.value.status !== 'polling' && link.value.status !== 'live')
      link.value = { status: 'connecting' };
    const rate = telemetryRate.value;
    const frames = await readStream(rate, signal);
    attempt = frames > 0 ? 0 : attempt + 1;
    if (signal.aborted) return;
    if (frames > 0 && rate !== telemetryRate.value) continue;
    await pollUntil(retryDelay(attempt), signal);
  }
}

/**
 * Handles one connection from start to end. It also ends when another rate is wanted. Resolves to the number of frames
 * received.
 */
function readStream(rate: number, signal: AbortSignal): Promise<number> {
  return new Promise((done) => {
    const socket = openSocket(`/api/v1/telemetry?rate=${rate}&format=binary`);
    if (socket === null) return done(0);
    socket.binaryType = 'arraybuffer';
    activeSocket = socket;
    let frames = 0;
    let receivedAt = performance.now();
    const watch = setInterval(() => {
      if (performance.now() - receivedAt > READ_TIMEOUT_MS) end();
    }, 500);
    const end = () => {
      clearInterval(watch);
      signal.removeEventListener('abort', end);
      socket.onmessage = socket.onclose = socket.onerror = null;
      socket.close();
      activeSocket = null;
      // No reply will arrive any more.
      pendingStops.forEach((answer) => answer(null));
      pendingStops = [];
      done(frames);
    };
    signal.addEventListener('abort', end);
    socket.onmessage = (message: MessageEvent<unknown>) => {
      if (typeof message.data === 'string') {
        const answer = parseStopReply(message.data);
        if (answer !== null) pendingStops.shift()?.(answer);
        return;
      }
      const latest = message.data instanceof ArrayBuffer ? decodeFrame(message.data) : null;
      if (latest === null) return;
      receivedAt = performance.now();
      frames += 1;
      now.value = receivedAt;
      freshness.received(latest.at_s, receivedAt);
      frame.value = latest;
      if (link.value.status !== 'live') link.value = { status: 'live' };
      if (rate !== telemetryRate.value) end();
    };
    socket.onclose = end;
    socket.onerror = end;
  });
}

/** Polls the state until the next attempt is due, and updates the link status. */
async function pollUntil(ms: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + ms;
  while (!signal.aborted) {
    const sentAt = performance.now();
    const answer = await request<RobotState>('/api/v1/state', {
      signal,
      timeoutMs: 2000,
      shape: ROBOT_STATE,
    });
    if (signal.aborted) return;
    const answeredAt = performance.now();
    if (answer.ok) {
      freshness.addRoundTrip(answeredAt - sentAt, answeredAt);
      // Without a robot time, the age counts from the arrival.
      freshness.received(null, answeredAt);
      frame.value = frameFromState(answer.value);
      link.value = { status: 'polling' };
    } else if (answer.status === 401 || answer.status === 403) {
      link.value = { status: 'unauthorized', reason: answer.detail };
      return sleep(5000, signal);
    } else {
      link.value = { status: 'waiting', until, reason: answer.detail };
      return sleep(until - answeredAt, signal);
    }
    if (answeredAt >= until) return;
    await sleep(POLL_INTERVAL_MS, signal);
  }
}
