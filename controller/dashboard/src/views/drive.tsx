/** Steering the robot by hand: lease, pads, sliders, keys, gamepad, and the camera's picture. */

import { useEffect, useState } from 'preact/hooks';
import { goal, postureOf } from '../logic/drawing';
import { aimAt, ray, type Specs } from '../logic/camera-model';
import { AXES, heldBack, LEFTWARD, looking, REACH, staying, type Axis } from '../logic/teleop';
import { lens } from '../net/camera';
import { listen, pad } from '../net/input-devices';
import { frame, now, stale } from '../net/live';
import * as steering from '../net/teleop';
import { Camera } from '../components/camera';
import { LeaseBar } from '../components/lease-bar';
import { Pad } from '../components/pad';
import { Card } from '../components/basics';
import { Trims } from '../components/clamps';
import { number, words } from '../i18n';

/** When a target has not changed for so long, what still differs is held back, milliseconds. */
const SETTLED_MS = 500;

export function DriveView() {
  const w = words.value.drive;
  useEffect(listen, []);
  const isMine = steering.lease.value.is === 'held' && !stale.value;
  const newest = frame.value;
  const is = newest?.posture ? staying(newest.posture) : null;
  const wish = steering.wish.value;
  return (
    <div class="view drive-view">
      <LeaseBar />
      <div class="column">
        <Look />
        <Card title={w.keys} class="keys-card">
          <div class="keys">
            <p>{w.keysAre}</p>
            <p>{pad.value === null ? w.noGamepad : w.gamepad(pad.value)}</p>
            <p class="note">{w.gamepadIs}</p>
          </div>
        </Card>
      </div>
      <div class="column">
        <Card title={w.pads} class={stale.value ? 'is-old' : ''}>
          <div class="pads">
            <Pad
              label={w.headPad}
              hint={w.padHint}
              across={{ axis: 'yaw_deg', sign: -1 }}
              up={{ axis: 'pitch_deg', sign: -1 }}
              wish={wish}
              is={is}
              disabled={!isMine}
              onMove={steering.want}
            />
            <Pad
              label={w.bodyPad}
              hint={w.padHint}
              across={{ axis: 'body_yaw_deg', sign: -1 }}
              up={{ axis: 'z_mm', sign: 1 }}
              wish={wish}
              is={is}
              disabled={!isMine}
              onMove={steering.want}
            />
          </div>
        </Card>
        <Sliders disabled={!isMine} />
        <Trims />
      </div>
    </div>
  );
}

/** The picture: a click looks there. */
function Look() {
  const w = words.value.drive;
  const [specs, setSpecs] = useState<Specs | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    void lens(ending.signal).then((answer) => {
      if (!ending.signal.aborted && answer.ok) setSpecs(answer.value);
    });
    return () => ending.abort();
  }, []);
  const isMine = steering.lease.value.is === 'held' && !stale.value;
  const hint = specs === null ? w.noLens : isMine ? w.click : w.clickLater;
  if (specs === null || !isMine) return <Camera hint={hint} />;
  const look = (across: number, down: number) => {
    const from = frame.value?.posture;
    const direction = ray(specs, across, down);
    if (!from || direction === null) return;
    const { yaw_deg, pitch_deg } = aimAt(direction, from);
    steering.want((wish) => looking(wish, yaw_deg, pitch_deg));
  };
  return <Camera hint={hint} onPoint={look} />;
}

function Sliders({ disabled }: { disabled: boolean }) {
  const w = words.value;
  const target = steering.target.value;
  const newest = frame.value;
  const drawn = newest === null ? null : goal(newest);
  const settled = now.value - steering.sentAt.value > SETTLED_MS && !steering.halted.value;
  const limited = target && drawn && settled ? heldBack(target, postureOf(drawn)) : [];
  const centre = () =>
    steering.want((wish) => ({
      ...wish,
      ...Object.fromEntries(AXES.map((axis) => [axis, 0])),
      // At zero they would stand upright; this is how they rest.
      right_deg: -10,
      left_deg: 10,
    }));
  return (
    <Card
      title={w.drive.controls}
      aside={
        <button type="button" disabled={disabled} onClick={centre}>
          {w.drive.centre}
        </button>
      }
    >
      <div class="sliders">
        {AXES.map((axis) => (
          <Slider key={axis} axis={axis} disabled={disabled} limited={limited.includes(axis)} />
        ))}
        <label>
          <span class="slider-head">
            <span>{w.drive.speed}</span>
            <span>{number(100 * steering.scale.value)} %</span>
          </span>
          <input
            type="range"
            min={0.1}
            max={1}
            step={0.05}
            value={steering.scale.value}
            onInput={(event) => (steering.scale.value = Number(event.currentTarget.value))}
          />
        </label>
      </div>
    </Card>
  );
}

function Slider({ axis, disabled, limited }: { axis: Axis; disabled: boolean; limited: boolean }) {
  const w = words.value;
  const { most, step } = REACH[axis];
  const posture = frame.value?.posture;
  const value = steering.wish.value?.[axis] ?? (posture ? staying(posture)[axis] : 0);
  const unit = axis.endsWith('mm') ? ' mm' : '°';
  return (
    <label>
      <span class="slider-head">
        <span>{w.axes[axis]}</span>
        {limited && <span class="is-warn">{w.drive.limited}</span>}
        <span>{`${number(Math.round(value) + 0)}${unit}`}</span>
      </span>
      <input
        type="range"
        dir={LEFTWARD.includes(axis) ? 'rtl' : 'ltr'}
        min={-most}
        max={most}
        step={step}
        value={value}
        disabled={disabled}
        onInput={(event) => {
          const next = Number(event.currentTarget.value);
          steering.want((wish) => ({ ...wish, [axis]: next }));
        }}
      />
    </label>
  );
}
