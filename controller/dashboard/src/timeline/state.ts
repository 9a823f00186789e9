/** The tool on the timeline. Each edit is written by the server as source; an edit that breaks a rule is not kept. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { stepAt, type Path } from '../logic/score';
import { readSource, writeScore } from '../net/choreography';
import type { Choreography, Plan, Problem, Score, Step } from '../protocol/score';

/** The pause in typing after which the source is read, milliseconds. */
const READ_DELAY_MS = 300;
/** How many edits can be undone. */
const MAX_UNDO = 100;

export interface TimelineState {
  score: Score | null;
  plan: Plan | null;
  /** Why the source has no timeline, or why the last edit was not kept. */
  problem: Problem | null;
  /** Why the server did not answer. */
  error: string;
  canUndo: boolean;
  canRedo: boolean;
  /** Keeps an edit, and selects a step in it. */
  edit: (steps: Step[], select?: Path | null) => void;
  /** Shows why something failed. */
  fail: (why: string) => void;
  /** Shows how an edit would run, without keeping it. */
  preview: (steps: Step[]) => void;
  undo: () => void;
  redo: () => void;
  selected: Path | null;
  select: (path: Path | null) => void;
}

interface Shown {
  score: Score | null;
  plan: Plan | null;
  problem: Problem | null;
  error: string;
}

const NOTHING: Shown = { score: null, plan: null, problem: null, error: '' };

export function useTimeline(source: string, onSource: (source: string) => void): TimelineState {
  const [shown, setShown] = useState<Shown>(NOTHING);
  const [selected, select] = useState<Path | null>(null);
  const [undone, setUndone] = useState<{ past: Score[]; future: Score[] }>({
    past: [],
    future: [],
  });
  /** The source that the last edit wrote: it need not be read. */
  const written = useRef<string | null>(null);
  const pending = useRef(new AbortController());
  /** The edit to show when the server has answered for the one before. */
  const waiting = useRef<Step[] | null>(null);
  const isPreviewing = useRef(false);
  useEffect(() => {
    if (source === written.current) return;
    const ending = new AbortController();
    const timer = setTimeout(() => {
      void readSource(source, ending.signal).then((answer) => {
        if (ending.signal.aborted) return;
        written.current = null;
        setUndone({ past: [], future: [] });
        if (!answer.ok) setShown({ ...NOTHING, error: answer.detail });
        else {
          setShown({ ...answer.value, error: '' });
          select((path) => kept(path, answer.value.score));
        }
      });
    }, READ_DELAY_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [source]);
  useEffect(() => () => pending.current.abort(), []);

  const write = async (score: Score): Promise<Choreography | null> => {
    pending.current.abort();
    pending.current = new AbortController();
    const { signal } = pending.current;
    const answer = await writeScore(score, signal);
    if (signal.aborted) return null;
    if (answer.ok) return answer.value;
    setShown((now) => ({ ...now, error: answer.detail }));
    return null;
  };
  const keep = async (score: Score, chosen: Path | null, history: typeof undone) => {
    waiting.current = null;
    const answer = await write(score);
    if (answer === null) return;
    if (answer.source === null || answer.plan === null) {
      setShown((now) => ({ ...now, problem: answer.problem, error: '' }));
      return;
    }
    written.current = answer.source;
    setShown({ score, plan: answer.plan, problem: null, error: '' });
    setUndone(history);
    select(kept(chosen, score));
    onSource(answer.source);
  };
  const edit = (steps: Step[], chosen: Path | null = selected) => {
    if (shown.score === null || steps === shown.score.steps) return;
    const past = [...undone.past, shown.score].slice(-MAX_UNDO);
    void keep({ ...shown.score, steps }, chosen, { past, future: [] });
  };
  const preview = (steps: Step[]) => {
    const { score } = shown;
    if (score === null) return;
    waiting.current = steps;
    if (isPreviewing.current) return;
    isPreviewing.current = true;
    void (async () => {
      while (waiting.current !== null) {
        const next = waiting.current;
        waiting.current = null;
        const answer = await write({ ...score, steps: next });
        if (answer?.plan) setShown((now) => ({ ...now, plan: answer.plan, problem: null }));
      }
      isPreviewing.current = false;
    })();
  };
  const travel = (from: 'past' | 'future', to: 'past' | 'future') => {
    const score = undone[from].at(-1);
    if (score === undefined || shown.score === null) return;
    const history = { past: undone.past, future: undone.future };
    history[from] = undone[from].slice(0, -1);
    history[to] = [...undone[to], shown.score];
    void keep(score, selected, history);
  };
  return {
    ...shown,
    canUndo: undone.past.length > 0,
    canRedo: undone.future.length > 0,
    edit,
    fail: (why) => setShown((now) => ({ ...now, error: why })),
    preview,
    undo: () => travel('past', 'future'),
    redo: () => travel('future', 'past'),
    selected,
    select,
  };
}

const kept = (path: Path | null, score: Score | null): Path | null =>
  path !== null && score !== null && stepAt(score.steps, path) !== null ? path : null;
