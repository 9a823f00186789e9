import { describe, expect, it } from 'vitest';
import { ROBOT_STATE } from '../src/protocol/compat';
import { NEUTRAL, postureFromDrawing } from '../src/logic/drawing';
import {
  advance,
  cycleAt,
  duration,
  replayDrawings,
  togglePlay,
} from '../src/logic/replay-timeline';
import type { MotionCycle, RobotState, RecordedMotion } from '../src/protocol/responses';
import { fixture } from './fixtures';

const { state } = fixture<{ state: RobotState }>('frame', { inside: { state: ROBOT_STATE } });
const all = (angle: number): MotionCycle => ({
  present_deg: Array<number>(9).fill(angle),
  goal_deg: Array<number>(9).fill(angle + 1),
});
const replay: RecordedMotion = {
  period_s: 0.5,
  cycles: [all(0), all(10), all(0)],
  truncated: false,
};

describe('the replay timeline', () => {
  it('interpolates at any time', () => {
    expect(duration(replay)).toBe(1);
    expect(cycleAt(replay, 0.25)!.present_deg[3]).toBeCloseTo(5);
    expect(cycleAt(replay, 0.5)!.goal_deg[8]).toBeCloseTo(11);
    expect(cycleAt(replay, 99)).toEqual(all(0));
    expect(cycleAt(replay, -1)).toEqual(all(0));
    expect(cycleAt({ ...replay, cycles: [all(3)] }, 5)).toEqual(all(3));
    expect(cycleAt({ ...replay, cycles: [] }, 0)).toBeNull();
  });

  it('plays to the end, pauses and restarts', () => {
    const begun = togglePlay({ at_s: 0, playing: false }, replay);
    expect(begun).toEqual({ at_s: 0, playing: true });
    const on = advance(begun, replay, 0.4);
    expect(on).toEqual({ at_s: 0.4, playing: true });
    expect(advance(on, replay, 5)).toEqual({ at_s: 1, playing: false });
    expect(togglePlay(on, replay)).toEqual({ at_s: 0.4, playing: false });
    expect(advance(togglePlay(on, replay), replay, 5).at_s).toBe(0.4);
    expect(togglePlay({ at_s: 1, playing: false }, replay)).toEqual({ at_s: 0, playing: true });
  });

  it('draws the robot from the motor positions', () => {
    const cycle: MotionCycle = {
      present_deg: state.joints.map((joint) => joint.present_deg!),
      goal_deg: state.joints.map((joint) => joint.goal_deg),
    };
    const { now, posture } = replayDrawings(cycle, NEUTRAL);
    expect(posture.yaw_deg).toBeCloseTo(state.posture!.yaw_deg, 0);
    expect(posture.z_mm).toBeCloseTo(state.posture!.z_mm, 0);
    expect(postureFromDrawing(now!)).toEqual(posture);
  });
});
