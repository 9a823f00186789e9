/** Chooses what the plots show, and what it is compared with. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { compareRuns, findOffset, type Difference } from '../logic/plots/compare-runs';
import { collectArguments, formFields } from '../logic/form';
import type { RecordingSummary } from '../protocol/recording';
import { isAllowed } from '../net/live';
import { formatDuration, formatNumber, formatTime, messages } from '../i18n';
import { Card, NeedsRole, Outcome, RoleButton } from '../components/basics';
import { SchemaForm } from '../components/schema-form';
import { runLabel, shortName } from './labels';
import {
  compare,
  failure,
  isLoading,
  isRecording,
  otherKey,
  recordings,
  refresh,
  rehearsalKey,
  rehearsals,
  rehearseCall,
  SAME_CALL_KEY,
  show,
  shownKey,
  tools,
} from './runs';
import { offset, other, run } from './state';

const recordingLabel = ({ name, start_time, duration_s }: RecordingSummary): string =>
  [
    shortName(name),
    ...(start_time === null ? [] : [formatTime(start_time)]),
    ...(duration_s === null ? [] : [formatDuration(duration_s * 1000)]),
  ].join(' · ');

export function RunsCard() {
  const w = messages.value.plots;
  const [notFound, setNotFound] = useState(false);
  const permitted = [isAllowed('recordings'), isAllowed('rehearse')].join();
  useEffect(() => {
    const ending = new AbortController();
    void refresh(ending.signal);
    return () => ending.abort();
  }, [permitted]);
  const shown = run.value;
  const isRecorded = shown !== null && shown.kind === 'recording';
  return (
    <Card
      title={w.run}
      aside={
        <button type="button" onClick={() => void refresh(new AbortController().signal)}>
          {messages.value.common.refresh}
        </button>
      }
    >
      <div class="run-choices">
        <label>
          {w.show}
          <select
            value={shownKey.value}
            disabled={isLoading.value}
            onChange={(event) => {
              setNotFound(false);
              void show(event.currentTarget.value);
            }}
          >
            <option value="">{w.live}</option>
            <RunOptions except="" />
          </select>
        </label>
        {shown !== null && (
          <label>
            {w.compareWith}
            <select
              value={otherKey.value}
              disabled={isLoading.value}
              onChange={(event) =>
                void compare(event.currentTarget.value).then((found) =>
                  setNotFound(!found && failure.value === ''),
                )
              }
            >
              <option value="">{w.nothing}</option>
              {isRecorded && isAllowed('rehearse') && (
                <option value={SAME_CALL_KEY}>{w.sameCall}</option>
              )}
              <RunOptions except={shownKey.value} />
            </select>
          </label>
        )}
      </div>
      <NeedsRole action="recordings" />
      {isRecording.value === false && <p class="note">{w.notRecording}</p>}
      {isLoading.value && <p role="status">{messages.value.common.loading} …</p>}
      {failure.value !== '' && <Outcome bad text={failure.value} />}
      {notFound && <Outcome bad text={w.noCall} />}
      {shown?.truncated && <p class="note">{w.truncated}</p>}
      {shown !== null && other.value !== null && <ComparisonNote />}
      {isAllowed('rehearse') && (
        <details class="rehearse">
          <summary>{w.rehearse}</summary>
          <RehearseForm />
        </details>
      )}
    </Card>
  );
}

function RunOptions({ except }: { except: string }) {
  const w = messages.value.plots;
  return (
    <>
      {rehearsals.value.length > 0 && (
        <optgroup label={w.rehearsals}>
          {rehearsals.value.map((one, at) => (
            <option key={at} value={rehearsalKey(at)} hidden={rehearsalKey(at) === except}>
              {runLabel(one)}
            </option>
          ))}
        </optgroup>
      )}
      {recordings.value.length > 0 && (
        <optgroup label={w.recordings}>
          {recordings.value.map((one) => (
            <option key={one.file} value={one.file} hidden={one.file === except}>
              {recordingLabel(one)}
            </option>
          ))}
        </optgroup>
      )}
    </>
  );
}

/** Says where the runs differ most, and shifts one of them. */
function ComparisonNote() {
  const w = messages.value.plots;
  const [one, compared] = [run.value, other.value];
  const found = useMemo(
    () => one && compared && compareRuns(one.samples, compared.samples, offset.value),
    [one, compared, offset.value],
  );
  if (one === null || compared === null || found === null) return null;
  const { goal, present } = found;
  const text = (of: Difference | null) =>
    of === null
      ? w.noOverlap
      : w.difference(formatNumber(of.max_deg, 1), of.motor, formatNumber(of.at_s, 2));
  return (
    <div class="comparison">
      <p class="note">{w.dashed(runLabel(compared))}</p>
      <dl class="facts">
        <dt>{w.groups.goal}</dt>
        <dd>{text(goal)}</dd>
        <dt>{w.groups.present}</dt>
        <dd>{text(present)}</dd>
      </dl>
      <span class="buttons">
        <label class="inline">
          {w.shift}
          <input
            type="number"
            step={0.01}
            value={offset.value}
            onInput={(event) => {
              const value = event.currentTarget.valueAsNumber;
              if (Number.isFinite(value)) offset.value = value;
            }}
          />
        </label>
        <button
          type="button"
          onClick={() => (offset.value = findOffset(one.samples, compared.samples))}
        >
          {w.align}
        </button>
      </span>
    </div>
  );
}

/** Rehearses a call of a tool, to show it or to compare with it. */
function RehearseForm() {
  const w = messages.value.plots;
  const [name, setName] = useState('');
  const [texts, setTexts] = useState<Record<string, string>>({});
  const tool = tools.value.find((one) => one.name === name) ?? tools.value[0];
  if (tool === undefined) return null;
  const fields = formFields(tool.parameters);
  const { args, errors } = collectArguments(fields, texts);
  const rehearse = async (use: (key: string) => Promise<unknown>) => {
    if (Object.keys(errors).length > 0 || isLoading.value) return;
    const key = await rehearseCall(tool.name, args);
    if (key !== null) await use(key);
  };
  return (
    <div class="stack">
      <label>
        {w.tool}
        <select
          value={tool.name}
          onChange={(event) => (setName(event.currentTarget.value), setTexts({}))}
        >
          {tools.value.map((one) => (
            <option key={one.name} value={one.name}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      <SchemaForm
        fields={fields}
        texts={texts}
        errors={errors}
        onText={(field, text) => setTexts({ ...texts, [field]: text })}
      />
      <span class="buttons">
        <RoleButton
          action="rehearse"
          disabled={isLoading.value}
          onClick={() => void rehearse(show)}
        >
          {w.rehearseAndShow}
        </RoleButton>
        {run.value !== null && (
          <RoleButton
            action="rehearse"
            disabled={isLoading.value}
            onClick={() => void rehearse(compare)}
          >
            {w.rehearseAndCompare}
          </RoleButton>
        )}
      </span>
    </div>
  );
}
