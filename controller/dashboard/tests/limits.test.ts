import { describe, expect, it } from 'vitest';
import { marks, place } from '../src/logic/limits';
import type { BodyState, Limits, Trim } from '../src/protocol/responses';
import { MOTORS } from '../src/protocol/joints';
import { decode, frameOf } from '../src/protocol/telemetry';
import { answer, bytes } from './fixtures';

const { frames, state } = answer<{ frames: string[]; state: BodyState }>('frame');

const limits: Limits = {
  joints: MOTORS.map((name) => ({
    name,
    low_deg: name.startsWith('stewart') ? -50 : -160,
    high_deg: name.startsWith('stewart') ? 80 : 160,
    speed_dps: 300,
    acceleration_dps2: 2000,
  })),
  head_pitch_deg: 40,
  head_roll_deg: 40,
  relative_yaw_deg: 65,
};
const trim = (what: string, cause: string): Trim => ({ what, cause, worst_deg: 3, beats: 9 });
const told = {
  present_deg: [0, 20, -20, 20, -20, 20, -20, -10, 10],
  posture: { ...state.posture!, pitch_deg: 0, roll_deg: 0, yaw_deg: 0, body_yaw_deg: 0 },
  trimming: false,
};

describe('limits', () => {
  it('have a place in them for what is and what should be', () => {
    const range = { low_deg: -50, high_deg: 50 };
    expect(place(range, 0, 25)).toEqual({ present: 0.5, goal: 0.75, near: null });
    expect(place(range, 46, 0).near).toBe('high');
    expect(place(range, -45.1, 0).near).toBe('low');
    expect(place(range, 45, 0).near).toBeNull();
    expect(place(range, 70, -70)).toMatchObject({ present: 1, goal: 0 });
    // Where nobody has read it, what was told counts.
    expect(place(range, null, 50)).toEqual({ present: null, goal: 1, near: 'high' });
  });

  it('mark the joint that is near one', () => {
    expect(marks(told, limits, [])).toEqual({});
    const leg = {
      ...told,
      present_deg: told.present_deg.map((angle, at) => (at === 3 ? 77 : angle)),
    };
    expect(marks(leg, limits, [])).toEqual({ stewart_3: 'near' });
    expect(marks(leg, null, [])).toEqual({});
    const unread = { ...told, present_deg: [null, ...told.present_deg.slice(1)] };
    expect(marks(unread, limits, [])).toEqual({});
  });

  it('mark the head at the end of its tilt, and of its turn against the body', () => {
    const head = (by: object) =>
      marks({ ...told, posture: { ...told.posture, ...by } }, limits, [])['head'];
    expect(head({ pitch_deg: -36 })).toBe('near');
    expect(head({ roll_deg: 34 })).toBeUndefined();
    expect(head({ yaw_deg: 62 })).toBe('near');
    expect(head({ yaw_deg: 100, body_yaw_deg: 60 })).toBeUndefined();
    expect(head({ yaw_deg: -179, body_yaw_deg: 160 })).toBeUndefined();
  });

  it('mark what is held back, while it is', () => {
    const trims = [
      trim('stewart_2', 'speed'),
      trim('pitch', 'head_tilt'),
      trim('body_yaw', 'range'),
    ];
    expect(marks(told, limits, trims)).toEqual({});
    expect(marks({ ...told, trimming: true }, limits, trims)).toEqual({
      stewart_2: 'trimmed',
      head: 'trimmed',
      body_rotation: 'trimmed',
    });
    expect(marks({ ...told, trimming: null }, limits, trims)).toEqual({});
  });

  it('are told to bite by one bit of a frame', () => {
    const frame = frames[0]!;
    expect(decode(bytes(frame))!.trimming).toBe(false);
    const biting = decode(bytes(`${frame.slice(0, 4)}0200${frame.slice(8)}`))!;
    expect([biting.trimming, biting.faulty]).toEqual([true, false]);
    expect(frameOf(state).trimming).toBeNull();
  });
});
