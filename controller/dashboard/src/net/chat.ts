/** A sentence and what comes of it, step by step. */

import { EventReader } from '../protocol/sse';
import type { Told } from '../protocol/responses';
import { detailOf, open } from './http';

/** Whether the answer came to its end; else why not. */
export type End = { is: 'over' } | { is: 'refused'; detail: string } | { is: 'gone' };

export async function say(
  text: string,
  session: string,
  hear: (told: Told) => void,
  signal: AbortSignal,
): Promise<End> {
  try {
    const body = { text, stream: true, ...(session === '' ? {} : { session }) };
    const response = await open('/api/v1/chat', { method: 'POST', body, signal });
    if (!response.ok || response.body === null) {
      const said: unknown = await response.json().catch(() => null);
      return { is: 'refused', detail: detailOf(said, response) };
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const events = new EventReader();
    let over = false;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return over ? { is: 'over' } : { is: 'gone' };
      for (const data of events.take(value)) {
        const told = JSON.parse(data) as Told;
        over ||= told.event === 'reply' || told.event === 'error';
        hear(told);
      }
    }
  } catch {
    return { is: 'gone' };
  }
}
