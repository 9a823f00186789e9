/** The audio worklet: downsamples the microphone's audio and sends it in chunks. */

import { Downsampler } from '../logic/downsample';
import { INPUT_RATE_HZ, encodePcm16 } from '../protocol/voice';

declare const sampleRate: number;
declare function registerProcessor(name: string, of: new () => AudioWorkletProcessor): void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

/** The samples in a chunk: 40 ms. */
const CHUNK_SAMPLES = INPUT_RATE_HZ / 25;

class Capture extends AudioWorkletProcessor {
  private readonly downsampler = new Downsampler(sampleRate, INPUT_RATE_HZ);
  private pending: number[] = [];

  process([input]: Float32Array[][]): boolean {
    const samples = input?.[0];
    if (samples !== undefined) this.pending.push(...this.downsampler.push(samples));
    while (this.pending.length >= CHUNK_SAMPLES) {
      const chunk = encodePcm16(this.pending.splice(0, CHUNK_SAMPLES));
      this.port.postMessage(chunk, [chunk]);
    }
    return true;
  }
}

registerProcessor('capture', Capture);
