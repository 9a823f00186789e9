/** Chooses, stores and deletes layouts. The browser stores them. */

import { useState } from 'preact/hooks';
import {
  addPlot,
  MAX_LAYOUTS,
  MAX_NAME_LENGTH,
  MAX_PLOTS,
  PRESETS,
  type Preset,
} from '../logic/plots/layout';
import { messages } from '../i18n';
import { layout, layouts } from './state';

export function LayoutBar() {
  const w = messages.value.plots;
  const [name, setName] = useState('');
  const stored = [...layouts.value.keys()];
  const current = JSON.stringify(layout.value);
  const chosen =
    stored.find((one) => JSON.stringify(layouts.value.get(one)) === current) ??
    Object.keys(PRESETS).find((one) => JSON.stringify(PRESETS[one as Preset]) === current);
  const isStored = chosen !== undefined && layouts.value.has(chosen);
  const choose = (value: string) => {
    const [kind, one = ''] = [value.slice(0, 1), value.slice(1)];
    const next = kind === '=' ? PRESETS[one as Preset] : layouts.value.get(one);
    if (next !== undefined) layout.value = next;
  };
  const store = (event: Event) => {
    event.preventDefault();
    const text = name.trim();
    if (text === '') return;
    layouts.value = new Map(layouts.value).set(text, layout.value);
    setName('');
  };
  const forget = () => {
    const rest = new Map(layouts.value);
    rest.delete(chosen ?? '');
    layouts.value = rest;
  };
  return (
    <form class="layout-bar" onSubmit={store}>
      <label>
        {w.layout}
        <select
          value={chosen === undefined ? '' : `${isStored ? '+' : '='}${chosen}`}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {chosen === undefined && <option value="">{w.changed}</option>}
          {(Object.keys(PRESETS) as Preset[]).map((one) => (
            <option key={one} value={`=${one}`}>
              {w.presets[one]}
            </option>
          ))}
          {stored.map((one) => (
            <option key={one} value={`+${one}`}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <label>
        {w.layoutName}
        <input
          type="text"
          maxLength={MAX_NAME_LENGTH}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <span class="buttons">
        <button type="submit" disabled={name.trim() === '' || layouts.value.size >= MAX_LAYOUTS}>
          {w.save}
        </button>
        <button type="button" disabled={!isStored} onClick={forget}>
          {w.deleteLayout}
        </button>
        <button
          type="button"
          class="needs-width"
          aria-pressed={layout.value.columns === 2}
          onClick={() =>
            (layout.value = { ...layout.value, columns: layout.value.columns === 2 ? 1 : 2 })
          }
        >
          {w.twoColumns}
        </button>
        <button
          type="button"
          disabled={layout.value.plots.length >= MAX_PLOTS}
          onClick={() => (layout.value = addPlot(layout.value))}
        >
          {w.addPlot}
        </button>
      </span>
    </form>
  );
}
