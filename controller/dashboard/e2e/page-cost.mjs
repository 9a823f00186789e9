#!/usr/bin/env node
/**
 * Not a test: measures what open pages cost. Rounds without a page and with two pages alternate: the robot in 3D with its
 * camera, and plots over time, while the robot moves. Prints medians as one JSON document:
 * `MINISMITH_PID=1234 node e2e/page-cost.mjs [FILE]`, MINISMITH_ROUNDS=3. MINISMITH_PID is the process of the server.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { DESKTOP, launch, request, rest, show, sleep, TIMEOUT_MS } from './lib.mjs';

const ROUNDS = Number(process.env.MINISMITH_ROUNDS ?? 3);
const ROUND_MS = 10_000;
const SIGNALS = ['present.body_rotation', 'goal.body_rotation', 'present.stewart_1'];
const VIEWS = ['robot', 'plots'];
/** Clock ticks in a second, in which Linux counts processor time. */
const TICKS_PER_SECOND = 100;

const median = (all) => [...all].sort((one, other) => one - other)[Math.floor(all.length / 2)];
const rounded = (value) => Math.round(10 * value) / 10;

/** Returns the processor time of the server so far, seconds. */
function serverSeconds() {
  const stat = readFileSync(`/proc/${process.env.MINISMITH_PID}/stat`, 'utf8');
  // The name of the program, which is in brackets, may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Returns the processor time of all processes of the browser so far, seconds. */
async function browserSeconds(session) {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

/** Runs in a page: returns its animation frames per second. */
const frames = (ms) =>
  new Promise((done) => {
    const began = performance.now();
    let count = 0;
    const step = () => {
      count += 1;
      const past = performance.now() - began;
      if (past < ms) requestAnimationFrame(step);
      else done((1000 * count) / past);
    };
    requestAnimationFrame(step);
  });

async function openPage(browser, view, layout = null) {
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US' });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  if (layout !== null) {
    await page.addInitScript(
      (stored) => localStorage.setItem('minismith.plots.layout', stored),
      JSON.stringify(layout),
    );
  }
  await show(page, view);
  await page.locator('.connection .badge.is-good').waitFor();
  return page;
}

/** Lets the robot move for as long as a round lasts. */
const move = () =>
  request('/api/v1/chat', {
    method: 'POST',
    body: { text: 'nod and look left and right 20 times' },
  });

/** Measures a round with these pages. */
async function round(pages, session) {
  await rest();
  void move().catch(() => {});
  await sleep(500);
  await request('/api/v1/control_loop/reset_statistics', { method: 'POST' });
  const before = [serverSeconds(), await browserSeconds(session)];
  const [rates] = await Promise.all([
    Promise.all(pages.map((page) => page.evaluate(frames, ROUND_MS))),
    sleep(ROUND_MS),
  ]);
  const { jitter } = (await request('/health')).value.control_loop;
  const seconds = ROUND_MS / 1000;
  return {
    server_percent: (100 * (serverSeconds() - before[0])) / seconds,
    browser_percent: (100 * ((await browserSeconds(session)) - before[1])) / seconds,
    jitter_p50_us: jitter.p50_us,
    jitter_p99_us: jitter.p99_us,
    ...Object.fromEntries(rates.map((rate, at) => [`${VIEWS[at]}_frames_per_second`, rate])),
  };
}

const browser = await launch();
const session = await browser.newBrowserCDPSession();
const rounds = { without: [], with: [] };
for (let number = 0; number < ROUNDS; number += 1) {
  rounds.without.push(await round([], session));
  const pages = [
    await openPage(browser, VIEWS[0]),
    await openPage(browser, VIEWS[1], { columns: 1, plots: [{ id: 0, signals: SIGNALS }] }),
  ];
  // What is loaded at first belongs to the first view, which `load-times` measures.
  await sleep(3000);
  rounds.with.push(await round(pages, session));
  await Promise.all(pages.map((page) => page.context().close()));
}
await browser.close();
await request('/api/v1/stop', { method: 'POST' });
const medians = (all) =>
  Object.fromEntries(
    Object.keys(all[0]).map((key) => [key, rounded(median(all.map((one) => one[key])))]),
  );
const figures = JSON.stringify({
  without_pages: medians(rounds.without),
  with_pages: medians(rounds.with),
});
if (process.argv[2]) writeFileSync(process.argv[2], figures);
else console.log(figures);
