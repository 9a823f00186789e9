/** The tools of the fleet: which robot has which code, how it does there, and how tools travel. */

import { useEffect, useRef, useState } from 'preact/hooks';
import {
  catalogueOf,
  listNames,
  shortHash,
  sortRobots,
  type CatalogueTool,
  type Installation,
} from '../logic/fleet';
import {
  chosenTool,
  fleet,
  getTool,
  isBusy,
  fleetOld,
  recipients,
  shareTool,
  withdrawTool,
} from '../net/fleet';
import type { FleetRobot } from '../protocol/fleet';
import { messages } from '../i18n';
import { Card, NeedsRole, RoleButton } from './basics';

export function FleetTools() {
  const w = messages.value.fleet;
  const robots = sortRobots(fleet.value?.state.robots ?? []);
  const catalogue = catalogueOf(robots);
  return (
    <Card title={w.tools} class={`fleet-tools ${fleetOld.value ? 'is-old' : ''}`}>
      <NeedsRole action="fleet_tools" />
      <Actions robots={robots} names={catalogue.map((tool) => tool.name)} />
      {catalogue.length === 0 && <p class="note">{w.noTools}</p>}
      <ul class="fleet-catalogue">
        {catalogue.map((tool) => (
          <Tool key={tool.name} tool={tool} />
        ))}
      </ul>
    </Card>
  );
}

function Actions({ robots, names }: { robots: FleetRobot[]; names: string[] }) {
  const w = messages.value.fleet;
  const [confirming, setConfirming] = useState(false);
  const withdraw = useRef<HTMLSpanElement>(null);
  const { from } = chosenTool.value;
  const name = chosenTool.value.name.trim();
  const to = recipients();
  const busy = isBusy();
  const choose = (by: Partial<typeof chosenTool.value>) => {
    setConfirming(false);
    chosenTool.value = { ...chosenTool.value, ...by };
  };
  // What is confirmed is the tool that was named when the question appeared.
  useEffect(() => setConfirming(false), [name]);
  const close = () => {
    setConfirming(false);
    withdraw.current?.querySelector('button')?.focus();
  };
  /** Says what a disabled button lacks. */
  const lack = (missing: [boolean, string][]) => {
    const reason = missing.find(([isMissing]) => isMissing)?.[1];
    return reason === undefined ? {} : { disabled: true, title: reason };
  };
  const noName: [boolean, string] = [name === '', w.enterTool];
  const noConnection: [boolean, string] = [busy, w.busy];
  return (
    <div class="stack">
      <div class="row">
        <label>
          {w.tool}
          <input
            type="text"
            list="fleet-tool-names"
            autocomplete="off"
            spellcheck={false}
            value={chosenTool.value.name}
            onInput={(event) => choose({ name: event.currentTarget.value })}
          />
          <datalist id="fleet-tool-names">
            {names.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </label>
        <label>
          {w.from}
          <select value={from} onChange={(event) => choose({ from: event.currentTarget.value })}>
            <option value="">{w.anyRobot}</option>
            {robots.map((robot) => (
              <option key={robot.name} value={robot.name}>
                {robot.name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="buttons">
        <RoleButton
          action="fleet_tools"
          onClick={() => void shareTool(name, from)}
          {...lack([noName, [from === '', w.chooseRobot], noConnection])}
        >
          {w.share}
        </RoleButton>
        <RoleButton
          action="fleet_tools"
          onClick={() => void getTool(name, to, from)}
          {...lack([noName, [to.length === 0, w.noneSelected], noConnection])}
        >
          {w.get}
        </RoleButton>
        <span ref={withdraw}>
          <RoleButton
            action="fleet_tools"
            onClick={() => setConfirming(true)}
            {...lack([noName, noConnection])}
          >
            {w.withdraw} …
          </RoleButton>
        </span>
      </div>
      {confirming && (
        <Confirmation
          tool={name}
          onConfirm={() => {
            close();
            void withdrawTool(name);
          }}
          onCancel={close}
        />
      )}
      <p class="note">{to.length > 0 ? w.to(listNames(to)) : w.noneSelected}</p>
    </div>
  );
}

interface ConfirmationProps {
  tool: string;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks in the page, since a dialog of the browser would cover the stop buttons. */
function Confirmation({ tool, onConfirm, onCancel }: ConfirmationProps) {
  const w = messages.value.fleet;
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => cancel.current?.focus(), []);
  return (
    <div
      class="question"
      role="group"
      aria-label={w.confirm}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
    >
      <p role="alert">{w.confirmWithdraw(tool)}</p>
      <div class="buttons">
        <RoleButton action="fleet_tools" onClick={onConfirm}>
          {w.confirm}
        </RoleButton>
        <button type="button" ref={cancel} onClick={onCancel}>
          {w.cancel}
        </button>
      </div>
    </div>
  );
}

function Tool({ tool }: { tool: CatalogueTool }) {
  const w = messages.value.fleet;
  const { tools } = messages.value;
  const [open, setOpen] = useState(false);
  const { name, versions, robots, sharedBy } = tool;
  const choose = () => (chosenTool.value = { name, from: sharedBy[0] ?? '' });
  const facts = [
    sharedBy.length > 0 ? w.sharedBy(listNames(sharedBy)) : '',
    tools.runs(tool.runs),
    tools.failures(tool.failures),
  ];
  return (
    <li>
      <div class="fleet-tool-head">
        <button
          type="button"
          class="mono"
          aria-pressed={chosenTool.value.name === name}
          onClick={choose}
        >
          {name}
        </button>
        {tool.isWithdrawn && <span class="badge is-bad">{w.withdrawn}</span>}
        {versions.length > 1 && <span class="badge is-warn">{w.versions(versions.length)}</span>}
        <span class="note">{facts.filter((fact) => fact !== '').join(' · ')}</span>
      </div>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {w.onRobots(robots.length)}
          <span class="hidden">: {name}</span>
        </summary>
        {open &&
          versions.map(({ hash, installations }) => (
            <div key={hash} class="fleet-version">
              <p class="note mono" title={hash}>
                {w.code(shortHash(hash))}
              </p>
              <ul>
                {installations.map((one) => (
                  <InstallationLine key={one.robot} one={one} />
                ))}
              </ul>
            </div>
          ))}
      </details>
    </li>
  );
}

function InstallationLine({ one }: { one: Installation }) {
  const w = messages.value.fleet;
  const { tools } = messages.value;
  const facts = [
    one.from === null ? w.own : w.importedFrom(one.from),
    one.runs === null ? '' : tools.runs(one.runs),
    one.failures === null ? '' : tools.failures(one.failures),
  ];
  return (
    <li class="fleet-reply">
      <span class="mono">{one.robot}</span>
      {!one.present && <span class="badge">{w.conditions.absent}</span>}
      {one.is_shared && <span class="badge is-good">{w.shared}</span>}
      {one.is_withdrawn && <span class="badge is-bad">{w.withdrawn}</span>}
      <span class="note">{facts.filter((fact) => fact !== '').join(' · ')}</span>
    </li>
  );
}
