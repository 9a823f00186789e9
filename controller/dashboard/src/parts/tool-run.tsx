/** Running a tool with arguments of one's own, and what came of it. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { fields, filled } from '../logic/form';
import { post, type Answer } from '../net/http';
import type { Ran, Shown } from '../wire/answers';
import { number, words } from '../words';
import { SchemaForm } from './schema-form';
import { Card, DeedButton, download, Outcome } from './small';
import { notes } from './turns';

export function RunTool({ shown, onRan }: { shown: Shown; onRan: () => void }) {
  const w = words.value.tools;
  const { name, parameters } = shown.manifest;
  const all = useMemo(() => fields(parameters), [parameters]);
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [tried, setTried] = useState(false);
  const [result, setResult] = useState<Answer<Ran> | null>(null);
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
          {running && (
            <button type="button" onClick={() => running.abort()}>
              {words.value.talk.halt}
            </button>
          )}
        </div>
      </form>
      {result && (result.ok ? <Result ran={result.value} /> : <Outcome bad text={result.detail} />)}
    </Card>
  );
}

function Result({ ran }: { ran: Ran }) {
  const w = words.value.tools;
  const { performance } = ran;
  const held = performance.steps.flatMap(notes);
  return (
    <div class="result" role="status">
      <p>{w.ran(w.ended[performance.ended] ?? performance.ended, number(performance.took_s, 1))}</p>
      {performance.value !== null && performance.value !== undefined && (
        <>
          <h3>{w.value}</h3>
          <pre>
            {typeof performance.value === 'string'
              ? performance.value
              : JSON.stringify(performance.value, null, 1)}
          </pre>
        </>
      )}
      {performance.printed !== '' && (
        <>
          <h3>{w.printed}</h3>
          <pre>{performance.printed}</pre>
        </>
      )}
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
