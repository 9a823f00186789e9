/** Answers of a server that ran, as it gave them. */

import { readFileSync } from 'node:fs';

const fixtureUrl = (name: string) => new URL(`./fixtures/${name}`, import.meta.url);

export const text = (name: string): string => readFileSync(fixtureUrl(name), 'utf8');

export const fixture = <T>(name: string): T => JSON.parse(text(`${name}.json`)) as T;

export function bytes(hex: string): ArrayBuffer {
  const all = new Uint8Array(hex.length / 2);
  for (let at = 0; at < all.length; at += 1) all[at] = parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  return all.buffer;
}
