/** Records a motion as steps: by hand, while the legs carry the weight of the head, or whatever moves the robot. */

import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { insertAfter, type Path } from '../logic/score';
import { fitSteps, setGuided, type RecordedSample } from '../net/choreography';
import { frame, plotTelemetry } from '../net/live';
import type { Step } from '../protocol/score';
import { Outcome, RoleButton } from '../components/basics';
import { formatNumber, messages } from '../i18n';

/** The longest recording, seconds. */
const MAX_SECONDS = 100;

type Source = 'hand' | 'robot';

interface RecorderProps {
  steps: Step[];
  selected: Path | null;
  onEdit: (steps: Step[]) => void;
}

export function Recorder({ steps, selected, onEdit }: RecorderProps) {
  const w = messages.value.timeline;
  const [source, setSource] = useState<Source | null>(null);
  const [seconds, setSeconds] = useState(0);
  const [state, setState] = useState({ text: '', bad: false });
  const samples = useRef<RecordedSample[]>([]);
  const guided = useRef(false);
  useEffect(() => (source === null ? undefined : plotTelemetry()), [source]);
  // A page that closes leaves no robot without torque.
  useEffect(() => () => void (guided.current && setGuided(false)), []);
  const finish = async () => {
    setSource(null);
    if (guided.current) {
      guided.current = false;
      const held = await setGuided(false);
      if (!held.ok) setState({ text: held.detail, bad: true });
    }
    const answer = await fitSteps(samples.current);
    if (!answer.ok) return setState({ text: answer.detail, bad: true });
    const { steps: fitted, tolerance } = answer.value;
    const step: Step = fitted.length === 1 ? fitted[0]! : { sequence: fitted };
    // A sequence in a list of steps is the list itself.
    const added =
      'sequence' in step && selected === null
        ? [...steps, ...step.sequence]
        : insertAfter(steps, selected, step);
    onEdit(added);
    setState({ text: w.recorded(fitted.length, formatNumber(tolerance, 1)), bad: false });
  };
  useSignalEffect(() => {
    const now = frame.value;
    if (source === null || now?.posture == null || now.at_s === null) return;
    const first = samples.current[0]?.at_s ?? now.at_s;
    if (now.at_s <= (samples.current.at(-1)?.at_s ?? -Infinity)) return;
    samples.current.push({ at_s: now.at_s, posture: now.posture });
    setSeconds(Math.floor(now.at_s - first));
    if (now.at_s - first > MAX_SECONDS) void finish();
  });
  const start = async (from: Source) => {
    samples.current = [];
    setSeconds(0);
    setState({ text: '', bad: false });
    if (from === 'hand') {
      const answer = await setGuided(true);
      if (!answer.ok) return setState({ text: answer.detail, bad: true });
      guided.current = true;
    }
    setSource(from);
  };
  return (
    <section class="timeline-recorder" aria-label={w.record}>
      <h3>{w.record}</h3>
      <p class="note">{w.recordHint}</p>
      <div class="buttons">
        {source === null ? (
          <>
            <RoleButton action="control" onClick={() => void start('hand')}>
              {w.recordHand}
            </RoleButton>
            <button type="button" onClick={() => void start('robot')}>
              {w.recordRobot}
            </button>
          </>
        ) : (
          <button type="button" class="primary" onClick={() => void finish()}>
            {w.recordEnd(seconds)}
          </button>
        )}
      </div>
      <Outcome text={state.text} bad={state.bad} />
    </section>
  );
}
