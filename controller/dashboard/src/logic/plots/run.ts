/** A recorded or rehearsed run, as samples of all signals from its first cycle on. */

import { MOTORS, type Posture } from '../../protocol/joints';
import type { RecordingMessage } from '../../protocol/recording';
import type { Measured, RecordedMotion } from '../../protocol/responses';
import { drawingFromMotors, NEUTRAL, postureFromDrawing } from '../drawing';
import { replayNotes, type ReplayNote } from '../expectations';
import { emptyRow, fill, fillAngles, fillClamps, fillJitter, fillPosture, type Row } from './rows';
import { Samples } from './samples';
import { FIRST_COLUMN } from './signals';

/** A camera image of a run. */
export interface RunImage {
  at_s: number;
  /** A JPEG file in base 64. */
  jpeg: string;
  detections: { label: string; score: number }[];
}

export interface Run {
  kind: 'recording' | 'rehearsal';
  /** What was recorded or rehearsed, as the server names it. */
  name: string;
  /** The time of the first cycle, if there is a calendar. */
  start_time: string | null;
  samples: Samples;
  images: RunImage[];
  /** The expectations about the motion, at their times. */
  notes: ReplayNote[];
  /** Whether samples or images are missing because there are too many. */
  truncated: boolean;
}

/** The most images of a run, and the most characters of all of them. */
const MAX_IMAGES = 2000;
const MAX_IMAGE_CHARACTERS = 64_000_000;

const numbers = (value: unknown): (number | null)[] =>
  Array.isArray(value)
    ? value.map((item) => (typeof item === 'number' && Number.isFinite(item) ? item : null))
    : [];

/** Builds a run from the messages of a recording, in their order. */
export class RunReader {
  readonly run: Run = {
    kind: 'recording',
    name: '',
    start_time: null,
    samples: new Samples(),
    images: [],
    notes: [],
    truncated: false,
  };
  private readonly row = emptyRow();
  private readonly head = new HeadFinder('head');
  private readonly goalHead = new HeadFinder('head_goal');
  private period_s = 0;
  /** The place of each of our motors in the lists of the recording. */
  private order: number[] = [];
  private firstCycle: number | null = null;
  private imageCharacters = 0;
  /** Images that came before the first cycle. */
  private early: { cycle: number; image: RunImage }[] = [];

  /** Adds a message. Returns `false` if the recording is not one that this page can show. */
  push(message: RecordingMessage): boolean {
    if (message.type === 'header') return this.begin(message);
    if (this.order.length === 0) return false;
    if (message.type === 'cycle') this.addCycle(message);
    else if (message.type === 'motors') this.setMotors(message);
    else if (message.type === 'image') this.addImage(message);
    else if (message.type === 'control_loop') {
      const { jitter_p50_us, jitter_p99_us, jitter_max_us, overruns } = message;
      fillJitter(this.row, ...numbers([jitter_p50_us, jitter_p99_us, jitter_max_us, overruns]));
    }
    return true;
  }

  private begin(header: RecordingMessage & { type: 'header' }): boolean {
    const names = Array.isArray(header.motors) ? header.motors.map((motor) => motor?.name) : [];
    const order = MOTORS.map((motor) => names.indexOf(motor));
    if (order.includes(-1) || !(header.period_s > 0 && header.period_s <= 1)) return false;
    this.order = order;
    this.period_s = header.period_s;
    this.run.name = String(header.name);
    this.run.start_time = typeof header.start_time === 'string' ? header.start_time : null;
    return true;
  }

  private ordered(values: unknown): (number | null)[] {
    const all = numbers(values);
    return this.order.map((at) => all[at] ?? null);
  }

  private time(cycle: number): number {
    return (cycle - (this.firstCycle ?? cycle)) * this.period_s;
  }

