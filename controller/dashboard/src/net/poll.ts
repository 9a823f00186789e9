/** What is asked for about every second, one after another, so that connections stay free for a stop. */

import type { BodyState, Health, Holder } from '../wire/answers';
import { ask } from './http';
import { body, fresh, health, holder } from './live';

const EVERY_MS = 1000;
const PATIENCE_MS = 3000;

async function round(signal: AbortSignal): Promise<void> {
  const asked = performance.now();
  const well = await ask<Health>('/health', { signal, patience: PATIENCE_MS, also: [503] });
  if (signal.aborted) return;
  if (well.ok) {
    const at = performance.now();
    fresh.answered(at - asked, at);
    health.value = { at, state: well.value };
  }
  const state = await ask<BodyState>('/api/v1/state', { signal, patience: PATIENCE_MS });
  if (signal.aborted) return;
  if (state.ok) body.value = { at: performance.now(), state: state.value };
  const held = await ask<{ lease: Holder | null }>('/api/v1/lease', {
    signal,
    patience: PATIENCE_MS,
  });
  if (signal.aborted) return;
  if (held.ok) holder.value = held.value.lease;
}

export async function poll(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (document.visibilityState === 'visible') await round(signal);
    await new Promise((done) => setTimeout(done, EVERY_MS));
  }
}
