/** What the rows of the timeline and its blocks share. */

import type { Signal } from '@preact/signals';
import type { Layout } from '../logic/choreography';
import type { Path } from '../logic/score';
import type { Plan, Step } from '../protocol/score';

export interface LanesProps {
  layout: Layout;
  plan: Plan;
  steps: Step[];
  selected: Path | null;
  until: Path | null;
  playhead: Signal<number>;
  onSelect: (path: Path | null, more: boolean) => void;
  onSeek: (at_s: number) => void;
  onEdit: (steps: Step[], moved?: Step) => void;
  onPreview: (steps: Step[]) => void;
  secondsOf: (path: Path) => number;
  /** The speed of a call without arguments, which divides the duration of movements. */
  speed: number;
}
