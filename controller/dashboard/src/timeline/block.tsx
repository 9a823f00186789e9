/** A step on the timeline. It is dragged to another time, and stretched at its right edge. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Block } from '../logic/choreography';
import { rounded, setSeconds, shiftStep } from '../logic/score';
import { formatNumber, messages } from '../i18n';
import type { LanesProps } from './props';

/** How wide the edge is at which a step is stretched, pixels. */
const EDGE_PX = 9;
/** The narrowest block, pixels. */
const MIN_PX = 12;
/** The grid for drags, seconds; none while Alt is pressed. */
const GRID_S = 0.1;
/** A step that is nearer to its limit than this is marked, as a fraction. */
const FAST = 0.8;
/** A smaller movement of the pointer is a click, pixels. */
const CLICK_PX = 3;

interface BlockProps extends LanesProps {
  block: Block;
  scale: number;
  label: string;
  marked: boolean;
}

interface Drag {
  from: number;
  stretches: boolean;
  moved: boolean;
}

export function BlockButton(props: Omit<BlockProps, 'selected'> & { selected: boolean }) {
  const { block, scale, label, selected, marked, steps } = props;
  const w = messages.value.timeline;
  const button = useRef<HTMLButtonElement>(null);
  const drag = useRef<Drag | null>(null);
  const [shift, setShift] = useState(0);
  const seconds = block.end_s - block.start_s;
  const canStretch = 'move' in block.step || 'neutral' in block.step || 'wait' in block.step;
  useEffect(() => {
    // The keys act on the selected step, so it has the focus; after an edit it may be another element.
    const focused = document.activeElement;
    const isLost = focused === document.body || focused?.closest('.timeline-track') !== null;
    if (selected && isLost) button.current?.focus({ preventScroll: true });
  }, [selected, block.path.join()]);
  /** The duration before the drag. */
  const before = useRef(seconds);
  const stretched = (by: number) => {
    const next = before.current + by;
    return setSeconds(steps, block.path, 'wait' in block.step ? next : next * props.speed);
  };
  const moved = (event: PointerEvent) => {
    const by = (event.clientX - drag.current!.from) / scale;
    return event.altKey ? rounded(by) : rounded(Math.round(by / GRID_S) * GRID_S);
  };
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const { right } = button.current!.getBoundingClientRect();
    const stretches = canStretch && right - event.clientX < EDGE_PX;
    drag.current = { from: event.clientX, stretches, moved: false };
    button.current!.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    const now = drag.current;
    if (now === null) return;
    now.moved ||= Math.abs(event.clientX - now.from) > CLICK_PX;
    if (!now.moved) return;
    if (now.stretches) props.onPreview(stretched(moved(event)));
    else setShift(moved(event));
  };
  const onPointerUp = (event: PointerEvent) => {
    const now = drag.current;
    if (now === null) return;
    const by = moved(event);
    drag.current = null;
    setShift(0);
    if (!now.moved) return;
    props.onSelect(block.path, false);
    if (now.stretches) props.onEdit(stretched(by));
    else props.onEdit(shiftStep(steps, block.path, by, props.secondsOf), block.step);
  };
  const state = block.clamped ? 'is-clamped' : block.peak_speed > FAST ? 'is-fast' : '';
  const times = w.blockTimes(formatNumber(block.start_s, 2), formatNumber(seconds, 2));
  const limit = block.clamped ? w.heldBack : '';
  return (
    <>
      {block.again.map((run) => (
        <span
          key={run.start_s}
          class="timeline-again"
          aria-hidden="true"
          style={{
            left: `${run.start_s * scale}px`,
            width: `${Math.max(MIN_PX / 2, (run.end_s - run.start_s) * scale)}px`,
          }}
        />
      ))}
      <button
        type="button"
        ref={button}
        class={`timeline-block ${state} ${marked ? 'is-marked' : ''} ${canStretch ? 'can-stretch' : ''}`}
        aria-pressed={selected}
        aria-label={`${label}, ${times}${limit === '' ? '' : `, ${limit}`}`}
        title={`${label} · ${times}`}
        data-path={block.path.join()}
        style={{
          left: `${(block.start_s + shift) * scale}px`,
          width: `${Math.max(MIN_PX, seconds * scale - 2)}px`,
        }}
        onClick={(event) => {
          event.stopPropagation();
          if (event.detail === 0 || !drag.current?.moved)
            props.onSelect(block.path, event.shiftKey);
        }}
        onPointerDown={(event) => {
          before.current = seconds;
          onPointerDown(event);
        }}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          drag.current = null;
          setShift(0);
        }}
      >
        {label}
      </button>
    </>
  );
}
