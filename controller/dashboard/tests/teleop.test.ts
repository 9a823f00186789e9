import { describe, expect, it } from 'vitest';
import { LEASE_GRANT, ROBOT_STATE } from '../src/protocol/compat';
import { nextLease, heartbeatInterval, type LeaseEvent, type Lease } from '../src/logic/lease';
import * as teleop from '../src/logic/teleop';
import { stopFromReply, mergeStops, visibleStop, acceptsText } from '../src/logic/stop-state';
import type { RobotState, LeaseGrant } from '../src/protocol/responses';
import { fixture } from './fixtures';

const posture = fixture<{ state: RobotState }>('frame', { inside: { state: ROBOT_STATE } }).state
  .posture!;
const still = teleop.setpointFromPosture(posture);

describe('lease', () => {
  const granted = fixture<LeaseGrant>('lease', LEASE_GRANT);
  const after = (...events: LeaseEvent[]): Lease =>
    events.reduce<Lease>(nextLease, { status: 'free' });
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

  it('is requested, held and released', () => {
    expect(after({ type: 'request' }).status).toBe('requesting');
    expect(after(...held)).toMatchObject({
      status: 'held',
      owner: 'this machine',
      heartbeat_ms: 500,
    });
    expect(after(...held, { type: 'released' })).toEqual({ status: 'free' });
    expect(after({ type: 'request' }, { type: 'refused', detail: 'anna steers' })).toEqual({
      status: 'lost',
      reason: 'refused',
      detail: 'anna steers',
    });
  });

  it('is asked for, handed over and declined', () => {
    const asked = after({ type: 'ask' });
    expect(asked).toEqual({ status: 'asking' });
    expect(after({ type: 'ask' }, held[1]!)).toMatchObject({
      status: 'held',
      id: granted.lease_id,
    });
    const declined = { type: 'answered', reason: 'declined', detail: '' } as const;
    expect(nextLease(asked, declined)).toMatchObject({ status: 'lost', reason: 'declined' });
    expect(after({ type: 'ask' }, { type: 'released' }, declined)).toEqual({ status: 'free' });
    expect(after(...held, { type: 'ask' }).status).toBe('held');
    expect(after(...held, { type: 'handed_over', owner: 'ben' })).toEqual({
      status: 'lost',
      reason: 'handed_over',
      detail: 'ben',
    });
    expect(after({ type: 'handed_over', owner: 'ben' })).toEqual({ status: 'free' });
  });

  it('is lost when the robot times out, ends it or disconnects', () => {
    const lost = (...events: LeaseEvent[]) => after(...held, ...events);
    expect(lost({ type: 'tick', now: 1500 }).status).toBe('held');
    expect(lost({ type: 'tick', now: 1501 })).toMatchObject({
      status: 'lost',
      reason: 'timed_out',
    });
    expect(
      lost({ type: 'heartbeat', sent: 900, now: 1000 }, { type: 'tick', now: 2000 }),
    ).toMatchObject({
      status: 'held',
      roundTrip: 100,
    });
    expect(lost({ type: 'closed' })).toMatchObject({ reason: 'closed' });
    expect(lost({ type: 'rejected', reason: 'the lease has ended', now: 1 })).toMatchObject({
      reason: 'ended',
    });
    expect(lost({ type: 'rejected', reason: 'the head is out of reach', now: 1 })).toMatchObject({
      status: 'held',
      rejection: { reason: 'the head is out of reach', at: 1 },
    });
    const refused: LeaseEvent = { type: 'rejected', reason: 'the head is out of reach', now: 1 };
    expect(lost(refused, { type: 'sent', now: 100 })).toMatchObject({ rejection: { at: 1 } });
    expect(lost(refused, { type: 'sent', now: 700 })).toMatchObject({ rejection: null });
  });

  it('ignores late messages', () => {
    expect(after(held[1]!)).toEqual({ status: 'free' });
    expect(after(...held, { type: 'closed' }, { type: 'heartbeat', sent: 1, now: 2 }).status).toBe(
      'lost',
    );
    expect(heartbeatInterval(500)).toBe(125);
  });
});

