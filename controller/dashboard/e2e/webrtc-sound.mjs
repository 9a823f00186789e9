#!/usr/bin/env node
/**
 * A page hears the robot's microphone and talks through its speaker by WebRTC, with no class of other people. The browser's
 * microphone plays a file with a tone (`MINISMITH_VOICE`), and the robot's speaker is a file of raw samples (`MINISMITH_PLAYED`).
 *
 * `MINISMITH_WEBRTC` is the address of `minismith-webrtc`, `MINISMITH_TOKENS` has a token of a viewer and one of an operator,
 * `MINISMITH_TONE_HZ` is the tone at the robot's microphone, `MINISMITH_SAID_HZ` that of the file.
 */

import { readFileSync } from 'node:fs';
import { request, sleep, test } from './lib.mjs';
import { defineConnect, servePage } from './webrtc-page.mjs';

const base = process.env.MINISMITH_WEBRTC;
const tokens = JSON.parse(process.env.MINISMITH_TOKENS ?? '{}');
const tone = Number(process.env.MINISMITH_TONE_HZ);
const said = Number(process.env.MINISMITH_SAID_HZ);
/** The rate that the server prefers for a speaker. */
const SPEAKER_HZ = 24000;

/** Runs in the page: defines what opens the browser's microphone, and what listens to a session. */
function defineSound() {
  globalThis.openMicrophone = async () => {
    const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    globalThis.microphone = await navigator.mediaDevices.getUserMedia({ audio: plain });
  };
  /** Returns the loudest frequency of what a session sends, and its share of the power. */
  globalThis.hear = (peer) => {
    if (!peer.analyser) {
      const receiver = peer.connection.getReceivers().find((one) => one.track.kind === 'audio');
      const context = new AudioContext();
      peer.analyser = context.createAnalyser();
      peer.analyser.fftSize = 16384;
      peer.analyser.smoothingTimeConstant = 0;
      context.createMediaStreamSource(new MediaStream([receiver.track])).connect(peer.analyser);
    }
    const { analyser } = peer;
    const decibels = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(decibels);
    const powers = [...decibels].map((one) => (Number.isFinite(one) ? 10 ** (one / 10) : 0));
    const sum = powers.reduce((all, one) => all + one, 0);
    const top = powers.indexOf(Math.max(...powers));
    const near = powers.slice(Math.max(top - 4, 0), top + 5).reduce((all, one) => all + one, 0);
    const samples = new Float32Array(analyser.fftSize);
    analyser.getFloatTimeDomainData(samples);
    const level = Math.sqrt(samples.reduce((all, one) => all + one * one, 0) / samples.length);
    const hz = (top * analyser.context.sampleRate) / analyser.fftSize;
    return { hz, share: sum > 0 ? near / sum : 0, level };
  };
  globalThis.soundStats = async (peer) => {
    const stats = [...(await peer.connection.getStats()).values()];
    const of = (type) => stats.find((one) => one.type === type && one.kind === 'audio');
    const received = of('inbound-rtp');
    return {
      received: received?.packetsReceived ?? 0,
      samples: received?.totalSamplesReceived ?? 0,
      concealed: received?.concealedSamples ?? 0,
      sent: of('outbound-rtp')?.packetsSent ?? 0,
      codecs: stats.filter((one) => one.type === 'codec').map((one) => one.mimeType),
    };
  };
}

/** Returns whether another client would get the speaker; the reason says who has it. */
const speaker = async () => {
  const answer = await request('/api/v1/speaker', { token: tokens.operator });
  return [answer.status, answer.value?.detail ?? ''];
};

