/** Small parts that several views use. */

import type { ComponentChildren } from 'preact';
import type { Deed } from '../logic/roles';
import { NEEDS } from '../logic/roles';
import { allowed } from '../net/live';
import { words } from '../i18n';

interface Titled {
  title: string;
  class?: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}

export const Card = ({ title, class: name = '', aside, children }: Titled) => (
  <section class={`card ${name}`} aria-label={title}>
    <div class="card-head">
      <h2>{title}</h2>
      {aside}
    </div>
    {children}
  </section>
);

interface Deeds {
  deed: Deed;
  /** Other reasons why it can't be done now. */
  disabled?: boolean;
  class?: string;
  type?: 'button' | 'submit';
  onClick?: () => void;
  title?: string;
  children: ComponentChildren;
}

/** A button for something that needs a role; without it, the button says so. */
export function DeedButton({
  deed,
  disabled = false,
  type = 'button',
  title,
  children,
  ...rest
}: Deeds) {
  const may = allowed(deed);
  const w = words.value;
  const why = may ? title : w.common.needs(w.roles[NEEDS[deed]]);
  return (
    <button
      type={type}
      disabled={disabled || !may}
      {...(why === undefined ? {} : { title: why })}
      {...rest}
    >
      {children}
    </button>
  );
}

/** Why a part of a view is closed, where a role is missing. */
export function NeedsRole({ deed }: { deed: Deed }) {
  const w = words.value;
  return allowed(deed) ? null : <p class="note">{w.common.needs(w.roles[NEEDS[deed]])}</p>;
}

/** What came of something, read out when it changes. */
export const Outcome = ({ text, bad = false }: { text: string; bad?: boolean }) => (
  <p class={`outcome ${bad ? 'is-bad' : ''}`} role={bad ? 'alert' : 'status'}>
    {text}
  </p>
);

/** Hands something out as a file. */
export function download(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
