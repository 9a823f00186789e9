import { describe, expect, it } from 'vitest';
import { nextLease, heartbeatInterval, type LeaseEvent, type Lease } from '../src/logic/lease';
import * as steer from '../src/logic/teleop';
import { stopFromReply, mergeStops, visibleStop, acceptsText } from '../src/logic/stop-state';
import type { RobotState, LeaseGrant } from '../src/protocol/responses';
import { fixture } from './fixtures';

const posture = fixture<{ state: RobotState }>('frame').state.posture!;
const still = steer.setpointFromPosture(posture);

describe('lease', () => {
  const granted = fixture<LeaseGrant>('lease');
  const after = (...heard: LeaseEvent[]): Lease =>
    heard.reduce<Lease>(nextLease, { status: 'free' });
  const held: LeaseEvent[] = [
    { type: 'request' },
    {
      type: 'granted',
      id: granted.lease_id,
      owner: granted.owner,
      heartbeat_ms: granted.heartbeat_ms,
      now: 0,
    },
  ];

  it('is asked for, held and given back', () => {
    expect(after({ type: 'request' }).status).toBe('requesting');
    expect(after(...held)).toMatchObject({ is: 'held', owner: 'this machine', heartbeat_ms: 500 });
    expect(after(...held, { type: 'released' })).toEqual({ is: 'free' });
    expect(after({ type: 'request' }, { type: 'refused', detail: 'anna steers' })).toEqual({
      is: 'lost',
      why: 'refused',
      detail: 'anna steers',
    });
  });

  it('is lost when the robot is silent, ends it or closes', () => {
    const lost = (...heard: LeaseEvent[]) => after(...held, ...heard);
    expect(lost({ type: 'tick', now: 1500 }).status).toBe('held');
    expect(lost({ type: 'tick', now: 1501 })).toMatchObject({ is: 'lost', why: 'timed_out' });
    expect(
      lost({ type: 'heartbeat', sent: 900, now: 1000 }, { type: 'tick', now: 2000 }),
    ).toMatchObject({
      is: 'held',
      trip: 100,
    });
    expect(lost({ type: 'closed' })).toMatchObject({ why: 'closed' });
    expect(lost({ type: 'rejected', reason: 'the lease has ended', now: 1 })).toMatchObject({
      why: 'ended',
    });
    expect(lost({ type: 'rejected', reason: 'the head is out of reach', now: 1 })).toMatchObject({
      is: 'held',
      refused: { why: 'the head is out of reach', at: 1 },
    });
    const refused: LeaseEvent = { type: 'rejected', reason: 'the head is out of reach', now: 1 };
    expect(lost(refused, { type: 'sent', now: 100 })).toMatchObject({ refused: { at: 1 } });
    expect(lost(refused, { type: 'sent', now: 700 })).toMatchObject({ refused: null });
  });

  it('is not taken up by a word that comes too late', () => {
    expect(after(held[1]!)).toEqual({ is: 'free' });
    expect(after(...held, { type: 'closed' }, { type: 'heartbeat', sent: 1, now: 2 }).status).toBe(
      'lost',
    );
    expect(heartbeatInterval(500)).toBe(125);
  });
});

