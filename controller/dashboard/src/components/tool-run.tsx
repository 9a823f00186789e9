/** Runs or rehearses a tool with the given arguments and shows the result. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formFields, collectArguments } from '../logic/form';
import { post, type Result } from '../net/http';
import { robotSignal } from '../net/robots';
import { REHEARSAL, RUN } from '../protocol/compat';
import type { RunResponse, RehearsalResult, ToolDetails, Clamp } from '../protocol/responses';
import { formatNumber, messages } from '../i18n';
import { ReplayView } from './replay';
import { SchemaForm } from './schema-form';
import { Card, RoleButton, download, Outcome } from './basics';
import { clampText } from './clamps';
import { Elapsed } from './elapsed';
import { showMotionPlots } from './show-plots';
import { stepNotes } from './turn-task';

/** Whether the server has reported that it cannot rehearse for the dashboard. */
const cannotRehearse = robotSignal(false);

export function RunTool({ tool, onRun }: { tool: ToolDetails; onRun: () => void }) {
  const w = messages.value.tools;
  const { name, parameters } = tool.manifest;
  const all = useMemo(() => formFields(parameters), [parameters]);
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [submitted, setSubmitted] = useState(false);
  const [result, setResult] = useState<Result<RunResponse> | null>(null);
  const [rehearsed, setRehearsed] = useState<Result<RehearsalResult> | null>(null);
  const [rehearsing, setRehearsing] = useState(false);
  useEffect(() => setRehearsed(null), [tool.manifest.version]);
  const [running, setRunning] = useState<AbortController | null>(null);
  const current = useRef<AbortController | null>(null);
  current.current = running;
  useEffect(() => () => current.current?.abort(), []);
  const { args, errors } = collectArguments(all, texts);
  const run = async (event: Event) => {
    event.preventDefault();
    setSubmitted(true);
    if (Object.keys(errors).length > 0 || running) return;
    const ending = new AbortController();
    setRunning(ending);
    setResult(null);
    const path = `/api/v1/tools/${encodeURIComponent(name)}/run`;
    setResult(await post<RunResponse>(path, { args }, { signal: ending.signal, shape: RUN }));
    setRunning(null);
    onRun();
  };
  const rehearse = async () => {
    setSubmitted(true);
    if (Object.keys(errors).length > 0 || rehearsing) return;
    setRehearsing(true);
    const path = `/api/v1/tools/${encodeURIComponent(name)}/rehearse`;
    const answer = await post<RehearsalResult>(
      path,
      { args, version: tool.manifest.version },
      { shape: REHEARSAL },
    );
    // Older servers do not have this path. Newer ones name the tool or the version that is missing.
    cannotRehearse.value = !answer.ok && answer.status === 404 && !answer.detail.includes(name);
    setRehearsed(answer);
    setRehearsing(false);
  };
  return (
    <Card title={w.run}>
      <form class="stack" onSubmit={(event) => void run(event)}>
        <SchemaForm
          fields={all}
          texts={texts}
          errors={submitted ? errors : {}}
          onText={(field, text) => setTexts({ ...texts, [field]: text })}
        />
        <div class="buttons">
          <RoleButton
            action="run"
            type="submit"
            class="primary"
            disabled={running !== null || !tool.active}
          >
            {running ? `${w.running} …` : w.run}
          </RoleButton>
          {!cannotRehearse.value && (
            <RoleButton action="rehearse" disabled={rehearsing} onClick={() => void rehearse()}>
              {rehearsing ? (
                <>
                  {w.rehearsing} … <Elapsed />
                </>
              ) : (
                w.rehearse
              )}
            </RoleButton>
          )}
          {running && (
            <button type="button" onClick={() => running.abort()}>
              {messages.value.talk.cancel}
            </button>
          )}
        </div>
      </form>
      {result &&
        (result.ok ? <RunResult response={result.value} /> : <Outcome bad text={result.detail} />)}
      {rehearsed && !rehearsed.ok && (
        <Outcome bad text={cannotRehearse.value ? w.cannotRehearse : rehearsed.detail} />
      )}
      {rehearsed?.ok && <RehearsalView of={rehearsed.value} />}
      {/* The place of the replay, so that nothing below moves when it comes. */}
      {rehearsing && rehearsed === null && <div class="result is-pending" aria-hidden="true" />}
    </Card>
  );
}

/** Returns why a run did not return a value. */
function failure(of: RehearsalResult | RunResponse['run']): string | null {
  if (of.status === 'raised') return `${of.kind}: ${of.message}`;
  return of.status === 'stopped' ? of.reason : null;
}

/** Shows the status, the return value or the reason why there is none, and the output. */
function RunSummary({ of }: { of: RehearsalResult | RunResponse['run'] }) {
  const w = messages.value.tools;
  const { status, stdout, duration_s } = of;
  const value = of.status === 'returned' ? of.value : null;
  const reason = failure(of);
  return (
    <>
      <p>{w.finished(w.statuses[status] ?? status, formatNumber(duration_s, 1))}</p>
      {reason !== null && <p class="outcome is-bad">{reason}</p>}
      {value !== null && value !== undefined && (
        <>
          <h3>{w.value}</h3>
          <pre>{typeof value === 'string' ? value : JSON.stringify(value, null, 1)}</pre>
        </>
      )}
      {stdout !== '' && (
        <>
          <h3>{w.stdout}</h3>
          <pre>{stdout}</pre>
        </>
      )}
    </>
  );
}

/** Shows the result of a rehearsal. */
function RehearsalView({ of }: { of: RehearsalResult }) {
  return (
    <div class="result">
      <div role="status">
        <strong>
          {messages.value.replay.title}: {messages.value.common.version(of.version)}
        </strong>
        <RunSummary of={of} />
      </div>
      {of.clamps.map((clamp: Clamp, at) => (
        <p key={at} class="note">
          {clampText(clamp)}
        </p>
      ))}
      {of.cycles.length > 0 && (
        <>
          <ReplayView replay={of} />
          <button
            type="button"
            onClick={() => void showMotionPlots(`${of.name} v${of.version}`, of)}
          >
            {messages.value.tools.showPlots}
          </button>
        </>
      )}
    </div>
  );
}

function RunResult({ response }: { response: RunResponse }) {
  const w = messages.value.tools;
  const { run } = response;
  const clampNotes = run.steps.flatMap(stepNotes);
  return (
    <div class="result" role="status">
      <RunSummary of={run} />
      {clampNotes.map((note, at) => (
        <p key={at} class="note">
          {note}
        </p>
      ))}
      {run.outputs.length > 0 && (
        <>
          <h3>{w.files}</h3>
          <div class="buttons">
            {run.outputs.map(({ name, base64 }) => (
              <button
                type="button"
                key={name}
                disabled={base64 === undefined}
                onClick={() =>
                  download(name, 'application/octet-stream', decodeBase64(base64 ?? ''))
                }
              >
                {name}
              </button>
            ))}
          </div>
        </>
      )}
    </div>
  );
}

const decodeBase64 = (base64: string): ArrayBuffer =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer;
