/** The limits that are in force; they change when somebody changes the robot's settings. */

import type { Limits } from '../protocol/responses';
import { request } from './http';
import { robotSignal } from './robots';

export const limits = robotSignal<Limits | null>(null);

const REFRESH_INTERVAL_MS = 30_000;
const RETRY_INTERVAL_MS = 2000;

/** Keeps them known, as long as the server tells them at all. */
export async function refreshLimits(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await request<Limits>('/api/v1/limits', { signal, timeoutMs: 5000 });
    if (signal.aborted) return;
    if (answer.ok) limits.value = answer.value;
    // A server of before does not tell them, and none tells them to strangers: a log-in begins anew.
    else if ([401, 403, 404].includes(answer.status)) return;
    await new Promise((done) =>
      setTimeout(done, answer.ok ? REFRESH_INTERVAL_MS : RETRY_INTERVAL_MS),
    );
  }
}
