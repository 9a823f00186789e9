/** One plot, drawn by uPlot: axes, scales and lines. The cursor and the selection are elements over it. */

import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { PlotData } from '../logic/plots/plot-data';
import type { Signal } from '../logic/plots/signals';
import type { Span } from '../logic/plots/time-window';
import type { ReplayNote } from '../logic/expectations';
import { clockOffset } from '../net/history';
import { formatAmount } from '../i18n';
import type { Palette } from './colours';
import { timeText } from './labels';

export interface ChartLine {
  signal: Signal;
  colour: string;
  /** The line of the other run. */
  isOther: boolean;
}

/** The least height of the value axis, so that noise does not fill the plot, by unit. */
export const LEAST_HEIGHT: Record<string, number> = {
  '°': 1,
  mm: 1,
  '°C': 2,
  V: 0.5,
  mA: 20,
  µs: 10,
};

const HEIGHT = 190;
const AXIS_WIDTH = 54;
const LINE_WIDTH = 1.5;
const DASH = [5, 4];

export class Chart {
  private readonly plot: UPlot;
  private readonly cursorMark: HTMLElement;
  private readonly selectionMark: HTMLElement;
  private readonly notes: { at_s: number; mark: HTMLElement }[];
  private isDense = false;

  constructor(
    root: HTMLElement,
    private readonly lines: ChartLine[],
    palette: Palette,
    isLive: boolean,
    notes: ReplayNote[],
  ) {
    const units = [...new Set(lines.map(({ signal }) => signal.unit))];
    // What has no unit is drawn without an axis next to what has one, so that the plots have equal widths.
    const axisUnits = units.length > 1 ? units.filter((unit) => unit !== '') : units;
    const axis = { stroke: palette.text, font: '12px system-ui, sans-serif' };
    const ticks = { stroke: palette.grid, width: 1, size: 4 };
    const grid = { stroke: palette.grid, width: 1 };
    const clock = () => (isLive ? clockOffset.value : 0);
    const options: UPlot.Options = {
      width: Math.max(1, root.clientWidth),
      height: HEIGHT,
      legend: { show: false },
      hooks: { drawSeries: [this.drawDense] },
      cursor: { show: false },
      padding: [8, axisUnits.length > 1 ? 0 : 30, 0, 0],
      scales: {
        x: { time: false, auto: false },
        ...Object.fromEntries(
          units.map((unit) => [scaleOf(unit), { range: rangeWithMargin(LEAST_HEIGHT[unit] ?? 1) }]),
        ),
      },
      axes: [
        {
          ...axis,
          ticks,
          grid,
          size: 26,
          space: isLive ? 80 : 60,
          // Round times of the day, which are no round times of the robot's clock.
          splits: (_, __, min, max, step) => roundTimes(min, max, step, clock()),
          values: (_, times, __, ___, step) =>
            times.map((time) => timeText(time, isLive, step < 0.1 ? 2 : step < 1 ? 1 : 0)),
        },
        ...axisUnits.slice(0, 2).map((unit, at) => ({
          ...axis,
          ticks,
          scale: scaleOf(unit),
          side: at === 0 ? 3 : 1,
          size: AXIS_WIDTH,
          grid: { ...grid, show: at === 0 },
          values: (_: UPlot, values: number[]) =>
            values.map(
              (value) => `${formatAmount(value)}${unit === '°' ? '°' : unit && ` ${unit}`}`,
            ),
        })),
      ],
      series: [
        {},
        ...lines.map(({ signal, colour, isOther }) => ({
          scale: scaleOf(signal.unit),
          stroke: colour,
          width: LINE_WIDTH,
          points: { show: false },
          // Rounded to pixels, slow motions look like stairs.
          pxAlign: 0,
          ...(isOther ? { dash: DASH } : {}),
          paths: this.pathBuilder(signal.stepped),
        })),
      ],
    };
    this.plot = new UPlot(options, undefined, root);
    this.notes = notes.map(({ at_s, held, text }) => {
      const mark = this.mark(`plot-note ${held ? 'is-good' : 'is-bad'}`);
      mark.title = text;
      return { at_s, mark };
    });
    this.cursorMark = this.mark('plot-cursor');
    this.selectionMark = this.mark('plot-selection');
  }

  /** Draws lines where there is room for each sample. */
  private pathBuilder(stepped: boolean): UPlot.Series.PathBuilder {
    const line = stepped ? UPlot.paths.stepped!({ align: 1 }) : UPlot.paths.linear!();
    return (plot, at, from, to) => (this.isDense ? null : line(plot, at, from, to));
  }

  /** Draws columns where there are more samples than pixels: they lose no peak, and are much cheaper than lines. */
  private readonly drawDense = (plot: UPlot, at: number): void => {
    const line = this.lines[at - 1];
    if (!this.isDense || line === undefined) return;
    // uPlot remembers its own colours.
    plot.ctx.save();
    drawColumns(plot, at, line);
    plot.ctx.restore();
  };

  /** The element that covers the area of the lines, for the pointer. */
  get area(): HTMLElement {
    return this.plot.over;
  }

  /** The width of the area, pixels. */
  get width(): number {
    return Math.max(1, this.plot.over.clientWidth);
  }

