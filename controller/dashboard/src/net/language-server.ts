/** The connection of one editor to the language server. It is opened again when it closes, as long as the editor is open. */

import { retryDelay } from '../logic/backoff';
import type { LspDiagnostic, Results } from '../protocol/lsp';
import { openSocket } from './sockets';

const PATH = '/api/v1/language-server';

/** The address of the document that an editor has. */
export const DOCUMENT = 'minismith:tool.py';

/** How long typing rests before the text is sent, milliseconds. */
const SEND_DELAY_MS = 80;
const TIMEOUT_MS = 10_000;
/** Attempts after which a server that has never answered is taken to have no language server. */
const MAX_FAILURES = 4;

export interface LanguageListener {
  /** The diagnostics of a version of the text. */
  onDiagnostics(diagnostics: LspDiagnostic[], version: number): void;
  /** Whether the server answers. */
  onConnection(isConnected: boolean): void;
}

interface Pending {
  resolve(result: unknown): void;
  timer: ReturnType<typeof setTimeout>;
}

interface Received {
  id?: number | null;
  method?: string;
  params?: { version?: number; diagnostics?: LspDiagnostic[] };
  result?: unknown;
  error?: unknown;
}

export class LanguageServer {
  private socket: WebSocket | null = null;
  private isReady = false;
  private isClosed = false;
  private failures = 0;
  private hasAnswered = false;
  private requests = 0;
  private readonly pending = new Map<number, Pending>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  /** The version of the text, and the one that the server has. */
  version = 1;
  private sentVersion = 0;

  constructor(
    private text: string,
    private readonly listener: LanguageListener,
  ) {
    this.connect();
  }

  setText(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.version += 1;
    // The server closes an idle connection, which is opened again with the next change.
    if (this.socket === null && this.retry === undefined && !this.hasGivenUp()) this.connect();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), SEND_DELAY_MS);
  }

  /** Asks about the current text; `null` if there is no answer. */
  async request<Method extends keyof Results>(
    method: Method,
    params: object,
  ): Promise<Results[Method] | null> {
    if (!this.isReady) return null;
    this.flush();
    const result = await this.send(method, { textDocument: { uri: DOCUMENT }, ...params });
    return result as Results[Method] | null;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.retry);
    this.socket?.close();
    this.end();
  }

  private connect(): void {
    clearTimeout(this.retry);
    this.retry = undefined;
    const socket = openSocket(PATH);
    this.socket = socket;
    if (socket === null) {
      this.failures = MAX_FAILURES;
      return;
    }
    socket.onopen = () => void this.initialize();
    socket.onmessage = ({ data }) => this.receive(String(data));
    socket.onclose = ({ reason }) => this.lost(socket, reason.startsWith('idle'));
  }

  private async initialize(): Promise<void> {
    const answer = await this.send('initialize', {
      processId: null,
      rootUri: null,
      capabilities: {},
    });
    if (answer === null) {
      this.socket?.close();
      return;
    }
    this.hasAnswered = true;
    this.notify('initialized', {});
    this.sentVersion = this.version;
    this.notify('textDocument/didOpen', {
      textDocument: {
        uri: DOCUMENT,
        languageId: 'python',
        version: this.version,
        text: this.text,
      },
    });
    this.isReady = true;
    this.failures = 0;
    this.listener.onConnection(true);
  }

  private lost(socket: WebSocket, wasIdle: boolean): void {
    if (socket !== this.socket || this.isClosed) return;
    if (!this.isReady) this.failures += 1;
    this.end();
    if (wasIdle || this.hasGivenUp()) return;
    this.retry = setTimeout(() => this.connect(), retryDelay(this.failures));
  }

  private hasGivenUp(): boolean {
    return !this.hasAnswered && this.failures >= MAX_FAILURES;
  }

  private end(): void {
    const wasReady = this.isReady;
    this.socket = null;
    this.isReady = false;
    for (const { resolve, timer } of this.pending.values()) {
      clearTimeout(timer);
      resolve(null);
    }
    this.pending.clear();
    if (wasReady && !this.isClosed) this.listener.onConnection(false);
  }

  private flush(): void {
    clearTimeout(this.timer);
    if (!this.isReady || this.sentVersion === this.version) return;
    this.sentVersion = this.version;
    this.notify('textDocument/didChange', {
      textDocument: { uri: DOCUMENT, version: this.version },
      contentChanges: [{ text: this.text }],
    });
  }

  private notify(method: string, params: object): void {
    this.socket?.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  private send(method: string, params: object): Promise<unknown> {
    const id = (this.requests += 1);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.pending.delete(id);
        resolve(null);
      }, TIMEOUT_MS);
      this.pending.set(id, { resolve, timer });
      this.socket?.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  private receive(data: string): void {
    const message = JSON.parse(data) as Received;
    if (message.method === 'textDocument/publishDiagnostics') {
      const { diagnostics = [], version = this.sentVersion } = message.params ?? {};
      this.listener.onDiagnostics(diagnostics, version);
      return;
    }
    const pending = typeof message.id === 'number' ? this.pending.get(message.id) : undefined;
    if (pending === undefined || message.method !== undefined) return;
    clearTimeout(pending.timer);
    this.pending.delete(message.id as number);
    pending.resolve(message.error === undefined ? (message.result ?? null) : null);
  }
}