describe('steering', () => {
  it('begins where the body is', () => {
    expect(steer.targetMessage(still)).toMatchObject({
      body_yaw_deg: 0,
      antennas_deg: posture.antennas_deg,
    });
    expect(steer.targetMessage(still)['yaw_deg']).toBeCloseTo(posture.yaw_deg);
    expect(steer.clampedAxes(still, posture)).toEqual([]);
    expect(steer.clampedAxes({ ...still, pitch_deg: 40 }, posture)).toEqual(['pitch_deg']);
  });

  it('follows a wish no faster than it should', () => {
    const wish = { ...still, pitch_deg: 40 };
    const half = steer.stepTowards(still, wish, 0.1, 0.5);
    expect(half.pitch_deg).toBeCloseTo(still.pitch_deg + 4.5);
    let target = still;
    for (let step = 0; step < 200; step += 1) target = steer.stepTowards(target, wish, 0.04, 1);
    expect(steer.isSameSetpoint(target, wish)).toBe(true);
  });

  it('takes the head along when the body turns', () => {
    const turned = { ...still, yaw_deg: 10, body_yaw_deg: 90 };
    expect(steer.targetMessage(turned)['yaw_deg']).toBe(100);
    const back = steer.setpointFromPosture({ ...posture, yaw_deg: -175, body_yaw_deg: 160 });
    expect(back.yaw_deg).toBeCloseTo(25);
  });

  it('turns the body too when something is far aside', () => {
    const wish = steer.lookAt({ ...still, body_yaw_deg: 0 }, 90, 10);
    expect(wish).toMatchObject({ yaw_deg: 40, body_yaw_deg: 50, pitch_deg: 10 });
    expect(steer.lookAt({ ...still, body_yaw_deg: 0 }, -20, 90)).toMatchObject({
      yaw_deg: -20,
      body_yaw_deg: 0,
      pitch_deg: 40,
    });
  });

  it('is pushed by keys and sticks, within reach', () => {
    const push = steer.sumRates([
      steer.KEYS['ArrowLeft']!,
      steer.KEYS['KeyA']!,
      steer.KEYS['ArrowLeft']!,
    ]);
    expect(push).toEqual({ yaw_deg: 1, body_yaw_deg: 1 });
    expect(steer.sumRates([steer.KEYS['ArrowLeft']!, steer.KEYS['ArrowRight']!])['yaw_deg']).toBe(
      0,
    );
    expect(steer.applyRates(still, { yaw_deg: 1 }, 100, 1).yaw_deg).toBe(65);
    expect(steer.gamepadRates([0.1, 0, 1, 0], [])).toEqual({ yaw_deg: -1 });
    expect(steer.gamepadRates([0, -1, 0, 0], [0, 0, 0, 0, 0, 1])).toEqual({ z_mm: 1, roll_deg: 1 });
    expect(steer.isStopPressed([0, 1])).toBe(true);
    expect(steer.isStopPressed([1, 0])).toBe(false);
  });
});

describe('stop', () => {
  it('is confirmed by the answer of the robot alone', () => {
    const stopped = stopFromReply({ ok: true, value: { doing: 'holding', beats: 626 } }, 100, 180);
    expect(stopped).toEqual({ is: 'confirmed', doing: 'holding', tookMs: 80, at: 180 });
    expect(stopFromReply({ ok: true, value: {} }, 0, 1).status).toBe('failed');
    expect(stopFromReply({ ok: false, detail: 'not reached' }, 0, 1)).toMatchObject({
      detail: 'not reached',
    });
    expect(visibleStop(stopped, 1000)).toBe(stopped);
    expect(visibleStop(stopped, 7000)).toEqual({ is: 'ready' });
    const failed = stopFromReply({ ok: false, detail: 'x' }, 0, 1);
    expect(visibleStop(failed, 1e6)).toBe(failed);
  });

  it('is confirmed by the first way that answers, whatever becomes of the others', () => {
    const failed = stopFromReply({ ok: false, detail: 'not reached' }, 0, 5);
    const first = stopFromReply({ ok: true, value: { type: 'stopped', doing: 'holding' } }, 0, 10);
    const second = stopFromReply({ ok: true, value: { doing: 'holding' } }, 0, 50);
    expect(mergeStops({ status: 'sent', since: 0 }, failed)).toBe(failed);
    expect(mergeStops(failed, first)).toBe(first);
    expect(mergeStops(first, second)).toBe(first);
    expect(mergeStops(first, failed)).toBe(first);
  });

  it('is on the space bar but where text is written', () => {
    for (const type of ['range', 'checkbox', 'button']) {
      expect(acceptsText({ tagName: 'INPUT', type })).toBe(false);
    }
    for (const tagName of ['BUTTON', 'SELECT', 'A', 'BODY'])
      expect(acceptsText({ tagName })).toBe(false);
    expect(acceptsText({ tagName: 'INPUT', type: 'number' })).toBe(true);
    expect(acceptsText({ tagName: 'TEXTAREA' })).toBe(true);
    expect(acceptsText({ tagName: 'DIV', isContentEditable: true })).toBe(true);
  });
});
