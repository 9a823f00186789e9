import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The most lines of a file. */
const MAX_LINES = 600;

const files = ['src', 'tests', 'e2e'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(root, folder, String(name)))
    .filter((path) => /\.(tsx?|mjs|css)$/.test(path) && statSync(path).isFile()),
);

/** Returns the modules of the project that a module imports. */
function imports(path: string): string[] {
  const code = readFileSync(path, 'utf8');
  const specifiers = code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']*)'/g);
  return [...specifiers].flatMap(([, specifier]) => {
    const target = join(dirname(path), specifier!.replace(/\?.*$/, ''));
    const names = [target, `${target}.ts`, `${target}.tsx`, join(target, 'index.ts')];
    return names.filter((name) => existsSync(name) && statSync(name).isFile()).slice(0, 1);
  });
}

/** Returns the first circle of imports, as paths from a module back to itself. */
function circle(graph: Map<string, string[]>): string[] {
  const finished = new Set<string>();
  const visit = (path: string, trail: string[]): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (finished.has(path)) return [];
    for (const next of graph.get(path) ?? []) {
      const found = visit(next, [...trail, path]);
      if (found.length > 0) return found;
    }
    finished.add(path);
    return [];
  };
  for (const path of graph.keys()) {
    const found = visit(path, []);
    if (found.length > 0) return found;
  }
  return [];
}

describe('the source files', () => {
  it('import one another without circles', () => {
    const graph = new Map(files.map((path) => [path, imports(path)]));
    expect([...graph.values()].flat().length).toBeGreaterThan(200);
    expect(circle(graph).map((path) => relative(root, path))).toEqual([]);
    const small = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b']],
    ]);
    expect(circle(small)).toEqual(['b', 'c', 'b']);
  });

  it('are short', () => {
    const long = files.filter((path) => readFileSync(path, 'utf8').split('\n').length > MAX_LINES);
    expect(long.map((path) => relative(root, path))).toEqual([]);
    expect(files.length).toBeGreaterThan(100);
  });
});
