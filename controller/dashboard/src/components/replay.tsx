/** Replays a motion in 3D. It is labelled and coloured so that it is not mistaken for the real robot as it is now. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { differVisibly, NEUTRAL } from '../logic/drawing';
import { limitMarks } from '../logic/limits';
import {
  advance,
  cycleAt,
  duration,
  replayDrawings,
  togglePlay,
  type Player,
} from '../logic/replay-timeline';
import { limits } from '../net/limits';
import { useScene } from './use-scene';
import { replayNotes } from '../logic/expectations';
import type { Clamp, Measured, RecordedMotion } from '../protocol/responses';
import { MOTORS } from '../protocol/joints';
import { formatNumber, messages } from '../i18n';
import { LimitMarks } from './limit-marks';
import { Range } from './motors';
import { ReplayNotes } from './replay-notes';

/** Users who prefer reduced motion start the replay themselves. */
const prefersReducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

interface ReplayTexts {
  title: string;
  badge: string;
  position: string;
  time: (at_s: number, end_s: number) => string;
}

export interface ReplayProps {
  replay: RecordedMotion;
  /** What was measured of the expectations about this motion. */
  measured?: Measured[];
  /** What is replayed, if it is no rehearsal. */
  kind?: 'rehearsal' | 'past';
  texts?: ReplayTexts;
  /** The clamps at a time. */
  clampsAt?: (at_s: number) => Clamp[];
  /** Shown below the slider, as wide as it is. */
  track?: ComponentChildren;
  /**
   * The time to show. Each new object shows its time. A replay with this property, even `null`, does not start by itself,
   * and stays at its time when its motion changes.
   */
  seek?: { at_s: number } | null;
  /** Called with the time that is shown. */
  onTime?: (at_s: number) => void;
  /** Shown beside the robot at a time. */
  children?: (at_s: number) => ComponentChildren;
}

const rehearsalTexts = (): ReplayTexts => {
  const { title, badge, position, time } = messages.value.replay;
  return {
    title,
    badge,
    position,
    time: (at, end) => time(formatNumber(at, 1), formatNumber(end, 1)),
  };
};

export function ReplayView({
  replay: motion,
  measured = [],
  kind = 'rehearsal',
  texts = rehearsalTexts(),
  clampsAt,
  track,
  seek,
  onTime,
  children,
}: ReplayProps) {
  const w = messages.value;
  const { canvas, scene, failed } = useScene(kind === 'past' ? 'robot' : kind);
  const [player, setPlayer] = useState<Player>({ at_s: 0, playing: false });
  const near = useRef(NEUTRAL);
  useEffect(() => {
    near.current = NEUTRAL;
    setPlayer((now) =>
      seek === undefined
        ? { at_s: 0, playing: !prefersReducedMotion() }
        : { ...now, at_s: Math.min(now.at_s, duration(motion)) },
    );
  }, [motion]);
  useEffect(() => {
    if (seek) setPlayer({ at_s: seek.at_s, playing: false });
  }, [seek]);
  useEffect(() => onTime?.(player.at_s), [player.at_s]);
  useEffect(() => {
    if (!player.playing) return;
    let before = performance.now();
    let asked = requestAnimationFrame(function next(at) {
      const by = Math.max(0, at - before) / 1000;
      before = at;
      setPlayer((now) => advance(now, motion, by));
      asked = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(asked);
  }, [player.playing, motion]);
  const cycle = cycleAt(motion, player.at_s);
  const shown = cycle === null ? null : replayDrawings(cycle, near.current);
  const clamps = clampsAt?.(player.at_s) ?? [];
  const marked =
    cycle === null || shown === null
      ? {}
      : limitMarks(
          { ...cycle, posture: shown.posture, clamping: clamps.length > 0 },
          limits.value,
          clamps,
        );
  useEffect(() => {
    if (scene === null || shown === null) return;
    const { now, goal, posture } = shown;
    if (now !== null) near.current = posture;
    const ghost = now !== null && goal !== null && differVisibly(now, goal) ? goal : null;
    scene.show(now, ghost, false, marked);
  }, [scene, motion, player.at_s, limits.value]);
  const end = duration(motion);
  const notes = replayNotes(measured, end);
  const time = texts.time(player.at_s, end);
  return (
    <div class="replay" role="group" aria-label={texts.title}>
      <div class={`scene is-${kind}`}>
        <canvas ref={canvas} role="img" aria-label={texts.title} />
        <p class="replay-badge">{texts.badge}</p>
        <LimitMarks marks={marked} />
        {failed && <p class="scene-note">{w.robot.noScene}</p>}
      </div>
      {children?.(player.at_s)}
      <div class="replay-bar">
        <button type="button" onClick={() => setPlayer(togglePlay(player, motion))}>
          {player.playing ? w.replay.pause : w.replay.play}
        </button>
        <span class="replay-track">
          <input
            type="range"
            aria-label={texts.position}
            aria-valuetext={time}
            min={0}
            max={end}
            step="any"
            value={player.at_s}
            onInput={(event) => {
              setPlayer({ at_s: Number(event.currentTarget.value), playing: false });
            }}
          />
          {track}
        </span>
        <span class="replay-time">{time}</span>
      </div>
      {notes.length > 0 && (
        <ReplayNotes
          all={notes}
          duration_s={end}
          onSelect={(at_s) => setPlayer({ at_s, playing: false })}
        />
      )}
      {motion.truncated && <p class="note">{w.replay.truncated}</p>}
      <details>
        <summary>{w.robot.motors}</summary>
        {cycle !== null && <Angles present={cycle.present_deg} goal={cycle.goal_deg} />}
      </details>
    </div>
  );
}

function Angles({ present, goal }: { present: number[]; goal: number[] }) {
  const w = messages.value.robot;
  return (
    <table class="numbers">
      <thead>
        <tr>
          <th scope="col">{w.motor}</th>
          <th scope="col">{w.angle}</th>
          <th scope="col">{w.goal}</th>
          {limits.value !== null && <th scope="col">{w.range}</th>}
        </tr>
      </thead>
      <tbody>
        {MOTORS.map((name, at) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{formatNumber(present[at] ?? 0, 1)}°</td>
            <td>{formatNumber(goal[at] ?? 0, 1)}°</td>
            {limits.value !== null && (
              <td>
                <Range name={name} present={present[at] ?? null} goal={goal[at] ?? 0} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
