/**
 * What all end-to-end tests share: a browser, its pages, and checks that are printed as one JSON document.
 *
 * A test waits long for each condition, since the machine may be slow. It measures no times.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, firefox } from 'playwright-core';

/** How long a test waits for a condition, milliseconds. */
export const TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 50;
/** The most characters that are printed of an actual value. */
const MAX_LENGTH = 1500;

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** Returns the address of the server under test. */
export const server = () => {
  const url = process.env.MINISMITH_URL;
  if (!url) throw new Error('set MINISMITH_URL to the address of a server with a simulated robot');
  return url.replace(/\/+$/, '');
};

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Writes a program that starts the browser with a low priority. As root, Chromium raises some of its threads above
 * those of the robot; without the capability it cannot.
 */
function browserWrapper(folder) {
  const browser = process.env.MINISMITH_CHROMIUM ?? '/usr/bin/chromium';
  const without = ['--bounding-set=-sys_nice', '--inh-caps=-sys_nice'];
  const canDrop =
    process.getuid?.() === 0 && spawnSync('setpriv', [...without, 'true']).status === 0;
  const prefix = canDrop ? `setpriv ${without.join(' ')} ` : '';
  const program = join(folder, 'browser');
  writeFileSync(program, `#!/bin/sh\nexec ${prefix}nice -n 10 "${browser}" "$@"\n`);
  chmodSync(program, 0o755);
  return program;
}

/** Whether the tests run in Firefox, which `MINISMITH_E2E_FIREFOX` names, instead of Chromium. */
export const isFirefox = (process.env.MINISMITH_E2E_FIREFOX ?? '') !== '';

/** Starts the browser with extra flags, which are Chromium's. */
export async function launch(more = []) {
  if (isFirefox) {
    // Debian's Firefox is unchanged, so it is driven by the standard protocol (WebDriver BiDi).
    const executablePath = process.env.MINISMITH_E2E_FIREFOX;
    return firefox.launch({
      channel: 'moz-firefox',
      executablePath,
      timeout: 2 * TIMEOUT_MS,
      // A microphone that sounds a tone, and no question about it.
      firefoxUserPrefs: {
        'media.navigator.streams.fake': true,
        'media.navigator.permission.disabled': true,
      },
    });
  }
  const folder = mkdtempSync(join(tmpdir(), 'minismith-e2e-'));
  const browser = await chromium.launch({
    executablePath: browserWrapper(folder),
    timeout: 2 * TIMEOUT_MS,
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

/** A tool may have no image; then the request fails without an error of the page. */
const EXPECTED_ERRORS = [/404.*\/files\/(picture|page|recording)/];

/** Without a graphics card, Firefox has no 3D; the page says so instead. It reports a socket that a reload closes. */
const FIREFOX_ERRORS = [/WebGL/, /was interrupted while the page was loading/];

/**
 * Runs a test and prints its checks. `tolerated` lists console errors that the test provokes; each pattern is matched
 * against the message and its address. `flags` are passed to the browser.
 */
export async function test(name, body, { tolerated = [], flags = [] } = {}) {
  const checks = [];
  let browser = null;
  const check = (what, ok, value = null) => {
    const text = JSON.stringify(value) ?? 'null';
    const actual = text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : value;
    checks.push({ name: what, ok: Boolean(ok), actual });
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}${ok ? '' : `: ${JSON.stringify(actual)}`}`);
    return Boolean(ok);
  };
  /** Polls a value until it passes the condition. */
  const eventually = async (what, read, condition = Boolean, timeoutMs = TIMEOUT_MS) => {
    const until = performance.now() + timeoutMs;
    let actual;
    for (;;) {
      try {
        actual = await read();
        if (condition(actual)) return (check(what, true, actual), actual);
      } catch (error) {
        actual = String(error).slice(0, 300);
      }
      if (performance.now() > until) return (check(what, false, actual ?? null), actual);
      await sleep(POLL_INTERVAL_MS);
    }
  };
  const errors = [];
  const known = [...EXPECTED_ERRORS, ...(isFirefox ? FIREFOX_ERRORS : []), ...tolerated];
  /** Opens a page in its own browser profile. */
  const open = async (options = {}) => {
    const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on('pageerror', (error) => errors.push(`page: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() !== 'error') return;
      const text = `${message.text()} ${message.location().url}`;
      if (!known.some((one) => one.test(text))) errors.push(text.slice(0, 300));
    });
    return page;
  };
  try {
    browser = await launch(flags);
    await body({ check, eventually, open });
  } catch (error) {
    check('the test completes', false, String(error?.stack ?? error).slice(0, 1500));
  }
  check('the page has no errors', errors.length === 0, errors.slice(0, 10));
  await browser?.close();
  console.log(JSON.stringify({ test: name, checks }));
  process.exit(checks.every((one) => one.ok) ? 0 : 1);
}

