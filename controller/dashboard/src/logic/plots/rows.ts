/** Fills the row of a sample: one value per signal, NaN where it is unknown. Pure functions. */

import type { Clamp, Health, JointState } from '../../protocol/responses';
import { MOTORS, type Posture } from '../../protocol/joints';
import type { Frame } from '../../protocol/telemetry';
import { goalDrawing, postureFromDrawing } from '../drawing';
import { AXES, setpointFromPosture } from '../teleop';
import { COLUMNS, FIRST_COLUMN, type Group } from './signals';

export type Row = Float32Array;

export const emptyRow = (): Row => new Float32Array(COLUMNS).fill(NaN);

/** Fills the columns of a group. */
export function fill(
  row: Row,
  group: Group,
  values: readonly (number | null | undefined)[] | null,
): void {
  const count = group === 'head' || group === 'head_goal' ? AXES.length : MOTORS.length;
  for (let at = 0; at < count; at += 1) row[FIRST_COLUMN[group] + at] = values?.[at] ?? NaN;
}

/** Fills the angles of the motors, and what follows from them. */
export function fillAngles(
  row: Row,
  goal_deg: readonly number[],
  present_deg: readonly (number | null)[],
): void {
  fill(row, 'goal', goal_deg);
  fill(row, 'present', present_deg);
  fill(
    row,
    'tracking_error',
    goal_deg.map((goal, at) => {
      const present = present_deg[at];
      return present === null || present === undefined ? null : goal - present;
    }),
  );
}

export function fillPosture(row: Row, group: 'head' | 'head_goal', posture: Posture | null): void {
  if (posture === null) return fill(row, group, null);
  const setpoint = setpointFromPosture(posture);
  fill(
    row,
    group,
    AXES.map((axis) => setpoint[axis]),
  );
}

/** Fills whether something is clamped, and by how much each motor is. */
export function fillClamps(row: Row, isClamped: boolean | null, amounts: Map<string, number>) {
  row[FIRST_COLUMN.state] = isClamped === null ? NaN : Number(isClamped);
  fill(
    row,
    'clamp',
    isClamped === null ? null : MOTORS.map((motor) => (isClamped ? (amounts.get(motor) ?? 0) : 0)),
  );
}

/** What the server reports about once a second. It is `null` while it is unknown. */
export interface SlowState {
  joints: JointState[] | null;
  clamps: Clamp[];
  health: Health | null;
  detections: number | null;
}

/** Computes rows from frames of telemetry. */
export class FrameRows {
  private readonly row = emptyRow();
  private goal: readonly number[] = [];

  /** Returns the row of a frame. The next call overwrites it. */
  of(frame: Frame, slow: SlowState): Row {
    const { row } = this;
    fillAngles(row, frame.goal_deg, frame.present_deg);
    fillPosture(row, 'head', frame.posture);
    // The forward kinematics are expensive, and most of the time the robot rests.
    if (frame.goal_deg.some((angle, at) => angle !== this.goal[at])) {
      const drawing = goalDrawing(frame);
      fillPosture(row, 'head_goal', drawing === null ? null : postureFromDrawing(drawing));
      this.goal = frame.goal_deg;
    }
    fillClamps(
      row,
      frame.clamping,
      new Map(slow.clamps.map(({ what, max_clamp_deg }) => [what, max_clamp_deg])),
    );
    fillSlow(row, slow);
    return row;
  }
}

function fillSlow(row: Row, { joints, health, detections }: SlowState): void {
  const byName = new Map(joints?.map((joint) => [joint.name, joint]));
  const ordered = MOTORS.map((motor) => byName.get(motor));
  fill(
    row,
    'temperature',
    ordered.map((joint) => joint?.temperature_c),
  );
  fill(
    row,
    'voltage',
    ordered.map((joint) => joint?.voltage_v),
  );
  fill(
    row,
    'current',
    ordered.map((joint) => joint?.current_ma),
  );
  const jitter = health?.control_loop.jitter;
  fillJitter(row, jitter?.p50_us, jitter?.p99_us, jitter?.max_us, health?.overruns);
  row[FIRST_COLUMN.camera] = detections ?? NaN;
}

/** Fills the timing of the control loop. */
export function fillJitter(row: Row, ...values: (number | null | undefined)[]): void {
  values.forEach((value, at) => (row[FIRST_COLUMN.jitter + at] = value ?? NaN));
}
