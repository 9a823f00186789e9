#!/usr/bin/env node
/** The server is killed and restarted: the page reports that it is gone and reconnects by itself. */

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { request, isLive, TIMEOUT_MS, show, sleep, test } from './lib.mjs';

/** The server program, which runs in the folder MINISMITH_FOLDER. */
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
  const until = performance.now() + 2 * TIMEOUT_MS;
  while (!(await request('/api/v1/state', { base }).catch(() => null))?.value?.posture) {
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

await test(
  'server-restart',
  async ({ check, eventually, open }) => {
    if (!program) throw new Error('set MINISMITH_PROGRAM to the path of the program');
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    let child = await start(port);
    try {
      const page = await open();
      await show(page, 'robot', base);
      await eventually('the page is live', () => isLive(page));
      await eventually('the camera is live', () => page.locator('.camera:not(.is-old)').count());
      await page.evaluate(() => (window.isSamePage = true));
      await kill(child);
      await eventually(
        'the page notices that the server is gone',
        () => isLive(page),
        (live) => live === 0,
      );
      await eventually('the page reports it', () => page.locator('.stale-bar').count());
      await eventually('the 3D view is marked as stale', () =>
        page.locator('.scene.is-old').count(),
      );
      await eventually('the image is marked as stale', () =>
        page.locator('.camera.is-old').count(),
      );
      await eventually(
        'the tables are marked as stale',
        () => page.locator('.card.is-old table').count(),
        (n) => n === 2,
      );
      let wasLive = 0;
      const until = performance.now() + WATCH_MS;
      while (performance.now() < until) {
        wasLive += await isLive(page);
        await sleep(50);
      }
      check('nothing is shown as live', wasLive === 0, wasLive);
      await page.keyboard.press('Space');
      await eventually('a stop without a reply is shown as not confirmed', () =>
        page.locator('.stop-outcome.is-failed').textContent({ timeout: 500 }),
      );
      child = await start(port);
      await eventually('the page is live again with the server', () => isLive(page));
      check('the page was not reloaded', await page.evaluate(() => window.isSamePage === true));
      await eventually('the camera is live again', () =>
        page.locator('.camera:not(.is-old)').count(),
      );
      await page.keyboard.press('Space');
      await eventually('a stop is confirmed', () =>
        page.locator('.stop-outcome.is-confirmed').count(),
      );
    } finally {
      await kill(child);
    }
  },
  { tolerated: [/net::ERR|WebSocket|Failed to load resource/] },
);
