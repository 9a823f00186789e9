/** What runs beside the page's own thread: takes what the microphone hears, at the rate that the robot wants, in pieces. */

import { Narrow } from '../logic/downsample';
import { HEARD_RATE, packed } from '../protocol/voice';

declare const sampleRate: number;
declare function registerProcessor(name: string, of: new () => AudioWorkletProcessor): void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

/** How much is sent at once: a twenty-fifth of a second. */
const PIECE = HEARD_RATE / 25;

class Capture extends AudioWorkletProcessor {
  private readonly narrow = new Narrow(sampleRate, HEARD_RATE);
  private waiting: number[] = [];

  process([input]: Float32Array[][]): boolean {
    const heard = input?.[0];
    if (heard !== undefined) this.waiting.push(...this.narrow.push(heard));
    while (this.waiting.length >= PIECE) {
      const piece = packed(this.waiting.splice(0, PIECE));
      this.port.postMessage(piece, [piece]);
    }
    return true;
  }
}

registerProcessor('capture', Capture);
