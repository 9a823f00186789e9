#!/usr/bin/env node
/**
 * The editor of tools: findings while typing, completion, explanations, quick fixes, a rehearsal by a key, expectations that fail
 * and are met, and an approval that says what it grants. All by keys where there is a key.
 */

import { isLive, posture, request, rest, show, test } from './lib.mjs';

await test('tool-editor', async ({ check, eventually, open }) => {
  await rest();
  const page = await open();
  const checks = [];
  page.on('request', (sent) => sent.url().endsWith('/tools/check') && checks.push(sent.url()));
  await show(page, 'tools');
  await eventually('the page is live', () => isLive(page));
  await eventually('without a chosen tool, tools with images are shown', () =>
    page.locator('.tiles img').evaluateAll((all) => all.some((one) => one.naturalWidth > 0)),
  );
  await page.getByRole('link', { name: 'New tool' }).click();
  const code = page.locator('.cm-content');
  await code.waitFor();
  const passes = page.locator('.outcome', { hasText: 'Passed.' });
  await eventually('the example passes, and its expectations are met', () =>
    passes.filter({ hasText: '2 of 2 expectations met' }).count(),
  );
  const met = page.locator('.expectations li');
  await eventually(
    'each expectation is shown with what was measured',
    () => met.allTextContents(),
    (all) => all.length === 2 && all.every((text) => /met.*Measured: \S/.test(text)),
  );

  // No rehearsal: the answer is the language server's alone.
  await page.route('**/api/v1/tools/check', (route) => route.abort());
  await code.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('import os\n');
  await eventually('a forbidden import is marked while typing', () =>
    page.locator('.cm-lintRange-error').count(),
  );
  await eventually(
    'the finding names rule and line',
    () => page.locator('.findings').textContent(),
    (text) => /line 1/.test(text) && /os/.test(text),
  );
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await eventually(
    'it is gone with its cause',
    () => page.locator('.cm-lintRange-error').count(),
    (n) => n === 0,
  );

  const typeAtEnd = async (text) => {
    await code.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    await page.keyboard.type(text);
  };
  await typeAtEnd('\nrobot.go');
  const offered = page.locator('.cm-tooltip-autocomplete > ul > li');
  await eventually(
    'the methods of the robot are offered',
    () => offered.allTextContents(),
    (all) => all.some((text) => text.includes('goto_target')),
  );
  // At a person's pace: the editor ignores Enter in the first 75 ms of a list, so that nobody accepts what was not yet seen
  // (CodeMirror's `interactionDelay`).
  await page.keyboard.type('to_t', { delay: 50 });
  await eventually(
    'typing on narrows the list',
    () => offered.allTextContents(),
    (all) => all.length > 0 && all.every((text) => text.includes('to_t')),
  );
  await page.keyboard.press('Enter');
  await eventually(
    'Enter completes',
    () => code.textContent(),
    (text) => text.includes('robot.goto_target') && !text.includes('robot.goto_t '),
  );
  const explained = page.locator('.cm-explanation');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Alt+i');
  await eventually(
    'a key explains the method',
    () => explained.textContent({ timeout: 500 }),
    (text) => /goto_target\(/.test(text) && /duration/.test(text),
  );
  check(
    'the explanation is no HTML of the server',
    (await explained.locator('a, script').count()) === 0,
  );
  await page.keyboard.press('Escape');
  await page.keyboard.press('End');
  await page.keyboard.type('(antennas=[0.1, -0.1], ');
  await page.keyboard.type('du');
  await eventually(
    'the arguments of the call are offered',
    () => offered.allTextContents(),
    (all) => all.some((text) => text.startsWith('duration=')),
  );
  await page.keyboard.press('Escape');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');

  // A wrong unit: 90 radians. The fix converts it.
  await page.keyboard.type('duration=0.8)\nrobot.goto_target(body_yaw=90, duration=2.0)');
  const fix = page.locator('.findings button.fix').first();
  await eventually(
    'a fix is offered for the finding',
    () => fix.textContent({ timeout: 500 }),
    (text) => text.length > 5,
  );
  await code.click();
  await page.keyboard.press('Control+.');
  await eventually('a key lists the findings with their fixes', () =>
    page.locator('.cm-panel-lint .cm-diagnosticAction').count(),
  );
  await page.keyboard.press('Escape');
  const before = await code.textContent();
  await fix.focus();
  await page.keyboard.press('Enter');
  await eventually(
    'the fix changes the code',
    () => code.textContent(),
    (text) => text !== before && !text.includes('body_yaw=90,'),
  );
  await page.unroute('**/api/v1/tools/check');

  // The body moves now, which the expectations do not allow.
  const asked = checks.length;
  await code.click();
  await page.keyboard.press('Control+Enter');
  await eventually('a key rehearses', () => checks.length > asked);
  await eventually('the expectation that is not met is named', () =>
    met.filter({ hasText: 'not met' }).filter({ hasText: 'body' }).count(),
  );
  const notes = page.locator('.replay-notes');
  await eventually('the replay shows the rejected motion, with the expectation at its time', () =>
    notes.locator('li').filter({ hasText: 'not met' }).filter({ hasText: 'body' }).count(),
  );
  const jump = notes.getByRole('button', { name: /at \d/ }).last();
  const seconds = /at ([\d.]+) s/.exec(await jump.textContent())[1];
  await jump.click();
  await eventually(
    'its time is where the replay goes',
    () => page.locator('.replay-time').textContent(),
    (text) => text.startsWith(seconds),
  );
  await page.getByRole('button', { name: 'Show as plots' }).click();
  const marks = page.locator('.chart .plot-note.is-bad');
  await eventually('the plots mark where it is not met', () => marks.first().isVisible());
  await page.locator('.replay-notes li').filter({ hasText: 'body' }).getByRole('button').click();
  const left = (mark) => mark.first().evaluate((one) => Number.parseFloat(one.style.left));
  const place = await left(marks);
  await eventually(
    'its time moves the cursor there',
    () => left(page.locator('.chart .plot-cursor')),
    (at) => Math.abs(at - place) < 0.1,
  );
  await page.goBack();
  await met.filter({ hasText: 'not met' }).getByRole('button', { name: 'line 3' }).click();
  const list = page.locator('.expects .cm-content');
  await eventually(
    'the expectation is marked where it is written',
    () => page.locator('.expects .cm-lintRange-error').allTextContents(),
    (all) => all.join('').includes('body_turn'),
  );
  await page.locator('.expects summary').click();
  await eventually(
    'the list closes again',
    () => list.count(),
    (n) => n === 0,
  );
  const add = page.getByRole('button', { name: 'Add tool' });
  check('a tool that moves otherwise cannot be added', await add.isDisabled());
  // A key of the editor deletes the line before the last one.
  await code.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Control+Shift+K');
  await page.keyboard.press('Control+Enter');
  await eventually('all expectations are met again', () =>
    passes.filter({ hasText: '2 of 2 expectations met' }).count(),
  );
  await add.focus();
  await page.keyboard.press('Enter');
  await eventually('the tool has a page', () => page.url().endsWith('#/tools/peek'));

  const stored = (await request('/api/v1/tools/peek')).value;
  check('the expectations belong to the version', stored.manifest.expects.length === 2);
  const grant = page.locator('.grant');
  await eventually(
    'the approval says what it grants',
    () => grant.textContent({ timeout: 500 }),
    (text) =>
      text.includes(stored.manifest.code_sha256.slice(0, 12)) &&
      /instead of 50 %/.test(text) &&
      /Capabilities: motion/.test(text),
  );
  await grant.getByRole('button', { name: 'Approve' }).focus();
  await page.keyboard.press('Enter');
  await eventually(
    'who approved it is shown',
    () => page.getByText('Approved by').textContent({ timeout: 500 }),
    (text) => text.length > 12,
  );
  await page.locator('form.stack button.primary').focus();
  await page.keyboard.press('Enter');
  await eventually('a run moves the robot', posture, (now) => now.yaw_deg > 5);

  await page.getByRole('button', { name: 'Write a new version' }).click();
  await code.waitFor();
  await code.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('# The second version.\n');
  await page.getByRole('button', { name: 'Compare with version 1' }).click();
  await eventually(
    'the draft is compared with the version that it follows',
    () => page.locator('.diff .is-plus').allTextContents(),
    (all) => all.length === 1 && all[0].includes('# The second version.'),
  );
  await eventually('the expectations went along', () =>
    passes.filter({ hasText: '2 of 2 expectations met' }).count(),
  );
});
