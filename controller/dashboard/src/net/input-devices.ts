/** Keys and gamepads, as long as the steering view is open: they push the wish. */

import { signal } from '@preact/signals';
import { gamepad, KEYS, pushed, saysStop, together, type Push } from '../logic/teleop';
import { writesText } from '../logic/stop-state';
import { halted, lease, scale, want } from './teleop';
import { sayStop } from './stop';

/** The name of the gamepad that is used. */
export const pad = signal<string | null>(null);

const EVERY_MS = 40;

/** Listens until what it returns is called. */
export function listen(): () => void {
  const keys = new Set<string>();
  let wasStop = false;
  let isArmed = true;
  const onKey = (event: KeyboardEvent) => {
    if (event.type === 'keyup') return void keys.delete(event.code);
    const at = event.target;
    const isControl =
      at instanceof HTMLElement &&
      (writesText({ tagName: at.tagName, type: 'text', isContentEditable: at.isContentEditable }) ||
        ['INPUT', 'SELECT'].includes(at.tagName));
    if (isControl || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.code in KEYS) || lease.value.is !== 'held') return;
    event.preventDefault();
    keys.add(event.code);
  };
  const clear = () => keys.clear();
  const step = () => {
    const device = (navigator.getGamepads?.() ?? []).find((one) => one?.connected) ?? null;
    pad.value = device?.id ?? null;
    const buttons = device?.buttons.map((button) => button.value) ?? [];
    const isStop = saysStop(buttons);
    if (isStop && !wasStop) void sayStop();
    wasStop = isStop;
    const pushes: Push[] = [...keys].flatMap((code) => KEYS[code] ?? []);
    if (device) pushes.push(gamepad(device.axes, buttons));
    const push = together(pushes);
    const isIdle = Object.values(push).every((by) => by === 0);
    // After a stop everything has to be let go of once.
    if (isIdle) isArmed = true;
    else if (halted.value && !isArmed) return;
    else want((wish) => pushed(wish, push, EVERY_MS / 1000, scale.value));
    if (halted.value) isArmed = isIdle;
  };
  const timer = setInterval(step, EVERY_MS);
  addEventListener('keydown', onKey);
  addEventListener('keyup', onKey);
  addEventListener('blur', clear);
  return () => {
    clearInterval(timer);
    removeEventListener('keydown', onKey);
    removeEventListener('keyup', onKey);
    removeEventListener('blur', clear);
    pad.value = null;
  };
}
