/** The conversation of this page: what was said, and what has come of it so far. */

import { computed, signal } from '@preact/signals';
import type { Progress, Reply, Told } from '../wire/answers';
import { say, type End } from './chat';
import { post } from './http';

export interface Turn {
  said: string;
  steps: Progress[];
  question: { id: string; text: string } | null;
  reply: Reply | null;
  error: string | null;
  end: End | null;
}

export const turns = signal<Turn[]>([]);
export const session = signal('');
export const busy = computed(() => turns.value.some((turn) => turn.end === null));

let ending = new AbortController();

function change(index: number, by: Partial<Turn>): void {
  turns.value = turns.value.map((turn, at) => (at === index ? { ...turn, ...by } : turn));
}

export async function sayAloud(said: string): Promise<void> {
  const index = turns.value.length;
  const turn: Turn = { said, steps: [], question: null, reply: null, error: null, end: null };
  turns.value = [...turns.value, turn];
  ending = new AbortController();
  const hear = (told: Told) => {
    const now = turns.value[index];
    if (now === undefined) return;
    if (told.event === 'step') change(index, { steps: [...now.steps, told.data], question: null });
    if (told.event === 'question') change(index, { question: told.data });
    if (told.event === 'reply') change(index, { reply: told.data, question: null });
    if (told.event === 'error') change(index, { error: told.data.detail, question: null });
  };
  const end = await say(said, session.value, hear, ending.signal);
  change(index, { end, question: null });
}

/** Ends the sentence: whoever goes away stops what was begun. */
export function haltTalk(): void {
  ending.abort();
}

export async function answerQuestion(id: string, text: string): Promise<void> {
  const answer = await post(`/api/v1/chat/${encodeURIComponent(id)}/answer`, { text });
  const index = turns.value.findIndex((turn) => turn.question?.id === id);
  if (index < 0) return;
  change(index, answer.ok ? { question: null } : { error: answer.detail });
}
