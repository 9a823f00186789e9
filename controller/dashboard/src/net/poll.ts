/** What is asked for about every second, one after another, so that connections stay free for a stop. */

import { effect } from '@preact/signals';
import type { BodyState, Health, Holder } from '../protocol/responses';
import { ask } from './http';
import { body, frame, fresh, health, holder } from './live';

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

let wasTrimming = false;

/** Until it is time again, or the limits begin to bite: then it is asked at once what they take off. */
async function pause(): Promise<void> {
  let wake = () => {};
  const woken = new Promise<void>((done) => (wake = done));
  const timer = setTimeout(wake, EVERY_MS);
  const end = effect(() => {
    const isTrimming = frame.value?.trimming === true;
    if (isTrimming && !wasTrimming) wake();
    wasTrimming = isTrimming;
  });
  await woken;
  clearTimeout(timer);
  end();
}

export async function poll(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (document.visibilityState === 'visible') await round(signal);
    await pause();
  }
}
