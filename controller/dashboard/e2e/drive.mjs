#!/usr/bin/env node
/** Teleoperation with every device up to the limits, a stop, and the lease of a closed tab. */

import {
  request,
  isLive,
  leaseHolder,
  posture,
  rest,
  show,
  slide,
  state,
  swing,
  takeControl,
  test,
} from './lib.mjs';

await test('drive', async ({ check, eventually, open }) => {
  await rest();
  const page = await open();
  await show(page, 'drive');
  await eventually('the page is live', () => isLive(page));
  check('no one is in control', (await leaseHolder()) === null, await leaseHolder());
  // Faster than the antennas can turn.
  const antennas = [2.5, -2.5];
  await request('/api/move/goto', { method: 'POST', body: { antennas, duration: 0.12 } });
  await eventually(
    'the page shows the clamps of a motion',
    () => page.locator('.clamps').textContent({ timeout: 500 }),
    (text) => /right_antenna/.test(text) && /velocity/.test(text),
  );
  await rest();
  await takeControl(page, eventually);
  await eventually('the server confirms it', leaseHolder);
  await eventually(
    'heartbeats are answered',
    () => page.locator('.lease').textContent(),
    (text) => /answered in/.test(text),
  );

  const sliders = page.locator('.sliders input');
  const steer = (at, value) => slide(sliders.nth(at), value);
  await steer(0, 20);
  await eventually('a slider turns the head', posture, (now) => Math.abs(now.yaw_deg - 20) < 3);
  await page.getByRole('button', { name: 'Center all' }).click();
  await eventually('centering turns it back', posture, (now) => Math.abs(now.yaw_deg) < 3);

  const pad = await page.locator('.pad').first().boundingBox();
  await page.mouse.click(pad.x + pad.width * 0.25, pad.y + pad.height * 0.5);
  await eventually(
    'the touch pad turns the head',
    posture,
    (now) => Math.abs(now.yaw_deg - 32.5) < 4,
  );
  await page.mouse.click(pad.x + pad.width * 0.5, pad.y + pad.height * 0.5);
  await eventually('the touch pad turns it back', posture, (now) => Math.abs(now.yaw_deg) < 3);

  await page.locator('h2').first().click();
  await page.keyboard.down('KeyA');
  await eventually('a key turns the body', posture, (now) => now.body_yaw_deg > 10);
  await page.keyboard.up('KeyA');
  await page.getByRole('button', { name: 'Center all' }).click();
  await eventually('the body is back', posture, (now) => Math.abs(now.body_yaw_deg) < 3);

  const image = page.locator('.camera.is-clickable canvas');
  await eventually('the camera shows an image', () => page.locator('.camera:not(.is-old)').count());
  const box = await image.boundingBox();
  await page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.5);
  await eventually('a click in the image looks there', posture, (now) => now.yaw_deg < -10);
  await page.getByRole('button', { name: 'Center all' }).click();
  await eventually('centering looks ahead again', posture, (now) => Math.abs(now.yaw_deg) < 3);

  await page.evaluate(() => {
    const buttons = Array.from({ length: 16 }, () => ({ value: 0, pressed: false }));
    window.pad = { connected: true, id: 'test pad', axes: [0, 0, -1, 0], buttons };
    navigator.getGamepads = () => [window.pad];
  });
  await eventually('a stick turns the head', posture, (now) => now.yaw_deg > 10);
  await page.evaluate(() => (window.pad.buttons[1].value = 1));
  const stopped = page.locator('.stop-outcome.is-confirmed');
  await eventually('its button stops the robot', () => stopped.count());
  await eventually(
    'the page reports the stop',
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

  // The sliders' ranges exceed what all axes can reach together.
  await eventually(
    'a control resumes after a stop',
    async () => {
      await steer(1, 40);
      await steer(2, 40);
      await steer(5, 30);
      return posture();
    },
    (now) => Math.abs(now.pitch_deg) > 5,
  );
  await eventually('the page shows what is beyond the limits', () =>
    page.locator('.slider-head .is-warn, .lease .is-plain-bad:not(:empty)').count(),
  );
  await eventually(
    'the robot stays within its limits',
    state,
    (now) => now.posture && now.posture.pitch_deg <= 41,
  );
  await page.getByRole('button', { name: 'Center all' }).click();
  await eventually(
    'centering returns from the limits',
    posture,
    (now) => Math.abs(now.pitch_deg) < 3,
  );

  await steer(6, 150);
  await eventually('the body turns far', posture, (now) => now.body_yaw_deg > 10);
  await page.locator('button.stop').click();
  await eventually('STOP is confirmed', () => stopped.count());
  await eventually(
    'the body comes to rest',
    () => swing(posture, 'body_yaw_deg', 500),
    (by) => by < 0.5,
  );
  const went = await swing(posture, 'body_yaw_deg');
  check('the body does not continue', went < 0.5, went);
  const at = (await posture()).body_yaw_deg;
  check('the body stopped on its way', at < 140, at);

  await page.close();
  await eventually('a closed tab releases the lease', leaseHolder, (now) => now === null);
  await eventually('the robot holds', state, (now) => now.motion_state === 'holding');
  await rest();
});
