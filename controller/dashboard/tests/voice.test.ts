import { describe, expect, it } from 'vitest';
import { Downsampler } from '../src/logic/downsample';
import {
  nextVoice,
  sameWords,
  indicatorOf,
  IDLE_VOICE,
  type VoiceInput,
  type Voice,
} from '../src/logic/voice';
import type { ChatEvent } from '../src/protocol/responses';
import {
  encodePcm16,
  decodePcm16,
  voicePath,
  parseVoiceEvent,
  type VoiceEvent,
} from '../src/protocol/voice';

const so = (...all: VoiceInput[]): Voice => all.reduce(nextVoice, IDLE_VOICE);
const received = (one: VoiceEvent | ChatEvent): VoiceInput => ({ is: 'event', event: one });
const state = (robot: Voice['robot']): VoiceInput => received({ event: 'state', state: robot });
const open: VoiceInput[] = [{ is: 'pressed' }, { is: 'opening' }, state('listening')];

describe('the voice conversation', () => {
  it('shows the state of the robot in the indicator', () => {
    expect(indicatorOf(IDLE_VOICE)).toBe('off');
    expect(indicatorOf(so({ is: 'pressed' }, { is: 'opening' }))).toBe('opening');
    expect(indicatorOf(so(...open))).toBe('hearing');
    expect(indicatorOf(so(...open, { is: 'released' }))).toBe('listening');
    expect(indicatorOf(so(...open, { is: 'released' }, state('thinking')))).toBe('thinking');
    // Holding the button hides the state "speaking", but never "holding".
    expect(indicatorOf(so(...open, state('speaking')))).toBe('hearing');
    expect(indicatorOf(so(...open, state('holding')))).toBe('holding');
    expect(indicatorOf(so(...open, { is: 'closed', note: null }))).toBe('off');
  });

  it('shows partial transcripts, then the final one', () => {
    const partly = so(...open, received({ event: 'partial_transcript', text: 'nod' }));
    expect([partly.partial, partly.transcript]).toEqual(['nod', '']);
    const all = nextVoice(
      partly,
      received({ event: 'transcript', text: 'Nod twice.', interpretation: 'nod twice' }),
    );
    expect([all.partial, all.transcript]).toEqual(['', 'Nod twice.']);
    expect(nextVoice(all, { is: 'pressed' }).transcript).toBe('');
    expect(sameWords(all.transcript, all.interpretation)).toBe(true);
    expect(sameWords('Not twice.', 'nod twice')).toBe(false);
  });

  it('reports missing speech only without a transcript', () => {
    const silent = so(...open, { is: 'released' }, { is: 'timed_out' });
    expect(silent.notice).toEqual({ is: 'no_speech' });
    const word = received({ event: 'stop', word: 'stop' });
    expect(so(...open, { is: 'released' }, word, { is: 'timed_out' }).notice).toBeNull();
    expect(so(...open, word, { is: 'timed_out' }).notice).toBeNull();
    expect(nextVoice(silent, { is: 'pressed' }).notice).toBeNull();
  });

  it('keeps the reason for the end', () => {
    const why = { is: 'gone', reason: 'nothing was said for ten minutes' } as const;
    const gone = so(...open, { is: 'closed', note: why });
    expect([gone.connection, gone.isHeld, gone.notice]).toEqual(['closed', false, why]);
    const denied = so({ is: 'pressed' }, { is: 'failed', note: { is: 'denied' } });
    expect([denied.isHeld, denied.notice]).toEqual([false, { is: 'denied' }]);
    expect(nextVoice(denied, { is: 'closed', note: null }).notice).toEqual({ is: 'denied' });
  });
});

describe('the voice protocol', () => {
  it('ignores unknown messages', () => {
    expect(parseVoiceEvent('{"event":"cut"}')).toEqual({ event: 'interrupted' });
    expect(parseVoiceEvent('{"event":"state","state":"thinking"}')).toMatchObject({
      state: 'thinking',
    });
    for (const other of ['', '[]', 'null', '7', '{"type":"pong"}', '{"event":"state","state":"x"}'])
      expect(parseVoiceEvent(other), other).toBeNull();
  });

  it('names the session in the path', () => {
    expect(voicePath('')).toBe('/api/v1/voice?rate=16000');
    expect(voicePath('a b')).toBe('/api/v1/voice?rate=16000&session=a%20b');
  });

  it('clips samples to 16 bits', () => {
    expect([...new Uint8Array(encodePcm16([1, -1, 2, -7]))]).toEqual([
      255, 127, 1, 128, 255, 127, 1, 128,
    ]);
    const there = [0, 0.5, -0.25, 0.999];
    [...decodePcm16(encodePcm16(there))].forEach((back, at) =>
      expect(back).toBeCloseTo(there[at] ?? Number.NaN, 3),
    );
    expect(decodePcm16(new ArrayBuffer(3)).length).toBe(1);
  });
});

/** How loud a tone is after it was brought to another rate piece by piece, 1 where nothing is lost. */
function through(from: number, hertz: number, piece: number): { loud: number; samples: number } {
  const narrow = new Downsampler(from, 16_000);
  const all: number[] = [];
  for (let at = 0; at < from; at += piece) {
    const tone = Float32Array.from({ length: piece }, (_, near) =>
      Math.sin((2 * Math.PI * hertz * (at + near)) / from),
    );
    all.push(...narrow.push(tone));
  }
  const steady = all.slice(400, -400);
  const power = steady.reduce((sum, sample) => sum + sample * sample, 0) / steady.length;
  return { loud: Math.sqrt(2 * power), samples: all.length };
}

describe('downsampling', () => {
  it('keeps the passband', () => {
    for (const from of [16_000, 44_100, 48_000, 96_000])
      for (const hertz of [200, 1000, 5000])
        expect(through(from, hertz, 128).loud, `${from} ${hertz}`).toBeCloseTo(1, 1);
  });

  it('removes frequencies that would alias', () => {
    for (const from of [44_100, 48_000])
      for (const hertz of [9500, 12_000, 15_000])
        expect(through(from, hertz, 128).loud, `${from} ${hertz}`).toBeLessThan(0.02);
  });

  it('yields the same length for any chunk size', () => {
    const whole = through(44_100, 1000, 441).samples;
    expect(Math.abs(whole - 16_000)).toBeLessThan(40);
    expect(Math.abs(through(44_100, 1000, 126).samples - whole)).toBeLessThan(8);
  });
});
