#!/usr/bin/env node
/**
 * Twenty pages at once: each is live, those with the robot show its true posture, and one of them stops it. Few draw in 3D, which
 * a computer without a graphics card does slowly.
 */

import { TIMEOUT_MS, isLive, request, rest, show, shownYaw, state, test } from './lib.mjs';

const PAGES = 20;
const VIEWS = ['robot', 'plots'];
const OTHER_VIEWS = ['health', 'tools', 'journal'];
/** On a computer with two processors, some pages wait for others to draw. */
const PATIENCE_MS = 4 * TIMEOUT_MS;

/** Counts the pages that have been live; on a busy computer not all of them are at the same moment. */
function everLive(pages) {
  const live = new Set();
  return async () => {
    const now = await Promise.all(pages.map(isLive));
    pages.filter((_, at) => now[at]).forEach((page) => live.add(page));
    return live.size;
  };
}

const overruns = async () => (await request('/health')).value?.overruns ?? null;

await test('many-pages', async ({ check, eventually, open }) => {
  await rest();
  const before = await overruns();
  const pages = [];
  for (let at = 0; at < PAGES; at += 1) {
    const page = await open({ reducedMotion: 'reduce' });
    await show(page, VIEWS[at] ?? OTHER_VIEWS[at % OTHER_VIEWS.length]);
    pages.push(page);
  }
  const allLive = (what) =>
    eventually(what, everLive(pages), (live) => live === PAGES, PATIENCE_MS);
  await allLive('each page is live');
  await rest({ yaw: 25 });
  await eventually(
    'the page with the robot shows where the head is',
    () => shownYaw(pages[0]),
    (yaw) => Math.abs(yaw - 25) < 2,
  );
  await request('/api/move/goto', {
    method: 'POST',
    body: { head_pose: { x: 0, y: 0, z: 0, roll: 0, pitch: 0, yaw: -0.6 }, duration: 20 },
  });
  await eventually('the robot moves', state, (now) => now.motion_state === 'moving');
  await pages.at(-1).locator('button.stop').click();
  await eventually('one page stops it', state, (now) => now.motion_state === 'holding');
  await allLive('each page is live afterwards');
  const after = await overruns();
  check('the control loop counted its cycles', after !== null, after);
  console.log(`measured: late cycles ${before} before, ${after} after`);
});
