import { describe, expect, it } from 'vitest';
import { next, pace, type Heard, type Lease } from '../src/logic/lease';
import * as steer from '../src/logic/teleop';
import { judged, settled, shown, writesText } from '../src/logic/stop-state';
import type { BodyState, Granted } from '../src/protocol/responses';
import { answer } from './fixtures';

const posture = answer<{ state: BodyState }>('frame').state.posture!;
const still = steer.staying(posture);

describe('lease', () => {
  const granted = answer<Granted>('lease');
  const after = (...heard: Heard[]): Lease => heard.reduce<Lease>(next, { is: 'free' });
  const held: Heard[] = [
    { type: 'ask' },
    {
      type: 'granted',
      id: granted.lease,
      owner: granted.owner,
      heartbeat_ms: granted.heartbeat_ms,
      now: 0,
    },
  ];

  it('is asked for, held and given back', () => {
    expect(after({ type: 'ask' }).is).toBe('asking');
    expect(after(...held)).toMatchObject({ is: 'held', owner: 'this machine', heartbeat_ms: 500 });
    expect(after(...held, { type: 'given_back' })).toEqual({ is: 'free' });
    expect(after({ type: 'ask' }, { type: 'refused', detail: 'anna steers' })).toEqual({
      is: 'lost',
      why: 'refused',
      detail: 'anna steers',
    });
  });

  it('is lost when the robot is silent, ends it or closes', () => {
    const lost = (...heard: Heard[]) => after(...held, ...heard);
    expect(lost({ type: 'tick', now: 1500 }).is).toBe('held');
    expect(lost({ type: 'tick', now: 1501 })).toMatchObject({ is: 'lost', why: 'silent' });
    expect(
      lost({ type: 'heartbeat', sent: 900, now: 1000 }, { type: 'tick', now: 2000 }),
    ).toMatchObject({
      is: 'held',
      trip: 100,
    });
    expect(lost({ type: 'closed' })).toMatchObject({ why: 'closed' });
    expect(lost({ type: 'held_back', why: 'the lease has ended', now: 1 })).toMatchObject({
      why: 'ended',
    });
    expect(lost({ type: 'held_back', why: 'the head is out of reach', now: 1 })).toMatchObject({
      is: 'held',
      refused: { why: 'the head is out of reach', at: 1 },
    });
    const refused: Heard = { type: 'held_back', why: 'the head is out of reach', now: 1 };
    expect(lost(refused, { type: 'sent', now: 100 })).toMatchObject({ refused: { at: 1 } });
    expect(lost(refused, { type: 'sent', now: 700 })).toMatchObject({ refused: null });
  });

  it('is not taken up by a word that comes too late', () => {
    expect(after(held[1]!)).toEqual({ is: 'free' });
    expect(after(...held, { type: 'closed' }, { type: 'heartbeat', sent: 1, now: 2 }).is).toBe(
      'lost',
    );
    expect(pace(500)).toBe(125);
  });
});

