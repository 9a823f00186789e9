#!/usr/bin/env node
/**
 * A tab that sleeps, as when a laptop is closed: its processes are suspended. The robot holds, since nobody steers any more, and
 * another operator takes over. When the tab wakes it shows the robot as it is then, and that it is not in control.
 *
 * `MINISMITH_SLEEP_S` is how long it sleeps.
 */

import { readFileSync } from 'node:fs';
import {
  isLive,
  leaseHolder,
  posture,
  request,
  rest,
  show,
  shownYaw,
  sleep,
  state,
  takeControl,
  test,
} from './lib.mjs';

const ASLEEP_S = Number(process.env.MINISMITH_SLEEP_S ?? 20);

/** The resident memory of the server, MB, if its process is known (`MINISMITH_PID`). */
function memory() {
  const status = readFileSync(`/proc/${process.env.MINISMITH_PID}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)[1]) / 1000;
}

await test('asleep', async ({ check, eventually, open }) => {
  await rest();
  const page = await open();
  await show(page, 'drive');
  await eventually('the page is live', () => isLive(page));
  await takeControl(page, eventually);
  const devtools = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  check('the tab has a process', renderers.length > 0, processInfo);
  const signal = (name) => renderers.forEach((id) => process.kill(id, name));
  const before = process.env.MINISMITH_PID === undefined ? null : memory();

  signal('SIGSTOP');
  await eventually('the lease of a sleeping tab ends', leaseHolder, (holder) => holder === null);
  await eventually('the robot holds', state, (now) => now.motion_state === 'holding');
  const begun = performance.now();
  await rest({ yaw: 20 });
  const lease = await request('/api/v1/lease', {
    method: 'POST',
    body: { purpose: 'someone else', heartbeat_ms: 5000 },
  });
  check('another operator takes control', lease.status === 201, lease);
  const heartbeat = () =>
    request(`/api/v1/lease/${lease.value.lease_id}/heartbeat`, { method: 'POST', body: {} });
  while (performance.now() - begun < 1000 * ASLEEP_S) {
    await heartbeat();
    await sleep(1000);
  }
  const after = before === null ? null : memory();
  // Frames that nobody reads are dropped: ten minutes of them would be some 10 MB.
  check('the server keeps nothing for it', after === null || after < before + 5, [before, after]);
  console.log(`measured: asleep for ${ASLEEP_S} s, server's memory ${before} to ${after} MB`);

  signal('SIGCONT');
  const woken = performance.now();
  await eventually('the page is live again', () => isLive(page));
  console.log(`measured: live ${Math.round(performance.now() - woken)} ms after it woke`);
  await heartbeat();
  const status = () => page.locator('.lease').textContent();
  await eventually(
    'it shows that another operator is in control',
    async () => {
      await heartbeat();
      return [await page.locator('.lease.is-mine').count(), await status()];
    },
    ([mine, text]) => mine === 0 && text.includes('someone else'),
  );
  await page.locator('.nav a[href="#/robot"]').click();
  const shown = () => shownYaw(page);
  await eventually('it shows where the head is now', shown, (yaw) => Math.abs(yaw - 20) < 2);
  await request(`/api/v1/lease/${lease.value.lease_id}`, { method: 'DELETE' });
  await rest({ yaw: -20 });
  await eventually('and where it goes', shown, (yaw) => Math.abs(yaw + 20) < 2);
  check('the robot is where the page says', Math.abs((await posture()).yaw_deg + 20) < 2);
});
