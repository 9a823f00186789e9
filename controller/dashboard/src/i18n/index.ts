/** The language of the page: the user's choice, or the browser's language. */

import { batch, signal } from '@preact/signals';
import { load, save } from '../net/storage';
import { en, type Messages } from './en';

/** The languages, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' };

export type Language = keyof typeof LANGUAGES;

/** Loads the texts of a language. English is always there, the others come when they are wanted. */
const TEXTS: Record<Language, () => Promise<Messages>> = {
  en: () => Promise.resolve(en),
  de: () => import('./de').then(({ de }) => de),
  fr: () => import('./fr').then(({ fr }) => fr),
  es: () => import('./es').then(({ es }) => es),
};

const isLanguage = (word: string | null): word is Language => word !== null && word in LANGUAGES;

function initialLanguage(): Language {
  const saved = load('language');
  if (isLanguage(saved)) return saved;
  const preferred = navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage);
  return preferred ?? 'en';
}

export const language = signal<Language>('en');

export const messages = signal<Messages>(en);

/** Loads the language that the user wants. Returns `false`, and the page stays as it is, if it can't be loaded. */
export async function loadLanguage(next: Language = initialLanguage()): Promise<boolean> {
  try {
    const texts = await TEXTS[next]();
    batch(() => {
      language.value = next;
      messages.value = texts;
    });
    return true;
  } catch {
    return false;
  }
}

export async function setLanguage(next: Language): Promise<void> {
  if (await loadLanguage(next)) save('language', next);
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
