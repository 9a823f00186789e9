/** The tour: one instruction at a time, above the view that it is about. It goes on by itself when a step is done. */

import { useEffect, useState } from 'preact/hooks';
import { hasMoved, madeTool, placeOf, TOUR_SENTENCE, TOUR_STEPS } from '../logic/tour';
import { busy, submitMessage, turns } from '../net/conversation';
import { request } from '../net/http';
import { setTourStep, tourStep } from '../net/tour';
import type { ToolDetails } from '../protocol/responses';
import { messages } from '../i18n';
import { RoleButton } from './basics';
import { go, route } from './route';

/** How often the page looks whether the tool has run, milliseconds. */
const POLL_INTERVAL_MS = 1500;

export default function Tour() {
  const w = messages.value.help.tour;
  const step = tourStep.value ?? 'look';
  const at = TOUR_STEPS.indexOf(step);
  const progress = turns.value.map((turn) => turn.progress);
  const made = madeTool(progress);
  const hasRun = useHasRun(step === 'run' ? made : null);
  const { view, rest } = placeOf(step, made);
  const isThere = route.value.view === view && route.value.rest[0] === rest[0];
  const next = () => setTourStep(TOUR_STEPS[at + 1] ?? null);
  const isDone =
    (step === 'say' && hasMoved(progress)) ||
    (step === 'make' && made !== null) ||
    (step === 'run' && hasRun);
  useEffect(() => go(view, ...rest), [step, rest[0]]);
  useEffect(() => {
    if (isDone) next();
  }, [isDone]);
  const text = w.steps[step];
  return (
    <section class="card tour" aria-label={w.title}>
      <p role="status">
        <span class="badge">{w.progress(at + 1, TOUR_STEPS.length)}</span>{' '}
        {typeof text === 'string' ? text : text(made ?? '')}
      </p>
      <div class="buttons">
        {step === 'say' && (
          <RoleButton
            action="talk"
            disabled={busy.value}
            onClick={() => void submitMessage(TOUR_SENTENCE)}
          >
            {w.sayIt(TOUR_SENTENCE)}
          </RoleButton>
        )}
        {!isThere && (
          <button type="button" onClick={() => go(view, ...rest)}>
            {w.go}
          </button>
        )}
        {at > 0 && (
          <button type="button" onClick={() => setTourStep(TOUR_STEPS[at - 1] ?? null)}>
            {w.back}
          </button>
        )}
        {(step === 'look' || step === 'check') && (
          <button type="button" class="primary" onClick={next}>
            {w.next}
          </button>
        )}
        {step === 'run' && (
          <button type="button" onClick={next}>
            {w.skip}
          </button>
        )}
        <button
          type="button"
          class={step === 'done' ? 'primary' : ''}
          onClick={() => setTourStep(null)}
        >
          {w.end}
        </button>
      </div>
    </section>
  );
}

/** Whether a tool has run, as the server counts it. */
function useHasRun(name: string | null): boolean {
  const [hasRun, setHasRun] = useState(false);
  useEffect(() => {
    if (name === null) return;
    const ending = new AbortController();
    const look = async () => {
      const answer = await request<ToolDetails>(`/api/v1/tools/${encodeURIComponent(name)}`, {
        signal: ending.signal,
        timeoutMs: 5000,
      });
      if (!ending.signal.aborted && answer.ok) setHasRun(answer.value.usage.tool.runs > 0);
    };
    const timer = setInterval(() => void look(), POLL_INTERVAL_MS);
    return () => {
      clearInterval(timer);
      ending.abort();
    };
  }, [name]);
  return hasRun;
}
