import { describe, expect, it } from 'vitest';
import { ROBOT_STATE } from '../src/protocol/compat';
import type { Clamp, RobotState } from '../src/protocol/responses';
import { frameFromState } from '../src/protocol/telemetry';
import {
  isLimited,
  MAX_FRAMES,
  MAX_IMAGE_BYTES,
  PAST_MS,
  PastRing,
  type PastFrame,
} from '../src/logic/past';
import { duration } from '../src/logic/replay-timeline';
import { fixture } from './fixtures';

const { state } = fixture<{ state: RobotState }>('frame', { inside: { state: ROBOT_STATE } });
const frame = frameFromState(state);
const clamp: Clamp = { what: 'head', cause: 'position', cycles: 1, max_clamp_deg: 3 };
const at = (ms: number, angle = 0, by: Partial<PastFrame> = {}): PastFrame => ({
  at: ms,
  frame: { ...frame, present_deg: Array<number>(9).fill(angle) },
  clamps: [],
  limited: [],
  ...by,
});
const jpeg = (bytes: number) => ({ size: bytes }) as Blob;

describe('the ring of the last seconds', () => {
  it('is empty without a frame', () => {
    const ring = new PastRing();
    ring.addImage({ at: 0, jpeg: jpeg(10) });
    expect(ring.snapshot()).toBeNull();
  });

  it('forgets what is older, and too many frames', () => {
    const ring = new PastRing();
    for (let ms = 0; ms <= 2 * PAST_MS; ms += 100) ring.addFrame(at(ms));
    expect(duration(ring.snapshot()!.motion)).toBeCloseTo(PAST_MS / 1000);
    for (let ms = 0; ms <= 2 * MAX_FRAMES; ms += 1) ring.addFrame(at(2 * PAST_MS + ms));
    expect(duration(ring.snapshot()!.motion)).toBeCloseTo(MAX_FRAMES / 1000, 1);
  });

  it('forgets the oldest images beyond its bytes, and those that are too old', () => {
    const ring = new PastRing();
    ring.addFrame(at(0));
    for (let ms = 0; ms < 8; ms += 1) ring.addImage({ at: ms, jpeg: jpeg(MAX_IMAGE_BYTES / 4) });
    ring.addFrame(at(20));
    const past = ring.snapshot()!;
    expect(past.imageAt(0.003)).toBeNull();
    expect(past.imageAt(0.004)?.at).toBe(4);
    expect(past.imageAt(0.02)?.at).toBe(7);
    ring.addFrame(at(PAST_MS + 8));
    expect(ring.snapshot()!.imageAt(0)).toBeNull();
    // The bytes of what was dropped are free again.
    ring.addImage({ at: PAST_MS + 8, jpeg: jpeg(MAX_IMAGE_BYTES / 2) });
    expect(ring.snapshot()!.imageAt(30)?.at).toBe(PAST_MS + 8);
  });

  it('does not change a snapshot', () => {
    const ring = new PastRing();
    for (const ms of [0, 500]) ring.addFrame(at(ms));
    const past = ring.snapshot()!;
    ring.addFrame(at(1000));
    expect(duration(past.motion)).toBeCloseTo(0.5);
  });
});

describe('the replay of the last seconds', () => {
  it('has the position of each moment, and the goal where it was not read', () => {
    const ring = new PastRing();
    ring.addFrame(at(1000, 5));
    ring.addFrame(at(1500, 8));
    ring.addFrame({
      ...at(2000),
      frame: {
        ...frame,
        present_deg: Array<null>(9).fill(null),
        goal_deg: [1, 2, 3, 4, 5, 6, 7, 8, 9],
      },
    });
    const { motion } = ring.snapshot()!;
    expect(duration(motion)).toBeCloseTo(1);
    expect(motion.cycles[0]!.present_deg[3]).toBe(5);
    expect(motion.cycles[14]!.present_deg[3]).toBe(5);
    expect(motion.cycles[15]!.present_deg[3]).toBe(8);
    expect(motion.cycles.at(-1)!.present_deg).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('marks where the limits held something back', () => {
    const ring = new PastRing();
    ring.addFrame(at(0));
    ring.addFrame(at(100, 0, { limited: ['pitch_deg'] }));
    ring.addFrame(at(200, 0, { limited: ['pitch_deg'] }));
    // While this page is in control, the axes say more than the clamps of the whole motion.
    ring.addFrame(at(300, 0, { clamps: [clamp] }));
    ring.addFrame(at(400, 0, { clamps: [clamp], limited: null }));
    ring.addFrame(at(500));
    const past = ring.snapshot()!;
    expect(past.limited).toEqual([
      { from_s: 0.1, to_s: 0.2 },
      { from_s: 0.4, to_s: 0.4 },
    ]);
    expect(past.frameAt(0.15).limited).toEqual(['pitch_deg']);
    expect(isLimited(past.frameAt(0.3))).toBe(false);
    expect(isLimited(past.frameAt(99))).toBe(false);
    expect(past.frameAt(-1).at).toBe(0);
    expect([past.clampsAt(0.3), past.clampsAt(0.4)]).toEqual([[], [clamp]]);
  });

  it('shows no image that was old then', () => {
    const ring = new PastRing();
    for (const ms of [0, 3000]) ring.addFrame(at(ms));
    ring.addImage({ at: 100, jpeg: jpeg(1) });
    const past = ring.snapshot()!;
    expect(past.imageAt(0)).toBeNull();
    expect(past.imageAt(1)?.at).toBe(100);
    expect(past.imageAt(2)).toBeNull();
  });
});
