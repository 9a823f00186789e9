#!/usr/bin/env node
/**
 * The browser class of the official package, unmodified, on the simulated robot: it connects, selects the robot, starts a
 * session, shows the video and moves the head, and each effect is checked at the robot.
 *
 * usage: official-browser.mjs FOLDER PROGRAMS      FOLDER has the class in `sdk/dist` and the package that it imports in
 * `node_modules`; PROGRAMS has `minismith` and `minismith-webrtc`.
 */

import { spawn, spawnSync } from 'node:child_process';
import {
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { request, sleep, test } from './lib.mjs';
import { played, wave } from './sound.mjs';
import { defineConnect, servePage } from './webrtc-page.mjs';

const [folder, programs] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'minismith-official-'));
const [heard, horn] = [join(work, 'heard'), join(work, 'played.raw')];
const environment = {
  ...process.env,
  XDG_CONFIG_HOME: work,
  XDG_DATA_HOME: work,
  ALSA_CONFIG_PATH: join(work, 'asound.conf'),
};
writeFileSync(
  join(work, 'config.yaml'),
  'server: {anonymous_role: none}\ncompat: {webrtc: off}\nvoice: {microphone: mic, speaker: horn}\n',
);
const device = (name, files) =>
  `pcm.${name} { type file; slave.pcm { type null }; ${files}; format "raw"; hint { show on; description "${name}" } }\n`;
writeFileSync(
  environment.ALSA_CONFIG_PATH,
  device('mic', `file "/dev/null"; infile "${heard}"`) + device('horn', `file "${horn}"`),
);
spawnSync('mkfifo', [heard]);

/** The tones at the robot's microphone, of the page, and of what the page uploads. */
const [HEARD_HZ, SAID_HZ, UPLOADED_HZ] = [440, 700, 330];

/** The robot's microphone hears a tone as long as this runs. */
const singing = (() => {
  const pipe = openSync(heard, constants.O_RDWR | constants.O_NONBLOCK);
  const [begun, rate] = [performance.now(), 16000];
  let sung = 0;
  return setInterval(() => {
    const due = Math.floor(((performance.now() - begun) / 1000) * rate);
    for (; sung < due; sung += 1024) {
      const sample = (_, at) => 8000 * Math.sin((2 * Math.PI * HEARD_HZ * (sung + at)) / rate);
      try {
        writeSync(pipe, new Uint8Array(Int16Array.from({ length: 1024 }, sample).buffer));
      } catch {
        // While nobody listens, the pipe is full.
      }
    }
  }, 10);
})();
const running = [];

