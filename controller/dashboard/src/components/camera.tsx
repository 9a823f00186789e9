/** What the head's camera sees, with what was found in it. A click says where in the picture it was. */

import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { cameraTrouble, look, picture, PICTURE_STALE_MS, seen, watch } from '../net/camera';
import { fresh, now } from '../net/live';
import type { Detections } from '../protocol/responses';
import { number, span, words } from '../i18n';
import { Card } from './basics';
import { ofRobot } from '../net/robots';

const FPS = 12;
/** How often things are looked for, milliseconds. */
const LOOK_MS = 700;

const shown = signal(true);
const looking = signal(false);
const found = ofRobot<Detections | null>(null);
const blind = ofRobot('');

interface Clicked {
  /** Each from 0 to 1, from the left and the top. */
  onPoint?: (across: number, down: number) => void;
  hint?: string;
}

export function Camera({ onPoint, hint }: Clicked) {
  const w = words.value.robot;
  const canvas = useRef<HTMLCanvasElement>(null);
  const visible = shown.value && seen.value;
  useEffect(() => {
    if (!visible) return;
    const ending = new AbortController();
    void watch(FPS, ending.signal);
    const end = effect(() => paint(canvas.current));
    return () => (ending.abort(), end());
  }, [visible]);
  const isLooking = looking.value && visible;
  useEffect(() => {
    if (!isLooking) return;
    const ending = new AbortController();
    void search(ending.signal);
    return () => ending.abort();
  }, [isLooking]);
  const at = picture.value?.at;
  const age = at === undefined ? Infinity : Math.max(0, now.value - at) + fresh.way(now.value);
  const old = age > PICTURE_STALE_MS;
  const click = (event: MouseEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    onPoint?.((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  };
  return (
    <Card
      title={w.camera}
      class="camera-card"
      aside={
        <span class="buttons">
          <button
            type="button"
            aria-pressed={looking.value}
            onClick={() => (looking.value = !looking.value)}
          >
            {w.detect}
          </button>
          <button type="button" onClick={() => (shown.value = !shown.value)}>
            {shown.value ? w.cameraHide : w.cameraOn}
          </button>
        </span>
      }
    >
      <div class={`camera ${old ? 'is-old' : ''} ${onPoint ? 'is-clickable' : ''}`}>
        <canvas
          ref={canvas}
          width={320}
          height={240}
          role="img"
          aria-label={w.camera}
          onClick={click}
        />
        {(!visible || at === undefined) && (
          <p class="scene-note">
            {w.cameraOff} {cameraTrouble.value}
          </p>
        )}
        {visible && at !== undefined && old && <p class="scene-note">{w.pictureAge(span(age))}</p>}
      </div>
      <p class="note one-line">
        {blind.value ||
          (isLooking && found.value ? w.found(found.value.things.length) : (hint ?? ''))}
      </p>
    </Card>
  );
}

async function search(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await look(signal);
    if (signal.aborted) break;
    found.value = answer.ok ? answer.value : null;
    blind.value = answer.ok ? (answer.value.without ?? '') : answer.detail;
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
  found.value = null;
  blind.value = '';
}

/** The newest picture, and boxes around what was found in one a moment before. */
function paint(canvas: HTMLCanvasElement | null): void {
  const newest = picture.value;
  const things = found.value;
  const pen = canvas?.getContext('2d');
  if (!canvas || !pen || newest === null) return;
  const { width, height } = newest.bitmap;
  if (canvas.width !== width || canvas.height !== height)
    [canvas.width, canvas.height] = [width, height];
  pen.drawImage(newest.bitmap, 0, 0);
  if (things === null) return;
  const scale = width / things.width;
  const size = Math.max(11, Math.round(width / 28));
  pen.font = `${size}px system-ui, sans-serif`;
  pen.lineWidth = Math.max(1.5, width / 240);
  for (const thing of things.things) {
    const [x, y, wide, high] = thing.bounds.map((pixels) => pixels * scale) as [
      number,
      number,
      number,
      number,
    ];
    const label = `${thing.label} ${number(thing.score * 100)} %`;
    pen.strokeStyle = '#ffb020';
    pen.strokeRect(x, y, wide, high);
    pen.fillStyle = '#ffb020';
    pen.fillRect(x, Math.max(0, y - size - 4), pen.measureText(label).width + 8, size + 4);
    pen.fillStyle = '#1a1a1a';
    pen.fillText(label, x + 4, Math.max(size, y - 4));
  }
}
