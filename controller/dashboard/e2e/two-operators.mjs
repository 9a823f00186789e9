#!/usr/bin/env node
/** Two operators want to control one robot: each page shows what the server reports. */

import {
  accessibilityViolations,
  DESKTOP,
  isLive,
  leaseHolder,
  pageWidth,
  request,
  rest,
  show,
  slide,
  state,
  test,
} from './lib.mjs';

await test(
  'two-operators',
  async ({ check, eventually, open }) => {
    await rest();
    const [anna, ben] = [await open(), await open()];
    for (const page of [anna, ben]) await show(page, 'drive');
    for (const page of [anna, ben]) await eventually('a page is live', () => isLive(page));
    const status = (page) => page.locator('.lease > p').textContent();
    const mine = (page) => page.locator('.lease.is-mine').count();
    const take = (page) => page.getByRole('button', { name: 'Take control' }).click();

    for (const page of [anna, ben]) {
      await eventually(
        'a page shows that no one is in control',
        () => status(page),
        (text) => /No one/.test(text),
      );
    }
    await take(anna);
    await eventually('the first takes control', () => mine(anna));
    const held = await eventually('the server confirms it', leaseHolder);
    await eventually(
      'the second sees who is in control',
      () => status(ben),
      (text) => text.includes(`${held.owner} is in control`) && text.includes(held.purpose),
    );

    const ask = () => ben.getByRole('button', { name: 'Ask for control' }).click();
    const banner = anna.locator('.control-request');
    await ask();
    await eventually(
      'the first sees who asks, and for what',
      () => banner.textContent(),
      (text) => text.includes(`${held.owner} asks for control (dashboard)`),
    );
    await eventually(
      'the second sees that it waits',
      () => status(ben),
      (text) => /Waiting for the answer/.test(text),
    );
    const violations = await accessibilityViolations(anna);
    check('the request is accessible', violations.length === 0, violations);
    await anna.setViewportSize({ width: 360, height: 740 });
    const wide = await pageWidth(anna);
    check('it fits a phone', wide <= 360, wide);
    await anna.setViewportSize(DESKTOP);
    await banner.getByRole('button', { name: 'Decline' }).click();
    await eventually(
      'the second is declined',
      () => status(ben),
      (text) => /declined/.test(text),
    );
    check('the second is not in control', (await mine(ben)) === 0);
    check('the first still is', (await mine(anna)) === 1);

    await ask();
    await eventually('the first sees the next request', () => banner.count());
    await ben.getByRole('button', { name: 'Withdraw the request' }).click();
    await eventually(
      'a withdrawn request disappears',
      () => banner.count(),
      (n) => n === 0,
    );

    await show(anna, 'health');
    await ask();
    await eventually('a request is seen on every view', () => banner.count());
    await anna.keyboard.press('h');
    await eventually('a key hands over: the second is in control', () => mine(ben));
    check('the server reports a holder all the time', (await leaseHolder()) !== null);
    await show(anna, 'drive');
    await eventually(
      'the first page says that it handed over',
      () => status(anna),
      (text) => /handed control over/.test(text),
    );
    await eventually('the robot holds', state, (now) => now.motion_state === 'holding');
    await anna.getByRole('button', { name: 'Take over' }).click();
    await eventually('an owner takes over without asking', () => mine(anna));
    await eventually(
      'the second loses control',
      () => mine(ben),
      (n) => n === 0,
    );

    await ben.getByRole('button', { name: 'Take over' }).click();
    await eventually('the second takes over', () => mine(ben));
    await eventually(
      'the first loses control',
      () => mine(anna),
      (n) => n === 0,
    );
    await eventually(
      'the first page reports it',
      () => status(anna),
      (text) => /ended|closed|timed out/.test(text),
    );
    check('the server reports a holder', (await leaseHolder()) !== null, await leaseHolder());

    await slide(ben.locator('.sliders input').first(), 20);
    await eventually(
      'the robot follows the second',
      async () => (await request('/api/v1/state')).value.posture,
      (now) => Math.abs(now.yaw_deg - 20) < 3,
    );
    await anna.getByRole('button', { name: 'Take over' }).click();
    await eventually('the first takes over again', () => mine(anna));
    await eventually(
      'the second loses control',
      () => mine(ben),
      (n) => n === 0,
    );

    await anna.getByRole('button', { name: 'Release control' }).click();
    await eventually('control is released', leaseHolder, (now) => now === null);
    await eventually(
      'no page is in control',
      async () => (await mine(anna)) + (await mine(ben)),
      (n) => n === 0,
    );
    await take(ben);
    await eventually('the second takes control', () => mine(ben));
    await eventually(
      'the first sees it',
      () => status(anna),
      (text) => /is in control/.test(text),
    );
    await ben.close();
    await eventually('closing the page releases control', leaseHolder, (now) => now === null);
    await eventually(
      'the first sees that too',
      () => status(anna),
      (text) => /No one/.test(text),
    );
  },
  { tolerated: [/(409|410).*\/api\/v1\/lease/] },
);
