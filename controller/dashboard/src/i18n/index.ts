/** The language of the page: the user's choice, or the browser's language. */

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

/** Formats a number for the language of the page. */
export function formatNumber(value: number, digits = 0): string {
  return value.toLocaleString(language.value, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Formats a number with at most three decimals and no trailing zeros. */
export const formatAmount = (value: number): string =>
  value.toLocaleString(language.value, { maximumFractionDigits: 3 });

/** Formats a duration briefly. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '∞';
  return ms < 1000 ? `${formatNumber(ms)} ms` : `${formatNumber(ms / 1000, ms < 10_000 ? 1 : 0)} s`;
}

export function formatTime(when: string | number): string {
  const date = new Date(typeof when === 'number' ? when * 1000 : when);
  return Number.isNaN(date.getTime()) ? String(when) : date.toLocaleString(language.value);
}
