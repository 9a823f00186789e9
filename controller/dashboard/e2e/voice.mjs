#!/usr/bin/env node
/**
 * Talking by voice: the button is held, the browser's microphone hears a file (`MINISMITH_VOICE`, "nod twice" between
 * silences), and what was said is shown, done, answered and played. What can't be is told in words.
 */

import { ask, isLive, posture, rest, server, show, sleep, state, trial } from './lib.mjs';

const file = process.env.MINISMITH_VOICE;
if (!file) throw new Error('set MINISMITH_VOICE to a WAV file in which somebody says: nod twice');

await trial('voice', talk, {
  flags: [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}%noloop`,
  ],
  tolerated: [/WebSocket connection to .*\/api\/v1\/voice/, /409.*\/api\/v1\/voice/],
});

/** Counts what is played, as the browser is told of it, and what is cut. */
function counted() {
  const { AudioBufferSourceNode: Node } = window;
  window.heard = { samples: 0, loudest: 0, stopped: 0 };
  const { start, stop } = Node.prototype;
  Node.prototype.start = function (...when) {
    const samples = this.buffer.getChannelData(0);
    window.heard.samples += samples.length;
    window.heard.loudest = samples.reduce(
      (loud, sample) => Math.max(loud, Math.abs(sample)),
      window.heard.loudest,
    );
    return start.apply(this, when);
  };
  Node.prototype.stop = function (...when) {
    window.heard.stopped += 1;
    return stop.apply(this, when);
  };
}

async function talk({ check, eventually, open }) {
  await rest();
  const page = await open();
  await page.addInitScript(counted);
  await show(page, 'talk');
  await eventually('the page is live', () => isLive(page));
  const button = page.getByRole('button', { name: 'Hold to talk' });
  const light = page.locator('.light');
  const words = page.locator('.voice-transcript');
  const shines = async () => (await light.getAttribute('class')).replace('light is-', '');

  check('before anybody speaks nothing is open', (await shines()) === 'off', await shines());
  await button.hover();
  await page.mouse.down();
  await eventually('the button is held', () => button.and(page.locator('.is-held')).count());
  await eventually('the robot listens', shines, (now) => now === 'hearing');
  const reached = await page.evaluate(() => {
    const stop = document.querySelector('button.stop');
    const { left, top, width, height } = stop.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return !stop.disabled && stop.contains(there);
  });
  check('STOP can be reached meanwhile', reached, reached);
  await eventually(
    'the words are shown while they come',
    () => words.textContent(),
    // What is heard may be another word than what is meant in the end.
    (text) => /twice/i.test(text),
  );
  await sleep(600);
  await page.mouse.up();
  await eventually('the head nods', posture, (now) => Math.abs(now?.pitch_deg ?? 0) > 4);
  await eventually(
    'what was heard is told',
    () => words.textContent(),
    (text) => /heard.*nod/i.test(text),
  );
  await eventually(
    'what was said stands in the conversation',
    () => page.locator('.user-message').last().textContent(),
    (text) => /nod/i.test(text),
  );
  const told = page.locator('.robot-reply').last();
  await eventually('its step is shown as done', () => told.locator('.badge.is-good').count());
  await eventually(
    'the answer is shown',
    () => told.textContent(),
    (text) => /nod/i.test(text) && /outcome: done/i.test(text),
  );
  await eventually(
    'the answer is played',
    () => page.evaluate(() => window.heard),
    (heard) => heard.samples > 6000 && heard.loudest > 0.05,
  );
  // The file is over: the microphone hears nothing more.
  await button.focus();
  await page.keyboard.down('Enter');
  await eventually('a key holds the button, too', () =>
    button.and(page.locator('.is-held')).count(),
  );
  const { stopped } = await page.evaluate(() => window.heard);
  check('and what was being said is cut', stopped > 0, stopped);
  await page.keyboard.up('Enter');
  await eventually('that no words were heard is told near the button', () =>
    page.locator('.voice').getByText('No words were heard').count(),
  );
  await eventually('the robot listens again', shines, (now) => now === 'listening');
  await button.focus();
  await page.keyboard.down('Enter');
  await page.keyboard.down('Space');
  await page.keyboard.up('Space');
  await eventually('the space bar is a stop there as everywhere', () =>
    page.locator('.stop-outcome').and(page.locator('.is-confirmed')).count(),
  );
  await page.keyboard.up('Enter');

  // Somebody else talks, too, and then there is no seat.
  const third = await open();
  await show(third, 'talk');
  await third.evaluate(
    (address) => {
      window.other = new WebSocket(address);
      const { other } = window;
      return new Promise((done, fail) => ((other.onopen = done), (other.onerror = fail)));
    },
    `${server().replace(/^http/, 'ws')}/api/v1/voice?speak=false`,
  );
  await eventually('another page is live', () => isLive(third));
  await third.getByRole('button', { name: 'Hold to talk' }).hover();
  await third.mouse.down();
  await eventually('why the server refuses is told near the button', () =>
    third.locator('.voice').getByText('others talk with the robot').count(),
  );
  await third.mouse.up();
  await third.close();

  const denied = await open();
  await denied.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () =>
      Promise.reject(new DOMException('no', 'NotAllowedError'));
  });
  await show(denied, 'talk');
  await eventually('a page without the microphone is live', () => isLive(denied));
  await denied.getByRole('button', { name: 'Hold to talk' }).hover();
  await denied.mouse.down();
  await eventually('that it has none is told near the button', () =>
    denied.locator('.voice').getByText('does not give this page the microphone').count(),
  );
  await denied.mouse.up();

  const { doing } = await state();
  check('the robot rests', doing === 'holding', doing);
  const journal = await ask('/api/v1/journal?kind=said');
  const said = journal.value.entries.map((entry) => entry.what);
  check(
    'what was said stands in the journal',
    said.some((what) => /nod/i.test(what)),
    said,
  );
}
