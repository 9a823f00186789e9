#!/usr/bin/env node
/**
 * Who may do what: each role logs in, sees what is open to it, and the server says the same.
 *
 * The server has to want tokens of this machine too (`server.anonymous_role: none`), or be asked by another address.
 */

import { ask, isLive, show, trial } from './lib.mjs';

const tokens = JSON.parse(process.env.MINISMITH_TOKENS ?? '{}');

/** For each role: what is open to it, by view. */
const OPEN = {
  viewer: { 'tools/greet': [], drive: [], health: [] },
  operator: { 'tools/greet': ['Run', 'Rehearse'], drive: ['Steer the robot'], health: [] },
  engineer: {
    'tools/greet': ['Run', 'Rehearse'],
    drive: ['Steer the robot'],
    health: ['Measure anew', 'Examine'],
  },
  owner: {
    'tools/greet': ['Run', 'Rehearse', 'Take out of use'],
    drive: ['Steer the robot'],
    health: ['Measure anew', 'Examine'],
  },
};
const ALL = OPEN.owner;

/** What the server is asked for each, that changes nothing where it is allowed. */
const QUESTIONS = [
  ['viewer', '/api/v1/state', 'GET'],
  ['operator', '/api/v1/sessions', 'GET'],
  ['engineer', '/api/v1/journal?limit=1', 'GET'],
  ['engineer', '/api/v1/doctor', 'GET'],
  ['owner', '/api/v1/tools/no_such_tool/approve', 'POST'],
];
const RANK = ['viewer', 'operator', 'engineer', 'owner'];

await trial(
  'roles',
  async ({ check, eventually, open }) => {
    const stranger = await open();
    await show(stranger, 'robot');
    await eventually(
      'a stranger is told to log in',
      () => stranger.locator('.connection').textContent(),
      (text) => /Log in/.test(text),
    );
    check('and sees nothing of the robot', (await isLive(stranger)) === 0);
    const settings = (page) => page.locator('header button.plain').click();
    const logIn = async (page, token) => {
      await page.locator('.settings input[type=password]').fill(token);
      await page.locator('.settings').getByRole('button', { name: 'Log in' }).click();
    };
    await settings(stranger);
    await logIn(stranger, 'minismith_nonsense');
    await eventually('a wrong token is told to be none', () =>
      stranger
        .locator('.settings .outcome.is-bad', { hasText: 'Not accepted' })
        .textContent({ timeout: 500 }),
    );
    check('and opens nothing', (await isLive(stranger)) === 0);
    await stranger.context().close();

    for (const role of RANK) {
      const token = tokens[role];
      if (!token) {
        check(`there is a token for the role ${role}`, false);
        continue;
      }
      const page = await open();
      await show(page, 'robot');
      await settings(page);
      await logIn(page, token);
      await eventually(`${role}: the page is live`, () => isLive(page));
      await eventually(
        `${role}: the page names the role`,
        () => page.locator('.settings strong').first().textContent(),
        (text) => text.startsWith(role),
      );
      await page.locator('.settings .card-head button').click();
      for (const [view, buttons] of Object.entries(ALL)) {
        await show(page, view);
        for (const name of buttons) {
          const button = page.locator('main').getByRole('button', { name, exact: true });
          const isOpen = OPEN[role][view].includes(name);
          await eventually(
            `${role}: "${name}" is ${isOpen ? 'open' : 'closed'}`,
            () => button.isEnabled({ timeout: 500 }),
            (enabled) => enabled === isOpen,
          );
        }
      }
      await show(page, 'journal');
      const isTold = RANK.indexOf(role) >= RANK.indexOf('engineer');
      await eventually(`${role}: the journal is ${isTold ? 'told' : 'closed'}`, () =>
        isTold
          ? page.locator('.entries > li').count()
          : page.getByText('Needs the role engineer.').count(),
      );
      const entries = await page.locator('.entries > li').count();
      check(
        `${role}: the journal shows ${isTold ? 'entries' : 'none'}`,
        entries > 0 === isTold,
        entries,
      );
      for (const [need, path, method] of QUESTIONS) {
        const { status } = await ask(path, {
          token,
          method,
          ...(method === 'POST' ? { body: {} } : {}),
        });
        const may = RANK.indexOf(role) >= RANK.indexOf(need);
        check(
          `${role}: the server ${may ? 'answers' : 'refuses'} ${method} ${path}`,
          may === ![401, 403].includes(status),
          status,
        );
      }
      await page.locator('h2').first().click();
      await page.keyboard.press('Space');
      await eventually(`${role}: STOP is open to everybody`, () =>
        page.locator('.stop-outcome.is-confirmed').count(),
      );
      await page.context().close();
    }
  },
  { tolerated: [/40[134].*\/(api|health)/, /WebSocket.*\/api\/v1\/telemetry/] },
);
