/** A rehearsal played again: where it is at a time, and how a player goes through it. Seconds, degrees. Pure. */

import type { Beat, Replay } from '../protocol/responses';
import type { Posture } from '../protocol/joints';
import { drawn, NEUTRAL, postureOf, type Drawing } from './drawing';

export const lasts = (replay: Replay): number =>
  Math.max(0, replay.beats.length - 1) * replay.period_s;

/** Between two of its beats the way is straight. */
export function beatAt(replay: Replay, at_s: number): Beat | null {
  const { beats, period_s } = replay;
  if (beats.length === 0) return null;
  const place = Math.max(0, Math.min(beats.length - 1, period_s > 0 ? at_s / period_s : 0));
  const before = beats[Math.floor(place)]!;
  const after = beats[Math.ceil(place)]!;
  const part = place - Math.floor(place);
  const between = (one: number[], other: number[]) =>
    one.map((angle, joint) => angle + part * ((other[joint] ?? angle) - angle));
  return {
    present_deg: between(before.present_deg, after.present_deg),
    goal_deg: between(before.goal_deg, after.goal_deg),
  };
}

/** What there is to draw of a beat, found from near another posture; and the posture that it is. */
export function pictured(
  beat: Beat,
  near: Posture,
): { now: Drawing | null; goal: Drawing | null; posture: Posture } {
  const now = drawn(beat.present_deg, near);
  const posture = now === null ? NEUTRAL : postureOf(now);
  return { now, goal: drawn(beat.goal_deg, posture), posture };
}

export interface Player {
  at_s: number;
  playing: boolean;
}

/** So much later. At the end it stops. */
export function advanced(player: Player, replay: Replay, by_s: number): Player {
  if (!player.playing) return player;
  const at_s = player.at_s + by_s;
  const end = lasts(replay);
  return at_s >= end ? { at_s: end, playing: false } : { at_s, playing: true };
}

/** The button: pause, go on, or from the beginning when it is over. */
export function pressed(player: Player, replay: Replay): Player {
  if (player.playing) return { ...player, playing: false };
  return { at_s: player.at_s >= lasts(replay) ? 0 : player.at_s, playing: true };
}
