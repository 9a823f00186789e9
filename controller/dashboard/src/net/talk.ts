/** The conversation of this page: what was said, and what has come of it so far. */

import { computed, signal } from '@preact/signals';
import type { Progress, Reply, Told } from '../wire/answers';
import { say, type End } from './chat';
import { post } from './http';
import { ofRobot, onParting } from './robots';

export interface Question {
  id: string;
  text: string;
}

export interface Turn {
  id: number;
  said: string;
  steps: Progress[];
  question: Question | null;
  reply: Reply | null;
  error: string | null;
  end: End | null;
}

export const turns = ofRobot<Turn[]>([]);
export const session = signal('');
export const busy = computed(() => turns.value.some((turn) => turn.end === null));

let ending = new AbortController();

let latest = 0;

function change(id: number, by: Partial<Turn>): void {
  turns.value = turns.value.map((turn) => (turn.id === id ? { ...turn, ...by } : turn));
}

export async function sayAloud(said: string): Promise<void> {
  latest += 1;
  const id = latest;
  const turn: Turn = { id, said, steps: [], question: null, reply: null, error: null, end: null };
  turns.value = [...turns.value, turn];
  ending = new AbortController();
  const hear = (told: Told) => {
    const now = turns.value.find((one) => one.id === id);
    if (now === undefined) return;
    if (told.event === 'step') change(id, { steps: [...now.steps, told.data], question: null });
    if (told.event === 'question') change(id, { question: told.data });
    if (told.event === 'reply') change(id, { reply: told.data, question: null });
    if (told.event === 'error') change(id, { error: told.data.detail, question: null });
  };
  const end = await say(said, session.value, hear, ending.signal);
  change(id, { end, question: null });
}

/** Ends the sentence: whoever goes away stops what was begun. */
export function haltTalk(): void {
  ending.abort();
}

onParting(haltTalk);

/** Answers what is asked in a turn; the next question may come before the answer is confirmed. */
export async function answerQuestion(asked: Question, text: string): Promise<void> {
  const isOpen = (turn: Turn) => turn.question === asked;
  const answer = await post(`/api/v1/chat/${encodeURIComponent(asked.id)}/answer`, { text });
  const turn = turns.value.find(isOpen);
  if (turn === undefined) return;
  change(turn.id, answer.ok ? { question: null } : { question: null, error: answer.detail });
}
