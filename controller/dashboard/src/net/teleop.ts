/**
 * Steering: the lease, its heart, and the stream of targets, over one WebSocket.
 *
 * What is wished stands in `wish`; the target follows it at the chosen pace, and is sent while it changes. After a stop
 * nothing is sent until a control is moved again, and then from where the robot has come to rest.
 */

import { signal, untracked } from '@preact/signals';
import { goal, postureOf } from '../logic/drawing';
import { next, pace, type Heard, type Lease } from '../logic/lease';
import { follow, message, same, staying, type Wish } from '../logic/teleop';
import type { Granted } from '../protocol/responses';
import { words } from '../i18n';
import { ask, post } from './http';
import { frame, stale } from './live';
import { onParting } from './robots';
import { opened } from './sockets';
import { onStop } from './stop';

/** How long the robot waits for a word of ours before it holds, milliseconds. */
const HEARTBEAT_MS = 750;
/** How often targets go out, milliseconds. */
const SEND_MS = 40;
/** What comes within this time of a stop still belongs to what was stopped, milliseconds. */
const REST_MS = 500;

export const lease = signal<Lease>({ is: 'free' });
export const wish = signal<Wish | null>(null);
export const target = signal<Wish | null>(null);
export const scale = signal(0.5);
/** Whether a stop was said and no control was moved since. */
export const halted = signal(false);
/** When a target was sent last, on the page's clock. */
export const sentAt = signal(0);

let socket: WebSocket | null = null;
let timers: ReturnType<typeof setInterval>[] = [];
let stoppedAt = -Infinity;
let sent: Wish | null = null;

function hear(heard: Heard): void {
  const before = lease.value;
  lease.value = next(before, heard);
  if (before.is === 'held' && lease.value.is !== 'held') release();
}

/** Where the robot is told to be now. */
function here(): Wish | null {
  const newest = frame.value;
  if (newest === null || stale.value) return null;
  const found = goal(newest);
  return found === null ? null : staying(postureOf(found));
}

export async function take(over: boolean): Promise<void> {
  hear({ type: 'ask' });
  const wanted = { for: words.value.drive.purpose, heartbeat_ms: HEARTBEAT_MS, take: over };
  const answer = await post<Granted>('/api/v1/lease', wanted, { patience: 10_000 });
  if (!answer.ok) return hear({ type: 'refused', detail: answer.detail });
  const { lease: id, owner, heartbeat_ms } = answer.value;
  hear({ type: 'granted', id, owner, heartbeat_ms, now: performance.now() });
  steer(id, heartbeat_ms);
}

function steer(id: string, heartbeat_ms: number): void {
  halted.value = false;
  wish.value = target.value = sent = here();
  const line = opened(`/api/v1/lease/${encodeURIComponent(id)}/ws`);
  if (line === null) return hear({ type: 'closed' });
  socket = line;
  const beat = () => say({ type: 'heartbeat', sent: performance.now() });
  line.onopen = beat;
  line.onclose = () => socket === line && hear({ type: 'closed' });
  line.onmessage = (event: MessageEvent<unknown>) => listen(event.data);
  timers = [
    setInterval(beat, pace(heartbeat_ms)),
    setInterval(step, SEND_MS),
    setInterval(() => hear({ type: 'tick', now: performance.now() }), 100),
  ];
}

function listen(data: unknown): void {
  let told: { type?: unknown; sent?: unknown; why?: unknown };
  try {
    told = JSON.parse(String(data)) as typeof told;
  } catch {
    return;
  }
  const now = performance.now();
  if (told.type === 'heartbeat') hear({ type: 'heartbeat', sent: told.sent, now });
  if (told.type === 'refused') hear({ type: 'held_back', why: String(told.why), now });
}

function say(word: Record<string, unknown>): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(word));
}

/** One step of the stream of targets. */
function step(): void {
  if (lease.value.is !== 'held' || stale.value || halted.value) return;
  if (wish.value === null) wish.value = target.value = sent = here();
  if (wish.value === null || target.value === null) return;
  target.value = follow(target.value, wish.value, SEND_MS / 1000, scale.value);
  if (sent !== null && same(sent, target.value)) return;
  sent = target.value;
  sentAt.value = performance.now();
  hear({ type: 'sent', now: sentAt.value });
  say({ type: 'target', ...message(target.value) });
}

/** Changes the wish, if the robot is ours and live. */
export function want(change: (wish: Wish) => Wish): void {
  untracked(() => {
    if (lease.value.is !== 'held' || stale.value) return;
    if (halted.value) {
      if (performance.now() - stoppedAt < REST_MS) return;
      wish.value = target.value = sent = here();
      halted.value = false;
    }
    if (wish.value !== null) wish.value = change(wish.value);
  });
}

/** Gives the lease back; the robot holds. */
export async function giveBack(): Promise<void> {
  const held = lease.value;
  // Over an open socket the robot hears it at once.
  const isHeard = socket?.readyState === WebSocket.OPEN;
  hear({ type: 'given_back' });
  if (held.is === 'held' && !isHeard) {
    await ask(`/api/v1/lease/${encodeURIComponent(held.id)}`, { method: 'DELETE', patience: 5000 });
  }
}

function release(): void {
  timers.forEach(clearInterval);
  timers = [];
  say({ type: 'release' });
  socket?.close();
  socket = null;
  wish.value = target.value = sent = null;
}

onStop(() => {
  stoppedAt = performance.now();
  halted.value = lease.value.is === 'held';
  say({ type: 'stop' });
});

onParting(() => void giveBack());
addEventListener('pagehide', release);
