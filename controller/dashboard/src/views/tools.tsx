/** The shelf of tools: found, shown, run, approved and made. */

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../net/http';
import { path, route } from '../components/route';
import { Outcome } from '../components/basics';
import { NewTool } from '../components/tool-new';
import { ToolPage } from '../components/tool-page';
import type { Listed } from '../protocol/responses';
import { words } from '../i18n';
import { ofRobot } from '../net/robots';

/** How long nothing is written before tools are looked for by meaning, milliseconds. */
const PAUSE_MS = 300;

const tools = ofRobot<Listed[] | null>(null);
const trouble = ofRobot('');
const query = signal('');
/** The names that the server found for the query, the best first. */
const meant = ofRobot<string[]>([]);

async function load(): Promise<void> {
  const answer = await ask<{ tools: Listed[] }>('/api/v1/tools', { patience: 15_000 });
  trouble.value = answer.ok ? '' : answer.detail;
  if (answer.ok) tools.value = answer.value.tools;
}

export function ToolsView() {
  const name = route.value.rest[0];
  useEffect(() => void load(), []);
  const listed = tools.value?.find((tool) => tool.name === name);
  return (
    <div class={`tools-view ${name === undefined ? 'is-list' : 'is-page'}`}>
      <List chosen={name} />
      {name === undefined && <p class="note tools-empty">{words.value.tools.choose}</p>}
      {name === '+' && <NewTool onAdded={() => void load()} />}
      {name !== undefined && name !== '+' && (
        <ToolPage key={name} name={name} listed={listed} onChange={() => void load()} />
      )}
    </div>
  );
}

function List({ chosen }: { chosen: string | undefined }) {
  const w = words.value.tools;
  const text = query.value.trim();
  useEffect(() => {
    meant.value = [];
    if (text.length < 2) return;
    const ending = new AbortController();
    const timer = setTimeout(() => void search(text, ending.signal), PAUSE_MS);
    return () => (clearTimeout(timer), ending.abort());
  }, [text]);
  const fits = matching(tools.value ?? [], text.toLowerCase());
  return (
    <aside class="card shelf" aria-label={w.list}>
      <div class="card-head">
        <h2>{w.list}</h2>
        <a
          class="button"
          href={path('tools', '+')}
          aria-current={chosen === '+' ? 'page' : undefined}
        >
          {w.fresh}
        </a>
      </div>
      <label>
        <span class="hidden">{words.value.common.search}</span>
        <input
          type="search"
          placeholder={w.searchHint}
          value={query.value}
          onInput={(event) => (query.value = event.currentTarget.value)}
        />
      </label>
      {trouble.value !== '' && <Outcome bad text={trouble.value} />}
      <ul>
        {fits.map((tool) => (
          <li key={tool.name}>
            <a
              href={path('tools', tool.name)}
              aria-current={tool.name === chosen ? 'page' : undefined}
            >
              <span class="mono">{tool.name}</span>
              <State tool={tool} />
              <span class="note">{tool.description}</span>
            </a>
          </li>
        ))}
      </ul>
      {tools.value !== null && fits.length === 0 && <p class="note">{w.empty}</p>}
    </aside>
  );
}

function State({ tool }: { tool: Listed }) {
  const w = words.value.tools;
  if (tool.quarantine !== null) return <span class="badge is-bad">{w.quarantined}</span>;
  if (!tool.active) return <span class="badge is-bad">{w.inactive}</span>;
  return <span class="badge">v{tool.version}</span>;
}

/** Those that have the words, then those that are meant. */
function matching(all: Listed[], text: string): Listed[] {
  if (text === '') return all;
  const named = all.filter((tool) =>
    `${tool.name} ${tool.description}`.toLowerCase().includes(text),
  );
  const others = meant.value.flatMap((name) => all.filter((tool) => tool.name === name));
  return [...new Set([...named, ...others])];
}

async function search(text: string, signal: AbortSignal): Promise<void> {
  const path = `/api/v1/tools/search?text=${encodeURIComponent(text)}&limit=8`;
  const answer = await ask<{ results: { name: string }[] }>(path, { signal, patience: 10_000 });
  if (!signal.aborted && answer.ok) meant.value = answer.value.results.map((hit) => hit.name);
}
