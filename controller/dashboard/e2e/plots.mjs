#!/usr/bin/env node
/**
 * Plots: signals are chosen, the live robot is plotted, zoomed and stored as a layout; a recording is opened, compared with
 * a rehearsal of the same call, and shares its cursor with the 3D view and the camera. The frame rate with ten signals over
 * ten minutes is measured and printed, and not judged.
 */

import { plotLoad } from './plot-load.mjs';
import {
  accessibilityViolations,
  isFirefox,
  isLive,
  request,
  rest,
  show,
  sleep,
  test,
} from './lib.mjs';

const HOSTILE = '<img src=x onerror="window.hacked=1">';

/** Where the test moves an antenna, degrees. */
const TARGET_DEG = -60;

/** Returns the values of a signal in the legend: latest or at the cursor, lowest and highest. */
async function values(page, label) {
  const row = page.locator('.legend tbody tr').filter({ hasText: label }).first();
  const texts = await row.locator('td').allTextContents();
  return texts.map((text) => Number.parseFloat(text.replace('−', '-').replace(',', '.')));
}

const section = (page) =>
  page
    .locator('.brush [role="slider"]')
    .evaluateAll((edges) => edges.map((edge) => edge.getAttribute('aria-valuetext')).join(' to '));

/** Where the cursor is on each plot, as a part of its width; empty where it is hidden. */
const cursors = (page) =>
  page
    .locator('.chart .plot-cursor')
    .evaluateAll((marks) => marks.map((mark) => (mark.hidden ? '' : mark.style.left)));

const badge = (page) => page.locator('.pose-card .badge').textContent();

/** Drags on a plot, from one part of its width to another. */
async function drag(page, at, from, to) {
  const area = page.locator('.chart .u-over').nth(at);
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  const place = (part) => [box.x + part * box.width, box.y + box.height / 2];
  await page.mouse.move(...place(from));
  await page.mouse.down();
  await page.mouse.move(...place((from + to) / 2), { steps: 4 });
  await page.mouse.move(...place(to), { steps: 4 });
  await page.mouse.up();
}

/** Counts the pixels of a plot that have the colour of its first line. */
const drawnPixels = (page, at) =>
  page
    .locator('.chart canvas')
    .nth(at)
    .evaluate((canvas) => {
      const style = getComputedStyle(document.documentElement);
      const colour = style.getPropertyValue('--series-1').trim().slice(1);
      const [r, g, b] = [0, 2, 4].map((from) => parseInt(colour.slice(from, from + 2), 16));
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let pixel = 0; pixel < data.length; pixel += 4)
        if (data[pixel] === r && data[pixel + 1] === g && data[pixel + 2] === b) count += 1;
      return count;
    });

async function plotsLive({ check, eventually }, page) {
  await show(page, 'plots');
  await eventually('the page is live', () => isLive(page));
  await eventually(
    'the plots are loaded',
    () => page.locator('.legend').count(),
    (n) => n === 2,
  );
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.js')),
  );
  check('the plots are loaded on their own', loaded.length > 2, loaded);

  await page.getByRole('button', { name: 'Add a plot' }).click();
  const added = page.getByRole('region', { name: 'Plot 3' });
  await added.getByRole('searchbox').fill('present right_antenna');
  const choice = added.getByRole('button', { name: 'right_antenna', exact: true });
  await choice.focus();
  await page.keyboard.press('Enter');
  await eventually(
    'a signal is chosen with the keyboard',
    () => choice.getAttribute('aria-pressed'),
    (pressed) => pressed === 'true',
  );
  await added.getByRole('searchbox').fill('goal right_antenna');
  await added.getByRole('button', { name: 'right_antenna', exact: true }).first().click();
  await added.getByRole('button', { name: 'Signals', exact: true }).click();
  const label = 'Present position: right_antenna';
  await eventually(
    'its values are shown',
    () => values(page, label),
    ([latest]) => Math.abs(latest + 10) < 2,
  );
  await rest({ antennas: [TARGET_DEG, 10] });
  await eventually(
    'the motion of the robot is in the plotted data',
    () => values(page, label),
    ([latest, lowest, highest]) =>
      Math.abs(latest - TARGET_DEG) < 3 && lowest < TARGET_DEG + 3 && highest > -13,
  );
  await eventually(
    'the lines are drawn',
    () => drawnPixels(page, 2),
    (pixels) => pixels > 50,
  );
  await rest();
}

