/** The selected robot and its token. An empty base address is the server that served the page. */

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

/** Changes on each sign-in and sign-out. */
const loginCount = signal(0);

/** The token for the selected robot; empty if there is none. It leaves this tab only for that robot. */
export const token = computed<string>(() => {
  void loginCount.value;
  return load(`token.${base.value}`, 'tab') ?? '';
});

/** Called before the robot or the user changes. */
const changeListeners = new Set<() => void>();

export function onRobotChange(listener: () => void): void {
  changeListeners.add(listener);
}

/** Returns a signal that is reset when the robot or the user changes. */
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

/** Adds a robot by its address. Returns `false` if the address is invalid. */
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
