/** Keyboard and gamepad input for teleoperation, while its view is open. */

import { signal } from '@preact/signals';
import {
  gamepadRates,
  KEYS,
  applyRates,
  isStopPressed,
  sumRates,
  type AxisRates,
} from '../logic/teleop';
import { acceptsText } from '../logic/stop-state';
import { isStopped, lease, speedScale, updateSetpoint } from './teleop';
import { sendStop } from './stop';

/** The name of the connected gamepad. */
export const gamepadName = signal<string | null>(null);

const POLL_INTERVAL_MS = 40;

/** Starts to listen. Returns a function that stops. */
export function listenForInput(): () => void {
  const keys = new Set<string>();
  let wasStop = false;
  let isArmed = true;
  const onKey = (event: KeyboardEvent) => {
    if (event.type === 'keyup') return void keys.delete(event.code);
    const at = event.target;
    const typesText =
      at instanceof HTMLElement &&
      (acceptsText({
        tagName: at.tagName,
        type: 'text',
        isContentEditable: at.isContentEditable,
      }) ||
        ['INPUT', 'SELECT'].includes(at.tagName));
    if (typesText || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.code in KEYS) || lease.value.status !== 'held') return;
    event.preventDefault();
    keys.add(event.code);
  };
  const clear = () => keys.clear();
  const poll = () => {
    const device = (navigator.getGamepads?.() ?? []).find((one) => one?.connected) ?? null;
    gamepadName.value = device?.id ?? null;
    const buttons = device?.buttons.map((button) => button.value) ?? [];
    const isStop = isStopPressed(buttons);
    if (isStop && !wasStop) void sendStop();
    wasStop = isStop;
    const rates: AxisRates[] = [...keys].flatMap((code) => KEYS[code] ?? []);
    if (device) rates.push(gamepadRates(device.axes, buttons));
    const total = sumRates(rates);
    const isIdle = Object.values(total).every((by) => by === 0);
    // After a stop, all keys and sticks have to be released once.
    if (isIdle) isArmed = true;
    else if (isStopped.value && !isArmed) return;
    else
      updateSetpoint((setpoint) =>
        applyRates(setpoint, total, POLL_INTERVAL_MS / 1000, speedScale.value),
      );
    if (isStopped.value) isArmed = isIdle;
  };
  const timer = setInterval(poll, POLL_INTERVAL_MS);
  addEventListener('keydown', onKey);
  addEventListener('keyup', onKey);
  addEventListener('blur', clear);
  return () => {
    clearInterval(timer);
    removeEventListener('keydown', onKey);
    removeEventListener('keyup', onKey);
    removeEventListener('blur', clear);
    gamepadName.value = null;
  };
}