async function zooms({ check, eventually }, page) {
  const length = page.getByLabel('Show the last');
  await drag(page, 0, 0.7, 0.9);
  await eventually(
    'dragging selects a section',
    () => length.inputValue(),
    (value) => value === '',
  );
  const fixed = await section(page);
  await sleep(500);
  check('it stays', (await section(page)) === fixed, await section(page));
  const edge = page.getByRole('slider', { name: 'Start of the section' });
  await edge.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('PageUp');
  await eventually(
    'keys move an edge of it',
    () => section(page),
    (now) => now !== fixed,
  );
  const chart = page.getByRole('group', { name: 'Plot 1' });
  await chart.focus();
  await page.keyboard.press('+');
  const zoomed = await section(page);
  await page.keyboard.press('PageUp');
  await eventually(
    'keys move the section',
    () => section(page),
    (now) => now !== zoomed,
  );
  await page.keyboard.press('ArrowLeft');
  await eventually('keys move the cursor on every plot', () => cursors(page), isShared);
  check('the 3D view shows the past', (await badge(page)) !== 'now', await badge(page));
  const text = await page.locator('.pose-card').textContent();
  check('and says so', text.includes('The 3D view shows the past.'), text);
  await page.keyboard.press('Escape');
  await eventually(
    'Escape returns to the robot',
    () => badge(page),
    (now) => now === 'now',
  );
  await page.locator('.chart .u-over').first().hover();
  await eventually('the pointer moves the cursor', () => cursors(page), isShared);
  await page.locator('h1').hover();
  await eventually(
    'which is gone without it',
    () => badge(page),
    (now) => now === 'now',
  );
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  const paused = await section(page);
  await sleep(1500);
  check('the plots pause', (await section(page)) === paused, await section(page));
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await eventually(
    'and resume',
    () => section(page),
    (now) => now !== paused,
  );
}

const isShared = (places) =>
  places.length > 1 && places[0] !== '' && places.every((place) => place === places[0]);

async function storesLayout({ check, eventually }, page) {
  await page.getByLabel('Name of a new layout').fill(HOSTILE);
  await page.getByRole('button', { name: 'Save layout' }).click();
  const layout = page.getByRole('combobox', { name: 'Layout' });
  await eventually(
    'the layout is stored',
    () => layout.inputValue(),
    (v) => v === `+${HOSTILE}`,
  );
  await page.reload();
  await eventually(
    'it is there again after a reload',
    () => page.locator('.legend').count(),
    (n) => n === 3,
  );
  check('by its name', (await layout.inputValue()) === `+${HOSTILE}`, await layout.inputValue());
  await layout.selectOption('=timing');
  await eventually(
    'another one is chosen',
    () => page.locator('.plot-card').count(),
    (n) => n === 2,
  );
  await eventually(
    'the jitter of the control loop is plotted',
    () => values(page, 'Jitter of the control loop: max'),
    ([latest]) => latest > 0,
  );
  await layout.selectOption(`+${HOSTILE}`);
  await eventually(
    'and the first one again',
    () => page.locator('.plot-card').count(),
    (n) => n === 3,
  );
}

/** Returns the first number of a text. */
const degrees = (text) => Number.parseFloat(text.match(/[\d.]+/)[0]);

