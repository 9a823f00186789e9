/** The courses of the axes behind the steps of a part, and the speed with its limit. */

import { partOfJoint } from '../logic/choreography';
import type { Part, Plan } from '../protocol/score';
import { messages } from '../i18n';

/** The height of a row, pixels, as in the style sheet. */
const HEIGHT = 44;
/** The range of a course, degrees or millimetres: smaller motions do not fill the row. */
const MIN_RANGE = 10;
/** The speed at the top of its row, as a fraction of the limit. */
const TOP_SPEED = 1.25;

interface CourseProps {
  plan: Plan;
  width: number;
  scale: number;
}

const path = (values: number[], period: number, scale: number, y: (value: number) => number) =>
  values
    .map((value, at) => `${at === 0 ? 'M' : 'L'}${round(at * period * scale)} ${round(y(value))}`)
    .join('');

const round = (pixels: number) => Math.round(pixels * 10) / 10;

const isOfPart = (axis: string, part: Part) =>
  axis.startsWith(part === 'antennas' ? 'antenna' : part);

export function Courses({ lane, plan, width, scale }: CourseProps & { lane: Part }) {
  const own = plan.axes.filter(({ axis }) => isOfPart(axis, lane));
  const range = Math.max(MIN_RANGE, ...own.flatMap(({ values }) => values.map(Math.abs)));
  const y = (value: number) => HEIGHT / 2 - (value / range) * (HEIGHT / 2 - 3);
  const held = plan.clamps.filter(({ joint }) => partOfJoint(joint) === lane);
  return (
    <svg class="timeline-courses" width={width} height={HEIGHT} aria-hidden="true">
      {held.map(({ joint, from_s, to_s }) => (
        <rect
          key={`${joint}${from_s}`}
          class="is-held"
          x={from_s * scale}
          width={Math.max(2, (to_s - from_s) * scale)}
          y={0}
          height={HEIGHT}
        />
      ))}
      {own.map(({ axis, values }) => (
        <path key={axis} d={path(values, plan.period_s, scale, y)} />
      ))}
    </svg>
  );
}

export function SpeedCourse({ plan, width, scale }: CourseProps) {
  const w = messages.value.timeline;
  const y = (speed: number) => HEIGHT - (Math.min(speed, TOP_SPEED) / TOP_SPEED) * HEIGHT;
  const peak = Math.max(0, ...plan.speed);
  return (
    <svg
      class={`timeline-courses ${peak > 1 ? 'is-over' : ''}`}
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={w.peakSpeed(Math.round(100 * peak))}
    >
      <line class="is-limit" x1={0} x2={width} y1={y(1)} y2={y(1)} />
      <path d={path(plan.speed, plan.period_s, scale, y)} />
      <text x={4} y={y(1) + 12}>
        {w.limit}
      </text>
    </svg>
  );
}
