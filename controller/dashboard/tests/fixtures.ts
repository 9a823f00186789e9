/** Recorded responses of a server. */

import { readFileSync } from 'node:fs';
import { upgrade, type Shape } from '../src/protocol/compat';

const fixtureUrl = (name: string) => new URL(`./fixtures/${name}`, import.meta.url);

export const text = (name: string): string => readFileSync(fixtureUrl(name), 'utf8');

/** Returns a recorded response, with the names that the page uses. */
export const fixture = <T>(name: string, shape: Shape = {}): T =>
  upgrade(JSON.parse(text(`${name}.json`)), shape) as T;

export function bytes(hex: string): ArrayBuffer {
  const all = new Uint8Array(hex.length / 2);
  for (let at = 0; at < all.length; at += 1) all[at] = parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  return all.buffer;
}
