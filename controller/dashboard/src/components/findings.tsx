/** Lists the findings of policy, rehearsal and review, with the changes that remove them. */

import type { Finding } from '../protocol/responses';
import { messages } from '../i18n';
import { WhyFinding } from './why';

const CLASS = { pass: 'is-plain', needs_approval: 'is-warn', reject: 'is-bad' } as const;

interface ShownFinding extends Finding {
  fixes?: { title: string; apply: () => void }[];
}

export function Findings({
  all,
  onLine,
}: {
  all: ShownFinding[];
  onLine?: (line: number) => void;
}) {
  const w = messages.value.tools;
  if (all.length === 0) return <p class="note">{w.noFindings}</p>;
  return (
    <ul class="findings">
      {all.map((finding, at) => (
        <li key={at}>
          <span class={`badge ${CLASS[finding.verdict] ?? ''}`}>{w.verdicts[finding.verdict]}</span>
          <span>
            {finding.reason}
            {finding.hint !== '' && <span class="note"> {finding.hint}</span>}
            <WhyFinding finding={finding} />
            {(finding.fixes ?? []).map(({ title, apply }) => (
              <button key={title} type="button" class="link fix" onClick={apply}>
                {w.fix(title)}
              </button>
            ))}
          </span>
          {finding.line === null ? (
            <span class="note mono">{finding.rule}</span>
          ) : onLine === undefined ? (
            <span class="note">{w.line(finding.line)}</span>
          ) : (
            <button type="button" class="link" onClick={() => onLine(finding.line ?? 1)}>
              {w.line(finding.line)}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
