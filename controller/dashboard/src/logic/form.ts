/** A form out of a JSON Schema, and the arguments out of what was filled in. What is left empty has its default. */

import type { Schema } from '../protocol/responses';

export type Kind = 'number' | 'integer' | 'text' | 'choice' | 'switch' | 'json';

export interface Field {
  name: string;
  kind: Kind;
  about: string;
  required: boolean;
  /** As a person would write it; empty where there is none. */
  usual: string;
  choices: string[];
  least?: number;
  most?: number;
}

/** What is wrong with a field. */
export type Trouble =
  | { why: 'missing' }
  | { why: 'number' }
  | { why: 'integer' }
  | { why: 'least'; bound: number }
  | { why: 'most'; bound: number }
  | { why: 'json' };

export function fields(schema: Schema): Field[] {
  return Object.entries(schema.properties ?? {}).map(([name, of]) => {
    const kind = kindOf(of);
    const field: Field = {
      name,
      kind,
      about: of.description ?? '',
      required: schema.required?.includes(name) ?? false,
      usual: of.default === undefined ? '' : written(of.default, kind),
      choices: (of.enum ?? []).map((choice) => written(choice, kind)),
    };
    if (of.minimum !== undefined) field.least = of.minimum;
    if (of.maximum !== undefined) field.most = of.maximum;
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

function written(value: unknown, kind: Kind): string {
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value);
}

/** The value of one field; `undefined` where nothing is filled in. */
export function read(field: Field, text: string): { value: unknown } | { trouble: Trouble } {
  const filled = text.trim();
  if (filled === '' && !(field.kind === 'text' && text !== '')) {
    return field.required ? { trouble: { why: 'missing' } } : { value: undefined };
  }
  switch (field.kind) {
    case 'text':
    case 'choice':
      return { value: text };
    case 'switch':
      return { value: filled === 'true' };
    case 'json':
      try {
        return { value: JSON.parse(filled) as unknown };
      } catch {
        return { trouble: { why: 'json' } };
      }
    case 'number':
    case 'integer': {
      const value = Number(filled.replace(',', '.'));
      if (!Number.isFinite(value)) return { trouble: { why: 'number' } };
      if (field.kind === 'integer' && !Number.isInteger(value))
        return { trouble: { why: 'integer' } };
      if (field.least !== undefined && value < field.least) {
        return { trouble: { why: 'least', bound: field.least } };
      }
      if (field.most !== undefined && value > field.most) {
        return { trouble: { why: 'most', bound: field.most } };
      }
      return { value };
    }
  }
}

/** The arguments of a call, or what is wrong with which field. */
export function filled(
  all: Field[],
  texts: Record<string, string>,
): { args: Record<string, unknown>; troubles: Record<string, Trouble> } {
  const args: Record<string, unknown> = {};
  const troubles: Record<string, Trouble> = {};
  for (const field of all) {
    const got = read(field, texts[field.name] ?? '');
    if ('trouble' in got) troubles[field.name] = got.trouble;
    else if (got.value !== undefined) args[field.name] = got.value;
  }
  return { args, troubles };
}
