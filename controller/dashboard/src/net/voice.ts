/**
 * A voice conversation. The microphone and the connection open on the first press of the button, and close after a
 * time without speech.
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

/** How long recording continues after the button is released, milliseconds: people release it early. */
const RELEASE_TAIL_MS = 250;
/** Without a transcript for this long after the release, no speech was detected, milliseconds. */
const TRANSCRIPT_TIMEOUT_MS = 8000;
/** The time without speech after which the microphone and the connection close, milliseconds. */
const IDLE_TIMEOUT_MS = 90_000;
/** The audio chunks that may wait for the connection: ten seconds. */
const QUEUE_CAPACITY = 250;
/** The bytes that may wait for the network: ten seconds as well. */
const MAX_BUFFERED_BYTES = 320_000;

export const voice = signal(IDLE_VOICE);

const player = new Player();
let microphone: Microphone | null = null;
let socket: WebSocket | null = null;
/** Audio that waits until the robot listens. */
let queue: (ArrayBuffer | 'end')[] = [];
let isRecording = false;
/** Whether incoming audio belongs to an interrupted answer. */
let isInterrupted = false;
/** The turn in progress. */
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

/** Called when the button is pressed. */
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
  // Meanwhile the robot may have changed, or the button may have been pressed twice.
  if (socket === null || microphone !== null) return opened.close();
  microphone = opened;
}

/** Called when the button is released: the utterance is complete. */
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

/** A browser does not reveal why a server refuses a WebSocket, so a plain request asks for the reason. */
async function reportRefusal(path: string): Promise<void> {
  const answer = await request(path, { timeoutMs: 15_000 });
  if (answer.ok || answer.aborted || answer.status === 400 || socket !== null) return;
  dispatch({ is: 'failed', note: { is: 'refused', reason: answer.detail } });
}

function handleEvent(event: VoiceEvent | ChatEvent): void {
  dispatch({ is: 'event', event });
  switch (event.event) {
    case 'state':
      if (queue.length > 0) queue.splice(0).forEach(transmit);
      // An utterance during an open question is its answer.
      if (event.state === 'thinking' && turn !== null) {
        updateTurn(turn, (one) => ({ ...one, progress: { ...one.progress, question: null } }));
      }
      return;
    case 'interrupted':
      return player.clear();
    case 'answer':
    case 'ignored':
      // New speech follows.
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

/** Closes everything. The server stops the work of a client that disconnects. */
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

/** Sends the stop over this connection too, and silences the robot's speech. */
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
