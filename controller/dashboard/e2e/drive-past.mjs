#!/usr/bin/env node
/** The view Drive replays what just happened: pose, camera image and what the limits held back. */

import {
  accessibilityViolations,
  isLive,
  keepControl,
  pageWidth,
  posture,
  rest,
  show,
  slide,
  takeControl,
  test,
} from './lib.mjs';

await test('drive-past', async ({ check, eventually, open }) => {
  await rest();
  const page = await open({ reducedMotion: 'reduce' });
  await show(page, 'drive');
  await eventually('the page is live', () => isLive(page));
  await eventually('the camera shows an image', () => page.locator('.camera:not(.is-old)').count());
  await takeControl(page, eventually);
  /** Moves sliders until their effect is seen. */
  const steer = (what, values, read, condition) =>
    eventually(
      what,
      async () => {
        await keepControl(page);
        for (const [label, value] of values)
          await slide(page.getByRole('slider', { name: label }), value);
        return read();
      },
      condition,
    );
  await steer(
    'the head turns',
    [['Head yaw', 40]],
    posture,
    (now) => Math.abs(now.yaw_deg - 40) < 3,
  );
  await steer(
    'the head turns back',
    [['Head yaw', 0]],
    posture,
    (now) => Math.abs(now.yaw_deg) < 3,
  );
  // The ranges of the sliders exceed what all axes can reach together.
  const tooFar = [
    ['Head pitch', 40],
    ['Head roll', 40],
    ['Head up', 30],
  ];
  await steer('the limits hold something back', tooFar, () => page.locator('.limit-list').count());
  await page.getByRole('button', { name: 'Center all' }).click();
  await eventually(
    'the limits hold nothing back',
    () => page.locator('.limit-list').count(),
    (n) => n === 0,
  );

  await page.getByRole('button', { name: 'Show the last 30 seconds' }).click();
  const card = page.locator('.past-card');
  const slider = card.getByRole('slider');
  await eventually('the replay says that it is the past', () =>
    card.getByText('Past: not the robot as it is now').count(),
  );
  await eventually('it has a time', () => slider.count());
  const end = Number(await slider.getAttribute('max'));
  check('it covers the last seconds', end > 3 && end <= 30.1, end);
  check('what was held back is marked', (await card.locator('.past-spans > span').count()) > 0);
  /** Moves to a part of the time. */
  const seek = (part) => slide(slider, part * end);
  const seen = new Set();
  let [limited, images] = [0, 0];
  for (let part = 0; part <= 1; part += 0.05) {
    await seek(part);
    await eventually(`the time ${part.toFixed(2)} is shown`, () =>
      card.locator('.replay-time').count(),
    );
    limited += await card.locator('.past-image figcaption.is-warn').count();
    const image = card.locator('.past-image img');
    if ((await image.count()) > 0) {
      images += 1;
      seen.add(
        await image.evaluate(async (shown) => {
          await shown.decode();
          const canvas = document.createElement('canvas');
          [canvas.width, canvas.height] = [32, 24];
          canvas.getContext('2d').drawImage(shown, 0, 0, 32, 24);
          return canvas.toDataURL();
        }),
      );
    }
  }
  check('the axes that were held back are named', limited > 0, limited);
  check('it has camera images', images > 5, images);
  check('which differ', seen.size > 3, seen.size);
  await seek(0.2);
  const before = await card.locator('.replay-time').textContent();
  await card.getByRole('button', { name: 'Play' }).click();
  await eventually(
    'it plays',
    () => card.locator('.replay-time').textContent(),
    (text) => text !== before,
  );
  await card.getByRole('button', { name: 'Pause' }).click();
  const paused = await card.locator('.replay-time').textContent();
  check('a replay moves no robot', Math.abs((await posture()).yaw_deg) < 3);
  await eventually('the page can be in control during a replay', () => keepControl(page));
  const violations = await accessibilityViolations(page);
  check('the view is accessible', violations.length === 0, violations);
  check('a pause stays', (await card.locator('.replay-time').textContent()) === paused);
  await page.setViewportSize({ width: 360, height: 740 });
  const wide = await pageWidth(page);
  check('the page fits a phone', wide <= 360, wide);
  await page.setViewportSize({ width: 1280, height: 1600 });
  await card.getByRole('button', { name: 'Back to live' }).click();
  await eventually(
    'it closes',
    () => slider.count(),
    (n) => n === 0,
  );
  await page.close();
  await rest();
});
