/** The selected step: its duration, its course, and how far each axis goes. */

import { amountOf, dialsOf, withAmount, type Dial, type Layout } from '../logic/choreography';
import {
  constantOf,
  innerSteps,
  kindOf,
  namedSeconds,
  samePath,
  setSeconds,
  unwrap,
  updateStep,
  value,
  type Path,
} from '../logic/score';
import type { Movement, Step, Targets } from '../protocol/score';
import { formatNumber, messages } from '../i18n';
import { Field } from './field';
import { amountText, axisLabel, constantText, stepLabel } from './labels';

interface InspectorProps {
  step: Step | null;
  path: Path | null;
  steps: Step[];
  layout: Layout;
  targets: Targets;
  onEdit: (steps: Step[]) => void;
  onPreview: (steps: Step[]) => void;
}

interface PartProps extends InspectorProps {
  step: Step;
  path: Path;
}

export function Inspector(props: InspectorProps) {
  const w = messages.value.timeline;
  const { step, path, layout } = props;
  if (step === null || path === null) return <p class="note timeline-inspector">{w.selectHint}</p>;
  const block = layout.blocks.find((one) => samePath(one.path, path));
  const own = { ...props, step, path };
  return (
    <form class="timeline-inspector" onSubmit={(event) => event.preventDefault()}>
      <h3>{stepLabel(step)}</h3>
      <Seconds {...own} />
      <Easing {...own} />
      {'move' in step && <Dials {...own} movement={step.move} />}
      {'repeat' in step && <Times {...own} />}
      {('sound' in step || 'play' in step) && <Name {...own} />}
      {innerSteps(step) !== null && (
        <button type="button" onClick={() => props.onEdit(unwrap(props.steps, path))}>
          {kindOf(step) === 'together' ? w.oneAfterAnother : w.unwrap}
        </button>
      )}
      {block !== undefined && ('move' in step || 'neutral' in step) && (
        <p class={block.clamped ? 'is-plain-bad' : 'note'}>
          {w.peakSpeed(Math.round(100 * block.peak_speed))} {block.clamped ? w.heldBack : ''}
        </p>
      )}
    </form>
  );
}

function Seconds({ step, path, steps, layout, targets, onEdit }: PartProps) {
  const w = messages.value.timeline;
  const own = namedSeconds(step);
  if (own === undefined) return null;
  if (own !== null && constantOf(own) === null) {
    return <p class="note">{w.setBy(w.secondsLabel, amountText(own))}</p>;
  }
  const block = layout.blocks.find((one) => samePath(one.path, path));
  const measured = block === undefined ? '' : formatNumber(block.end_s - block.start_s, 2);
  const [least, most] =
    'wait' in step ? [0.05, targets.max_wait_seconds] : targets.movement_seconds;
  return (
    <label>
      {w.secondsLabel}
      <Field
        type="number"
        min={least}
        max={most}
        step="any"
        value={constantText(own)}
        placeholder={measured}
        onEntered={(text) => {
          if (text !== '') onEdit(setSeconds(steps, path, Number(text)));
        }}
      />
    </label>
  );
}

function Easing({ step, path, steps, targets, onEdit }: PartProps) {
  const w = messages.value.timeline;
  const own = 'move' in step ? step.move : 'neutral' in step ? step.neutral : null;
  if (own === null) return null;
  const set = (name: string) => {
    const easing = name === targets.easings[0] ? null : name;
    if ('move' in step) onEdit(updateStep(steps, path, { move: { ...step.move, easing } }));
    else if ('neutral' in step) {
      onEdit(updateStep(steps, path, { neutral: { ...step.neutral, easing } }));
    }
  };
  return (
    <label>
      {w.easing}
      <select
        aria-label={w.easing}
        value={own.easing ?? targets.easings[0]!}
        onChange={(event) => set(event.currentTarget.value)}
      >
        {targets.easings.map((name) => (
          <option key={name} value={name}>
            {w.easings[name] ?? name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Dials({
  movement,
  path,
  steps,
  targets,
  onEdit,
  onPreview,
}: PartProps & { movement: Movement }) {
  const edited = (dial: Dial, amount: number | null) =>
    updateStep(steps, path, { move: withAmount(movement, dial, amount, targets.targets) });
  return (
    <div class="timeline-dials">
      {dialsOf(movement.part, targets.targets).map((dial) => (
        <DialRow
          key={dial.axis}
          dial={dial}
          amount={amountOf(movement, dial, targets.targets)}
          onInput={(amount) => onPreview(edited(dial, amount))}
          onChange={(amount) => onEdit(edited(dial, amount))}
        />
      ))}
    </div>
  );
}

interface DialProps {
  dial: Dial;
  amount: ReturnType<typeof amountOf>;
  onInput: (amount: number) => void;
  onChange: (amount: number | null) => void;
}

function DialRow({ dial, amount, onInput, onChange }: DialProps) {
  const w = messages.value.timeline;
  const { axis, positive, negative, unit } = dial;
  const name = axisLabel(axis);
  if (amount !== null && 'written' in amount) {
    return <p class="note">{w.setBy(name, amountText(amount.written))}</p>;
  }
  const constant = amount?.constant ?? 0;
  const direction = w.directions[constant < 0 ? negative.direction : positive.direction] ?? '';
  const shown = `${formatNumber(Math.abs(constant))} ${unit === 'mm' ? 'mm' : '°'} ${direction}`;
  return (
    <div class="timeline-dial">
      <label>
        <input
          type="checkbox"
          checked={amount !== null}
          onChange={(event) => onChange(event.currentTarget.checked ? 0 : null)}
        />
        {name}
      </label>
      <Field
        type="range"
        label={name}
        valueText={shown}
        min={-negative.maximum}
        max={positive.maximum}
        dir={positive.direction === 'left' || positive.direction === 'down' ? 'rtl' : 'ltr'}
        step={1}
        value={constant}
        disabled={amount === null}
        onDraft={(text) => onInput(Number(text))}
        onEntered={(text) => onChange(Number(text))}
      />
      <output>{amount === null ? '–' : shown}</output>
    </div>
  );
}

function Times({ step, path, steps, targets, onEdit }: PartProps) {
  const w = messages.value.timeline;
  if (!('repeat' in step)) return null;
  const { times } = step.repeat;
  if (constantOf(times) === null) return <p class="note">{w.setBy(w.times, amountText(times))}</p>;
  return (
    <label>
      {w.times}
      <Field
        type="number"
        min={1}
        max={targets.max_times}
        step={1}
        value={constantText(times)}
        onEntered={(text) => {
          const next = Number(text);
          if (text === '' || !Number.isInteger(next)) return;
          onEdit(updateStep(steps, path, { repeat: { ...step.repeat, times: value(next) } }));
        }}
      />
    </label>
  );
}

function Name({ step, path, steps, onEdit }: PartProps) {
  const w = messages.value.timeline;
  const key = 'sound' in step ? 'sound' : 'play';
  return (
    <label>
      {w.kinds[key]}
      <Field
        type="text"
        maxLength={100}
        value={'sound' in step ? step.sound : 'play' in step ? step.play : ''}
        onEntered={(text) => onEdit(updateStep(steps, path, { [key]: text } as unknown as Step))}
      />
    </label>
  );
}
