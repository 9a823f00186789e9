/**
 * A tool on a timeline. What stands here is the tool's source and nothing else: each edit writes the source, and a source
 * that somebody types is read again.
 */

import { signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { layOut, type Layout } from '../logic/choreography';
import { allSteps, samePath, stepAt, type Path } from '../logic/score';
import { fetchTargets } from '../net/choreography';
import type { Problem, Step, Targets } from '../protocol/score';
import { Card, Outcome } from '../components/basics';
import '../style/timeline.css';
import { ReplayView } from '../components/replay';
import { formatNumber, messages } from '../i18n';
import { Inspector } from './inspector';
import { keyEdit } from './keys';
import { Lanes } from './lanes';
import { ClampList } from './clamps';
import { Recorder } from './recorder';
import { useTimeline } from './state';
import { Toolbar } from './toolbar';

/** A line with a comment of its own, or one behind code; a text may look like that, too. */
const COMMENT = /(^|\s)#/m;

interface TimelineProps {
  source: string;
  onSource: (source: string) => void;
  /** Begins a motion that the timeline can show. */
  onNew: () => void;
}

export default function TimelineView({ source, onSource, onNew }: TimelineProps) {
  const w = messages.value.timeline;
  const timeline = useTimeline(source, onSource);
  const targets = useTargets();
  const replay = messages.value.replay;
  const texts = {
    title: replay.title,
    badge: w.badge,
    position: replay.position,
    time: (at: number, end: number) => replay.time(formatNumber(at, 1), formatNumber(end, 1)),
  };
  const planned = timeline.plan;
  const motion = useMemo(
    () => ({
      period_s: planned?.period_s ?? 0,
      cycles: planned?.cycles ?? [],
      truncated: false,
    }),
    [planned],
  );
  /** The time that the robot is shown at, seconds. It changes often, so that only what shows it renders again. */
  const playhead = useMemo(() => signal(0), []);
  const [seek, setSeek] = useState<{ at_s: number } | null>(null);
  /** The last one of several selected steps. */
  const [until, setUntil] = useState<Path | null>(null);
  const { score, plan, problem, error, selected } = timeline;
  if (score === null || plan === null || targets === null) {
    return (
      <Card title={w.title}>
        <NoTimeline problem={problem} error={error} onNew={onNew} />
      </Card>
    );
  }
  const { steps } = score;
  const layout = layOut(steps, plan);
  const secondsOf = (path: Path) => spanOf(layout, path)?.seconds ?? 0;
  /** Durations of movements are written for speed 1. */
  const speed = (score.parameters ?? []).find(({ name }) => name === 'speed')?.default ?? 1;
  const keep = (next: Step[], moved?: Step) =>
    timeline.edit(next, (moved && pathOf(next, moved)) ?? selected);
  const select = (path: Path | null, more: boolean) => {
    if (more && selected !== null) setUntil(path);
    else {
      timeline.select(path);
      setUntil(null);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const done = keyEdit(event, { steps, selected, secondsOf, speed, keep, timeline });
    if (done) event.preventDefault();
  };
  return (
    <Card title={w.title} aside={<span class="note">{w.duration(plan.seconds)}</span>}>
      <div class="timeline" onKeyDown={onKeyDown}>
        <Toolbar
          timeline={timeline}
          steps={steps}
          until={until}
          playhead={playhead}
          spanOf={(path) => spanOf(layout, path)}
        />
        <Outcome
          text={error || (problem === null ? '' : w.notKept(problem.reason, problem.hint))}
          bad={error !== '' || problem !== null}
        />
        <Lanes
          layout={layout}
          plan={plan}
          selected={selected}
          until={until}
          playhead={playhead}
          onSelect={select}
          onSeek={(at_s) => setSeek({ at_s })}
          onEdit={keep}
          onPreview={timeline.preview}
          steps={steps}
          secondsOf={secondsOf}
          speed={speed}
        />
        <p class="note keys">{w.keys}</p>
        {COMMENT.test(source) && <p class="note">{w.comments}</p>}
        <ClampList plan={plan} onSeek={(at_s) => setSeek({ at_s })} />
        <div class="timeline-below">
          <Inspector
            step={selected === null ? null : stepAt(steps, selected)}
            path={selected}
            steps={steps}
            layout={layout}
            targets={targets}
            onEdit={keep}
            onPreview={timeline.preview}
          />
          <div class="timeline-robot">
            <ReplayView
              replay={motion}
              texts={texts}
              seek={seek}
              onTime={(at_s) => (playhead.value = at_s)}
            />
          </div>
        </div>
        <Recorder
          steps={steps}
          selected={selected}
          onEdit={(next) => timeline.edit(next, selected)}
        />
      </div>
    </Card>
  );
}

function NoTimeline({
  problem,
  error,
  onNew,
}: {
  problem: Problem | null;
  error: string;
  onNew: () => void;
}) {
  const w = messages.value.timeline;
  if (error !== '') return <Outcome text={error} bad />;
  if (problem === null) return <p class="note">{w.reading}</p>;
  return (
    <>
      <p>{w.otherSource}</p>
      <p class="note">
        {problem.line === null ? '' : `${w.line(problem.line)} `}
        {w.notKept(problem.reason, problem.hint)}
      </p>
      <button type="button" onClick={onNew}>
        {w.startHere}
      </button>
    </>
  );
}

function useTargets(): Targets | null {
  const [targets, setTargets] = useState<Targets | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    void fetchTargets(ending.signal).then((answer) => {
      if (!ending.signal.aborted && answer.ok) setTargets(answer.value);
    });
    return () => ending.abort();
  }, []);
  return targets;
}

/** Returns when a step runs first. */
function spanOf({ blocks, brackets }: Layout, path: Path) {
  const shown = [...blocks, ...brackets].find((one) => samePath(one.path, path));
  if (shown === undefined) return null;
  const { start_s, end_s } = shown;
  return { start_s, end_s, seconds: end_s - start_s };
}

const pathOf = (steps: Step[], wanted: Step): Path | null =>
  allSteps(steps).find(({ step }) => step === wanted)?.path ?? null;
