/** What goes over the wire of a conversation by voice: samples both ways, words of ours, and what is told. */

import type { Told } from './responses';

/** The rate of what is sent and of what comes, Hz. */
export const HEARD_RATE = 16_000;
export const SPOKEN_RATE = 24_000;

const STATES = ['listening', 'thinking', 'speaking', 'holding'] as const;

export type RobotState = (typeof STATES)[number];

/** What is told of the voice itself; what comes of a sentence is told as in a chat. */
export type News =
  | { event: 'state'; state: RobotState }
  | { event: 'partial'; text: string }
  | { event: 'heard'; text: string; means: string }
  | { event: 'ignored'; text: string; why: string }
  | { event: 'stop'; word: string }
  | { event: 'answer'; text: string }
  | { event: 'speaking'; sentence: string }
  | { event: 'cut' }
  | { event: 'trouble'; text: string }
  | { event: 'said'; data: { text: string } };

/** What a message tells; `null` where it is none that is known. */
export function voiceTold(text: string): News | Told | null {
  let told: Record<string, unknown>;
  try {
    told = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
  if (typeof told !== 'object' || told === null || typeof told['event'] !== 'string') return null;
  if (told['event'] === 'state' && !STATES.some((state) => state === told['state'])) return null;
  return told as unknown as News | Told;
}

/** Where it is. */
export function voicePath(session: string): string {
  const remembered = session === '' ? '' : `&session=${encodeURIComponent(session)}`;
  return `/api/v1/voice?rate=${HEARD_RATE}${remembered}`;
}

/** Samples from -1 to 1 as 16 bits, little-endian. */
export function packed(samples: ArrayLike<number>): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  for (let at = 0; at < samples.length; at += 1) {
    const sample = Math.max(-1, Math.min(1, samples[at] ?? 0));
    view.setInt16(at * 2, Math.round(sample * 32767), true);
  }
  return view.buffer;
}

/** The other way round; half a sample at the end is left out. */
export function unpacked(bytes: ArrayBuffer): Float32Array<ArrayBuffer> {
  const view = new DataView(bytes);
  const samples = new Float32Array(Math.floor(bytes.byteLength / 2));
  for (let at = 0; at < samples.length; at += 1) samples[at] = view.getInt16(at * 2, true) / 32768;
  return samples;
}
