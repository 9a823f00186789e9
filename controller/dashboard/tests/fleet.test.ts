import { describe, expect, it } from 'vitest';
import {
  catalogueOf,
  conditionOf,
  countOutcomes,
  groupsOf,
  isDone,
  listNames,
  nextPicture,
  shortHash,
  sortRobots,
  summarize,
  toggleAll,
  wordFor,
} from '../src/logic/fleet';
import { decodeAnswer, decodeFleet, type FleetRobot } from '../src/protocol/fleet';

const HASH = 'ab12cd34ef56'.padEnd(64, '0');
const OTHER_HASH = '99'.padEnd(64, '1');

const tool = (of: object = {}) => ({
  name: 'happy_hello',
  code_sha256: HASH,
  from: null,
  is_shared: true,
  is_withdrawn: false,
  runs: 3,
  failures: 1,
  ...of,
});

const status = (of: object = {}) => ({
  robot: 'kitchen',
  epoch: '778d',
  time_ms: 1,
  groups: ['dancers'],
  controller: true,
  motion_state: 'holding',
  fault: null,
  temperature_c: 31,
  voltage_v: 5,
  stopped: null,
  commands: ['say'],
  state_hz: 10,
  tools: [tool()],
  version: '0.9.0',
  ...of,
});

const robot = (name: string, of: object = {}) => ({
  name,
  present: true,
  picture: 17,
  clock: { offset_ms: 0.3, round_trip_ms: 1.2 },
  status: status(),
  ...of,
});

const robotsOf = (...all: unknown[]): FleetRobot[] =>
  decodeFleet({ fleet: 'lab', operator: 'desk', error: null, robots: all, events: [] })!.robots;

describe('the state of a fleet', () => {
  it('is decoded', () => {
    const event = { robot: 'hall', number: 4, time_ms: 1.5, event: 'stopped', message: 'hm' };
    const state = decodeFleet({
      fleet: 'lab',
      operator: 'desk',
      error: 'no router',
      robots: [robot('kitchen')],
      events: [event],
    })!;
    expect([state.fleet, state.operator, state.error]).toEqual(['lab', 'desk', 'no router']);
    expect(state.events).toEqual([{ ...event, caller: null }]);
    expect(state.robots[0]).toMatchObject({
      name: 'kitchen',
      present: true,
      picture: 17,
      clock: { offset_ms: 0.3, round_trip_ms: 1.2 },
      status: { groups: ['dancers'], temperature_c: 31, stopped: null, commands: ['say'] },
    });
    expect(state.robots[0]!.status!.tools).toEqual([tool()]);
  });

  it('may lack what is optional', () => {
    const [silent, bare] = robotsOf(
      { name: 'a', present: true, picture: null, clock: null, status: null },
      { name: 'b', present: true, status: { tools: [{ name: 'nod' }], stopped: {} } },
    );
    expect(silent).toEqual({
      name: 'a',
      present: true,
      picture: null,
      clock: null,
      status: null,
    });
    expect(bare!.status).toMatchObject({
      controller: true,
      motion_state: null,
      fault: null,
      temperature_c: null,
      groups: [],
      stopped: { caller: null, holds_lease: true },
      tools: [{ name: 'nod', from: null, is_shared: false, runs: null, failures: null }],
    });
  });

  it('is not trusted', () => {
    for (const value of [null, undefined, 'x', [], {}, { robots: {} }])
      expect(decodeFleet(value)).toBe(null);
    const robots = robotsOf(
      null,
      'kitchen',
      { name: '../state' },
      { name: 'X' },
      { name: '' },
      robot('ok', { present: 'yes', picture: 'x', clock: { offset_ms: null }, status: [] }),
      robot('constructor', {
        status: status({ temperature_c: 'hot', voltage_v: Infinity, groups: [1, '', 'g'] }),
      }),
      robot('twice', { picture: 1 }),
      robot('twice', { picture: 2 }),
    );
    expect(robots.map(({ name }) => name)).toEqual(['ok', 'constructor', 'twice']);
    expect(robots[0]).toMatchObject({ present: false, picture: null, clock: null, status: null });
    expect(robots[1]!.status).toMatchObject({
      temperature_c: null,
      voltage_v: null,
      groups: ['g'],
    });
    expect(robots[2]!.picture).toBe(2);
    const events = Array.from({ length: 90 }, (_, number) => ({
      robot: 'a',
      event: 'stopped',
      number,
      message: 'x'.repeat(9000),
    }));
    const state = decodeFleet({ robots: [], events: [...events, { robot: 'a' }, 7] })!;
    expect(state.events.at(-1)!.number).toBe(89);
    expect(state.events.length).toBeLessThanOrEqual(50);
    expect(state.events[0]!.message.length).toBe(2000);
  });
});

