/** The limits that are in force; they change when somebody changes the robot's settings. */

import type { Limits } from '../protocol/responses';
import { ask } from './http';
import { ofRobot } from './robots';

export const limits = ofRobot<Limits | null>(null);

const EVERY_MS = 30_000;
const RETRY_MS = 2000;

/** Keeps them known, as long as the server tells them at all. */
export async function keepLimits(ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    const answer = await ask<Limits>('/api/v1/limits', { signal: ending, patience: 5000 });
    if (ending.aborted) return;
    if (answer.ok) limits.value = answer.value;
    // A server of before does not tell them, and none tells them to strangers: a log-in begins anew.
    else if ([401, 403, 404].includes(answer.status)) return;
    await new Promise((done) => setTimeout(done, answer.ok ? EVERY_MS : RETRY_MS));
  }
}
