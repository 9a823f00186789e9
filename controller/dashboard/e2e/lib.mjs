/**
 * What all trials share: a browser, pages in it, and checks that are told as one JSON document.
 *
 * A trial waits for what should be, for long: the machine may be slow. It says nothing of how quick anything is.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/** How long is waited for what should be, milliseconds. */
export const PATIENCE = 30_000;
const LOOK_EVERY = 50;
/** The most that is told of what a check saw, letters. */
const LONGEST = 1500;

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** Where the server is that the trial asks. */
export const server = () => {
  const url = process.env.MINISMITH_URL;
  if (!url)
    throw new Error('set MINISMITH_URL to the address of a server that runs on the mock robot');
  return url.replace(/\/+$/, '');
};

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * A program that starts the browser below everything else. Chromium raises some of its threads over those of the robot
 * where it may, as it may for root; without the capability it can't.
 */
function humble(folder) {
  const browser = process.env.MINISMITH_CHROMIUM ?? '/usr/bin/chromium';
  const without = ['--bounding-set=-sys_nice', '--inh-caps=-sys_nice'];
  const works = process.getuid?.() === 0 && spawnSync('setpriv', [...without, 'true']).status === 0;
  const before = works ? `setpriv ${without.join(' ')} ` : '';
  const program = join(folder, 'browser');
  writeFileSync(program, `#!/bin/sh\nexec ${before}nice -n 10 "${browser}" "$@"\n`);
  chmodSync(program, 0o755);
  return program;
}

/** Starts the browser, with more words on its command line. */
export async function launch(more = []) {
  const folder = mkdtempSync(join(tmpdir(), 'minismith-trial-'));
  const browser = await chromium.launch({
    executablePath: humble(folder),
    timeout: 2 * PATIENCE,
    args: [
      '--no-sandbox',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      ...more,
    ],
  });
  browser.on('disconnected', () => rmSync(folder, { recursive: true, force: true }));
  return browser;
}

/** A tool without a picture has none, and that is no fault. */
const USUAL = [/404.*\/files\/(picture|page|recording)/];

/**
 * Runs a trial, and tells its checks. `tolerated` are the errors on the console that belong to what is tried: each is
 * matched against the message and the address that it is about. `flags` are for the browser.
 */
export async function trial(name, body, { tolerated = [], flags = [] } = {}) {
  const checks = [];
  let browser = null;
  const check = (what, ok, whole = null) => {
    const text = JSON.stringify(whole) ?? 'null';
    const saw = text.length > LONGEST ? text.slice(0, LONGEST) : whole;
    checks.push({ name: what, ok: Boolean(ok), saw });
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}${ok ? '' : `: ${JSON.stringify(saw)}`}`);
    return Boolean(ok);
  };
  /** Looks until what it sees passes the test. */
  const eventually = async (what, look, test = Boolean) => {
    const until = performance.now() + PATIENCE;
    let saw;
    for (;;) {
      try {
        saw = await look();
        if (test(saw)) return (check(what, true, saw), saw);
      } catch (error) {
        saw = String(error).slice(0, 300);
      }
      if (performance.now() > until) return (check(what, false, saw ?? null), saw);
      await sleep(LOOK_EVERY);
    }
  };
  const troubles = [];
  const known = [...USUAL, ...tolerated];
  /** A page of its own browser profile. */
  const open = async (options = {}) => {
    const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.on('pageerror', (error) => troubles.push(`page: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() !== 'error') return;
      const text = `${message.text()} ${message.location().url}`;
      if (!known.some((one) => one.test(text))) troubles.push(text.slice(0, 300));
    });
    return page;
  };
  try {
    browser = await launch(flags);
    await body({ check, eventually, open });
  } catch (error) {
    check('the trial came to its end', false, String(error?.stack ?? error).slice(0, 1500));
  }
  check('the page has no errors', troubles.length === 0, troubles.slice(0, 10));
  await browser?.close();
  console.log(JSON.stringify({ trial: name, checks }));
  process.exit(checks.every((one) => one.ok) ? 0 : 1);
}

/** Asks the server itself, past the page. */
export async function ask(path, { token, method = 'GET', body, base = server() } = {}) {
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const value = await response.json().catch(() => null);
  return { status: response.status, value };
}

export const state = async (base) => (await ask('/api/v1/state', { base })).value;

export const posture = async (base) => (await state(base)).posture;

/** By how much something that is looked at again and again goes to and fro. */
export async function swing(look, what, ms = 2000) {
  const until = performance.now() + ms;
  const seen = [];
  while (performance.now() < until) {
    seen.push((await look())[what]);
    await sleep(LOOK_EVERY);
  }
  return Math.max(...seen) - Math.min(...seen);
}

export const isLive = (page) => page.locator('.connection .badge.is-good').count();

/** Opens a view of the page, and waits until it is there. */
export async function show(page, view, base = server()) {
  await page.goto(`${base}/#/${view}`);
  await page.waitForSelector(`.nav a[aria-current][href="#/${view.split('/')[0]}"]`);
}

/** Sends the body to a posture and waits until it rests there. */
export async function rest(of = {}, base = server()) {
  const { yaw = 0, pitch = 0, roll = 0, body_yaw = 0, antennas = [-10, 10], duration = 1 } = of;
  const radians = (degrees) => (degrees * Math.PI) / 180;
  const body = {
    head_pose: { x: 0, y: 0, z: 0, roll: radians(roll), pitch: radians(pitch), yaw: radians(yaw) },
    antennas: antennas.map(radians),
    body_yaw: radians(body_yaw),
    duration,
  };
  const until = performance.now() + PATIENCE;
  const near = (one, other) => Math.abs(one - other) < 2;
  for (;;) {
    const now = await state(base);
    if (performance.now() > until)
      throw new Error(`the robot does not come to rest: ${now?.doing}`);
    const { yaw_deg, pitch_deg, antennas_deg } = now?.posture ?? {};
    const isThere =
      near(yaw_deg, yaw) && near(pitch_deg, pitch) && near(antennas_deg?.[0], antennas[0]);
    if (now?.doing === 'holding' && isThere) return;
    // A motion that goes on may win over the first attempt.
    if (now?.doing === 'holding') await ask('/api/move/goto', { base, method: 'POST', body });
    await sleep(2 * LOOK_EVERY);
  }
}

/** Serious and critical troubles for people who see, hear or move otherwise. */
export async function barriers(page) {
  const { readFileSync } = await import('node:fs');
  const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  // It is put in past the page's policy, which lets no other program in.
  await page.evaluate(readFileSync(source, 'utf8'));
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      where: nodes.slice(0, 3).map((node) => node.target.join(' ')),
    }));
  });
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
}
