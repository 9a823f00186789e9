/** Steers the head by the tilt of a phone while a large button is held. */

import { useEffect } from 'preact/hooks';
import {
  activeTilt,
  beginTilt,
  disableTilt,
  enableTilt,
  endTilt,
  tiltMode,
  tiltStatus,
  watchTilt,
} from '../net/tilt';
import { formatNumber, messages } from '../i18n';
import { Card } from './basics';
import { HoldButton } from './hold-button';

export function TiltCard({ disabled }: { disabled: boolean }) {
  const w = messages.value.drive.tilt;
  useEffect(watchTilt, []);
  const status = tiltStatus.value;
  const isOn = status === 'ready' || status === 'waiting';
  return (
    <Card
      title={w.title}
      class="tilt-card"
      aside={
        <button type="button" onClick={() => (isOn ? disableTilt() : void enableTilt())}>
          {isOn ? w.disable : w.enable}
        </button>
      }
    >
      <p
        class={status === 'off' || isOn ? 'note' : 'outcome is-bad'}
        role={status === 'off' || isOn ? 'status' : 'alert'}
      >
        {status === 'ready' ? w.ready : status === 'off' ? w.hint : w[status]}
      </p>
      {status === 'ready' && (
        <>
          <label>
            {w.mode}
            <select
              value={tiltMode.value}
              onChange={(event) =>
                (tiltMode.value = event.currentTarget.value === 'roll' ? 'roll' : 'yaw')
              }
            >
              <option value="yaw">{w.yaw}</option>
              <option value="roll">{w.roll}</option>
            </select>
          </label>
          <TiltButton disabled={disabled} />
        </>
      )}
    </Card>
  );
}

function TiltButton({ disabled }: { disabled: boolean }) {
  const w = messages.value.drive.tilt;
  const tilt = activeTilt.value;
  const [forward, right] = [tilt?.forward_deg ?? 0, tilt?.right_deg ?? 0].map((angle) =>
    formatNumber(Math.round(angle) + 0),
  );
  return (
    <HoldButton
      class="tilt-hold"
      isHeld={tilt !== null}
      disabled={disabled}
      onBegin={beginTilt}
      onEnd={endTilt}
    >
      {tilt === null ? (disabled ? w.later : w.hold) : w.steering(forward!, right!)}
    </HoldButton>
  );
}
