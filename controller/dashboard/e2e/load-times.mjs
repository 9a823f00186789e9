#!/usr/bin/env node
/**
 * Not a test: measures the first load of the dashboard, next to Swagger UI of the same server. Prints medians of
 * alternating visits without a cache as one JSON document: `node e2e/load-times.mjs [FILE]`, MINISMITH_ROUNDS=5.
 */

import { writeFileSync } from 'node:fs';
import { DESKTOP, launch, TIMEOUT_MS, server } from './lib.mjs';

const ROUNDS = Number(process.env.MINISMITH_ROUNDS ?? 5);

/** The views that load more than the first one. */
const VIEWS = ['robot', 'talk', 'tools', 'tools/+', 'drive', 'plots', 'journal', 'health'];

const median = (all) => [...all].sort((one, other) => one - other)[Math.floor(all.length / 2)];

/** Opens an address without a cache and measures until `ready` marks the page as loaded. */
async function visit(browser, address, ready) {
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US' });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.addInitScript(ready);
  await page.goto(server() + address);
  await page.waitForFunction(() => window.readyAt !== undefined);
  const figures = await page.evaluate(() => {
    const isFile = ({ entryType, initiatorType }) =>
      entryType === 'navigation' || ['script', 'link', 'css', 'img'].includes(initiatorType);
    const files = performance.getEntries().filter(isFile);
    return {
      bytes: files.reduce((sum, { encodedBodySize = 0 }) => sum + encodedBodySize, 0),
      first_paint_ms: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
      live_ms: window.readyAt,
    };
  });
  await context.close();
  return figures;
}

/** Waits until the robot is live and the 3D renderer, which belongs to the first view, is loaded. */
const live = () => {
  const look = () => {
    const drawn = performance
      .getEntriesByType('resource')
      .some(({ name }) => /\/scene-/.test(name));
    const painted = performance.getEntriesByName('first-contentful-paint').length > 0;
    if (painted && drawn && document.querySelector('.connection .badge.is-good'))
      window.readyAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
};

/** Waits until a view is shown and nothing more has been loaded for a second. */
const shown = () => {
  const look = () => {
    const files = performance.getEntriesByType('resource');
    const last = files.reduce((latest, { responseEnd }) => Math.max(latest, responseEnd), 0);
    const isThere = document.querySelector('main .card') !== null;
    if (isThere && performance.now() - last > 1000) window.readyAt = last;
    else setTimeout(look, 100);
  };
  look();
};

/** Waits until the list of routes is shown. */
const listed = () => {
  const look = () => {
    if (document.querySelector('.opblock')) window.readyAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
};

const browser = await launch();
const visits = { page: [], docs: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  visits.page.push(await visit(browser, '/', live));
  visits.docs.push(await visit(browser, '/docs/', listed));
}
// What each view loads on a first visit, all in all.
const views = {};
for (const view of VIEWS) views[view] = (await visit(browser, `/#/${view}`, shown)).bytes;
await browser.close();
const medians = (all) =>
  Object.fromEntries(
    Object.keys(all[0]).map((key) => [key, Math.round(median(all.map((one) => one[key])))]),
  );
const [page, docs] = [medians(visits.page), medians(visits.docs)];
const figures = JSON.stringify({ page, docs, views });
if (process.argv[2]) writeFileSync(process.argv[2], figures);
else console.log(figures);
