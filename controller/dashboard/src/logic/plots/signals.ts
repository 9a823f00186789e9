/** The signals that can be plotted: what each one measures, its unit and its column in the samples. */

import { MOTORS } from '../../protocol/joints';
import { AXES } from '../teleop';

/** What the signals of one group measure. */
export type Group =
  | 'goal'
  | 'present'
  | 'tracking_error'
  | 'setpoint'
  | 'clamp'
  | 'head'
  | 'head_goal'
  | 'temperature'
  | 'voltage'
  | 'current'
  | 'velocity'
  | 'state'
  | 'jitter'
  | 'camera';

export interface Signal {
  /** The group and the part, such as `goal.left_antenna`. */
  id: string;
  group: Group;
  /** The motor, the axis or the quantity that is measured. */
  part: string;
  unit: string;
  column: number;
  /** The value holds until the next one, so the line is drawn as steps. */
  stepped: boolean;
  /** Only recordings have it. */
  onlyRecorded: boolean;
}

const axisUnit = (axis: string): string => (axis.endsWith('mm') ? 'mm' : '°');

interface Description {
  group: Group;
  parts: readonly string[];
  unit: string | ((part: string) => string);
  stepped?: boolean;
  onlyRecorded?: boolean;
}

const GROUPS: Description[] = [
  { group: 'goal', parts: MOTORS, unit: '°' },
  { group: 'present', parts: MOTORS, unit: '°' },
  { group: 'tracking_error', parts: MOTORS, unit: '°' },
  { group: 'setpoint', parts: MOTORS, unit: '°', onlyRecorded: true },
  { group: 'clamp', parts: MOTORS, unit: '°', stepped: true },
  { group: 'head', parts: AXES, unit: axisUnit },
  { group: 'head_goal', parts: AXES, unit: axisUnit },
  { group: 'temperature', parts: MOTORS, unit: '°C', stepped: true },
  { group: 'voltage', parts: MOTORS, unit: 'V', stepped: true },
  { group: 'current', parts: MOTORS, unit: 'mA', stepped: true },
  { group: 'velocity', parts: MOTORS, unit: '°/s', stepped: true, onlyRecorded: true },
  { group: 'state', parts: ['clamped'], unit: '', stepped: true },
  {
    group: 'jitter',
    parts: ['p50_us', 'p99_us', 'max_us', 'overruns'],
    unit: (part) => (part === 'overruns' ? '' : 'µs'),
    stepped: true,
  },
  { group: 'camera', parts: ['detections'], unit: '', stepped: true },
];

export const SIGNALS: readonly Signal[] = GROUPS.flatMap(
  ({ group, parts, unit, stepped = false, onlyRecorded = false }) =>
    parts.map((part) => ({
      id: `${group}.${part}`,
      group,
      part,
      unit: typeof unit === 'string' ? unit : unit(part),
      stepped,
      onlyRecorded,
    })),
).map((signal, column) => ({ ...signal, column }));

const BY_ID = new Map(SIGNALS.map((signal) => [signal.id, signal]));

export const signalById = (id: string): Signal | undefined => BY_ID.get(id);

/** The first column of each group. The parts of a group follow one another in the order of the motors or axes. */
export const FIRST_COLUMN = Object.fromEntries(
  GROUPS.map(({ group }) => [group, SIGNALS.find((signal) => signal.group === group)!.column]),
) as Record<Group, number>;

export const COLUMNS = SIGNALS.length;
