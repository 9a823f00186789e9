/** Steers by the tilt of this device while a button is held. */

import { effect, signal } from '@preact/signals';
import { tiltedSetpoint, tiltFrom, tiltOf, type Tilt, type TiltMode } from '../logic/tilt';
import type { Setpoint } from '../logic/teleop';
import { stale } from './live';
import { holdTarget, isStopped, lease, updateSetpoint } from './teleop';

/** Without an event for this long, the device has no sensor, or the browser does not report it, milliseconds. */
const SENSOR_TIMEOUT_MS = 2000;

export type TiltStatus =
  | 'off'
  /** Browsers report the tilt only to secure pages. */
  | 'insecure'
  | 'denied'
  /** Waits for the first event of the sensor. */
  | 'waiting'
  | 'absent'
  | 'ready';

export const tiltStatus = signal<TiltStatus>('off');
export const tiltMode = signal<TiltMode>('yaw');
/** The tilt that steers now; `null` while the button is not held. */
export const activeTilt = signal<Tilt | null>(null);

interface Steering {
  center: Tilt;
  base: Setpoint;
}

let latest: Tilt | null = null;
let steering: Steering | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Safari asks the user, and only within a click. */
type WithPermission = { requestPermission?: () => Promise<string> };

/** Begins to listen to the sensor. To be called within a click. */
export async function enableTilt(): Promise<void> {
  if (!window.isSecureContext) return void (tiltStatus.value = 'insecure');
  if (typeof DeviceOrientationEvent === 'undefined') return void (tiltStatus.value = 'absent');
  const ask = (DeviceOrientationEvent as unknown as WithPermission).requestPermission;
  const answer = await (ask?.call(DeviceOrientationEvent).catch(() => 'denied') ?? 'granted');
  if (answer !== 'granted') return void (tiltStatus.value = 'denied');
  tiltStatus.value = 'waiting';
  addEventListener('deviceorientation', onOrientation);
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (tiltStatus.value === 'waiting') tiltStatus.value = 'absent';
  }, SENSOR_TIMEOUT_MS);
}

export function disableTilt(): void {
  endTilt();
  clearTimeout(timer);
  removeEventListener('deviceorientation', onOrientation);
  latest = null;
  tiltStatus.value = 'off';
}

function onOrientation({ beta, gamma }: DeviceOrientationEvent): void {
  const tilt = tiltOf(beta, gamma, screen.orientation?.angle ?? 0);
  if (tilt === null) return;
  latest = tilt;
  tiltStatus.value = 'ready';
  if (steering === null) return;
  const { center, base } = steering;
  const relative = tiltFrom(center, tilt);
  activeTilt.value = relative;
  updateSetpoint((setpoint) => {
    const { pitch_deg, yaw_deg, roll_deg } = tiltedSetpoint(base, relative, tiltMode.value);
    // Other controls may move the other axes meanwhile.
    return tiltMode.value === 'yaw'
      ? { ...setpoint, pitch_deg, yaw_deg }
      : { ...setpoint, pitch_deg, roll_deg };
  });
}

/** Begins to steer. The present tilt is the center. */
export function beginTilt(): void {
  const center = latest;
  if (center === null || steering !== null) return;
  updateSetpoint((setpoint) => {
    steering = { center, base: setpoint };
    return setpoint;
  });
  if (steering !== null) activeTilt.value = { forward_deg: 0, right_deg: 0 };
}

/** Ends steering: the robot stays where it is on its way. */
export function endTilt(): void {
  if (steering === null) return;
  steering = null;
  activeTilt.value = null;
  holdTarget();
}

/** Ends steering whenever the user cannot see what it does. Returns a function that stops watching. */
export function watchTilt(): () => void {
  const onHidden = () => document.visibilityState === 'hidden' && endTilt();
  const ends = [
    // After a stop, the button has to be pressed again.
    effect(() => {
      if (isStopped.value || stale.value || lease.value.status !== 'held') endTilt();
    }),
  ];
  document.addEventListener('visibilitychange', onHidden);
  addEventListener('blur', endTilt);
  // The axes change with the screen.
  screen.orientation?.addEventListener('change', endTilt);
  return () => {
    ends.forEach((end) => end());
    document.removeEventListener('visibilitychange', onHidden);
    removeEventListener('blur', endTilt);
    screen.orientation?.removeEventListener('change', endTilt);
    disableTilt();
  };
}
