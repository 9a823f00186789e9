#!/usr/bin/env node
/** Not a test: takes screenshots of every view in both themes. `node e2e/screenshots.mjs FOLDER` */

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

/** The end of the names of the pictures in this theme. */
let suffix = '';

async function shoot(page, name) {
  // Nothing is under the pointer.
  await page.mouse.move(0, 0);
  await settle(page);
  const path = join(folder, `${name}${suffix}.png`);
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
  if (steps > 0)
    await done
      .nth(steps - 1)
      .or(question)
      .first()
      .waitFor();
  if (await question.count()) await question.click();
  await page.getByRole('button', { name: 'Send' }).first().waitFor();
}

async function shootRobot(page) {
  await rest(LIVELY);
  await show(page, 'robot');
  const dismiss = page.getByRole('button', { name: 'No, thanks' });
  if (suffix === '') {
    await dismiss.waitFor();
    await shoot(page, 'tour-offer');
  }
  if (await dismiss.count()) await dismiss.click();
  await shoot(page, 'robot');
}

async function shootTalk(page) {
  await show(page, 'talk');
  await settle(page);
  await say(page, 'nod twice, then look left 20 degrees', 2);
  await say(page, 'turn your head 200 degrees to the left', 0);
  // The robot asks about a tool that it has already.
  const name = suffix === '' ? 'wiggle_thrice' : 'three_wiggles';
  await say(page, `make a tool called ${name} that wiggles the antennas three times`, 1);
  await page.getByRole('button', { name: 'Send' }).first().waitFor();
  await shoot(page, 'talk');
}

async function shootTools(page) {
  await request('/api/v1/tools/greet/run', { method: 'POST', body: { args: { waves: 2 } } });
  await request('/api/v1/tools/look_around/run', { method: 'POST', body: { args: {} } });
  await show(page, 'tools');
  await page.waitForSelector('.tiles img');
  await shoot(page, 'tools');
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
}

async function shootEditor(page) {
  await show(page, 'tools/+');
  await page.waitForSelector('.expectations');
  await shoot(page, 'new-tool');
  const code = page.locator('.cm-content');
  await code.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  await page.keyboard.type('\nrobot.goto_target(body_yaw=90, duration=2.0)');
  await page.waitForSelector('.findings button.fix');
  await page.keyboard.type('\nrobot.');
  await page.waitForSelector('.cm-tooltip-autocomplete li');
  await page.locator('.code').evaluate((editor) => editor.scrollIntoView({ block: 'center' }));
  await shoot(page, 'editor');
}

/** A motion with several parts at once, one of them too fast. */
const DANCE = `from reachy_mini import ReachyMini
from motion import antennas, body, head, neutral, perform, repeat, sequence, together, wait


def small_dance(robot: ReachyMini, times: int = 2) -> str:
    """Sway with the head and the body while the antennas beat time.

    Args:
        times: How often it sways, between 1 and 4.
    """
    if not 1 <= times <= 4:
        raise ValueError("times must be between 1 and 4")
    return perform(
        robot,
        together(
            repeat(times, head(tilt_left=15, seconds=0.9), head(tilt_right=15, seconds=0.9)),
            repeat(4, antennas(both=60, seconds=0.3), antennas(both_inward=10, seconds=0.6)),
            sequence(wait(0.4), body(left=25, seconds=1.2), body(right=80, seconds=0.5)),
        ),
        neutral(seconds=1),
    )
`;

async function shootTimeline(page) {
  await show(page, 'tools/+');
  await page.waitForSelector('.cm-content');
  await page.locator('.cm-content').fill(DANCE);
  await page.getByRole('button', { name: 'Timeline', exact: true }).click();
  await page.locator('.timeline-block').first().click();
  await page.locator('.timeline').evaluate((timeline) => timeline.scrollIntoView());
  await page.evaluate(() => scrollBy(0, -80));
  await shoot(page, 'timeline');
}

async function shootDrive(page) {
  await rest(LIVELY);
  await show(page, 'drive');
  await page.waitForSelector('.pad');
  await settle(page);
  await page.getByRole('button', { name: 'Take control' }).click();
  await page.waitForSelector('.lease.is-mine');
  await shoot(page, 'drive');
  await page.getByRole('button', { name: 'Release control' }).click();
}

async function shootPlots(page) {
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
  await runs.selectOption('');
}

async function shootRest(page) {
  await show(page, 'journal');
  await page.waitForSelector('.entries > li');
  await shoot(page, 'journal');
  await show(page, 'health');
  await shoot(page, 'health');
  await show(page, 'health/doctor');
  await page.waitForSelector('.checks li');
  await shoot(page, 'doctor');
}

/** The fleet is another server's: the one of the other pictures has a single robot, as most have. */
async function shootFleet(colorScheme) {
  const page = await open({ viewport: DESKTOP, colorScheme });
  await page.goto(`${process.env.MINISMITH_FLEET_URL}/#/fleet`);
  const robots = page.locator('.fleet-robot');
  await robots
    .filter({ has: page.locator('img') })
    .nth(2)
    .waitFor();
  await page.getByRole('button', { name: 'Group dancers' }).click();
  await page.getByRole('checkbox', { name: 'Begin together' }).click();
  await page.locator('.fleet-command textarea').fill('nod twice');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.fleet-reply').nth(1).waitFor();
  const dismiss = page.getByRole('button', { name: 'No, thanks' });
  if (await dismiss.count()) await dismiss.click();
  await shoot(page, 'fleet');
  await page.context().close();
}

async function shootPhone(colorScheme) {
  const page = await open({ viewport: PHONE, hasTouch: true, isMobile: true, colorScheme });
  await show(page, 'robot');
  await page.getByRole('button', { name: 'No, thanks' }).click();
  await shoot(page, 'phone');
  await page.context().close();
}

for (const colorScheme of ['light', 'dark']) {
  suffix = colorScheme === 'light' ? '' : '-dark';
  const page = await open({ viewport: DESKTOP, colorScheme });
  await shootRobot(page);
  await shootTalk(page);
  await shootTools(page);
  await shootEditor(page);
  await shootTimeline(page);
  await shootDrive(page);
  await shootPlots(page);
  await shootRest(page);
  await page.context().close();
  await shootPhone(colorScheme);
  await shootFleet(colorScheme);
}
await rest();
await browser.close();
