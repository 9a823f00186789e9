/** Shows how a sentence was taken: each part of it, and the steps that stand for it. */

import type { UnderstoodPart } from '../protocol/responses';
import { messages } from '../i18n';

export function Understood({ parts }: { parts: UnderstoodPart[] }) {
  const w = messages.value.talk;
  if (parts.length === 0) return null;
  return (
    <div class="understood">
      <p class="note">{w.takenAs}</p>
      <dl>
        {parts.map(({ text, steps }, at) => (
          <div key={at}>
            <dt>“{text}”</dt>
            <dd>
              <span aria-hidden="true">→ </span>
              {steps.join(w.then)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
