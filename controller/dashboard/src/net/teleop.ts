/**
 * Teleoperation over one WebSocket: the lease, its heartbeat and the stream of targets.
 *
 * The controls set `setpoint`. `target` follows it at the selected speed and is sent while it changes. After a stop
 * nothing is sent until a control moves again. The setpoint then starts where the robot came to rest.
 */

import { signal, untracked } from '@preact/signals';
import { goalDrawing, postureFromDrawing } from '../logic/drawing';
import { nextLease, heartbeatInterval, type LeaseEvent, type Lease } from '../logic/lease';
import {
  stepTowards,
  targetMessage,
  isSameSetpoint,
  setpointFromPosture,
  type Setpoint,
} from '../logic/teleop';
import { LEASE_GRANT, LEASE_MESSAGE, leaseRequest, upgrade } from '../protocol/compat';
import type { ControlRequest, HandoverResponse, LeaseGrant } from '../protocol/responses';
import { messages } from '../i18n';
import { request, post } from './http';
import { controlRequests, frame, stale } from './live';
import { onRobotChange } from './robots';
import { openSocket } from './sockets';
import { onStop } from './stop';

/** The robot holds if it receives no message for this long, milliseconds. */
const HEARTBEAT_TIMEOUT_MS = 750;
/** The interval between targets, milliseconds. */
const SEND_INTERVAL_MS = 40;
/** The holder of the lease answers a request within 20 s, or the server does. */
const ANSWER_TIMEOUT_MS = 25_000;
/** Input this soon after a stop still belongs to the stopped motion, milliseconds. */
const SETTLE_MS = 500;

export const lease = signal<Lease>({ status: 'free' });
export const setpoint = signal<Setpoint | null>(null);
export const target = signal<Setpoint | null>(null);
export const speedScale = signal(0.5);
/** Whether a stop was sent and no control has moved since. */
export const isStopped = signal(false);
/** When the last target was sent, on the page's clock. */
export const sentAt = signal(0);

let socket: WebSocket | null = null;
let timers: ReturnType<typeof setInterval>[] = [];
let stoppedAt = -Infinity;
let lastSent: Setpoint | null = null;
/** Withdraws the request that waits for the holder's answer. */
let asking: AbortController | null = null;

function dispatch(event: LeaseEvent): void {
  const previous = lease.value;
  lease.value = nextLease(previous, event);
  if (previous.status === 'held' && lease.value.status !== 'held') endControl();
}

/** Returns the present goal of the robot as a setpoint. */
function currentSetpoint(): Setpoint | null {
  const latest = frame.value;
  if (latest === null || stale.value) return null;
  const found = goalDrawing(latest);
  return found === null ? null : setpointFromPosture(postureFromDrawing(found));
}

export async function takeControl(over: boolean): Promise<void> {
  dispatch({ type: 'request' });
  const body = leaseRequest(messages.value.drive.purpose, HEARTBEAT_TIMEOUT_MS, over);
  const answer = await post<LeaseGrant>('/api/v1/lease', body, {
    timeoutMs: 10_000,
    shape: LEASE_GRANT,
  });
  if (!answer.ok) return dispatch({ type: 'refused', detail: answer.detail });
  beginControl(answer.value);
}

function beginControl({ lease_id: id, owner, heartbeat_ms }: LeaseGrant): void {
  dispatch({ type: 'granted', id, owner, heartbeat_ms, now: performance.now() });
  openControl(id, heartbeat_ms);
}

/** Asks the holder of the lease to hand it over, and takes it if it has become free. */
export async function askForControl(): Promise<void> {
  dispatch({ type: 'ask' });
  asking = new AbortController();
  const { signal } = asking;
  const body = { purpose: messages.value.drive.purpose, heartbeat_ms: HEARTBEAT_TIMEOUT_MS };
  const options = { timeoutMs: ANSWER_TIMEOUT_MS, signal };
  const answer = await post<HandoverResponse>('/api/v1/lease/requests', body, options);
  if (lease.value.status !== 'asking' || signal.aborted) return;
  if (!answer.ok) return dispatch({ type: 'answered', reason: 'closed', detail: answer.detail });
  const { status, lease: granted } = answer.value;
  if (status === 'granted' && granted) return beginControl(granted);
  if (status === 'granted' || status === 'free') return takeControl(false);
  dispatch({ type: 'answered', reason: status, detail: '' });
}

