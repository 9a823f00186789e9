/** A rehearsal played again in 3D. It is marked as one: nobody should take it for the robot that is there. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { differs, NEUTRAL } from '../logic/drawing';
import { marks } from '../logic/limits';
import { advanced, beatAt, lasts, pictured, pressed, type Player } from '../logic/replay-timeline';
import { limits } from '../net/limits';
import type { Stage } from '../scene/scene';
import type { Replay } from '../protocol/responses';
import { MOTORS } from '../protocol/joints';
import { number, words } from '../i18n';
import { Marked } from './limit-marks';
import { Range } from './motors';

/** Who wants little motion starts it by hand. */
const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export function ReplayView({ replay }: { replay: Replay }) {
  const w = words.value;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [stage, setStage] = useState<Stage | null>(null);
  const [trouble, setTrouble] = useState(false);
  const [player, setPlayer] = useState<Player>({ at_s: 0, playing: false });
  const near = useRef(NEUTRAL);
  useEffect(() => {
    let ended = false;
    let built: Stage | null = null;
    const sizes = new ResizeObserver(() => {
      if (canvas.current) built?.resize(canvas.current.clientWidth, canvas.current.clientHeight);
    });
    void import('../scene/scene')
      .then(({ stage: build }) => {
        if (ended || canvas.current === null) return;
        built = build(canvas.current, 'rehearsed');
        sizes.observe(canvas.current);
        setStage(built);
      })
      .catch(() => setTrouble(true));
    return () => {
      ended = true;
      sizes.disconnect();
      built?.dispose();
      setStage(null);
    };
  }, []);
  useEffect(() => {
    near.current = NEUTRAL;
    setPlayer({ at_s: 0, playing: !isCalm() });
  }, [replay]);
  useEffect(() => {
    if (!player.playing) return;
    let before = performance.now();
    let asked = requestAnimationFrame(function next(at) {
      const by = Math.max(0, at - before) / 1000;
      before = at;
      setPlayer((now) => advanced(now, replay, by));
      asked = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(asked);
  }, [player.playing, replay]);
  const beat = beatAt(replay, player.at_s);
  const shown = beat === null ? null : pictured(beat, near.current);
  const held =
    beat === null || shown === null
      ? {}
      : marks({ ...beat, posture: shown.posture, trimming: null }, limits.value, []);
  useEffect(() => {
    if (stage === null || shown === null) return;
    const { now, goal, posture } = shown;
    if (now !== null) near.current = posture;
    const ghost = now !== null && goal !== null && differs(now, goal) ? goal : null;
    stage.show(now, ghost, false, held);
  }, [stage, replay, player.at_s, limits.value]);
  const end = lasts(replay);
  const time = w.replay.time(number(player.at_s, 1), number(end, 1));
  return (
    <div class="replay" role="group" aria-label={w.replay.title}>
      <div class="scene is-rehearsal">
        <canvas ref={canvas} role="img" aria-label={w.replay.title} />
        <p class="replay-badge">{w.replay.badge}</p>
        <Marked marks={held} />
        {trouble && <p class="scene-note">{w.robot.noScene}</p>}
      </div>
      <div class="replay-bar">
        <button type="button" onClick={() => setPlayer(pressed(player, replay))}>
          {player.playing ? w.replay.pause : w.replay.play}
        </button>
        <input
          type="range"
          aria-label={w.replay.moment}
          aria-valuetext={time}
          min={0}
          max={end}
          step="any"
          value={player.at_s}
          onInput={(event) => {
            setPlayer({ at_s: Number(event.currentTarget.value), playing: false });
          }}
        />
        <span class="replay-time">{time}</span>
      </div>
      {replay.cut && <p class="note">{w.replay.cut}</p>}
      <details>
        <summary>{w.robot.motors}</summary>
        {beat !== null && <Angles present={beat.present_deg} goal={beat.goal_deg} />}
      </details>
    </div>
  );
}

function Angles({ present, goal }: { present: number[]; goal: number[] }) {
  const w = words.value.robot;
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
            <td>{number(present[at] ?? 0, 1)}°</td>
            <td>{number(goal[at] ?? 0, 1)}°</td>
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
