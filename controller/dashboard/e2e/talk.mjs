#!/usr/bin/env node
/** Chat: requests are carried out and shown step by step; a key and the button stop them. */

import { request, isLive, posture, rest, show, state, test } from './lib.mjs';

await test('talk', talk, { tolerated: [/ERR_FAILED.*\/api\/v1\/stop/] });

async function talk({ check, eventually, open }) {
  await rest();
  const page = await open();
  await show(page, 'talk');
  await eventually('the page is live', () => isLive(page));
  const input = page.locator('textarea');
  const reply = page.locator('.robot-reply').last();
  const say = async (text) => {
    const before = await page.locator('.robot-reply').count();
    await input.fill(text);
    await input.press('Enter');
    await page.locator('.robot-reply').nth(before).waitFor();
  };
  const motionState = async () => (await state()).motion_state;

  await say('nod twice');
  await eventually('the head nods', posture, (now) => Math.abs(now?.pitch_deg ?? 0) > 4);
  await eventually('its step is shown as done', () => reply.locator('.badge.is-good').count());
  await eventually('the robot rests', motionState, (now) => now === 'holding');

  await say('dance for 60 seconds');
  await eventually('a dance runs', motionState, (now) => now === 'moving');
  await input.focus();
  await page.keyboard.type('a b');
  check(
    'the space bar types a space in a text field',
    (await input.inputValue()) === 'a b',
    await input.inputValue(),
  );
  check('it stops nothing there', (await motionState()) === 'moving', await motionState());
  const outcome = page.locator('.stop-outcome');
  await page.locator('.nav a').first().focus();
  await page.keyboard.press('Space');
  await eventually('the space bar elsewhere stops the robot, which confirms it', () =>
    outcome.and(page.locator('.is-confirmed')).textContent({ timeout: 500 }),
  );
  await eventually('the robot holds', motionState, (now) => now === 'holding');
  await eventually('the step is shown as stopped', () => reply.locator('.badge.is-bad').count());
  await input.fill('');

  await say('dance for 60 seconds');
  await eventually('a second dance runs', motionState, (now) => now === 'moving');
  await page.locator('button.stop').click();
  await eventually('the button stops it, and the robot confirms it', () =>
    outcome.and(page.locator('.is-confirmed')).textContent({ timeout: 500 }),
  );
  await eventually('the robot holds again', motionState, (now) => now === 'holding');
  await eventually('no request is running', () =>
    page.getByRole('button', { name: 'Send' }).first().isVisible(),
  );

  await say('dance for 60 seconds');
  await eventually('a third dance runs', motionState, (now) => now === 'moving');
  await page.route('**/api/v1/stop', (route) => route.abort());
  await page.locator('button.stop').click();
  await eventually('a stop is confirmed over the WebSocket when HTTP requests fail', () =>
    outcome.and(page.locator('.is-confirmed')).textContent({ timeout: 500 }),
  );
  await eventually('the robot holds after it', motionState, (now) => now === 'holding');
  await page.unroute('**/api/v1/stop');
  await eventually('no request is running after it', () =>
    page.getByRole('button', { name: 'Send' }).first().isVisible(),
  );

  await input.fill('look left 20 degrees, then nod');
  await page.getByRole('button', { name: 'Preview plan' }).click();
  await eventually(
    'the plan is previewed',
    () => page.locator('.say .one-line').textContent(),
    (text) => /look/i.test(text) && /nod/i.test(text),
  );
  check('a preview moves nothing', (await motionState()) === 'holding', await motionState());

  await say('look left 20 degrees, then nod');
  await eventually(
    'a plan of two steps is shown',
    () => reply.locator('.steps > li').count(),
    (n) => n === 2,
  );
  await eventually(
    'both steps are done',
    () => reply.locator('.badge.is-good').count(),
    (n) => n === 2,
  );

  await say('make a tool that wiggles the antennas three times');
  await eventually('a tool is made and can be opened', () =>
    reply.getByRole('link', { name: 'Open' }).count(),
  );
  await eventually('the result of its check is shown', () => reply.locator('.check').count());
  const made = (await request('/api/v1/tools')).value.tools.filter((tool) => !tool.predefined);
  check(
    'the server has the tool',
    made.length > 0,
    made.map((tool) => tool.name),
  );

  await say('make a tool that wiggles the antennas three times');
  const question = page.locator('form.question');
  await eventually('the robot asks whether to make it again', () => question.count());
  if (await question.count()) {
    await question.getByRole('button', { name: 'No' }).click();
    await eventually(
      'an answer ends the question',
      () => question.count(),
      (n) => n === 0,
    );
  }
  await eventually('the conversation continues', () =>
    page.getByRole('button', { name: 'Send' }).first().isVisible(),
  );
}
