/**
 * Where a conversation by voice stands, as one machine: the button, the connection and the robot tell it, and the page shows it.
 *
 * The connection: closed --press--> opening --the robot listens--> open --ends--> closed.
 */

import type { Told } from '../protocol/responses';
import type { News, RobotState } from '../protocol/voice';

/** What is told in words near the button. */
export type Note =
  /** The page has no way to a microphone: it came without TLS from another machine. */
  | { is: 'insecure' }
  | { is: 'no_microphone' }
  | { is: 'denied' }
  | { is: 'refused'; why: string }
  /** The connection ended, perhaps with the server's reason. */
  | { is: 'gone'; why: string }
  | { is: 'trouble'; why: string }
  | { is: 'ignored'; why: string }
  /** The button was let go, and no words were heard. */
  | { is: 'nothing' };

export interface Voice {
  line: 'closed' | 'opening' | 'open';
  /** Whether the button is held. */
  held: boolean;
  robot: RobotState;
  /** What was said so far. */
  partial: string;
  /** What was said last, as it was heard, and what is taken to be meant. */
  heard: string;
  means: string;
  /** Whether something is to be heard since the button was let go. */
  owed: boolean;
  note: Note | null;
}

export const SILENT: Voice = {
  line: 'closed',
  held: false,
  robot: 'listening',
  partial: '',
  heard: '',
  means: '',
  owed: false,
  note: null,
};

export type Happened =
  | { is: 'pressed' }
  | { is: 'released' }
  /** The microphone can't be had, or the server refuses. */
  | { is: 'failed'; note: Note }
  | { is: 'opening' }
  | { is: 'closed'; note: Note | null }
  /** Long enough after the button was let go. */
  | { is: 'waited' }
  | { is: 'told'; told: News | Told };

export function after(voice: Voice, happened: Happened): Voice {
  switch (happened.is) {
    case 'pressed':
      return { ...voice, held: true, owed: false, partial: '', heard: '', means: '', note: null };
    case 'released':
      return { ...voice, held: false, owed: voice.held };
    case 'failed':
      return { ...voice, held: false, owed: false, note: happened.note };
    case 'opening':
      return voice.line === 'closed' ? { ...voice, line: 'opening', robot: 'listening' } : voice;
    case 'closed': {
      const note = happened.note ?? voice.note;
      return { ...SILENT, heard: voice.heard, means: voice.means, note };
    }
    case 'waited':
      return voice.owed ? { ...voice, owed: false, partial: '', note: { is: 'nothing' } } : voice;
    case 'told':
      return heard(voice, happened.told);
  }
}

function heard(voice: Voice, told: News | Told): Voice {
  switch (told.event) {
    case 'state':
      return { ...voice, line: 'open', robot: told.state };
    case 'partial':
      // There are words: what they are is still to come.
      return { ...voice, partial: told.text };
    case 'heard':
      return { ...voice, partial: '', heard: told.text, means: told.means, owed: false };
    case 'stop':
      return { ...voice, partial: '', heard: told.word, means: told.word, owed: false };
    case 'ignored':
      return { ...voice, note: { is: 'ignored', why: told.why } };
    case 'trouble':
      return { ...voice, note: { is: 'trouble', why: told.text } };
    default:
      return voice;
  }
}

/** What the light shows. */
export type Light = 'off' | 'opening' | 'hearing' | RobotState;

export function light(voice: Voice): Light {
  if (voice.line === 'closed') return 'off';
  if (voice.line === 'opening') return 'opening';
  return voice.held && voice.robot !== 'holding' ? 'hearing' : voice.robot;
}

/** The same words, whatever their capitals and marks. */
export function isSame(one: string, other: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return plain(one) === plain(other);
}
