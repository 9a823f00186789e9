/** The microphone, open from the first press of the button until it is closed. */

import type { VoiceNotice } from '../logic/voice';
import workletUrl from './capture?worker&url';

export interface Microphone {
  close: () => void;
}

/** Opens the microphone and passes encoded chunks to `onChunk`. Returns a notice if it is unavailable. */
export async function openMicrophone(
  onChunk: (chunk: ArrayBuffer) => void,
): Promise<Microphone | VoiceNotice> {
  // Browsers give no microphone to pages from insecure origins.
  if (!window.isSecureContext || !navigator.mediaDevices) return { is: 'insecure' };
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, channelCount: 1 },
    });
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    return {
      is: name === 'NotAllowedError' || name === 'SecurityError' ? 'denied' : 'no_microphone',
    };
  }
  const context = new AudioContext();
  const close = () => {
    stream.getTracks().forEach((track) => track.stop());
    void context.close();
  };
  try {
    await context.audioWorklet.addModule(workletUrl);
    await context.resume();
  } catch {
    close();
    return { is: 'no_microphone' };
  }
  const capture = new AudioWorkletNode(context, 'capture', {
    channelCount: 1,
    channelCountMode: 'explicit',
  });
  capture.port.onmessage = (message: MessageEvent<ArrayBuffer>) => onChunk(message.data);
  // The output is silent, but only a connected node runs.
  context.createMediaStreamSource(stream).connect(capture).connect(context.destination);
  return { close };
}
