/** Shows for how long something has been running. Screen readers are not told each second. */

import { useState } from 'preact/hooks';
import { now } from '../net/live';
import { formatNumber, messages } from '../i18n';

export function Elapsed() {
  const [since] = useState(() => performance.now());
  const seconds = Math.max(0, Math.floor((now.value - since) / 1000));
  return (
    <span class="elapsed" aria-hidden="true">
      {messages.value.common.seconds(formatNumber(seconds))}
    </span>
  );
}
