/** The colours of the plots, which the style sheet defines for either theme. */

import { MAX_SIGNALS } from '../logic/plots/layout';
import { theme } from '../components/theme';
import { signal } from '@preact/signals';

export interface Palette {
  lines: string[];
  text: string;
  grid: string;
}

function read(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    lines: Array.from({ length: MAX_SIGNALS }, (_, at) => colour(`--series-${at + 1}`)),
    text: colour('--soft'),
    grid: colour('--line'),
  };
}

export const palette = signal<Palette>(read());

/** Follows changes of the theme until the returned function is called. */
export function followTheme(): () => void {
  const update = () => (palette.value = read());
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', update);
  // The attribute of the root element is set right after the choice.
  const end = theme.subscribe(() => queueMicrotask(update));
  return () => {
    dark.removeEventListener('change', update);
    end();
  };
}
