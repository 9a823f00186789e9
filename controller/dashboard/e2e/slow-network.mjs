#!/usr/bin/env node
/** Over a bad line: what the page says of the age of what it shows is true, a stop arrives, and a dead line is seen. */

import { ask, isLive, rest, server, show, sleep, state, trial } from './lib.mjs';
import { proxy } from './proxy.mjs';

/** By how much an age that is shown may be too small: how often the page and the trial look, on a slow machine. */
const SLACK_MS = 700;
/** For how long it is looked whether something never comes, milliseconds. */
const WATCH_MS = 6000;

await trial(
  'slow',
  async ({ check, eventually, open }) => {
    await rest();
    const line = await proxy(server());
    const page = await open();
    await show(page, 'robot', line.url);
    await eventually('the page becomes live', () => isLive(page));
    await eventually('the posture is shown', () =>
      page.locator('.robot-view table .numbers, .robot-view table').count(),
    );

    // A turn that goes one way: each angle belongs to one moment.
    const history = [];
    let isWatching = true;
    const watching = (async () => {
      while (isWatching) {
        const { posture } = await state();
        if (posture) history.push({ at: Date.now(), yaw: posture.yaw_deg });
        await sleep(15);
      }
    })();
    const radians = (degrees) => (degrees * Math.PI) / 180;
    const turn = (yaw, duration) =>
      ask('/api/move/goto', {
        method: 'POST',
        body: {
          head_pose: { x: 0, y: 0, z: 0, roll: 0, pitch: 0, yaw: radians(yaw) },
          duration,
          interpolation: 'linear',
        },
      });
    await rest({ yaw: -40 });
    const begun = Date.now();
    await turn(40, 14);
    const seen = [];
    while (Date.now() - begun < 14_000) {
      seen.push(
        await page.evaluate(() => {
          const badge = document.querySelector('.connection .badge');
          const cell = document.querySelector('.robot-view table tbody tr td');
          const [number, unit] = /([\d.,]+) (ms|s)/.exec(badge.textContent)?.slice(1) ?? [];
          const shown = number && Number(number.replace(',', '')) * (unit === 's' ? 1000 : 1);
          return {
            at: Date.now(),
            live: badge.classList.contains('is-good'),
            shown: shown ?? null,
            yaw: Number(cell.textContent.replace('−', '-').replace('°', '')),
          };
        }),
      );
      await sleep(50);
    }
    isWatching = false;
    await watching;
    // Where the head was on its way, and when.
    const moving = seen.filter(({ yaw }) => yaw > -35 && yaw < 35);
    const off = moving.map(({ at, live, shown, yaw }) => {
      const then = history.find((one) => one.at >= begun && one.yaw >= yaw - 0.1);
      const real = at - (then?.at ?? at);
      const claimed = shown ?? (live ? 500 : Infinity);
      return { real, claimed, live, over: real - claimed };
    });
    const worst = off.reduce(
      (one, other) => (other.over > one.over ? other : one),
      off[0] ?? { over: 0 },
    );
    check('something was seen of the turn', off.length > 20, off.length);
    check(
      'it was live at times',
      off.some((one) => one.live),
      off.length,
    );
    check(
      'and stale at times',
      off.some((one) => !one.live),
      off.length,
    );
    check('nothing is older than the page says', worst.over < SLACK_MS, worst);

    await rest({ yaw: 0 });
    await turn(40, 60);
    await eventually('the robot moves', state, (now) => now.doing === 'playing');
    await page.keyboard.press('Space');
    await eventually('a stop over the line is confirmed', () =>
      page.locator('.stop-outcome.is-confirmed').count(),
    );
    await eventually('and the robot holds', state, (now) => now.doing === 'holding');

    await eventually('the page is live again', () => isLive(page));
    line.die();
    await eventually(
      'a dead line is seen',
      () => isLive(page),
      (live) => live === 0,
    );
    let wasLive = 0;
    const until = performance.now() + WATCH_MS;
    while (performance.now() < until) {
      wasLive += await isLive(page);
      await sleep(50);
    }
    check('nothing is said to be live over it', wasLive === 0, wasLive);
    await eventually('and it is said how old everything is', () =>
      page.locator('.stale-bar').textContent({ timeout: 500 }),
    );
    check('the robot is drawn as of before', (await page.locator('.scene.is-old').count()) === 1);
    line.revive();
    await eventually('when the line is back, so is the page', () => isLive(page));
    line.close();
    await rest();
  },
  { tolerated: [/net::ERR|WebSocket|Failed to load resource/] },
);
