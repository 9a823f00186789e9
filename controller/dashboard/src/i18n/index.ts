/** Which language the page speaks: the one that was chosen, or the browser's. */

import { computed, signal } from '@preact/signals';
import { recall, remember } from '../net/storage';
import { de } from './de';
import { en, type Words } from './en';
import { es } from './es';
import { fr } from './fr';

export const LANGUAGES = { en, de, fr, es } satisfies Record<string, Words>;

export type Language = keyof typeof LANGUAGES;

const isLanguage = (word: string | null): word is Language => word !== null && word in LANGUAGES;

function first(): Language {
  const chosen = recall('language');
  if (isLanguage(chosen)) return chosen;
  const spoken = navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage);
  return spoken ?? 'en';
}

export const language = signal<Language>(first());

export const words = computed<Words>(() => LANGUAGES[language.value]);

export function speak(next: Language): void {
  language.value = next;
  remember('language', next);
}

/** A number as it is written in the language of the page. */
export function number(value: number, digits = 0): string {
  return value.toLocaleString(language.value, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** A number with no more digits than it has, and no more than three. */
export const amount = (value: number): string =>
  value.toLocaleString(language.value, { maximumFractionDigits: 3 });

/** A time span, as short as can be. */
export function span(ms: number): string {
  if (!Number.isFinite(ms)) return '∞';
  return ms < 1000 ? `${number(ms)} ms` : `${number(ms / 1000, ms < 10_000 ? 1 : 0)} s`;
}

export function moment(when: string | number): string {
  const date = new Date(typeof when === 'number' ? when * 1000 : when);
  return Number.isNaN(date.getTime()) ? String(when) : date.toLocaleString(language.value);
}
