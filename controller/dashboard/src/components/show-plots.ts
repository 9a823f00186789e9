/** Shows a rehearsed motion as plots, which are loaded on first use. */

import type { Measured, RecordedMotion } from '../protocol/responses';
import { go } from './route';

export async function showMotionPlots(
  name: string,
  motion: RecordedMotion | null | undefined,
  measured: Measured[] = [],
): Promise<void> {
  if (!motion) return;
  const [{ runFromRehearsal }, { showRehearsal }] = await Promise.all([
    import('../logic/plots/run'),
    import('../plots/runs'),
  ]);
  showRehearsal(runFromRehearsal(name, motion, measured));
  go('plots');
}
