/** Asking the server: every answer is a value, also that none came. */

import { messages } from '../i18n';
import { base, token } from './robots';

export type Result<T> =
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

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: unknown;
  signal?: AbortSignal;
  /** For how long an answer is waited for, milliseconds; without end where it is left out. */
  timeoutMs?: number;
  /** Statuses besides those of success whose body is an answer. */
  okStatuses?: number[];
  /** Another token than the one that is in use. */
  token?: string;
}

export function headers(as: string = token.value): Record<string, string> {
  return as === '' ? {} : { Authorization: `Bearer ${as}` };
}

/** The response itself, for streams. */
export function fetchFrom(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', body, signal } = options;
  return fetch(base.value + path, {
    method,
    headers: {
      ...headers(options.token),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  });
}

export const request = <T>(path: string, options: RequestOptions = {}): Promise<Result<T>> =>
  send<T>(path, options, readJson);

/** A file: its bytes, as they are. */
export const requestFile = (
  path: string,
  options: RequestOptions = {},
): Promise<Result<ArrayBuffer>> =>
  send<ArrayBuffer>(path, options, (response) =>
    response.ok ? response.arrayBuffer() : readJson(response),
  );

async function send<T>(
  path: string,
  options: RequestOptions,
  read: (response: Response) => Promise<unknown>,
): Promise<Result<T>> {
  const server = base.value;
  const timeout = new AbortController();
  const end = () => timeout.abort();
  options.signal?.addEventListener('abort', end);
  if (options.signal?.aborted) end();
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(end, options.timeoutMs);
  try {
    const response = await fetchFrom(path, { ...options, signal: timeout.signal });
    const value = await read(response);
    // What another robot said is no answer of this one.
    if (base.value !== server) return { ...failure(0, ''), aborted: true };
    if (response.ok || options.okStatuses?.includes(response.status)) {
      return value === undefined
        ? failure(response.status, messages.value.link.malformed)
        : { ok: true, status: response.status, value: value as T };
    }
    return {
      ok: false,
      status: response.status,
      detail: errorDetail(value, response),
      value,
      aborted: false,
    };
  } catch {
    return {
      ...failure(0, messages.value.link.unreachable),
      aborted: options.signal?.aborted ?? false,
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', end);
  }
}

export const post = <T>(
  path: string,
  body: unknown = {},
  options: RequestOptions = {},
): Promise<Result<T>> => request<T>(path, { ...options, method: 'POST', body });

const failure = (status: number, detail: string) => ({
  ok: false as const,
  status,
  detail,
  value: null,
  aborted: false,
});

async function readJson(response: Response): Promise<unknown> {
  try {
    return (await response.json()) as unknown;
  } catch {
    return undefined;
  }
}

/** Why something was refused, in the server's words. */
export function errorDetail(
  value: unknown,
  response: { status: number; statusText: string },
): string {
  const detail = (value as { detail?: unknown } | null | undefined)?.detail;
  if (typeof detail === 'string') return detail;
  if (detail !== undefined) return JSON.stringify(detail);
  return `${response.status} ${response.statusText}`.trim();
}
