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
      <NoteList all={all} onSelect={onSelect} />
    </div>
  );
}

/** Lists the expectations; each shows its time. */
export function NoteList({ all, onSelect }: Omit<ReplayNotesProps, 'duration_s'>) {
  const w = messages.value.tools.expectations;
  return (
    <ul aria-label={w.inMotion}>
      {all.map(({ at_s, held, text }, at) => (
        <li key={at}>
          <Verdict held={held} />
          <span>
            <button type="button" onClick={() => onSelect(at_s)}>
              {w.at(formatNumber(at_s, 1))}
            </button>{' '}
            {text}
          </span>
        </li>
      ))}
    </ul>
  );
}
