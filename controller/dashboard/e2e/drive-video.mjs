#!/usr/bin/env node
/**
 * The view Drive shows the camera as video by WebRTC, and single images where that fails. Prints how far the image lags
 * behind the telemetry with both.
 */

import { isLive, request, rest, show, sleep, test } from './lib.mjs';

/** Runs in the page: samples the yaw of the telemetry and the position of the red object in the image, for a while. */
async function sample(ms) {
  const [yaws, marks] = [[], []];
  const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/api/v1/telemetry?rate=50`);
  socket.onmessage = ({ data }) => {
    const { yaw_deg } = JSON.parse(data).posture ?? {};
    if (yaw_deg !== undefined) yaws.push([performance.now(), yaw_deg]);
  };
  const canvas = document.querySelector('.camera canvas');
  const small = Object.assign(document.createElement('canvas'), { width: 160, height: 12 });
  const pen = small.getContext('2d', { willReadFrequently: true });
  const until = performance.now() + ms;
  while (performance.now() < until) {
    await new Promise(requestAnimationFrame);
    pen.drawImage(canvas, 0, 0, 160, 12);
    const { data } = pen.getImageData(0, 0, 160, 12);
    let [sum, count] = [0, 0];
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] < 140 || data[at + 1] > 90 || data[at + 2] > 90) continue;
      sum += (at / 4) % 160;
      count += 1;
    }
    if (count > 0) marks.push([performance.now(), sum / count]);
  }
  socket.close();
  return { yaws, marks };
}

/** Returns the value at a time, interpolated. */
function valueAt(series, time) {
  const after = series.findIndex(([at]) => at >= time);
  if (after < 1) return null;
  const [[t0, v0], [t1, v1]] = [series[after - 1], series[after]];
  return v0 + ((v1 - v0) * (time - t0)) / Math.max(1e-6, t1 - t0);
}

/** Returns the lag at which the image fits the telemetry best, and how well, from 0 to 1. */
function lagOf({ yaws, marks }) {
  let best = { lag: NaN, fit: -1 };
  for (let lag = 0; lag <= 1500; lag += 5) {
    const pairs = marks
      .map(([at, x]) => [valueAt(yaws, at - lag), x])
      .filter(([yaw]) => yaw !== null);
    const mean = (index) => pairs.reduce((sum, pair) => sum + pair[index], 0) / pairs.length;
    const [my, mx] = [mean(0), mean(1)];
    const sum = (of) => pairs.reduce((total, [yaw, x]) => total + of(yaw - my, x - mx), 0);
    const fit =
      sum((yaw, x) => yaw * x) ** 2 /
      Math.max(1e-9, sum((yaw) => yaw ** 2) * sum((_, x) => x ** 2));
    if (fit > best.fit) best = { lag, fit };
  }
  return best;
}

async function swingHead(until) {
  const radians = (degrees) => (degrees * Math.PI) / 180;
  for (let turn = 0; performance.now() < until; turn += 1) {
    const yaw = radians(turn % 2 === 0 ? 18 : -18);
    const head_pose = { x: 0, y: 0, z: 0, roll: 0, pitch: 0, yaw };
    await request('/api/move/goto', { method: 'POST', body: { head_pose, duration: 1.3 } });
    await sleep(1400);
  }
}

await test(
  'drive-video',
  async ({ check, eventually, open }) => {
    await rest();
    const page = await open();
    await show(page, 'drive');
    await eventually('the page is live', () => isLive(page));
    const image = () => page.locator('.camera:not(.is-old)').count();
    const button = page.getByRole('button', { name: 'Low delay' });
    const measure = async (name) => {
      await eventually(`${name}: the camera shows an image`, image);
      await sleep(1000);
      const [samples] = await Promise.all([
        page.evaluate(sample, 9000),
        swingHead(performance.now() + 8000),
      ]);
      const found = lagOf(samples);
      check(`${name}: the image follows the head`, found.fit > 0.8, found);
      console.log(
        `measured: ${name}: the image is ${found.lag} ms behind (fit ${found.fit.toFixed(3)})`,
      );
    };
    await eventually('the page offers video', () => button.count());
    await measure('single images');
    await button.click();
    const isVideo = () =>
      page.locator('button[aria-pressed="true"]', { hasText: 'Low delay' }).count();
    await eventually('the page shows video', async () => (await isVideo()) && (await image()));
    await measure('video');
    check('it is still video', (await isVideo()) === 1);
    await page.getByRole('button', { name: 'Show the last 30 seconds' }).click();
    const past = page.locator('.past-card');
    await past.getByRole('slider').evaluate((input) => {
      input.value = String(Number(input.max) - 0.5);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await eventually(
      'the last seconds have images of the video',
      () => past.locator('.past-image img').evaluate((shown) => shown.naturalWidth),
      (width) => width > 0,
    );
    await page.getByRole('button', { name: 'Back to live' }).click();

    await button.click();
    await eventually(
      'single images follow when it is switched off',
      async () => !(await isVideo()) && (await image()),
    );
    await page.route(/\/events$/, (route) => route.abort());
    await button.click();
    await eventually(
      'a failure is explained, and single images follow',
      () => page.locator('.camera-card > .note').textContent(),
      (text) => /failed: .* was not reached\. The page shows single images/.test(text),
    );
    await eventually('they are shown', async () => !(await isVideo()) && (await image()));
    await page.close();
    await rest();
  },
  { tolerated: [/ERR_FAILED/] },
);
