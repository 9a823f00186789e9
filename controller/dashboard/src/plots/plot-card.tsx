/** A plot with its legend and its settings. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { movePlot, removePlot, type Plot } from '../logic/plots/layout';
import { plotData } from '../logic/plots/plot-data';
import { language, messages } from '../i18n';
import { Chart } from './chart';
import { palette } from './colours';
import { onCursor, onDraw, redraw } from './draw-loop';
import { handlePointer } from './gestures';
import { handleKey } from './keys';
import { Legend } from './legend';
import { otherLines, shownLines, signalsOf } from './lines';
import { SignalPicker } from './signal-picker';
import { cursor, emphasized, isLive, layout, other, run } from './state';

interface PlotCardProps {
  plot: Plot;
  /** The number of the plot on the page, from 1. */
  number: number;
}

export function PlotCard({ plot, number }: PlotCardProps) {
  const w = messages.value.plots;
  const [picking, setPicking] = useState(plot.signals.length === 0);
  const title = w.plot(number);
  const move = (by: -1 | 1) => (layout.value = movePlot(layout.value, plot.id, by));
  return (
    <section class="card plot-card" aria-label={title}>
      <div class="card-head">
        <h2>{title}</h2>
        <span class="buttons">
          <button type="button" aria-expanded={picking} onClick={() => setPicking(!picking)}>
            {w.signals}
          </button>
          <button
            type="button"
            aria-label={w.moveUp(number)}
            title={w.moveUp(number)}
            disabled={number === 1}
            onClick={() => move(-1)}
          >
            ↑
          </button>
          <button
            type="button"
            aria-label={w.moveDown(number)}
            title={w.moveDown(number)}
            disabled={number === layout.value.plots.length}
            onClick={() => move(1)}
          >
            ↓
          </button>
          <button
            type="button"
            aria-label={w.removePlot(number)}
            title={w.removePlot(number)}
            onClick={() => (layout.value = removePlot(layout.value, plot.id))}
          >
            ×
          </button>
        </span>
      </div>
      {picking && <SignalPicker plot={plot} />}
      {plot.signals.length === 0 ? (
        <p class="note">{w.noSignals}</p>
      ) : (
        <>
          <ChartView plot={plot} title={title} />
          <Legend plot={plot} />
        </>
      )}
    </section>
  );
}

function ChartView({ plot, title }: { plot: Plot; title: string }) {
  const w = messages.value.plots;
  const root = useRef<HTMLDivElement>(null);
  const live = isLive.value;
  const isCompared = other.value !== null && !live;
  const key = [
    plot.signals.join(),
    live,
    isCompared,
    language.value,
    palette.value,
    run.value?.notes,
  ];
  useEffect(() => {
    if (root.current === null) return;
    const signals = signalsOf(plot);
    const lines = (isOther: boolean) =>
      signals.map((signal, at) => ({ signal, colour: palette.value.lines[at]!, isOther }));
    const chart = new Chart(
      root.current,
      [...lines(false), ...(isCompared ? lines(true) : [])],
      palette.value,
      live,
      run.value?.notes ?? [],
    );
    const endPointer = handlePointer(chart);
    const endDraw = onDraw((shown) => {
      if (shown === null) return;
      const all = [...shownLines(signals), ...otherLines(signals)];
      const bold = emphasized.value?.plot === plot.id ? emphasized.value.signal : null;
      chart.draw(plotData(all, shown.from, shown.to, chart.width), shown, bold);
    });
    const endCursor = onCursor((shown) => {
      if (shown !== null) chart.showCursor(cursor.value, shown);
    });
    const sizes = new ResizeObserver(() => {
      chart.resize(root.current?.clientWidth ?? 0);
      redraw();
    });
    sizes.observe(root.current);
    return () => {
      sizes.disconnect();
      endCursor();
      endDraw();
      endPointer();
      chart.dispose();
    };
  }, key);
  return (
    <div
      ref={root}
      class="chart"
      role="group"
      tabIndex={0}
      aria-label={title}
      aria-describedby="plot-keys"
      title={w.dragHint}
      onKeyDown={handleKey}
    />
  );
}
