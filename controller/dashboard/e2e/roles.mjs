#!/usr/bin/env node
/**
 * Roles: after signing in, each role sees what it may do, and the server agrees.
 *
 * The server has to require tokens of this computer too (`server.anonymous_role: none`).
 */

import { request, isLive, show, test } from './lib.mjs';

const tokens = JSON.parse(process.env.MINISMITH_TOKENS ?? '{}');

/** For each role: the enabled buttons, by view. */
const OPEN = {
  viewer: { 'tools/greet': [], drive: [], health: [], 'health/doctor': [] },
  operator: {
    'tools/greet': ['Run', 'Rehearse'],
    drive: ['Take control'],
    health: [],
    'health/doctor': [],
  },
  engineer: {
    'tools/greet': ['Run', 'Rehearse'],
    drive: ['Take control'],
    health: ['Reset statistics'],
    'health/doctor': ['Run checks'],
  },
  owner: {
    'tools/greet': ['Run', 'Rehearse', 'Disable'],
    drive: ['Take control'],
    health: ['Reset statistics'],
    'health/doctor': ['Run checks'],
  },
};
const ALL = OPEN.owner;

/** Requests that change nothing where they are permitted, and the role that each requires. */
const QUESTIONS = [
  ['viewer', '/api/v1/state', 'GET'],
  ['operator', '/api/v1/sessions', 'GET'],
  ['engineer', '/api/v1/journal?limit=1', 'GET'],
  ['engineer', '/api/v1/doctor', 'GET'],
  ['owner', '/api/v1/tools/no_such_tool/approve', 'POST'],
];
const RANK = ['viewer', 'operator', 'engineer', 'owner'];

await test(
  'roles',
  async ({ check, eventually, open }) => {
    const stranger = await open();
    await show(stranger, 'robot');
    await eventually(
      'a user without a token is asked to sign in',
      () => stranger.locator('.connection').textContent(),
      (text) => /Sign in/.test(text),
    );
    check('a user without a token sees no data', (await isLive(stranger)) === 0);
    const settings = (page) => page.locator('header button.plain').click();
    const signIn = async (page, token) => {
      await page.locator('.settings input[type=password]').fill(token);
      await page.locator('.settings').getByRole('button', { name: 'Sign in' }).click();
    };
    await settings(stranger);
    await signIn(stranger, 'minismith_nonsense');
    await eventually('an invalid token is rejected', () =>
      stranger
        .locator('.settings .outcome.is-bad', { hasText: 'Sign-in failed' })
        .textContent({ timeout: 500 }),
    );
    check('an invalid token shows no data', (await isLive(stranger)) === 0);
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
      await signIn(page, token);
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
            `${role}: "${name}" is ${isOpen ? 'enabled' : 'disabled'}`,
            () => button.isEnabled({ timeout: 500 }),
            (enabled) => enabled === isOpen,
          );
        }
      }
      await show(page, 'journal');
      const isShown = RANK.indexOf(role) >= RANK.indexOf('engineer');
      await eventually(`${role}: the journal is ${isShown ? 'shown' : 'closed'}`, () =>
        isShown
          ? page.locator('.entries > li').count()
          : page.getByText('Requires the engineer role.').count(),
      );
      const entries = await page.locator('.entries > li').count();
      check(
        `${role}: the journal shows ${isShown ? 'entries' : 'none'}`,
        entries > 0 === isShown,
        entries,
      );
      for (const [need, path, method] of QUESTIONS) {
        const { status } = await request(path, {
          token,
          method,
          ...(method === 'POST' ? { body: {} } : {}),
        });
        const may = RANK.indexOf(role) >= RANK.indexOf(need);
        check(
          `${role}: the server ${may ? 'accepts' : 'rejects'} ${method} ${path}`,
          may === ![401, 403].includes(status),
          status,
        );
      }
      await page.locator('h2').first().click();
      await page.keyboard.press('Space');
      await eventually(`${role}: STOP is permitted`, () =>
        page.locator('.stop-outcome.is-confirmed').count(),
      );
      await page.context().close();
    }
  },
  { tolerated: [/40[134].*\/(api|health)/, /WebSocket.*\/api\/v1\/telemetry/] },
);
