/** The colour theme: light, dark or that of the system. */

import { signal } from '@preact/signals';
import { load, save } from '../net/storage';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const chosen = load('theme');
export const theme = signal<Theme>(THEMES.find((one) => one === chosen) ?? 'auto');

export function applyTheme(next: Theme = theme.value): void {
  theme.value = next;
  save('theme', next === 'auto' ? null : next);
  if (next === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = next;
}