  private addCycle(message: RecordingMessage & { type: 'cycle' }): void {
    const { row, run } = this;
    if (typeof message.cycle !== 'number') return;
    if (this.firstCycle === null) {
      this.firstCycle = message.cycle;
      for (const { cycle, image } of this.early)
        run.images.push({ ...image, at_s: this.time(cycle) });
    }
    const goal = this.ordered(message.goal_deg);
    const present = this.ordered(message.present_deg);
    fillAngles(
      row,
      goal.map((angle) => angle ?? NaN),
      present,
    );
    fill(row, 'setpoint', this.ordered(message.setpoint_deg));
    this.head.fill(row, present);
    this.goalHead.fill(row, goal);
    const clamps = Array.isArray(message.clamps) ? message.clamps : [];
    const amounts = clamps.map(
      (clamp) => [MOTORS[this.order.indexOf(clamp.motor)] ?? '', clamp.amount_deg] as const,
    );
    fillClamps(row, clamps.length > 0, new Map(amounts));
    run.samples.push(this.time(message.cycle), row);
    run.truncated ||= run.samples.overwritten;
  }

  private setMotors(message: RecordingMessage & { type: 'motors' }): void {
    fill(this.row, 'temperature', this.ordered(message.temperature_c));
    fill(this.row, 'voltage', this.ordered(message.voltage_v));
    fill(this.row, 'current', this.ordered(message.current_ma));
    fill(this.row, 'velocity', this.ordered(message.velocity_dps));
  }

  private addImage(message: RecordingMessage & { type: 'image' }): void {
    const { run } = this;
    const jpeg = String(message.jpeg);
    this.imageCharacters += jpeg.length;
    if (run.images.length >= MAX_IMAGES || this.imageCharacters > MAX_IMAGE_CHARACTERS) {
      run.truncated = true;
      return;
    }
    const detections = (Array.isArray(message.detections) ? message.detections : []).map(
      ({ label, score }) => ({ label: String(label), score: Number(score) }),
    );
    this.row[FIRST_COLUMN.camera] = detections.length;
    const image = { at_s: this.time(message.cycle), jpeg, detections };
    if (this.firstCycle === null) this.early.push({ cycle: message.cycle, image });
    else run.images.push(image);
  }
}

/** Computes the head and what it carries from the angles of the motors, each time starting from the last result. */
class HeadFinder {
  private near: Posture = NEUTRAL;
  private posture: Posture | null = null;
  private angles: readonly (number | null)[] = [];

  constructor(private readonly group: 'head' | 'head_goal') {}

  fill(row: Row, angles: readonly (number | null)[]): void {
    // The forward kinematics are expensive, and a robot often rests.
    if (angles.some((angle, at) => angle !== this.angles[at])) {
      this.angles = angles;
      const isKnown = angles.every((angle): angle is number => angle !== null);
      const drawing = isKnown ? drawingFromMotors(angles as number[], this.near) : null;
      this.posture = drawing === null ? null : postureFromDrawing(drawing);
      this.near = this.posture ?? this.near;
    }
    fillPosture(row, this.group, this.posture);
  }
}

/** Returns the run of a rehearsal, with what was measured of the expectations about it. */
export function runFromRehearsal(
  name: string,
  motion: RecordedMotion,
  measured: Measured[] = [],
): Run {
  const samples = new Samples();
  const row = emptyRow();
  const [head, goalHead] = [new HeadFinder('head'), new HeadFinder('head_goal')];
  motion.cycles.forEach(({ present_deg, goal_deg }, at) => {
    fillAngles(row, goal_deg, present_deg);
    head.fill(row, present_deg);
    goalHead.fill(row, goal_deg);
    samples.push(at * motion.period_s, row);
  });
  const truncated = motion.truncated || samples.overwritten;
  const notes = replayNotes(measured, samples.lastTime);
  return { kind: 'rehearsal', name, start_time: null, samples, images: [], notes, truncated };
}

/** Returns the latest image at or before a time, or `null`. */
export function imageAt(images: RunImage[], at_s: number): RunImage | null {
  let [low, high] = [0, images.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (images[middle]!.at_s <= at_s) low = middle + 1;
    else high = middle;
  }
  return images[low - 1] ?? null;
}

/** Returns the motor angles of the sample at or before a time, or `null` if one is unknown. */
export function anglesAt(
  samples: Samples,
  group: 'present' | 'goal',
  at_s: number,
): number[] | null {
  const index = samples.indexAt(at_s);
  if (index === null) return null;
  const angles = MOTORS.map((_, motor) => samples.valueAt(FIRST_COLUMN[group] + motor, index));
  return angles.every(Number.isFinite) ? angles : null;
}
