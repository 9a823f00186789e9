/** Small components that several views share. */

import type { ComponentChildren } from 'preact';
import type { Action } from '../logic/roles';
import { REQUIRED_ROLE } from '../logic/roles';
import { isAllowed } from '../net/live';
import { messages } from '../i18n';

interface CardProps {
  title: string;
  class?: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}

export const Card = ({ title, class: name = '', aside, children }: CardProps) => (
  <section class={`card ${name}`} aria-label={title}>
    <div class="card-head">
      <h2>{title}</h2>
      {aside}
    </div>
    {children}
  </section>
);

interface RoleButtonProps {
  action: Action;
  /** Disables the button for a reason other than the role. */
  disabled?: boolean;
  class?: string;
  type?: 'button' | 'submit';
  onClick?: () => void;
  title?: string;
  children: ComponentChildren;
}

/** A button for an action that requires a role. Without the role it is disabled and its tooltip names the role. */
export function RoleButton({
  action,
  disabled = false,
  type = 'button',
  title,
  children,
  ...rest
}: RoleButtonProps) {
  const permitted = isAllowed(action);
  const w = messages.value;
  const reason = permitted ? title : w.common.requiresRole(w.roles[REQUIRED_ROLE[action]]);
  return (
    <button
      type={type}
      disabled={disabled || !permitted}
      {...(reason === undefined ? {} : { title: reason })}
      {...rest}
    >
      {children}
    </button>
  );
}

/** Explains that a part of a view is closed because the role is missing. */
export function NeedsRole({ action }: { action: Action }) {
  const w = messages.value;
  return isAllowed(action) ? null : (
    <p class="note">{w.common.requiresRole(w.roles[REQUIRED_ROLE[action]])}</p>
  );
}

/** Shows the result of an action. Screen readers announce it when it changes. */
export const Outcome = ({ text, bad = false }: { text: string; bad?: boolean }) => (
  <p class={`outcome ${bad ? 'is-bad' : ''}`} role={bad ? 'alert' : 'status'}>
    {text}
  </p>
);

/** Offers content to the user as a file. */
export function download(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
