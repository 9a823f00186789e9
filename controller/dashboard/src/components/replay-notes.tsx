/** Marks the expectations at their times below a replay; each brings the replay to its time. */

import type { ReplayNote } from '../logic/expectations';
import { formatNumber, messages } from '../i18n';
import { Verdict } from './expectations';

interface ReplayNotesProps {
  all: ReplayNote[];
  duration_s: number;
  onSelect: (at_s: number) => void;
}

export function ReplayNotes({ all, duration_s, onSelect }: ReplayNotesProps) {
  const w = messages.value;
  return (
    <div class="replay-notes">
      <div class="replay-marks" aria-hidden="true">
        {all.map(({ at_s, held }, at) => (
          <span
            key={at}
            class={held ? 'is-good' : 'is-bad'}
            style={{ left: `${(100 * at_s) / Math.max(duration_s, 1e-9)}%` }}
          />
        ))}
      </div>
      <ul aria-label={w.tools.expectations.inMotion}>
        {all.map(({ at_s, held, text }, at) => (
          <li key={at}>
            <Verdict held={held} />
            <span>
              <button type="button" onClick={() => onSelect(at_s)}>
                {w.tools.expectations.at(formatNumber(at_s, 1))}
              </button>{' '}
              {text}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
