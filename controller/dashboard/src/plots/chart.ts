/** One plot, drawn by uPlot: axes, scales and lines. The cursor and the selection are elements over it. */

import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { PlotData } from '../logic/plots/plot-data';
import type { Signal } from '../logic/plots/signals';
import type { Span } from '../logic/plots/time-window';
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

export class Chart {
  private readonly plot: UPlot;
  private readonly cursorMark: HTMLElement;
  private readonly selectionMark: HTMLElement;

  constructor(
    root: HTMLElement,
    private readonly lines: ChartLine[],
    palette: Palette,
    isLive: boolean,
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
          ...(isOther ? { dash: [5, 4] } : {}),
          ...(signal.stepped ? { paths: UPlot.paths.stepped!({ align: 1 }) } : {}),
        })),
      ],
    };
    this.plot = new UPlot(options, undefined, root);
    this.cursorMark = this.mark('plot-cursor');
    this.selectionMark = this.mark('plot-selection');
  }

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
    this.plot.batch(() => {
      this.plot.setData([data.xs, ...data.ys] as unknown as UPlot.AlignedData, false);
      this.plot.setScale('x', { min: shown.from, max: shown.to });
    });
  }

  /** Returns the time at a place in the area, pixels from the left. */
  timeAt(left: number, shown: Span): number {
    return shown.from + (left / this.width) * (shown.to - shown.from);
  }

  showCursor(at_s: number | null, shown: Span): void {
    const left = at_s === null ? NaN : (at_s - shown.from) / (shown.to - shown.from);
    this.cursorMark.hidden = !(left >= 0 && left <= 1);
    if (!this.cursorMark.hidden) this.cursorMark.style.left = `${100 * left}%`;
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

const scaleOf = (unit: string): string => `in ${unit}`;

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
