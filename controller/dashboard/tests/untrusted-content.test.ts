import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { de } from '../src/i18n/de';
import { en } from '../src/i18n/en';
import { es } from '../src/i18n/es';
import { fr } from '../src/i18n/fr';

const src = new URL('../src/', import.meta.url);
const files = readdirSync(src, { recursive: true })
  .map(String)
  .filter((name) => /\.tsx?$/.test(name));

describe('untrusted content', () => {
  it('is never interpreted as markup or code', () => {
    for (const name of files) {
      const code = readFileSync(new URL(name, src), 'utf8');
      expect(code, name).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/i,
      );
    }
    expect(files.length).toBeGreaterThan(40);
  });

  it('comes only from the robot: the page names no other host', () => {
    for (const name of files) {
      const code = readFileSync(new URL(name, src), 'utf8').replaceAll(
        'http://robot.local:8000',
        '',
      );
      expect(code, name).not.toMatch(/https?:\/\/[a-z0-9]/i);
    }
  });
});

describe('translations', () => {
  /** Returns the keys of a tree of texts. */
  const keys = (tree: object, at = ''): string[] =>
    Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null ? keys(value, `${at}${key}.`) : [at + key],
    );

  it('have the same keys in every language, none empty', () => {
    for (const other of [de, fr, es]) expect(keys(other)).toEqual(keys(en));
    for (const words of [en, de, fr, es]) {
      expect(JSON.stringify(words)).not.toContain('""');
    }
  });
});
