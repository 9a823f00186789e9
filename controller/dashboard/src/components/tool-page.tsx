/** The page of one tool: description, approval, run, code and rehearsal. */

import { useEffect, useState } from 'preact/hooks';
import { request, post } from '../net/http';
import { TOOL } from '../protocol/compat';
import type { ToolSummary, ToolDetails, Usage } from '../protocol/responses';
import { formatTime, formatNumber, messages } from '../i18n';
import { ReportPlots } from './report';
import { path } from './route';
import { Card, RoleButton, Outcome } from './basics';
import { ToolApproval } from './tool-approval';
import { ToolCode } from './tool-code';
import { ToolFiles } from './tool-files';
import { RunTool } from './tool-run';
import { ShareTool } from './tool-share';

interface ToolPageProps {
  name: string;
  listed: ToolSummary | undefined;
  onChange: () => void;
}

export function ToolPage({ name, listed, onChange }: ToolPageProps) {
  const w = messages.value.tools;
  const [version, setVersion] = useState<number | null>(null);
  const [tool, setTool] = useState<ToolDetails | null>(null);
  const [loadError, setLoadError] = useState('');
  const [reloads, setReloads] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    const query = version === null ? '' : `?version=${version}`;
    void request<ToolDetails>(`/api/v1/tools/${encodeURIComponent(name)}${query}`, {
      signal: ending.signal,
      shape: TOOL,
    }).then((answer) => {
      if (ending.signal.aborted) return;
      setLoadError(answer.ok ? '' : answer.detail);
      if (answer.ok) setTool(answer.value);
    });
    return () => ending.abort();
  }, [name, version, reloads]);
  const reload = () => {
    setReloads(reloads + 1);
    onChange();
  };
  return (
    <div class="view">
      <p class="back">
        <a href={path('tools')}>← {w.list}</a>
      </p>
      {loadError !== '' && <Outcome bad text={loadError} />}
      {tool && (
        <>
          <About tool={tool} listed={listed} again={reload} />
          <RunTool tool={tool} onRun={reload} />
          <ToolCode
            tool={tool}
            versions={listed?.versions ?? [tool.manifest.version]}
            onVersion={setVersion}
          />
          <Card title={w.report}>
            {tool.manifest.report ? (
              <ReportPlots report={tool.manifest.report} />
            ) : (
              <p class="note">{w.noReport}</p>
            )}
            <ToolFiles tool={tool} />
          </Card>
        </>
      )}
    </div>
  );
}

function About({
  tool,
  listed,
  again,
}: {
  tool: ToolDetails;
  listed: ToolSummary | undefined;
  again: () => void;
}) {
  const w = messages.value.tools;
  const { manifest } = tool;
  const [outcome, setOutcome] = useState({ text: '', bad: false });
  const [busy, setBusy] = useState(false);
  useEffect(() => setOutcome({ text: '', bad: false }), [manifest.name]);
  const perform = async (operation: string, body: unknown, success: string) => {
    setBusy(true);
    setOutcome({ text: operation === 'approve' ? `${w.approving} …` : '', bad: false });
    const answer = await post(
      `/api/v1/tools/${encodeURIComponent(manifest.name)}/${operation}`,
      body,
    );
    setBusy(false);
    setOutcome(answer.ok ? { text: success, bad: false } : { text: answer.detail, bad: true });
    again();
  };
  const { version } = manifest;
  // A rollback only goes to a version before the current one.
  const isEarlier = listed !== undefined && version < listed.version;
  return (
    <Card
      title={manifest.name}
      aside={
        <span class="buttons">
          <span class={`badge ${tool.approved ? 'is-good' : 'is-warn'}`}>
            {tool.approved ? w.approved : w.unapproved}
          </span>
          {!tool.active && <span class="badge is-bad">{w.disabled}</span>}
          {tool.quarantine !== null && <span class="badge is-bad">{w.quarantined}</span>}
        </span>
      }
    >
      <p>{manifest.description}</p>
      <dl class="facts">
        <dt>{w.versions}</dt>
        <dd>{version}</dd>
        <dt>{w.author}</dt>
        <dd>{listed?.predefined ? w.predefined : manifest.provenance.author}</dd>
        <dt>{w.capabilities}</dt>
        <dd>{manifest.capabilities.join(', ') || messages.value.common.none}</dd>
        <dt>{w.usage}</dt>
        <dd>{usageText(tool.usage.tool)}</dd>
      </dl>
      <ToolApproval
        tool={tool}
        busy={busy}
        onApprove={() => void perform('approve', { version }, w.approved)}
      />
      <div class="buttons">
        {isEarlier && (
          <RoleButton
            action="manage"
            disabled={busy}
            onClick={() => void perform('rollback', { to: version }, w.rolledBack(version))}
          >
            {w.rollback}
          </RoleButton>
        )}
        <RoleButton
          action="manage"
          disabled={busy}
          onClick={() => void perform(tool.active ? 'deactivate' : 'activate', {}, '')}
        >
          {tool.active ? w.disable : w.enable}
        </RoleButton>
      </div>
      <Outcome text={outcome.text} bad={outcome.bad} />
      <ShareTool name={manifest.name} />
    </Card>
  );
}

function usageText(usage: Usage): string {
  const w = messages.value.tools;
  const last = usage.last_run === 0 ? messages.value.common.never : formatTime(usage.last_run);
  const parts = [
    w.runs(usage.runs),
    w.failures(usage.failures),
    w.seconds(formatNumber(usage.seconds, 1)),
    w.lastRun(last),
  ];
  return parts.join(' · ');
}
