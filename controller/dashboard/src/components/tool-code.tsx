/** The code of a version with its findings, or what differs from another version. */

import { useEffect, useState } from 'preact/hooks';
import { Code } from '../editor/code-editor';
import { diff } from '../logic/diff';
import { ask } from '../net/http';
import type { Shown } from '../protocol/responses';
import { words } from '../i18n';
import { Findings } from './findings';
import { Card, DeedButton } from './basics';
import { editCopy } from './tool-new';

interface Versions {
  shown: Shown;
  versions: number[];
  onVersion: (version: number) => void;
}

export function ToolCode({ shown, versions, onVersion }: Versions) {
  const w = words.value.tools;
  const { name, version, findings } = shown.manifest;
  const [against, setAgainst] = useState(0);
  const [other, setOther] = useState<string | null>(null);
  const [trouble, setTrouble] = useState('');
  const [line, setLine] = useState<{ number: number } | null>(null);
  useEffect(() => {
    setOther(null);
    setTrouble('');
    if (against === 0) return;
    const ending = new AbortController();
    const path = `/api/v1/tools/${encodeURIComponent(name)}?version=${against}`;
    void ask<Shown>(path, { signal: ending.signal }).then((answer) => {
      if (ending.signal.aborted) return;
      if (answer.ok) setOther(answer.value.code);
      else setTrouble(answer.detail);
    });
    return () => ending.abort();
  }, [name, against]);
  return (
    <Card
      title={w.code}
      aside={
        <div class="row versions">
          <label>
            {w.versions}
            <select
              value={version}
              onChange={(event) => onVersion(Number(event.currentTarget.value))}
            >
              {versions.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
          <label>
            {w.against}
            <select
              value={against}
              onChange={(event) => setAgainst(Number(event.currentTarget.value))}
            >
              <option value={0}>{w.nothing}</option>
              {versions
                .filter((one) => one !== version)
                .map((one) => (
                  <option key={one} value={one}>
                    {words.value.common.version(one)}
                  </option>
                ))}
            </select>
          </label>
        </div>
      }
    >
      {trouble !== '' && <p class="outcome is-bad">{trouble}</p>}
      {other === null ? (
        <Code text={shown.code} label={w.code} findings={findings} line={line} />
      ) : (
        <Changes before={other} after={shown.code} />
      )}
      {Object.keys(shown.modules ?? {}).length === 0 && (
        <p class="buttons">
          <DeedButton deed="check" onClick={() => editCopy(shown.code)}>
            {w.edit}
          </DeedButton>
        </p>
      )}
      {Object.entries(shown.modules ?? {}).map(([stem, code]) => (
        <details key={stem}>
          <summary class="mono">{stem}.py</summary>
          <Code text={code} label={`${stem}.py`} />
        </details>
      ))}
      <h3>{w.findings}</h3>
      <Findings all={findings} onLine={(number) => setLine({ number })} />
    </Card>
  );
}

function Changes({ before, after }: { before: string; after: string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={words.value.tools.changes}>
      <table class="diff mono">
        <tbody>
          {diff(before, after).map((line, at) => (
            <tr
              key={at}
              class={line.sign === '+' ? 'is-plus' : line.sign === '-' ? 'is-minus' : ''}
            >
              <td>{line.was}</td>
              <td>{line.is}</td>
              <td>{line.sign}</td>
              <td>
                <code>{line.text}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
