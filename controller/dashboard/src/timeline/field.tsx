/** A field that keeps what a person is entering while the page around it changes, until they have entered it. */

import { useState } from 'preact/hooks';

interface FieldProps {
  type: 'number' | 'text' | 'range';
  label?: string;
  value: string | number;
  min?: number;
  max?: number;
  step?: number | 'any';
  maxLength?: number;
  placeholder?: string;
  disabled?: boolean;
  /** The direction of a slider. */
  dir?: 'ltr' | 'rtl';
  valueText?: string;
  /** Called with each change while it is entered. */
  onDraft?: (text: string) => void;
  /** Called with what was entered. */
  onEntered: (text: string) => void;
}

export function Field({ label, value, valueText, onDraft, onEntered, ...rest }: FieldProps) {
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <input
      {...rest}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...(valueText === undefined ? {} : { 'aria-valuetext': valueText })}
      value={draft ?? value}
      onInput={(event) => {
        setDraft(event.currentTarget.value);
        onDraft?.(event.currentTarget.value);
      }}
      onChange={(event) => {
        setDraft(null);
        onEntered(event.currentTarget.value);
      }}
      onBlur={() => setDraft(null)}
    />
  );
}
