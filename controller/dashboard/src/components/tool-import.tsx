/** Imports the tools of a signed file that another controller exported. */

import { useState } from 'preact/hooks';
import { importBundle, MAX_BYTES, refusalOf } from '../net/bundles';
import type { ImportRefusal, ImportResult } from '../protocol/responses';
import { messages } from '../i18n';
import { isAllowed } from '../net/live';
import { Card, NeedsRole, Outcome } from './basics';
import { Elapsed } from './elapsed';
import { Findings } from './findings';
import { path } from './route';

type Progress =
  | { step: 'waiting' }
  | { step: 'checking'; file: string }
  | { step: 'failed'; detail: string; refusal: ImportRefusal | null }
  | { step: 'imported'; result: ImportResult };

export default function ImportTools({ onImported }: { onImported: () => void }) {
  const w = messages.value.tools.bundle;
  const [progress, setProgress] = useState<Progress>({ step: 'waiting' });
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    // The server would close the connection without an answer that a browser shows.
    if (file.size > MAX_BYTES) {
      setProgress({ step: 'failed', detail: w.tooLarge, refusal: null });
      return;
    }
    setProgress({ step: 'checking', file: file.name });
    const answer = await importBundle(file);
    if (answer.ok) {
      setProgress({ step: 'imported', result: answer.value });
      onImported();
    } else {
      setProgress({ step: 'failed', detail: answer.detail, refusal: refusalOf(answer.value) });
    }
  };
  const isChecking = progress.step === 'checking';
  return (
    <div class="view">
      <p class="back">
        <a href={path('tools')}>← {messages.value.tools.list}</a>
      </p>
      <Card title={w.importTitle}>
        <p>{w.importIntro}</p>
        <NeedsRole action="add" />
        <label
          class="drop-zone"
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            if (!isChecking && isAllowed('add')) void take(event.dataTransfer?.files[0]);
          }}
        >
          <span>{w.choose}</span>
          <input
            type="file"
            accept=".bundle"
            disabled={isChecking || !isAllowed('add')}
            onChange={(event) => {
              void take(event.currentTarget.files?.[0]);
              // The same file can be chosen again after it was changed.
              event.currentTarget.value = '';
            }}
          />
        </label>
        <Report progress={progress} />
      </Card>
    </div>
  );
}

function Report({ progress }: { progress: Progress }) {
  const w = messages.value.tools.bundle;
  if (progress.step === 'waiting') return null;
  if (progress.step === 'checking') {
    return (
      <p class="note" role="status">
        {w.checking(progress.file)} <Elapsed />
      </p>
    );
  }
  if (progress.step === 'failed') {
    const { detail, refusal } = progress;
    const findings = refusal?.checked.at(-1)?.findings ?? [];
    return (
      <>
        <Outcome bad text={detail} />
        {refusal !== null && refusal.signer !== null && <Signer {...refusal} />}
        {findings.length > 0 && <Findings all={findings} />}
      </>
    );
  }
  const { result } = progress;
  return (
    <>
      <Outcome text={w.imported(result.imported.length)} />
      <ul class="plain-list">
        {result.imported.map((tool) => (
          <li key={tool.name}>
            <a href={path('tools', tool.name)} class="mono">
              {tool.name}
            </a>{' '}
            <span class="badge">v{tool.version}</span>{' '}
            {tool.needs_approval && <span class="badge is-warn">{w.needsApproval}</span>}
          </li>
        ))}
      </ul>
      <Signer {...result} />
    </>
  );
}

function Signer({ signer, trusted }: { signer: string | null; trusted: boolean }) {
  const w = messages.value.tools.bundle;
  return (
    <p class="note">
      {trusted ? w.trusted : w.untrusted} <span class="mono signer">{signer}</span>
    </p>
  );
}
