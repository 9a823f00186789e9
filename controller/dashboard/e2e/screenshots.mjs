#!/usr/bin/env node
/** Not a test: takes screenshots of every view. `node e2e/screenshots.mjs FOLDER` */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request, isLive, launch, TIMEOUT_MS, PHONE, DESKTOP, rest, show, sleep } from './lib.mjs';
import { reducePalette } from './png.mjs';

const folder = process.argv[2];
if (!folder) throw new Error('name a folder for the screenshots');
mkdirSync(folder, { recursive: true });

/** The maximum size of a screenshot, bytes. */
const MAX_BYTES = 150_000;

const LIVELY = { yaw: 22, pitch: -8, roll: 9, body_yaw: 12, antennas: [-40, 35] };

const browser = await launch();

async function open(options) {
  const context = await browser.newContext({
    locale: 'en-US',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  return page;
}

/** Waits until the page is live and shows the camera image. */
async function settle(page) {
  await page.waitForFunction(() => document.querySelector('.connection .badge.is-good') !== null);
  if (await page.locator('.camera').count()) await page.waitForSelector('.camera:not(.is-old)');
  // The drawing lags behind the data by a frame or two.
  await sleep(1200);
  if (!(await isLive(page))) throw new Error('the page is not live');
}

async function shoot(page, name) {
  await settle(page);
  const path = join(folder, `${name}.png`);
  const image = reducePalette(await page.screenshot({ animations: 'disabled', caret: 'hide' }));
  writeFileSync(path, image);
  console.log(`${path} ${image.length}`);
  if (image.length > MAX_BYTES) throw new Error(`${path} is too large`);
}

async function say(page, text, steps) {
  const before = await page.locator('.robot-reply').count();
  await page.locator('textarea').fill(text);
  await page.locator('textarea').press('Enter');
  await page.locator('.robot-reply').nth(before).waitFor();
  const done = page.locator('.robot-reply').last().locator('.badge.is-good');
  // If the tool already exists, the robot asks whether to make it again.
  const question = page.locator('form.question').getByRole('button', { name: 'No' });
  await done
    .nth(steps - 1)
    .or(question)
    .first()
    .waitFor();
  if (await question.count()) await question.click();
  await page.getByRole('button', { name: 'Send' }).first().waitFor();
}

const page = await open({ viewport: DESKTOP, colorScheme: 'light' });
await rest(LIVELY);
await show(page, 'robot');
await shoot(page, 'robot');

await show(page, 'talk');
await settle(page);
await say(page, 'nod twice, then look left 20 degrees', 2);
await say(page, 'make a tool that wiggles the antennas three times', 1);
await shoot(page, 'talk');

const { tools } = (await request('/api/v1/tools')).value;
const made = tools.find((tool) => !tool.predefined) ?? tools[0];
await show(page, `tools/${made.name}`);
await page.waitForSelector('.plots');
await shoot(page, 'tool');
await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
await page.waitForSelector('.replay');
await page.locator('.replay-bar input').evaluate((input) => {
  input.value = String(Number(input.max) * 0.4);
  input.dispatchEvent(new Event('input', { bubbles: true }));
});
await page.locator('.replay').evaluate((replay) => replay.scrollIntoView({ block: 'center' }));
await shoot(page, 'rehearsal');

await show(page, 'tools/+');
await page.waitForSelector('.replay');
await shoot(page, 'new-tool');

await rest(LIVELY);
await show(page, 'drive');
await page.waitForSelector('.pad');
await settle(page);
await page.getByRole('button', { name: 'Take control' }).click();
await page.waitForSelector('.lease.is-mine');
await shoot(page, 'drive');
await page.getByRole('button', { name: 'Release control' }).click();

await show(page, 'plots');
await page.waitForSelector('.legend');
await request('/api/v1/tools/greet/run', { method: 'POST', body: { args: { waves: 2 } } });
await page.getByRole('button', { name: 'Refresh' }).click();
const runs = page.getByRole('combobox', { name: 'Show', exact: true });
const recording = runs
  .locator('optgroup option')
  .filter({ hasText: /^greet/ })
  .first();
await recording.waitFor({ state: 'attached' });
await runs.selectOption(await recording.getAttribute('value'));
await page.getByLabel('Compare with').selectOption({ label: 'a rehearsal of the same call' });
await page.waitForSelector('.comparison');
await page.locator('.cursor-slider input').evaluate((input) => {
  input.value = '1.5';
  input.dispatchEvent(new Event('input', { bubbles: true }));
});
await shoot(page, 'plots');
await page.getByRole('combobox', { name: 'Show', exact: true }).selectOption('');

await show(page, 'journal');
await page.waitForSelector('.entries > li');
await shoot(page, 'journal');
await show(page, 'health');
await page.getByRole('button', { name: 'Run checks' }).click();
await page.waitForSelector('.checks li');
await shoot(page, 'health');
await page.context().close();

const phone = await open({ viewport: PHONE, hasTouch: true, isMobile: true, colorScheme: 'light' });
await show(phone, 'robot');
await shoot(phone, 'phone');
await phone.context().close();

const dark = await open({ viewport: DESKTOP, colorScheme: 'dark' });
await show(dark, 'robot');
await shoot(dark, 'dark');
await rest();
await browser.close();
