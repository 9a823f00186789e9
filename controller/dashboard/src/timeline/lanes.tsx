/** The rows of the timeline: loops, one row for each part, sounds and waits, and the speed. */

import { useSignalEffect, type Signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { LANES, type Bracket, type Lane } from '../logic/choreography';
import { samePath } from '../logic/score';
import { formatNumber, messages } from '../i18n';
import { BlockButton } from './block';
import { Courses, SpeedCourse } from './courses';
import { stepLabel } from './labels';
import type { LanesProps } from './props';

/** How many pixels a second takes. */
const SCALES = [25, 50, 80, 120, 200] as const;
const FIRST_SCALE = 2;
/** What is free behind the end, seconds. */
const ROOM_S = 2;

export function Lanes(props: LanesProps) {
  const w = messages.value.timeline;
  const { layout, plan, selected, until, onSelect } = props;
  const [zoom, setZoom] = useState(FIRST_SCALE);
  const scale = SCALES[zoom]!;
  const width = (layout.seconds + ROOM_S) * scale;
  const lanes = LANES.filter(
    (lane) => isPart(lane) || layout.blocks.some((block) => block.lane === lane),
  );
  return (
    <div class="timeline-frame">
      <div class="buttons timeline-zoom">
        <button
          type="button"
          aria-label={w.zoomOut}
          disabled={zoom === 0}
          onClick={() => setZoom(zoom - 1)}
        >
          −
        </button>
        <button
          type="button"
          aria-label={w.zoomIn}
          disabled={zoom === SCALES.length - 1}
          onClick={() => setZoom(zoom + 1)}
        >
          +
        </button>
      </div>
      <div class="timeline-scroll" tabIndex={0} role="region" aria-label={w.overTime}>
        <div class="timeline-rows" style={{ width: `calc(var(--timeline-names) + ${width}px)` }}>
          <Ruler {...props} scale={scale} width={width} />
          {bracketRows(layout.brackets).map((row, depth) => (
            <div class="timeline-row is-brackets" key={`row${depth}`}>
              <span class="timeline-name">{depth === 0 ? w.loops : ''}</span>
              <div class="timeline-track">
                {row.map((bracket) => (
                  <BracketButton
                    key={bracket.path.join()}
                    bracket={bracket}
                    scale={scale}
                    selected={samePath(bracket.path, selected)}
                    onSelect={(more) => onSelect(bracket.path, more)}
                  />
                ))}
              </div>
            </div>
          ))}
          {lanes.map((lane) => (
            <div class={`timeline-row is-${lane}`} key={lane}>
              <span class="timeline-name">{w.lanes[lane]}</span>
              <div class="timeline-track" onClick={() => onSelect(null, false)}>
                {isPart(lane) && <Courses lane={lane} plan={plan} width={width} scale={scale} />}
                {layout.blocks
                  .filter((block) => block.lane === lane)
                  .map((block) => (
                    <BlockButton
                      key={block.path.join()}
                      {...props}
                      block={block}
                      scale={scale}
                      selected={samePath(block.path, selected)}
                      marked={samePath(block.path, until)}
                      label={stepLabel(block.step)}
                    />
                  ))}
              </div>
            </div>
          ))}
          <div class="timeline-row is-speed">
            <span class="timeline-name">{w.speed}</span>
            <div class="timeline-track">
              <SpeedCourse plan={plan} width={width} scale={scale} />
            </div>
          </div>
          <Playhead at={props.playhead} scale={scale} />
        </div>
      </div>
      {layout.idle.length > 0 && (
        <p class="note">
          {w.idle}{' '}
          {layout.idle.map(({ path, step }) => (
            <button type="button" key={path.join()} onClick={() => onSelect(path, false)}>
              {stepLabel(step)}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

const isPart = (lane: Lane): lane is 'head' | 'antennas' | 'body' =>
  lane === 'head' || lane === 'antennas' || lane === 'body';

function bracketRows(brackets: Bracket[]): Bracket[][] {
  const rows: Bracket[][] = [];
  for (const bracket of brackets) (rows[bracket.depth] ??= []).push(bracket);
  return rows;
}

/** The seconds. A click shows the robot at that time; the arrow keys move it. */
function Ruler({
  playhead,
  layout,
  onSeek,
  scale,
  width,
}: LanesProps & { scale: number; width: number }) {
  const w = messages.value.timeline;
  const every = scale < 50 ? 5 : 1;
  const ticks = Array.from(
    { length: Math.floor(width / scale / every) + 1 },
    (_, at) => at * every,
  );
  const at = Math.min(playhead.value, layout.seconds);
  const seek = (to: number) => onSeek(Math.max(0, Math.min(layout.seconds, to)));
  return (
    <div class="timeline-row is-ruler">
      <span class="timeline-name">{w.seconds}</span>
      <div
        class="timeline-track"
        role="slider"
        tabIndex={0}
        aria-label={w.position}
        aria-valuemin={0}
        aria-valuemax={layout.seconds}
        aria-valuenow={Math.round(at * 10) / 10}
        onPointerDown={(event) => {
          seek((event.clientX - event.currentTarget.getBoundingClientRect().left) / scale);
        }}
        onKeyDown={(event) => {
          const by = event.key === 'ArrowRight' ? 0.1 : event.key === 'ArrowLeft' ? -0.1 : 0;
          if (by === 0) return;
          event.preventDefault();
          event.stopPropagation();
          seek(at + by);
        }}
      >
        {ticks.map((tick) => (
          <span class="timeline-tick" key={tick} style={{ left: `${tick * scale}px` }}>
            {formatNumber(tick)}
          </span>
        ))}
      </div>
    </div>
  );
}

function Playhead({ at, scale }: { at: Signal<number>; scale: number }) {
  const line = useRef<HTMLSpanElement>(null);
  // It moves with every frame: nothing else renders for that.
  useSignalEffect(() => {
    const left = at.value * scale;
    if (line.current) line.current.style.transform = `translateX(${left}px)`;
  });
  return <span class="timeline-playhead" ref={line} aria-hidden="true" />;
}

interface BracketProps {
  bracket: Bracket;
  scale: number;
  selected: boolean;
  onSelect: (more: boolean) => void;
}

function BracketButton({ bracket, scale, selected, onSelect }: BracketProps) {
  const { step, start_s, end_s } = bracket;
  return (
    <button
      type="button"
      class="timeline-bracket"
      aria-pressed={selected}
      style={{ left: `${start_s * scale}px`, width: `${Math.max(8, (end_s - start_s) * scale)}px` }}
      title={stepLabel(step)}
      onClick={(event) => onSelect(event.shiftKey)}
    >
      {stepLabel(step)}
    </button>
  );
}
