/** The conversation of this page: what was said, and what has come of it so far. */

import { computed, signal } from '@preact/signals';
import {
  finishProgress,
  applyEvent,
  NO_PROGRESS,
  type TurnProgress,
  type Question,
} from '../logic/turn-progress';
import type { ChatEvent } from '../protocol/responses';
import { sendMessage, type TurnEnd } from './chat';
import { post } from './http';
import { robotSignal, onRobotChange } from './robots';

export interface Turn {
  id: number;
  message: string;
  progress: TurnProgress;
  end: TurnEnd | null;
}

export const turns = robotSignal<Turn[]>([]);
export const session = signal('');
export const busy = computed(() => turns.value.some((turn) => turn.end === null));

let controller = new AbortController();

let latest = 0;

export function updateTurn(id: number, update: (turn: Turn) => Turn): void {
  turns.value = turns.value.map((turn) => (turn.id === id ? update(turn) : turn));
}

/** Something was said: its turn begins. */
export function startTurn(message: string): number {
  latest += 1;
  turns.value = [...turns.value, { id: latest, message, progress: NO_PROGRESS, end: null }];
  return latest;
}

/** What is told of it. */
export const applyToTurn = (id: number, event: ChatEvent) =>
  updateTurn(id, (turn) => ({ ...turn, progress: applyEvent(turn.progress, event) }));

/** Nothing more is told of it. */
export const endTurn = (id: number, end: TurnEnd) =>
  updateTurn(id, (turn) => ({ ...turn, progress: finishProgress(turn.progress), end }));

export async function submitMessage(message: string): Promise<void> {
  const id = startTurn(message);
  controller = new AbortController();
  endTurn(
    id,
    await sendMessage(message, session.value, (event) => applyToTurn(id, event), controller.signal),
  );
}

/** Who else has to hear that a sentence is to be ended. */
const cancelListeners = new Set<() => void>();

export function onCancel(listener: () => void): void {
  cancelListeners.add(listener);
}

/** Ends the sentence: whoever goes away stops what was begun. */
export function cancelTurn(): void {
  controller.abort();
  cancelListeners.forEach((listener) => listener());
}

onRobotChange(cancelTurn);

/** Answers what is asked in a turn; the next question may come before the answer is confirmed. */
export async function answerQuestion(question: Question, text: string): Promise<void> {
  const answer = await post(`/api/v1/chat/${encodeURIComponent(question.id)}/answer`, { text });
  const turn = turns.value.find(({ progress }) => progress.question === question);
  if (turn === undefined) return;
  const error = answer.ok ? turn.progress.error : answer.detail;
  updateTurn(turn.id, () => ({ ...turn, progress: { ...turn.progress, question: null, error } }));
}
