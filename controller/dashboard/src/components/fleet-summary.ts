/** Says in one sentence how a command to the fleet went. */

import { WARN_AFTER_MS } from '../logic/stop-state';
import { countOutcomes, isDone, wordFor } from '../logic/fleet';
import { isWaiting, type Sent } from '../net/fleet';
import { now } from '../net/live';
import { messages } from '../i18n';

export interface Summary {
  text: string;
  bad: boolean;
}

export function summaryOf(one: Sent): Summary {
  const w = messages.value.fleet;
  const name = w.commandNames[one.command];
  const { result } = one;
  if (result.status === 'pending') return { text: `${name}: ${w.pending} …`, bad: false };
  if (result.status === 'failed')
    return { text: `${name}: ${w.notSent(result.detail)}`, bad: true };
  const { answer } = result;
  if (answer.refusal !== null) return { text: `${name}: ${answer.refusal}`, bad: true };
  if (answer.replies.length === 0) return { text: `${name}: ${w.noReplies}`, bad: true };
  const counts = countOutcomes(answer).map(
    ([outcome, count]) => `${count} ${wordFor(w.outcomes, outcome)}`,
  );
  return { text: `${name}: ${counts.join(', ')}`, bad: !isDone(answer) };
}

/** As `summaryOf`, and warns if a stop waits for long. */
export function stopSummary(one: Sent): Summary {
  if (isWaiting(one) && now.value - one.since > WARN_AFTER_MS)
    return { text: messages.value.stop.late, bad: true };
  return summaryOf(one);
}