describe('the answer to a command', () => {
  it('is decoded by robot', () => {
    const answer = decodeAnswer({
      command: 'say',
      replies: [
        { id: '0', robot: 'kitchen', outcome: 'done', result: { text: 'Done: look left 20 deg.' } },
        { id: null, robot: 'hall', outcome: 'refused', refusal: 'stopped', reason: 'by desk' },
        { robot: 'attic', outcome: 'absent', result: 'x' },
        { outcome: 'done' },
      ],
      clocks: {},
      skew_ms: 2.1,
    })!;
    expect(answer.skew_ms).toBe(2.1);
    expect(
      answer.replies.map(({ robot, outcome, text, reason }) => [robot, outcome, text ?? reason]),
    ).toEqual([
      ['kitchen', 'done', 'Done: look left 20 deg.'],
      ['hall', 'refused', 'by desk'],
      ['attic', 'absent', null],
    ]);
    expect(isDone(answer)).toBe(false);
    expect(countOutcomes(answer)).toEqual([
      ['done', 1],
      ['refused', 1],
      ['absent', 1],
    ]);
  });

  it('may be a refusal, and counts as done only if robots did it', () => {
    const refused = decodeAnswer({ command: 'get', refusal: 'nobody shares it', replies: [] })!;
    expect([refused.refusal, isDone(refused)]).toEqual(['nobody shares it', false]);
    expect(isDone(decodeAnswer({ replies: [] })!)).toBe(false);
    expect(isDone(decodeAnswer({ replies: [{ robot: 'a', outcome: 'done' }] })!)).toBe(true);
    for (const value of [null, [], {}, { replies: 'x' }]) expect(decodeAnswer(value)).toBe(null);
  });
});

describe('the robots', () => {
  it('are sorted by name alone', () => {
    const names = ['robot-10', 'robot-2', 'attic'];
    const robots = robotsOf(...names.map((name, at) => robot(name, { present: at !== 2 })));
    expect(sortRobots(robots).map(({ name }) => name)).toEqual(['attic', 'robot-2', 'robot-10']);
  });

  it('have one condition each', () => {
    const robots = robotsOf(
      robot('gone', { present: false, status: status({ fault: 'x' }) }),
      robot('mute', { status: null }),
      robot('alone', { status: status({ controller: false, fault: 'x' }) }),
      robot('broken', { status: status({ fault: 'x' }) }),
      robot('well', { status: status({ stopped: { caller: 'desk' } }) }),
    );
    const expected = ['absent', 'silent', 'no_controller', 'fault', 'motion'];
    expect(robots.map(conditionOf)).toEqual(expected);
    expect(summarize(robots)).toEqual({
      total: 5,
      present: 4,
      silent: ['mute', 'alone'],
      faults: ['broken'],
      stopped: ['well'],
    });
  });

  it('are selected by group', () => {
    const robots = robotsOf(
      robot('a'),
      robot('b', { status: status({ groups: ['dancers', 'dancers', 'bar'] }) }),
      robot('c', { status: null }),
    );
    expect([...groupsOf(robots)]).toEqual([
      ['bar', ['b']],
      ['dancers', ['a', 'b']],
    ]);
    const some = toggleAll(new Set(['b', 'c']), ['a', 'b']);
    expect([...some].sort()).toEqual(['a', 'b', 'c']);
    expect([...toggleAll(some, ['a', 'b'])]).toEqual(['c']);
  });

  it('are listed by name, many with their number', () => {
    expect(listNames(['a', 'b'])).toBe('a, b');
    expect(listNames(Array.from({ length: 50 }, (_, at) => `r${at}`))).toBe(
      'r0, r1, r2, r3 … (50)',
    );
  });

  it('give keys without a word as they are', () => {
    expect(wordFor({ holding: 'hält' }, 'holding')).toBe('hält');
    for (const key of ['dancing', 'constructor', '__proto__']) expect(wordFor({}, key)).toBe(key);
  });

  it('have their images loaded in turn', () => {
    const robots = robotsOf(
      robot('a', { picture: 3 }),
      robot('b', { picture: 5 }),
      robot('c', { picture: null }),
    );
    expect(nextPicture(robots, new Map())!.name).toBe('a');
    expect(nextPicture(robots, new Map([['a', 2]]))!.name).toBe('b');
    const tried = new Map([
      ['b', 4],
      ['a', 2],
    ]);
    expect(nextPicture(robots, tried)).toEqual({ name: 'b', picture: 5 });
    const all = new Map([
      ['b', 5],
      ['a', 3],
    ]);
    expect(nextPicture(robots, all)).toBe(null);
  });
});

describe('the catalogue', () => {
  it('lists each tool once, with its code, robots and use', () => {
    const robots = robotsOf(
      robot('hall', { status: status({ tools: [tool({ name: 'zoom' }), tool()] }) }),
      robot('kitchen', {
        status: status({
          tools: [tool({ from: 'hall', is_shared: false, runs: null, failures: undefined })],
        }),
      }),
      robot('attic', {
        present: false,
        status: status({ tools: [tool({ code_sha256: OTHER_HASH, is_withdrawn: true })] }),
      }),
    );
    const catalogue = catalogueOf(robots);
    expect(catalogue.map(({ name }) => name)).toEqual(['happy_hello', 'zoom']);
    const [hello] = catalogue;
    expect(hello!.versions.map(({ hash, installations }) => [hash, installations.length])).toEqual([
      [HASH, 2],
      [OTHER_HASH, 1],
    ]);
    expect(hello).toMatchObject({
      robots: ['hall', 'kitchen', 'attic'],
      sharedBy: ['hall'],
      isWithdrawn: false,
      runs: 6,
      failures: 2,
    });
    expect(shortHash(HASH)).toBe('ab12cd34ef56');
  });

  it('says that a tool is withdrawn where it is so on every robot', () => {
    const withdrawn = robot('a', { status: status({ tools: [tool({ is_withdrawn: true })] }) });
    const [one] = catalogueOf(robotsOf(withdrawn, { ...withdrawn, name: 'b' }));
    expect([one!.isWithdrawn, one!.sharedBy]).toEqual([true, []]);
  });
});
