/** The files of a tool version: the image of its rehearsal, its documentation and its recording. */

import { useEffect, useState } from 'preact/hooks';
import { requestFile } from '../net/http';
import type { ToolDetails } from '../protocol/responses';
import { messages } from '../i18n';
import { download, Outcome } from './basics';
import { useToolImage } from './tool-image';

const FILES = {
  page: { type: 'text/markdown', end: 'md' },
  recording: { type: 'application/octet-stream', end: 'rrd' },
} as const;

const fileUrl = (tool: ToolDetails, file: string) => {
  const { name, version } = tool.manifest;
  return `/api/v1/tools/${encodeURIComponent(name)}/files/${file}?version=${version}`;
};

export function ToolFiles({ tool }: { tool: ToolDetails }) {
  const w = messages.value.tools;
  const { name, version } = tool.manifest;
  const [outcome, setOutcome] = useState('');
  const image = useToolImage({ name, version });
  useEffect(() => setOutcome(''), [name, version]);
  const save = async (file: keyof typeof FILES) => {
    const { type, end } = FILES[file];
    const answer = await requestFile(fileUrl(tool, file), { timeoutMs: 60_000 });
    if (answer.ok) download(`${name}-v${version}.${end}`, type, answer.value);
    setOutcome(answer.ok ? '' : answer.status === 404 ? w.noFile : answer.detail);
  };
  return (
    <>
      {image !== null && (
        <div class="scroll" tabIndex={0} role="group" aria-label={w.image(name, version)}>
          <img class="tool-image" src={image} alt={w.image(name, version)} />
        </div>
      )}
      <div class="buttons">
        <button type="button" onClick={() => void save('page')}>
          {w.page}
        </button>
        <button type="button" onClick={() => void save('recording')}>
          {w.recording}
        </button>
      </div>
      <Outcome text={outcome} />
    </>
  );
}
