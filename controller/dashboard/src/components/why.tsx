/** Says why something was refused, clamped or went wrong: the rule or limit, the measurement and the source. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { limits } from '../net/limits';
import { health, robotState } from '../net/live';
import { loadRules, rules } from '../net/rules';
import type { Clamp, Finding } from '../protocol/responses';
import { formatNumber, messages } from '../i18n';
import { path } from './route';

interface WhyProps {
  onOpen?: () => void;
  children: ComponentChildren;
}

/** The explanation is built when it is opened. */
function Why({ onOpen, children }: WhyProps) {
  const [open, setOpen] = useState(false);
  const toggle = (event: Event) => {
    const isOpen = (event.currentTarget as HTMLDetailsElement).open;
    setOpen(isOpen);
    if (isOpen) onOpen?.();
  };
  return (
    <details class="why" onToggle={toggle}>
      <summary>{messages.value.help.why.why}</summary>
      {open && <dl>{children}</dl>}
    </details>
  );
}

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

/** Why a finding was made: the rule with its examples, what was measured, and where. */
export function WhyFinding({ finding }: { finding: Finding }) {
  const w = messages.value.help.why;
  const rule = rules.value?.find(({ id }) => id === finding.rule);
  const advice = finding.hint || rule?.advice;
  return (
    <Why onOpen={() => void loadRules()}>
      <Part title={w.rule}>
        <span class="mono">{finding.rule}</span>{' '}
        {rule?.reason ?? (rules.value === null ? '…' : w.byRehearsal)}
      </Part>
      <Part title={w.measurement}>{finding.reason}</Part>
      {finding.line !== null && finding.line > 0 && (
        <Part title={w.source}>{w.line(finding.line)}</Part>
      )}
      {advice && <Part title={w.advice}>{advice}</Part>}
      {rule && (
        <>
          <Part title={w.good}>
            <pre>{rule.good}</pre>
          </Part>
          <Part title={w.bad}>
            <pre>{rule.bad}</pre>
          </Part>
        </>
      )}
    </Why>
  );
}

/** Returns the limit in force that a clamp is about. */
function limitText({ what, cause }: Clamp): string | null {
  const w = messages.value.help.why;
  const now = limits.value;
  if (now === null) return null;
  const joint = now.joints.find(({ name }) => name === what);
  if (joint === undefined) return ranges();
  const { name } = joint;
  if (cause === 'velocity') return w.velocity(name, formatNumber(joint.max_velocity_dps));
  if (cause === 'acceleration' && joint.max_acceleration_dps2 !== undefined)
    return w.acceleration(name, formatNumber(joint.max_acceleration_dps2));
  if (cause === 'relative_yaw' || cause === 'head_pitch_roll') return ranges();
  return w.positions(name, formatNumber(joint.min_deg), formatNumber(joint.max_deg));
}

function ranges(): string | null {
  const now = limits.value;
  if (now === null) return null;
  const { head_pitch_deg, head_roll_deg, relative_yaw_deg } = now;
  return messages.value.help.why.ranges(
    formatNumber(head_pitch_deg),
    formatNumber(head_roll_deg),
    formatNumber(relative_yaw_deg),
  );
}

/** Why motions were clamped. `texts` says by how much. */
export function WhyClamped({ clamps, texts }: { clamps: Clamp[]; texts: string[] }) {
  const w = messages.value.help.why;
  const known = [...new Set(clamps.map(limitText))].filter((text) => text !== null);
  return (
    <Why>
      <Part title={w.measurement}>{texts.join('; ')}</Part>
      {known.map((text) => (
        <Part key={text} title={w.limit}>
          {text}
        </Part>
      ))}
      <Part title={w.source}>{w.envelope}</Part>
    </Why>
  );
}

interface WhyNotDoneProps {
  said: string;
  outcome: string;
  reason: string;
}

/** Why a request did not end well. */
export function WhyNotDone({ said, outcome, reason }: WhyNotDoneProps) {
  const w = messages.value.help.why;
  const limit = outcome === 'refused' ? ranges() : null;
  return (
    <Why>
      <Part title={w.rule}>{w.outcomes[outcome] ?? outcome}</Part>
      <Part title={w.measurement}>{reason}</Part>
      {limit !== null && <Part title={w.limit}>{limit}</Part>}
      <Part title={w.source}>
        <a href={path('journal', said)}>{w.journal}</a>
      </Part>
    </Why>
  );
}

/** Why the robot has, or had, a fault: what was measured at the motor, and what is done about it. */
export function WhyFault() {
  const w = messages.value;
  const last = health.value?.state.last_fault;
  if (!last) return null;
  const motor = robotState.value?.state.joints.find(({ name }) => name === last.motor);
  const measured = motor && [
    `${formatNumber(motor.temperature_c ?? NaN)} °C`,
    `${formatNumber(motor.voltage_v ?? NaN, 1)} V`,
    ...motor.errors,
  ];
  return (
    <Why>
      <Part title={w.help.why.rule}>
        <span class="mono">{last.kind}</span>
      </Part>
      <Part title={w.help.why.measurement}>
        {last.message} ({w.help.why.times(last.count)})
      </Part>
      {motor && <Part title={w.help.why.motorNow(motor.name)}>{measured?.join(', ')}</Part>}
      <Part title={w.help.why.policy}>
        <span class="mono">{last.policy}</span>
      </Part>
      <Part title={w.help.why.advice}>
        <a href={path('health', 'doctor')}>{w.help.doctor.open}</a>
      </Part>
      <Part title={w.help.why.source}>
        <a href={path('journal', 'fault')}>{w.help.why.journal}</a>
      </Part>
    </Why>
  );
}
