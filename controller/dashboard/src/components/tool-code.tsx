/** Shows the code of a version with its findings, or the differences from another version. */

import { useEffect, useState } from 'preact/hooks';
import { CodeEditor } from '../editor/code-editor';
import { diff } from '../logic/diff';
import { request } from '../net/http';
import { draftFrom } from '../net/tool-draft';
import { TOOL } from '../protocol/compat';
import type { ToolDetails } from '../protocol/responses';
import { messages } from '../i18n';
import { Findings } from './findings';
import { Card, RoleButton } from './basics';
import { go } from './route';

interface ToolCodeProps {
  tool: ToolDetails;
  versions: number[];
  onVersion: (version: number) => void;
}

export function ToolCode({ tool, versions, onVersion }: ToolCodeProps) {
  const w = messages.value.tools;
  const { name, version, findings } = tool.manifest;
  const [comparedVersion, setComparedVersion] = useState(0);
  const [other, setOther] = useState<string | null>(null);
  const [loadError, setLoadError] = useState('');
  const [line, setLine] = useState<{ number: number } | null>(null);
  useEffect(() => {
    setOther(null);
    setLoadError('');
    if (comparedVersion === 0) return;
    const ending = new AbortController();
    const path = `/api/v1/tools/${encodeURIComponent(name)}?version=${comparedVersion}`;
    void request<ToolDetails>(path, { signal: ending.signal, shape: TOOL }).then((answer) => {
      if (ending.signal.aborted) return;
      if (answer.ok) setOther(answer.value.code);
      else setLoadError(answer.detail);
    });
    return () => ending.abort();
  }, [name, comparedVersion]);
  const edit = () => {
    draftFrom(name, version, tool.code, tool.manifest.expects ?? []);
    go('tools', '+');
  };
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
            {w.compareWith}
            <select
              value={comparedVersion}
              onChange={(event) => setComparedVersion(Number(event.currentTarget.value))}
            >
              <option value={0}>{w.noComparison}</option>
              {versions
                .filter((one) => one !== version)
                .map((one) => (
                  <option key={one} value={one}>
                    {messages.value.common.version(one)}
                  </option>
                ))}
            </select>
          </label>
        </div>
      }
    >
      {loadError !== '' && <p class="outcome is-bad">{loadError}</p>}
      {other === null ? (
        <CodeEditor text={tool.code} label={w.code} findings={findings} line={line} />
      ) : (
        <Changes before={other} after={tool.code} />
      )}
      {Object.keys(tool.modules ?? {}).length === 0 && (
        <p class="buttons">
          <RoleButton action="check" onClick={edit}>
            {w.edit}
          </RoleButton>
        </p>
      )}
      {Object.entries(tool.modules ?? {}).map(([stem, code]) => (
        <details key={stem}>
          <summary class="mono">{stem}.py</summary>
          <CodeEditor text={code} label={`${stem}.py`} />
        </details>
      ))}
      <h3>{w.findings}</h3>
      <Findings all={findings} onLine={(number) => setLine({ number })} />
    </Card>
  );
}

export function Changes({ before, after }: { before: string; after: string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={messages.value.tools.changes}>
      <table class="diff mono">
        <tbody>
          {diff(before, after).map((line, at) => (
            <tr
              key={at}
              class={line.sign === '+' ? 'is-plus' : line.sign === '-' ? 'is-minus' : ''}
            >
              <td>{line.oldNumber}</td>
              <td>{line.newNumber}</td>
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
