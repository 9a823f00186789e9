/** Loads recordings, and rehearses calls of tools to compare them. */

import { RunReader, runFromRehearsal, type Run } from '../logic/plots/run';
import { CAPACITY } from '../logic/plots/samples';
import { journalParameters, JOURNAL, REHEARSAL } from '../protocol/compat';
import {
  LineReader,
  parseMessage,
  type RecordingList,
  type RecordingSummary,
} from '../protocol/recording';
import type { JournalEntry, RehearsalResult } from '../protocol/responses';
import { messages } from '../i18n';
import { errorDetail, fetchFrom, post, request } from './http';

const MAX_RATE_HZ = 50;
/** The longest time without a pause, milliseconds. */
const MAX_BLOCKING_MS = 12;
/** The call that a recording shows is searched in this many entries of the journal. */
const JOURNAL_LIMIT = 1000;

export type Loaded = { ok: true; run: Run } | { ok: false; detail: string };

export const fetchRecordings = (signal: AbortSignal) =>
  request<RecordingList>('/api/v1/recordings', { signal, timeoutMs: 20_000 });

/** Downloads a recording, with as many cycles as can be stored. */
export async function loadRecording(
  { file, duration_s }: RecordingSummary,
  signal: AbortSignal,
): Promise<Loaded> {
  const rate = Math.min(MAX_RATE_HZ, (CAPACITY - 1) / Math.max(1, duration_s ?? 1));
  const path = `/api/v1/recordings/${encodeURIComponent(file)}?rate=${rate.toFixed(3)}`;
  const unreadable = { ok: false as const, detail: messages.value.plots.unreadable };
  try {
    const response = await fetchFrom(path, { signal });
    if (!response.ok || response.body === null) {
      const body: unknown = await response.json().catch(() => null);
      return { ok: false, detail: errorDetail(body, response) };
    }
    const [lines, run] = [new LineReader(), new RunReader()];
    const reader = response.body.getReader();
    let pausedAt = performance.now();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      // The page stays responsive while it computes.
      if (performance.now() - pausedAt > MAX_BLOCKING_MS) {
        await new Promise((resume) => setTimeout(resume));
        pausedAt = performance.now();
      }
      for (const line of lines.push(value)) {
        const message = parseMessage(line);
        if (message !== null && !run.push(message)) return unreadable;
      }
    }
    return run.run.samples.length === 0 ? unreadable : { ok: true, run: run.run };
  } catch {
    return { ok: false, detail: messages.value.link.unreachable };
  }
}

/** Rehearses a call and returns its motion as a run. */
export async function rehearse(tool: string, args: Record<string, unknown>): Promise<Loaded> {
  const answer = await post<RehearsalResult>(
    `/api/v1/tools/${encodeURIComponent(tool)}/rehearse`,
    { args },
    { shape: REHEARSAL },
  );
  if (!answer.ok) return { ok: false, detail: answer.detail };
  const { name, version } = answer.value;
  return { ok: true, run: runFromRehearsal(`${name} v${version}`, answer.value) };
}

export interface RecordedCall {
  tool: string;
  args: Record<string, unknown>;
}

/** Returns the call of a tool that a recording shows, or `null` if it shows none or the journal does not have it. */
export async function recordedCall(
  file: string,
  signal: AbortSignal,
): Promise<RecordedCall | null> {
  const search = new URLSearchParams({
    limit: String(JOURNAL_LIMIT),
    ...journalParameters('tool', '', '', ''),
  });
  const answer = await request<{ entries: JournalEntry[] }>(`/api/v1/journal?${search}`, {
    signal,
    timeoutMs: 20_000,
    shape: JOURNAL,
  });
  if (!answer.ok) return null;
  for (const { detail } of answer.value.entries) {
    const run = (detail ?? {}) as { trace?: unknown; tool?: unknown; arguments?: unknown };
    if (run.trace !== file || typeof run.tool !== 'string') continue;
    const args = typeof run.arguments === 'object' && run.arguments !== null ? run.arguments : {};
    return { tool: run.tool, args: args as Record<string, unknown> };
  }
  return null;
}
