/** A button that acts while it is held, with a pointer or the Enter key. Whatever takes it away from the user ends it. */

import type { ComponentChildren } from 'preact';

interface HoldButtonProps {
  class: string;
  isHeld: boolean;
  disabled: boolean;
  title?: string;
  onBegin: () => void;
  onEnd: () => void;
  /** Toggles for a click without a pointer: users of assistive technology may be unable to hold a button. */
  onClick?: (event: MouseEvent) => void;
  children: ComponentChildren;
}

export function HoldButton({ class: name, isHeld, onBegin, onEnd, ...rest }: HoldButtonProps) {
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    onBegin();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    // Prevents the click that would follow.
    event.preventDefault();
    if (event.type === 'keyup') onEnd();
    else if (!event.repeat) onBegin();
  };
  return (
    <button
      type="button"
      class={`${name} ${isHeld ? 'is-held' : ''}`}
      aria-pressed={isHeld}
      onPointerDown={onPointerDown}
      onPointerUp={onEnd}
      onPointerCancel={onEnd}
      onLostPointerCapture={onEnd}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={onKey}
      onKeyUp={onKey}
      onBlur={onEnd}
      {...rest}
    />
  );
}
