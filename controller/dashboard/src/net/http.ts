/** HTTP requests to the server. They never throw: a failure is a value too. */

import { messages } from '../i18n';
import { upgrade, type Shape } from '../protocol/compat';
import { base, token } from './robots';

export type Result<T> =
  | { ok: true; status: number; value: T }
  | {
      ok: false;
      /** Zero if the server was not reached. */
      status: number;
      detail: string;
      value: unknown;
      /** Whether the caller aborted the request. */
      aborted: boolean;
    };

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: unknown;
  /** A file to send as it is, in place of a body. */
  file?: Blob;
  signal?: AbortSignal;
  /** The timeout for the response, milliseconds; none by default. */
  timeoutMs?: number;
  /** Statuses that count as success although they are not 2xx. */
  okStatuses?: number[];
  /** The older names in the response, which are replaced. */
  shape?: Shape;
  /** A token to use instead of the current one. */
  token?: string;
}

export function headers(bearer: string = token.value): Record<string, string> {
  return bearer === '' ? {} : { Authorization: `Bearer ${bearer}` };
}

/** Returns the response itself, for streams. */
export function fetchFrom(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', body, file, signal } = options;
  const content = file ?? (body === undefined ? undefined : JSON.stringify(body));
  return fetch(base.value + path, {
    method,
    headers: {
      ...headers(options.token),
      ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(content === undefined ? {} : { body: content }),
    ...(signal === undefined ? {} : { signal }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  });
}

export const request = <T>(path: string, options: RequestOptions = {}): Promise<Result<T>> =>
  send<T>(path, options, readJson);

/** Requests a file and returns its bytes. */
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
    // The user has switched robots: this response belongs to the previous one.
    if (base.value !== server) return { ...failure(0, ''), aborted: true };
    const upgraded = options.shape === undefined ? value : upgrade(value, options.shape);
    if (response.ok || options.okStatuses?.includes(response.status)) {
      return value === undefined
        ? failure(response.status, messages.value.link.malformed)
        : { ok: true, status: response.status, value: upgraded as T };
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

/** Returns the server's own message for a failed request. */
export function errorDetail(
  value: unknown,
  response: { status: number; statusText: string },
): string {
  const detail = (value as { detail?: unknown } | null | undefined)?.detail;
  if (typeof detail === 'string') return detail;
  if (detail !== undefined) return JSON.stringify(detail);
  return `${response.status} ${response.statusText}`.trim();
}
