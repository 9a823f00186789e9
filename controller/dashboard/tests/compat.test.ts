import { describe, expect, it } from 'vitest';
import {
  CHECK,
  JOURNAL,
  LEASE,
  LEASE_GRANT,
  ROBOT_STATE,
  upgrade,
  upgradeChatEvent,
  upgradeVoiceEvent,
} from '../src/protocol/compat';

describe('older names of the API', () => {
  it('are replaced by the current ones, also in lists', () => {
    const older = {
      doing: 'limp',
      joints: [{ name: 'body_rotation', reading: 'stale' }],
      trims: [{ what: 'pitch', cause: 'head_tilt', worst_deg: 3, beats: 9 }],
    };
    expect(upgrade(older, ROBOT_STATE)).toEqual({
      motion_state: 'torque_off',
      joints: [{ name: 'body_rotation', freshness: 'stale' }],
      clamps: [{ what: 'pitch', cause: 'head_pitch_roll', max_clamp_deg: 3, cycles: 9 }],
    });
    expect(older.doing).toBe('limp');
  });

  it('give way to the current ones where the server sends both', () => {
    const both = { motion_state: 'moving', doing: 'playing', cycles: 2, beats: 1 };
    expect(upgrade(both, ROBOT_STATE)).toEqual({ motion_state: 'moving', cycles: 2 });
  });

  it('stay in data that is not part of the API', () => {
    const check = { admitted: true, stage: 'review', name: 'x', detail: { trims: 1, stage: 'y' } };
    expect(upgrade(check, CHECK)).toEqual({
      accepted: true,
      phase: 'review',
      name: 'x',
      detail: { trims: 1, stage: 'y' },
    });
    const entries = [{ kind: 'said', who: 'anna', what: 'nod', detail: { who: 'ben' } }];
    expect(upgrade({ entries }, JOURNAL)).toEqual({
      entries: [{ kind: 'utterance', actor: 'anna', action: 'nod', detail: { who: 'ben' } }],
    });
    for (const other of [null, 7, 'text', []]) expect(upgrade(other, CHECK)).toEqual(other);
  });

  it('mean the holder in one response and the identifier in another', () => {
    expect(upgrade({ lease: { owner: 'anna', for: 'x' } }, LEASE)).toEqual({
      holder: { owner: 'anna', purpose: 'x' },
    });
    expect(upgrade({ lease: null }, LEASE)).toEqual({ holder: null });
    expect(upgrade({ lease: 'id', for: 'x' }, LEASE_GRANT)).toEqual({
      lease_id: 'id',
      purpose: 'x',
    });
  });

  it('are replaced in events with their data', () => {
    const older = { event: 'checked', data: { tool: 'x', admitted: false, stage: 'policy' } };
    expect(upgradeChatEvent(older)).toEqual({
      event: 'check_finished',
      data: { tool: 'x', accepted: false, phase: 'policy' },
    });
    expect(upgradeVoiceEvent({ event: 'heard', text: 'a', means: 'b' })).toEqual({
      event: 'transcript',
      text: 'a',
      interpretation: 'b',
    });
    expect(upgradeVoiceEvent({ event: 'begun', data: { agent: 'a', task: 'b' } })).toEqual({
      event: 'step_started',
      data: { agent: 'a', task: 'b' },
    });
  });

  it('keep errors of the voice and errors of the chat apart', () => {
    const voice = { event: 'voice_error', text: 'x' };
    expect(upgradeVoiceEvent({ event: 'trouble', text: 'x' })).toEqual(voice);
    expect(upgradeVoiceEvent({ event: 'error', text: 'x' })).toEqual(voice);
    const chat = { event: 'error', data: { detail: 'x' } };
    expect(upgradeVoiceEvent(chat)).toEqual(chat);
  });
});
