#!/usr/bin/env node
/** The journal: looked through on the server, page by page, and taken away whole. */

import { readFileSync } from 'node:fs';
import { ask, isLive, show, trial } from './lib.mjs';

/** More than the page asks for at once. */
const CALLS = 340;

await trial('journal', async ({ check, eventually, open }) => {
  for (let at = 0; at < CALLS; at += 1) {
    await ask('/api/v1/plans', { method: 'POST', body: { text: 'nod' } });
  }
  await ask('/api/v1/chat', { method: 'POST', body: { text: 'please paint the moon' } });
  const page = await open({ acceptDownloads: true });
  await show(page, 'journal');
  await eventually('the page is live', () => isLive(page));
  const entries = page.locator('.entries > li');
  const count = () => entries.count();
  await eventually('the latest entries are there', count, (n) => n === 300);
  const earlier = page.getByRole('button', { name: 'Earlier ones' });
  await earlier.click();
  await eventually('and earlier ones when they are wanted', count, (n) => n > CALLS);

  await page.locator('.filters select').first().selectOption('said');
  await eventually(
    'of one kind',
    () => entries.allTextContents(),
    (all) => all.length > 0 && all.every((text) => text.includes('said')),
  );
  await page.locator('.filters input').fill('paint the moon');
  await eventually('with these words', count, (n) => n === 1);
  await entries.first().locator('summary').click();
  await entries.first().getByRole('button', { name: 'All that belongs together' }).click();
  await page.locator('.filters input').fill('');
  await page.locator('.filters select').first().selectOption('');
  await eventually(
    'and all that belongs to it',
    () => entries.allTextContents(),
    (all) => all.length > 1 && all.length < 20 && all.some((text) => text.includes('answer')),
  );
  await page.locator('.filters').getByRole('button', { name: 'All that belongs together' }).click();

  await page.locator('.filters select').first().selectOption('call');
  await eventually('calls again', count, (n) => n === 300);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).first().click(),
  ]);
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\n');
  const all = lines.map((line) => JSON.parse(line));
  check('the file has more than is loaded', all.length >= CALLS, all.length);
  check(
    'and what was looked for only',
    all.every(({ kind }) => kind === 'call'),
  );
});
