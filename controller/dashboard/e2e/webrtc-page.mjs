/**
 * A page that is served on this computer and speaks to `minismith-webrtc` with the browser's own classes, as the protocol
 * of signalling describes it.
 */

import { createServer } from 'node:http';

/** Serves an empty page, or the files of `folder`, and returns its address; pages without one have no origin. */
export async function servePage(answer = () => null) {
  const site = createServer(async (request, response) => {
    const file = await answer(request.url);
    response.setHeader('Content-Type', file?.type ?? 'text/html');
    response.end(
      file?.body ?? '<!doctype html><title>WebRTC</title><video autoplay muted></video>',
    );
  });
  await new Promise((done) => site.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${site.address().port}/`, close: () => site.close() };
}

/** Runs in the page: defines `connect`, which returns what came of a session. */
export function defineConnect() {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));

  /** Opens a session; `peer.error` says why there is none. `peer.onMessage` hears the messages of the data channel. */
  globalThis.connect = async (base, token) => {
    const headers = { 'Content-Type': 'application/json' };
    if (token) headers.Authorization = `Bearer ${token}`;
    const peer = { messages: [], signals: [], abort: new AbortController(), headers, base };
    peer.send = async (message) => {
      const body = typeof message === 'string' ? message : JSON.stringify(message);
      const response = await fetch(`${base}/send`, { method: 'POST', headers, body });
      return { status: response.status, value: await response.json().catch(() => null) };
    };
    const events = await fetch(`${base}/events`, { headers, signal: peer.abort.signal });
    peer.status = events.status;
    if (!events.ok) {
      peer.error = (await events.json()).detail;
      return peer;
    }
    const connection = new RTCPeerConnection();
    peer.connection = connection;
    connection.ontrack = (event) => {
      const video = document.querySelector('video');
      video.srcObject = event.streams[0] ?? new MediaStream([event.track]);
      video.play().catch(() => {});
    };
    connection.ondatachannel = ({ channel }) => {
      if (channel.label === 'pose') {
        peer.poses = [];
        channel.onmessage = ({ data }) => peer.poses.push(JSON.parse(data));
        return;
      }
      peer.channel = channel;
      channel.onmessage = ({ data }) => peer.messages.push(JSON.parse(data));
    };
    connection.onicecandidate = ({ candidate }) => {
      if (candidate && peer.session)
        peer.send({ type: 'peer', sessionId: peer.session, ice: candidate.toJSON() });
    };
    const react = async (signal) => {
      peer.signals.push(signal);
      if (signal.type === 'list') peer.robot = signal.producers[0].id;
      if (signal.type === 'sessionStarted') peer.session = signal.sessionId;
      if (signal.type === 'endSession') peer.ended = signal.reason;
      if (signal.sdp?.type !== 'offer' || peer.keepsSilent) return;
      // As the official browser class does it: the sender is there before the offer is taken.
      for (const track of globalThis.microphone?.getAudioTracks() ?? [])
        connection.addTrack(track, globalThis.microphone);
      await connection.setRemoteDescription(signal.sdp);
      const answer = await connection.createAnswer();
      await connection.setLocalDescription(answer);
      const sdp = { type: 'answer', sdp: answer.sdp };
      peer.answered = await peer.send({ type: 'peer', sessionId: signal.sessionId, sdp });
    };
    (async () => {
      const reader = events.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ''; ;) {
        const { done, value } = await reader.read();
        if (done) return;
        text += value;
        const lines = text.split('\n');
        text = lines.pop();
        for (const line of lines)
          if (line.startsWith('data:')) await react(JSON.parse(line.slice(5)));
      }
    })().catch(() => {});
    peer.until = async (holds, ms = 20000) => {
      for (let waited = 0; waited < ms; waited += 20) {
        const found = holds();
        if (found) return found;
        await wait(20);
      }
      return null;
    };
    peer.start = async () => {
      await peer.until(() => peer.robot);
      peer.started = await peer.send({ type: 'startSession', peerId: peer.robot });
      return peer.started;
    };
    peer.open = async () => {
      await peer.start();
      return peer.until(() => peer.channel?.readyState === 'open');
    };
    peer.tell = (command) => peer.channel.send(JSON.stringify(command));
    /** Sends a command, and returns the first response that fits. */
    peer.ask = async (command, fits = (message) => message.command === command.type) => {
      const before = peer.messages.length;
      peer.tell(command);
      return peer.until(() => peer.messages.slice(before).find(fits));
    };
    peer.close = () => {
      peer.abort.abort();
      connection.close();
    };
    return peer;
  };

  /** Returns the mean colours of an image or a video, in a grid of 8 x 6. */
  globalThis.colours = (source) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 8, height: 6 });
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.imageSmoothingQuality = 'high';
    context.drawImage(source, 0, 0, 8, 6);
    return [...context.getImageData(0, 0, 8, 6).data].filter((_, index) => index % 4 !== 3);
  };
}
