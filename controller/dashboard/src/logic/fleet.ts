/** Computations about a fleet: the order and condition of its robots, its groups, and the catalogue of its tools. */

import type { FleetAnswer, FleetRobot, FleetTool } from '../protocol/fleet';

/** How much of the hash of a tool's code is shown; people compare its beginning. */
const HASH_CHARACTERS = 12;

export const shortHash = (hash: string): string => hash.slice(0, HASH_CHARACTERS);

/** Compares names so that `robot-2` comes before `robot-10`. */
export const compareNames = (one: string, other: string): number =>
  one.localeCompare(other, 'en', { numeric: true });

/** Sorts by name only: a robot stays at its position when it leaves or fails, so that no click goes astray. */
export const sortRobots = (robots: FleetRobot[]): FleetRobot[] =>
  [...robots].sort((one, other) => compareNames(one.name, other.name));

/** The most names that a sentence lists. */
const MAX_NAMES = 4;

/** Lists names. Of many it gives the first and their number. */
export function listNames(names: string[]): string {
  if (names.length <= MAX_NAMES) return names.join(', ');
  return `${names.slice(0, MAX_NAMES).join(', ')} … (${names.length})`;
}

/** Looks up a word by a key from a robot. A key without a word is shown as it is. */
export const wordFor = (words: Readonly<Record<string, string>>, key: string): string =>
  Object.hasOwn(words, key) ? (words[key] ?? key) : key;

/** Returns the groups of all robots with their members in the order of the robots. */
export function groupsOf(robots: FleetRobot[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const robot of robots) {
    for (const group of new Set(robot.status?.groups ?? []))
      groups.set(group, [...(groups.get(group) ?? []), robot.name]);
  }
  return new Map([...groups].sort(([one], [other]) => compareNames(one, other)));
}

/** What matters most about a robot. `motion` stands for its motion state. */
export type Condition = 'absent' | 'silent' | 'no_controller' | 'fault' | 'motion';

export function conditionOf(robot: FleetRobot): Condition {
  if (!robot.present) return 'absent';
  if (robot.status === null) return 'silent';
  if (!robot.status.controller) return 'no_controller';
  return robot.status.fault === null ? 'motion' : 'fault';
}

export interface FleetSummary {
  total: number;
  present: number;
  /** The names of the present robots that need attention, by the reason. */
  silent: string[];
  faults: string[];
  stopped: string[];
}

export function summarize(robots: FleetRobot[]): FleetSummary {
  const present = robots.filter((robot) => robot.present);
  const named = (condition: (robot: FleetRobot) => boolean) =>
    present.filter(condition).map((robot) => robot.name);
  return {
    total: robots.length,
    present: present.length,
    silent: named((robot) => ['silent', 'no_controller'].includes(conditionOf(robot))),
    faults: named((robot) => conditionOf(robot) === 'fault'),
    stopped: named((robot) => robot.status?.stopped != null),
  };
}

/** Selects all of these robots, or none of them if all are selected already. */
export function toggleAll(selected: ReadonlySet<string>, names: string[]): Set<string> {
  const next = new Set(selected);
  const isComplete = names.every((name) => selected.has(name));
  for (const name of names) {
    if (isComplete) next.delete(name);
    else next.add(name);
  }
  return next;
}

/** A tool on one robot. */
export interface Installation extends FleetTool {
  robot: string;
  present: boolean;
}

export interface CatalogueTool {
  name: string;
  /** The installations by the hash of the code, the most common code first. */
  versions: { hash: string; installations: Installation[] }[];
  robots: string[];
  /** The present robots that share it. */
  sharedBy: string[];
  /** Whether every installation is withdrawn. */
  isWithdrawn: boolean;
  runs: number;
  failures: number;
}

/** Collects the tools of all robots by name. */
export function catalogueOf(robots: FleetRobot[]): CatalogueTool[] {
  const byName = new Map<string, Installation[]>();
  for (const { name: robot, present, status } of robots) {
    for (const tool of status?.tools ?? [])
      byName.set(tool.name, [...(byName.get(tool.name) ?? []), { ...tool, robot, present }]);
  }
  return [...byName]
    .map(([name, all]) => catalogueTool(name, all))
    .sort((one, other) => compareNames(one.name, other.name));
}

function catalogueTool(name: string, all: Installation[]): CatalogueTool {
  const byHash = new Map<string, Installation[]>();
  for (const one of all) byHash.set(one.code_sha256, [...(byHash.get(one.code_sha256) ?? []), one]);
  const sum = (numbers: (number | null)[]) =>
    numbers.reduce<number>((total, one) => total + (one ?? 0), 0);
  const isOffered = (one: Installation) => one.present && one.is_shared && !one.is_withdrawn;
  return {
    name,
    versions: [...byHash]
      .map(([hash, installations]) => ({ hash, installations }))
      .sort((one, other) => other.installations.length - one.installations.length),
    robots: [...new Set(all.map((one) => one.robot))],
    sharedBy: [...new Set(all.filter(isOffered).map((one) => one.robot))],
    isWithdrawn: all.every((one) => one.is_withdrawn),
    runs: sum(all.map((one) => one.runs)),
    failures: sum(all.map((one) => one.failures)),
  };
}

/** Counts the replies by their outcome, in the order in which the outcomes first appear. */
export function countOutcomes(answer: FleetAnswer): [string, number][] {
  const counts = new Map<string, number>();
  for (const { outcome } of answer.replies) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts];
}

/** Whether robots answered, and all have done it. */
export const isDone = (answer: FleetAnswer): boolean =>
  answer.refusal === null &&
  answer.replies.length > 0 &&
  answer.replies.every((reply) => reply.outcome === 'done');

/**
 * Returns the robot whose image to load next: of those with an image that has not been tried yet, the one that has
 * waited longest. `tried` has the number of the image that was last tried of each robot, the latest attempt last.
 */
export function nextPicture(
  robots: FleetRobot[],
  tried: ReadonlyMap<string, number>,
): { name: string; picture: number } | null {
  const order = [...tried.keys()];
  const due = robots.flatMap(({ name, picture }) =>
    picture === null || tried.get(name) === picture ? [] : [{ name, picture }],
  );
  due.sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
  return due[0] ?? null;
}
