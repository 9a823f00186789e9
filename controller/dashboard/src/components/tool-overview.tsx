/** What is shown while no tool is chosen: what waits for approval, what ran last, and tools to try. */

import type { ToolSummary } from '../protocol/responses';
import { formatTime, messages } from '../i18n';
import { Card } from './basics';
import { path } from './route';
import { ToolThumbnail } from './tool-image';

/** The most tools in a part; each loads its image. */
const MAX_SHOWN = 6;

export function ToolOverview({ tools }: { tools: ToolSummary[] }) {
  const w = messages.value.tools.overview;
  const waiting = tools.filter((tool) => !tool.approved && tool.active && !tool.predefined);
  const recent = tools
    .filter((tool) => tool.usage.last_run > 0)
    .sort((one, other) => other.usage.last_run - one.usage.last_run)
    .slice(0, MAX_SHOWN);
  const own = tools.filter((tool) => !tool.predefined);
  const untried = tools
    .filter((tool) => tool.predefined && tool.active && !recent.includes(tool))
    .slice(0, MAX_SHOWN);
  return (
    <div class="view tool-overview">
      <Card title={w.waiting}>
        {waiting.length === 0 ? (
          <p class="note">{w.noneWaiting}</p>
        ) : (
          <ul class="plain-list">
            {waiting.map((tool) => (
              <li key={tool.name}>
                <a href={path('tools', tool.name)} class="mono">
                  {tool.name}
                </a>{' '}
                <span class="note">{tool.description}</span>
              </li>
            ))}
          </ul>
        )}
      </Card>
      {own.length === 0 && (
        <Card title={w.own}>
          <p>{w.noOwn}</p>
          <p class="buttons">
            <a class="button" href={path('tools', '+')}>
              {w.write}
            </a>
            <a class="button" href={path('talk')}>
              {w.say}
            </a>
          </p>
        </Card>
      )}
      <Card title={w.recent}>
        {recent.length === 0 ? <p class="note">{w.noneRan}</p> : <Tiles tools={recent} />}
      </Card>
      {untried.length > 0 && (
        <Card title={w.untried}>
          <Tiles tools={untried} />
        </Card>
      )}
    </div>
  );
}

const Tiles = ({ tools }: { tools: ToolSummary[] }) => (
  <ul class="tiles">
    {tools.map((tool) => (
      <li key={tool.name}>
        <a href={path('tools', tool.name)}>
          <ToolThumbnail name={tool.name} version={tool.version} />
          <span class="mono">{tool.name}</span>
          <span class="note">{tool.description}</span>
          {tool.usage.last_run > 0 && (
            <span class="note">
              {messages.value.tools.lastRun(formatTime(tool.usage.last_run))}
            </span>
          )}
        </a>
      </li>
    ))}
  </ul>
);
