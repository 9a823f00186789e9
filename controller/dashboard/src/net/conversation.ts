/** The conversation of this page: its turns and their progress. */

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

/** Starts a turn and returns its number. */
export function startTurn(message: string): number {
  latest += 1;
  turns.value = [...turns.value, { id: latest, message, progress: NO_PROGRESS, end: null }];
  return latest;
}

/** Applies an event to a turn. */
export const applyToTurn = (id: number, event: ChatEvent) =>
  updateTurn(id, (turn) => ({ ...turn, progress: applyEvent(turn.progress, event) }));

/** Ends a turn; no more events follow. */
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

/** Called when the user cancels a turn. */
const cancelListeners = new Set<() => void>();

export function onCancel(listener: () => void): void {
  cancelListeners.add(listener);
}

/** Cancels the turn. The server stops the work of a client that disconnects. */
export function cancelTurn(): void {
  controller.abort();
  cancelListeners.forEach((listener) => listener());
}

onRobotChange(cancelTurn);

/** Answers a question of a turn. The next question may arrive before the answer is confirmed. */
export async function answerQuestion(question: Question, text: string): Promise<void> {
  const answer = await post(`/api/v1/chat/${encodeURIComponent(question.id)}/answer`, { text });
  const turn = turns.value.find(({ progress }) => progress.question === question);
  if (turn === undefined) return;
  const error = answer.ok ? turn.progress.error : answer.detail;
  updateTurn(turn.id, () => ({ ...turn, progress: { ...turn.progress, question: null, error } }));
}
