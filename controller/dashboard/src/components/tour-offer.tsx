/** Offers the tour to a user who opens the page of a simulated robot for the first time. */

import { useEffect } from 'preact/hooks';
import { isAllowed } from '../net/live';
import { askWhetherSimulated, isOffered, isSimulated, setTourStep } from '../net/tour';
import { messages } from '../i18n';

export function TourOffer() {
  const w = messages.value.help.tour;
  // The tour moves the robot and makes a tool.
  const isUseful = isOffered.value && isAllowed('talk');
  useEffect(() => {
    if (isUseful && isSimulated.value === null) void askWhetherSimulated();
  }, [isUseful]);
  if (!isUseful || isSimulated.value !== true) return null;
  return (
    <section class="card tour-offer" aria-label={w.title}>
      <p>{w.offer}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => setTourStep('look')}>
          {w.start}
        </button>
        <button type="button" onClick={() => setTourStep(null)}>
          {w.dismiss}
        </button>
      </div>
    </section>
  );
}