  private mark(name: string): HTMLElement {
    const mark = document.createElement('div');
    mark.className = name;
    mark.hidden = true;
    this.plot.over.append(mark);
    return mark;
  }

  resize(width: number): void {
    if (width > 0) this.plot.setSize({ width, height: HEIGHT });
  }

  draw(data: PlotData, shown: Span, emphasized: string | null): void {
    this.lines.forEach(({ signal }, at) => {
      const line = this.plot.series[at + 1]!;
      line.width = signal.id === emphasized ? 2.5 * LINE_WIDTH : LINE_WIDTH;
    });
    this.isDense = data.isDense;
    this.plot.batch(() => {
      this.plot.setData([data.xs, ...data.ys] as unknown as UPlot.AlignedData, false);
      this.plot.setScale('x', { min: shown.from, max: shown.to });
    });
    this.notes.forEach(({ at_s, mark }) => place(mark, at_s, shown));
  }

  /** Returns the time at a place in the area, pixels from the left. */
  timeAt(left: number, shown: Span): number {
    return shown.from + (left / this.width) * (shown.to - shown.from);
  }

  showCursor(at_s: number | null, shown: Span): void {
    place(this.cursorMark, at_s, shown);
  }

  /** Marks the section that is being selected, pixels; `null` ends it. */
  showSelection(section: { from: number; to: number } | null): void {
    this.selectionMark.hidden = section === null;
    if (section === null) return;
    this.selectionMark.style.left = `${Math.min(section.from, section.to)}px`;
    this.selectionMark.style.width = `${Math.abs(section.to - section.from)}px`;
  }

  dispose(): void {
    this.plot.destroy();
  }
}

/** Puts a mark where its time is, and hides it outside the section. */
function place(mark: HTMLElement, at_s: number | null, shown: Span): void {
  const left = at_s === null ? NaN : (at_s - shown.from) / (shown.to - shown.from);
  mark.hidden = !(left >= 0 && left <= 1);
  if (!mark.hidden) mark.style.left = `${100 * left}%`;
}

const scaleOf = (unit: string): string => `in ${unit}`;

/** Draws a column per pixel, from its lowest to its highest value. Those of the other run are dashed. */
function drawColumns(plot: UPlot, at: number, { colour, isOther }: ChartLine): void {
  const [xs, ys] = [plot.data[0], plot.data[at] as ArrayLike<number | null>];
  const { left, top, width, height } = plot.bbox;
  const [x, y] = [plot.scales['x']!, plot.scales[plot.series[at]!.scale!]!];
  const perTime = width / (x.max! - x.min!);
  const perValue = height / (y.max! - y.min!);
  const thickness = Math.max(1, Math.round(plot.series[at]!.width! * devicePixelRatio));
  const half = (xs[1]! - xs[0]!) / 2;
  const [dash, gap] = DASH as [number, number];
  const pixelOf = (time: number) =>
    Math.max(left, Math.min(left + width, Math.round(left + (time - x.min!) * perTime)));
  plot.ctx.fillStyle = colour;
  let last: number | null = null;
  let [from, end, high, low] = [0, 0, 0, 0];
  for (let index = 0; index + 1 < xs.length; index += 2) {
    const [first, second] = [ys[index] ?? null, ys[index + 1] ?? null];
    // The number of the column does not change while the section moves on, so the dashes move with it.
    const column = Math.round((xs[index]! - half) / (4 * half));
    const isGap = isOther && ((column % (dash + gap)) + dash + gap) % (dash + gap) >= dash;
    if (first === null || second === null || isGap) {
      last = second;
      continue;
    }
    // Reaches up to the previous column, so that steep lines have no gaps.
    const least = Math.min(first, second, last ?? first);
    const greatest = Math.max(first, second, last ?? first);
    last = second;
    const start = pixelOf(xs[index]! - half);
    const next = pixelOf(xs[index]! + 3 * half);
    const above = Math.round(top + (y.max! - greatest) * perValue - thickness / 2);
    const below = Math.max(
      above + thickness,
      Math.round(top + (y.max! - least) * perValue + thickness / 2),
    );
    // A robot at rest needs one rectangle.
    if (start === end && above === high && below === low) {
      end = next;
      continue;
    }
    if (end > from) plot.ctx.fillRect(from, high, end - from, low - high);
    [from, end, high, low] = [start, next, above, below];
  }
  if (end > from) plot.ctx.fillRect(from, high, end - from, low - high);
}

const rangeWithMargin =
  (leastHeight: number): UPlot.Range.Function =>
  (_, min, max) => {
    // uPlot has no type for a scale without values.
    const [low, high] = [min as number | null, max as number | null];
    if (low === null || high === null) return [0, 1];
    const margin = Math.max(0.06 * (high - low), (leastHeight - (high - low)) / 2);
    return [low - margin, high + margin];
  };

function roundTimes(min: number, max: number, step: number, clock: number): number[] {
  const times: number[] = [];
  const first = Math.ceil((min + clock) / step - 1e-9);
  for (let at = first; at * step <= max + clock + 1e-9; at += 1) times.push(at * step - clock);
  return times;
}
