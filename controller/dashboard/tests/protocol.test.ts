import { describe, expect, it } from 'vitest';
import { ROBOT_STATE, upgradeChatEvent } from '../src/protocol/compat';
import { normalizeAddress, webSocketUrl, webSocketProtocols } from '../src/protocol/addresses';
import type { RobotState, ChatEvent } from '../src/protocol/responses';
import { SseReader } from '../src/protocol/sse';
import { MjpegReader } from '../src/protocol/mjpeg';
import { decodeFrame, frameFromState, parseStopReply } from '../src/protocol/telemetry';
import { fixture, bytes, text } from './fixtures';

const { frames, state } = fixture<{ frames: string[]; state: RobotState }>('frame', {
  inside: { state: ROBOT_STATE },
});

describe('telemetry', () => {
  it('decodes a binary frame like a polled state', () => {
    const frame = decodeFrame(bytes(frames[1]!))!;
    const polled = frameFromState(state);
    expect(frame.motion_state).toBe(polled.motion_state);
    expect(frame.faulty).toBe(false);
    expect(frame.torque).toEqual(polled.torque);
    expect(frame.fresh).toEqual(polled.fresh);
    polled.goal_deg.forEach((angle, place) => expect(frame.goal_deg[place]).toBeCloseTo(angle, 1));
    expect(frame.posture!.yaw_deg).toBeCloseTo(polled.posture!.yaw_deg, 1);
    expect(frame.posture!.antennas_deg[1]).toBeCloseTo(polled.posture!.antennas_deg[1], 1);
  });

  it('counts frames, cycles and time upwards', () => {
    const [first, second] = frames.map((hex) => decodeFrame(bytes(hex))!);
    expect(second!.seq!).toBeGreaterThan(first!.seq!);
    expect(second!.at_s!).toBeGreaterThan(first!.at_s!);
    expect(second!.cycles).toBeGreaterThan(first!.cycles);
  });

  it('rejects an unknown layout', () => {
    expect(decodeFrame(new ArrayBuffer(135))).toBeNull();
    expect(decodeFrame(bytes(`02${frames[0]!.slice(2)}`))).toBeNull();
    expect(decodeFrame(bytes(`0109${frames[0]!.slice(4)}`))).toBeNull();
    const blind = decodeFrame(bytes(`${frames[0]!.slice(0, 192)}0000c07f${frames[0]!.slice(200)}`));
    expect(blind!.posture).toBeNull();
  });
});

describe('messages on the telemetry stream', () => {
  it('contain the reply to a stop', () => {
    const reply = { type: 'stopped', motion_state: 'holding', cycles: 7 };
    expect(parseStopReply(JSON.stringify(reply))).toEqual(reply);
    expect(parseStopReply('{"type":"stopped","doing":"limp","beats":7}')).toEqual({
      ...reply,
      motion_state: 'torque_off',
    });
    for (const other of ['{"type":"pong","sent":1}', 'null', '[]', '{', '']) {
      expect(parseStopReply(other), other).toBeNull();
    }
  });
});

describe('server-sent events', () => {
  const whole = text('chat.sse');

  it('arrive whole wherever the stream is cut', () => {
    const expected = new SseReader().push(whole);
    expect(expected.map((data) => (upgradeChatEvent(JSON.parse(data)) as ChatEvent).event)).toEqual(
      ['step_finished', 'step_finished', 'reply'],
    );
    for (const size of [1, 7, 100]) {
      const reader = new SseReader();
      const got: string[] = [];
      for (let at = 0; at < whole.length; at += size)
        got.push(...reader.push(whole.slice(at, at + size)));
      expect(got).toEqual(expected);
    }
  });

  it('ignore keep-alive comments', () => {
    expect(new SseReader().push(': \n\n:\n\ndata: 1\n\n')).toEqual(['1']);
  });
});

describe('MJPEG', () => {
  const part = (content: number[]) => [
    ...new TextEncoder().encode(
      `--picture\r\nContent-Type: image/jpeg\r\nContent-Length: ${content.length}\r\n\r\n`,
    ),
    ...content,
    13,
    10,
  ];
  const stream = Uint8Array.from([...part([1, 13, 10, 13, 10, 2]), ...part([]), ...part([3, 4])]);

  it('yields whole images wherever the stream is cut', () => {
    for (const size of [1, 3, 50, 1000]) {
      const reader = new MjpegReader();
      const got: number[][] = [];
      for (let at = 0; at < stream.length; at += size) {
        got.push(...reader.push(stream.subarray(at, at + size)).map((one) => [...one]));
      }
      expect(got).toEqual([[1, 13, 10, 13, 10, 2], [], [3, 4]]);
    }
  });

  it('is rejected without a content length', () => {
    const bad = new TextEncoder().encode('--picture\r\nContent-Type: image/jpeg\r\n\r\nabc');
    expect(() => new MjpegReader().push(bad)).toThrow();
    expect(() => new MjpegReader().push(new Uint8Array(5000))).toThrow();
  });
});

describe('addresses', () => {
  it('are normalized', () => {
    expect(normalizeAddress(' robot.local:8000/ ')).toBe('http://robot.local:8000');
    expect(normalizeAddress('https://robot.example/x?y')).toBe('https://robot.example');
    for (const none of [
      '',
      'javascript:alert(1)',
      'ftp://robot',
      'http://me:secret@robot',
      'http://',
    ]) {
      expect(normalizeAddress(none), none).toBeNull();
    }
  });

  it('become WebSocket URLs', () => {
    const here = 'https://robot.local/#/talk';
    expect(webSocketUrl('', '/api/v1/telemetry?rate=30', here)).toBe(
      'wss://robot.local/api/v1/telemetry?rate=30',
    );
    expect(webSocketUrl('http://10.0.0.7:8000', '/x', here)).toBe('ws://10.0.0.7:8000/x');
    expect(webSocketProtocols('')).toEqual([]);
    expect(webSocketProtocols('abc')).toEqual(['minismith', 'minismith.bearer.abc']);
  });
});
