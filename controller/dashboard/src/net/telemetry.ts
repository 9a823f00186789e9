/** The stream of frames: opened, and opened again when it ends; while it does not open, the state is asked for. */

import { wait } from '../logic/backoff';
import type { BodyState } from '../protocol/responses';
import { decode, frameOf, stopped } from '../protocol/telemetry';
import { ask } from './http';
import { frame, fresh, link, now } from './live';
import { opened } from './sockets';

const RATE = 30;
/** An opened stream that is silent for so long is closed, milliseconds. */
const SILENT_MS = 3000;
/** How often the state is asked for where there is no stream, milliseconds. */
const ASK_MS = 200;

/** What waits to hear that the robot has stopped, in the order in which it was said. */
let waiting: ((told: unknown) => void)[] = [];
let open: WebSocket | null = null;

/** Says stop on the stream of frames; what the robot answers, or `null` where there is no stream to say it on. */
export function stopHere(): Promise<unknown> {
  if (open?.readyState !== WebSocket.OPEN) return Promise.resolve(null);
  open.send(JSON.stringify({ type: 'stop' }));
  return new Promise((done) => waiting.push(done));
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), done()), { once: true });
  });

/** Keeps the frames coming until the signal ends it. */
export async function follow(signal: AbortSignal): Promise<void> {
  for (let tries = 0; !signal.aborted;) {
    link.value = link.value.is === 'asked' ? link.value : { is: 'connecting' };
    const frames = await stream(signal);
    tries = frames > 0 ? 0 : tries + 1;
    if (signal.aborted) return;
    await instead(wait(tries), signal);
  }
}

/** One connection from its beginning to its end; how many frames came. */
function stream(signal: AbortSignal): Promise<number> {
  return new Promise((done) => {
    const socket = opened(`/api/v1/telemetry?rate=${RATE}&format=binary`);
    if (socket === null) return done(0);
    socket.binaryType = 'arraybuffer';
    open = socket;
    let frames = 0;
    let heard = performance.now();
    const watch = setInterval(() => {
      if (performance.now() - heard > SILENT_MS) end();
    }, 500);
    const end = () => {
      clearInterval(watch);
      signal.removeEventListener('abort', end);
      socket.onmessage = socket.onclose = socket.onerror = null;
      socket.close();
      open = null;
      // Nobody answers any more.
      waiting.forEach((answer) => answer(null));
      waiting = [];
      done(frames);
    };
    signal.addEventListener('abort', end);
    socket.onmessage = (message: MessageEvent<unknown>) => {
      if (typeof message.data === 'string') {
        const answer = stopped(message.data);
        if (answer !== null) waiting.shift()?.(answer);
        return;
      }
      const told = message.data instanceof ArrayBuffer ? decode(message.data) : null;
      if (told === null) return;
      heard = performance.now();
      frames += 1;
      now.value = heard;
      fresh.heard(told.at_s, heard);
      frame.value = told;
      if (link.value.is !== 'live') link.value = { is: 'live' };
    };
    socket.onclose = end;
    socket.onerror = end;
  });
}

/** Between two attempts: asks for the state, and says what is so. */
async function instead(ms: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + ms;
  while (!signal.aborted) {
    const asked = performance.now();
    const answer = await ask<BodyState>('/api/v1/state', { signal, patience: 2000 });
    if (signal.aborted) return;
    const got = performance.now();
    if (answer.ok) {
      fresh.answered(got - asked, got);
      // Where no clock is told, the age begins with the answer.
      fresh.heard(null, got);
      frame.value = frameOf(answer.value);
      link.value = { is: 'asked' };
    } else if (answer.status === 401 || answer.status === 403) {
      link.value = { is: 'locked', why: answer.detail };
      return sleep(5000, signal);
    } else {
      link.value = { is: 'waiting', until, why: answer.detail };
      return sleep(until - got, signal);
    }
    if (got >= until) return;
    await sleep(ASK_MS, signal);
  }
}
