/** The conversation of this page: what was said, and what has come of it so far. */

import { computed, signal } from '@preact/signals';
import { ended, heard, NOTHING, type Course, type Question } from '../logic/course';
import type { Told } from '../wire/answers';
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

function change(id: number, by: (turn: Turn) => Turn): void {
  turns.value = turns.value.map((turn) => (turn.id === id ? by(turn) : turn));
}

export async function sayAloud(said: string): Promise<void> {
  latest += 1;
  const id = latest;
  turns.value = [...turns.value, { id, said, course: NOTHING, end: null }];
  ending = new AbortController();
  const hear = (told: Told) =>
    change(id, (turn) => ({ ...turn, course: heard(turn.course, told) }));
  const end = await say(said, session.value, hear, ending.signal);
  change(id, (turn) => ({ ...turn, course: ended(turn.course), end }));
}

/** Ends the sentence: whoever goes away stops what was begun. */
export function haltTalk(): void {
  ending.abort();
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
