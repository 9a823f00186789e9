/**
 * A conversation by voice: the microphone and the connection are opened when the button is held for the first time, and closed
 * when nobody has said anything for a while.
 */

import { signal } from '@preact/signals';
import { nextVoice, IDLE_VOICE, type VoiceInput, type VoiceNotice } from '../logic/voice';
import { openMicrophone, type Microphone } from '../sound/microphone';
import { Player } from '../sound/player';
import type { ChatEvent } from '../protocol/responses';
import { decodePcm16, voicePath, parseVoiceEvent, type VoiceEvent } from '../protocol/voice';
import { request } from './http';
import { onRobotChange } from './robots';
import { openSocket } from './sockets';
import { onStop } from './stop';
import { startTurn, updateTurn, endTurn, applyToTurn, onCancel, session } from './conversation';

/** How long is listened on when the button is let go: people let go early, milliseconds. */
const RELEASE_TAIL_MS = 250;
/** When no words were heard so long after that, there were none, milliseconds. */
const TRANSCRIPT_TIMEOUT_MS = 8000;
/** After how long without a word the microphone and the connection are closed, milliseconds. */
const IDLE_TIMEOUT_MS = 90_000;
/** How many pieces of sound may wait for the connection: ten seconds. */
const QUEUE_CAPACITY = 250;
/** How much may wait for the network, bytes: as much. */
const MAX_BUFFERED_BYTES = 320_000;

export const voice = signal(IDLE_VOICE);

const player = new Player();
let microphone: Microphone | null = null;
let socket: WebSocket | null = null;
/** Sound that waits until the robot listens. */
let queue: (ArrayBuffer | 'end')[] = [];
let isRecording = false;
/** Whether what comes belongs to an answer that was interrupted. */
let isInterrupted = false;
/** The sentence that is worked on. */
let turn: number | null = null;
let timers: ReturnType<typeof setTimeout>[] = [];

const dispatch = (input: VoiceInput) => void (voice.value = nextVoice(voice.value, input));

function schedule(ms: number, act: () => void): void {
  timers.push(setTimeout(act, ms));
}

function clearTimers(): void {
  timers.forEach(clearTimeout);
  timers = [];
}

/** The button is held. */
export async function startTalking(): Promise<void> {
  if (voice.value.isHeld) return;
  clearTimers();
  player.resume();
  player.clear();
  isInterrupted = true;
  isRecording = true;
  dispatch({ is: 'pressed' });
  connect();
  if (microphone !== null) return;
  const opened = await openMicrophone(onAudio);
  if ('is' in opened) return fail(opened);
  // The robot may be another one by now, or the button held twice.
  if (socket === null || microphone !== null) return opened.close();
  microphone = opened;
}

/** The button is let go: what was said is over. */
export function stopTalking(): void {
  if (!voice.value.isHeld) return;
  dispatch({ is: 'released' });
  schedule(RELEASE_TAIL_MS, () => {
    isRecording = false;
    send('end');
  });
  schedule(TRANSCRIPT_TIMEOUT_MS, () => dispatch({ is: 'timed_out' }));
  schedule(IDLE_TIMEOUT_MS, closeWhenIdle);
}

function closeWhenIdle(): void {
  if (turn === null && voice.value.robot === 'listening') close(null);
  else schedule(IDLE_TIMEOUT_MS, closeWhenIdle);
}

function fail(note: VoiceNotice): void {
  clearTimers();
  close(null);
  dispatch({ is: 'failed', note });
}

function onAudio(chunk: ArrayBuffer): void {
  if (isRecording) send(chunk);
}

function send(chunk: ArrayBuffer | 'end'): void {
  if (voice.value.connection === 'open') transmit(chunk);
  else if (queue.length < QUEUE_CAPACITY || chunk === 'end') queue.push(chunk);
}

function transmit(chunk: ArrayBuffer | 'end'): void {
  if (socket?.readyState !== WebSocket.OPEN) return;
  if (chunk === 'end') socket.send(JSON.stringify({ type: 'end' }));
  else if (socket.bufferedAmount < MAX_BUFFERED_BYTES) socket.send(chunk);
}

function connect(): void {
  if (socket !== null) return;
  const path = voicePath(session.value);
  const opened = openSocket(path);
  if (opened === null) return fail({ is: 'gone', reason: '' });
  socket = opened;
  opened.binaryType = 'arraybuffer';
  dispatch({ is: 'opening' });
  opened.onmessage = (message: MessageEvent<unknown>) => {
    if (message.data instanceof ArrayBuffer) {
      if (!isInterrupted) player.play(decodePcm16(message.data));
      return;
    }
    const event = parseVoiceEvent(String(message.data));
    if (event !== null) handleEvent(event);
  };
  opened.onclose = (event) => {
    const wasOpen = voice.value.connection === 'open';
    close({ is: 'gone', reason: event.reason });
    if (!wasOpen) void reportRefusal(path);
  };
}

/** A browser does not tell a page why a server refuses a WebSocket: it is asked for in another way. */
async function reportRefusal(path: string): Promise<void> {
  const answer = await request(path, { timeoutMs: 15_000 });
  if (answer.ok || answer.aborted || answer.status === 400 || socket !== null) return;
  dispatch({ is: 'failed', note: { is: 'refused', reason: answer.detail } });
}

function handleEvent(event: VoiceEvent | ChatEvent): void {
  dispatch({ is: 'event', event: event });
  switch (event.event) {
    case 'state':
      if (queue.length > 0) queue.splice(0).forEach(transmit);
      // What was said while a question was open is its answer.
      if (event.state === 'thinking' && turn !== null) {
        updateTurn(turn, (one) => ({ ...one, progress: { ...one.progress, question: null } }));
      }
      return;
    case 'interrupted':
      return player.clear();
    case 'answer':
    case 'ignored':
      // Something else is going to be said.
      isInterrupted = false;
      return;
    case 'said':
      turn = startTurn(event.data.text);
      return;
    case 'partial_transcript':
    case 'transcript':
    case 'stop':
    case 'speaking':
    case 'voice_error':
      return;
    default:
      if (turn === null) return;
      applyToTurn(turn, event);
      if (event.event === 'reply' || event.event === 'error') {
        endTurn(turn, { is: 'over' });
        turn = null;
      }
  }
}

/** Ends it; the robot stops what was begun. */
function close(note: VoiceNotice | null): void {
  const previous = socket;
  socket = null;
  queue = [];
  isRecording = false;
  clearTimers();
  player.clear();
  microphone?.close();
  microphone = null;
  if (previous !== null) {
    previous.onmessage = previous.onclose = null;
    previous.close();
  }
  if (turn !== null) endTurn(turn, { is: 'gone' });
  turn = null;
  dispatch({ is: 'closed', note });
}

/** The connection carries a stop, too, and what is being said ends with it. */
function stopSpeech(): void {
  player.clear();
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'stop' }));
}

onStop(stopSpeech);
onCancel(() => turn !== null && stopSpeech());
onRobotChange(() => {
  close(null);
  voice.value = IDLE_VOICE;
});
