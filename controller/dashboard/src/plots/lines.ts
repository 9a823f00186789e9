/** The lines of a plot: those of the shown run, and those of the other run over them. */

import type { Plot } from '../logic/plots/layout';
import type { Line } from '../logic/plots/plot-data';
import { signalById, type Signal } from '../logic/plots/signals';
import { offset, other, run, shownSamples } from './state';

export const signalsOf = (plot: Plot): Signal[] =>
  plot.signals.flatMap((id) => signalById(id) ?? []);

/** Returns the lines of the shown run. */
export const shownLines = (signals: Signal[]): Line[] =>
  signals.map(({ column, stepped }) => ({ samples: shownSamples(), column, stepped, offset_s: 0 }));

/** Returns the lines of the other run; none if nothing is compared. */
export function otherLines(signals: Signal[]): Line[] {
  const compared = other.value;
  if (compared === null || run.value === null) return [];
  return signals.map(({ column, stepped }) => ({
    samples: compared.samples,
    column,
    stepped,
    offset_s: offset.value,
  }));
}
