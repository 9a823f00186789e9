#!/usr/bin/env node
/**
 * No trial: what the first view of the dashboard costs, and beside it Swagger UI of the same server. Medians over visits of
 * somebody who was never here, taken in turns, as one JSON document: `node e2e/load-times.mjs [FILE]`, MINISMITH_ROUNDS=5.
 */

import { writeFileSync } from 'node:fs';
import { DESKTOP, launch, PATIENCE, server } from './lib.mjs';

const ROUNDS = Number(process.env.MINISMITH_ROUNDS ?? 5);

const median = (all) => [...all].sort((one, other) => one - other)[Math.floor(all.length / 2)];

/** Opens an address as a stranger, and tells what came until it is there. */
async function visit(browser, address, there) {
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US' });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(there);
  await page.goto(server() + address);
  await page.waitForFunction(() => window.thereAt !== undefined);
  const figures = await page.evaluate(() => {
    const isFile = ({ entryType, initiatorType }) =>
      entryType === 'navigation' || ['script', 'link', 'css', 'img'].includes(initiatorType);
    const files = performance.getEntries().filter(isFile);
    return {
      bytes: files.reduce((sum, { encodedBodySize = 0 }) => sum + encodedBodySize, 0),
      first_paint_ms: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null,
      live_ms: window.thereAt,
    };
  });
  await context.close();
  return figures;
}

/** Until the page says that the robot is live, and what draws it has come: that belongs to the first view. */
const live = () => {
  const look = () => {
    const drawn = performance
      .getEntriesByType('resource')
      .some(({ name }) => /\/scene-/.test(name));
    if (drawn && document.querySelector('.connection .badge.is-good'))
      window.thereAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
};

/** Until the list of routes is there. */
const listed = () => {
  const look = () => {
    if (document.querySelector('.opblock')) window.thereAt = performance.now();
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
await browser.close();
const medians = (all) =>
  Object.fromEntries(
    Object.keys(all[0]).map((key) => [key, Math.round(median(all.map((one) => one[key])))]),
  );
const figures = JSON.stringify({ page: medians(visits.page), docs: medians(visits.docs) });
if (process.argv[2]) writeFileSync(process.argv[2], figures);
else console.log(figures);