/** Withdraws the request: the server forgets it when the connection closes. */
export function withdrawRequest(): void {
  asking?.abort();
  dispatch({ type: 'released' });
}

/** Answers a client that asks for the control that this page has. */
export function answerRequest(id: string, accept: boolean): void {
  send({ type: accept ? 'hand_over' : 'decline', request: id });
}

function openControl(id: string, heartbeat_ms: number): void {
  isStopped.value = false;
  setpoint.value = target.value = lastSent = currentSetpoint();
  const connection = openSocket(`/api/v1/lease/${encodeURIComponent(id)}/ws`);
  if (connection === null) return dispatch({ type: 'closed' });
  socket = connection;
  const heartbeat = () => send({ type: 'heartbeat', sent: performance.now() });
  connection.onopen = heartbeat;
  connection.onclose = () => socket === connection && dispatch({ type: 'closed' });
  connection.onmessage = (event: MessageEvent<unknown>) => onMessage(event.data);
  timers = [
    setInterval(heartbeat, heartbeatInterval(heartbeat_ms)),
    setInterval(sendTarget, SEND_INTERVAL_MS),
    setInterval(() => dispatch({ type: 'tick', now: performance.now() }), 100),
  ];
}

interface LeaseMessage {
  type?: unknown;
  sent?: unknown;
  reason?: unknown;
  owner?: unknown;
  requests?: ControlRequest[];
}

function onMessage(data: unknown): void {
  let message: LeaseMessage;
  try {
    message = upgrade(JSON.parse(String(data)), LEASE_MESSAGE) as LeaseMessage;
  } catch {
    return;
  }
  const now = performance.now();
  if (message.type === 'heartbeat') dispatch({ type: 'heartbeat', sent: message.sent, now });
  if (message.type === 'refused')
    dispatch({ type: 'rejected', reason: String(message.reason), now });
  if (message.type === 'requests') controlRequests.value = message.requests ?? [];
  if (message.type === 'handed_over')
    dispatch({ type: 'handed_over', owner: String(message.owner) });
}

function send(message: Record<string, unknown>): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

/** Moves the target one step and sends it. */
function sendTarget(): void {
  if (lease.value.status !== 'held' || stale.value || isStopped.value) return;
  if (setpoint.value === null) setpoint.value = target.value = lastSent = currentSetpoint();
  if (setpoint.value === null || target.value === null) return;
  target.value = stepTowards(
    target.value,
    setpoint.value,
    SEND_INTERVAL_MS / 1000,
    speedScale.value,
  );
  if (lastSent !== null && isSameSetpoint(lastSent, target.value)) return;
  lastSent = target.value;
  sentAt.value = performance.now();
  dispatch({ type: 'sent', now: sentAt.value });
  send({ type: 'target', ...targetMessage(target.value) });
}

/** Changes the setpoint, if this page is in control and the robot is live. */
export function updateSetpoint(change: (setpoint: Setpoint) => Setpoint): void {
  untracked(() => {
    if (lease.value.status !== 'held' || stale.value) return;
    if (isStopped.value) {
      if (performance.now() - stoppedAt < SETTLE_MS) return;
      setpoint.value = target.value = lastSent = currentSetpoint();
      isStopped.value = false;
    }
    if (setpoint.value !== null) setpoint.value = change(setpoint.value);
  });
}

/** Ends the way to the setpoint: the robot stays at the last target. */
export function holdTarget(): void {
  if (target.value !== null) setpoint.value = target.value;
}

/** Releases the lease; the robot holds its position. */
export async function releaseControl(): Promise<void> {
  const held = lease.value;
  // An open socket carries the release itself.
  const isOpen = socket?.readyState === WebSocket.OPEN;
  dispatch({ type: 'released' });
  if (held.status === 'held' && !isOpen) {
    await request(`/api/v1/lease/${encodeURIComponent(held.id)}`, {
      method: 'DELETE',
      timeoutMs: 5000,
    });
  }
}

function endControl(): void {
  timers.forEach(clearInterval);
  timers = [];
  send({ type: 'release' });
  socket?.close();
  socket = null;
  setpoint.value = target.value = lastSent = null;
  controlRequests.value = [];
}

onStop(() => {
  stoppedAt = performance.now();
  isStopped.value = lease.value.status === 'held';
  send({ type: 'stop' });
});

onRobotChange(() => {
  asking?.abort();
  void releaseControl();
});
addEventListener('pagehide', endControl);
