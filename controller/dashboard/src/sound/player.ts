/** Plays samples as they come, one piece behind the other. */

import { OUTPUT_RATE_HZ } from '../protocol/voice';

/** How far ahead the first piece is put, so that the next ones are there in time, seconds. */
const LEAD_TIME_S = 0.12;

export class Player {
  private context: AudioContext | null = null;
  private nextStart = 0;
  private readonly playing = new Set<AudioBufferSourceNode>();

  /** To be called while somebody presses something: browsers let no page sound by itself. */
  resume(): void {
    // At the rate of what comes, pieces fit together without a seam.
    this.context ??= new AudioContext({ sampleRate: OUTPUT_RATE_HZ });
    void this.context.resume();
  }

  play(samples: Float32Array<ArrayBuffer>): void {
    const { context } = this;
    if (context === null || samples.length === 0) return;
    const buffer = context.createBuffer(1, samples.length, OUTPUT_RATE_HZ);
    buffer.copyToChannel(samples, 0);
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    source.onended = () => this.playing.delete(source);
    if (this.nextStart < context.currentTime) this.nextStart = context.currentTime + LEAD_TIME_S;
    source.start(this.nextStart);
    this.nextStart += buffer.duration;
    this.playing.add(source);
  }

  /** What is not played yet is not played. */
  clear(): void {
    this.playing.forEach((source) => source.stop());
    this.playing.clear();
    this.nextStart = 0;
  }
}
