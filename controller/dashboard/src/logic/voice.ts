/**
 * The state machine of a voice conversation. Its inputs come from the button, the connection and the robot.
 *
 * The connection goes from closed to opening (button pressed) to open (the robot listens) to closed.
 */

import type { ChatEvent } from '../protocol/responses';
import type { VoiceEvent, RobotState } from '../protocol/voice';

/** A message next to the button. */
export type VoiceNotice =
  /** The browser gives no microphone to a page that came from another machine without TLS. */
  | { is: 'insecure' }
  | { is: 'no_microphone' }
  | { is: 'denied' }
  | { is: 'refused'; reason: string }
  /** The connection closed, possibly with a reason from the server. */
  | { is: 'gone'; reason: string }
  | { is: 'error'; reason: string }
  | { is: 'ignored'; reason: string }
  /** The button was released, and no speech was detected. */
  | { is: 'no_speech' };

export interface Voice {
  connection: 'closed' | 'opening' | 'open';
  /** Whether the button is held. */
  isHeld: boolean;
  robot: RobotState;
  /** The transcript so far. */
  partial: string;
  /** The last transcript, and how the robot interpreted it. */
  transcript: string;
  interpretation: string;
  /** Whether a transcript is still expected after the button was released. */
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
  /** The microphone is unavailable, or the server refuses the connection. */
  | { is: 'failed'; note: VoiceNotice }
  | { is: 'opening' }
  | { is: 'closed'; note: VoiceNotice | null }
  /** The wait for a transcript is over. */
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
      // There is speech; its final transcript follows.
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

/** What the indicator shows. */
export type Indicator = 'off' | 'opening' | 'hearing' | RobotState;

export function indicatorOf(voice: Voice): Indicator {
  if (voice.connection === 'closed') return 'off';
  if (voice.connection === 'opening') return 'opening';
  return voice.isHeld && voice.robot !== 'holding' ? 'hearing' : voice.robot;
}

/** Whether two texts have the same words, regardless of case and punctuation. */
export function sameWords(one: string, other: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return plain(one) === plain(other);
}
