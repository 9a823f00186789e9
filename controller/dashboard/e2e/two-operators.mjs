#!/usr/bin/env node
/** Two people want to steer one robot: what each is shown is what the server says. */

import { ask, isLive, rest, show, trial } from './lib.mjs';

await trial(
  'two',
  async ({ check, eventually, open }) => {
    await rest();
    const [anna, ben] = [await open(), await open()];
    for (const page of [anna, ben]) await show(page, 'drive');
    for (const page of [anna, ben]) await eventually('a page is live', () => isLive(page));
    const lease = async () => (await ask('/api/v1/lease')).value.lease;
    const says = (page) => page.locator('.lease > p').textContent();
    const mine = (page) => page.locator('.lease.is-mine').count();
    const take = (page) => page.getByRole('button', { name: 'Steer the robot' }).click();

    for (const page of [anna, ben]) {
      await eventually(
        'nobody steers, and it is said',
        () => says(page),
        (text) => /Nobody/.test(text),
      );
    }
    await take(anna);
    await eventually('the first has it', () => mine(anna));
    const held = await eventually('the server says so', lease);
    await eventually(
      'the second is told who steers',
      () => says(ben),
      (text) => text.includes(`${held.owner} steers`) && text.includes(held.for),
    );

    await take(ben);
    await eventually(
      'the second is refused',
      () => says(ben),
      (text) => /refused/i.test(text),
    );
    check('and does not steer', (await mine(ben)) === 0);
    check('the first still does', (await mine(anna)) === 1);

    await ben.getByRole('button', { name: 'Take it from them' }).click();
    await eventually('the second takes it', () => mine(ben));
    await eventually(
      'the first has lost it',
      () => mine(anna),
      (n) => n === 0,
    );
    await eventually(
      'and is told so',
      () => says(anna),
      (text) => /ended|closed|does not answer/.test(text),
    );
    check('the server says that somebody steers', (await lease()) !== null, await lease());

    await ben
      .locator('.sliders input')
      .first()
      .evaluate((input) => {
        input.value = '20';
        input.dispatchEvent(new Event('input', { bubbles: true }));
      });
    await eventually(
      'the robot follows the second',
      async () => (await ask('/api/v1/state')).value.posture,
      (now) => Math.abs(now.yaw_deg - 20) < 3,
    );
    await anna.getByRole('button', { name: 'Take it from them' }).click();
    await eventually('the first takes it back', () => mine(anna));
    await eventually(
      'the second has lost it',
      () => mine(ben),
      (n) => n === 0,
    );

    await anna.getByRole('button', { name: 'Give it back' }).click();
    await eventually('it is given back', lease, (now) => now === null);
    await eventually(
      'nobody has it',
      async () => (await mine(anna)) + (await mine(ben)),
      (n) => n === 0,
    );
    await take(ben);
    await eventually('now the second gets it', () => mine(ben));
    await eventually(
      'and the first sees it',
      () => says(anna),
      (text) => /steers the robot/.test(text),
    );
    await ben.close();
    await eventually('with its page it goes', lease, (now) => now === null);
    await eventually(
      'and the first sees that',
      () => says(anna),
      (text) => /Nobody/.test(text),
    );
  },
  { tolerated: [/(409|410).*\/api\/v1\/lease/] },
);
