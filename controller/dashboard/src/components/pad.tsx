/** A square touch pad that sets two axes at once, by pointer or by arrow keys. */

import { AXIS_LIMITS, type Axis, type Setpoint } from '../logic/teleop';
import { clamp, KEYS } from '../logic/teleop';

interface PadProps {
  label: string;
  hint: string;
  /** The horizontal and the vertical axis. A negative sign reverses the direction. */
  across: { axis: Axis; sign: 1 | -1 };
  up: { axis: Axis; sign: 1 | -1 };
  setpoint: Setpoint | null;
  actual: Setpoint | null;
  disabled: boolean;
  onMove: (change: (setpoint: Setpoint) => Setpoint) => void;
}

export function Pad({ label, hint, across, up, setpoint, actual: is, disabled, onMove }: PadProps) {
  const set = (x: number, y: number) =>
    onMove((now) => ({
      ...now,
      [across.axis]: clamp(across.axis, across.sign * x * AXIS_LIMITS[across.axis].max),
      [up.axis]: clamp(up.axis, up.sign * y * AXIS_LIMITS[up.axis].max),
    }));
  const drag = (event: PointerEvent) => {
    if (disabled || event.buttons === 0) return;
    const pad = event.currentTarget as HTMLElement;
    pad.setPointerCapture(event.pointerId);
    const box = pad.getBoundingClientRect();
    set(
      (2 * (event.clientX - box.left)) / box.width - 1,
      1 - (2 * (event.clientY - box.top)) / box.height,
    );
  };
  /** An arrow key moves the setpoint by 5 % of the axis limit. */
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
      event.key
    ];
    if (disabled || step === undefined || KEYS[event.code] === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onMove((now) => {
      const next = { ...now };
      for (const [{ axis, sign }, by] of [
        [across, step[0]],
        [up, step[1]],
      ] as const) {
        next[axis] = clamp(axis, now[axis] + (by ?? 0) * sign * AXIS_LIMITS[axis].max * 0.05);
      }
      return next;
    });
  };
  const at = (point: Setpoint) => {
    const part = ({ axis, sign }: { axis: Axis; sign: number }) =>
      50 + (50 * sign * clamp(axis, point[axis])) / AXIS_LIMITS[axis].max;
    return { left: `${part(across)}%`, bottom: `${part(up)}%` };
  };
  return (
    <figure class="pad-box">
      <div
        class="pad"
        role="application"
        aria-label={label}
        aria-disabled={disabled}
        title={hint}
        tabIndex={0}
        onPointerDown={drag}
        onPointerMove={drag}
        onKeyDown={onKey}
      >
        {is && <span class="pad-actual" style={at(is)} />}
        {setpoint && <span class="pad-setpoint" style={at(setpoint)} />}
      </div>
      <figcaption class="note">{label}</figcaption>
    </figure>
  );
}
