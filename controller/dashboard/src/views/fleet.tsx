/** The fleet that the server is an operator of: its robots, commands to them, their tools, and what happens. */

import { useEffect } from 'preact/hooks';
import { wordFor } from '../logic/fleet';
import { fleet, fleetOld, pollFleet } from '../net/fleet';
import { loadPictures } from '../net/fleet-pictures';
import { fleetName } from '../net/live';
import { Card } from '../components/basics';
import { FleetBar } from '../components/fleet-bar';
import { FleetAnswers, FleetCommand } from '../components/fleet-command';
import { FleetRobots } from '../components/fleet-robots';
import { FleetTools } from '../components/fleet-tools';
import type { FleetEvent } from '../protocol/fleet';
import { language, messages } from '../i18n';
import '../style/fleet.css';

export default function FleetView() {
  const w = messages.value;
  const name = fleetName.value;
  if (typeof name === 'string') return <Fleet key={name} />;
  return (
    <div class="view">
      <Card title={w.views.fleet}>
        {name === undefined ? (
          <p class="note">{w.common.loading} …</p>
        ) : (
          <>
            <p>{w.fleet.notConfigured}</p>
            <pre class="fleet-config">{'fleet:\n  operator: desk'}</pre>
          </>
        )}
      </Card>
    </div>
  );
}

function Fleet() {
  const w = messages.value.fleet;
  useEffect(() => {
    const ending = new AbortController();
    void pollFleet(ending.signal);
    void loadPictures(ending.signal);
    return () => ending.abort();
  }, []);
  const state = fleet.value?.state;
  return (
    <div class="view fleet-view">
      <FleetBar />
      <p class="note wide fleet-about">
        {state === undefined ? '' : `${w.asOperator(state.fleet, state.operator)}. `}
        {w.stopAllHint}
      </p>
      <div class="fleet-side">
        <FleetCommand />
        <FleetAnswers />
      </div>
      <div class="fleet-main">
        <FleetRobots />
        <FleetTools />
        <Events events={state?.events ?? []} />
      </div>
    </div>
  );
}

function Events({ events }: { events: FleetEvent[] }) {
  const w = messages.value.fleet;
  return (
    <Card title={w.events} class={fleetOld.value ? 'is-old' : ''}>
      {events.length === 0 && <p class="note">{w.noEvents}</p>}
      <ul class="fleet-events" tabIndex={0} aria-label={w.events}>
        {[...events].reverse().map((event) => (
          <li key={`${event.robot} ${event.number} ${event.time_ms}`}>
            <EventTime ms={event.time_ms} />
            <span class="mono">{event.robot}</span>
            <span class={`badge ${levelOf(event)}`}>{wordFor(w.eventNames, event.event)}</span>
            <span class="fleet-event-text">
              {event.message}
              {event.caller !== null && <span class="note"> ({event.caller})</span>}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function EventTime({ ms }: { ms: number | null }) {
  const date = new Date(ms ?? NaN);
  if (Number.isNaN(date.getTime())) return <span>–</span>;
  return <time dateTime={date.toISOString()}>{date.toLocaleTimeString(language.value)}</time>;
}

function levelOf({ event }: FleetEvent): string {
  if (/failed|lost/.test(event)) return 'is-bad';
  return /refused|stopped|withdrawn/.test(event) ? 'is-warn' : '';
}
