/**
 * A conversation by voice: the microphone and the connection are opened when the button is held for the first time, and closed
 * when nobody has said anything for a while.
 */

import { signal } from '@preact/signals';
import { after, SILENT, type Happened, type Note } from '../logic/voice';
import { openMicrophone, type Microphone } from '../sound/microphone';
import { Player } from '../sound/player';
import type { Told } from '../protocol/responses';
import { unpacked, voicePath, voiceTold, type News } from '../protocol/voice';
import { ask } from './http';
import { onParting } from './robots';
import { opened } from './sockets';
import { onStop } from './stop';
import { begin, change, finish, hearOf, onHalt, session } from './conversation';

/** How long is listened on when the button is let go: people let go early, milliseconds. */
const TAIL_MS = 250;
/** When no words were heard so long after that, there were none, milliseconds. */
const NOTHING_MS = 8000;
/** After how long without a word the microphone and the connection are closed, milliseconds. */
const IDLE_MS = 90_000;
/** How many pieces of sound may wait for the connection: ten seconds. */
const WAITING = 250;
/** How much may wait for the network, bytes: as much. */
const BACKLOG = 320_000;

export const voice = signal(SILENT);

const player = new Player();
let microphone: Microphone | null = null;
let line: WebSocket | null = null;
/** Sound that waits until the robot listens. */
let waiting: (ArrayBuffer | 'end')[] = [];
let isHeard = false;
/** Whether what comes belongs to an answer that was interrupted. */
let isCut = false;
/** The sentence that is worked on. */
let turn: number | null = null;
let timers: ReturnType<typeof setTimeout>[] = [];

const happened = (what: Happened) => void (voice.value = after(voice.value, what));

function later(ms: number, act: () => void): void {
  timers.push(setTimeout(act, ms));
}

function rest(): void {
  timers.forEach(clearTimeout);
  timers = [];
}

/** The button is held. */
export async function press(): Promise<void> {
  if (voice.value.held) return;
  rest();
  player.wake();
  player.cut();
  isCut = true;
  isHeard = true;
  happened({ is: 'pressed' });
  connect();
  if (microphone !== null) return;
  const found = await openMicrophone(hear);
  if ('is' in found) return fail(found);
  // The robot may be another one by now, or the button held twice.
  if (line === null || microphone !== null) return found.close();
  microphone = found;
}

/** The button is let go: what was said is over. */
export function release(): void {
  if (!voice.value.held) return;
  happened({ is: 'released' });
  later(TAIL_MS, () => {
    isHeard = false;
    send('end');
  });
  later(NOTHING_MS, () => happened({ is: 'waited' }));
  later(IDLE_MS, idle);
}

function idle(): void {
  if (turn === null && voice.value.robot === 'listening') close(null);
  else later(IDLE_MS, idle);
}

function fail(note: Note): void {
  rest();
  close(null);
  happened({ is: 'failed', note });
}

function hear(piece: ArrayBuffer): void {
  if (isHeard) send(piece);
}

function send(piece: ArrayBuffer | 'end'): void {
  if (voice.value.line === 'open') put(piece);
  else if (waiting.length < WAITING || piece === 'end') waiting.push(piece);
}

function put(piece: ArrayBuffer | 'end'): void {
  if (line?.readyState !== WebSocket.OPEN) return;
  if (piece === 'end') line.send(JSON.stringify({ type: 'end' }));
  else if (line.bufferedAmount < BACKLOG) line.send(piece);
}

function connect(): void {
  if (line !== null) return;
  const path = voicePath(session.value);
  const socket = opened(path);
  if (socket === null) return fail({ is: 'gone', why: '' });
  line = socket;
  socket.binaryType = 'arraybuffer';
  happened({ is: 'opening' });
  socket.onmessage = (message: MessageEvent<unknown>) => {
    if (message.data instanceof ArrayBuffer) {
      if (!isCut) player.play(unpacked(message.data));
      return;
    }
    const told = voiceTold(String(message.data));
    if (told !== null) listen(told);
  };
  socket.onclose = (event) => {
    const wasOpen = voice.value.line === 'open';
    close({ is: 'gone', why: event.reason });
    if (!wasOpen) void why(path);
  };
}

/** A browser does not tell a page why a server refuses a WebSocket: it is asked for in another way. */
async function why(path: string): Promise<void> {
  const answer = await ask(path, { patience: 15_000 });
  if (answer.ok || answer.aborted || answer.status === 400 || line !== null) return;
  happened({ is: 'failed', note: { is: 'refused', why: answer.detail } });
}

function listen(told: News | Told): void {
  happened({ is: 'told', told });
  switch (told.event) {
    case 'state':
      if (waiting.length > 0) waiting.splice(0).forEach(put);
      // What was said while a question was open is its answer.
      if (told.state === 'thinking' && turn !== null) {
        change(turn, (one) => ({ ...one, course: { ...one.course, question: null } }));
      }
      return;
    case 'cut':
      return player.cut();
    case 'answer':
    case 'ignored':
      // Something else is going to be said.
      isCut = false;
      return;
    case 'said':
      turn = begin(told.data.text);
      return;
    case 'partial':
    case 'heard':
    case 'stop':
    case 'speaking':
    case 'trouble':
      return;
    default:
      if (turn === null) return;
      hearOf(turn, told);
      if (told.event === 'reply' || told.event === 'error') {
        finish(turn, { is: 'over' });
        turn = null;
      }
  }
}

/** Ends it; the robot stops what was begun. */
function close(note: Note | null): void {
  const was = line;
  line = null;
  waiting = [];
  isHeard = false;
  rest();
  player.cut();
  microphone?.close();
  microphone = null;
  if (was !== null) {
    was.onmessage = was.onclose = null;
    was.close();
  }
  if (turn !== null) finish(turn, { is: 'gone' });
  turn = null;
  happened({ is: 'closed', note });
}

/** The connection carries a stop, too, and what is being said ends with it. */
function stop(): void {
  player.cut();
  if (line?.readyState === WebSocket.OPEN) line.send(JSON.stringify({ type: 'stop' }));
}

onStop(stop);
onHalt(() => turn !== null && stop());
onParting(() => {
  close(null);
  voice.value = SILENT;
});