describe('steering', () => {
  it('begins where the body is', () => {
    expect(steer.message(still)).toMatchObject({
      body_yaw_deg: 0,
      antennas_deg: posture.antennas_deg,
    });
    expect(steer.message(still)['yaw_deg']).toBeCloseTo(posture.yaw_deg);
    expect(steer.heldBack(still, posture)).toEqual([]);
    expect(steer.heldBack({ ...still, pitch_deg: 40 }, posture)).toEqual(['pitch_deg']);
  });

  it('follows a wish no faster than it should', () => {
    const wish = { ...still, pitch_deg: 40 };
    const half = steer.follow(still, wish, 0.1, 0.5);
    expect(half.pitch_deg).toBeCloseTo(still.pitch_deg + 4.5);
    let target = still;
    for (let step = 0; step < 200; step += 1) target = steer.follow(target, wish, 0.04, 1);
    expect(steer.same(target, wish)).toBe(true);
  });

  it('takes the head along when the body turns', () => {
    const turned = { ...still, yaw_deg: 10, body_yaw_deg: 90 };
    expect(steer.message(turned)['yaw_deg']).toBe(100);
    const back = steer.staying({ ...posture, yaw_deg: -175, body_yaw_deg: 160 });
    expect(back.yaw_deg).toBeCloseTo(25);
  });

  it('turns the body too when something is far aside', () => {
    const wish = steer.looking({ ...still, body_yaw_deg: 0 }, 90, 10);
    expect(wish).toMatchObject({ yaw_deg: 40, body_yaw_deg: 50, pitch_deg: 10 });
    expect(steer.looking({ ...still, body_yaw_deg: 0 }, -20, 90)).toMatchObject({
      yaw_deg: -20,
      body_yaw_deg: 0,
      pitch_deg: 40,
    });
  });

  it('is pushed by keys and sticks, within reach', () => {
    const push = steer.together([
      steer.KEYS['ArrowLeft']!,
      steer.KEYS['KeyA']!,
      steer.KEYS['ArrowLeft']!,
    ]);
    expect(push).toEqual({ yaw_deg: 1, body_yaw_deg: 1 });
    expect(steer.together([steer.KEYS['ArrowLeft']!, steer.KEYS['ArrowRight']!])['yaw_deg']).toBe(
      0,
    );
    expect(steer.pushed(still, { yaw_deg: 1 }, 100, 1).yaw_deg).toBe(65);
    expect(steer.gamepad([0.1, 0, 1, 0], [])).toEqual({ yaw_deg: -1 });
    expect(steer.gamepad([0, -1, 0, 0], [0, 0, 0, 0, 0, 1])).toEqual({ z_mm: 1, roll_deg: 1 });
    expect(steer.saysStop([0, 1])).toBe(true);
    expect(steer.saysStop([1, 0])).toBe(false);
  });
});

describe('stop', () => {
  it('is confirmed by the answer of the robot alone', () => {
    const stopped = judged({ ok: true, value: { doing: 'holding', beats: 626 } }, 100, 180);
    expect(stopped).toEqual({ is: 'confirmed', doing: 'holding', tookMs: 80, at: 180 });
    expect(judged({ ok: true, value: {} }, 0, 1).is).toBe('failed');
    expect(judged({ ok: false, detail: 'not reached' }, 0, 1)).toMatchObject({
      detail: 'not reached',
    });
    expect(shown(stopped, 1000)).toBe(stopped);
    expect(shown(stopped, 7000)).toEqual({ is: 'ready' });
    const failed = judged({ ok: false, detail: 'x' }, 0, 1);
    expect(shown(failed, 1e6)).toBe(failed);
  });

  it('is confirmed by the first way that answers, whatever becomes of the others', () => {
    const failed = judged({ ok: false, detail: 'not reached' }, 0, 5);
    const first = judged({ ok: true, value: { type: 'stopped', doing: 'holding' } }, 0, 10);
    const second = judged({ ok: true, value: { doing: 'holding' } }, 0, 50);
    expect(settled({ is: 'sent', since: 0 }, failed)).toBe(failed);
    expect(settled(failed, first)).toBe(first);
    expect(settled(first, second)).toBe(first);
    expect(settled(first, failed)).toBe(first);
  });

  it('is on the space bar but where text is written', () => {
    for (const type of ['range', 'checkbox', 'button']) {
      expect(writesText({ tagName: 'INPUT', type })).toBe(false);
    }
    for (const tagName of ['BUTTON', 'SELECT', 'A', 'BODY'])
      expect(writesText({ tagName })).toBe(false);
    expect(writesText({ tagName: 'INPUT', type: 'number' })).toBe(true);
    expect(writesText({ tagName: 'TEXTAREA' })).toBe(true);
    expect(writesText({ tagName: 'DIV', isContentEditable: true })).toBe(true);
  });
});
