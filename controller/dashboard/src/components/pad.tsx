/** A square in which a point is led: two axes at once, by pointer or by arrow keys. */

import { REACH, type Axis, type Wish } from '../logic/teleop';
import { clamp, KEYS } from '../logic/teleop';

interface Shown {
  label: string;
  hint: string;
  /** Which axis goes across and which goes up; a negative sign turns it round. */
  across: { axis: Axis; sign: 1 | -1 };
  up: { axis: Axis; sign: 1 | -1 };
  wish: Wish | null;
  is: Wish | null;
  disabled: boolean;
  onMove: (change: (wish: Wish) => Wish) => void;
}

export function Pad({ label, hint, across, up, wish, is, disabled, onMove }: Shown) {
  const set = (x: number, y: number) =>
    onMove((now) => ({
      ...now,
      [across.axis]: clamp(across.axis, across.sign * x * REACH[across.axis].most),
      [up.axis]: clamp(up.axis, up.sign * y * REACH[up.axis].most),
    }));
  const lead = (event: PointerEvent) => {
    if (disabled || event.buttons === 0) return;
    const pad = event.currentTarget as HTMLElement;
    pad.setPointerCapture(event.pointerId);
    const box = pad.getBoundingClientRect();
    set(
      (2 * (event.clientX - box.left)) / box.width - 1,
      1 - (2 * (event.clientY - box.top)) / box.height,
    );
  };
  /** By how much an arrow key moves it, of its reach. */
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
        next[axis] = clamp(axis, now[axis] + (by ?? 0) * sign * REACH[axis].most * 0.05);
      }
      return next;
    });
  };
  const at = (point: Wish) => {
    const part = ({ axis, sign }: { axis: Axis; sign: number }) =>
      50 + (50 * sign * clamp(axis, point[axis])) / REACH[axis].most;
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
        onPointerDown={lead}
        onPointerMove={lead}
        onKeyDown={onKey}
      >
        {is && <span class="pad-is" style={at(is)} />}
        {wish && <span class="pad-wish" style={at(wish)} />}
      </div>
      <figcaption class="note">{label}</figcaption>
    </figure>
  );
}
