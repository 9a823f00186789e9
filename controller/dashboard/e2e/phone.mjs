#!/usr/bin/env node
/** Every view on a phone and on a desktop, light and dark: it fits, is stable and accessible, and STOP is in reach. */

import { accessibilityViolations, DESKTOP, isLive, PHONE, rest, show, test } from './lib.mjs';

const VIEWS = [
  'robot',
  'talk',
  'tools',
  'tools/greet',
  'tools/+',
  'drive',
  'plots',
  'journal',
  'health',
  'health/doctor',
];
const SIZES = [
  [
    'phone',
    { viewport: { ...PHONE, width: 360 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
  ],
  ['desktop', { viewport: DESKTOP }],
];

/** The element that shows that a view is loaded. */
const LOADED = {
  robot: '.scene canvas',
  talk: 'textarea',
  tools: '.tool-list li',
  'tools/greet': '.plots',
  'tools/+': '.cm-content',
  drive: '.pad',
  plots: '.legend tbody tr',
  journal: '.entries > li',
  health: '.health-view .facts',
  'health/doctor': '.checks li',
};

/** Actions that show more of a view. */
const ACTIONS = {
  async talk(page, eventually, at) {
    await page.locator('textarea').fill('nod, then look left 10 degrees, then look ahead');
    await page.locator('textarea').press('Enter');
    const done = () => page.locator('.robot-reply').last().locator('.badge.is-good').count();
    await eventually(`${at}: the request is done`, done, (n) => n === 3);
  },
  async 'tools/+'(page, eventually, at) {
    const code = page.locator('.cm-content');
    await eventually(`${at}: the example passes`, () => page.locator('.expectations li').count());
    await code.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('import os\n');
    await eventually(`${at}: a finding is shown`, () => page.locator('.findings .why').count());
    await page.locator('.findings .why summary').first().click();
    await page.keyboard.press('Control+Home');
  },
  async 'tools/greet'(page, eventually, at) {
    await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
    await eventually(`${at}: the tool is rehearsed`, () => page.locator('.replay').count());
    await page.locator('.replay summary').click();
  },
};

/** Sums up the layout shifts, as browsers measure them. */
const observeShifts = () => {
  window.layoutShift = 0;
  new PerformanceObserver((seen) => {
    for (const { hadRecentInput, value } of seen.getEntries())
      if (!hadRecentInput) window.layoutShift += value;
  }).observe({ type: 'layout-shift', buffered: true });
};

/** More than this is noticeable (https://web.dev/articles/cls). */
const MAX_SHIFT = 0.1;

await test('phone', async ({ check, eventually, open }) => {
  await rest();
  for (const [size, options] of SIZES) {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open({ ...options, colorScheme });
      await page.addInitScript(observeShifts);
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
        await eventually(`${at}: the view is loaded`, () =>
          page.locator(LOADED[view]).first().isVisible(),
        );
        const shift = await page.evaluate(() => {
          const sum = window.layoutShift;
          window.layoutShift = 0;
          return sum;
        });
        check(`${at}: the layout is stable`, shift < MAX_SHIFT, shift);
        await ACTIONS[view]?.(page, eventually, at);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(`${at}: nothing is wider than the screen`, over <= 0, over);
        // The centre of the button has to be visible and uncovered.
        const reached = await page.evaluate(() => {
          const box = document.querySelector('button.stop').getBoundingClientRect();
          const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
          const isInside = box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
          return isInside && document.elementFromPoint(x, y)?.closest('button.stop') !== null;
        });
        check(`${at}: STOP is in reach`, reached);
        const found = await accessibilityViolations(page);
        check(`${at}: no accessibility violations`, found.length === 0, found);
      }
      await page.locator('header button.plain').click();
      await page.locator('.settings').waitFor();
      const found = await accessibilityViolations(page);
      check(
        `${size}, ${colorScheme}, settings: no accessibility violations`,
        found.length === 0,
        found,
      );
      const stop = page.locator('button.stop');
      await (options.hasTouch ? stop.tap() : stop.click());
      await eventually(`${size}, ${colorScheme}: STOP works next to the settings`, () =>
        page.locator('.stop-outcome.is-confirmed').count(),
      );
      await page.context().close();
    }
  }
});
