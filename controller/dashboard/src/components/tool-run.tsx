/** Running and rehearsing a tool with arguments of one's own, and what came of it. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { fields, filled } from '../logic/form';
import { post, type Answer } from '../net/http';
import { ofRobot } from '../net/robots';
import type { Ran, Rehearsed, Shown, Trim } from '../protocol/responses';
import { number, words } from '../i18n';
import { ReplayView } from './replay';
import { SchemaForm } from './schema-form';
import { Card, DeedButton, download, Outcome } from './basics';
import { told } from './clamps';
import { notes } from './turns';

/** Whether the server has said that it can't rehearse for a page. */
const unable = ofRobot(false);

export function RunTool({ shown, onRan }: { shown: Shown; onRan: () => void }) {
  const w = words.value.tools;
  const { name, parameters } = shown.manifest;
  const all = useMemo(() => fields(parameters), [parameters]);
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [tried, setTried] = useState(false);
  const [result, setResult] = useState<Answer<Ran> | null>(null);
  const [rehearsed, setRehearsed] = useState<Answer<Rehearsed> | null>(null);
  const [rehearsing, setRehearsing] = useState(false);
  useEffect(() => setRehearsed(null), [shown.manifest.version]);
  const [running, setRunning] = useState<AbortController | null>(null);
  const current = useRef<AbortController | null>(null);
  current.current = running;
  useEffect(() => () => current.current?.abort(), []);
  const { args, troubles } = filled(all, texts);
  const run = async (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(troubles).length > 0 || running) return;
    const ending = new AbortController();
    setRunning(ending);
    setResult(null);
    const path = `/api/v1/tools/${encodeURIComponent(name)}/run`;
    setResult(await post<Ran>(path, { args }, { signal: ending.signal }));
    setRunning(null);
    onRan();
  };
  const rehearse = async () => {
    setTried(true);
    if (Object.keys(troubles).length > 0 || rehearsing) return;
    setRehearsing(true);
    const path = `/api/v1/tools/${encodeURIComponent(name)}/rehearse`;
    const answer = await post<Rehearsed>(path, { args, version: shown.manifest.version });
    // A server of before knows no such address; one of now names the tool or the version that is not there.
    unable.value = !answer.ok && answer.status === 404 && !answer.detail.includes(name);
    setRehearsed(answer);
    setRehearsing(false);
  };
  return (
    <Card title={w.run}>
      <form class="stack" onSubmit={(event) => void run(event)}>
        <SchemaForm
          fields={all}
          texts={texts}
          troubles={tried ? troubles : {}}
          onText={(field, text) => setTexts({ ...texts, [field]: text })}
        />
        <div class="buttons">
          <DeedButton
            deed="run"
            type="submit"
            class="primary"
            disabled={running !== null || !shown.active}
          >
            {running ? `${w.running} …` : w.run}
          </DeedButton>
          {!unable.value && (
            <DeedButton deed="rehearse" disabled={rehearsing} onClick={() => void rehearse()}>
              {rehearsing ? `${w.rehearsing} …` : w.rehearse}
            </DeedButton>
          )}
          {running && (
            <button type="button" onClick={() => running.abort()}>
              {words.value.talk.halt}
            </button>
          )}
        </div>
      </form>
      {result && (result.ok ? <Result ran={result.value} /> : <Outcome bad text={result.detail} />)}
      {rehearsed && !rehearsed.ok && (
        <Outcome bad text={unable.value ? w.noRehearse : rehearsed.detail} />
      )}
      {rehearsed?.ok && <Trial of={rehearsed.value} />}
    </Card>
  );
}

/** How it ended, its value, and what it printed. */
function Ending({ of }: { of: Pick<Rehearsed, 'ended' | 'value' | 'printed' | 'took_s'> }) {
  const w = words.value.tools;
  const { ended, value, printed, took_s } = of;
  return (
    <>
      <p>{w.ran(w.ended[ended] ?? ended, number(took_s, 1))}</p>
      {value !== null && value !== undefined && (
        <>
          <h3>{w.value}</h3>
          <pre>{typeof value === 'string' ? value : JSON.stringify(value, null, 1)}</pre>
        </>
      )}
      {printed !== '' && (
        <>
          <h3>{w.printed}</h3>
          <pre>{printed}</pre>
        </>
      )}
    </>
  );
}

/** What a rehearsal showed. */
function Trial({ of }: { of: Rehearsed }) {
  return (
    <div class="result">
      <div role="status">
        <strong>
          {words.value.replay.title}: {words.value.common.version(of.version)}
        </strong>
        <Ending of={of} />
      </div>
      {of.trims.map((trim: Trim, at) => (
        <p key={at} class="note">
          {told(trim)}
        </p>
      ))}
      {of.beats.length > 0 && <ReplayView replay={of} />}
    </div>
  );
}

function Result({ ran }: { ran: Ran }) {
  const w = words.value.tools;
  const { performance } = ran;
  const held = performance.steps.flatMap(notes);
  return (
    <div class="result" role="status">
      <Ending of={performance} />
      {held.map((note, at) => (
        <p key={at} class="note">
          {note}
        </p>
      ))}
      {performance.outputs.length > 0 && (
        <>
          <h3>{w.files}</h3>
          <div class="buttons">
            {performance.outputs.map(({ name, base64 }) => (
              <button
                type="button"
                key={name}
                disabled={base64 === undefined}
                onClick={() => download(name, 'application/octet-stream', bytes(base64 ?? ''))}
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

const bytes = (base64: string): ArrayBuffer =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer;
