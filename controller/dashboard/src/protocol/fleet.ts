/**
 * The server's responses about a fleet. Robots write most of their content, so each field is checked here: a field of
 * the wrong type counts as missing, and a robot without a valid name is left out.
 */

export interface FleetTool {
  name: string;
  code_sha256: string;
  /** The robot that it was imported from; `null` on the robot that it comes from. */
  from: string | null;
  is_shared: boolean;
  is_withdrawn: boolean;
  runs: number | null;
  failures: number | null;
}

export interface FleetStatus {
  groups: string[];
  /** Whether the robot's controller responds to its agent. */
  controller: boolean;
  motion_state: string | null;
  fault: string | null;
  temperature_c: number | null;
  voltage_v: number | null;
  /** Who has stopped the robot. The stop holds until its release. */
  stopped: { caller: string | null; holds_lease: boolean } | null;
  /** The commands that run or are queued. */
  commands: string[];
  tools: FleetTool[];
  version: string;
}

export interface FleetRobot {
  name: string;
  present: boolean;
  /** Changes with each image; `null` if the robot publishes none. */
  picture: number | null;
  clock: { offset_ms: number; round_trip_ms: number | null } | null;
  status: FleetStatus | null;
}

export interface FleetEvent {
  robot: string;
  number: number | null;
  time_ms: number | null;
  event: string;
  caller: string | null;
  message: string;
}

export interface FleetState {
  fleet: string;
  operator: string;
  /** Why the fleet cannot be reached. */
  error: string | null;
  robots: FleetRobot[];
  /** The oldest first. */
  events: FleetEvent[];
}

export interface FleetReply {
  robot: string;
  outcome: string;
  refusal: string | null;
  reason: string | null;
  /** What the robot says about it. */
  text: string | null;
}

export interface FleetAnswer {
  /** Why no robot was asked. */
  refusal: string | null;
  replies: FleetReply[];
  /** How far apart the robots began, if they were to begin together. */
  skew_ms: number | null;
}

/** Bounds for what a broken or hostile robot may send; beyond them a list or a text is cut. */
const MAX_TEXT = 2000;
const MAX_ITEMS = 1000;
const MAX_EVENTS = 50;

/** What the fleet permits as the name of a robot. */
const ROBOT_NAME = /^[a-z0-9_-]{1,40}$/;

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

const text = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, MAX_TEXT) : null;

const nonEmpty = (value: unknown): string | null => text(value) || null;

const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Decodes each item of a list, and leaves out those that cannot be. */
function list<T>(value: unknown, decode: (item: unknown) => T | null): T[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_ITEMS).flatMap((item) => {
    const decoded = decode(item);
    return decoded === null ? [] : [decoded];
  });
}

function decodeTool(value: unknown): FleetTool | null {
  const tool = fields(value);
  const name = nonEmpty(tool?.['name']);
  if (tool === null || name === null) return null;
  return {
    name,
    code_sha256: text(tool['code_sha256']) ?? '',
    from: nonEmpty(tool['from']),
    is_shared: tool['is_shared'] === true,
    is_withdrawn: tool['is_withdrawn'] === true,
    runs: number(tool['runs']),
    failures: number(tool['failures']),
  };
}

function decodeStatus(value: unknown): FleetStatus | null {
  const status = fields(value);
  if (status === null) return null;
  const stopped = fields(status['stopped']);
  return {
    groups: list(status['groups'], nonEmpty),
    controller: status['controller'] !== false,
    motion_state: nonEmpty(status['motion_state']),
    fault: nonEmpty(status['fault']),
    temperature_c: number(status['temperature_c']),
    voltage_v: number(status['voltage_v']),
    stopped: stopped && {
      caller: nonEmpty(stopped['caller']),
      holds_lease: stopped['holds_lease'] !== false,
    },
    commands: list(status['commands'], nonEmpty),
    tools: list(status['tools'], decodeTool),
    version: text(status['version']) ?? '',
  };
}

function decodeRobot(value: unknown): FleetRobot | null {
  const robot = fields(value);
  const name = robot?.['name'];
  if (robot === null || typeof name !== 'string' || !ROBOT_NAME.test(name)) return null;
  const clock = fields(robot['clock']);
  const offset = number(clock?.['offset_ms']);
  return {
    name,
    present: robot['present'] === true,
    picture: number(robot['picture']),
    clock:
      offset === null
        ? null
        : { offset_ms: offset, round_trip_ms: number(clock?.['round_trip_ms']) },
    status: decodeStatus(robot['status']),
  };
}

function decodeEvent(value: unknown): FleetEvent | null {
  const event = fields(value);
  const robot = nonEmpty(event?.['robot']);
  const kind = nonEmpty(event?.['event']);
  if (event === null || robot === null || kind === null) return null;
  return {
    robot,
    number: number(event['number']),
    time_ms: number(event['time_ms']),
    event: kind,
    caller: nonEmpty(event['caller']),
    message: text(event['message']) ?? '',
  };
}

/** Returns `null` if the value is no state of a fleet. */
export function decodeFleet(value: unknown): FleetState | null {
  const state = fields(value);
  if (state === null || !Array.isArray(state['robots'])) return null;
  const byName = new Map(list(state['robots'], decodeRobot).map((robot) => [robot.name, robot]));
  const events = state['events'];
  return {
    fleet: text(state['fleet']) ?? '',
    operator: text(state['operator']) ?? '',
    error: nonEmpty(state['error']),
    robots: [...byName.values()],
    events: list(Array.isArray(events) ? events.slice(-MAX_EVENTS) : [], decodeEvent),
  };
}

function decodeReply(value: unknown): FleetReply | null {
  const reply = fields(value);
  const robot = nonEmpty(reply?.['robot']);
  if (reply === null || robot === null) return null;
  return {
    robot,
    outcome: text(reply['outcome']) ?? '',
    refusal: nonEmpty(reply['refusal']),
    reason: nonEmpty(reply['reason']),
    text: nonEmpty(fields(reply['result'])?.['text']),
  };
}

/** Returns `null` if the value is no answer to a command. */
export function decodeAnswer(value: unknown): FleetAnswer | null {
  const answer = fields(value);
  if (answer === null) return null;
  const refusal = nonEmpty(answer['refusal']);
  if (refusal === null && !Array.isArray(answer['replies'])) return null;
  return {
    refusal,
    replies: list(answer['replies'], decodeReply),
    skew_ms: number(answer['skew_ms']),
  };
}
