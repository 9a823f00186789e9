/** A check box that is a button, since the space bar stops the robot: Enter, a click or a touch changes it. */

import type { ComponentChildren } from 'preact';

interface CheckProps {
  checked: boolean;
  title?: string;
  onChange: () => void;
  children: ComponentChildren;
}

export const Check = ({ checked, title, onChange, children }: CheckProps) => (
  <button
    type="button"
    role="checkbox"
    aria-checked={checked}
    class="fleet-check"
    onClick={onChange}
    {...(title === undefined ? {} : { title })}
  >
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <rect x="1" y="1" width="14" height="14" rx="3" />
      {checked && <path d="M4 8.5 7 11.5 12.5 5" />}
    </svg>
    <span>{children}</span>
  </button>
);