async function opensRecording({ check, eventually }, page) {
  const { status } = await request('/api/v1/tools/greet/run', {
    method: 'POST',
    body: { args: { waves: 2 } },
  });
  check('a tool has run', status === 200, status);
  const runs = page.getByRole('combobox', { name: 'Show', exact: true });
  const listed = async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    return runs.locator('optgroup option').allTextContents();
  };
  await eventually('its recording is listed with its duration', listed, (all) =>
    /^greet v1 .* s$/.test(all[0] ?? ''),
  );
  const key = await runs.locator('optgroup option').first().getAttribute('value');
  await runs.selectOption(key);
  await eventually(
    'the recording is plotted',
    () => values(page, 'Present position: right_antenna'),
    ([, lowest, highest]) => highest - lowest > 10,
  );
  await eventually(
    'the lines are drawn',
    () => drawnPixels(page, 2),
    (pixels) => pixels > 50,
  );
  const shown = await page.locator('.pose-card .scene').textContent();
  check('the 3D view says that it is recorded', shown.includes('Recorded'), shown);
  await page.getByLabel('Compare with').selectOption({ label: 'a rehearsal of the same call' });
  await eventually(
    'it is compared with a rehearsal of the same call',
    () => page.locator('.comparison').textContent(),
    (text) => /Dashed: Rehearsal of greet v1/.test(text) && /differs by at most/.test(text),
  );
  // On a busy machine a motion of the robot is late here and there, so the difference itself is not judged.
  const difference = () => page.locator('.comparison dd').nth(1).textContent();
  const aligned = await difference();
  check('the difference has a motor and a time', /° \(\w+, at [\d.]+ s\)/.test(aligned), aligned);
  const shift = page.getByLabel('Shift in seconds');
  const found = await shift.inputValue();
  await shift.fill(String(Number(found) + 1));
  await eventually(
    'another shift makes them differ more',
    difference,
    (text) => degrees(text) > degrees(aligned),
  );
  await page.getByRole('button', { name: 'Align' }).click();
  await eventually('which aligning undoes', difference, (text) => text === aligned);

  const chart = page.getByRole('group', { name: 'Plot 1' });
  await chart.focus();
  await page.keyboard.press('Home');
  const begin = await badge(page);
  await page.keyboard.press('Shift+ArrowRight');
  await eventually(
    'the 3D view follows the cursor',
    () => badge(page),
    (now) => now !== begin,
  );
  await eventually('the plots share it', () => cursors(page), isShared);
  const image = page.locator('.run-image img');
  await eventually(
    'the camera image is shown',
    () => image.evaluate((one) => one.naturalWidth),
    (width) => width > 0,
  );
  const early = await image.getAttribute('alt');
  await page.keyboard.press('End');
  await eventually(
    'it follows the cursor',
    () => image.getAttribute('alt'),
    (alt) => alt !== early,
  );
  const end = await badge(page);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await eventually(
    'playing moves the cursor',
    () => badge(page),
    (now) => now !== end,
  );
  await drag(page, 2, 0.2, 0.4);
  const zoomed = await section(page);
  check('the recording is zoomed', !zoomed.startsWith('0.0 s'), zoomed);
  await page.getByRole('button', { name: 'Whole time' }).click();
  await eventually(
    'and shown as a whole',
    () => section(page),
    (now) => now !== zoomed,
  );
}

async function fitsAPhone({ check, eventually, open }) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open({
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
      colorScheme,
      reducedMotion: 'reduce',
    });
    await show(page, 'plots');
    await eventually(`${colorScheme}: the plots are loaded`, () => page.locator('.legend').count());
    const runs = page.getByRole('combobox', { name: 'Show', exact: true });
    await eventually(`${colorScheme}: recordings are listed`, () =>
      runs.locator('optgroup option').count(),
    );
    await runs.selectOption(await runs.locator('optgroup option').first().getAttribute('value'));
    await page.getByLabel('Compare with').selectOption({ label: 'a rehearsal of the same call' });
    await eventually(`${colorScheme}: two runs are compared`, () =>
      page.locator('.comparison').count(),
    );
    await page.getByText('Rehearse a tool').tap();
    await page.getByRole('button', { name: 'Signals', exact: true }).first().tap();
    const wide = await page
      .locator('.plots-view *:not(.u-wrap *)')
      .evaluateAll((all) =>
        all
          .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
          .map((one) => one.className || one.tagName),
      );
    check(`${colorScheme}: nothing is wider than the screen`, wide.length === 0, wide.slice(0, 5));
    const found = await accessibilityViolations(page);
    check(`${colorScheme}: no accessibility violations`, found.length === 0, found);
    await page.context().close();
  }
}

/** As on a computer without a graphics processor, where Chromium draws only the 3D view with an emulated one. */
const flags = [
  '--disable-accelerated-2d-canvas',
  '--disable-gpu-rasterization',
  '--disable-gpu-compositing',
];

async function all(tools) {
  await rest();
  const page = await tools.open();
  await plotsLive(tools, page);
  await zooms(tools, page);
  await storesLayout(tools, page);
  await opensRecording(tools, page);
  tools.check('no text became markup', (await page.evaluate(() => window.hacked)) === undefined);
  await page.context().close();
  await fitsAPhone(tools);
  // It counts frames by Chromium's own protocol.
  if (!isFirefox) await plotLoad(tools, HOSTILE);
}

await test('plots', all, { flags });
