/** What a motion must do, and what was measured of it in the rehearsal. */

import type { Measured } from '../protocol/responses';
import { messages } from '../i18n';

export function Expectations({ all }: { all: Measured[] }) {
  const w = messages.value.tools.expectations;
  return (
    <ul class="expectations">
      {all.map(({ held, expected, measured }, at) => (
        <li key={at}>
          <span class={`badge ${held ? 'is-good' : 'is-bad'}`}>
            <span aria-hidden="true">{held ? '✓' : '✗'}</span>
            <span class="hidden">{held ? w.held : w.missed}</span>
          </span>
          <span>
            {expected}
            <span class="note">
              {' '}
              {w.measured} {measured}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ExpectationsEditorProps {
  text: string;
  invalid: boolean;
  onText: (text: string) => void;
}

export function ExpectationsEditor({ text, invalid, onText }: ExpectationsEditorProps) {
  const w = messages.value.tools.expectations;
  return (
    <details class="expects">
      <summary>{w.edit}</summary>
      <label>
        {w.label}
        <textarea
          class="mono"
          rows={Math.min(12, text.split('\n').length + 1)}
          spellcheck={false}
          value={text}
          aria-invalid={invalid}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </label>
      {invalid && <p class="field-error">{w.invalid}</p>}
      <p class="note">{w.hint}</p>
    </details>
  );
}
