/** A form for the arguments of a tool. */

import type { Field, Trouble } from '../logic/form';
import { amount, words } from '../i18n';

interface Shown {
  fields: Field[];
  texts: Record<string, string>;
  troubles: Record<string, Trouble>;
  onText: (name: string, text: string) => void;
}

export function SchemaForm({ fields, texts, troubles, onText }: Shown) {
  const w = words.value.tools;
  if (fields.length === 0) return <p class="note">{w.noParameters}</p>;
  return (
    <div class="fields">
      {fields.map((field) => (
        <label key={field.name}>
          <strong class="mono">{field.name}</strong>
          <Input
            field={field}
            text={texts[field.name] ?? ''}
            bad={field.name in troubles}
            onText={onText}
          />
          <span class="note">{[field.about, range(field)].filter(Boolean).join(' · ')}</span>
          <span class="field-trouble" role="alert">
            {wrong(troubles[field.name])}
          </span>
        </label>
      ))}
    </div>
  );
}

function range(field: Field): string {
  const w = words.value.tools;
  const bounds =
    field.least !== undefined && field.most !== undefined
      ? w.between(amount(field.least), amount(field.most))
      : '';
  return [bounds, field.usual === '' ? '' : w.usual(field.usual)].filter(Boolean).join(', ');
}

function wrong(trouble: Trouble | undefined): string {
  const w = words.value.tools.wrong;
  if (trouble === undefined) return '';
  return trouble.why === 'least' || trouble.why === 'most'
    ? w[trouble.why](trouble.bound)
    : w[trouble.why];
}

interface One {
  field: Field;
  text: string;
  bad: boolean;
  onText: (name: string, text: string) => void;
}

function Input({ field, text, bad, onText }: One) {
  const w = words.value.common;
  const choices =
    field.kind === 'switch'
      ? [
          { value: 'true', name: w.yes },
          { value: 'false', name: w.no },
        ]
      : field.choices.map((value) => ({ value, name: value }));
  if (field.kind === 'switch' || field.kind === 'choice') {
    return (
      <select
        value={text}
        aria-invalid={bad}
        onChange={(event) => onText(field.name, event.currentTarget.value)}
      >
        <option value="">{field.usual === '' ? '–' : words.value.tools.usual(field.usual)}</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.name}
          </option>
        ))}
      </select>
    );
  }
  const numeric = field.kind === 'number' || field.kind === 'integer';
  return (
    <input
      type="text"
      inputMode={numeric ? 'decimal' : 'text'}
      autocomplete="off"
      placeholder={field.usual}
      value={text}
      required={field.required}
      aria-invalid={bad}
      onInput={(event) => onText(field.name, event.currentTarget.value)}
    />
  );
}
