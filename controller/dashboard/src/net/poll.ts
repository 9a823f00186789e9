/** Polls the slow state about once a second, one request at a time, so that a connection stays free for a stop. */

import { effect } from '@preact/signals';
import { HEALTH, LEASE, ROBOT_STATE } from '../protocol/compat';
import type { RobotState, Health, LeaseHolder } from '../protocol/responses';
import { request } from './http';
import { robotState, frame, freshness, health, leaseHolder } from './live';

const POLL_INTERVAL_MS = 1000;
const TIMEOUT_MS = 3000;

async function pollOnce(signal: AbortSignal): Promise<void> {
  const sentAt = performance.now();
  const healthResult = await request<Health>('/health', {
    signal,
    timeoutMs: TIMEOUT_MS,
    okStatuses: [503],
    shape: HEALTH,
  });
  if (signal.aborted) return;
  if (healthResult.ok) {
    const at = performance.now();
    freshness.addRoundTrip(at - sentAt, at);
    health.value = { at, state: healthResult.value };
  }
  const state = await request<RobotState>('/api/v1/state', {
    signal,
    timeoutMs: TIMEOUT_MS,
    shape: ROBOT_STATE,
  });
  if (signal.aborted) return;
  if (state.ok) robotState.value = { at: performance.now(), state: state.value };
  const leaseResult = await request<{ holder: LeaseHolder | null }>('/api/v1/lease', {
    signal,
    timeoutMs: TIMEOUT_MS,
    shape: LEASE,
  });
  if (signal.aborted) return;
  if (leaseResult.ok) leaseHolder.value = leaseResult.value.holder;
}

let wasClamping = false;

/** Waits until the next poll. It is due at once when clamping begins, so that the clamps appear immediately. */
async function waitForNext(): Promise<void> {
  let wake = () => {};
  const woken = new Promise<void>((done) => (wake = done));
  const timer = setTimeout(wake, POLL_INTERVAL_MS);
  const end = effect(() => {
    const isClamping = frame.value?.clamping === true;
    if (isClamping && !wasClamping) wake();
    wasClamping = isClamping;
  });
  await woken;
  clearTimeout(timer);
  end();
}

export async function poll(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (document.visibilityState === 'visible') await pollOnce(signal);
    await waitForNext();
  }
}
