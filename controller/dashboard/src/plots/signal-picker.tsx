/** Chooses the signals of a plot, in groups and by a search. */

import { useState } from 'preact/hooks';
import { MAX_SIGNALS, toggleSignal, type Plot } from '../logic/plots/layout';
import { SIGNALS, type Group, type Signal } from '../logic/plots/signals';
import { messages } from '../i18n';
import { groupLabel, partLabel, signalLabel } from './labels';
import { isLive, layout } from './state';

/** Returns the signals that match a search, by group. */
function found(search: string, live: boolean): Map<Group, Signal[]> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<Group, Signal[]>();
  for (const signal of SIGNALS) {
    if (live && signal.onlyRecorded) continue;
    const text = `${signalLabel(signal)} ${signal.id}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    groups.set(signal.group, [...(groups.get(signal.group) ?? []), signal]);
  }
  return groups;
}

export function SignalPicker({ plot }: { plot: Plot }) {
  const w = messages.value.plots;
  const [search, setSearch] = useState('');
  const groups = found(search, isLive.value);
  const isFull = plot.signals.length >= MAX_SIGNALS;
  return (
    <div class="signal-picker">
      <label>
        {w.searchSignals}
        <input
          type="search"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </label>
      <p class="note" role="status">
        {w.chosen(plot.signals.length, MAX_SIGNALS)}
      </p>
      <div class="signal-groups" tabIndex={0} role="group" aria-label={w.signals}>
        {[...groups].map(([group, signals]) => (
          <fieldset key={group}>
            <legend>{groupLabel(signals[0]!)}</legend>
            {signals.map((signal) => {
              const isChosen = plot.signals.includes(signal.id);
              // The space bar stops the robot, so a check box could not be used with the keyboard.
              return (
                <button
                  key={signal.id}
                  type="button"
                  aria-pressed={isChosen}
                  disabled={isFull && !isChosen}
                  onClick={() => (layout.value = toggleSignal(layout.value, plot.id, signal.id))}
                >
                  {partLabel(signal)}
                </button>
              );
            })}
          </fieldset>
        ))}
        {groups.size === 0 && <p class="note">{w.noMatch}</p>}
      </div>
    </div>
  );
}
