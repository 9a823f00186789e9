/** Says in words what the colours of the 3D model mean. */

import type { Mark, Marks } from '../logic/limits';
import { messages } from '../i18n';

export function LimitMarks({ marks }: { marks: Marks }) {
  const w = messages.value.robot;
  const parts = (mark: Mark) =>
    Object.entries(marks)
      .filter(([, one]) => one === mark)
      .map(([part]) => (part === 'head' ? w.head : part))
      .join(', ');
  const [near, clamped] = [parts('near'), parts('clamped')];
  return (
    <p class="scene-marks">
      {near !== '' && <span class="badge is-warn">{w.near(near)}</span>}
      {clamped !== '' && <span class="badge is-bad">{w.clamped(clamped)}</span>}
    </p>
  );
}
