/** Teleoperation: lease, touch pads, sliders, keyboard, gamepad and camera. */

import { useEffect, useState } from 'preact/hooks';
import { goalDrawing, postureFromDrawing } from '../logic/drawing';
import { aimAt, unproject, type CameraIntrinsics } from '../logic/camera-model';
import {
  AXES,
  clampedAxes,
  LEFT_POSITIVE,
  lookAt,
  AXIS_LIMITS,
  setpointFromPosture,
  type Axis,
} from '../logic/teleop';
import { fetchCameraIntrinsics } from '../net/camera';
import { listenForInput, gamepadName } from '../net/input-devices';
import { frame, now, stale } from '../net/live';
import * as steering from '../net/teleop';
import { Camera } from '../components/camera';
import { LimitOverlay } from '../components/limit-overlay';
import { LeaseBar } from '../components/lease-bar';
import { Pad } from '../components/pad';
import { Card } from '../components/basics';
import { Clamps } from '../components/clamps';
import { PastCard } from '../components/past-replay';
import { TalkThroughCard } from '../components/talk-through';
import { TiltCard } from '../components/tilt-card';
import { formatNumber, messages } from '../i18n';
import '../style/teleoperation.css';

/** A difference that remains this long after the target last changed is shown as clamped, milliseconds. */
const SETTLED_MS = 500;

export default function DriveView() {
  const w = messages.value.drive;
  useEffect(listenForInput, []);
  const inControl = steering.lease.value.status === 'held' && !stale.value;
  const latest = frame.value;
  const actual = latest?.posture ? setpointFromPosture(latest.posture) : null;
  const setpoint = steering.setpoint.value;
  return (
    <div class="view drive-view">
      <LeaseBar />
      <div class="column">
        <CameraPanel />
        <TalkThroughCard />
        <PastCard />
        <Card title={w.keys} class="keys-card">
          <div class="keys">
            <p>{w.keyMap}</p>
            <p>{gamepadName.value === null ? w.noGamepad : w.gamepad(gamepadName.value)}</p>
            <p class="note">{w.gamepadMap}</p>
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
              setpoint={setpoint}
              actual={actual}
              disabled={!inControl}
              onMove={steering.updateSetpoint}
            />
            <Pad
              label={w.bodyPad}
              hint={w.padHint}
              across={{ axis: 'body_yaw_deg', sign: -1 }}
              up={{ axis: 'z_mm', sign: 1 }}
              setpoint={setpoint}
              actual={actual}
              disabled={!inControl}
              onMove={steering.updateSetpoint}
            />
          </div>
        </Card>
        <TiltCard disabled={!inControl} />
        <Sliders disabled={!inControl} />
        <Clamps />
      </div>
    </div>
  );
}

/** The camera image. A click looks at that point. */
function CameraPanel() {
  const w = messages.value.drive;
  const [specs, setSpecs] = useState<CameraIntrinsics | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    void fetchCameraIntrinsics(ending.signal).then((answer) => {
      if (!ending.signal.aborted && answer.ok) setSpecs(answer.value);
    });
    return () => ending.abort();
  }, []);
  const inControl = steering.lease.value.status === 'held' && !stale.value;
  const hint = specs === null ? w.noCalibration : inControl ? w.click : w.clickLater;
  if (!inControl) return <Camera offersVideo hint={hint} />;
  const overlay = <LimitOverlay intrinsics={specs} />;
  if (specs === null)
    return (
      <Camera offersVideo hint={hint}>
        {overlay}
      </Camera>
    );
  const onPoint = (across: number, down: number) => {
    const from = frame.value?.posture;
    const direction = unproject(specs, across, down);
    if (!from || direction === null) return;
    const { yaw_deg, pitch_deg } = aimAt(direction, from);
    steering.updateSetpoint((setpoint) => lookAt(setpoint, yaw_deg, pitch_deg));
  };
  return (
    <Camera offersVideo hint={hint} onPoint={onPoint}>
      {overlay}
    </Camera>
  );
}

function Sliders({ disabled }: { disabled: boolean }) {
  const w = messages.value;
  const target = steering.target.value;
  const latest = frame.value;
  const goalPose = latest === null ? null : goalDrawing(latest);
  const settled = now.value - steering.sentAt.value > SETTLED_MS && !steering.isStopped.value;
  const limited =
    target && goalPose && settled ? clampedAxes(target, postureFromDrawing(goalPose)) : [];
  const centre = () =>
    steering.updateSetpoint((setpoint) => ({
      ...setpoint,
      ...Object.fromEntries(AXES.map((axis) => [axis, 0])),
      // At zero the antennas would stand upright; this is their rest position.
      right_deg: -10,
      left_deg: 10,
    }));
  return (
    <Card
      title={w.drive.controls}
      aside={
        <button type="button" disabled={disabled} onClick={centre}>
          {w.drive.center}
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
            <span>{formatNumber(100 * steering.speedScale.value)} %</span>
          </span>
          <input
            type="range"
            min={0.1}
            max={1}
            step={0.05}
            value={steering.speedScale.value}
            onInput={(event) => (steering.speedScale.value = Number(event.currentTarget.value))}
          />
        </label>
      </div>
    </Card>
  );
}

function Slider({ axis, disabled, limited }: { axis: Axis; disabled: boolean; limited: boolean }) {
  const w = messages.value;
  const { max, step } = AXIS_LIMITS[axis];
  const posture = frame.value?.posture;
  const value =
    steering.setpoint.value?.[axis] ?? (posture ? setpointFromPosture(posture)[axis] : 0);
  const unit = axis.endsWith('mm') ? ' mm' : '°';
  return (
    <label>
      <span class="slider-head">
        <span>{w.axes[axis]}</span>
        {limited && <span class="is-warn">{w.drive.clamped}</span>}
        <span>{`${formatNumber(Math.round(value) + 0)}${unit}`}</span>
      </span>
      <input
        type="range"
        dir={LEFT_POSITIVE.includes(axis) ? 'rtl' : 'ltr'}
        min={-max}
        max={max}
        step={step}
        value={value}
        disabled={disabled}
        onInput={(event) => {
          const next = Number(event.currentTarget.value);
          steering.updateSetpoint((setpoint) => ({ ...setpoint, [axis]: next }));
        }}
      />
    </label>
  );
}
