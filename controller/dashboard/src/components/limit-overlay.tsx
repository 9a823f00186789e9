/** Shows over the camera image what the robot's limits hold back: axes, causes, and the wanted and reached direction. */

import { useEffect, useState } from 'preact/hooks';
import { imageMark, type CameraIntrinsics, type ImageMark } from '../logic/camera-model';
import { announce, type HeldAxis } from '../logic/limited';
import { postureFromSetpoint } from '../logic/teleop';
import { limited, reachedPosture, watchLimits } from '../net/limited';
import { frame, now } from '../net/live';
import { target } from '../net/teleop';
import { formatNumber, messages } from '../i18n';

/** Marks that are nearer to each other than this, as a part of the image's width, and are not rolled, are one. */
const MIN_DISTANCE = 0.02;
const MIN_ROLL_DEG = 1.5;

function causeText(cause: string | null): string {
  const w = messages.value;
  if (cause === null) return w.drive.limited.unknown;
  return cause === 'unreachable' ? w.drive.limited.unreachable : (w.causes[cause] ?? cause);
}

function amountText({ axis, wanted, reached }: HeldAxis): string {
  const unit = axis.endsWith('mm') ? ' mm' : '°';
  const [from, to] = [wanted, reached].map(
    (value) => `${formatNumber(Math.round(value) + 0)}${unit}`,
  );
  return messages.value.drive.limited.amounts(from!, to!);
}

export function LimitOverlay({ intrinsics }: { intrinsics: CameraIntrinsics | null }) {
  const w = messages.value;
  useEffect(watchLimits, []);
  const held = limited.value;
  return (
    <>
      <Announcer />
      {held.length > 0 && (
        <div class="limit-list" aria-hidden="true">
          <strong>{w.drive.limited.title}</strong>
          {held.map((one) => (
            <span key={one.axis}>
              {w.drive.limited.axis(w.axes[one.axis], causeText(one.cause))}{' '}
              <span class="limit-amount">{amountText(one)}</span>
            </span>
          ))}
        </div>
      )}
      {held.length > 0 && intrinsics !== null && <Marks intrinsics={intrinsics} />}
    </>
  );
}

/** Tells a screen reader when the limited axes change, but not each time. */
function Announcer() {
  const w = messages.value;
  const [last, setLast] = useState({ text: '', at: -Infinity });
  const axes = limited.value.map(({ axis, cause }) =>
    w.drive.limited.axis(w.axes[axis], causeText(cause)),
  );
  const text = axes.length === 0 ? '' : `${w.drive.limited.title}. ${axes.join('. ')}.`;
  const time = now.value;
  useEffect(() => setLast((before) => announce(before, text, time)), [text, time]);
  return (
    <p class="hidden limit-announcement" role="status">
      {last.text}
    </p>
  );
}

/** The directions in which the head should look and does look once it is at its goal. */
function Marks({ intrinsics }: { intrinsics: CameraIntrinsics }) {
  const w = messages.value.drive.limited;
  const from = frame.value?.posture;
  if (!from || target.value === null || reachedPosture.value === null) return null;
  const wanted = imageMark(intrinsics, postureFromSetpoint(target.value), from);
  const reached = imageMark(intrinsics, reachedPosture.value, from);
  const { width, height } = intrinsics;
  const distance = Math.hypot(wanted.x - reached.x, wanted.y - reached.y) / width;
  const isSame =
    distance < MIN_DISTANCE && Math.abs(wanted.roll_deg - reached.roll_deg) < MIN_ROLL_DEG;
  if (isSame) return null;
  const size = width / 40;
  // The labels stand on the outer sides, so that they do not cover each other.
  const isAbove = wanted.y < reached.y;
  return (
    <svg
      class="limit-marks"
      viewBox={`0 0 ${width} ${height}`}
      font-size={width / 30}
      aria-hidden="true"
    >
      <line class="is-outline" x1={wanted.x} y1={wanted.y} x2={reached.x} y2={reached.y} />
      <line x1={wanted.x} y1={wanted.y} x2={reached.x} y2={reached.y} />
      <Mark mark={reached} size={size} kind="is-reached" label={w.reached} above={!isAbove} />
      <Mark mark={wanted} size={1.4 * size} kind="is-wanted" label={w.wanted} above={isAbove} />
    </svg>
  );
}

interface MarkProps {
  mark: ImageMark;
  size: number;
  kind: 'is-wanted' | 'is-reached';
  label: string;
  above: boolean;
}

/** A ring, or a square at the edge for a direction outside the image, with the horizon of the rolled head. */
function Mark({ mark, size, kind, label, above }: MarkProps) {
  const { x, y, roll_deg, isInside } = mark;
  const shape = isInside ? (
    <circle r={size} />
  ) : (
    <rect x={-size} y={-size} width={2 * size} height={2 * size} />
  );
  const horizon = <line x1={-2 * size} y1={0} x2={2 * size} y2={0} />;
  return (
    <g class={kind} transform={`translate(${x} ${y})`}>
      <g transform={`rotate(${roll_deg})`}>
        <g class="is-outline">
          {shape}
          {horizon}
        </g>
        {shape}
        {horizon}
      </g>
      <text y={size * (above ? -1.5 : 2.6)}>{label}</text>
    </g>
  );
}
