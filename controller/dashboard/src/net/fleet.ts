/** The fleet that the server is an operator of: its state, polled while the view is open, and commands to its robots. */

import { computed } from '@preact/signals';
import { sortRobots } from '../logic/fleet';
import { decodeAnswer, decodeFleet, type FleetAnswer, type FleetState } from '../protocol/fleet';
import { messages } from '../i18n';
import { post, request } from './http';
import { now, SLOW_STALE_MS } from './live';
import { robotSignal } from './robots';
import { onStop } from './stop';

const POLL_INTERVAL_MS = 1000;
const POLL_TIMEOUT_MS = 5000;

/** The most answers that are shown. */
const MAX_ANSWERS = 30;

/**
 * The most commands that wait for an answer at a time, stops aside. A browser opens six connections to a server; polling
 * and images take three of them.
 */
const MAX_PENDING = 3;

export type FleetCommand = 'say' | 'stop' | 'release' | 'share' | 'get' | 'withdraw';

/** A little longer than the server takes at most, milliseconds. */
const TIMEOUT_MS: Record<FleetCommand, number> = {
  say: 150_000,
  stop: 30_000,
  release: 60_000,
  share: 120_000,
  get: 660_000,
  withdraw: 120_000,
};

export interface Sent {
  id: number;
  command: FleetCommand;
  /** The robots by name; `null` for all. */
  to: string[] | null;
  /** What was asked: a sentence, or the name of a tool. */
  subject: string;
  /** When it was sent, by the clock of the page and by the calendar. */
  since: number;
  sentAt: Date;
  result:
    | { status: 'pending' }
    | { status: 'answered'; answer: FleetAnswer }
    | { status: 'failed'; detail: string };
}

/** The latest state, with its time of arrival by the clock of the page. */
export const fleet = robotSignal<{ at: number; state: FleetState } | null>(null);
/** Why the latest state could not be read. */
export const fleetError = robotSignal('');
/** Whether what is shown of the fleet is old. Computed, so that the robots are not drawn at each tick of the clock. */
export const fleetOld = computed(
  () => fleet.value !== null && now.value - fleet.value.at > SLOW_STALE_MS,
);
/** The commands with their answers, the latest first. */
export const sent = robotSignal<Sent[]>([]);
/** The names of the selected robots. */
export const selected = robotSignal<ReadonlySet<string>>(new Set());
/** The selected robots, in the order in which they are shown. */
export const recipients = (): string[] =>
  sortRobots(fleet.value?.state.robots ?? [])
    .map((robot) => robot.name)
    .filter((name) => selected.value.has(name));

/** The name of a tool and the robot it comes from, as they are being entered. */
export const chosenTool = robotSignal({ name: '', from: '' });

export const isWaiting = (one: Sent): boolean => one.result.status === 'pending';

/** Whether the page waits for so many answers that another command might delay a stop. */
export const isBusy = (): boolean =>
  sent.value.filter((one) => one.command !== 'stop' && isWaiting(one)).length >= MAX_PENDING;

/** The requests that only read. */
const reads = new Set<AbortController>();

/** Ends the requests that only read, so that a stop finds a free connection. Polling continues afterwards. */
function freeConnections(): void {
  reads.forEach((one) => one.abort());
}

onStop(freeConnections);

/** Requests something that a stop may abort, as the given signal does. */
export async function read<T>(
  ending: AbortSignal,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const reading = new AbortController();
  const end = () => reading.abort();
  ending.addEventListener('abort', end);
  reads.add(reading);
  try {
    return await send(reading.signal);
  } finally {
    reads.delete(reading);
    ending.removeEventListener('abort', end);
  }
}

async function pollOnce(ending: AbortSignal): Promise<void> {
  const answer = await read(ending, (signal) =>
    request<unknown>('/api/v1/fleet', { signal, timeoutMs: POLL_TIMEOUT_MS }),
  );
  if (ending.aborted || (!answer.ok && answer.aborted)) return;
  if (!answer.ok) {
    fleetError.value = answer.detail;
    return;
  }
  const state = decodeFleet(answer.value);
  fleetError.value = state === null ? messages.value.link.malformed : '';
  if (state !== null) fleet.value = { at: performance.now(), state };
}

/** Polls the state of the fleet until the signal aborts, one request at a time. */
export async function pollFleet(ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    if (document.visibilityState === 'visible') await pollOnce(ending);
    await new Promise((done) => setTimeout(done, POLL_INTERVAL_MS));
  }
}

let latestId = 0;

/** Sends a command to robots and shows its answer when it arrives. A stop is sent at once, whatever else is pending. */
export async function sendCommand(
  command: FleetCommand,
  body: object,
  { to, subject = '' }: { to: string[] | null; subject?: string },
): Promise<void> {
  if (command === 'stop') freeConnections();
  else if (isBusy()) return;
  latestId += 1;
  const id = latestId;
  const one: Sent = {
    id,
    command,
    to,
    subject,
    since: performance.now(),
    sentAt: new Date(),
    result: { status: 'pending' },
  };
  const before = sent.value.filter((other, at) => at < MAX_ANSWERS - 1 || isWaiting(other));
  sent.value = [one, ...before];
  const response = await post<unknown>(`/api/v1/fleet/${command}`, body, {
    timeoutMs: TIMEOUT_MS[command],
  });
  const result = resultOf(response);
  // If the robot or the user has changed meanwhile, the list no longer contains this command.
  sent.value = sent.value.map((other) => (other.id === id ? { ...other, result } : other));
}

function resultOf(response: Awaited<ReturnType<typeof post<unknown>>>): Sent['result'] {
  if (!response.ok) return { status: 'failed', detail: response.detail };
  const answer = decodeAnswer(response.value);
  return answer === null
    ? { status: 'failed', detail: messages.value.link.malformed }
    : { status: 'answered', answer };
}

/** The name by which the server addresses every robot. */
const ALL = 'all';

export const stopAll = () => sendCommand('stop', { to: [ALL] }, { to: null });
export const stopRobots = (to: string[]) => sendCommand('stop', { to }, { to });
export const releaseRobots = (to: string[]) => sendCommand('release', { to }, { to });

export const say = (to: string[], text: string, together: boolean) =>
  sendCommand('say', { to, text, together }, { to, subject: text });

export const shareTool = (tool: string, from: string) =>
  sendCommand('share', { tool, from }, { to: [from], subject: tool });

/** Installs a tool on robots, from one robot or from whichever shares it. */
export const getTool = (tool: string, to: string[], from: string) =>
  sendCommand('get', { tool, to, ...(from === '' ? {} : { from }) }, { to, subject: tool });

export const withdrawTool = (tool: string) =>
  sendCommand('withdraw', { tool }, { to: null, subject: tool });
