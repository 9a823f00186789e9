/** Push-to-talk: sends the microphone of this device to the speaker of the robot while a button is held. */

import { signal } from '@preact/signals';
import { INPUT_RATE_HZ } from '../protocol/voice';
import type { VoiceNotice } from '../logic/voice';
import { openMicrophone, type Microphone } from '../sound/microphone';
import { request } from './http';
import { onRobotChange } from './robots';
import { openSocket } from './sockets';

export type TalkStatus =
  | { is: 'off' }
  | { is: 'opening' }
  | { is: 'talking' }
  | { is: 'no_microphone'; notice: VoiceNotice['is'] }
  /** The robot plays nothing, in the server's words. */
  | { is: 'refused'; reason: string };

export const talkStatus = signal<TalkStatus>({ is: 'off' });

const PATH = `/api/v1/speaker?rate=${INPUT_RATE_HZ}`;

interface Talk {
  socket: WebSocket | null;
  microphone: Microphone | null;
}

let talk: Talk | null = null;

/** Opens the microphone and the connection. Both are closed again by `endTalk`. */
export async function beginTalk(): Promise<void> {
  if (talk !== null) return;
  const own: Talk = (talk = { socket: null, microphone: null });
  talkStatus.value = { is: 'opening' };
  const microphone = await openMicrophone((chunk) => {
    if (own.socket?.readyState === WebSocket.OPEN) own.socket.send(chunk);
  });
  // The button was released meanwhile, perhaps to answer the browser's question.
  if (talk !== own) return 'close' in microphone ? microphone.close() : undefined;
  if (!('close' in microphone)) return fail({ is: 'no_microphone', notice: microphone.is });
  own.microphone = microphone;
  const socket = (own.socket = openSocket(PATH));
  if (socket === null) return fail({ is: 'refused', reason: '' });
  let wasOpen = false;
  socket.onopen = () => {
    wasOpen = true;
    talkStatus.value = { is: 'talking' };
  };
  socket.onclose = ({ reason }) => {
    if (talk !== own) return;
    fail({ is: 'refused', reason });
    if (!wasOpen) void explain();
  };
}

/** Browsers hide why a WebSocket was refused. A plain request returns the reason. */
async function explain(): Promise<void> {
  const answer = await request(PATH, { timeoutMs: 5000 });
  if (!answer.ok && talk === null && answer.status !== 400)
    talkStatus.value = { is: 'refused', reason: answer.detail };
}

function fail(status: TalkStatus): void {
  endTalk();
  talkStatus.value = status;
}

export function endTalk(): void {
  const ended = talk;
  talk = null;
  ended?.microphone?.close();
  ended?.socket?.close();
  if (ended !== null) talkStatus.value = { is: 'off' };
}

/** Ends talking when the page is hidden. Returns a function that stops watching. */
export function watchTalk(): () => void {
  const onHidden = () => document.visibilityState === 'hidden' && endTalk();
  document.addEventListener('visibilitychange', onHidden);
  addEventListener('blur', endTalk);
  return () => {
    document.removeEventListener('visibilitychange', onHidden);
    removeEventListener('blur', endTalk);
    endTalk();
    talkStatus.value = { is: 'off' };
  };
}

onRobotChange(endTalk);
