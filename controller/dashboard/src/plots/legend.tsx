/** The legend of a plot, with the values at the cursor or the latest ones, and the range of the shown section. */

import { toggleSignal, type Plot } from '../logic/plots/layout';
import { extremes } from '../logic/plots/plot-data';
import type { Signal } from '../logic/plots/signals';
import type { Span } from '../logic/plots/time-window';
import { messages } from '../i18n';
import { palette } from './colours';
import { signalLabel, valueText } from './labels';
import { otherLines, shownLines, signalsOf } from './lines';
import {
  cursor,
  emphasized,
  isLive,
  layout,
  offset,
  other,
  run,
  shownSamples,
  span,
  timeWindow,
  slowTick,
} from './state';

export function Legend({ plot }: { plot: Plot }) {
  const w = messages.value.plots;
  const signals = signalsOf(plot);
  // The values of the robot are not read with each frame, which nobody could follow.
  if (isLive.value) void slowTick.value;
  void timeWindow.value;
  void offset.value;
  const shown = span();
  const isCompared = other.value !== null && run.value !== null;
  return (
    <table class="legend numbers">
      <thead>
        <tr>
          <th scope="col">{w.signal}</th>
          <th scope="col">{cursor.value === null ? w.latest : w.atCursor}</th>
          {isCompared && <th scope="col">{w.otherRun}</th>}
          <th scope="col">{w.lowest}</th>
          <th scope="col">{w.highest}</th>
          <th scope="col">
            <span class="hidden">{messages.value.common.remove}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {signals.map((signal, at) => (
          <Row
            key={signal.id}
            plot={plot}
            signal={signal}
            colour={palette.value.lines[at]!}
            shown={shown}
            isCompared={isCompared}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  plot: Plot;
  signal: Signal;
  colour: string;
  shown: Span | null;
  isCompared: boolean;
}

function Row({ plot, signal, colour, shown, isCompared }: RowProps) {
  const w = messages.value.plots;
  const label = signalLabel(signal);
  const samples = shownSamples();
  const at = cursor.value ?? samples.lastTime;
  const value = samples.valueAtTime(signal.column, at, signal.stepped);
  const [compared] = otherLines([signal]);
  const otherValue = compared?.samples.valueAtTime(
    signal.column,
    at - compared.offset_s,
    signal.stepped,
  );
  const range = shown === null ? null : extremes(shownLines([signal])[0]!, shown.from, shown.to);
  const isBold = emphasized.value?.plot === plot.id && emphasized.value.signal === signal.id;
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          class="legend-name"
          aria-pressed={isBold}
          title={w.emphasize}
          onClick={() => (emphasized.value = isBold ? null : { plot: plot.id, signal: signal.id })}
        >
          <span class="legend-line" style={{ background: colour }} aria-hidden="true" />
          {label}
        </button>
      </th>
      <td data-label={cursor.value === null ? w.latest : w.atCursor}>
        {valueText(value, signal.unit)}
      </td>
      {isCompared && <td data-label={w.otherRun}>{valueText(otherValue ?? null, signal.unit)}</td>}
      <td data-label={w.lowest}>{valueText(range?.min ?? null, signal.unit)}</td>
      <td data-label={w.highest}>{valueText(range?.max ?? null, signal.unit)}</td>
      <td>
        <button
          type="button"
          class="plain"
          aria-label={w.removeSignal(label)}
          title={w.removeSignal(label)}
          onClick={() => (layout.value = toggleSignal(layout.value, plot.id, signal.id))}
        >
          ×
        </button>
      </td>
    </tr>
  );
}
