#!/usr/bin/env node
/** A tool from its first line to its second version: check, rehearsal, approval, run, comparison and rollback. */

import { request, isLive, posture, rest, show, state, test } from './lib.mjs';

await test('tools', async ({ check, eventually, open }) => {
  await rest();
  const page = await open();
  await show(page, 'tools/+');
  await eventually('the page is live', () => isLive(page));
  const code = page.locator('.cm-content');
  await code.waitFor();
  const passes = page.locator('.outcome', { hasText: 'Passed.' });
  await eventually('the example passes the check', () => passes.count());
  await eventually('its motion is shown before it is added', () => page.locator('.replay').count());

  await code.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('import os\n');
  await eventually('a forbidden import is rejected', () =>
    page.locator('.outcome.is-bad', { hasText: 'Rejected' }).count(),
  );
  await eventually(
    'the finding names the line',
    () => page.locator('.findings').textContent(),
    (text) => /line 1/.test(text),
  );
  await eventually('the line is marked', () => page.locator('.cm-lint-marker-error').count());
  const add = page.getByRole('button', { name: 'Add tool' });
  check('rejected code cannot be added', await add.isDisabled());
  await code.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Delete');
  await eventually('the code passes again without it', () => passes.count());
  await eventually('accepted code can be added', () => add.isEnabled());
  await add.click();
  await eventually(
    'the tool has a page',
    () => page.url(),
    (url) => url.endsWith('#/tools/peek'),
  );
  await eventually('the tool is not approved yet', () =>
    page.getByText('not approved: half speed').count(),
  );

  const moved = [];
  let isWatching = true;
  const watching = (async () => {
    while (isWatching) {
      const now = await state();
      moved.push(
        Math.max(Math.abs(now.posture?.yaw_deg ?? 0), now.motion_state === 'holding' ? 0 : 99),
      );
    }
  })();
  await page.locator('form.stack .fields input').first().fill('25');
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await eventually('the tool is rehearsed', () => page.locator('.replay').count());
  const badge = page.locator('.replay-badge');
  await eventually(
    'the replay is labelled as a rehearsal',
    () => badge.textContent({ timeout: 500 }),
    (text) => /rehearsal/i.test(text),
  );
  const time = () => page.locator('.replay-time').textContent({ timeout: 500 });
  await eventually('it plays to the end', time, (text) => {
    const [at, end] = text.match(/[\d.]+/g).map(Number);
    return end > 1 && at === end;
  });
  const scrubber = page.locator('.replay-bar input');
  await scrubber.evaluate((input) => {
    input.value = String(Number(input.max) / 2);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.locator('.replay summary').click();
  // Its rest position is 35.9 degrees.
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
  await eventually('an invalid argument is reported', () =>
    page.locator('.field-error', { hasText: 'Enter a number' }).count(),
  );
  await page.locator('form.stack .fields input').first().fill('25');
  await page.locator('form.stack button.primary').click();
  await eventually('a run moves the robot', posture, (now) => now.yaw_deg > 10);
  await eventually('the return value is shown', () =>
    page.locator('.result', { hasText: 'looked 25' }).count(),
  );

  const image = await request('/api/v1/tools/peek/files/picture?version=1').catch(() => ({
    status: 0,
  }));
  if (image.status === 200) {
    await eventually('the image of its rehearsal is shown', () =>
      page
        .locator('.tool-image')
        .evaluate((image) => image.naturalWidth > 0, null, { timeout: 500 }),
    );
  }

  await page.getByRole('button', { name: 'Write a new version' }).click();
  await code.waitFor();
  await eventually(
    'its code opens in the editor',
    () => code.textContent(),
    (text) => /def peek/.test(text),
  );
  await code.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('# The second version.\n');
  await eventually('the second version passes', () => passes.count());
  await eventually('the second version can be added', () => add.isEnabled());
  await add.click();
  const called = async () =>
    (await request('/api/v1/tools')).value.tools.find((tool) => tool.name === 'peek');
  await eventually('it is the current version', called, (tool) => tool.version === 2);
  const [version, against] = [0, 1].map((at) => page.locator('.versions select').nth(at));
  await eventually(
    'the page shows it',
    () => version.inputValue({ timeout: 500 }),
    (now) => now === '2',
  );
  await against.selectOption('1');
  await eventually(
    'the differences are shown',
    () => page.locator('.diff .is-plus').count(),
    (n) => n === 1,
  );
  await version.selectOption('1');
  await page.getByRole('button', { name: 'Roll back to this version' }).click();
  await eventually('the first version is current again', called, (tool) => tool.version === 1);
  await page.getByRole('button', { name: 'Disable' }).click();
  await eventually('the tool can be disabled', called, (tool) => tool.active === false);
  await page.getByRole('button', { name: 'Enable' }).click();
  await eventually('the tool can be enabled again', called, (tool) => tool.active === true);
});
