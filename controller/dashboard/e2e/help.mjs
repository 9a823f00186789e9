#!/usr/bin/env node
/** First use and trouble: the tour from a fresh start to an own tool, diagnostics with remedies, reasons, empty states. */

import { accessibilityViolations, isLive, request, rest, show, state, test } from './lib.mjs';

await test('help', async ({ check, eventually, open }) => {
  await rest();
  const page = await open();
  await show(page, 'robot');
  await eventually('the page is live', () => isLive(page));

  const start = page.getByRole('button', { name: 'Start the tour' });
  await eventually('the tour is offered on the simulated robot', () => start.isVisible());
  await start.focus();
  await page.keyboard.press('Enter');
  const tour = page.locator('.tour');
  const step = (n) =>
    eventually(
      `step ${n} of the tour is shown`,
      () => tour.textContent({ timeout: 500 }),
      (text) => text.includes(`Step ${n} of 6`),
    );
  await step(1);
  await tour.getByRole('button', { name: 'Next' }).press('Enter');
  await step(2);
  await eventually('it opens the conversation', () => page.url().endsWith('#/talk'));
  await tour.getByRole('button', { name: 'Say' }).press('Enter');
  await step(3);
  const make = page.getByRole('button', { name: 'Make it a tool' });
  await make.press('Enter');
  await page.getByLabel('Name of the tool').fill('my_first');
  await page.keyboard.press('Enter');
  await step(4);
  await eventually('it opens the page of the tool', () => page.url().endsWith('#/tools/my_first'));
  await tour.getByRole('button', { name: 'Next' }).press('Enter');
  await step(5);
  await page.locator('form.stack button.primary').press('Enter');
  await eventually(
    'the robot performs the tool',
    async () => (await state()).motion_state,
    (now) => now === 'moving',
  );
  await step(6);
  const own = (await request('/api/v1/tools')).value.tools.filter((one) => !one.predefined);
  check('it ends with an own tool that has run', own[0]?.name === 'my_first', own);
  await tour.getByRole('button', { name: 'End the tour' }).press('Enter');
  await eventually(
    'the tour ends',
    () => tour.count(),
    (n) => n === 0,
  );
  await page.reload();
  await show(page, 'robot');
  await eventually('the page is live again', () => isLive(page));
  check('it is not offered again', (await start.count()) === 0);

  await show(page, 'talk');
  const input = page.locator('textarea').first();
  await eventually('an empty conversation says what to do', () =>
    page.getByText('Write a sentence below').count(),
  );
  await input.fill('turn your head 200 degrees to the left');
  await input.press('Enter');
  const why = page.locator('.robot-reply .why').last();
  await why.locator('summary').press('Enter');
  const limits = (await request('/api/v1/limits')).value;
  await eventually(
    'a refusal says its rule, the measurement and the limit in force',
    () => why.textContent({ timeout: 500 }),
    (text) =>
      /beyond what the robot can/.test(text) &&
      /not possible/.test(text) &&
      text.includes(`±${Math.round(limits.head_pitch_deg)}°`),
  );
  await why.getByRole('link', { name: 'journal' }).press('Enter');
  await eventually('its source is the journal, which shows the request', () =>
    page.locator('.entries li', { hasText: '200 degrees' }).count(),
  );
  await page.locator('.filters input').fill('nothing is called this');
  await page.getByRole('button', { name: 'Clear the filter' }).press('Enter');
  await eventually(
    'an empty list says how to fill it again',
    () => page.locator('.entries li').count(),
    (n) => n > 1,
  );

  await show(page, 'health');
  // Compares with the answer that the page received: another run may judge a busy machine differently.
  const answer = page.waitForResponse((one) => one.url().includes('/api/v1/doctor'));
  await page.getByRole('link', { name: 'Diagnostics with remedies' }).press('Enter');
  const doctor = (await (await answer).json()).checks;
  const toFix = doctor.filter((one) => one.state !== 'good');
  await eventually('the diagnostics run by themselves', () => page.locator('.checks li').count());
  await eventually(
    'what is to fix comes with its remedy',
    () => page.locator('.doctor-view .remedy').count(),
    (n) => n === toFix.filter((one) => one.remedy).length,
  );
  const violations = await accessibilityViolations(page);
  check('the diagnostics are accessible', violations.length === 0, violations);

  await show(page, 'tools/+');
  const code = page.locator('.cm-content');
  await code.waitFor();
  await code.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('import os\n');
  const rule = page.locator('.findings .why').first();
  await rule.locator('summary').press('Enter');
  await eventually(
    'a finding says its rule with examples, and the line',
    () => rule.textContent({ timeout: 500 }),
    (text) =>
      /unlisted-import/.test(text) && /Accepted/.test(text) && /line 1 of the code/.test(text),
  );
});
