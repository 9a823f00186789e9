/** Downsamples streamed audio with a windowed-sinc filter from a lookup table. */

/** The zero crossings of the kernel on each side. */
const ZERO_CROSSINGS = 12;
/** The table entries between two samples. */
const PHASES = 256;
/** The passband as a part of the target's Nyquist frequency. The rest is the transition band, which prevents aliasing. */
const PASSBAND = 0.9;

export class Downsampler {
  private readonly ratio: number;
  private readonly half: number;
  private readonly kernel: Float32Array;
  private pending: Float32Array;
  /** The position of the next output sample within `pending`. */
  private position: number;

  /** Converts between two sample rates, Hz. */
  constructor(from: number, to: number) {
    this.ratio = from / to;
    const cutoff = Math.min(1, to / from) * PASSBAND;
    this.half = Math.ceil(ZERO_CROSSINGS / cutoff);
    this.kernel = new Float32Array(this.half * PHASES + 2);
    for (let step = 0; step < this.kernel.length; step += 1) {
      const x = step / PHASES;
      const angle = Math.PI * cutoff * x;
      const window = x >= this.half ? 0 : Math.cos((Math.PI * x) / (2 * this.half)) ** 2;
      this.kernel[step] = (step === 0 ? cutoff : cutoff * (Math.sin(angle) / angle)) * window;
    }
    this.pending = new Float32Array(this.half);
    this.position = this.half;
  }

  /** Adds samples and returns the finished output samples. */
  push(samples: Float32Array): number[] {
    const all = new Float32Array(this.pending.length + samples.length);
    all.set(this.pending);
    all.set(samples, this.pending.length);
    const ready: number[] = [];
    for (; Math.floor(this.position) + this.half < all.length; this.position += this.ratio) {
      const center = Math.floor(this.position);
      let sum = 0;
      for (
        let neighbour = center - this.half + 1;
        neighbour <= center + this.half;
        neighbour += 1
      ) {
        const step = Math.round(Math.abs(this.position - neighbour) * PHASES);
        sum += (all[neighbour] ?? 0) * (this.kernel[step] ?? 0);
      }
      ready.push(sum);
    }
    // Samples before the reach of the kernel are no longer needed.
    const consumed = Math.min(all.length, Math.max(0, Math.floor(this.position) - this.half));
    this.pending = all.slice(consumed);
    this.position -= consumed;
    return ready;
  }
}
