/** Signed bundles: a tool as a file for another controller, and the import of such a file. */

import { IMPORT } from '../protocol/compat';
import type { ImportRefusal, ImportResult } from '../protocol/responses';
import { request, requestFile, type Result } from './http';

/** How long the checks of all tools of a bundle may take, milliseconds. */
const IMPORT_TIMEOUT_MS = 10 * 60_000;

/** The largest file that the server reads, bytes. */
export const MAX_BYTES = 16 * 1024 * 1024;

/** What a bundle holds, and the file itself, which is stored unchanged. */
export interface Exported {
  file: ArrayBuffer;
  signer: string;
  tools: { name: string; version: number }[];
}

export async function exportTool(name: string): Promise<Result<Exported>> {
  const path = `/api/v1/tools/${encodeURIComponent(name)}/export`;
  const answer = await requestFile(path, { method: 'POST', body: {}, timeoutMs: 60_000 });
  if (!answer.ok) return answer;
  const bundle = JSON.parse(new TextDecoder().decode(answer.value)) as {
    signer: string;
    payload: string;
  };
  const { tools } = JSON.parse(bundle.payload) as {
    tools: { name: string; manifest: { version: number } }[];
  };
  const packed = tools.map((tool) => ({ name: tool.name, version: tool.manifest.version }));
  return { ...answer, value: { file: answer.value, signer: bundle.signer, tools: packed } };
}

/** Sends a file as it is: its signature covers every byte. */
export const importBundle = (file: Blob): Promise<Result<ImportResult>> =>
  request('/api/v1/bundles', {
    method: 'POST',
    file,
    timeoutMs: IMPORT_TIMEOUT_MS,
    shape: IMPORT,
  });

/** Returns what a refused import says, or null if the answer is another failure. */
export function refusalOf(value: unknown): ImportRefusal | null {
  const refusal = value as Partial<ImportRefusal> | null;
  return Array.isArray(refusal?.checked) ? (refusal as ImportRefusal) : null;
}
