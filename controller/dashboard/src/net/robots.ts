/** Which robot the page speaks with, and with which token. An empty base is the server that the page came from. */

import { batch, computed, signal, type Signal } from '@preact/signals';
import { normalizeAddress } from '../protocol/addresses';
import { load, save } from './storage';

function loadRobots(): string[] {
  try {
    const all: unknown = JSON.parse(load('robots') ?? '[]');
    if (!Array.isArray(all)) return [];
    return all.flatMap((one) => (typeof one === 'string' ? (normalizeAddress(one) ?? []) : []));
  } catch {
    return [];
  }
}

export const robots = signal<string[]>(loadRobots());
const chosen = load('robot', 'tab') ?? '';
export const base = signal<string>(robots.value.includes(chosen) ? chosen : '');

/** Changes with every log-in and log-out. */
const loginCount = signal(0);

/** The token for the robot that is chosen; empty where there is none. It never leaves this tab but to that robot. */
export const token = computed<string>(() => {
  void loginCount.value;
  return load(`token.${base.value}`, 'tab') ?? '';
});

/** What to do before another robot is spoken with, or by somebody else. */
const changeListeners = new Set<() => void>();

export function onRobotChange(listener: () => void): void {
  changeListeners.add(listener);
}

/** Something that is known of one robot, and forgotten with it. */
export function robotSignal<T>(initial: T): Signal<T> {
  const value = signal(initial);
  onRobotChange(() => (value.value = initial));
  return value;
}

function switchRobot(change: () => void): void {
  batch(() => {
    changeListeners.forEach((one) => one());
    change();
  });
}

export function logIn(next: string): void {
  switchRobot(() => {
    save(`token.${base.value}`, next === '' ? null : next, 'tab');
    loginCount.value += 1;
  });
}

export function select(robot: string): void {
  if (robot === base.value) return;
  switchRobot(() => (base.value = robot));
  save('robot', robot, 'tab');
}

/** Adds a robot by its address; `false` when that is none. */
export function add(input: string): boolean {
  const robot = normalizeAddress(input);
  if (robot === null) return false;
  if (!robots.value.includes(robot)) saveRobots([...robots.value, robot]);
  select(robot);
  return true;
}

export function remove(robot: string): void {
  saveRobots(robots.value.filter((one) => one !== robot));
  save(`token.${robot}`, null, 'tab');
  if (base.value === robot) select('');
}

function saveRobots(all: string[]): void {
  robots.value = all;
  save('robots', JSON.stringify(all));
}
