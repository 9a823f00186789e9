/**
 * Where a conversation by voice stands, as one machine: the button, the connection and the robot tell it, and the page shows it.
 *
 * The connection: closed --press--> opening --the robot listens--> open --ends--> closed.
 */

import type { ChatEvent } from '../protocol/responses';
import type { VoiceEvent, RobotState } from '../protocol/voice';

/** What is told in words near the button. */
export type VoiceNotice =
  /** The page has no way to a microphone: it came without TLS from another machine. */
  | { is: 'insecure' }
  | { is: 'no_microphone' }
  | { is: 'denied' }
  | { is: 'refused'; reason: string }
  /** The connection ended, perhaps with the server's reason. */
  | { is: 'gone'; reason: string }
  | { is: 'error'; reason: string }
  | { is: 'ignored'; reason: string }
  /** The button was let go, and no words were heard. */
  | { is: 'no_speech' };

export interface Voice {
  connection: 'closed' | 'opening' | 'open';
  /** Whether the button is held. */
  isHeld: boolean;
  robot: RobotState;
  /** What was said so far. */
  partial: string;
  /** What was said last, as it was heard, and what is taken to be meant. */
  transcript: string;
  interpretation: string;
  /** Whether something is to be heard since the button was let go. */
  awaitsTranscript: boolean;
  notice: VoiceNotice | null;
}

export const IDLE_VOICE: Voice = {
  connection: 'closed',
  isHeld: false,
  robot: 'listening',
  partial: '',
  transcript: '',
  interpretation: '',
  awaitsTranscript: false,
  notice: null,
};

export type VoiceInput =
  | { is: 'pressed' }
  | { is: 'released' }
  /** The microphone can't be had, or the server refuses. */
  | { is: 'failed'; note: VoiceNotice }
  | { is: 'opening' }
  | { is: 'closed'; note: VoiceNotice | null }
  /** Long enough after the button was let go. */
  | { is: 'timed_out' }
  | { is: 'event'; event: VoiceEvent | ChatEvent };

export function nextVoice(voice: Voice, input: VoiceInput): Voice {
  switch (input.is) {
    case 'pressed':
      return {
        ...voice,
        isHeld: true,
        awaitsTranscript: false,
        partial: '',
        transcript: '',
        interpretation: '',
        notice: null,
      };
    case 'released':
      return { ...voice, isHeld: false, awaitsTranscript: voice.isHeld };
    case 'failed':
      return { ...voice, isHeld: false, awaitsTranscript: false, notice: input.note };
    case 'opening':
      return voice.connection === 'closed'
        ? { ...voice, connection: 'opening', robot: 'listening' }
        : voice;
    case 'closed': {
      const note = input.note ?? voice.notice;
      return {
        ...IDLE_VOICE,
        transcript: voice.transcript,
        interpretation: voice.interpretation,
        notice: note,
      };
    }
    case 'timed_out':
      return voice.awaitsTranscript
        ? { ...voice, awaitsTranscript: false, partial: '', notice: { is: 'no_speech' } }
        : voice;
    case 'event':
      return transcript(voice, input.event);
  }
}

function transcript(voice: Voice, event: VoiceEvent | ChatEvent): Voice {
  switch (event.event) {
    case 'state':
      return { ...voice, connection: 'open', robot: event.state };
    case 'partial_transcript':
      // There are words: what they are is still to come.
      return { ...voice, partial: event.text };
    case 'transcript':
      return {
        ...voice,
        partial: '',
        transcript: event.text,
        interpretation: event.interpretation,
        awaitsTranscript: false,
      };
    case 'stop':
      return {
        ...voice,
        partial: '',
        transcript: event.word,
        interpretation: event.word,
        awaitsTranscript: false,
      };
    case 'ignored':
      return { ...voice, notice: { is: 'ignored', reason: event.reason } };
    case 'voice_error':
      return { ...voice, notice: { is: 'error', reason: event.text } };
    default:
      return voice;
  }
}

/** What the light shows. */
export type Indicator = 'off' | 'opening' | 'hearing' | RobotState;

export function indicatorOf(voice: Voice): Indicator {
  if (voice.connection === 'closed') return 'off';
  if (voice.connection === 'opening') return 'opening';
  return voice.isHeld && voice.robot !== 'holding' ? 'hearing' : voice.robot;
}

/** The same words, whatever their capitals and marks. */
export function sameWords(one: string, other: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return plain(one) === plain(other);
}
