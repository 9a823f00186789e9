/** Builds a form from a JSON Schema and arguments from its fields. An empty field keeps its default. */

import type { Schema } from '../protocol/responses';

export type Kind = 'number' | 'integer' | 'text' | 'choice' | 'switch' | 'json';

export interface Field {
  name: string;
  kind: Kind;
  description: string;
  required: boolean;
  /** The default as a user would type it; empty if there is none. */
  defaultText: string;
  choices: string[];
  min?: number;
  max?: number;
}

/** Why the text of a field is invalid. */
export type FieldError =
  | { kind: 'missing' }
  | { kind: 'number' }
  | { kind: 'integer' }
  | { kind: 'min'; bound: number }
  | { kind: 'max'; bound: number }
  | { kind: 'json' };

export function formFields(schema: Schema): Field[] {
  return Object.entries(schema.properties ?? {}).map(([name, of]) => {
    const kind = kindOf(of);
    const field: Field = {
      name,
      kind,
      description: of.description ?? '',
      required: schema.required?.includes(name) ?? false,
      defaultText: of.default === undefined ? '' : toText(of.default, kind),
      choices: (of.enum ?? []).map((choice) => toText(choice, kind)),
    };
    if (of.minimum !== undefined) field.min = of.minimum;
    if (of.maximum !== undefined) field.max = of.maximum;
    return field;
  });
}

function kindOf(schema: Schema): Kind {
  if (schema.enum?.every((choice) => typeof choice === 'string')) return 'choice';
  switch (schema.type) {
    case 'integer':
      return 'integer';
    case 'number':
      return 'number';
    case 'boolean':
      return 'switch';
    case 'string':
      return 'text';
    default:
      return 'json';
  }
}

function toText(value: unknown, kind: Kind): string {
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value);
}

/** Parses one field. The value is `undefined` if the field is empty. */
export function parseField(field: Field, text: string): { value: unknown } | { error: FieldError } {
  const trimmed = text.trim();
  if (trimmed === '' && !(field.kind === 'text' && text !== '')) {
    return field.required ? { error: { kind: 'missing' } } : { value: undefined };
  }
  switch (field.kind) {
    case 'text':
    case 'choice':
      return { value: text };
    case 'switch':
      return { value: trimmed === 'true' };
    case 'json':
      try {
        return { value: JSON.parse(trimmed) as unknown };
      } catch {
        return { error: { kind: 'json' } };
      }
    case 'number':
    case 'integer': {
      const value = Number(trimmed.replace(',', '.'));
      if (!Number.isFinite(value)) return { error: { kind: 'number' } };
      if (field.kind === 'integer' && !Number.isInteger(value))
        return { error: { kind: 'integer' } };
      if (field.min !== undefined && value < field.min) {
        return { error: { kind: 'min', bound: field.min } };
      }
      if (field.max !== undefined && value > field.max) {
        return { error: { kind: 'max', bound: field.max } };
      }
      return { value };
    }
  }
}

/** Returns the arguments of a call and the errors by field. */
export function collectArguments(
  all: Field[],
  texts: Record<string, string>,
): { args: Record<string, unknown>; errors: Record<string, FieldError> } {
  const args: Record<string, unknown> = {};
  const errors: Record<string, FieldError> = {};
  for (const field of all) {
    const parsed = parseField(field, texts[field.name] ?? '');
    if ('error' in parsed) errors[field.name] = parsed.error;
    else if (parsed.value !== undefined) args[field.name] = parsed.value;
  }
  return { args, errors };
}
