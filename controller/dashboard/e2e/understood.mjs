#!/usr/bin/env node
/**
 * What the robot was told, seen: how each part was taken, what was done, clamped and refused, and why; the making of a tool with
 * its phases and seconds; a stop at a step; a tool from earlier motions.
 */

import { isLive, posture, request, rest, show, state, test } from './lib.mjs';

/** A tool whose motion the envelope clamps. */
const LEAP = `import time

from reachy_mini import ReachyMini


def leap(robot: ReachyMini, far: float = 1.0) -> float:
    """Throw the antennas apart.

    Args:
        robot: The robot.
        far: How far, between 0 and 2.

    Returns:
        How far.
    """
    robot.set_target(antennas=[far, -far])
    time.sleep(0.5)
    return far
`;

await test('understood', async ({ check, eventually, open }) => {
  await rest();
  const added = await request('/api/v1/tools', { method: 'POST', body: { code: LEAP } });
  check('a tool is added', added.status === 201, added);
  const page = await open();
  await show(page, 'talk');
  await eventually('the page is live', () => isLive(page));
  await eventually('the robot is in sight beside the conversation', () =>
    page.locator('.talk-robot canvas').isVisible(),
  );
  const input = page.locator('textarea').first();
  const say = async (text) => {
    const before = await page.locator('.robot-reply').count();
    await input.fill(text);
    await input.press('Enter');
    await page.locator('.robot-reply').nth(before).waitFor();
    return page.locator('.robot-reply').nth(before);
  };
  const idle = (what) =>
    eventually(what, () => page.getByRole('button', { name: 'Send' }).first().isVisible());

  const first = await say('nod twice, then look left 20 degrees');
  await eventually(
    'each part of the sentence has the step that it stands for',
    () => first.locator('.understood dl > div').allTextContents(),
    (all) =>
      all.length === 2 &&
      /nod twice.*nod/.test(all[0]) &&
      /look left 20 degrees.*look left 20 deg/.test(all[1]),
  );
  await eventually('it is done', posture, (now) => now.yaw_deg > 15);
  await idle('no request is running');
  await eventually(
    'each step has its seconds',
    () => first.locator('.steps .elapsed').first().textContent({ timeout: 500 }),
    (text) => /^\d+\.\d s$/.test(text),
  );

  const refused = await say('turn your head 200 degrees to the left');
  await eventually(
    'why it is not done is said with the range',
    () => refused.textContent(),
    (text) => /not possible.*0 to 60/.test(text) && /rejected/.test(text),
  );
  await idle('no request is running after it');

  const leapt = await say('run leap');
  await idle('the tool has run');
  await eventually(
    'what was clamped is named with the amount and the limit',
    () => leapt.locator('.more').allTextContents(),
    (all) => all.some((text) => /antenna clamped by [\d.]+° \(.+ limit\)/.test(text)),
  );

  const made = first.getByRole('button', { name: 'Make it a tool' });
  await made.focus();
  await page.keyboard.press('Enter');
  const name = first.getByLabel('Name of the tool');
  await eventually('a name is proposed', () => name.inputValue({ timeout: 500 }));
  await name.fill('look_and_nod');
  await page.keyboard.press('Enter');
  const making = page.locator('.robot-reply').last();
  await eventually(
    'the phases of the check are shown with seconds',
    () => making.locator('.phases li').allTextContents(),
    (all) => all.some((text) => /rehearsal \d+(\.\d)? s/.test(text)),
  );
  await eventually('what was measured of the request is shown', () =>
    making.locator('.expectations .is-good').count(),
  );
  await eventually('the tool can be opened', () =>
    making.getByRole('link', { name: 'Open' }).count(),
  );
  const tool = await request('/api/v1/tools/look_and_nod');
  check('the server has the tool of the first of the motions', /20/.test(tool.value.code ?? ''));
  await idle('no request is running after the tool was made');

  const dance = await say('dance for 60 seconds');
  const motionState = async () => (await state()).motion_state;
  await eventually('a dance runs', motionState, (now) => now === 'moving');
  await eventually(
    'its seconds are counted',
    () => dance.locator('.steps .elapsed').textContent({ timeout: 500 }),
    (text) => /^[1-9]\d* s$/.test(text),
  );
  await dance.getByRole('button', { name: 'Stop this step' }).focus();
  await page.keyboard.press('Enter');
  await eventually('the button at the step stops it', motionState, (now) => now === 'holding');
  await idle('the conversation goes on');

  await input.fill('look up, then wiggle the antennas');
  await page.getByRole('button', { name: 'Preview plan' }).click();
  await eventually(
    'a preview shows the parts too',
    () => page.locator('.say .understood dl > div').count(),
    (n) => n === 2,
  );
  const hostile = '<img src=x onerror="document.title=1">';
  const answer = await say(hostile);
  await eventually('hostile text is shown as text', () => answer.textContent());
  check('it is no part of the page', (await page.locator('.log img').count()) === 0);
});
