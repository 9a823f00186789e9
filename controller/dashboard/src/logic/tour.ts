/** The steps of the tour, and when each is done. It ends with a tool that the user has made. */

import type { View } from '../components/route';
import type { TurnProgress } from './turn-progress';

export const TOUR_STEPS = ['look', 'say', 'make', 'check', 'run', 'done'] as const;
export type TourStep = (typeof TOUR_STEPS)[number];

/** A sentence that the robot understands in every language of the page. */
export const TOUR_SENTENCE = 'nod twice, then look left 20 degrees';

/** Returns the view of a step, and the segments after it. */
export function placeOf(step: TourStep, tool: string | null): { view: View; rest: string[] } {
  if (step === 'look') return { view: 'robot', rest: [] };
  if (step === 'say' || step === 'make' || tool === null) return { view: 'talk', rest: [] };
  return { view: 'tools', rest: [tool] };
}

/** Whether a motion of the conversation was done. */
export const hasMoved = (turns: TurnProgress[]): boolean =>
  turns.some(({ reply }) => reply?.outcome === 'done' && reply.steps.length > 0);

/** Returns the name of the tool that was made last in the conversation. */
export function madeTool(turns: TurnProgress[]): string | null {
  const made = turns.filter(({ reply }) => reply?.tool?.code && reply.tool.version !== null);
  return made.at(-1)?.reply?.tool?.name ?? null;
}
