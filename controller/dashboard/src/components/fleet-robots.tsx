/** The robots of the fleet, each with its image and state, and their selection. */

import { conditionOf, groupsOf, sortRobots, toggleAll, wordFor } from '../logic/fleet';
import { fleet, fleetOld, selected } from '../net/fleet';
import { pictures } from '../net/fleet-pictures';
import type { FleetRobot } from '../protocol/fleet';
import { formatDuration, formatNumber, messages } from '../i18n';
import { Card } from './basics';
import { Check } from './fleet-check';

export function FleetRobots() {
  const w = messages.value.fleet;
  const state = fleet.value?.state;
  const robots = sortRobots(state?.robots ?? []);
  return (
    <Card title={w.robots} class={`fleet-robots-card ${fleetOld.value ? 'is-old' : ''}`}>
      {robots.length > 0 && <Selection robots={robots} />}
      {state !== undefined && robots.length === 0 && (
        <>
          <p class="note">{w.noRobots}</p>
          <pre>minismith fleet join NAME</pre>
        </>
      )}
      <ul class="fleet-robots">
        {robots.map((robot) => (
          <Robot key={robot.name} robot={robot} />
        ))}
      </ul>
    </Card>
  );
}

/** Selects many robots at once. Only a robot's own check box selects it while it is absent. */
function Selection({ robots }: { robots: FleetRobot[] }) {
  const w = messages.value.fleet;
  const present = robots.filter((robot) => robot.present);
  const names = present.map((robot) => robot.name);
  const isSelected = (members: string[]) =>
    members.length > 0 && members.every((name) => selected.value.has(name));
  const toggle = (members: string[]) => (selected.value = toggleAll(selected.value, members));
  return (
    <div class="buttons fleet-selection" role="group" aria-label={w.selection}>
      <button
        type="button"
        aria-pressed={isSelected(names)}
        disabled={names.length === 0}
        onClick={() => toggle(names)}
      >
        {w.allPresent}
      </button>
      {[...groupsOf(present)].map(([group, members]) => (
        <button
          key={group}
          type="button"
          aria-pressed={isSelected(members)}
          onClick={() => toggle(members)}
        >
          {w.group(group)}
        </button>
      ))}
      <button
        type="button"
        disabled={selected.value.size === 0}
        onClick={() => (selected.value = new Set())}
      >
        {w.clearSelection}
      </button>
    </div>
  );
}

const LEVELS = {
  absent: 'is-plain',
  silent: 'is-warn',
  no_controller: 'is-bad',
  fault: 'is-bad',
  motion: 'is-good',
} as const;

function Robot({ robot }: { robot: FleetRobot }) {
  const w = messages.value.fleet;
  const { name, status } = robot;
  const condition = conditionOf(robot);
  const motion = condition === 'motion' ? status?.motion_state : null;
  const state = motion ? wordFor(messages.value.motionStates, motion) : w.conditions[condition];
  const isSelected = selected.value.has(name);
  return (
    <li class={`fleet-robot is-${condition} ${isSelected ? 'is-selected' : ''}`}>
      <div class="fleet-robot-head">
        <Check
          checked={isSelected}
          onChange={() => (selected.value = toggleAll(selected.value, [name]))}
        >
          {name}
        </Check>
        <span class={`badge ${LEVELS[condition]}`}>{state}</span>
        {status?.stopped && (
          <span class="badge is-warn">{w.stoppedBy(status.stopped.caller ?? w.unknownCaller)}</span>
        )}
      </div>
      {status?.stopped?.holds_lease === false && <p class="note">{w.stopRepeats}</p>}
      {status?.fault && <p class="fleet-fault">{status.fault}</p>}
      <div class="fleet-robot-body">
        <Picture robot={robot} />
        <Facts robot={robot} />
      </div>
    </li>
  );
}

function Picture({ robot }: { robot: FleetRobot }) {
  const w = messages.value.fleet;
  const url = pictures.value.get(robot.name);
  return (
    <div class="fleet-picture">
      {url !== undefined && <img src={url} alt={w.picture(robot.name)} />}
      {robot.picture === null && (
        <p class="note">
          {w.noPicture} <code>--camera-hz</code>
        </p>
      )}
    </div>
  );
}

/** A small offset with a decimal, since it is usually below a millisecond. */
function offsetText(ms: number): string {
  if (Math.abs(ms) < 100) return `${formatNumber(ms, 1)} ms`;
  return `${ms < 0 ? '−' : ''}${formatDuration(Math.abs(ms))}`;
}

function Facts({ robot }: { robot: FleetRobot }) {
  const w = messages.value;
  const { status, clock } = robot;
  const trip = clock?.round_trip_ms ?? null;
  const rows: [string, string][] = [
    [w.robot.temperature, unit(status?.temperature_c, 0, '°C')],
    [w.robot.voltage, unit(status?.voltage_v, 1, 'V')],
    [w.fleet.clock, clock === null ? '–' : offsetText(clock.offset_ms)],
    [w.fleet.commands, status?.commands.join(', ') || '–'],
    [w.fleet.groups, status?.groups.join(', ') || '–'],
    [w.fleet.version, status?.version || '–'],
  ];
  return (
    <div>
      {!robot.present && status !== null && <p class="note">{w.fleet.lastKnown}</p>}
      <dl class="facts" {...(trip === null ? {} : { title: w.fleet.roundTrip(offsetText(trip)) })}>
        {rows.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const unit = (value: number | null | undefined, digits: number, name: string): string =>
  value === null || value === undefined ? '–' : `${formatNumber(value, digits)} ${name}`;
