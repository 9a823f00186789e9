/** What the colours of the drawn parts say, in words. */

import type { Mark, Marks } from '../logic/limits';
import { words } from '../i18n';

export function Marked({ marks }: { marks: Marks }) {
  const w = words.value.robot;
  const parts = (mark: Mark) =>
    Object.entries(marks)
      .filter(([, one]) => one === mark)
      .map(([part]) => (part === 'head' ? w.head : part))
      .join(', ');
  const [near, trimmed] = [parts('near'), parts('trimmed')];
  return (
    <p class="scene-marks">
      {near !== '' && <span class="badge is-warn">{w.near(near)}</span>}
      {trimmed !== '' && <span class="badge is-bad">{w.heldBack(trimmed)}</span>}
    </p>
  );
}
