/** The tools: search, details, runs, approval and new tools. */

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { request } from '../net/http';
import { path, route } from '../components/route';
import { Outcome } from '../components/basics';
import { lazy } from '../components/lazy';
import { ToolOverview } from '../components/tool-overview';
import { useMedia } from '../components/use-media';
import { ToolPage } from '../components/tool-page';
import { TOOL_LIST } from '../protocol/compat';
import type { ToolSummary } from '../protocol/responses';
import { messages } from '../i18n';
import { robotSignal } from '../net/robots';

/** The pause in typing after which the server searches by meaning, milliseconds. */
const SEARCH_DELAY_MS = 300;

const LazyNewTool = lazy(() => import('../components/tool-new'));
const LazyImport = lazy(() => import('../components/tool-import'));

/** The pages that are not of one tool. No tool can have these names. */
const NEW = '+';
const IMPORT = '+import';

const tools = robotSignal<ToolSummary[] | null>(null);
const loadError = robotSignal('');
const query = signal('');
/** The names that the server found for the query, the best match first. */
const semanticMatches = robotSignal<string[]>([]);

async function load(): Promise<void> {
  const answer = await request<{ tools: ToolSummary[] }>('/api/v1/tools', {
    timeoutMs: 15_000,
    shape: TOOL_LIST,
  });
  loadError.value = answer.ok ? '' : answer.detail;
  if (answer.ok) tools.value = answer.value.tools;
}

export default function ToolsView() {
  const name = route.value.rest[0];
  // Where the list takes the whole width, it is what people came for.
  const hasRoom = useMedia('(min-width: 981px)');
  useEffect(() => void load(), []);
  const listed = tools.value?.find((tool) => tool.name === name);
  return (
    <div class={`tools-view ${name === undefined ? 'is-list' : 'is-page'}`}>
      <List chosen={name} />
      {name === undefined && hasRoom && tools.value !== null && (
        <ToolOverview tools={tools.value} />
      )}
      {name === NEW && <LazyNewTool onAdded={() => void load()} />}
      {name === IMPORT && <LazyImport onImported={() => void load()} />}
      {name !== undefined && name !== NEW && name !== IMPORT && (
        <ToolPage key={name} name={name} listed={listed} onChange={() => void load()} />
      )}
    </div>
  );
}

function List({ chosen }: { chosen: string | undefined }) {
  const w = messages.value.tools;
  const text = query.value.trim();
  useEffect(() => {
    semanticMatches.value = [];
    if (text.length < 2) return;
    const ending = new AbortController();
    const timer = setTimeout(() => void search(text, ending.signal), SEARCH_DELAY_MS);
    return () => (clearTimeout(timer), ending.abort());
  }, [text]);
  const matches = matchingTools(tools.value ?? [], text.toLowerCase());
  const list = useRef<HTMLUListElement>(null);
  const isListed = matches.some((tool) => tool.name === chosen);
  useEffect(() => {
    const entry = list.current?.querySelector('[aria-current]');
    // Scrolls the list alone, not the page.
    if (entry && list.current) scrollWithin(list.current.parentElement!, entry);
  }, [chosen, isListed]);
  return (
    <aside class="card tool-list" aria-label={w.list}>
      <div class="card-head">
        <h2>{w.list}</h2>
        <span class="buttons">
          <a
            class="button"
            href={path('tools', IMPORT)}
            aria-current={chosen === IMPORT ? 'page' : undefined}
          >
            {w.bundle.import}
          </a>
          <a
            class="button"
            href={path('tools', NEW)}
            aria-current={chosen === NEW ? 'page' : undefined}
          >
            {w.newTool}
          </a>
        </span>
      </div>
      <label>
        <span class="hidden">{messages.value.common.search}</span>
        <input
          type="search"
          placeholder={w.searchHint}
          value={query.value}
          onInput={(event) => (query.value = event.currentTarget.value)}
        />
      </label>
      {loadError.value !== '' && <Outcome bad text={loadError.value} />}
      <ul ref={list}>
        {matches.map((tool) => (
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
      {tools.value !== null && matches.length === 0 && <p class="note">{w.empty}</p>}
    </aside>
  );
}

function State({ tool }: { tool: ToolSummary }) {
  const w = messages.value.tools;
  if (tool.quarantine !== null) return <span class="badge is-bad">{w.quarantined}</span>;
  if (!tool.active) return <span class="badge is-bad">{w.disabled}</span>;
  return <span class="badge">v{tool.version}</span>;
}

/** Scrolls an element so far that one of its children is visible. */
function scrollWithin(outer: Element, inner: Element): void {
  const [frame, box] = [outer.getBoundingClientRect(), inner.getBoundingClientRect()];
  if (box.top < frame.top) outer.scrollTop -= frame.top - box.top;
  else if (box.bottom > frame.bottom) outer.scrollTop += box.bottom - frame.bottom;
}

/** Returns the tools that contain the text, then those that match by meaning. */
function matchingTools(all: ToolSummary[], text: string): ToolSummary[] {
  if (text === '') return all;
  const textMatches = all.filter((tool) =>
    `${tool.name} ${tool.description}`.toLowerCase().includes(text),
  );
  const others = semanticMatches.value.flatMap((name) => all.filter((tool) => tool.name === name));
  return [...new Set([...textMatches, ...others])];
}

async function search(text: string, signal: AbortSignal): Promise<void> {
  const path = `/api/v1/tools/search?text=${encodeURIComponent(text)}&limit=8`;
  const answer = await request<{ results: { name: string }[] }>(path, {
    signal,
    timeoutMs: 10_000,
  });
  if (!signal.aborted && answer.ok)
    semanticMatches.value = answer.value.results.map((hit) => hit.name);
}