/** Starts a program, and returns the address in its first line. */
const started = (program, ...args) =>
  new Promise((done, failed) => {
    const child = spawn(join(programs, program), args, {
      cwd: work,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push(child);
    child.once('exit', (code) => failed(new Error(`${program} has ended with ${code}`)));
    child.stdout.once('data', (text) => done(JSON.parse(text).listening));
  });

const token = (role) => {
  const made = spawnSync(
    join(programs, 'minismith'),
    ['token', 'add', role, '--role', role, '--json'],
    {
      cwd: work,
      env: environment,
    },
  );
  return JSON.parse(made.stdout).token;
};

const tokens = { operator: token('operator'), viewer: token('viewer') };
const address = await started('minismith', 'serve', '--robot', 'mock', '--port', '0', '--json');
const base = `http://${address}`;
const signalling = `http://${await started(
  'minismith-webrtc',
  ...['--controller', base, '--listen', '127.0.0.1:0', '--json'],
)}`;
process.on('exit', () => {
  running.forEach((child) => child.kill('SIGKILL'));
  rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

const page = `<!doctype html><title>official</title><video autoplay muted playsinline></video>
<script type="importmap">{"imports": {"@huggingface/hub": "/node_modules/@huggingface/hub/dist/browser/index.mjs"}}</script>
<script type="module">
  import { ReachyMini } from '/sdk/dist/reachy-mini-sdk.js';
  globalThis.ReachyMini = ReachyMini;
</script>`;

/** Serves the page, and the files of the class. */
const answer = (url) => {
  const path = normalize(decodeURIComponent(url.split('?')[0]));
  if (!/^\/(sdk\/dist|node_modules\/@huggingface)\//.test(path))
    return { body: page, type: 'text/html' };
  try {
    return { body: readFileSync(join(folder, path)), type: 'text/javascript' };
  } catch {
    return { body: '', type: 'text/plain' };
  }
};

const read = async (path) => (await request(path, { base, token: tokens.operator })).value;
const posture = async () => (await read('/api/v1/state')).posture;

await test(
  'official-browser',
  async ({ check, eventually, open }) => {
    const site = await servePage(answer);
    const tab = await open();
    await tab.goto(site.url);
    await tab.waitForFunction(() => globalThis.ReachyMini);
    await tab.evaluate(defineConnect);

    const wrong = await tab.evaluate(async (at) => {
      const robot = new ReachyMini({ signalingUrl: at });
      return robot.connect('wrong').then(
        () => 'connected',
        (error) => error.message,
      );
    }, signalling);
    check('a wrong token is refused', wrong === 'HTTP 401', wrong);

    const begun = await tab.evaluate(
      async ([at, secret]) => {
        const robot = new ReachyMini({ signalingUrl: at, appName: 'test' });
        Object.assign(globalThis, { robot, heard: {} });
        const names = [
          'connected',
          'robotsChanged',
          'streaming',
          'videoTrack',
          'micSupported',
          'state',
          'error',
          'sessionStopped',
          'sessionRejected',
        ];
        for (const name of names)
          robot.addEventListener(name, ({ detail }) => (heard[name] ??= []).push(detail));
        robot.attachVideo(document.querySelector('video'));
        await robot.connect(secret);
        for (let waited = 0; !robot.robots.length && waited < 5000; waited += 50)
          await new Promise((done) => setTimeout(done, 50));
        return { state: robot.state, robots: robot.robots };
      },
      [signalling, tokens.operator],
    );
    check(
      'connect: the class is connected, and lists the robot',
      begun.state === 'connected' && begun.robots.length === 1,
      begun,
    );

    const session = await tab.evaluate(async () => {
      await robot.startSession(robot.robots[0].id);
      return { state: robot.state, ice: robot.peerConnection.iceConnectionState };
    });
    check('startSession: it streams', session.state === 'streaming', session);
    await eventually(
      'attachVideo: the video plays',
      () =>
        tab.evaluate(async () => {
          const video = document.querySelector('video');
          const stats = [...(await robot.peerConnection.getStats()).values()];
          const frames =
            stats.find((one) => one.type === 'inbound-rtp' && one.kind === 'video')
              ?.framesDecoded ?? 0;
          return {
            frames,
            width: video.videoWidth,
            paused: video.paused,
            brightest: Math.max(...colours(video)),
          };
        }),
      ({ frames, width, paused, brightest }) =>
        frames > 10 && width > 0 && !paused && brightest > 60,
    );
    await eventually(
      'state: the state arrives',
      () => tab.evaluate(() => robot.robotState),
      (state) =>
        state.head?.length === 16 && state.antennas?.length === 2 && state.motor_mode === 'enabled',
    );

    await tab.evaluate(() => robot.setHeadRpyDeg(0, 10, 20));
    await eventually(
      'setHeadRpyDeg turns the head',
      posture,
      (at) => Math.abs(at.yaw_deg - 20) < 2 && Math.abs(at.pitch_deg - 10) < 2,
    );
    await tab.evaluate(() => robot.setAntennasDeg(40, -40));
    await eventually(
      'setAntennasDeg moves the antennas',
      posture,
      (at) => Math.abs(at.antennas_deg[0] - 40) < 2 && Math.abs(at.antennas_deg[1] + 40) < 2,
    );
    await tab.evaluate(() => robot.setBodyYawDeg(15));
    await eventually(
      'setBodyYawDeg turns the body',
      posture,
      (at) => Math.abs(at.body_yaw_deg - 15) < 2,
    );
    await eventually(
      'the state of the class follows',
      () => tab.evaluate(() => robot.robotState),
      (state) =>
        Math.abs(state.antennas[0] - (40 * Math.PI) / 180) < 0.05 &&
        Math.abs(state.body_yaw - (15 * Math.PI) / 180) < 0.05,
    );
    const streamed = await tab.evaluate(async () => {
      for (let step = 0; step <= 60; step += 1) {
        robot.setHeadRpyDeg(0, 0, 20 - (40 * step) / 60);
        await new Promise((done) => setTimeout(done, 20));
      }
      return true;
    });
    check('a stream of targets is sent', streamed);
    await eventually(
      'a stream of targets moves the head',
      posture,
      (at) => Math.abs(at.yaw_deg + 20) < 2,
    );

    const moved = await tab.evaluate(async () => {
      const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
      return robot.request(
        { type: 'goto_target', head: identity, antennas: [0, 0], body_yaw: 0, duration: 0.8 },
        { timeoutMs: 5000 },
      );
    });
    check('a move reports its end', moved?.completed === true, moved);
    await eventually(
      'gotoTarget moves the head',
      posture,
      (at) => Math.abs(at.yaw_deg) < 2 && Math.abs(at.body_yaw_deg) < 2,
    );

    const asked = await tab.evaluate(async () => ({
      version: await robot.getVersion(),
      name: await robot.getRobotName(),
      imu: await robot.getImu(),
      volume: await robot.getVolume(),
      firstWakeUp: await robot.getFirstWakeUp(),
      signOut: await robot.signOut(),
      face: await robot.getTrackedFace(),
      rpc: await robot.rpcCall('apps.list').catch((error) => error.message),
    }));
    check('getVersion', asked.version === '1.13.0', asked.version);
    check('getRobotName', asked.name === 'reachy_mini', asked.name);
    check('getImu: the simulated robot has one', asked.imu?.quaternion?.length === 4, asked.imu);
    check('getFirstWakeUp: there is no wizard', asked.firstWakeUp === true, asked.firstWakeUp);
    check('signOut: there is no account', asked.signOut === false, asked.signOut);
    check('getTrackedFace: nobody', asked.face?.detected === false, asked.face);
    check('rpcCall says that there is none', /not available/.test(asked.rpc), asked.rpc);

    const poses = await tab.evaluate(async () => {
      robot.subscribePose();
      await new Promise((done) => setTimeout(done, 1000));
      const before = heard.state.length;
      await new Promise((done) => setTimeout(done, 2000));
      robot.unsubscribePose();
      return (heard.state.length - before) / 2;
    });
    check('subscribePose: states arrive at 30 per second', poses > 20 && poses < 40, poses);

    const woken = await tab.evaluate(async () => {
      const slept = await robot.gotoSleep({ timeoutMs: 15000 }).then(() => 'slept', String);
      const awake = await robot.wakeUp({ timeoutMs: 15000 }).then(() => 'awake', String);
      return [slept, awake];
    });
    check(
      'gotoSleep and wakeUp report their ends',
      woken[0] === 'slept' && woken[1] === 'awake',
      woken,
    );
    check('the robot is awake', (await read('/api/motors/status')).mode === 'enabled');
    const stopped = await tab.evaluate(async () => {
      robot.gotoTarget({ antennas: [2, -2], duration: 8 });
      await new Promise((done) => setTimeout(done, 500));
      return robot.request({ type: 'stop_move' }, { timeoutMs: 3000 });
    });
    check('stopMove stops a move', stopped?.stopped === true, stopped);
    const clip = await tab.evaluate(() => {
      const steps = [...Array(100).keys()];
      const identity = [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
      ];
      const target = (step) => ({ head: identity, antennas: [step / 100, 0], body_yaw: 0 });
      const move = { time: steps.map((step) => step / 50), set_target_data: steps.map(target) };
      return robot.playMove(move, { initialGotoDuration: 0.5 }).catch((error) => error.message);
    });
    check('playMove plays an uploaded move', clip?.finished === true, clip);
    await eventually(
      'its last target is reached',
      posture,
      (at) => Math.abs(at.antennas_deg[0] - (0.99 * 180) / Math.PI) < 2,
    );

    check(
      'the class finds that the robot can be heard and talked to',
      begun.state === 'connected' &&
        (await tab.evaluate(() => heard.micSupported?.[0]?.supported)) === true,
    );
    await eventually(
      "the page hears the tone at the robot's microphone",
      () =>
        tab.evaluate(async () => {
          if (!globalThis.analyser) {
            const receivers = robot.peerConnection.getReceivers();
            const { track } = receivers.find((one) => one.track.kind === 'audio');
            const context = new AudioContext();
            globalThis.analyser = context.createAnalyser();
            analyser.fftSize = 16384;
            context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
          }
          const powers = new Float32Array(analyser.frequencyBinCount);
          analyser.getFloatFrequencyData(powers);
          const top = powers.indexOf(Math.max(...powers));
          return (top * analyser.context.sampleRate) / analyser.fftSize;
        }),
      (hz) => Math.abs(hz - HEARD_HZ) < 8,
    );
    await tab.evaluate(async (hz) => {
      const context = new AudioContext();
      const tone = new OscillatorNode(context, { frequency: hz });
      const stream = context.createMediaStreamDestination();
      tone.connect(stream);
      tone.start();
      const sender = robot.peerConnection.getSenders().find((one) => one.track?.kind === 'audio');
      await sender.replaceTrack(stream.stream.getAudioTracks()[0]);
      globalThis.hush = () => sender.replaceTrack(null);
    }, SAID_HZ);
    const isTone = (wanted) => (sound) =>
      Math.abs(sound.hz - wanted) < 0.03 * wanted && sound.seconds > 0.8 && sound.level > 0.1;
    await eventually(
      'replaceTrack: the speaker gets what the page says',
      () => played(horn),
      isTone(SAID_HZ),
    );
    await tab.evaluate(() => hush());
    await sleep(3000);
    truncateSync(horn);
    const sounded = await tab.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
      globalThis.blob = new Blob([bytes], { type: 'audio/wav' });
      const id = await robot.uploadAudio(blob);
      return robot.playUploadedAudio(id).catch((error) => error.message);
    }, wave(UPLOADED_HZ).toString('base64'));
    check('uploadAudio and playUploadedAudio', sounded?.started === true, sounded);
    await eventually('the speaker gets it', () => played(horn), isTone(UPLOADED_HZ));
    check('cancelAudio', await tab.evaluate(() => robot.cancelAudio()));
    await sleep(500);
    truncateSync(horn);
    const danced = await tab.evaluate(async () => {
      const time = [...Array(50).keys()].map((step) => step / 50);
      const set_target_data = time.map((at) => ({ antennas: [at / 2, 0] }));
      const told = {};
      const onStarted = (started) => Object.assign(told, started);
      const ended = await robot
        .playMove({ time, set_target_data }, { audioBlob: blob, onStarted })
        .catch((error) => error.message);
      return { ...told, ended };
    });
    check(
      'playMove plays a move with its sound',
      danced.has_audio === true && danced.ended?.finished === true,
      danced,
    );
    await eventually('the speaker gets that, too', () => played(horn), isTone(UPLOADED_HZ));

    const ended = await tab.evaluate(async () => {
      await robot.stopSession();
      const state = robot.state;
      await robot.startSession(robot.robots[0].id);
      const again = robot.state;
      robot.disconnect();
      return { state, again, at: robot.state, rejected: heard.sessionRejected ?? [] };
    });
    check(
      'stopSession and another session',
      ended.state === 'connected' && ended.again === 'streaming' && ended.at === 'disconnected',
      ended,
    );

    const picked = await tab.evaluate(
      async ([at, secret]) => {
        const other = new ReachyMini({ signalingUrl: at });
        globalThis.other = other;
        const result = await other.autoConnect({ token: secret, wakeOnConnect: false });
        const reply = await other.request({
          type: 'set_target',
          head: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
        });
        const state = other.state;
        other.disconnect();
        return { result, state, reply };
      },
      [signalling, tokens.viewer],
    );
    check(
      'autoConnect finds the robot',
      picked.state === 'streaming' && picked.result.robotName === 'reachy_mini',
      picked,
    );
    check(
      'a viewer is told that it does not move the robot',
      /viewer/.test(picked.reply?.error ?? ''),
      picked.reply,
    );
    const complaints = await tab.evaluate(() =>
      (heard.error ?? []).map(({ source }) => source).filter((source) => source !== 'robot'),
    );
    check('the class reports no error of its own', complaints.length === 0, complaints);
    clearInterval(singing);
    site.close();
  },
  // The class asks a server of others for its address, and signalling refuses the wrong token.
  { tolerated: [/401|stun/], flags: ['--autoplay-policy=no-user-gesture-required'] },
);
