import { describe, expect, it } from 'vitest';
import { address, socketAddress, socketProtocols } from '../src/protocol/addresses';
import type { BodyState, Told } from '../src/protocol/responses';
import { EventReader } from '../src/protocol/sse';
import { PictureReader } from '../src/protocol/mjpeg';
import { decode, frameOf, stopped } from '../src/protocol/telemetry';
import { answer, bytes, text } from './fixtures';

const { frames, state } = answer<{ frames: string[]; state: BodyState }>('frame');

describe('telemetry', () => {
  it('says the same in bytes as in words', () => {
    const frame = decode(bytes(frames[1]!))!;
    const told = frameOf(state);
    expect(frame.doing).toBe(told.doing);
    expect(frame.faulty).toBe(false);
    expect(frame.torque).toEqual(told.torque);
    expect(frame.fresh).toEqual(told.fresh);
    told.goal_deg.forEach((angle, place) => expect(frame.goal_deg[place]).toBeCloseTo(angle, 1));
    expect(frame.posture!.yaw_deg).toBeCloseTo(told.posture!.yaw_deg, 1);
    expect(frame.posture!.antennas_deg[1]).toBeCloseTo(told.posture!.antennas_deg[1], 1);
  });

  it('counts on', () => {
    const [first, second] = frames.map((hex) => decode(bytes(hex))!);
    expect(second!.number!).toBeGreaterThan(first!.number!);
    expect(second!.at_s!).toBeGreaterThan(first!.at_s!);
    expect(second!.beats).toBeGreaterThan(first!.beats);
  });

  it('refuses what it does not know', () => {
    expect(decode(new ArrayBuffer(135))).toBeNull();
    expect(decode(bytes(`02${frames[0]!.slice(2)}`))).toBeNull();
    expect(decode(bytes(`0109${frames[0]!.slice(4)}`))).toBeNull();
    const blind = decode(bytes(`${frames[0]!.slice(0, 192)}0000c07f${frames[0]!.slice(200)}`));
    expect(blind!.posture).toBeNull();
  });
});

describe('words on the stream of frames', () => {
  it('are read as far as they are known', () => {
    const told = { type: 'stopped', doing: 'holding', beats: 7 };
    expect(stopped(JSON.stringify(told))).toEqual(told);
    for (const other of ['{"type":"pong","sent":1}', 'null', '[]', '{', '']) {
      expect(stopped(other), other).toBeNull();
    }
  });
});

describe('events', () => {
  const whole = text('chat.sse');

  it('come whole, however the stream is cut', () => {
    const expected = new EventReader().take(whole);
    expect(expected.map((data) => (JSON.parse(data) as Told).event)).toEqual([
      'step',
      'step',
      'reply',
    ]);
    for (const size of [1, 7, 100]) {
      const reader = new EventReader();
      const got: string[] = [];
      for (let at = 0; at < whole.length; at += size)
        got.push(...reader.take(whole.slice(at, at + size)));
      expect(got).toEqual(expected);
    }
  });

  it('leave out what only keeps the line open', () => {
    expect(new EventReader().take(': \n\n:\n\ndata: 1\n\n')).toEqual(['1']);
  });
});

describe('pictures', () => {
  const part = (content: number[]) => [
    ...new TextEncoder().encode(
      `--picture\r\nContent-Type: image/jpeg\r\nContent-Length: ${content.length}\r\n\r\n`,
    ),
    ...content,
    13,
    10,
  ];
  const stream = Uint8Array.from([...part([1, 13, 10, 13, 10, 2]), ...part([]), ...part([3, 4])]);

  it('come whole, however the stream is cut', () => {
    for (const size of [1, 3, 50, 1000]) {
      const reader = new PictureReader();
      const got: number[][] = [];
      for (let at = 0; at < stream.length; at += size) {
        got.push(...reader.take(stream.subarray(at, at + size)).map((one) => [...one]));
      }
      expect(got).toEqual([[1, 13, 10, 13, 10, 2], [], [3, 4]]);
    }
  });

  it('are refused where they have no length', () => {
    const bad = new TextEncoder().encode('--picture\r\nContent-Type: image/jpeg\r\n\r\nabc');
    expect(() => new PictureReader().take(bad)).toThrow();
    expect(() => new PictureReader().take(new Uint8Array(5000))).toThrow();
  });
});

describe('addresses', () => {
  it('have one form', () => {
    expect(address(' robot.local:8000/ ')).toBe('http://robot.local:8000');
    expect(address('https://robot.example/x?y')).toBe('https://robot.example');
    for (const none of [
      '',
      'javascript:alert(1)',
      'ftp://robot',
      'http://me:secret@robot',
      'http://',
    ]) {
      expect(address(none), none).toBeNull();
    }
  });

  it('become those of sockets', () => {
    const here = 'https://robot.local/#/talk';
    expect(socketAddress('', '/api/v1/telemetry?rate=30', here)).toBe(
      'wss://robot.local/api/v1/telemetry?rate=30',
    );
    expect(socketAddress('http://10.0.0.7:8000', '/x', here)).toBe('ws://10.0.0.7:8000/x');
    expect(socketProtocols('')).toEqual([]);
    expect(socketProtocols('abc')).toEqual(['minismith', 'minismith.bearer.abc']);
  });
});
