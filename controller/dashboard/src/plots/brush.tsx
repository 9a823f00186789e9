/** An overview of all there is, with the shown section in it. The section is moved and resized by pointer and keys. */

import { useEffect, useRef } from 'preact/hooks';
import { plotData } from '../logic/plots/plot-data';
import { moveEdge, pan, selectSpan, stepTime, type Span } from '../logic/plots/time-window';
import { messages } from '../i18n';
import { LEAST_HEIGHT } from './chart';
import { palette } from './colours';
import { onCursor } from './draw-loop';
import { timeText } from './labels';
import { shownLines, signalsOf } from './lines';
import {
  cursor,
  extent,
  isLive,
  layout,
  offset,
  other,
  run,
  setWindow,
  span,
  timeWindow,
  slowTick,
} from './state';

const HEIGHT = 44;
/** The overview of the robot is drawn this often, since it changes little, milliseconds. */
const REFRESH_MS = 500;
/** How near to an edge the pointer takes it, pixels. */
const EDGE_PX = 14;

/** Draws the signals of the first plot, each in the whole height. */
function drawOverview(canvas: HTMLCanvasElement, all: Span): void {
  const pen = canvas.getContext('2d');
  const [width, scale] = [canvas.clientWidth, Math.min(devicePixelRatio, 2)];
  if (pen === null || width === 0) return;
  canvas.width = width * scale;
  canvas.height = HEIGHT * scale;
  pen.scale(scale, scale);
  const plot = layout.value.plots.find(({ signals }) => signals.length > 0);
  if (plot === undefined) return;
  const signals = signalsOf(plot).slice(0, 4);
  const lines = shownLines(signals);
  const { xs, ys } = plotData(lines, all.from, all.to, width);
  ys.forEach((values, line) => {
    const known = Array.from(values).filter((value): value is number => value !== null);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const height = Math.max(high - low, LEAST_HEIGHT[signals[line]!.unit] ?? 1);
    const middle = (low + high) / 2;
    pen.strokeStyle = palette.value.lines[line]!;
    pen.beginPath();
    let isDrawing = false;
    xs.forEach((time, at) => {
      const value = values[at] ?? null;
      if (value === null) {
        isDrawing = false;
        return;
      }
      const x = ((time - all.from) / (all.to - all.from)) * width;
      const y = HEIGHT / 2 - ((value - middle) / height) * (HEIGHT - 10);
      if (isDrawing) pen.lineTo(x, y);
      else pen.moveTo(x, y);
      isDrawing = true;
    });
    pen.stroke();
  });
}

export function Brush() {
  const w = messages.value.plots;
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const section = useRef<HTMLDivElement>(null);
  const mark = useRef<HTMLDivElement>(null);
  if (isLive.value) void slowTick.value;
  void timeWindow.value;
  const all = extent();
  const shown = span();
  useEffect(() => {
    const draw = () => {
      const span = extent();
      if (canvas.current !== null && span !== null) drawOverview(canvas.current, span);
    };
    draw();
    const timer = setInterval(() => isLive.value && draw(), REFRESH_MS);
    const sizes = new ResizeObserver(draw);
    if (canvas.current !== null) sizes.observe(canvas.current);
    return () => (clearInterval(timer), sizes.disconnect());
  }, [run.value, other.value, offset.value, layout.value, palette.value]);
  useEffect(
    () =>
      onCursor((now) => {
        const span = extent();
        if (now === null || span === null || section.current === null || mark.current === null)
          return;
        const part = (time: number) =>
          100 * Math.max(0, Math.min(1, (time - span.from) / Math.max(1e-6, span.to - span.from)));
        section.current.style.left = `${part(now.from)}%`;
        section.current.style.width = `${part(now.to) - part(now.from)}%`;
        mark.current.hidden = cursor.value === null;
        mark.current.style.left = `${part(cursor.value ?? span.from)}%`;
      }),
    [],
  );
  const edge = (name: 'from' | 'to') => (
    <span
      class={`brush-edge is-${name}`}
      role="slider"
      tabIndex={0}
      aria-label={name === 'from' ? w.sectionStart : w.sectionEnd}
      aria-valuemin={Math.round(all?.from ?? 0)}
      aria-valuemax={Math.round(all?.to ?? 0)}
      aria-valuenow={Math.round(shown?.[name] ?? 0)}
      aria-valuetext={shown === null ? '–' : timeText(shown[name], isLive.value, 1)}
      onKeyDown={(event) => handleEdgeKey(event, name)}
    />
  );
  return (
    <div ref={root} class="brush" role="group" aria-label={w.overview} onPointerDown={beginDrag}>
      <canvas ref={canvas} height={HEIGHT} aria-hidden="true" />
      <div ref={mark} class="plot-cursor" hidden />
      <div ref={section} class="brush-section">
        {edge('from')}
        {edge('to')}
      </div>
    </div>
  );
}

function handleEdgeKey(event: KeyboardEvent, edge: 'from' | 'to'): void {
  const all = extent();
  const shown = span();
  if (all === null || shown === null) return;
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -10,
    PageUp: 10,
    Home: -100,
    End: 100,
  };
  const by = steps[event.key];
  if (by === undefined) return;
  event.preventDefault();
  setWindow(moveEdge(timeWindow.value, all, edge, stepTime(shown[edge], all, by)));
}

/** Moves an edge, the section, or selects a new one, depending on where the pointer is. */
function beginDrag(event: PointerEvent): void {
  const root = event.currentTarget as HTMLElement;
  const [all, shown] = [extent(), span()];
  if (event.button !== 0 || all === null || shown === null) return;
  const box = root.getBoundingClientRect();
  const time = (x: number) => all.from + ((x - box.left) / box.width) * (all.to - all.from);
  const place = (at: number) =>
    box.left + ((at - all.from) / Math.max(1e-6, all.to - all.from)) * box.width;
  const began = { x: event.clientX, window: timeWindow.value };
  const near = (at: number) => Math.abs(event.clientX - place(at)) <= EDGE_PX;
  const isInside = event.clientX > place(shown.from) && event.clientX < place(shown.to);
  const move = ({ clientX }: PointerEvent) => {
    if (near(shown.to)) setWindow(moveEdge(began.window, all, 'to', time(clientX)));
    else if (near(shown.from)) setWindow(moveEdge(began.window, all, 'from', time(clientX)));
    else if (isInside)
      setWindow(
        pan(
          { kind: 'fixed', ...shown },
          all,
          (time(clientX) - time(began.x)) / Math.max(1e-6, shown.to - shown.from),
        ),
      );
    else setWindow(selectSpan(time(began.x), time(clientX), all));
  };
  const end = () => {
    root.removeEventListener('pointermove', move);
    root.removeEventListener('pointerup', end);
    root.removeEventListener('pointercancel', end);
  };
  root.setPointerCapture(event.pointerId);
  root.addEventListener('pointermove', move);
  root.addEventListener('pointerup', end);
  root.addEventListener('pointercancel', end);
}
