/** The buttons and the slider for the section of time and the cursor. */

import { useEffect } from 'preact/hooks';
import { zoom } from '../logic/plots/time-window';
import { formatNumber, messages } from '../i18n';
import { Brush } from './brush';
import { timeText } from './labels';
import {
  cursor,
  extent,
  isLive,
  paused,
  playing,
  resetWindow,
  setPaused,
  setWindow,
  span,
  timeWindow,
  slowTick,
} from './state';

/** The lengths of the live window to choose from, seconds. */
const LENGTHS_S = [5, 30, 120, 600];

export function TimeBar() {
  const w = messages.value.plots;
  const live = isLive.value;
  if (live) void slowTick.value;
  const shown = span();
  const zoomBy = (factor: number) =>
    setWindow(zoom(timeWindow.value, extent(), factor, cursor.value ?? undefined));
  const time = cursor.value ?? shown?.to ?? 0;
  return (
    <div class="time-bar">
      <div class="buttons">
        {live ? <LiveButtons /> : <PlayButton />}
        <button type="button" onClick={() => zoomBy(1 / 2)} disabled={shown === null}>
          {w.zoomIn}
        </button>
        <button type="button" onClick={() => zoomBy(2)} disabled={shown === null}>
          {w.zoomOut}
        </button>
        <button
          type="button"
          onClick={() => (live ? setWindow({ kind: 'all' }) : resetWindow())}
          disabled={shown === null}
          aria-pressed={timeWindow.value.kind === 'all'}
        >
          {w.wholeTime}
        </button>
      </div>
      <label class="cursor-slider">
        <span>
          {w.cursor}: <strong>{cursor.value === null ? w.none : timeText(time, live)}</strong>
        </span>
        <input
          type="range"
          aria-valuetext={cursor.value === null ? w.none : timeText(time, live)}
          min={shown?.from ?? 0}
          max={shown?.to ?? 1}
          step="any"
          value={time}
          disabled={shown === null}
          onInput={(event) => {
            playing.value = false;
            // The live section would carry the cursor away.
            if (live && timeWindow.value.kind === 'follow') paused.value ??= span();
            cursor.value = Number(event.currentTarget.value);
          }}
        />
      </label>
      <Brush />
      <p id="plot-keys" class="note">
        {w.keys}
      </p>
    </div>
  );
}

function LiveButtons() {
  const w = messages.value.plots;
  const follow = timeWindow.value.kind === 'follow' ? timeWindow.value : null;
  const isFollowing = follow !== null && paused.value === null;
  return (
    <>
      <button
        type="button"
        class={isFollowing ? '' : 'primary'}
        onClick={() => (isFollowing ? setPaused(true) : resumeLive())}
      >
        {isFollowing ? w.pause : w.resume}
      </button>
      <label class="inline">
        {w.windowLength}
        <select
          value={String(follow?.length_s ?? '')}
          onChange={(event) => {
            setPaused(false);
            setWindow({ kind: 'follow', length_s: Number(event.currentTarget.value) });
          }}
        >
          {(follow === null || !LENGTHS_S.includes(follow.length_s)) && (
            <option value={String(follow?.length_s ?? '')}>
              {follow === null ? w.fixed : lengthText(follow.length_s)}
            </option>
          )}
          {LENGTHS_S.map((seconds) => (
            <option key={seconds} value={String(seconds)}>
              {lengthText(seconds)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

const lengthText = (seconds: number): string =>
  seconds < 60
    ? `${formatNumber(seconds, Number.isInteger(seconds) ? 0 : 1)} s`
    : `${formatNumber(seconds / 60, Number.isInteger(seconds / 60) ? 0 : 1)} min`;

function resumeLive(): void {
  setPaused(false);
  if (timeWindow.value.kind !== 'follow') resetWindow();
}

/** Moves the cursor through the run at the speed at which it happened. */
function PlayButton() {
  const w = messages.value.replay;
  const isPlaying = playing.value;
  useEffect(() => {
    if (!isPlaying) return;
    let before = performance.now();
    let requested = requestAnimationFrame(function next(at) {
      const end = extent()?.to ?? 0;
      const to = (cursor.value ?? 0) + Math.max(0, at - before) / 1000;
      before = at;
      cursor.value = Math.min(end, to);
      if (to >= end) playing.value = false;
      else requested = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(requested);
  }, [isPlaying]);
  const toggle = () => {
    const all = extent();
    if (all === null) return;
    if (!isPlaying && (cursor.value === null || cursor.value >= all.to)) cursor.value = all.from;
    playing.value = !isPlaying;
  };
  return (
    <button type="button" class="primary" onClick={toggle}>
      {isPlaying ? w.pause : w.play}
    </button>
  );
}
