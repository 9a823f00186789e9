/** Plays chunks of samples one after another as they arrive. */

import { OUTPUT_RATE_HZ } from '../protocol/voice';

/** The delay before the first chunk, so that the following ones arrive in time, seconds. */
const LEAD_TIME_S = 0.12;

export class Player {
  private context: AudioContext | null = null;
  private nextStart = 0;
  private readonly playing = new Set<AudioBufferSourceNode>();

  /** Call this from a user gesture: browsers permit sound only after one. */
  resume(): void {
    // With the sample rate of the incoming audio, chunks join without gaps.
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

  /** Stops the playback and discards what has not been played. */
  clear(): void {
    this.playing.forEach((source) => source.stop());
    this.playing.clear();
    this.nextStart = 0;
  }
}
