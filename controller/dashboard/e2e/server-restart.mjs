#!/usr/bin/env node
/** The program is killed and started again: the page says that it is gone, and goes on with the new one by itself. */

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { ask, isLive, PATIENCE, show, sleep, trial } from './lib.mjs';

/** The program, and the folder in which it runs. */
const program = process.env.MINISMITH_PROGRAM;
const args = JSON.parse(process.env.MINISMITH_ARGS ?? '["serve", "--robot", "mock"]');
const WATCH_MS = 4000;

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

async function start(port) {
  const child = spawn(program, [...args, '--port', String(port)], {
    stdio: 'ignore',
    cwd: process.env.MINISMITH_FOLDER || undefined,
  });
  const base = `http://127.0.0.1:${port}`;
  const until = performance.now() + 2 * PATIENCE;
  while (!(await ask('/api/v1/state', { base }).catch(() => null))?.value?.posture) {
    if (performance.now() > until || child.exitCode !== null)
      throw new Error('the program did not start');
    await sleep(100);
  }
  return child;
}

async function kill(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGKILL');
  await gone;
}

await trial(
  'killed',
  async ({ check, eventually, open }) => {
    if (!program) throw new Error('set MINISMITH_PROGRAM to the path of the program');
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    let child = await start(port);
    try {
      const page = await open();
      await show(page, 'robot', base);
      await eventually('the page is live', () => isLive(page));
      await eventually('the camera too', () => page.locator('.camera:not(.is-old)').count());
      await page.evaluate(() => (window.isTheSame = true));
      await kill(child);
      await eventually(
        'it is seen that the program is gone',
        () => isLive(page),
        (live) => live === 0,
      );
      await eventually('and said', () => page.locator('.stale-bar').count());
      await eventually('the robot is drawn as of before', () =>
        page.locator('.scene.is-old').count(),
      );
      await eventually('the picture is shown as of before', () =>
        page.locator('.camera.is-old').count(),
      );
      await eventually(
        'and the numbers too',
        () => page.locator('.card.is-old table').count(),
        (n) => n === 2,
      );
      let wasLive = 0;
      const until = performance.now() + WATCH_MS;
      while (performance.now() < until) {
        wasLive += await isLive(page);
        await sleep(50);
      }
      check('nothing is said to be live', wasLive === 0, wasLive);
      await page.keyboard.press('Space');
      await eventually('a stop that nobody hears is told as not confirmed', () =>
        page.locator('.stop-outcome.is-failed').textContent({ timeout: 500 }),
      );
      child = await start(port);
      await eventually('with the program the page is back', () => isLive(page));
      check('without being loaded anew', await page.evaluate(() => window.isTheSame === true));
      await eventually('the picture comes again', () =>
        page.locator('.camera:not(.is-old)').count(),
      );
      await page.keyboard.press('Space');
      await eventually('and a stop is confirmed', () =>
        page.locator('.stop-outcome.is-confirmed').count(),
      );
    } finally {
      await kill(child);
    }
  },
  { tolerated: [/net::ERR|WebSocket|Failed to load resource/] },
);
