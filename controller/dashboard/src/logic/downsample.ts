/** Sound that comes piece by piece, brought to a lower rate: a windowed sinc, looked up. */

/** How many times the kernel crosses zero on each side. */
const CROSSINGS = 12;
/** How finely it is looked up between two samples. */
const PHASES = 256;
/** How much of what the lower rate could hold is kept, so that nothing above it folds back. */
const KEPT = 0.9;

export class Narrow {
  private readonly ratio: number;
  private readonly half: number;
  private readonly kernel: Float32Array;
  private waiting: Float32Array;
  /** Where the next sample lies, among those that wait. */
  private at: number;

  /** From one rate to another, Hz. */
  constructor(from: number, to: number) {
    this.ratio = from / to;
    const cutoff = Math.min(1, to / from) * KEPT;
    this.half = Math.ceil(CROSSINGS / cutoff);
    this.kernel = new Float32Array(this.half * PHASES + 2);
    for (let step = 0; step < this.kernel.length; step += 1) {
      const x = step / PHASES;
      const turn = Math.PI * cutoff * x;
      const window = x >= this.half ? 0 : Math.cos((Math.PI * x) / (2 * this.half)) ** 2;
      this.kernel[step] = (step === 0 ? cutoff : cutoff * (Math.sin(turn) / turn)) * window;
    }
    this.waiting = new Float32Array(this.half);
    this.at = this.half;
  }

  /** Takes samples, and gives those that are ready. */
  push(samples: Float32Array): number[] {
    const all = new Float32Array(this.waiting.length + samples.length);
    all.set(this.waiting);
    all.set(samples, this.waiting.length);
    const ready: number[] = [];
    for (; Math.floor(this.at) + this.half < all.length; this.at += this.ratio) {
      const middle = Math.floor(this.at);
      let sum = 0;
      for (let near = middle - this.half + 1; near <= middle + this.half; near += 1) {
        const step = Math.round(Math.abs(this.at - near) * PHASES);
        sum += (all[near] ?? 0) * (this.kernel[step] ?? 0);
      }
      ready.push(sum);
    }
    // Those before the kernel's reach are no longer needed.
    const done = Math.min(all.length, Math.max(0, Math.floor(this.at) - this.half));
    this.waiting = all.slice(done);
    this.at -= done;
    return ready;
  }
}
