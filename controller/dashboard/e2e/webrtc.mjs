#!/usr/bin/env node
/**
 * A page watches the camera and moves the robot by WebRTC, with no class of other people: the picture is that of the camera,
 * the head moves, each role may what it may, and nonsense and crowds do no harm.
 *
 * `MINISMITH_WEBRTC` is the address of `minismith-webrtc`, `MINISMITH_TOKENS` has a token of a viewer and one of an operator.
 */

import { request, server, test } from './lib.mjs';
import { defineConnect, servePage } from './webrtc-page.mjs';

const base = process.env.MINISMITH_WEBRTC;
const tokens = JSON.parse(process.env.MINISMITH_TOKENS ?? '{}');
const MAX_SESSIONS = 8;

/** Turns of the head about the vertical axis, as the flattened matrices that commands contain. */
const turned = (degrees) => {
  const angle = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  return [cos, -sin, 0, 0, sin, cos, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
};

const yaw = async () =>
  (await request('/api/v1/state', { token: tokens.operator })).value.posture.yaw_deg;

await test(
  'webrtc',
  async ({ check, eventually, open }) => {
    const site = await servePage();
    const page = await open();
    const fresh = async () => {
      await page.goto(site.url);
      await page.evaluate(defineConnect);
    };
    await fresh();

    // Who may not.
    const without = await page.evaluate(
      (at) => connect(at, null).then((p) => [p.status, p.error]),
      base,
    );
    check('without a token there are no events', without[0] === 401, without);
    const wrong = await page.evaluate(
      (at) => connect(at, 'wrong').then((p) => [p.status, p.error]),
      base,
    );
    check('a wrong token is refused', wrong[0] === 401 && /unknown token/.test(wrong[1]), wrong);
    const list = await page.evaluate(
      (at) => fetch(`${at}/api/robot-status`).then((response) => response.status),
      base,
    );
    check('without a token there is no list of robots', list === 401, list);
    const headers = { Authorization: `Bearer ${tokens.operator}`, Origin: 'https://evil.example' };
    const foreign = await fetch(`${base}/api/robot-status`, { headers });
    check(
      'a page of another site is refused, whatever its token',
      foreign.status === 403,
      foreign.status,
    );

    // An operator watches and moves.
    const opened = await page.evaluate(
      async ([at, token]) => {
        globalThis.peer = await connect(at, token);
        return [
          peer.status,
          await peer.open(),
          peer.connection?.iceConnectionState,
          peer.signals.map((s) => s.type),
        ];
      },
      [base, tokens.operator],
    );
    check('a session opens', opened[1] === true, opened);
    const decoded = () =>
      page.evaluate(async () => {
        const stats = [...(await peer.connection.getStats()).values()];
        const video = stats.find((one) => one.type === 'inbound-rtp' && one.kind === 'video');
        return {
          frames: video?.framesDecoded ?? 0,
          width: document.querySelector('video').videoWidth,
        };
      });
    await eventually(
      'frames are decoded',
      decoded,
      ({ frames, width }) => frames > 10 && width >= 320,
    );

    await eventually(
      'the video shows what the camera sees',
      () =>
        page.evaluate(
          async ([at, token]) => {
            const headers = { Authorization: `Bearer ${token}` };
            const response = await fetch(`${at}/api/v1/camera/snapshot`, { headers });
            const image = await createImageBitmap(await response.blob());
            const [one, other] = [colours(image), colours(document.querySelector('video'))];
            const apart = one.map((value, index) => Math.abs(value - other[index]));
            const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
            return {
              difference: mean(apart),
              brightest: Math.max(...other),
              variety: Math.max(...other) - Math.min(...other),
            };
          },
          [server(), tokens.operator],
        ),
      ({ difference, brightest, variety }) => difference < 12 && brightest > 60 && variety > 30,
    );

    const said = await page.evaluate(
      (head) => peer.ask({ type: 'goto_target', head, duration: 0.6 }),
      turned(25),
    );
    check('the end of a move is told', said?.completed === true, said);
    await eventually('the head has turned', yaw, (degrees) => Math.abs(degrees - 25) < 2);
    const state = await page.evaluate(() =>
      peer.ask({ type: 'get_state' }, (message) => message.state),
    );
    const seen =
      (Math.atan2(state?.state.head_pose?.[1][0], state?.state.head_pose?.[0][0]) * 180) / Math.PI;
    check(
      'the state says so',
      Math.abs(seen - 25) < 2 && state.state.motor_mode === 'enabled',
      state,
    );
    await page.evaluate(async (head) => {
      for (let step = 0; step < 40; step += 1) {
        peer.tell({ type: 'set_full_target', head, antennas: [0.3, -0.3] });
        await new Promise((done) => setTimeout(done, 20));
      }
    }, turned(-20));
    await eventually('a stream of targets moves it', yaw, (degrees) => Math.abs(degrees + 20) < 2);
    const far = await page.evaluate(() =>
      peer.ask({
        type: 'goto_target',
        head: [1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
        duration: 1,
      }),
    );
    check('a pose out of reach is refused with a reason', typeof far?.error === 'string', far);
    const version = await page.evaluate(() =>
      peer.ask({ type: 'get_version' }, (message) => 'version' in message),
    );
    check('the version is told', /^\d+\./.test(version?.version ?? ''), version);
    const poses = await page.evaluate(async () => {
      await peer.ask({ type: 'subscribe_pose' });
      const begun = performance.now();
      await peer.until(() => (peer.poses?.length ?? 0) > 30);
      const numbers = peer.poses.map((pose) => pose.seq);
      return {
        ms: performance.now() - begun,
        count: numbers.length,
        rising: numbers.every((n, i) => i === 0 || n > numbers[i - 1]),
        first: peer.poses[0],
      };
    });
    check(
      'poses are streamed, 30 per second',
      poses.count > 30 && poses.ms < 4000 && poses.rising && poses.first.state.head_pose,
      poses,
    );

    // Nonsense on the channel gets errors, and the session lives.
    const answers = await page.evaluate(async () => {
      const answers = [];
      for (const nonsense of [
        '',
        '{',
        '[]',
        'null',
        '{"type":"fly"}',
        '{"type":3}',
        'x'.repeat(70000),
        '[['.repeat(9000),
      ]) {
        const before = peer.messages.length;
        peer.channel.send(nonsense);
        answers.push(
          (await peer.until(() => peer.messages.slice(before).find((message) => message.error)))
            ?.error ?? null,
        );
      }
      peer.channel.send(new Uint8Array([255, 254, 0, 1]));
      for (let index = 0; index < 3000; index += 1) peer.channel.send('{"type":"get_imu"}');
      return answers;
    });
    check(
      'nonsense gets errors',
      answers.every((answer) => typeof answer === 'string'),
      answers,
    );
    await eventually('the session outlives nonsense and a flood', () =>
      page.evaluate(() => {
        // What is too much in a second is dropped, so it is asked again.
        if (peer.messages.at(-1)?.state) return true;
        peer.tell({ type: 'get_state' });
        return false;
      }),
    );

    // Signalling.
    const signalling = await page.evaluate(async () => {
      const huge = await peer.send({
        type: 'peer',
        sessionId: peer.session,
        sdp: { type: 'answer', sdp: 'v'.repeat(100000) },
      });
      const larger = await peer.send('x'.repeat(300000));
      const foreignSession = await peer.send({
        type: 'peer',
        sessionId: 'none',
        ice: { candidate: 'x' },
      });
      const otherRobot = await peer.send({ type: 'startSession', peerId: 'none' });
      const garbage = await peer.send('{"type":"dance"}');
      return [huge, larger, foreignSession, otherRobot, garbage].map(({ status }) => status);
    });
    check(
      'signalling refuses what is too large, unknown or nonsense',
      JSON.stringify(signalling) === '[422,413,404,404,422]',
      signalling,
    );
    const garbageAnswer = await page.evaluate(
      async ([at, token]) => {
        const other = await connect(at, token);
        other.keepsSilent = true;
        await other.start();
        await other.until(() => other.session);
        const sent = await other.send({
          type: 'peer',
          sessionId: other.session,
          sdp: { type: 'answer', sdp: 'garbage' },
        });
        const ended = await other.until(() => other.ended);
        other.close();
        return [sent.status, ended];
      },
      [base, tokens.operator],
    );
    check(
      'a garbage description ends its session alone',
      garbageAnswer[1] === 'connection_failed',
      garbageAnswer,
    );

    // Another's session is none of a viewer's.
    const stolen = await page.evaluate(
      async ([at, token]) => {
        const thief = await connect(at, token);
        const ended = await thief.send({ type: 'endSession', sessionId: peer.session });
        thief.close();
        return ended.status;
      },
      [base, tokens.viewer],
    );
    check("nobody ends another's session", stolen === 404, stolen);

    // The peer ends its session; the place is free again.
    const left = await page.evaluate(async () => {
      await peer.send({ type: 'endSession', sessionId: peer.session });
      return peer.until(() => peer.ended);
    });
    check('a session ends when its peer says so', left === 'ended', left);

    // A viewer watches, and does not move.
    await fresh();
    const before = await yaw();
    const viewer = await page.evaluate(
      async ([at, token, head]) => {
        globalThis.peer = await connect(at, token);
        await peer.open();
        const target = await peer.ask({ type: 'set_target', head });
        const move = await peer.ask({ type: 'goto_target', head, duration: 0.5 });
        const wake = await peer.ask({ type: 'wake_up' });
        const motors = await peer.ask({ type: 'set_torque', on: false });
        return [target, move, wake, motors].map((message) => message?.error ?? null);
      },
      [base, tokens.viewer, turned(30)],
    );
    check(
      'a viewer is told that it may not move',
      viewer.every((error) => typeof error === 'string'),
      viewer,
    );
    await eventually('a viewer watches', decoded, ({ frames }) => frames > 10);
    check('nothing has moved', Math.abs((await yaw()) - before) < 1, [before, await yaw()]);

    // A crowd.
    const crowd = await page.evaluate(
      async ([at, token, most]) => {
        const one = await connect(at, token);
        one.keepsSilent = true;
        const replies = [];
        for (let index = 0; index < most; index += 1) replies.push((await one.start()).value);
        const types = replies.map((reply) => reply?.type);
        const { sessionId } = replies[0];
        await one.send({ type: 'endSession', sessionId });
        await one.until(() => one.ended);
        const again = await one.start();
        for (const reply of [...replies, again.value])
          if (reply.sessionId) await one.send({ type: 'endSession', sessionId: reply.sessionId });
        one.close();
        return [types, again.value?.type];
      },
      [base, tokens.operator, MAX_SESSIONS],
    );
    check(
      'the ninth session is rejected, and a place that is freed is given again',
      crowd[0].filter((type) => type === 'sessionStarted').length === MAX_SESSIONS - 1 &&
        crowd[0].at(-1) === 'sessionRejected' &&
        crowd[1] === 'sessionStarted',
      crowd,
    );
    const after = await page.evaluate(() =>
      peer.ask({ type: 'get_state' }, (message) => message.state),
    );
    check('the first session has lived on', Boolean(after), after);
    site.close();
  },
  { tolerated: [/401|404|413|422|409/] },
);
