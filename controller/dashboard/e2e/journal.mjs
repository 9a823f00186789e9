#!/usr/bin/env node
/** The journal: searched on the server, loaded page by page, and downloaded. */

import { request, isLive, savedFile, show, test } from './lib.mjs';

/** More than the page loads at once. */
const CALLS = 340;

await test('journal', async ({ check, eventually, open }) => {
  for (let at = 0; at < CALLS; at += 1) {
    await request('/api/v1/plans', { method: 'POST', body: { text: 'nod' } });
  }
  await request('/api/v1/chat', { method: 'POST', body: { text: 'please paint the moon' } });
  const page = await open({ acceptDownloads: true });
  await show(page, 'journal');
  await eventually('the page is live', () => isLive(page));
  const entries = page.locator('.entries > li');
  const count = () => entries.count();
  await eventually('the latest entries are shown', count, (n) => n === 300);
  const older = page.getByRole('button', { name: 'Older entries' });
  await older.click();
  await eventually('older entries are loaded on request', count, (n) => n > CALLS);

  await page.locator('.filters select').first().selectOption('utterance');
  await eventually(
    'entries are filtered by type',
    () => entries.allTextContents(),
    (all) => all.length > 0 && all.every((text) => text.includes('utterance')),
  );
  await page.locator('.filters input').fill('paint the moon');
  await eventually('entries are filtered by text', count, (n) => n === 1);
  await entries.first().locator('summary').click();
  await entries.first().getByRole('button', { name: 'Show the whole request' }).click();
  await page.locator('.filters input').fill('');
  await page.locator('.filters select').first().selectOption('');
  await eventually(
    'all entries of the request are shown',
    () => entries.allTextContents(),
    (all) => all.length > 1 && all.length < 20 && all.some((text) => text.includes('answer')),
  );
  await page.locator('.filters').getByRole('button', { name: 'Show the whole request' }).click();

  await page.locator('.filters select').first().selectOption('http_request');
  await eventually('HTTP requests are shown', count, (n) => n === 300);
  const { text } = await savedFile(page, () =>
    page.getByRole('button', { name: 'Download' }).first().click(),
  );
  const lines = text.trim().split('\n');
  const all = lines.map((line) => JSON.parse(line));
  check('the file has more entries than the page has loaded', all.length >= CALLS, all.length);
  check(
    'the file has only entries of the selected type',
    all.every(({ kind }) => kind === 'http_request' || kind === 'call'),
  );
});
