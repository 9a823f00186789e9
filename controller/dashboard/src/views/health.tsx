/** How well the robot is: its pulse, its faults, its motors, and what the doctor says. */

import { useState } from 'preact/hooks';
import { ask, post } from '../net/http';
import { body, bodyStale, health, healthStale } from '../net/live';
import { Motors } from '../components/motors';
import { Card, DeedButton, Outcome } from '../components/basics';
import type { Check, Spread } from '../protocol/responses';
import { number, words } from '../i18n';
import { ofRobot } from '../net/robots';

export function HealthView() {
  const w = words.value;
  const fault = body.value?.state.fault;
  const told = health.value?.state;
  return (
    <div class="view health-view">
      <Pulse />
      <Card title={w.health.lastFault} class={healthStale.value ? 'is-old' : ''}>
        {fault && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        {told && !fault && <p>{w.health.well}</p>}
        {told?.last_fault ? (
          <dl class="facts">
            <dt>{told.last_fault.kind}</dt>
            <dd>
              {told.last_fault.says} ({w.health.times(told.last_fault.times)})
            </dd>
          </dl>
        ) : (
          <p class="note">{w.health.noFault}</p>
        )}
        <p class="note">
          {w.health.program} {told?.version ?? '–'}
        </p>
      </Card>
      <Card title={w.robot.motors} class={`wide ${bodyStale.value ? 'is-old' : ''}`}>
        <Motors />
      </Card>
      <Doctor />
    </div>
  );
}

function Pulse() {
  const w = words.value.health;
  const [outcome, setOutcome] = useState({ text: '', bad: false });
  const told = health.value?.state;
  const pulse = told?.pulse;
  const measure = async () => {
    const answer = await post<{ measured: string }>('/api/v1/pulse/measure');
    setOutcome({ text: answer.ok ? answer.value.measured : answer.detail, bad: !answer.ok });
  };
  const spreads: [string, Spread | null | undefined][] = [
    [w.jitter, pulse?.jitter],
    [w.lateness, pulse?.lateness],
    [w.work, pulse?.work],
  ];
  const micros = (value: number | undefined) => {
    if (value === undefined) return '–';
    return value < 1000 ? `${number(value, 1)} µs` : `${number(value / 1000, 1)} ms`;
  };
  return (
    <Card
      title={w.pulse}
      class={healthStale.value ? 'is-old' : ''}
      aside={
        <DeedButton deed="measure" onClick={() => void measure()}>
          {w.measure}
        </DeedButton>
      }
    >
      <dl class="facts">
        <dt>{w.rate}</dt>
        <dd>{pulse ? `${number(1e6 / pulse.period_us, 0)} Hz` : '–'}</dd>
        <dt>{w.beats}</dt>
        <dd>{told ? number(told.beats) : '–'}</dd>
        <dt>{w.late}</dt>
        <dd>{told ? number(told.late_beats) : '–'}</dd>
        <dt>{w.realtime}</dt>
        <dd>{pulse?.privilege?.realtime_priority ?? words.value.common.no}</dd>
        <dt>{w.memory}</dt>
        <dd>{pulse?.privilege?.memory_locked ? words.value.common.yes : words.value.common.no}</dd>
      </dl>
      <div class="scroll" tabIndex={0} role="group" aria-label={w.pulse}>
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">{w.pulse}</span>
              </th>
              <th scope="col">{w.half}</th>
              <th scope="col">{w.most}</th>
              <th scope="col">{w.worst}</th>
            </tr>
          </thead>
          <tbody>
            {spreads.map(([title, spread]) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                <td>{micros(spread?.p50_us)}</td>
                <td>{micros(spread?.p99_us)}</td>
                <td>{micros(spread?.max_us)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(pulse?.privilege?.notes ?? []).map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <Outcome text={outcome.text} bad={outcome.bad} />
    </Card>
  );
}

const checks = ofRobot<Check[] | null>(null);
const unable = ofRobot('');
const CLASS = { good: 'is-good', warn: 'is-warn', bad: 'is-bad' } as const;

async function examine(): Promise<void> {
  const answer = await ask<{ checks: Check[] }>('/api/v1/doctor', { patience: 60_000 });
  const isMissing = !answer.ok && answer.status === 404;
  unable.value = answer.ok ? '' : isMissing ? words.value.health.noDoctor : answer.detail;
  checks.value = answer.ok ? answer.value.checks : null;
}

function Doctor() {
  const w = words.value.health;
  const [busy, setBusy] = useState(false);
  const look = async () => {
    setBusy(true);
    await examine();
    setBusy(false);
  };
  return (
    <Card
      title={w.doctor}
      class="wide"
      aside={
        <DeedButton deed="examine" disabled={busy} onClick={() => void look()}>
          {busy ? `${words.value.common.loading} …` : w.examine}
        </DeedButton>
      }
    >
      <p class="note one-line" role="status">
        {unable.value}
      </p>
      <ul class="checks">
        {(checks.value ?? []).map((check, at) => (
          <li key={at}>
            <span class={`badge ${CLASS[check.state] ?? ''}`}>{w.states[check.state]}</span>
            <span>
              <strong>{check.name}</strong>: {check.detail}
              {check.remedy && (
                <p class="note">
                  {w.remedy}: {check.remedy}
                </p>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
