/** Speaks with the robot that is chosen, and begins anew when another is, or somebody logs in. */

import { effect, untracked } from '@preact/signals';
import { keepLimits } from './limits';
import { forget, link, now, standing } from './live';
import { poll } from './poll';
import { base, token } from './robots';
import { follow } from './telemetry';
import { whoAmI } from './whoami';

const TICK_MS = 100;

export function connect(): void {
  setInterval(() => (now.value = performance.now()), TICK_MS);
  let ending = new AbortController();
  effect(() => {
    void base.value;
    void token.value;
    ending.abort();
    ending = new AbortController();
    untracked(() => begin(ending.signal));
  });
}

function begin(signal: AbortSignal): void {
  forget();
  link.value = { is: 'connecting' };
  void follow(signal);
  void poll(signal);
  void keepLimits(signal);
  void introduce(signal);
}

/** Asks who we are until the server is there to say so. */
async function introduce(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const said = await whoAmI(signal);
    if (signal.aborted) return;
    if (said.standing !== null) {
      standing.value = said.standing;
      return;
    }
    await new Promise((done) => setTimeout(done, 2000));
  }
}
