/** What the server answers, as far as the page reads it. Its document at `/api/v1/openapi.json` has all of it. */

import type { Doing, Posture } from './joints';

export interface JointState {
  name: string;
  present_deg: number | null;
  goal_deg: number;
  torque: boolean;
  reading: 'fresh' | 'stale' | 'never';
  temperature_c: number | null;
  voltage_v: number | null;
  current_ma: number | null;
  mode: string;
  errors: string[];
}

export interface BodyState {
  doing: Doing;
  control: unknown;
  posture: Posture | null;
  joints: JointState[];
  fault: string | null;
  beats: number;
  /** What the envelope took off the motion that goes on, or was last. Servers of before do not tell it. */
  trims?: Trim[];
}

/** What is in force now. */
export interface Limits {
  joints: {
    name: string;
    low_deg: number;
    high_deg: number;
    speed_dps: number;
    acceleration_dps2: number;
  }[];
  head_pitch_deg: number;
  head_roll_deg: number;
  relative_yaw_deg: number;
}

export interface Spread {
  p50_us: number;
  p99_us: number;
  p999_us: number;
  max_us: number;
}

export interface Health {
  status: 'ok' | 'fault';
  fault: string | null;
  beats: number;
  late_beats: number;
  last_fault: {
    kind: string;
    motor: string | null;
    policy: string;
    times: number;
    says: string;
  } | null;
  pulse: {
    beats: number;
    period_us: number;
    jitter: Spread | null;
    lateness: Spread | null;
    work: Spread | null;
    privilege?: { realtime_priority: number | null; memory_locked: boolean; notes: string[] };
  };
  version: string;
}

/** A value of a JSON Schema, as far as tools use it. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  description?: string;
  default?: unknown;
}

export interface Usage {
  runs: number;
  failures: number;
  trims: number;
  seconds: number;
  /** Unix seconds; 0 is never. */
  last_run: number;
}

export interface Listed {
  name: string;
  version: number;
  versions: number[];
  predefined: boolean;
  approved: boolean;
  active: boolean;
  quarantine: unknown;
  description: string;
  parameters: Schema;
  usage: Usage;
}

export interface Finding {
  rule: string;
  line: number | null;
  verdict: 'admit' | 'ask' | 'refuse';
  reason: string;
  hint: string;
}

export interface JointReport {
  peak_speed_dps: number;
  peak_acceleration_dps2: number;
  least_margin_deg: number;
  worst_lag_deg: number;
  margins?: {
    peak_jerk_dps3: number;
    speed_dps: number;
    acceleration_dps2: number;
    jerk_dps3: number;
  };
}

export interface Trim {
  what: string;
  cause: string;
  worst_deg: number;
  beats: number;
}

export interface Report {
  duration_s: number;
  joints: Record<string, JointReport>;
  peak_head_tilt_deg: number;
  peak_relative_yaw_deg: number;
  greatest_move_deg: number;
  trimmed_beats: number;
  trims: Trim[];
  rests_at_end: boolean;
  line_coverage: number | null;
  cases: number;
}

/** A moment of a rehearsal, by motor. */
export interface Beat {
  present_deg: number[];
  goal_deg: number[];
}

/** A motion that was rehearsed; beats are `period_s` apart. */
export interface Replay {
  period_s: number;
  beats: Beat[];
  /** Whether it went on longer than is told. */
  cut: boolean;
}

export interface Rehearsed extends Replay {
  name: string;
  version: number;
  ended: string;
  value: unknown;
  printed: string;
  trims: Trim[];
  took_s: number;
}

export interface Checked {
  name: string;
  admitted: boolean;
  needs_approval: boolean;
  stage: string;
  findings: Finding[];
  report: Report | null;
  motion?: Replay | null;
}

export interface Shown {
  manifest: {
    name: string;
    version: number;
    description: string;
    parameters: Schema;
    capabilities: string[];
    provenance: { author: string; request: string };
    findings: Finding[];
    report: Report | null;
  };
  approved: boolean;
  approval: { by: string; at: number } | null;
  active: boolean;
  deactivated: unknown;
  quarantine: unknown;
  usage: { version: Usage; tool: Usage };
  code: string;
  modules?: Record<string, string>;
}

export interface Step {
  kind: string;
  requested?: Posture | null;
  achieved?: Posture | null;
  trims?: Trim[];
  refusal?: string | null;
}

export interface Ran {
  name: string;
  version: number;
  performance: {
    ended: 'returned' | 'raised' | 'stopped' | string;
    value: unknown;
    printed: string;
    took_s: number;
    steps: Step[];
    trims: Trim[];
    notes: unknown[];
    outputs: { name: string; base64?: string }[];
  };
}

/** An event of a conversation that is streamed. Of these, `step`, `question`, `reply` and `error` come from every server. */
export type Told =
  | { event: 'plan'; data: { steps: { agent: string; task: string }[] } }
  | { event: 'begun'; data: { agent: string; task: string } }
  | { event: 'thinking'; data: { agent: string } }
  | { event: 'handoff'; data: { from: string; to: string; task: string } }
  | { event: 'checking'; data: { tool: string; stage: string; done: number; of: number } }
  | {
      event: 'checked';
      data: {
        tool: string;
        admitted: boolean;
        needs_approval: boolean;
        stage: string;
        findings?: Finding[];
      };
    }
  | { event: 'step'; data: Progress }
  | { event: 'question'; data: { id: string; text: string } }
  | { event: 'reply'; data: Reply }
  | { event: 'error'; data: { detail: string } };

export interface Progress {
  agent: string;
  task: string;
  text: string;
  outcome: string;
  steps: Step[];
}

export interface Reply {
  text: string;
  outcome: string;
  plan: { agent: string; task: string }[];
  steps: Step[];
  tool: { name: string; version: number; code?: string; findings?: Finding[] } | null;
}

export interface Entry {
  at: string;
  kind: string;
  who: string;
  role?: string;
  peer?: string;
  what: string;
  outcome: string;
  took_ms?: number;
  id?: string;
  detail?: unknown;
  lost?: number;
  run?: string;
  seq?: number;
}

export interface Session {
  id: string;
  began: number;
  used: number;
  turns: number;
  first: string;
}

export interface Thing {
  label: string;
  score: number;
  /** Left, top, width, height, in pixels. */
  bounds: [number, number, number, number];
  place: [number, number, number];
}

export interface Detections {
  width: number;
  height: number;
  things: Thing[];
  without: string | null;
}

export interface Holder {
  owner: string;
  for: string;
  heartbeat_ms: number;
}

export interface Granted extends Holder {
  lease: string;
}

export interface Check {
  name: string;
  state: 'good' | 'warn' | 'bad';
  detail: string;
  remedy: string | null;
}
