/** The open view, as given by the fragment of the address. */

import { signal } from '@preact/signals';

export const VIEWS = [
  'robot',
  'talk',
  'tools',
  'drive',
  'plots',
  'journal',
  'health',
  'fleet',
] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  view: View;
  /** The segments after the view, such as the name of a tool. */
  rest: string[];
}

function read(): Route {
  const [first, ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(decodeSegment);
  const view = VIEWS.find((one) => one === first);
  return view === undefined ? { view: 'robot', rest: [] } : { view, rest: rest.filter(Boolean) };
}

function decodeSegment(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return '';
  }
}

export const route = signal<Route>(read());

addEventListener('hashchange', () => (route.value = read()));

export const path = (view: View, ...rest: string[]): string =>
  `#/${[view, ...rest].map(encodeURIComponent).join('/')}`;

export function go(view: View, ...rest: string[]): void {
  location.hash = path(view, ...rest);
}
