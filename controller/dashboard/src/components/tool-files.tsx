/** What is kept beside a version of a tool: the picture of its rehearsal, its page, and the recording. */

import { useEffect, useState } from 'preact/hooks';
import { askFile } from '../net/http';
import type { Shown } from '../protocol/responses';
import { words } from '../i18n';
import { download, Outcome } from './basics';

const FILES = {
  page: { type: 'text/markdown', end: 'md' },
  recording: { type: 'application/octet-stream', end: 'rrd' },
} as const;

const place = (shown: Shown, file: string) => {
  const { name, version } = shown.manifest;
  return `/api/v1/tools/${encodeURIComponent(name)}/files/${file}?version=${version}`;
};

export function ToolFiles({ shown }: { shown: Shown }) {
  const w = words.value.tools;
  const { name, version } = shown.manifest;
  const [picture, setPicture] = useState<string | null>(null);
  const [outcome, setOutcome] = useState('');
  useEffect(() => {
    const ending = new AbortController();
    let url: string | null = null;
    setOutcome('');
    void askFile(place(shown, 'picture'), { signal: ending.signal }).then((answer) => {
      if (ending.signal.aborted || !answer.ok) return;
      // As a picture it can run nothing, whatever stands in it.
      url = URL.createObjectURL(new Blob([answer.value], { type: 'image/svg+xml' }));
      setPicture(url);
    });
    return () => {
      ending.abort();
      if (url !== null) URL.revokeObjectURL(url);
      setPicture(null);
    };
  }, [name, version]);
  const save = async (file: keyof typeof FILES) => {
    const { type, end } = FILES[file];
    const answer = await askFile(place(shown, file), { patience: 60_000 });
    if (answer.ok) download(`${name}-v${version}.${end}`, type, answer.value);
    setOutcome(answer.ok ? '' : answer.status === 404 ? w.noFile : answer.detail);
  };
  return (
    <>
      {picture !== null && (
        <div class="scroll" tabIndex={0} role="group" aria-label={w.picture(name, version)}>
          <img class="tool-picture" src={picture} alt={w.picture(name, version)} />
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
