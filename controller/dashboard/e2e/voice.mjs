#!/usr/bin/env node
/**
 * Voice: while the button is held, the browser's microphone plays a file (`MINISMITH_VOICE`, "look up" between
 * silences). The utterance is shown, carried out and answered aloud. The page explains failures.
 */

import { request, isLive, posture, rest, server, show, sleep, state, test } from './lib.mjs';

const file = process.env.MINISMITH_VOICE;
if (!file) throw new Error('set MINISMITH_VOICE to a WAV file with the utterance: look up');

await test('voice', talk, {
  flags: [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}%noloop`,
  ],
  tolerated: [/WebSocket connection to .*\/api\/v1\/voice/, /409.*\/api\/v1\/voice/],
});

/** Counts the samples that are played and the sounds that are cut off. */
function countPlayback() {
  const { AudioBufferSourceNode: Node } = window;
  window.playback = { samples: 0, loudest: 0, stopped: 0 };
  const { start, stop } = Node.prototype;
  Node.prototype.start = function (...when) {
    const samples = this.buffer.getChannelData(0);
    window.playback.samples += samples.length;
    window.playback.loudest = samples.reduce(
      (loud, sample) => Math.max(loud, Math.abs(sample)),
      window.playback.loudest,
    );
    return start.apply(this, when);
  };
  Node.prototype.stop = function (...when) {
    window.playback.stopped += 1;
    return stop.apply(this, when);
  };
}

async function talk({ check, eventually, open }) {
  await rest();
  const page = await open();
  await page.addInitScript(countPlayback);
  await show(page, 'talk');
  await eventually('the page is live', () => isLive(page));
  const button = page.getByRole('button', { name: 'Hold to talk' });
  const indicator = page.locator('.light');
  const transcript = page.locator('.voice-transcript');
  const indicated = async () => (await indicator.getAttribute('class')).replace('light is-', '');

  check('before the first press nothing is open', (await indicated()) === 'off', await indicated());
  await button.hover();
  await page.mouse.down();
  await eventually('the button is held', () => button.and(page.locator('.is-held')).count());
  await eventually('the robot listens', indicated, (now) => now === 'hearing');
  const reached = await page.evaluate(() => {
    const stop = document.querySelector('button.stop');
    const { left, top, width, height } = stop.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return !stop.disabled && stop.contains(there);
  });
  check('STOP is in reach meanwhile', reached, reached);
  await eventually(
    'partial transcripts are shown',
    () => transcript.textContent(),
    // A partial transcript may differ from the final one.
    (text) => /up/i.test(text),
  );
  await sleep(600);
  await page.mouse.up();
  await eventually('the head looks up', posture, (now) => (now?.pitch_deg ?? 0) < -4);
  await eventually(
    'the transcript is shown',
    () => transcript.textContent(),
    (text) => /heard.*look up/i.test(text),
  );
  await eventually(
    'the utterance is in the conversation',
    () => page.locator('.user-message').last().textContent(),
    (text) => /look up/i.test(text),
  );
  const reply = page.locator('.robot-reply').last();
  await eventually('its step is shown as done', () => reply.locator('.badge.is-good').count());
  await eventually(
    'the answer is shown',
    () => reply.textContent(),
    (text) => /look up/i.test(text) && /outcome: done/i.test(text),
  );
  await eventually(
    'the answer is played',
    () => page.evaluate(() => window.playback),
    (playback) => playback.samples > 6000 && playback.loudest > 0.05,
  );
  // The file has ended: the microphone is silent from now on.
  await button.focus();
  await page.keyboard.down('Enter');
  await eventually('a key holds the button, too', () =>
    button.and(page.locator('.is-held')).count(),
  );
  const { stopped } = await page.evaluate(() => window.playback);
  check('the answer is cut off', stopped > 0, stopped);
  await page.keyboard.up('Enter');
  await eventually('missing speech is reported next to the button', () =>
    page.locator('.voice').getByText('No speech was detected').count(),
  );
  await eventually('the robot listens again', indicated, (now) => now === 'listening');
  await button.focus();
  await page.keyboard.down('Enter');
  await page.keyboard.down('Space');
  await page.keyboard.up('Space');
  await eventually('the space bar stops the robot there too', () =>
    page.locator('.stop-outcome').and(page.locator('.is-confirmed')).count(),
  );
  await page.keyboard.up('Enter');

  // With another client the server has no voice connection left.
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
  await eventually('the reason for the rejection is shown next to the button', () =>
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
  await eventually('the missing permission is reported next to the button', () =>
    denied.locator('.voice').getByText('Microphone access was denied').count(),
  );
  await denied.mouse.up();

  const { motion_state } = await state();
  check('the robot rests', motion_state === 'holding', motion_state);
  const journal = await request('/api/v1/journal?kind=said');
  const utterances = journal.value.entries.map((entry) => entry.action ?? entry.what);
  check(
    'the utterance is in the journal',
    utterances.some((text) => /look up/i.test(text)),
    utterances,
  );
}
