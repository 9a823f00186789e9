import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { de } from '../src/i18n/de';
import { en } from '../src/i18n/en';
import { es } from '../src/i18n/es';
import { fr } from '../src/i18n/fr';

const source = fileURLToPath(new URL('../src', import.meta.url));

/** Returns the path of each text, such as `tools.errors.min`. */
function paths(texts: object, before = ''): string[] {
  return Object.entries(texts).flatMap(([key, value]: [string, unknown]) => {
    const path = before === '' ? key : `${before}.${key}`;
    return typeof value === 'object' && value !== null ? paths(value, path) : [path];
  });
}

const code = readdirSync(source, { recursive: true })
  .map(String)
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('i18n'))
  .map((name) => readFileSync(join(source, name), 'utf8'))
  .join('\n');

describe('the texts', () => {
  it('are complete in every language', () => {
    const expected = paths(en).sort();
    expect(expected.length).toBeGreaterThan(500);
    for (const other of [de, es, fr]) expect(paths(other).sort()).toEqual(expected);
  });

  it('differ between the languages, except for names and units', () => {
    const at = (texts: object, path: string) =>
      path.split('.').reduce<unknown>((one, key) => (one as Record<string, unknown>)[key], texts);
    for (const other of [de, es, fr]) {
      // The examples for the robot are in a language that it understands.
      const translated = paths(en).filter((path) => !path.startsWith('talk.sentences'));
      const same = translated.filter((path) => {
        const text = at(en, path);
        return typeof text === 'string' && text.length > 24 && text === at(other, path);
      });
      expect(same).toEqual([]);
    }
  });

  it('are all used', () => {
    const isWord = (key: string) => new RegExp(`\\b${key}\\b`).test(code);
    /** A group that is indexed by data, or listed. */
    const isIndexed = (key: string) =>
      new RegExp(`\\b${key}(\\[|\\.map)|\\bwordFor\\([\\w.]*\\b${key},`).test(code);
    const unused = paths(en).filter((path) => {
      const keys = path.split('.');
      return !isWord(keys.at(-1) ?? '') && !keys.slice(0, -1).some(isIndexed);
    });
    expect(unused).toEqual([]);
  });
});
