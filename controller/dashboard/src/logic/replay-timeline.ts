/** The timeline of a replayed rehearsal, and its player. Seconds and degrees. Pure functions. */

import type { MotionCycle, RecordedMotion } from '../protocol/responses';
import type { Posture } from '../protocol/joints';
import { drawingFromMotors, NEUTRAL, postureFromDrawing, type Drawing } from './drawing';

export const duration = (motion: RecordedMotion): number =>
  Math.max(0, motion.cycles.length - 1) * motion.period_s;

/** Returns the motor positions at a time, interpolated linearly between cycles. */
export function cycleAt(motion: RecordedMotion, at_s: number): MotionCycle | null {
  const { cycles, period_s } = motion;
  if (cycles.length === 0) return null;
  const position = Math.max(0, Math.min(cycles.length - 1, period_s > 0 ? at_s / period_s : 0));
  const before = cycles[Math.floor(position)]!;
  const after = cycles[Math.ceil(position)]!;
  const fraction = position - Math.floor(position);
  const interpolate = (one: number[], other: number[]) =>
    one.map((angle, joint) => angle + fraction * ((other[joint] ?? angle) - angle));
  return {
    present_deg: interpolate(before.present_deg, after.present_deg),
    goal_deg: interpolate(before.goal_deg, after.goal_deg),
  };
}

/** Returns the drawings of a cycle and its posture. The search starts at the posture `near`. */
export function replayDrawings(
  cycle: MotionCycle,
  near: Posture,
): { now: Drawing | null; goal: Drawing | null; posture: Posture } {
  const now = drawingFromMotors(cycle.present_deg, near);
  const posture = now === null ? NEUTRAL : postureFromDrawing(now);
  return { now, goal: drawingFromMotors(cycle.goal_deg, posture), posture };
}

export interface Player {
  at_s: number;
  playing: boolean;
}

/** Advances the player by `by_s`. It stops at the end. */
export function advance(player: Player, motion: RecordedMotion, by_s: number): Player {
  if (!player.playing) return player;
  const at_s = player.at_s + by_s;
  const end = duration(motion);
  return at_s >= end ? { at_s: end, playing: false } : { at_s, playing: true };
}

/** Pauses or resumes the player. At the end it restarts. */
export function togglePlay(player: Player, motion: RecordedMotion): Player {
  if (player.playing) return { ...player, playing: false };
  return { at_s: player.at_s >= duration(motion) ? 0 : player.at_s, playing: true };
}
