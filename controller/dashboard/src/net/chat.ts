/** Sends a chat message and streams its events. */

import { upgradeChatEvent } from '../protocol/compat';
import { SseReader } from '../protocol/sse';
import type { ChatEvent } from '../protocol/responses';
import { errorDetail, fetchFrom } from './http';

/** How the turn ended: with a reply, rejected by the server, or by a lost connection. */
export type TurnEnd = { is: 'over' } | { is: 'refused'; detail: string } | { is: 'gone' };

export async function sendMessage(
  text: string,
  session: string,
  onEvent: (event: ChatEvent) => void,
  signal: AbortSignal,
): Promise<TurnEnd> {
  try {
    const body = { text, stream: true, ...(session === '' ? {} : { session }) };
    const response = await fetchFrom('/api/v1/chat', { method: 'POST', body, signal });
    if (!response.ok || response.body === null) {
      const answer: unknown = await response.json().catch(() => null);
      return { is: 'refused', detail: errorDetail(answer, response) };
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const events = new SseReader();
    let over = false;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return over ? { is: 'over' } : { is: 'gone' };
      for (const data of events.push(value)) {
        const event = upgradeChatEvent(JSON.parse(data)) as ChatEvent;
        over ||= event.event === 'reply' || event.event === 'error';
        onEvent(event);
      }
    }
  } catch {
    return { is: 'gone' };
  }
}
