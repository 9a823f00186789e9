#!/usr/bin/env node
/**
 * A peer that vanishes: its browser is killed while it watches and a move of it runs. Who started this test then checks that
 * nothing of the peer is left, and that the robot holds.
 */

import { spawnSync } from 'node:child_process';
import { test } from './lib.mjs';
import { defineConnect, servePage } from './webrtc-page.mjs';

const base = process.env.MINISMITH_WEBRTC;
const tokens = JSON.parse(process.env.MINISMITH_TOKENS ?? '{}');

await test('webrtc-vanish', async ({ check, open }) => {
  const site = await servePage();
  const page = await open();
  await page.goto(site.url);
  await page.evaluate(defineConnect);
  const opened = await page.evaluate(
    async ([at, token]) => {
      globalThis.peer = await connect(at, token);
      return peer.open();
    },
    [base, tokens.operator],
  );
  check('a session opens', opened === true, opened);
  const poses = await page.evaluate(async () => {
    await peer.ask({ type: 'subscribe_pose' });
    return peer.until(() => peer.poses?.length);
  });
  check('poses are streamed', poses > 0, poses);
  await page.evaluate(() =>
    peer.tell({ type: 'goto_target', antennas: [2.5, -2.5], duration: 60 }),
  );
  const moving = await page.evaluate(() =>
    peer.until(() => peer.poses.at(-1)?.state.antennas[0] > 0.05),
  );
  check('a move runs', moving, moving);
  site.close();
  // All processes of this browser, and of no other, have this marker in their environment.
  const own = `MINISMITH_VANISH=${process.env.MINISMITH_VANISH}`;
  const killed = spawnSync('sh', [
    '-c',
    `for p in /proc/[0-9]*; do
       [ "$(cat $p/comm 2>/dev/null)" = chromium ] && tr '\\0' '\\n' <$p/environ 2>/dev/null | grep -qx '${own}' && kill -9 "\${p#/proc/}"
     done; true`,
  ]);
  check('the browser is killed', killed.status === 0, String(killed.stderr));
});
