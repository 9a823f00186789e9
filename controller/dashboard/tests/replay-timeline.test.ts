import { describe, expect, it } from 'vitest';
import { NEUTRAL, postureOf } from '../src/logic/drawing';
import { advanced, beatAt, lasts, pictured, pressed } from '../src/logic/replay-timeline';
import type { Beat, BodyState, Replay } from '../src/protocol/responses';
import { answer } from './fixtures';

const { state } = answer<{ state: BodyState }>('frame');
const all = (angle: number): Beat => ({
  present_deg: Array<number>(9).fill(angle),
  goal_deg: Array<number>(9).fill(angle + 1),
});
const replay: Replay = { period_s: 0.5, beats: [all(0), all(10), all(0)], cut: false };

describe('a rehearsal', () => {
  it('is somewhere at every moment', () => {
    expect(lasts(replay)).toBe(1);
    expect(beatAt(replay, 0.25)!.present_deg[3]).toBeCloseTo(5);
    expect(beatAt(replay, 0.5)!.goal_deg[8]).toBeCloseTo(11);
    expect(beatAt(replay, 99)).toEqual(all(0));
    expect(beatAt(replay, -1)).toEqual(all(0));
    expect(beatAt({ ...replay, beats: [all(3)] }, 5)).toEqual(all(3));
    expect(beatAt({ ...replay, beats: [] }, 0)).toBeNull();
  });

  it('plays to its end, pauses, and begins anew', () => {
    const begun = pressed({ at_s: 0, playing: false }, replay);
    expect(begun).toEqual({ at_s: 0, playing: true });
    const on = advanced(begun, replay, 0.4);
    expect(on).toEqual({ at_s: 0.4, playing: true });
    expect(advanced(on, replay, 5)).toEqual({ at_s: 1, playing: false });
    expect(pressed(on, replay)).toEqual({ at_s: 0.4, playing: false });
    expect(advanced(pressed(on, replay), replay, 5).at_s).toBe(0.4);
    expect(pressed({ at_s: 1, playing: false }, replay)).toEqual({ at_s: 0, playing: true });
  });

  it('is drawn from its motors alone', () => {
    const beat: Beat = {
      present_deg: state.joints.map((joint) => joint.present_deg!),
      goal_deg: state.joints.map((joint) => joint.goal_deg),
    };
    const { now, posture } = pictured(beat, NEUTRAL);
    expect(posture.yaw_deg).toBeCloseTo(state.posture!.yaw_deg, 0);
    expect(posture.z_mm).toBeCloseTo(state.posture!.z_mm, 0);
    expect(postureOf(now!)).toEqual(posture);
  });
});