/** Returns the frequency of what the speaker got, its length in seconds, and its level. */
const played = () => {
  const { buffer, byteOffset, byteLength } = readFileSync(process.env.MINISMITH_PLAYED);
  const all = new Int16Array(buffer.slice(byteOffset, byteOffset + byteLength - (byteLength % 2)));
  // The device has no clock: between two parts of the sound it takes silence.
  const sound = all.filter((one, at) => one !== 0 || (all[at - 1] !== 0 && all[at + 1] !== 0));
  let [crossings, energy] = [0, 0];
  for (let at = 1; at < sound.length; at += 1) {
    if (sound[at] > 0 !== sound[at - 1] > 0) crossings += 1;
    energy += (sound[at] / 32768) ** 2;
  }
  const seconds = sound.length / SPEAKER_HZ;
  return { hz: crossings / 2 / seconds, seconds, level: Math.sqrt(energy / sound.length) };
};

await test(
  'webrtc-sound',
  async ({ check, eventually, open }) => {
    const site = await servePage();
    const page = await open();
    const fresh = async () => {
      await page.goto(site.url);
      await page.evaluate(defineConnect);
      await page.evaluate(defineSound);
      await page.evaluate(() => openMicrophone());
    };
    const connected = (token) =>
      page.evaluate(
        async ([at, key]) => {
          globalThis.peer = await connect(at, key);
          return peer.open();
        },
        [base, token],
      );
    const stats = () => page.evaluate(() => soundStats(peer));
    await fresh();
    check('a session opens', (await connected(tokens.operator)) === true);
    await eventually(
      'Opus goes in both directions',
      stats,
      ({ received, sent, codecs }) => received > 50 && sent > 50 && codecs.includes('audio/opus'),
    );
    await eventually(
      "the page hears the tone at the robot's microphone",
      () => page.evaluate(() => hear(peer)),
      ({ hz, share, level }) => Math.abs(hz - tone) < 8 && share > 0.9 && level > 0.1,
    );
    const begun = await stats();
    await sleep(4000);
    const ended = await stats();
    const seconds = (ended.samples - begun.samples) / 48000;
    const concealed = (ended.concealed - begun.concealed) / 48000;
    console.log(
      `measured: ${ended.received - begun.received} packets in ${seconds.toFixed(2)} s, ${concealed.toFixed(2)} s concealed`,
    );
    check('packets come without long gaps', concealed < 0.4 * seconds, [begun, ended]);
    check(
      'the video goes on',
      await page.evaluate(() => document.querySelector('video').videoWidth > 0),
    );

    const [status, reason] = await speaker();
    check('the page talks', status === 409 && /another client talks/.test(reason), [
      status,
      reason,
    ]);
    const spoken = await eventually(
      'the speaker gets the tone that the page says',
      played,
      ({ hz, seconds, level }) => Math.abs(hz - said) < 0.02 * said && seconds > 3 && level > 0.1,
    );
    console.log(`measured: the speaker got ${JSON.stringify(spoken)}`);
    const cleared = await page.evaluate(() => peer.ask({ type: 'clear_incoming_audio' }));
    check('what waits for the speaker is dropped', cleared?.status === 'ok', cleared);
    await page.evaluate(() => {
      for (const track of microphone.getAudioTracks()) track.enabled = false;
    });
    await eventually(
      'a page that is silent leaves the speaker to others',
      speaker,
      ([free]) => free !== 409,
    );
    const before = await stats();
    await eventually('it sends silence meanwhile', stats, ({ sent }) => sent > before.sent + 10);
    await page.evaluate(() => {
      for (const track of microphone.getAudioTracks()) track.enabled = true;
    });
    await eventually('it talks again', speaker, ([taken]) => taken === 409);
    await page.evaluate(() => peer.close());

    // A viewer sees, and neither hears nor talks.
    await fresh();
    check('a viewer has a session', (await connected(tokens.viewer)) === true);
    await eventually('it sends sound', stats, ({ sent }) => sent > 100);
    const viewer = await stats();
    check('a viewer hears nothing', viewer.received === 0, viewer);
    await eventually('a viewer does not talk', speaker, ([free]) => free !== 409);
    await page.evaluate(() => peer.close());
    site.close();
  },
  {
    flags: [
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${process.env.MINISMITH_VOICE}`,
      '--autoplay-policy=no-user-gesture-required',
    ],
  },
);
