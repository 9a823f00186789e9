/** The health of the robot: control loop, faults, motors and diagnostics. */

import { useState } from 'preact/hooks';
import { post } from '../net/http';
import { robotState, robotStateStale, health, healthStale } from '../net/live';
import { Motors } from '../components/motors';
import { Card, RoleButton, Outcome } from '../components/basics';
import { DoctorPage } from '../components/doctor';
import { path, route } from '../components/route';
import { WhyFault } from '../components/why';
import { RESET_STATISTICS_PATH } from '../protocol/compat';
import type { Percentiles } from '../protocol/responses';
import { formatNumber, messages } from '../i18n';

export default function HealthView() {
  const w = messages.value;
  if (route.value.rest[0] === 'doctor') return <DoctorPage />;
  const fault = robotState.value?.state.fault;
  const status = health.value?.state;
  return (
    <div class="view health-view">
      <ControlLoop />
      <Card
        title={w.health.lastFault}
        class={healthStale.value ? 'is-old' : ''}
        aside={
          <a class="button" href={path('health', 'doctor')}>
            {w.help.doctor.open}
          </a>
        }
      >
        {fault && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        {fault && <WhyFault />}
        {status && !fault && <p>{w.health.noFaults}</p>}
        {status?.last_fault ? (
          <>
            <dl class="facts">
              <dt>{status.last_fault.kind}</dt>
              <dd>
                {status.last_fault.message} ({w.health.times(status.last_fault.count)})
              </dd>
            </dl>
            {!fault && <WhyFault />}
          </>
        ) : (
          <p class="note">{w.health.noFaultYet}</p>
        )}
        <p class="note">
          {w.health.version} {status?.version ?? '–'}
        </p>
      </Card>
      <Card title={w.robot.motors} class={`wide ${robotStateStale.value ? 'is-old' : ''}`}>
        <Motors />
      </Card>
    </div>
  );
}

function ControlLoop() {
  const w = messages.value.health;
  const [outcome, setOutcome] = useState({ text: '', bad: false });
  const status = health.value?.state;
  const loop = status?.control_loop;
  const resetStatistics = async () => {
    const answer = await post<{ measured: string }>(RESET_STATISTICS_PATH);
    setOutcome({ text: answer.ok ? answer.value.measured : answer.detail, bad: !answer.ok });
  };
  const rows: [string, Percentiles | null | undefined][] = [
    [w.jitter, loop?.jitter],
    [w.wakeupLatency, loop?.wakeup_latency],
    [w.cycleTime, loop?.cycle_time],
  ];
  const micros = (value: number | undefined) => {
    if (value === undefined) return '–';
    return value < 1000 ? `${formatNumber(value, 1)} µs` : `${formatNumber(value / 1000, 1)} ms`;
  };
  return (
    <Card
      title={w.controlLoop}
      class={healthStale.value ? 'is-old' : ''}
      aside={
        <RoleButton action="maintain" onClick={() => void resetStatistics()}>
          {w.resetStatistics}
        </RoleButton>
      }
    >
      <dl class="facts">
        <dt>{w.rate}</dt>
        <dd>{loop ? `${formatNumber(1e6 / loop.period_us, 0)} Hz` : '–'}</dd>
        <dt>{w.cycles}</dt>
        <dd>{status ? formatNumber(status.cycles) : '–'}</dd>
        <dt>{w.overruns}</dt>
        <dd>{status ? formatNumber(status.overruns) : '–'}</dd>
        <dt>{w.realtime}</dt>
        <dd>{loop?.scheduling?.realtime_priority ?? messages.value.common.no}</dd>
        <dt>{w.memory}</dt>
        <dd>
          {loop?.scheduling?.memory_locked ? messages.value.common.yes : messages.value.common.no}
        </dd>
      </dl>
      <div class="scroll" tabIndex={0} role="group" aria-label={w.controlLoop}>
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">{w.controlLoop}</span>
              </th>
              <th scope="col">{w.p50}</th>
              <th scope="col">{w.p99}</th>
              <th scope="col">{w.max}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([title, percentiles]) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                <td>{micros(percentiles?.p50_us)}</td>
                <td>{micros(percentiles?.p99_us)}</td>
                <td>{micros(percentiles?.max_us)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(loop?.scheduling?.notes ?? []).map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <Outcome text={outcome.text} bad={outcome.bad} />
    </Card>
  );
}
