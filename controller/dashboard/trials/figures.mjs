#!/usr/bin/env node
/** No trial: what the first view costs. Medians of five fresh visits, as one JSON document. */

import { launch, PATIENCE, DESKTOP, server } from './lib.mjs';

const VISITS = 5;

const median = (all) => [...all].sort((one, other) => one - other)[Math.floor(all.length / 2)];

async function visit(browser) {
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US' });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(() => {
    const look = () => {
      if (document.querySelector('.connection .badge.is-good') === null)
        requestAnimationFrame(look);
      else window.liveAt = performance.now();
    };
    requestAnimationFrame(look);
  });
  await page.goto(`${server()}/`);
  await page.waitForFunction(() => window.liveAt !== undefined);
  // What draws the robot belongs to the first view, and is loaded after the rest.
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => /\/assets\/scene-/.test(name)),
  );
  const figures = await page.evaluate(() => {
    const files = performance
      .getEntries()
      .filter(
        ({ entryType, name }) => entryType === 'navigation' || /\/(assets\/|favicon)/.test(name),
      );
    return {
      bundle_gz_bytes: files.reduce((sum, { encodedBodySize = 0 }) => sum + encodedBodySize, 0),
      first_paint_ms: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null,
      live_ms: window.liveAt,
    };
  });
  await context.close();
  return figures;
}

const browser = await launch();
const visits = [];
for (let at = 0; at < VISITS; at += 1) visits.push(await visit(browser));
await browser.close();
const of = (key) => Math.round(median(visits.map((one) => one[key])));
console.log(
  JSON.stringify({
    bundle_gz_bytes: of('bundle_gz_bytes'),
    first_paint_ms: of('first_paint_ms'),
    live_ms: of('live_ms'),
  }),
);
