/** The runs to choose from: recordings of the server, and what was rehearsed on this page. */

import type { Run } from '../logic/plots/run';
import type { RecordingSummary } from '../protocol/recording';
import type { ToolSummary } from '../protocol/responses';
import { TOOL_LIST } from '../protocol/compat';
import { request } from '../net/http';
import { isAllowed } from '../net/live';
import {
  fetchRecordings,
  loadRecording,
  recordedCall,
  rehearse,
  type Loaded,
} from '../net/recordings';
import { robotSignal } from '../net/robots';
import { compareWith, showRun } from './state';

/** The most rehearsals that are kept. */
const MAX_REHEARSALS = 5;

export const recordings = robotSignal<RecordingSummary[]>([]);
/** Whether the server records motions; `null` if that is unknown. */
export const isRecording = robotSignal<boolean | null>(null);
export const rehearsals = robotSignal<Run[]>([]);
export const tools = robotSignal<ToolSummary[]>([]);
export const isLoading = robotSignal(false);
export const failure = robotSignal('');
/** The file of the shown recording and of the one that is compared, or the place of a rehearsal; empty for none. */
export const shownKey = robotSignal('');
export const otherKey = robotSignal('');

const REHEARSAL_KEY = 'rehearsal ';
/** The key of the rehearsal of the call that the shown recording shows. */
export const SAME_CALL_KEY = 'call';

export const rehearsalKey = (at: number): string => `${REHEARSAL_KEY}${at}`;

export async function refresh(signal: AbortSignal): Promise<void> {
  if (isAllowed('recordings')) {
    const answer = await fetchRecordings(signal);
    if (signal.aborted) return;
    if (answer.ok) {
      recordings.value = answer.value.recordings;
      isRecording.value = answer.value.enabled;
    } else if (answer.status !== 404) failure.value = answer.detail;
  }
  if (!isAllowed('rehearse')) return;
  const listed = await request<{ tools: ToolSummary[] }>('/api/v1/tools', {
    signal,
    shape: TOOL_LIST,
    timeoutMs: 20_000,
  });
  if (listed.ok && !signal.aborted) tools.value = listed.value.tools.filter((tool) => tool.active);
}

let loading = new AbortController();

/** Loads what a key names; `null` for an empty key or after a failure. */
async function loadKey(key: string): Promise<Run | null> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  failure.value = '';
  if (key === '') return null;
  if (key.startsWith(REHEARSAL_KEY))
    return rehearsals.value[Number(key.slice(REHEARSAL_KEY.length))] ?? null;
  isLoading.value = true;
  const loaded = await load(key, signal);
  if (signal.aborted) return null;
  isLoading.value = false;
  if (loaded?.ok) return loaded.run;
  failure.value = loaded?.detail ?? '';
  return null;
}

async function load(key: string, signal: AbortSignal): Promise<Loaded | null> {
  if (key === SAME_CALL_KEY) {
    const call = await recordedCall(shownKey.value, signal);
    return call === null ? null : rehearse(call.tool, call.args);
  }
  const summary = recordings.value.find(({ file }) => file === key);
  return summary === undefined ? null : loadRecording(summary, signal);
}

export async function show(key: string): Promise<void> {
  const next = await loadKey(key);
  if (next === null && key !== '' && !isLoading.value && failure.value === '') return;
  shownKey.value = next === null ? '' : key;
  otherKey.value = '';
  showRun(next);
}

/** Compares with what a key names. Returns `false` if there is none. */
export async function compare(key: string): Promise<boolean> {
  const next = await loadKey(key);
  otherKey.value = next === null ? '' : key;
  compareWith(next);
  return key === '' || next !== null;
}

/** Keeps a rehearsal and returns its key. */
export function keep(run: Run): string {
  // Keys are places in the list, so what is shown stays where it is.
  const all = [...rehearsals.value, run];
  if (all.length <= MAX_REHEARSALS) {
    rehearsals.value = all;
    return rehearsalKey(all.length - 1);
  }
  const used = [shownKey.value, otherKey.value];
  const at = rehearsals.value.findIndex((_, place) => !used.includes(rehearsalKey(place)));
  rehearsals.value = rehearsals.value.map((one, place) => (place === at ? run : one));
  return rehearsalKey(at);
}

/** Shows a rehearsal of this page. */
export function showRehearsal(run: Run): void {
  shownKey.value = keep(run);
  otherKey.value = '';
  showRun(run);
}

/** Rehearses a call and keeps the run. Returns its key, or `null` after a failure. */
export async function rehearseCall(
  tool: string,
  args: Record<string, unknown>,
): Promise<string | null> {
  failure.value = '';
  isLoading.value = true;
  const loaded = await rehearse(tool, args);
  isLoading.value = false;
  if (loaded.ok) return keep(loaded.run);
  failure.value = loaded.detail;
  return null;
}
