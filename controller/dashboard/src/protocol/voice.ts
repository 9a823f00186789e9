/** The protocol of a voice conversation: audio both ways, commands and events. */

import { upgradeVoiceEvent } from './compat';
import type { ChatEvent } from './responses';

/** The sample rates of the audio that is sent and received, Hz. */
export const INPUT_RATE_HZ = 16_000;
export const OUTPUT_RATE_HZ = 24_000;

const STATES = ['listening', 'thinking', 'speaking', 'holding'] as const;

export type RobotState = (typeof STATES)[number];

/** Events of the voice itself. The events of a turn are those of the chat. */
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

/** Returns the event in a message, or `null` if it is unknown. */
export function parseVoiceEvent(text: string): VoiceEvent | ChatEvent | null {
  let message: Record<string, unknown>;
  try {
    message = upgradeVoiceEvent(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null || typeof message['event'] !== 'string')
    return null;
  if (message['event'] === 'state' && !STATES.some((state) => state === message['state']))
    return null;
  return message as unknown as VoiceEvent | ChatEvent;
}

/** Returns the path of the voice WebSocket. */
export function voicePath(session: string): string {
  const query = session === '' ? '' : `&session=${encodeURIComponent(session)}`;
  return `/api/v1/voice?rate=${INPUT_RATE_HZ}${query}`;
}

/** Encodes samples from -1 to 1 as 16-bit little-endian PCM. */
export function encodePcm16(samples: ArrayLike<number>): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  for (let at = 0; at < samples.length; at += 1) {
    const sample = Math.max(-1, Math.min(1, samples[at] ?? 0));
    view.setInt16(at * 2, Math.round(sample * 32767), true);
  }
  return view.buffer;
}

/** Decodes 16-bit little-endian PCM and ignores an incomplete sample at the end. */
export function decodePcm16(bytes: ArrayBuffer): Float32Array<ArrayBuffer> {
  const view = new DataView(bytes);
  const samples = new Float32Array(Math.floor(bytes.byteLength / 2));
  for (let at = 0; at < samples.length; at += 1) samples[at] = view.getInt16(at * 2, true) / 32768;
  return samples;
}
