#!/usr/bin/env node
/** Push-to-talk: Chromium's simulated microphone beeps, and the server plays it at the robot's speaker. */

import { accessibilityViolations, isLive, rest, show, sleep, test } from './lib.mjs';

await test(
  'drive-talk',
  async ({ check, eventually, open }) => {
    await rest();
    const [anna, ben] = [await open(), await open()];
    for (const page of [anna, ben]) {
      await show(page, 'drive');
      await eventually('a page is live', () => isLive(page));
    }
    const text = (page) => page.locator('.talk-through p').textContent();
    const press = async (page) => {
      const button = page.locator('.talk-through .hold');
      await button.scrollIntoViewIfNeeded();
      await button.hover();
      await page.mouse.down();
    };
    await press(anna);
    await eventually(
      'the page says when to speak',
      () => text(anna),
      (shown) => /Speak now/.test(shown),
    );
    const violations = await accessibilityViolations(anna);
    check('the view is accessible', violations.length === 0, violations);
    await sleep(3000);
    check('it goes on while the button is held', /Speak now/.test(await text(anna)));
    await press(ben);
    await eventually(
      'a second one is told why it is not heard',
      () => text(ben),
      (shown) => /another client talks through the robot/.test(shown),
    );
    await ben.mouse.up();
    await anna.mouse.up();
    await eventually(
      'releasing the button ends it',
      () => text(anna),
      (shown) => /People near the robot/.test(shown),
    );
    await eventually(
      'then the second one can talk',
      async () => {
        await press(ben);
        await sleep(1500);
        const shown = await text(ben);
        await ben.mouse.up();
        return shown;
      },
      (shown) => /Speak now/.test(shown),
    );
    await anna.close();
    await ben.close();
  },
  {
    flags: ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'],
    tolerated: [/WebSocket connection to .*\/api\/v1\/speaker/, /409.*\/api\/v1\/speaker/],
  },
);
