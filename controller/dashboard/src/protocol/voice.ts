/** What goes over the wire of a conversation by voice: samples both ways, words of ours, and what is told. */

import type { ChatEvent } from './responses';

/** The rate of what is sent and of what comes, Hz. */
export const INPUT_RATE_HZ = 16_000;
export const OUTPUT_RATE_HZ = 24_000;

const STATES = ['listening', 'thinking', 'speaking', 'holding'] as const;

export type RobotState = (typeof STATES)[number];

/** What is told of the voice itself; what comes of a sentence is told as in a chat. */
export type VoiceEvent =
  | { event: 'state'; state: RobotState }
  | { event: 'partial_transcript'; text: string }
  | { event: 'transcript'; text: string; interpretation: string }
  | { event: 'ignored'; text: string; reason: string }
  | { event: 'stop'; word: string }
  | { event: 'answer'; text: string }
  | { event: 'speaking'; sentence: string }
  | { event: 'interrupted' }
  | { event: 'voice_error'; text: string }
  | { event: 'said'; data: { text: string } };

/** What a message tells; `null` where it is none that is known. */
export function parseVoiceEvent(text: string): VoiceEvent | ChatEvent | null {
  let message: Record<string, unknown>;
  try {
    message = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null || typeof message['event'] !== 'string')
    return null;
  if (message['event'] === 'state' && !STATES.some((state) => state === message['state']))
    return null;
  return message as unknown as VoiceEvent | ChatEvent;
}

/** Where it is. */
export function voicePath(session: string): string {
  const remembered = session === '' ? '' : `&session=${encodeURIComponent(session)}`;
  return `/api/v1/voice?rate=${INPUT_RATE_HZ}${remembered}`;
}

/** Samples from -1 to 1 as 16 bits, little-endian. */
export function encodePcm16(samples: ArrayLike<number>): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  for (let at = 0; at < samples.length; at += 1) {
    const sample = Math.max(-1, Math.min(1, samples[at] ?? 0));
    view.setInt16(at * 2, Math.round(sample * 32767), true);
  }
  return view.buffer;
}

/** The other way round; half a sample at the end is left out. */
export function decodePcm16(bytes: ArrayBuffer): Float32Array<ArrayBuffer> {
  const view = new DataView(bytes);
  const samples = new Float32Array(Math.floor(bytes.byteLength / 2));
  for (let at = 0; at < samples.length; at += 1) samples[at] = view.getInt16(at * 2, true) / 32768;
  return samples;
}
