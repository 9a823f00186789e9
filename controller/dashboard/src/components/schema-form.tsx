/** A form for the arguments of a tool. */

import type { Field, FieldError } from '../logic/form';
import { formatAmount, messages } from '../i18n';

interface SchemaFormProps {
  fields: Field[];
  texts: Record<string, string>;
  errors: Record<string, FieldError>;
  onText: (name: string, text: string) => void;
}

export function SchemaForm({ fields, texts, errors, onText }: SchemaFormProps) {
  const w = messages.value.tools;
  if (fields.length === 0) return <p class="note">{w.noParameters}</p>;
  return (
    <div class="fields">
      {fields.map((field) => (
        <label key={field.name}>
          <strong class="mono">{field.name}</strong>
          <Input
            field={field}
            text={texts[field.name] ?? ''}
            invalid={field.name in errors}
            onText={onText}
          />
          <span class="note">{[field.description, range(field)].filter(Boolean).join(' · ')}</span>
          <span class="field-error" role="alert">
            {errorText(errors[field.name])}
          </span>
        </label>
      ))}
    </div>
  );
}

function range(field: Field): string {
  const w = messages.value.tools;
  const bounds =
    field.min !== undefined && field.max !== undefined
      ? w.between(formatAmount(field.min), formatAmount(field.max))
      : '';
  return [bounds, field.defaultText === '' ? '' : w.defaultValue(field.defaultText)]
    .filter(Boolean)
    .join(', ');
}

function errorText(error: FieldError | undefined): string {
  const w = messages.value.tools.errors;
  if (error === undefined) return '';
  return error.kind === 'min' || error.kind === 'max' ? w[error.kind](error.bound) : w[error.kind];
}

interface InputProps {
  field: Field;
  text: string;
  invalid: boolean;
  onText: (name: string, text: string) => void;
}

function Input({ field, text, invalid: bad, onText }: InputProps) {
  const w = messages.value.common;
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
        <option value="">
          {field.defaultText === '' ? '–' : messages.value.tools.defaultValue(field.defaultText)}
        </option>
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
      placeholder={field.defaultText}
      value={text}
      required={field.required}
      aria-invalid={bad}
      onInput={(event) => onText(field.name, event.currentTarget.value)}
    />
  );
}
