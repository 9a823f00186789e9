#!/usr/bin/env node
/** A slow network: the ages that the page shows are true, a stop arrives, and a dead connection is noticed. */

import { request, isLive, rest, server, show, sleep, state, test } from './lib.mjs';
import { proxy } from './proxy.mjs';

/** How much too small a shown age may be: the polling intervals of page and test, on a slow machine. */
const SLACK_MS = 700;
/** How long the test watches that something never happens, milliseconds. */
const WATCH_MS = 6000;

await test(
  'slow-network',
  async ({ check, eventually, open }) => {
    await rest();
    const line = await proxy(server());
    const page = await open();
    await show(page, 'robot', line.url);
    await eventually('the page becomes live', () => isLive(page));
    await eventually('the posture is shown', () =>
      page.locator('.robot-view table .numbers, .robot-view table').count(),
    );

    // A turn in one direction: each angle belongs to one moment.
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
      request('/api/move/goto', {
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
    // The samples in which the head was moving, and when it was there.
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
    check('the page showed the turn', off.length > 20, off.length);
    check(
      'the page was live at times',
      off.some((one) => one.live),
      off.length,
    );
    check(
      'the page was stale at times',
      off.some((one) => !one.live),
      off.length,
    );
    check('no data is older than the page claims', worst.over < SLACK_MS, worst);

    await rest({ yaw: 0 });
    await turn(40, 60);
    await eventually('the robot moves', state, (now) => now.doing === 'playing');
    await page.keyboard.press('Space');
    await eventually('a stop over the slow network is confirmed', () =>
      page.locator('.stop-outcome.is-confirmed').count(),
    );
    await eventually('the robot holds', state, (now) => now.motion_state === 'holding');

    await eventually('the page is live again', () => isLive(page));
    line.die();
    await eventually(
      'a dead connection is noticed',
      () => isLive(page),
      (live) => live === 0,
    );
    let wasLive = 0;
    const until = performance.now() + WATCH_MS;
    while (performance.now() < until) {
      wasLive += await isLive(page);
      await sleep(50);
    }
    check('nothing is shown as live meanwhile', wasLive === 0, wasLive);
    await eventually('the page shows the age of its data', () =>
      page.locator('.stale-bar').textContent({ timeout: 500 }),
    );
    check('the 3D view is marked as stale', (await page.locator('.scene.is-old').count()) === 1);
    line.revive();
    await eventually('the page recovers with the network', () => isLive(page));
    line.close();
    await rest();
  },
  { tolerated: [/net::ERR|WebSocket|Failed to load resource/] },
);
