/** The checks of the robot and its computer. What has to be fixed comes first, with its remedy. */

import { useEffect, useState } from 'preact/hooks';
import { request } from '../net/http';
import { isAllowed } from '../net/live';
import { robotSignal } from '../net/robots';
import type { DoctorCheck } from '../protocol/responses';
import { messages } from '../i18n';
import { Card, NeedsRole, Outcome, RoleButton } from './basics';
import { Elapsed } from './elapsed';
import { path } from './route';

const TIMEOUT_MS = 60_000;

const checks = robotSignal<DoctorCheck[] | null>(null);
const doctorError = robotSignal('');

const CLASS = { good: 'is-good', warn: 'is-warn', bad: 'is-bad' } as const;
const ORDER = ['bad', 'warn', 'good'];

async function runDoctor(): Promise<void> {
  const answer = await request<{ checks: DoctorCheck[] }>('/api/v1/doctor', {
    timeoutMs: TIMEOUT_MS,
  });
  const isMissing = !answer.ok && answer.status === 404;
  doctorError.value = answer.ok ? '' : isMissing ? messages.value.health.noDoctor : answer.detail;
  checks.value = answer.ok ? answer.value.checks : null;
}

export function DoctorPage() {
  const w = messages.value;
  const [busy, setBusy] = useState(false);
  const permitted = isAllowed('diagnose');
  const run = async () => {
    setBusy(true);
    await runDoctor();
    setBusy(false);
  };
  useEffect(() => {
    if (permitted && checks.value === null) void run();
  }, [permitted]);
  const all = [...(checks.value ?? [])].sort(
    (one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state),
  );
  const good = all.filter(({ state }) => state === 'good');
  const toFix = all.filter(({ state }) => state !== 'good');
  const count = (state: string) => all.filter((one) => one.state === state).length;
  return (
    <div class="view doctor-view">
      <p>
        <a href={path('health')}>← {w.help.doctor.back}</a>
      </p>
      <Card
        title={w.help.doctor.title}
        aside={
          <RoleButton action="diagnose" disabled={busy} onClick={() => void run()}>
            {w.health.runChecks}
          </RoleButton>
        }
      >
        <NeedsRole action="diagnose" />
        {busy ? (
          <p class="outcome" role="status">
            {w.help.doctor.running} … <Elapsed />
          </p>
        ) : (
          <Outcome
            bad={doctorError.value !== ''}
            text={
              doctorError.value ||
              (checks.value === null
                ? ''
                : w.help.doctor.summary(count('bad'), count('warn'), count('good')))
            }
          />
        )}
        {checks.value !== null && (
          <>
            <h3>{w.help.doctor.toFix}</h3>
            {toFix.length === 0 && <p class="note">{w.help.doctor.nothing}</p>}
            <Checks all={toFix} />
            {good.length > 0 && (
              <details>
                <summary>{w.help.doctor.fine(good.length)}</summary>
                <Checks all={good} />
              </details>
            )}
          </>
        )}
      </Card>
    </div>
  );
}

const Checks = ({ all }: { all: DoctorCheck[] }) => (
  <ul class="checks">
    {all.map((check, at) => (
      <li key={at}>
        <span class={`badge ${CLASS[check.state] ?? ''}`}>
          {messages.value.health.states[check.state]}
        </span>
        <span>
          <strong>{check.name}</strong>: <Code text={check.detail} />
          {check.remedy && <Remedy text={check.remedy} />}
        </span>
      </li>
    ))}
  </ul>
);

/** Text in which code stands between backticks. */
const Code = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

/** A remedy, with the command in it to copy. */
function Remedy({ text }: { text: string }) {
  const w = messages.value;
  const [copied, setCopied] = useState(false);
  // What is not a command, such as a key of the configuration, is not copied.
  const command = /`((?:minismith|make|sudo|apt|systemctl)\b[^`]+)`/.exec(text)?.[1];
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command ?? '');
      setCopied(true);
    } catch {
      // Browsers permit it only on this computer and over HTTPS; the text can be selected.
    }
  };
  return (
    <span class="remedy">
      <strong>{w.health.remedy}:</strong> <Code text={text} />
      {command !== undefined && (
        <button type="button" class="link" onClick={() => void copy()}>
          {copied ? w.help.doctor.copied : w.help.doctor.copy}
        </button>
      )}
    </span>
  );
}
