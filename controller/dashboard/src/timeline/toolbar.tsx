/** What can be done with the steps: add, copy, repeat, cut, set to a tempo, undo. */

import type { Signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { tempoOfTaps } from '../logic/choreography';
import {
  allSteps,
  insertAfter,
  insertBeside,
  removeStep,
  repeatSteps,
  startOnBeat,
  stepAt,
  toTempo,
  cutSteps,
  value,
  type Path,
} from '../logic/score';
import { fetchBeat } from '../net/choreography';
import type { Step, TargetName } from '../protocol/score';
import { messages } from '../i18n';
import { Field } from './field';
import type { TimelineState } from './state';

/** What a new step is until somebody edits it. */
const NEW_STEPS = {
  head: () => moving('head', 'head_left', 15, 0.6),
  antennas: () => moving('antennas', 'antennas_both', 30, 0.5),
  body: () => moving('body', 'body_left', 20, 1),
  neutral: (): Step => ({ neutral: { seconds: value(0.8), easing: null } }),
  wait: (): Step => ({ wait: value(0.5) }),
  sound: (): Step => ({ sound: 'wake_up.wav' }),
  photo: (): Step => ({ photo: {} }),
  play: (): Step => ({ play: 'wake_up' }),
} as const;

type NewStep = keyof typeof NEW_STEPS;

/** How often a new loop runs. */
const NEW_TIMES = 2;
const FIRST_BPM = 100;
/** Taps that are further apart begin a new tempo, milliseconds. */
const MAX_TAP_GAP_MS = 2500;

function moving(
  part: 'head' | 'antennas' | 'body',
  target: TargetName,
  by: number,
  s: number,
): Step {
  return { move: { part, targets: [[target, value(by)]], seconds: value(s), easing: null } };
}

interface ToolbarProps {
  timeline: TimelineState;
  steps: Step[];
  until: Path | null;
  playhead: Signal<number>;
  spanOf: (path: Path) => { start_s: number; end_s: number; seconds: number } | null;
}

export function Toolbar(props: ToolbarProps) {
  const w = messages.value.timeline;
  const { timeline, steps, until } = props;
  const { selected, edit } = timeline;
  const selectedStep = selected === null ? null : stepAt(steps, selected);
  const none = selected === null || selectedStep === null;
  return (
    <div class="timeline-tools" role="toolbar" aria-label={w.tools}>
      <AddStep {...props} />
      <span class="buttons">
        <button
          type="button"
          disabled={none}
          title="Ctrl+D"
          onClick={() => !none && edit(insertAfter(steps, selected, structuredClone(selectedStep)))}
        >
          {w.duplicate}
        </button>
        <button
          type="button"
          disabled={none}
          title={w.repeatHint}
          onClick={() =>
            !none && edit(repeatSteps(steps, selected, until ?? selected, NEW_TIMES), selected)
          }
        >
          {w.repeat}
        </button>
        <button
          type="button"
          disabled={none}
          title="Del"
          onClick={() => !none && edit(removeStep(steps, selected), null)}
        >
          {w.remove}
        </button>
      </span>
      <Cut {...props} />
      <Tempo {...props} />
      <span class="buttons">
        <button type="button" disabled={!timeline.canUndo} title="Ctrl+Z" onClick={timeline.undo}>
          {w.undo}
        </button>
        <button type="button" disabled={!timeline.canRedo} title="Ctrl+Y" onClick={timeline.redo}>
          {w.redo}
        </button>
      </span>
    </div>
  );
}

function AddStep({ timeline, steps }: ToolbarProps) {
  const w = messages.value.timeline;
  const { selected, edit } = timeline;
  const [kind, setKind] = useState<NewStep>('head');
  const name = (one: NewStep) =>
    one === 'head' || one === 'antennas' || one === 'body' ? w.lanes[one] : w.kinds[one];
  const after = () => edit(insertAfter(steps, selected, NEW_STEPS[kind]()));
  const beside = () => selected !== null && edit(insertBeside(steps, selected, NEW_STEPS[kind]()));
  return (
    <span class="buttons">
      <select
        aria-label={w.newStep}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as NewStep)}
      >
        {(Object.keys(NEW_STEPS) as NewStep[]).map((one) => (
          <option key={one} value={one}>
            {name(one)}
          </option>
        ))}
      </select>
      <button type="button" onClick={after}>
        {selected === null ? w.addAtEnd : w.addAfter}
      </button>
      <button type="button" disabled={selected === null} onClick={beside}>
        {w.addBeside}
      </button>
    </span>
  );
}

/** Leaves out what runs before or after the time at which the robot is shown. */
function Cut({ timeline, steps, playhead, spanOf }: ToolbarProps) {
  const w = messages.value.timeline;
  return (
    <span class="buttons">
      <button
        type="button"
        onClick={() => timeline.edit(cutSteps(steps, playhead.value, Infinity, spanOf), null)}
      >
        {w.cutBefore}
      </button>
      <button
        type="button"
        onClick={() => timeline.edit(cutSteps(steps, 0, playhead.value, spanOf), null)}
      >
        {w.cutAfter}
      </button>
    </span>
  );
}

function Tempo({ timeline, steps, spanOf }: ToolbarProps) {
  const w = messages.value.timeline;
  const [bpm, setBpm] = useState(FIRST_BPM);
  const taps = useRef<number[]>([]);
  const tap = () => {
    const now = performance.now();
    const isNew = now - (taps.current.at(-1) ?? now) > MAX_TAP_GAP_MS;
    taps.current = isNew ? [now] : [...taps.current.slice(-7), now];
    setBpm(tempoOfTaps(taps.current) ?? bpm);
  };
  const sound = allSteps(steps).find(({ step }) => 'sound' in step);
  const secondsOf = (path: Path) => spanOf(path)?.seconds ?? null;
  const followSound = async () => {
    if (sound === undefined || !('sound' in sound.step)) return;
    const answer = await fetchBeat(sound.step.sound);
    if (!answer.ok) return timeline.fail(answer.detail);
    const { per_minute, first_s } = answer.value;
    if (per_minute === null) return timeline.fail(w.noBeat);
    setBpm(per_minute);
    timeline.edit(startOnBeat(toTempo(steps, per_minute, secondsOf), sound.path, first_s ?? 0));
  };
  return (
    <span class="buttons">
      <label class="timeline-tempo">
        {w.tempo}
        <Field
          type="number"
          min={30}
          max={240}
          step="any"
          value={bpm}
          onEntered={(text) => {
            const next = Number(text);
            if (next >= 30 && next <= 240) setBpm(next);
          }}
        />
      </label>
      <button type="button" title={w.tapHint} onClick={tap}>
        {w.tap}
      </button>
      <button type="button" onClick={() => timeline.edit(toTempo(steps, bpm, secondsOf))}>
        {w.setToTempo}
      </button>
      {sound !== undefined && (
        <button type="button" onClick={() => void followSound()}>
          {w.setToSound}
        </button>
      )}
    </span>
  );
}
