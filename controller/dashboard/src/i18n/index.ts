/** Which language the page speaks: the one that was chosen, or the browser's. */

import { computed, signal } from '@preact/signals';
import { load, save } from '../net/storage';
import { de } from './de';
import { en, type Messages } from './en';
import { es } from './es';
import { fr } from './fr';

export const LANGUAGES = { en, de, fr, es } satisfies Record<string, Messages>;

export type Language = keyof typeof LANGUAGES;

const isLanguage = (word: string | null): word is Language => word !== null && word in LANGUAGES;

function initialLanguage(): Language {
  const saved = load('language');
  if (isLanguage(saved)) return saved;
  const preferred = navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage);
  return preferred ?? 'en';
}

export const language = signal<Language>(initialLanguage());

export const messages = computed<Messages>(() => LANGUAGES[language.value]);

export function setLanguage(next: Language): void {
  language.value = next;
  save('language', next);
}

/** A number as it is written in the language of the page. */
export function formatNumber(value: number, digits = 0): string {
  return value.toLocaleString(language.value, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** A number with no more digits than it has, and no more than three. */
export const formatAmount = (value: number): string =>
  value.toLocaleString(language.value, { maximumFractionDigits: 3 });

/** A time span, as short as can be. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '∞';
  return ms < 1000 ? `${formatNumber(ms)} ms` : `${formatNumber(ms / 1000, ms < 10_000 ? 1 : 0)} s`;
}

export function formatTime(when: string | number): string {
  const date = new Date(typeof when === 'number' ? when * 1000 : when);
  return Number.isNaN(date.getTime()) ? String(when) : date.toLocaleString(language.value);
}
