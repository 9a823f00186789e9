#!/usr/bin/env node
/** The camera image shows what the robot's limits hold back while a user drives. */

import {
  accessibilityViolations,
  isLive,
  pageWidth,
  posture,
  rest,
  show,
  sleep,
  slide,
  swing,
  takeControl,
  test,
} from './lib.mjs';

await test('drive-limits', async ({ check, eventually, open }) => {
  await rest();
  const page = await open({ reducedMotion: 'reduce' });
  await show(page, 'drive');
  await eventually('the page is live', () => isLive(page));
  await eventually('the camera shows an image', () => page.locator('.camera:not(.is-old)').count());
  await takeControl(page, eventually);
  const steer = (label, value) => slide(page.getByRole('slider', { name: label }), value);
  const list = page.locator('.limit-list');
  const marks = page.locator('.limit-marks');
  const spoken = page.locator('.limit-announcement');

  // As a person drags: at once, the jerk and the acceleration would be limited, and the goal may go beyond and return.
  for (let yaw = 1; yaw <= 20; yaw += 1) {
    await steer('Head yaw', yaw);
    await sleep(50);
  }
  const shown = [];
  for (let at = 0; at < 20; at += 1) {
    shown.push(...(await list.allTextContents()));
    await sleep(100);
  }
  check('a motion within the limits shows none', shown.length === 0, shown.slice(0, 3));
  check('and announces none', (await spoken.textContent()) === '');

  await page.getByRole('button', { name: 'Center all' }).click();
  await eventually('the head is ahead again', posture, (now) => Math.abs(now.yaw_deg) < 3);
  // The ranges of the sliders exceed what all axes can reach together.
  await steer('Head pitch', 40);
  await steer('Head roll', 40);
  await steer('Head up', 30);
  await eventually(
    'the image names what is limited, by what and how far',
    () => list.textContent(),
    (text) => /Head pitch: .*\d+° → \d+°/.test(text),
  );
  await eventually(
    'the wanted and the reached direction are marked',
    () => marks.textContent(),
    (text) => /wanted/.test(text) && /reached/.test(text),
  );
  await eventually(
    'a screen reader is told',
    () => spoken.textContent(),
    (text) => /Held back by the limits\. .*Head pitch: /.test(text),
  );
  await eventually(
    'the head comes to rest',
    () => swing(posture, 'pitch_deg', 500),
    (by) => by < 0.5,
  );
  const changes = await page.evaluate(async () => {
    let count = 0;
    const seen = new MutationObserver((all) => (count += all.length));
    const status = document.querySelector('.limit-announcement');
    const camera = document.querySelector('.limit-list').parentElement;
    seen.observe(status, { childList: true, characterData: true, subtree: true });
    seen.observe(camera, { childList: true });
    await new Promise((done) => setTimeout(done, 2000));
    return count;
  });
  check('nothing flickers while the limit lasts', changes <= 1, changes);
  const violations = await accessibilityViolations(page);
  check('the view is accessible', violations.length === 0, violations);

  await page.getByRole('button', { name: 'Center all' }).click();
  await eventually(
    'it disappears within the limits',
    () => list.count(),
    (n) => n === 0,
  );
  await page.setViewportSize({ width: 360, height: 740 });
  await steer('Head pitch', 40);
  await steer('Head roll', 40);
  await steer('Head up', 30);
  await eventually('a phone shows it, too', () => list.isVisible());
  const wide = await pageWidth(page);
  check('the page fits the phone', wide <= 360, wide);
  await page.close();
  await rest();
});
