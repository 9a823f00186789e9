#!/usr/bin/env node
/** Steering by every device, to the limits and beyond; a stop; and what becomes of the lease when the tab is closed. */

import { ask, isLive, posture, rest, show, state, swing, trial } from './lib.mjs';

await trial('drive', async ({ check, eventually, open }) => {
  await rest();
  const page = await open();
  await show(page, 'drive');
  await eventually('the page is live', () => isLive(page));
  const lease = async () => (await ask('/api/v1/lease')).value.lease;
  check('nobody steers', (await lease()) === null, await lease());
  // Quicker than its antennas can turn.
  const antennas = [2.5, -2.5];
  await ask('/api/move/goto', { method: 'POST', body: { antennas, duration: 0.12 } });
  await eventually(
    'what the limits take off a motion is told',
    () => page.locator('.clamps').textContent({ timeout: 500 }),
    (text) => /right_antenna/.test(text) && /speed/.test(text),
  );
  await rest();
  await page.getByRole('button', { name: 'Steer the robot' }).click();
  await eventually('the page has the lease', () => page.locator('.lease.is-mine').count());
  await eventually('so says the server', lease);
  await eventually(
    'the heart is heard',
    () => page.locator('.lease').textContent(),
    (text) => /answered in/.test(text),
  );

  const sliders = page.locator('.sliders input');
  const slide = (at, value) =>
    sliders.nth(at).evaluate((input, to) => {
      input.value = String(to);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }, value);
  await slide(0, 20);
  await eventually('a slider turns the head', posture, (now) => Math.abs(now.yaw_deg - 20) < 3);
  await page.getByRole('button', { name: 'Centre all' }).click();
  await eventually('and all goes back to the middle', posture, (now) => Math.abs(now.yaw_deg) < 3);

  const pad = await page.locator('.pad').first().boundingBox();
  await page.mouse.click(pad.x + pad.width * 0.25, pad.y + pad.height * 0.5);
  await eventually('the pad turns it', posture, (now) => Math.abs(now.yaw_deg - 32.5) < 4);
  await page.mouse.click(pad.x + pad.width * 0.5, pad.y + pad.height * 0.5);
  await eventually('and back', posture, (now) => Math.abs(now.yaw_deg) < 3);

  await page.locator('h2').first().click();
  await page.keyboard.down('KeyA');
  await eventually('a key turns the body', posture, (now) => now.body_yaw_deg > 10);
  await page.keyboard.up('KeyA');
  await page.getByRole('button', { name: 'Centre all' }).click();
  await eventually('the body is back', posture, (now) => Math.abs(now.body_yaw_deg) < 3);

  const picture = page.locator('.camera.is-clickable canvas');
  await eventually('the camera shows a picture', () =>
    page.locator('.camera:not(.is-old)').count(),
  );
  const box = await picture.boundingBox();
  await page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.5);
  await eventually('a click in the picture looks there', posture, (now) => now.yaw_deg < -10);
  await page.getByRole('button', { name: 'Centre all' }).click();
  await eventually('and ahead again', posture, (now) => Math.abs(now.yaw_deg) < 3);

  await page.evaluate(() => {
    const buttons = Array.from({ length: 16 }, () => ({ value: 0, pressed: false }));
    window.pad = { connected: true, id: 'trial pad', axes: [0, 0, -1, 0], buttons };
    navigator.getGamepads = () => [window.pad];
  });
  await eventually('a stick turns the head', posture, (now) => now.yaw_deg > 10);
  await page.evaluate(() => (window.pad.buttons[1].value = 1));
  const stopped = page.locator('.stop-outcome.is-confirmed');
  await eventually('its button is a stop', () => stopped.count());
  await eventually(
    'and the page says that it halted',
    () => page.locator('.lease').textContent(),
    (text) => /Stopped/.test(text),
  );
  await eventually(
    'the head comes to rest',
    () => swing(posture, 'yaw_deg', 500),
    (by) => by < 0.5,
  );
  const pushed = await swing(posture, 'yaw_deg');
  check('a stick that is still held moves nothing', pushed < 0.5, pushed);
  await page.evaluate(() => {
    window.pad.axes = [0, 0, 0, 0];
    window.pad.buttons[1].value = 0;
  });

  // The sliders reach farther than all axes can together.
  await eventually(
    'after a stop a control goes on',
    async () => {
      await slide(1, 40);
      await slide(2, 40);
      await slide(5, 30);
      return posture();
    },
    (now) => Math.abs(now.pitch_deg) > 5,
  );
  await eventually('what is beyond the limits is told', () =>
    page.locator('.slider-head .is-warn, .lease .is-plain-bad:not(:empty)').count(),
  );
  await eventually(
    'and the robot stays within them',
    state,
    (now) => now.posture && now.posture.pitch_deg <= 41,
  );
  await page.getByRole('button', { name: 'Centre all' }).click();
  await eventually('from there it comes back', posture, (now) => Math.abs(now.pitch_deg) < 3);

  await slide(6, 150);
  await eventually('the body turns far', posture, (now) => now.body_yaw_deg > 10);
  await page.locator('button.stop').click();
  await eventually('STOP is confirmed', () => stopped.count());
  await eventually(
    'the body comes to rest',
    () => swing(posture, 'body_yaw_deg', 500),
    (by) => by < 0.5,
  );
  const went = await swing(posture, 'body_yaw_deg');
  check('it does not go on', went < 0.5, went);
  const at = (await posture()).body_yaw_deg;
  check('it stopped on its way', at < 140, at);

  await page.close();
  await eventually('a closed tab gives the lease back', lease, (now) => now === null);
  await eventually('and the body holds', state, (now) => now.doing === 'holding');
  await rest();
});
