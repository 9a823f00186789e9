/** What a motion must do, and what was measured of it in the rehearsal. */

import { itemLines } from '../logic/expectations';
import type { Measured } from '../protocol/responses';
import { messages } from '../i18n';

/** Whether an expectation is met. */
export function Verdict({ held }: { held: boolean }) {
  const w = messages.value.tools.expectations;
  return (
    <span class={`badge ${held ? 'is-good' : 'is-bad'}`}>
      <span aria-hidden="true">{held ? '✓' : '✗'}</span>
      <span class="hidden">{held ? w.held : w.missed}</span>
    </span>
  );
}

interface ExpectationsProps {
  all: Measured[];
  /** The text of the list that was measured, if it is shown. */
  text?: string;
  /** Shows a line of the list. */
  onLine?: (line: number) => void;
}

export function Expectations({ all, text = '', onLine }: ExpectationsProps) {
  const w = messages.value.tools.expectations;
  const lines = itemLines(text);
  return (
    <ul class="expectations">
      {all.map(({ held, expected, measured }, at) => (
        <li key={at}>
          <Verdict held={held} />
          <span>
            {expected}
            <span class="note">
              {' '}
              {w.measured} {measured}
            </span>{' '}
            {!held && onLine !== undefined && lines[at] !== undefined && (
              <button type="button" onClick={() => onLine(lines[at]!)}>
                {w.line(lines[at])}
              </button>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
