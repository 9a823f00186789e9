#!/usr/bin/env node
/** Talking: what is said is done, and shown step by step; what goes on is stopped by a key and by the button. */

import { ask, isLive, posture, rest, show, state, trial } from './lib.mjs';

await trial('talk', talk, { tolerated: [/ERR_FAILED.*\/api\/v1\/stop/] });

async function talk({ check, eventually, open }) {
  await rest();
  const page = await open();
  await show(page, 'talk');
  await eventually('the page is live', () => isLive(page));
  const said = page.locator('textarea');
  const told = page.locator('.robot-reply').last();
  const say = async (text) => {
    const before = await page.locator('.robot-reply').count();
    await said.fill(text);
    await said.press('Enter');
    await page.locator('.robot-reply').nth(before).waitFor();
  };
  const doing = async () => (await state()).doing;

  await say('nod twice');
  await eventually('the head nods', posture, (now) => Math.abs(now?.pitch_deg ?? 0) > 4);
  await eventually('its step is shown as done', () => told.locator('.badge.is-good').count());
  await eventually('the robot rests', doing, (now) => now === 'holding');

  await say('dance for 60 seconds');
  await eventually('a dance goes on', doing, (now) => now === 'playing');
  await said.focus();
  await page.keyboard.type('a b');
  check(
    'a space in the text is a space',
    (await said.inputValue()) === 'a b',
    await said.inputValue(),
  );
  check('and stops nothing', (await doing()) === 'playing', await doing());
  const outcome = page.locator('.stop-outcome');
  await page.locator('.nav a').first().focus();
  await page.keyboard.press('Space');
  await eventually('the space bar elsewhere is a stop, and the robot confirms it', () =>
    outcome.and(page.locator('.is-confirmed')).textContent({ timeout: 500 }),
  );
  await eventually('the robot holds', doing, (now) => now === 'holding');
  await eventually('the step is shown as stopped', () => told.locator('.badge.is-bad').count());
  await said.fill('');

  await say('dance for 60 seconds');
  await eventually('a second dance goes on', doing, (now) => now === 'playing');
  await page.locator('button.stop').click();
  await eventually('the button stops it, and the robot confirms it', () =>
    outcome.and(page.locator('.is-confirmed')).textContent({ timeout: 500 }),
  );
  await eventually('the robot holds again', doing, (now) => now === 'holding');
  await eventually('nothing is being done any more', () =>
    page.getByRole('button', { name: 'Send' }).first().isVisible(),
  );

  await say('dance for 60 seconds');
  await eventually('a third dance goes on', doing, (now) => now === 'playing');
  await page.route('**/api/v1/stop', (route) => route.abort());
  await page.locator('button.stop').click();
  await eventually('a stop is confirmed over the stream where no question comes through', () =>
    outcome.and(page.locator('.is-confirmed')).textContent({ timeout: 500 }),
  );
  await eventually('and the robot holds', doing, (now) => now === 'holding');
  await page.unroute('**/api/v1/stop');
  await eventually('nothing is being done then', () =>
    page.getByRole('button', { name: 'Send' }).first().isVisible(),
  );

  await said.fill('look left 20 degrees, then nod');
  await page.getByRole('button', { name: 'What would it do?' }).click();
  await eventually(
    'what it would do is told',
    () => page.locator('.say .one-line').textContent(),
    (text) => /look/i.test(text) && /nod/i.test(text),
  );
  check('without doing it', (await doing()) === 'holding', await doing());

  await say('look left 20 degrees, then nod');
  await eventually(
    'a plan of two steps is shown',
    () => told.locator('.steps > li').count(),
    (n) => n === 2,
  );
  await eventually(
    'and both are done',
    () => told.locator('.badge.is-good').count(),
    (n) => n === 2,
  );

  await say('make a tool that wiggles the antennas three times');
  await eventually('a tool is made, and can be opened', () => told.getByText('Open it').count());
  await eventually('what its check said is told', () => told.locator('.check').count());
  const made = (await ask('/api/v1/tools')).value.tools.filter((tool) => !tool.predefined);
  check(
    'the server has it',
    made.length > 0,
    made.map((tool) => tool.name),
  );

  await say('make a tool that wiggles the antennas three times');
  const question = page.locator('form.question');
  await eventually('whether to make it again is asked', () => question.count());
  if (await question.count()) {
    await question.getByRole('button', { name: 'No' }).click();
    await eventually(
      'an answer ends the question',
      () => question.count(),
      (n) => n === 0,
    );
  }
  await eventually('the talk goes on', () =>
    page.getByRole('button', { name: 'Send' }).first().isVisible(),
  );
}
