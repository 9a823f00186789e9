/** What the safety envelope would hold back, and poses that the robot cannot reach. */

import type { Plan } from '../protocol/score';
import { formatNumber, messages } from '../i18n';

/** How many are listed. */
const MAX_LISTED = 6;

export function ClampList({ plan, onSeek }: { plan: Plan; onSeek: (at_s: number) => void }) {
  const w = messages.value.timeline;
  const { clamps, unreachable_s, unknown_moves } = plan;
  if (clamps.length === 0 && unreachable_s === null && unknown_moves.length === 0) {
    return <p class="note">{w.withinLimits}</p>;
  }
  const more = clamps.length - MAX_LISTED;
  return (
    <ul class="timeline-clamps">
      {unreachable_s !== null && (
        <li class="is-plain-bad">
          <TimeButton at_s={unreachable_s} onSeek={onSeek} /> {w.unreachable}
        </li>
      )}
      {clamps.slice(0, MAX_LISTED).map((clamp) => (
        <li class="is-plain-bad" key={`${clamp.joint}${clamp.from_s}`}>
          <TimeButton at_s={clamp.from_s} onSeek={onSeek} />{' '}
          {w.clamp(
            clamp.joint,
            messages.value.causes[clamp.cause] ?? clamp.cause,
            formatNumber(clamp.most_deg, 1),
          )}
        </li>
      ))}
      {more > 0 && <li class="note">{w.moreClamps(more)}</li>}
      {unknown_moves.length > 0 && <li class="note">{w.unknownMoves(unknown_moves.join(', '))}</li>}
    </ul>
  );
}

function TimeButton({ at_s, onSeek }: { at_s: number; onSeek: (at_s: number) => void }) {
  return (
    <button type="button" class="timeline-time" onClick={() => onSeek(at_s)}>
      {formatNumber(at_s, 1)} s
    </button>
  );
}