/** Sends a request to the server directly, without the page. */
export async function request(path, { token, method = 'GET', body, base = server() } = {}) {
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

/** The current names of the motion states, by their older names. */
const MOTION_STATES = {
  playing: 'moving',
  braking: 'stopping',
  limp: 'torque_off',
  led: 'hand_guiding',
};

/** Returns the state of the robot, with the current name of the motion state. */
export async function state(base) {
  const { value } = await request('/api/v1/state', { base });
  const motion_state = value?.motion_state ?? value?.doing;
  return value && { ...value, motion_state: MOTION_STATES[motion_state] ?? motion_state };
}

/** Returns the holder of the lease as `{ owner, purpose }`, or `null`. */
export async function leaseHolder() {
  const { value } = await request('/api/v1/lease');
  const holder = value.holder ?? value.lease ?? null;
  return holder && { ...holder, purpose: holder.purpose ?? holder.for };
}

export const posture = async (base) => (await state(base)).posture;

/** Returns the range of values that a field takes over a time. */
export async function swing(read, field, ms = 2000) {
  const until = performance.now() + ms;
  const values = [];
  while (performance.now() < until) {
    values.push((await read())[field]);
    await sleep(POLL_INTERVAL_MS);
  }
  return Math.max(...values) - Math.min(...values);
}

export const isLive = (page) => page.locator('.connection .badge.is-good').count();

/** Takes control of the robot on the view Drive. */
export async function takeControl(page, eventually) {
  await page.getByRole('button', { name: 'Take control', exact: true }).click();
  await eventually('the page is in control', () => page.locator('.lease.is-mine').count());
}

/** Takes control again if a busy machine delayed the heartbeat for so long that the lease ended. */
export async function keepControl(page) {
  if ((await page.locator('.lease.is-mine').count()) > 0) return true;
  await page.getByRole('button', { name: 'Take control', exact: true }).click();
  return false;
}

/** Moves a slider, as a drag does. */
export const slide = (slider, value) =>
  slider.evaluate((input, to) => {
    input.value = String(to);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }, value);

/** Returns the name and the text of the file that a click saves. */
export async function savedFile(page, click) {
  if (!isFirefox) {
    const [file] = await Promise.all([page.waitForEvent('download'), click()]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  }
  // The standard protocol does not report downloads, so what the page gives to the browser is read there.
  const saved = page.evaluate(
    () =>
      new Promise((done) => {
        const make = URL.createObjectURL;
        const { click } = HTMLAnchorElement.prototype;
        let blob;
        URL.createObjectURL = (given) => make.call(URL, (blob = given));
        HTMLAnchorElement.prototype.click = function () {
          URL.createObjectURL = make;
          HTMLAnchorElement.prototype.click = click;
          click.call(this);
          void blob.text().then((text) => done({ name: this.download, text }));
        };
      }),
  );
  await click();
  return saved;
}

/** Returns the yaw of the head that the view Robot shows, degrees. */
export async function shownYaw(page) {
  const text = await page.locator('.robot-view table tbody tr td').first().textContent();
  return Number(text.replace('−', '-').replace('°', ''));
}

/** Returns how wide the page is, which is more than the window if something does not fit. */
export const pageWidth = (page) => page.evaluate(() => document.documentElement.scrollWidth);

/** Opens a view of the page and waits until it is shown. */
export async function show(page, view, base = server()) {
  await page.goto(`${base}/#/${view}`);
  await page.waitForSelector(`.nav a[aria-current][href="#/${view.split('/')[0]}"]`);
}

/** Moves the robot to a posture and waits until it rests there. */
export async function rest(of = {}, base = server()) {
  const { yaw = 0, pitch = 0, roll = 0, body_yaw = 0, antennas = [-10, 10], duration = 1 } = of;
  const radians = (degrees) => (degrees * Math.PI) / 180;
  const body = {
    head_pose: { x: 0, y: 0, z: 0, roll: radians(roll), pitch: radians(pitch), yaw: radians(yaw) },
    antennas: antennas.map(radians),
    body_yaw: radians(body_yaw),
    duration,
  };
  const until = performance.now() + TIMEOUT_MS;
  const near = (one, other) => Math.abs(one - other) < 2;
  for (;;) {
    const now = await state(base);
    if (performance.now() > until)
      throw new Error(`the robot does not come to rest: ${now?.motion_state}`);
    const { yaw_deg, pitch_deg, antennas_deg } = now?.posture ?? {};
    const isThere =
      near(yaw_deg, yaw) && near(pitch_deg, pitch) && near(antennas_deg?.[0], antennas[0]);
    if (now?.motion_state === 'holding' && isThere) return;
    // A motion in progress may override the first attempt.
    if (now?.motion_state === 'holding')
      await request('/api/move/goto', { base, method: 'POST', body });
    await sleep(2 * POLL_INTERVAL_MS);
  }
}

/** Returns the accessibility violations of the page, minor ones too. */
export async function accessibilityViolations(page) {
  const { readFileSync } = await import('node:fs');
  const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  // Evaluated directly, since the page's content security policy permits no other scripts.
  await page.evaluate(readFileSync(source, 'utf8'));
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      where: nodes.slice(0, 3).map((node) => node.target.join(' ')),
    }));
  });
}
