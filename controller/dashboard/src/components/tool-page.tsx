/** One tool: what it is, who stands for it, its run, its code and its rehearsal. */

import { useEffect, useState } from 'preact/hooks';
import { ask, post } from '../net/http';
import type { Listed, Shown, Usage } from '../protocol/responses';
import { moment, number, words } from '../i18n';
import { ReportPlots } from './report';
import { path } from './route';
import { Card, DeedButton, Outcome } from './basics';
import { ToolCode } from './tool-code';
import { ToolFiles } from './tool-files';
import { RunTool } from './tool-run';

interface Page {
  name: string;
  listed: Listed | undefined;
  onChange: () => void;
}

export function ToolPage({ name, listed, onChange }: Page) {
  const w = words.value.tools;
  const [version, setVersion] = useState<number | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const [trouble, setTrouble] = useState('');
  const [count, setCount] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    const query = version === null ? '' : `?version=${version}`;
    void ask<Shown>(`/api/v1/tools/${encodeURIComponent(name)}${query}`, {
      signal: ending.signal,
    }).then((answer) => {
      if (ending.signal.aborted) return;
      setTrouble(answer.ok ? '' : answer.detail);
      if (answer.ok) setShown(answer.value);
    });
    return () => ending.abort();
  }, [name, version, count]);
  const again = () => {
    setCount(count + 1);
    onChange();
  };
  return (
    <div class="view">
      <p class="back">
        <a href={path('tools')}>← {w.list}</a>
      </p>
      {trouble !== '' && <Outcome bad text={trouble} />}
      {shown && (
        <>
          <About shown={shown} listed={listed} again={again} />
          <RunTool shown={shown} onRan={again} />
          <ToolCode
            shown={shown}
            versions={listed?.versions ?? [shown.manifest.version]}
            onVersion={setVersion}
          />
          <Card title={w.report}>
            {shown.manifest.report ? (
              <ReportPlots report={shown.manifest.report} />
            ) : (
              <p class="note">{w.noReport}</p>
            )}
            <ToolFiles shown={shown} />
          </Card>
        </>
      )}
    </div>
  );
}

function About({
  shown,
  listed,
  again,
}: {
  shown: Shown;
  listed: Listed | undefined;
  again: () => void;
}) {
  const w = words.value.tools;
  const { manifest } = shown;
  const [outcome, setOutcome] = useState({ text: '', bad: false });
  const [busy, setBusy] = useState(false);
  useEffect(() => setOutcome({ text: '', bad: false }), [manifest.name]);
  const act = async (what: string, body: unknown, said: string) => {
    setBusy(true);
    setOutcome({ text: what === 'approve' ? `${w.approving} …` : '', bad: false });
    const answer = await post(`/api/v1/tools/${encodeURIComponent(manifest.name)}/${what}`, body);
    setBusy(false);
    setOutcome(answer.ok ? { text: said, bad: false } : { text: answer.detail, bad: true });
    again();
  };
  const { version } = manifest;
  // One goes back only: to what came before the version that is called.
  const isEarlier = listed !== undefined && version < listed.version;
  return (
    <Card
      title={manifest.name}
      aside={
        <span class="buttons">
          <span class={`badge ${shown.approved ? 'is-good' : 'is-warn'}`}>
            {shown.approved ? w.approved : w.unapproved}
          </span>
          {!shown.active && <span class="badge is-bad">{w.inactive}</span>}
          {shown.quarantine !== null && <span class="badge is-bad">{w.quarantined}</span>}
        </span>
      }
    >
      <p>{manifest.description}</p>
      <dl class="facts">
        <dt>{w.versions}</dt>
        <dd>{version}</dd>
        <dt>{w.author}</dt>
        <dd>{listed?.predefined ? w.predefined : manifest.provenance.author}</dd>
        <dt>{w.may}</dt>
        <dd>{manifest.capabilities.join(', ') || words.value.common.none}</dd>
        <dt>{w.statistics}</dt>
        <dd>{use(shown.usage.tool)}</dd>
      </dl>
      {shown.approval && <p class="note">{w.approvedBy(shown.approval.by)}</p>}
      <div class="buttons">
        {!shown.approved && (
          <DeedButton
            deed="approve"
            class="primary"
            disabled={busy}
            onClick={() => void act('approve', { version }, w.approved)}
          >
            {w.approve}
          </DeedButton>
        )}
        {isEarlier && (
          <DeedButton
            deed="shelve"
            disabled={busy}
            onClick={() => void act('rollback', { to: version }, w.rolledBack(version))}
          >
            {w.rollback}
          </DeedButton>
        )}
        <DeedButton
          deed="shelve"
          disabled={busy}
          onClick={() => void act(shown.active ? 'deactivate' : 'activate', {}, '')}
        >
          {shown.active ? w.deactivate : w.activate}
        </DeedButton>
      </div>
      <Outcome text={outcome.text} bad={outcome.bad} />
    </Card>
  );
}

function use(usage: Usage): string {
  const w = words.value.tools;
  const last = usage.last_run === 0 ? words.value.common.never : moment(usage.last_run);
  const parts = [
    w.runs(usage.runs),
    w.failures(usage.failures),
    w.seconds(number(usage.seconds, 1)),
    w.last(last),
  ];
  return parts.join(' · ');
}
