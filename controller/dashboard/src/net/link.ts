/** Connects to the selected robot, and again whenever the robot or the token changes. */

import { effect, untracked } from '@preact/signals';
import { refreshLimits } from './limits';
import { reset, link, now, access, fleetName, webrtcPort } from './live';
import { poll } from './poll';
import { base, token } from './robots';
import { streamTelemetry } from './telemetry';
import { whoAmI } from './whoami';

const TICK_MS = 100;

export function connect(): void {
  setInterval(() => (now.value = performance.now()), TICK_MS);
  let session = new AbortController();
  effect(() => {
    void base.value;
    void token.value;
    session.abort();
    session = new AbortController();
    untracked(() => start(session.signal));
  });
}

function start(signal: AbortSignal): void {
  reset();
  link.value = { status: 'connecting' };
  void streamTelemetry(signal);
  void poll(signal);
  void refreshLimits(signal);
  void identify(signal);
}

/** Requests the user's role, and whether the server belongs to a fleet, until the server responds. */
async function identify(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const result = await whoAmI(signal);
    if (signal.aborted) return;
    if (result.access !== null) {
      access.value = result.access;
      fleetName.value = result.fleet;
      webrtcPort.value = result.webrtcPort;
      return;
    }
    await new Promise((done) => setTimeout(done, 2000));
  }
}
