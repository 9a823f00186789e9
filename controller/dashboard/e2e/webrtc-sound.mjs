#!/usr/bin/env node
/**
 * A page hears the robot's microphone and talks through its speaker by WebRTC, with no class of other people. The browser's
 * microphone plays a file with a tone (`MINISMITH_VOICE`), and the robot's speaker is a file of raw samples (`MINISMITH_PLAYED`).
 *
 * `MINISMITH_WEBRTC` is the address of `minismith-webrtc`, `MINISMITH_TOKENS` has a token of a viewer and one of an operator,
 * `MINISMITH_TONE_HZ` is the tone at the robot's microphone, `MINISMITH_SAID_HZ` that of the file.
 */

import { truncateSync } from 'node:fs';
import { request, sleep, test } from './lib.mjs';
import { played, wave } from './sound.mjs';
import { defineConnect, servePage } from './webrtc-page.mjs';

const base = process.env.MINISMITH_WEBRTC;
const tokens = JSON.parse(process.env.MINISMITH_TOKENS ?? '{}');
const tone = Number(process.env.MINISMITH_TONE_HZ);
const said = Number(process.env.MINISMITH_SAID_HZ);
/** The tone of the sounds that the page uploads. */
const UPLOADED_HZ = 330;

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

/** Runs in the page: defines what uploads a sound, a WAV file as base64, and plays it. */
function defineUploads(tone) {
  const sent = (kind, id, text, encoding) => {
    const parts = text.match(/[^]{1,12288}/g);
    const head = { upload_id: id, total_chunks: parts.length, encoding };
    peer.tell({ type: `upload_${kind}_start`, ...head });
    parts.forEach((chunk, chunk_index) =>
      peer.tell({ type: `upload_${kind}_chunk`, upload_id: id, chunk_index, chunk }),
    );
    peer.tell({ type: `upload_${kind}_finish`, upload_id: id });
  };
  const answer = (type, id, holds = () => true) =>
    peer.until(() =>
      peer.messages.find((m) => m.type === type && m.upload_id === id && holds(m) && !m.seen),
    );
  globalThis.playAgain = async (id) => {
    peer.tell({ type: 'play_uploaded_audio', upload_id: id });
    const told = await answer('play_uploaded_audio', id);
    if (told) told.seen = true;
    return told;
  };
  globalThis.playSound = (id, text = tone) => {
    sent('audio', id, text, 'wav-base64');
    return playAgain(id);
  };
  globalThis.playMoveWithSound = async (id) => {
    const time = [...Array(50).keys()].map((step) => step / 50);
    const set_target_data = time.map((at) => ({ antennas: [at / 2, 0] }));
    sent('move', id, JSON.stringify({ time, set_target_data }), 'json');
    sent('audio', id, tone, 'wav-base64');
    peer.tell({ type: 'play_uploaded_move', upload_id: id, audio_lead_ms: 100 });
    const started = await answer('play_uploaded_move', id, (m) => m.started);
    const ended = await answer('play_uploaded_move', id, (m) => !m.started);
    return { started, ended };
  };
}

const heard = () => played(process.env.MINISMITH_PLAYED);

/** Returns whether another client would get the speaker; the reason says who has it. */
const speaker = async () => {
  const answer = await request('/api/v1/speaker', { token: tokens.operator });
  return [answer.status, answer.value?.detail ?? ''];
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
      heard,
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
    // Sounds that it uploads, as the official browser class does it.
    await page.evaluate(defineUploads, wave(UPLOADED_HZ).toString('base64'));
    truncateSync(process.env.MINISMITH_PLAYED);
    const started = await page.evaluate(() => playSound('s1'));
    check('an uploaded sound is played', started?.started === true, started);
    const isUploaded = ({ hz, seconds, level }) =>
      Math.abs(hz - UPLOADED_HZ) < 0.03 * UPLOADED_HZ && seconds > 0.8 && level > 0.1;
    await eventually('the speaker gets it', heard, isUploaded);
    const twice = await page.evaluate(() => playAgain('s1'));
    check('it can be played again', twice?.started === true, twice);
    await page.evaluate(() => peer.tell({ type: 'cancel_audio', upload_id: 's1' }));
    await sleep(500);
    truncateSync(process.env.MINISMITH_PLAYED);
    const dance = await page.evaluate(() => playMoveWithSound('m1'));
    check(
      'a move is played with its sound',
      dance.started?.has_audio === true && dance.ended?.finished === true,
      dance,
    );
    await eventually('the speaker gets that sound, too', heard, isUploaded);
    const missing = await page.evaluate(() => playAgain('none'));
    check('an unknown sound is named', /no such/.test(missing?.error ?? ''), missing);
    const noise = await page.evaluate(() => playSound('s2', btoa('this is no sound')));
    check('what is no sound is refused', typeof noise?.error === 'string', noise);
    const kept = await request('/api/media/sounds', { token: tokens.operator });
    check('no uploaded file is left', kept.value?.files?.length === 0, kept.value);
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
    await page.evaluate(defineUploads, wave(UPLOADED_HZ).toString('base64'));
    const refused = await page.evaluate(() => playSound('s3'));
    check("a viewer's sound is refused", typeof refused?.error === 'string', refused);
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
