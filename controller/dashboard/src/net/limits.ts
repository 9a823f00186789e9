/** The joint limits in force. They change with the robot's configuration. */

import { LIMITS } from '../protocol/compat';
import type { Limits } from '../protocol/responses';
import { request } from './http';
import { robotSignal } from './robots';

export const limits = robotSignal<Limits | null>(null);

const REFRESH_INTERVAL_MS = 30_000;
const RETRY_INTERVAL_MS = 2000;

/** Refreshes the limits regularly, as long as the server provides them. */
export async function refreshLimits(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await request<Limits>('/api/v1/limits', {
      signal,
      timeoutMs: 5000,
      shape: LIMITS,
    });
    if (signal.aborted) return;
    if (answer.ok) limits.value = answer.value;
    // Older servers do not have this path, and none serves it without a token. Signing in starts again.
    else if ([401, 403, 404].includes(answer.status)) return;
    await new Promise((done) =>
      setTimeout(done, answer.ok ? REFRESH_INTERVAL_MS : RETRY_INTERVAL_MS),
    );
  }
}
