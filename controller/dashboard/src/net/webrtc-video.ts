/** Receives the camera's video by WebRTC from `minismith-webrtc`, as the source of the camera's frames. */

import { SseReader } from '../protocol/sse';
import { messages } from '../i18n';
import { cameraError, cameraFrame } from './camera';
import { errorDetail, headers } from './http';
import { webrtcPort } from './live';
import { base } from './robots';

/** Without a frame for this long, the video counts as failed, milliseconds. */
const FRAME_TIMEOUT_MS = 6000;

interface Signal {
  type?: string;
  producers?: { id: string }[];
  sessionId?: string;
  sdp?: RTCSessionDescriptionInit;
  reason?: string;
}

/** Returns the address of signalling: the host of the robot's server, at the port that it names. */
function signallingAddress(port: number): string {
  const address = new URL(base.value === '' ? location.href : base.value);
  return `http://${address.hostname}:${port}`;
}

class VideoSession {
  private readonly connection = new RTCPeerConnection();
  private readonly video = document.createElement('video');
  private readonly ending = new AbortController();
  private session: string | null = null;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private reason = '';

  constructor(
    private readonly address: string,
    signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.end(''));
    this.video.muted = true;
    // A stream of its own: with a sound that never comes beside it, a video would not begin.
    this.connection.ontrack = ({ track }) => {
      if (track.kind === 'video') this.play(new MediaStream([track]));
    };
    this.connection.onicecandidate = ({ candidate }) => {
      if (candidate && this.session !== null)
        void this.send({ type: 'peer', sessionId: this.session, ice: candidate.toJSON() });
    };
    this.connection.onconnectionstatechange = () => {
      if (this.connection.connectionState === 'failed') this.end(messages.value.drive.video.failed);
    };
    this.expectFrame();
  }

  /** Runs until the session ends, and resolves to the reason; empty if this page ended it. */
  async run(): Promise<string> {
    try {
      const { signal } = this.ending;
      const events = await fetch(`${this.address}/events`, { headers: headers(), signal });
      if (!events.ok || events.body === null) {
        this.end(errorDetail(await events.json().catch(() => null), events));
        return this.reason;
      }
      const reader = events.body.pipeThrough(new TextDecoderStream()).getReader();
      const parts = new SseReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        for (const data of parts.push(value)) await this.onSignal(JSON.parse(data) as Signal);
      }
      this.end(messages.value.drive.video.failed);
    } catch {
      this.end(messages.value.drive.video.unreachable(this.address));
    }
    return this.reason;
  }

  private async onSignal(signal: Signal): Promise<void> {
    const robot = signal.producers?.[0]?.id;
    if (signal.type === 'list' && robot !== undefined)
      await this.send({ type: 'startSession', peerId: robot });
    if (signal.type === 'sessionStarted') this.session = signal.sessionId ?? null;
    if (signal.type === 'endSession') this.end(signal.reason ?? messages.value.drive.video.failed);
    if (signal.sdp?.type !== 'offer') return;
    await this.connection.setRemoteDescription(signal.sdp);
    // The page shows the camera alone: without an answer for the sound, the robot's microphone is not opened for it.
    for (const media of this.connection.getTransceivers())
      if (media.receiver.track.kind === 'audio') media.direction = 'inactive';
    const answer = await this.connection.createAnswer();
    await this.connection.setLocalDescription(answer);
    const sdp = { type: 'answer', sdp: answer.sdp };
    await this.send({ type: 'peer', sessionId: signal.sessionId, sdp });
  }

  private async send(message: Record<string, unknown>): Promise<void> {
    try {
      const response = await fetch(`${this.address}/send`, {
        method: 'POST',
        headers: { ...headers(), 'Content-Type': 'application/json' },
        body: JSON.stringify(message),
        // The end of the session is sent while the page closes.
        keepalive: true,
      });
      const value = (await response.json().catch(() => null)) as Signal | null;
      if (!response.ok) return this.end(errorDetail(value, response));
      if (value?.type === 'sessionStarted') this.session = value.sessionId ?? null;
    } catch {
      this.end(messages.value.drive.video.unreachable(this.address));
    }
  }

  private play(stream: MediaStream): void {
    this.video.srcObject = stream;
    void this.video.play().catch(() => this.end(messages.value.drive.video.failed));
    this.video.requestVideoFrameCallback(() => void this.onFrame());
  }

  private async onFrame(): Promise<void> {
    if (this.ending.signal.aborted) return;
    const at = performance.now();
    // A busy browser drops a frame before it is copied; the next one follows.
    const bitmap = await createImageBitmap(this.video).catch(() => null);
    if (this.ending.signal.aborted) return bitmap?.close();
    if (bitmap !== null) {
      const previous = cameraFrame.value;
      cameraFrame.value = { at, bitmap, jpeg: null };
      previous?.bitmap.close();
      cameraError.value = null;
      this.expectFrame();
    }
    this.video.requestVideoFrameCallback(() => void this.onFrame());
  }

  private expectFrame(): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.end(messages.value.drive.video.silent), FRAME_TIMEOUT_MS);
  }

  private end(reason: string): void {
    if (this.ending.signal.aborted) return;
    this.reason = reason;
    clearTimeout(this.watchdog);
    if (this.session !== null) void this.send({ type: 'endSession', sessionId: this.session });
    this.ending.abort();
    this.connection.close();
    this.video.srcObject = null;
  }
}

/** Receives video until the signal aborts or the session fails. Resolves to why it failed; empty if it was aborted. */
export async function streamVideo(signal: AbortSignal): Promise<string> {
  const port = webrtcPort.value;
  if (port === null) return messages.value.drive.video.failed;
  const reason = await new VideoSession(signallingAddress(port), signal).run();
  cameraFrame.value?.bitmap.close();
  cameraFrame.value = null;
  return reason;
}