describe('teleoperation', () => {
  it('starts at the present posture', () => {
    expect(teleop.targetMessage(still)).toMatchObject({
      body_yaw_deg: 0,
      antennas_deg: posture.antennas_deg,
    });
    expect(teleop.targetMessage(still)['yaw_deg']).toBeCloseTo(posture.yaw_deg);
    expect(teleop.clampedAxes(still, posture)).toEqual([]);
    expect(teleop.clampedAxes({ ...still, pitch_deg: 40 }, posture)).toEqual(['pitch_deg']);
  });

  it('limits the rate towards the setpoint', () => {
    const setpoint = { ...still, pitch_deg: 40 };
    const half = teleop.stepTowards(still, setpoint, 0.1, 0.5);
    expect(half.pitch_deg).toBeCloseTo(still.pitch_deg + 4.5);
    let target = still;
    for (let step = 0; step < 200; step += 1)
      target = teleop.stepTowards(target, setpoint, 0.04, 1);
    expect(teleop.isSameSetpoint(target, setpoint)).toBe(true);
  });

  it('turns the head with the body', () => {
    const turned = { ...still, yaw_deg: 10, body_yaw_deg: 90 };
    expect(teleop.targetMessage(turned)['yaw_deg']).toBe(100);
    const back = teleop.setpointFromPosture({ ...posture, yaw_deg: -175, body_yaw_deg: 160 });
    expect(back.yaw_deg).toBeCloseTo(25);
  });

  it('turns the body too for a direction far to the side', () => {
    const setpoint = teleop.lookAt({ ...still, body_yaw_deg: 0 }, 90, 10);
    expect(setpoint).toMatchObject({ yaw_deg: 40, body_yaw_deg: 50, pitch_deg: 10 });
    expect(teleop.lookAt({ ...still, body_yaw_deg: 0 }, -20, 90)).toMatchObject({
      yaw_deg: -20,
      body_yaw_deg: 0,
      pitch_deg: 40,
    });
  });

  it('moves by keys and sticks, within its limits', () => {
    const push = teleop.sumRates([
      teleop.KEYS['ArrowLeft']!,
      teleop.KEYS['KeyA']!,
      teleop.KEYS['ArrowLeft']!,
    ]);
    expect(push).toEqual({ yaw_deg: 1, body_yaw_deg: 1 });
    expect(
      teleop.sumRates([teleop.KEYS['ArrowLeft']!, teleop.KEYS['ArrowRight']!])['yaw_deg'],
    ).toBe(0);
    expect(teleop.applyRates(still, { yaw_deg: 1 }, 100, 1).yaw_deg).toBe(65);
    expect(teleop.gamepadRates([0.1, 0, 1, 0], [])).toEqual({ yaw_deg: -1 });
    expect(teleop.gamepadRates([0, -1, 0, 0], [0, 0, 0, 0, 0, 1])).toEqual({
      z_mm: 1,
      roll_deg: 1,
    });
    expect(teleop.isStopPressed([0, 1])).toBe(true);
    expect(teleop.isStopPressed([1, 0])).toBe(false);
  });
});

describe('stop', () => {
  it('is confirmed only by the reply of the robot', () => {
    const stopped = stopFromReply(
      { ok: true, value: { motion_state: 'holding', cycles: 626 } },
      100,
      180,
    );
    expect(stopped).toEqual({
      status: 'confirmed',
      motionState: 'holding',
      roundTripMs: 80,
      at: 180,
    });
    expect(stopFromReply({ ok: true, value: {} }, 0, 1).status).toBe('failed');
    expect(stopFromReply({ ok: false, detail: 'not reached' }, 0, 1)).toMatchObject({
      detail: 'not reached',
    });
    expect(visibleStop(stopped, 1000)).toBe(stopped);
    expect(visibleStop(stopped, 7000)).toEqual({ status: 'ready' });
    const failed = stopFromReply({ ok: false, detail: 'x' }, 0, 1);
    expect(visibleStop(failed, 1e6)).toBe(failed);
  });

  it('is confirmed by the first channel that replies', () => {
    const failed = stopFromReply({ ok: false, detail: 'not reached' }, 0, 5);
    const first = stopFromReply(
      { ok: true, value: { type: 'stopped', motion_state: 'holding' } },
      0,
      10,
    );
    const second = stopFromReply({ ok: true, value: { motion_state: 'holding' } }, 0, 50);
    expect(mergeStops({ status: 'sent', since: 0 }, failed)).toBe(failed);
    expect(mergeStops(failed, first)).toBe(first);
    expect(mergeStops(first, second)).toBe(first);
    expect(mergeStops(first, failed)).toBe(first);
  });

  it('is triggered by the space bar except in text fields', () => {
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
