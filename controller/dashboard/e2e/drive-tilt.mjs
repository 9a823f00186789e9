#!/usr/bin/env node
/** A phone steers the head by its tilt while a button is held. Chromium simulates the sensor. */

import {
  accessibilityViolations,
  isLive,
  pageWidth,
  PHONE,
  posture,
  rest,
  show,
  sleep,
  swing,
  takeControl,
  test,
} from './lib.mjs';

const PHONE_360 = { viewport: { ...PHONE, width: 360 }, hasTouch: true, isMobile: true };

await test('drive-tilt', async ({ check, eventually, open }) => {
  await rest();
  const enable = (page) => page.getByRole('button', { name: 'Use the tilt' }).click();
  const problem = (page) => page.locator('.tilt-card .outcome').textContent();
  /** Opens the view on a phone that has these properties instead of its own. */
  const openWith = async (change) => {
    const page = await open(PHONE_360);
    await page.addInitScript(change);
    await show(page, 'drive');
    return page;
  };
  const insecure = await openWith(() =>
    Object.defineProperty(window, 'isSecureContext', { value: false }),
  );
  await enable(insecure);
  await eventually(
    'a page without HTTPS says what to do',
    () => problem(insecure),
    (text) => /server\.tls_certificate/.test(text),
  );
  await insecure.close();
  const denied = await openWith(() => {
    DeviceOrientationEvent.requestPermission = () => Promise.resolve('denied');
  });
  await enable(denied);
  await eventually(
    'a refused permission says what to do',
    () => problem(denied),
    (text) => /settings of the browser/.test(text),
  );
  await denied.close();
  const absent = await openWith(() => {
    DeviceOrientationEvent.requestPermission = () => Promise.resolve('granted');
  });
  await enable(absent);
  await eventually(
    'a device without the sensor says so',
    () => problem(absent),
    (text) => /reports no tilt/.test(text),
  );
  await absent.close();

  const page = await open(PHONE_360);
  const sensor = await page.context().newCDPSession(page);
  const tilt = (beta, gamma) =>
    sensor.send('DeviceOrientation.setDeviceOrientationOverride', { alpha: 0, beta, gamma });
  await show(page, 'drive');
  await eventually('the page is live', () => isLive(page));
  await tilt(40, 0);
  await enable(page);
  const hold = page.locator('.tilt-hold');
  await eventually('the sensor is ready', () => hold.count());
  check('without control it steers nothing', await hold.isDisabled());
  await takeControl(page, eventually);
  const violations = await accessibilityViolations(page);
  check('the view is accessible', violations.length === 0, violations);
  const wide = await pageWidth(page);
  check('the page fits the phone', wide <= 360, wide);

  await tilt(10, 30);
  await sleep(500);
  check('a tilt without the button steers nothing', Math.abs((await posture()).yaw_deg) < 1);
  await tilt(40, 0);
  await hold.scrollIntoViewIfNeeded();
  const press = async () => {
    const box = await hold.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await eventually('the button is held', () => page.locator('.tilt-hold.is-held').count());
  };
  const isReleased = () => page.locator('.tilt-hold:not(.is-held)').count();
  await press();
  await tilt(42, 2);
  await sleep(500);
  check('a tilt in the dead zone moves nothing', Math.abs((await posture()).yaw_deg) < 1);
  await tilt(40, 23);
  // 20° beyond the dead zone, times 1.5, to the right.
  await eventually('the head turns right', posture, (now) => now.yaw_deg < -20);
  await tilt(28, 0);
  await eventually(
    'the head pitches down and turns back',
    posture,
    (now) => now.pitch_deg > 6 && Math.abs(now.yaw_deg) < 3,
  );
  await tilt(40, 40);
  await eventually('the head is on its way', posture, (now) => now.yaw_deg < -5);
  await page.mouse.up();
  await eventually('the button is released', isReleased);
  await eventually(
    'the head comes to rest',
    () => swing(posture, 'yaw_deg', 500),
    (by) => by < 0.5,
  );
  const at = (await posture()).yaw_deg;
  check('on its way, not at its end', at > -50, at);
  await tilt(40, -40);
  check('a released button steers nothing', (await swing(posture, 'yaw_deg', 800)) < 0.5);

  await page.getByLabel('The tilt moves').selectOption('roll');
  await press();
  await tilt(40, -23);
  await eventually('from a new center, the other mode rolls', posture, (now) => now.roll_deg > 8);
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    delete document.visibilityState;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await eventually('hiding the page ends steering', isReleased);
  await page.mouse.up();
  await press();
  await page.locator('button.stop').evaluate((button) => button.click());
  await eventually('a stop ends steering', isReleased);
  await tilt(10, 0);
  check('the tilt moves nothing after it', (await swing(posture, 'pitch_deg', 800)) < 0.5);
  await page.mouse.up();
  await page.getByRole('button', { name: 'Switch tilt off' }).click();
  await eventually(
    'it can be switched off',
    () => hold.count(),
    (n) => n === 0,
  );
  await page.close();
  await rest();
});
