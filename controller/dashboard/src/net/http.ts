/** Asking the server: every answer is a value, also that none came. */

import { words } from '../i18n';
import { base, token } from './robots';

export type Answer<T> =
  | { ok: true; status: number; value: T }
  | {
      ok: false;
      /** Zero where the server was not reached. */
      status: number;
      detail: string;
      value: unknown;
      /** Whether the page itself gave up. */
      aborted: boolean;
    };

export interface Question {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: unknown;
  signal?: AbortSignal;
  /** For how long an answer is waited for, milliseconds; without end where it is left out. */
  patience?: number;
  /** Statuses besides those of success whose body is an answer. */
  also?: number[];
  /** Another token than the one that is in use. */
  as?: string;
}

export function headers(as: string = token.value): Record<string, string> {
  return as === '' ? {} : { Authorization: `Bearer ${as}` };
}

/** The response itself, for streams. */
export function open(path: string, question: Question = {}): Promise<Response> {
  const { method = 'GET', body, signal } = question;
  return fetch(base.value + path, {
    method,
    headers: {
      ...headers(question.as),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  });
}

export const ask = <T>(path: string, question: Question = {}): Promise<Answer<T>> =>
  asked<T>(path, question, content);

/** A file: its bytes, as they are. */
export const askFile = (path: string, question: Question = {}): Promise<Answer<ArrayBuffer>> =>
  asked<ArrayBuffer>(path, question, (response) =>
    response.ok ? response.arrayBuffer() : content(response),
  );

async function asked<T>(
  path: string,
  question: Question,
  read: (response: Response) => Promise<unknown>,
): Promise<Answer<T>> {
  const robot = base.value;
  const giveUp = new AbortController();
  const end = () => giveUp.abort();
  question.signal?.addEventListener('abort', end);
  if (question.signal?.aborted) end();
  const timer = question.patience === undefined ? undefined : setTimeout(end, question.patience);
  try {
    const response = await open(path, { ...question, signal: giveUp.signal });
    const value = await read(response);
    // What another robot said is no answer of this one.
    if (base.value !== robot) return { ...lost(0, ''), aborted: true };
    if (response.ok || question.also?.includes(response.status)) {
      return value === undefined
        ? lost(response.status, words.value.link.malformed)
        : { ok: true, status: response.status, value: value as T };
    }
    return {
      ok: false,
      status: response.status,
      detail: detailOf(value, response),
      value,
      aborted: false,
    };
  } catch {
    return { ...lost(0, words.value.link.unreachable), aborted: question.signal?.aborted ?? false };
  } finally {
    clearTimeout(timer);
    question.signal?.removeEventListener('abort', end);
  }
}

export const post = <T>(
  path: string,
  body: unknown = {},
  question: Question = {},
): Promise<Answer<T>> => ask<T>(path, { ...question, method: 'POST', body });

const lost = (status: number, detail: string) => ({
  ok: false as const,
  status,
  detail,
  value: null,
  aborted: false,
});

async function content(response: Response): Promise<unknown> {
  try {
    return (await response.json()) as unknown;
  } catch {
    return undefined;
  }
}

/** Why something was refused, in the server's words. */
export function detailOf(value: unknown, response: { status: number; statusText: string }): string {
  const detail = (value as { detail?: unknown } | null | undefined)?.detail;
  if (typeof detail === 'string') return detail;
  if (detail !== undefined) return JSON.stringify(detail);
  return `${response.status} ${response.statusText}`.trim();
}
