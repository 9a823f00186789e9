/** A tool in the language of motion, as the server sends and accepts it. Degrees, millimetres, seconds. */

export type Part = 'head' | 'antennas' | 'body';

/** A constant, a parameter, a constant times a parameter, or from one to another over the rounds of a loop. */
export type Amount =
  | { value: number }
  | { parameter: string }
  | { product: [number, string] }
  | { ramp: [Amount, Amount] };

/** A movement of one part. Axes without a target keep their goals; without any target, the part goes to neutral. */
export interface Movement {
  part: Part;
  /** The names of the targets, such as `head_left`, and how far. */
  targets: [string, Amount][];
  seconds: Amount | null;
  easing: string | null;
}

export interface Reaction {
  event: string | { thing: string };
  steps: Step[];
  seconds: Amount | null;
}

export type Step =
  | { move: Movement }
  | { neutral: { seconds: Amount | null; easing: string | null } }
  | { wait: Amount }
  | { repeat: { times: Amount; steps: Step[] } }
  | { together: Step[] }
  | { sequence: Step[] }
  | { play: string }
  | { sound: string }
  | { when: Reaction }
  | { whenever: Reaction }
  | { as_long_as: Reaction }
  | { until: Reaction };

export interface Parameter {
  name: string;
  kind: 'int' | 'float';
  default: number;
  low: number;
  high: number;
  meaning: string;
}

export interface Score {
  name: string;
  summary: string;
  parameters: Parameter[];
  steps: Step[];
}

/** One run of a step. Steps are counted in the order of the source, outer steps before inner ones. */
export interface StepRun {
  step: number;
  start_s: number;
  end_s: number;
  /** The largest velocity of a joint, as a fraction of its limit. */
  peak_speed: number;
}

/** What the envelope would hold back. */
export interface PlannedClamp {
  joint: string;
  cause: string;
  from_s: number;
  to_s: number;
  most_deg: number;
}

/** How a call without arguments runs. */
export interface Plan {
  seconds: number;
  runs: StepRun[];
  sounds: { at_s: number; name: string }[];
  unknown_moves: string[];
  clamps: PlannedClamp[];
  unreachable_s: number | null;
  period_s: number;
  axes: { axis: string; unit: string; values: number[] }[];
  speed: number[];
  cycles: { present_deg: number[]; goal_deg: number[] }[];
}

export interface Problem {
  line: number | null;
  step: number | null;
  reason: string;
  hint: string;
}

/** A tool as steps, as source, and in time. */
export interface Choreography {
  score: Score | null;
  source: string | null;
  plan: Plan | null;
  problem: Problem | null;
}

/** A target that a movement can name. */
export interface Target {
  target: string;
  part: Part;
  word: string;
  direction: string;
  axes: string[];
  unit: string;
  maximum: number;
}

/** What steps can contain. */
export interface Targets {
  targets: Target[];
  easings: string[];
  movement_seconds: [number, number];
  max_wait_seconds: number;
  max_times: number;
}
