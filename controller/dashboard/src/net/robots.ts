/** Which robot the page speaks with, and with which token. An empty base is the server that the page came from. */

import { batch, computed, signal, type Signal } from '@preact/signals';
import { address } from '../protocol/addresses';
import { recall, remember } from './storage';

function remembered(): string[] {
  try {
    const all: unknown = JSON.parse(recall('robots') ?? '[]');
    if (!Array.isArray(all)) return [];
    return all.flatMap((one) => (typeof one === 'string' ? (address(one) ?? []) : []));
  } catch {
    return [];
  }
}

export const robots = signal<string[]>(remembered());
const chosen = recall('robot', 'tab') ?? '';
export const base = signal<string>(robots.value.includes(chosen) ? chosen : '');

/** Changes with every log-in and log-out. */
const logins = signal(0);

/** The token for the robot that is chosen; empty where there is none. It never leaves this tab but to that robot. */
export const token = computed<string>(() => {
  void logins.value;
  return recall(`token.${base.value}`, 'tab') ?? '';
});

/** What to do before another robot is spoken with, or by somebody else. */
const partings = new Set<() => void>();

export function onParting(part: () => void): void {
  partings.add(part);
}

/** Something that is known of one robot, and forgotten with it. */
export function ofRobot<T>(first: T): Signal<T> {
  const known = signal(first);
  onParting(() => (known.value = first));
  return known;
}

function part(change: () => void): void {
  batch(() => {
    partings.forEach((one) => one());
    change();
  });
}

export function logIn(next: string): void {
  part(() => {
    remember(`token.${base.value}`, next === '' ? null : next, 'tab');
    logins.value += 1;
  });
}

export function choose(robot: string): void {
  if (robot === base.value) return;
  part(() => (base.value = robot));
  remember('robot', robot, 'tab');
}

/** Adds a robot by its address; `false` when that is none. */
export function add(written: string): boolean {
  const robot = address(written);
  if (robot === null) return false;
  if (!robots.value.includes(robot)) keep([...robots.value, robot]);
  choose(robot);
  return true;
}

export function remove(robot: string): void {
  keep(robots.value.filter((one) => one !== robot));
  remember(`token.${robot}`, null, 'tab');
  if (base.value === robot) choose('');
}

function keep(all: string[]): void {
  robots.value = all;
  remember('robots', JSON.stringify(all));
}
