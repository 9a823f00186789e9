/** Layouts: which plots there are, in which order, and which signals each one shows. Pure functions. */

import { signalById } from './signals';

export interface Plot {
  /** Is unique within the layout. */
  id: number;
  signals: string[];
}

export interface Layout {
  columns: 1 | 2;
  plots: Plot[];
}

export const MAX_PLOTS = 8;
/** As many as there are colours. */
export const MAX_SIGNALS = 10;
export const MAX_LAYOUTS = 20;
export const MAX_NAME_LENGTH = 40;

const of = (columns: 1 | 2, ...plots: string[][]): Layout => ({
  columns,
  plots: plots.map((signals, id) => ({ id, signals })),
});

/** The layouts that are always there. */
export const PRESETS = {
  motion: of(
    1,
    ['head.yaw_deg', 'head_goal.yaw_deg', 'head.pitch_deg', 'head_goal.pitch_deg'],
    [
      'present.right_antenna',
      'goal.right_antenna',
      'present.left_antenna',
      'goal.left_antenna',
      'state.clamped',
    ],
  ),
  motors: of(
    2,
    ['current.body_rotation', 'current.stewart_1', 'current.stewart_4', 'current.right_antenna'],
    ['temperature.body_rotation', 'temperature.stewart_1', 'temperature.right_antenna'],
    ['tracking_error.body_rotation', 'tracking_error.stewart_1', 'tracking_error.right_antenna'],
    ['voltage.body_rotation', 'voltage.right_antenna'],
  ),
  timing: of(1, ['jitter.p50_us', 'jitter.p99_us', 'jitter.max_us'], ['jitter.overruns']),
} as const satisfies Record<string, Layout>;

export type Preset = keyof typeof PRESETS;

/** Returns the layout that a stored value describes, or `null`. Unknown signals are left out. */
export function layoutFrom(value: unknown): Layout | null {
  const { columns, plots } = (value ?? {}) as { columns?: unknown; plots?: unknown };
  if (!Array.isArray(plots)) return null;
  const known = plots.slice(0, MAX_PLOTS).map((plot: unknown, id) => {
    const signals = (plot as { signals?: unknown } | null)?.signals;
    const names = Array.isArray(signals) ? (signals as unknown[]) : [];
    const valid = names.filter(
      (name): name is string => typeof name === 'string' && signalById(name) !== undefined,
    );
    return { id, signals: [...new Set(valid)].slice(0, MAX_SIGNALS) };
  });
  return { columns: columns === 2 ? 2 : 1, plots: known };
}

/** Parses a stored layout. */
export function parseLayout(text: string | null): Layout | null {
  return layoutFrom(parsed(text));
}

/** Parses the stored layouts by name. */
export function parseLayouts(text: string | null): Map<string, Layout> {
  const value = parsed(text);
  const all = new Map<string, Layout>();
  if (!Array.isArray(value)) return all;
  for (const entry of value.slice(0, MAX_LAYOUTS) as unknown[]) {
    const [name, stored] = Array.isArray(entry) ? (entry as unknown[]) : [];
    const layout = layoutFrom(stored);
    if (typeof name === 'string' && name !== '' && layout !== null)
      all.set(name.slice(0, MAX_NAME_LENGTH), layout);
  }
  return all;
}

export const layoutsText = (all: Map<string, Layout>): string => JSON.stringify([...all]);

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null') as unknown;
  } catch {
    return null;
  }
}

export function addPlot(layout: Layout): Layout {
  if (layout.plots.length >= MAX_PLOTS) return layout;
  const id = 1 + Math.max(-1, ...layout.plots.map((plot) => plot.id));
  return { ...layout, plots: [...layout.plots, { id, signals: [] }] };
}

export const removePlot = (layout: Layout, id: number): Layout => ({
  ...layout,
  plots: layout.plots.filter((plot) => plot.id !== id),
});

/** Moves a plot by one place towards the start (-1) or the end (1). */
export function movePlot(layout: Layout, id: number, by: -1 | 1): Layout {
  const plots = [...layout.plots];
  const at = plots.findIndex((plot) => plot.id === id);
  const [plot, other] = [plots[at], plots[at + by]];
  if (plot === undefined || other === undefined) return layout;
  plots[at] = other;
  plots[at + by] = plot;
  return { ...layout, plots };
}

/** Adds a signal to a plot, or removes it. */
export const toggleSignal = (layout: Layout, id: number, signal: string): Layout => ({
  ...layout,
  plots: layout.plots.map((plot) => {
    if (plot.id !== id) return plot;
    if (plot.signals.includes(signal))
      return { ...plot, signals: plot.signals.filter((one) => one !== signal) };
    return plot.signals.length >= MAX_SIGNALS
      ? plot
      : { ...plot, signals: [...plot.signals, signal] };
  }),
});
