#!/usr/bin/env node
/** Every view on a phone and on a desk, light and dark: it fits, nothing jumps, STOP can be reached, and nobody is shut out. */

import { barriers, DESKTOP, isLive, PHONE, rest, show, trial } from './lib.mjs';

const VIEWS = ['robot', 'talk', 'tools', 'tools/greet', 'tools/+', 'drive', 'journal', 'health'];
const SIZES = [
  ['phone', { viewport: PHONE, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }],
  ['desk', { viewport: DESKTOP }],
];

/** What a view shows when it has come. */
const THERE = {
  robot: '.scene canvas',
  talk: 'textarea',
  tools: '.tool-list li',
  'tools/greet': '.plots',
  'tools/+': '.cm-content',
  drive: '.pad',
  journal: '.entries > li',
  health: '.health-view .facts',
};

/** What is done in a view, so that there is more to see. */
const DO = {
  async talk(page, eventually, at) {
    await page.locator('textarea').fill('nod, then look left 10 degrees, then look ahead');
    await page.locator('textarea').press('Enter');
    const done = () => page.locator('.robot-reply').last().locator('.badge.is-good').count();
    await eventually(`${at}: what was said is done`, done, (n) => n === 3);
  },
  async 'tools/greet'(page, eventually, at) {
    await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
    await eventually(`${at}: it is rehearsed`, () => page.locator('.replay').count());
    await page.locator('.replay summary').click();
  },
};

/** Sums up how much of what is seen jumps by itself, as browsers measure it. */
const jumps = () => {
  window.jumped = 0;
  new PerformanceObserver((seen) => {
    for (const { hadRecentInput, value } of seen.getEntries())
      if (!hadRecentInput) window.jumped += value;
  }).observe({ type: 'layout-shift', buffered: true });
};

/** More than this is felt (https://web.dev/articles/cls). */
const FELT = 0.1;

await trial('phone', async ({ check, eventually, open }) => {
  await rest();
  for (const [size, options] of SIZES) {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open({ ...options, colorScheme });
      await page.addInitScript(jumps);
      await show(page, 'robot');
      await eventually(`${size}, ${colorScheme}: live`, () => isLive(page));
      for (const view of VIEWS) {
        const at = `${size}, ${colorScheme}, ${view}`;
        if (!view.includes('/')) {
          const link = page.locator(`.nav a[href="#/${view}"]`);
          await (options.hasTouch ? link.tap() : link.click());
        } else {
          await show(page, view);
        }
        await eventually(`${at}: it is there`, () => page.locator(THERE[view]).first().isVisible());
        const jumped = await page.evaluate(() => {
          const sum = window.jumped;
          window.jumped = 0;
          return sum;
        });
        check(`${at}: nothing jumps`, jumped < FELT, jumped);
        await DO[view]?.(page, eventually, at);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(`${at}: nothing is wider than the screen`, over <= 0, over);
        // A point within the button that nothing else covers.
        const reached = await page.evaluate(() => {
          const box = document.querySelector('button.stop').getBoundingClientRect();
          const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
          const isInside = box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
          return isInside && document.elementFromPoint(x, y)?.closest('button.stop') !== null;
        });
        check(`${at}: STOP can be reached`, reached);
        const found = await barriers(page);
        check(`${at}: nothing shuts anybody out`, found.length === 0, found);
      }
      await page.locator('header button.plain').click();
      await page.locator('.settings').waitFor();
      const found = await barriers(page);
      check(
        `${size}, ${colorScheme}, settings: nothing shuts anybody out`,
        found.length === 0,
        found,
      );
      const stop = page.locator('button.stop');
      await (options.hasTouch ? stop.tap() : stop.click());
      await eventually(`${size}, ${colorScheme}: STOP works beside the settings`, () =>
        page.locator('.stop-outcome.is-confirmed').count(),
      );
      await page.context().close();
    }
  }
});
