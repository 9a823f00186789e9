/** The conversation of this page: what was said, and what has come of it so far. */

import { computed, signal } from '@preact/signals';
import { ended, heard, NOTHING, type Course, type Question } from '../logic/turn-progress';
import type { Told } from '../protocol/responses';
import { say, type End } from './chat';
import { post } from './http';
import { ofRobot, onParting } from './robots';

export interface Turn {
  id: number;
  said: string;
  course: Course;
  end: End | null;
}

export const turns = ofRobot<Turn[]>([]);
export const session = signal('');
export const busy = computed(() => turns.value.some((turn) => turn.end === null));

let ending = new AbortController();

let latest = 0;

export function change(id: number, by: (turn: Turn) => Turn): void {
  turns.value = turns.value.map((turn) => (turn.id === id ? by(turn) : turn));
}

/** Something was said: its turn begins. */
export function begin(said: string): number {
  latest += 1;
  turns.value = [...turns.value, { id: latest, said, course: NOTHING, end: null }];
  return latest;
}

/** What is told of it. */
export const hearOf = (id: number, told: Told) =>
  change(id, (turn) => ({ ...turn, course: heard(turn.course, told) }));

/** Nothing more is told of it. */
export const finish = (id: number, end: End) =>
  change(id, (turn) => ({ ...turn, course: ended(turn.course), end }));

export async function sayAloud(said: string): Promise<void> {
  const id = begin(said);
  ending = new AbortController();
  finish(id, await say(said, session.value, (told) => hearOf(id, told), ending.signal));
}

/** Who else has to hear that a sentence is to be ended. */
const halters = new Set<() => void>();

export function onHalt(halter: () => void): void {
  halters.add(halter);
}

/** Ends the sentence: whoever goes away stops what was begun. */
export function haltTalk(): void {
  ending.abort();
  halters.forEach((halter) => halter());
}

onParting(haltTalk);

/** Answers what is asked in a turn; the next question may come before the answer is confirmed. */
export async function answerQuestion(asked: Question, text: string): Promise<void> {
  const answer = await post(`/api/v1/chat/${encodeURIComponent(asked.id)}/answer`, { text });
  const turn = turns.value.find(({ course }) => course.question === asked);
  if (turn === undefined) return;
  const error = answer.ok ? turn.course.error : answer.detail;
  change(turn.id, () => ({ ...turn, course: { ...turn.course, question: null, error } }));
}
