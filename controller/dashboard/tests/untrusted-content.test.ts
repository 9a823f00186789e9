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

describe('what comes from a server', () => {
  it('is never read as markup or as a program', () => {
    for (const name of files) {
      const code = readFileSync(new URL(name, src), 'utf8');
      expect(code, name).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/i,
      );
    }
    expect(files.length).toBeGreaterThan(40);
  });

  it('comes from the robot alone: the page names no other place', () => {
    for (const name of files) {
      const code = readFileSync(new URL(name, src), 'utf8').replaceAll(
        'http://robot.local:8000',
        '',
      );
      expect(code, name).not.toMatch(/https?:\/\/[a-z0-9]/i);
    }
  });
});

describe('words', () => {
  /** The keys of a tree of words. */
  const keys = (tree: object, at = ''): string[] =>
    Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null ? keys(value, `${at}${key}.`) : [at + key],
    );

  it('are there in every language, and none is empty', () => {
    for (const other of [de, fr, es]) expect(keys(other)).toEqual(keys(en));
    for (const words of [en, de, fr, es]) {
      expect(JSON.stringify(words)).not.toContain('""');
    }
  });
});
