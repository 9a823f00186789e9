/** How far the tour is, stored in the browser. It is offered once, on a simulated robot. */

import { signal } from '@preact/signals';
import { TOUR_STEPS, type TourStep } from '../logic/tour';
import { request } from './http';
import { robotSignal } from './robots';
import { load, save } from './storage';

const KEY = 'tour';
/** The stored value when the tour has ended or was declined. */
const ENDED = 'ended';

const stored = load(KEY);

export const tourStep = signal<TourStep | null>(TOUR_STEPS.find((step) => step === stored) ?? null);
export const isOffered = signal(stored === null);

/** Whether the robot is simulated; `null` while that is unknown. */
export const isSimulated = robotSignal<boolean | null>(null);

export async function askWhetherSimulated(): Promise<void> {
  const answer = await request<{ mockup_sim_enabled?: boolean }>('/api/daemon/status', {
    timeoutMs: 5000,
  });
  if (answer.ok) isSimulated.value = answer.value.mockup_sim_enabled === true;
}

export function setTourStep(step: TourStep | null): void {
  tourStep.value = step;
  isOffered.value = false;
  save(KEY, step ?? ENDED);
}
