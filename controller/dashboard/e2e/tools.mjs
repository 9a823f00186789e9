#!/usr/bin/env node
/** A tool from its first line to its second version: checked, rehearsed, approved, run, compared, taken back. */

import { ask, isLive, posture, rest, show, state, trial } from './lib.mjs';

await trial('tools', async ({ check, eventually, open }) => {
  await rest();
  const page = await open();
  await show(page, 'tools/+');
  await eventually('the page is live', () => isLive(page));
  const code = page.locator('.cm-content');
  await code.waitFor();
  const passes = page.locator('.outcome', { hasText: 'It passes.' });
  await eventually('the example passes the check', () => passes.count());
  await eventually('its motion can be seen before it is a tool', () =>
    page.locator('.replay').count(),
  );

  await code.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('import os\n');
  await eventually('what is not allowed is refused', () =>
    page.locator('.outcome.is-bad', { hasText: 'Refused' }).count(),
  );
  await eventually(
    'the finding names the line',
    () => page.locator('.findings').textContent(),
    (text) => /line 1/.test(text),
  );
  await eventually('and is marked beside it', () => page.locator('.cm-lint-marker-error').count());
  const add = page.getByRole('button', { name: 'Add the tool' });
  check('it can not be added', await add.isDisabled());
  await code.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Delete');
  await eventually('without it, it passes again', () => passes.count());
  await eventually('and can be added', () => add.isEnabled());
  await add.click();
  await eventually(
    'the tool has a page',
    () => page.url(),
    (url) => url.endsWith('#/tools/peek'),
  );
  await eventually('it is not approved yet', () =>
    page.getByText('not approved: half speed').count(),
  );

  const moved = [];
  let isWatching = true;
  const watching = (async () => {
    while (isWatching) {
      const now = await state();
      moved.push(Math.max(Math.abs(now.posture?.yaw_deg ?? 0), now.doing === 'holding' ? 0 : 99));
    }
  })();
  await page.locator('form.stack .fields input').first().fill('25');
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await eventually('it is rehearsed', () => page.locator('.replay').count());
  const badge = page.locator('.replay-badge');
  await eventually(
    'and is marked as a rehearsal',
    () => badge.textContent({ timeout: 500 }),
    (text) => /rehearsal/i.test(text),
  );
  const time = () => page.locator('.replay-time').textContent({ timeout: 500 });
  await eventually('it plays to its end', time, (text) => {
    const [at, end] = text.match(/[\d.]+/g).map(Number);
    return end > 1 && at === end;
  });
  const scrubber = page.locator('.replay-bar input');
  await scrubber.evaluate((input) => {
    input.value = String(Number(input.max) / 2);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.locator('.replay summary').click();
  // At rest it stands at 35.9 degrees.
  const leg = page.locator('.replay table tr', { hasText: 'stewart_1' }).locator('td').first();
  await eventually(
    'half-way the head is turned',
    async () => Number.parseFloat(await leg.textContent({ timeout: 500 })),
    (angle) => Math.abs(angle - 35.9) > 2,
  );
  await page.getByRole('button', { name: 'Play' }).click();
  await eventually('it plays again', () => page.getByRole('button', { name: 'Pause' }).count());
  isWatching = false;
  await watching;
  check('nothing real moved', Math.max(...moved) < 1, Math.max(...moved));

  await page.getByRole('button', { name: 'Approve' }).click();
  await eventually('it is approved', () =>
    page.locator('.badge.is-good', { hasText: 'approved' }).count(),
  );
  await page.locator('form.stack .fields input').first().fill('much');
  await page.locator('form.stack button.primary').click();
  await eventually('a wrong argument is told', () =>
    page.locator('.field-error', { hasText: 'no number' }).count(),
  );
  await page.locator('form.stack .fields input').first().fill('25');
  await page.locator('form.stack button.primary').click();
  await eventually('it moves the robot', posture, (now) => now.yaw_deg > 10);
  await eventually('and tells what it returned', () =>
    page.locator('.result', { hasText: 'looked 25' }).count(),
  );

  const picture = await ask('/api/v1/tools/peek/files/picture?version=1').catch(() => ({
    status: 0,
  }));
  if (picture.status === 200) {
    await eventually('the picture of its rehearsal is shown', () =>
      page
        .locator('.tool-picture')
        .evaluate((image) => image.naturalWidth > 0, null, { timeout: 500 }),
    );
  }

  await page.getByRole('button', { name: 'Write a new version' }).click();
  await code.waitFor();
  await eventually(
    'its code can be gone on with',
    () => code.textContent(),
    (text) => /def peek/.test(text),
  );
  await code.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('# The second version.\n');
  await eventually('the second version passes', () => passes.count());
  await eventually('and can be added too', () => add.isEnabled());
  await add.click();
  const called = async () =>
    (await ask('/api/v1/tools')).value.tools.find((tool) => tool.name === 'peek');
  await eventually('it is called now', called, (tool) => tool.version === 2);
  const [version, against] = [0, 1].map((at) => page.locator('.versions select').nth(at));
  await eventually(
    'the page shows it',
    () => version.inputValue({ timeout: 500 }),
    (now) => now === '2',
  );
  await against.selectOption('1');
  await eventually(
    'what differs is shown',
    () => page.locator('.diff .is-plus').count(),
    (n) => n === 1,
  );
  await version.selectOption('1');
  await page.getByRole('button', { name: 'Go back to this version' }).click();
  await eventually('the first version is called again', called, (tool) => tool.version === 1);
  await page.getByRole('button', { name: 'Take out of use' }).click();
  await eventually('it can be taken out of use', called, (tool) => tool.active === false);
  await page.getByRole('button', { name: 'Take into use' }).click();
  await eventually('and into use again', called, (tool) => tool.active === true);
});
