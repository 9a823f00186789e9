/** The last seconds of telemetry and camera images, bounded in time, number and bytes, and their replay. */

import type { Clamp, MotionCycle, RecordedMotion } from '../protocol/responses';
import type { Frame } from '../protocol/telemetry';
import type { Axis } from './teleop';

/** How much is remembered, milliseconds. */
export const PAST_MS = 30_000;
/** More than the frames of that time at the highest rate. */
export const MAX_FRAMES = 2000;
/** A camera with large images is remembered for less time. */
export const MAX_IMAGE_BYTES = 24 << 20;
/** The interval of the replay's cycles, seconds. */
const PERIOD_S = 1 / 30;

export interface PastFrame {
  at: number;
  frame: Frame;
  /** The clamps that acted then. */
  clamps: Clamp[];
  /** The axes that were held back then; `null` while this page was not in control. */
  limited: readonly Axis[] | null;
}

/** Whether the limits held something back. The clamps are those of a whole motion, so the axes come first. */
export const isLimited = ({ clamps, limited }: PastFrame): boolean =>
  limited === null ? clamps.length > 0 : limited.length > 0;

export interface PastImage {
  at: number;
  jpeg: Blob;
}

/** A section of the replay, seconds from its beginning. */
export interface Span {
  from_s: number;
  to_s: number;
}

export class PastRing {
  private frames: PastFrame[] = [];
  private images: PastImage[] = [];
  private bytes = 0;

  addFrame(frame: PastFrame): void {
    this.frames.push(frame);
    while (this.frames.length > MAX_FRAMES || frame.at - this.frames[0]!.at > PAST_MS)
      this.frames.shift();
    while (this.images.length > 0 && frame.at - this.images[0]!.at > PAST_MS) this.dropImage();
  }

  addImage(image: PastImage): void {
    this.images.push(image);
    this.bytes += image.jpeg.size;
    while (this.bytes > MAX_IMAGE_BYTES) this.dropImage();
  }

  private dropImage(): void {
    this.bytes -= this.images.shift()?.jpeg.size ?? 0;
  }

  /** Returns what is remembered now; `null` without a frame. It does not change any more. */
  snapshot(): Past | null {
    return this.frames.length === 0 ? null : new Past([...this.frames], [...this.images]);
  }
}

/** Returns the last item that is not later than a time. */
function lastBefore<T extends { at: number }>(items: T[], at: number): T | null {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.at <= at) low = middle + 1;
    else high = middle;
  }
  return items[low - 1] ?? null;
}

/** What happened in the last seconds, as a motion that can be replayed. Times are seconds from its beginning. */
export class Past {
  readonly motion: RecordedMotion;
  /** Where the limits held something back. */
  readonly limited: Span[];
  private readonly start: number;

  constructor(
    private readonly frames: PastFrame[],
    private readonly images: PastImage[],
  ) {
    this.start = frames[0]!.at;
    const duration_s = (frames.at(-1)!.at - this.start) / 1000;
    const count = Math.floor(duration_s / PERIOD_S + 1e-6) + 1;
    const cycles = Array.from({ length: count }, (_, index) =>
      cycleOf(this.frameAt(index * PERIOD_S).frame),
    );
    this.motion = { period_s: PERIOD_S, cycles, truncated: false };
    this.limited = this.limitedSpans();
  }

  frameAt(at_s: number): PastFrame {
    // The tolerance covers rounding between milliseconds and seconds.
    return lastBefore(this.frames, this.start + 1000 * at_s + 0.01) ?? this.frames[0]!;
  }

  /** Returns the clamps of a moment in which they held something back. */
  clampsAt(at_s: number): Clamp[] {
    const frame = this.frameAt(at_s);
    return isLimited(frame) ? frame.clamps : [];
  }

  /** Returns the camera image at a time, unless it was older than a second then. */
  imageAt(at_s: number): PastImage | null {
    const at = this.start + 1000 * at_s;
    const image = lastBefore(this.images, at);
    return image !== null && at - image.at < 1000 ? image : null;
  }

  private limitedSpans(): Span[] {
    const spans: Span[] = [];
    let before = false;
    for (const frame of this.frames) {
      const at_s = (frame.at - this.start) / 1000;
      const is = isLimited(frame);
      if (is && before) spans.at(-1)!.to_s = at_s;
      if (is && !before) spans.push({ from_s: at_s, to_s: at_s });
      before = is;
    }
    return spans;
  }
}

/** A position that was not read is drawn as the goal. */
const cycleOf = ({ present_deg, goal_deg }: Frame): MotionCycle => ({
  present_deg: present_deg.map((angle, motor) => angle ?? goal_deg[motor] ?? 0),
  goal_deg,
});
