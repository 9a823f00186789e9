/** The server's responses, as far as the page reads them. `/api/v1/openapi.json` describes them in full. */

import type { MotionState, Posture } from './joints';

export interface JointState {
  name: string;
  present_deg: number | null;
  goal_deg: number;
  torque: boolean;
  freshness: 'fresh' | 'stale' | 'never';
  temperature_c: number | null;
  voltage_v: number | null;
  current_ma: number | null;
  mode: string;
  errors: string[];
}

export interface RobotState {
  motion_state: MotionState;
  control_mode: unknown;
  posture: Posture | null;
  joints: JointState[];
  fault: string | null;
  cycles: number;
  /** The clamps of the current or the last motion. Older servers do not send them. */
  clamps?: Clamp[];
}

/** The limits in force. */
export interface Limits {
  joints: {
    name: string;
    min_deg: number;
    max_deg: number;
    max_velocity_dps: number;
    max_acceleration_dps2?: number;
  }[];
  head_pitch_deg: number;
  head_roll_deg: number;
  relative_yaw_deg: number;
  /** The part of the velocities and accelerations that a tool has until it is approved. Older servers do not send it. */
  unapproved_tool_scale?: number;
}

export interface Percentiles {
  p50_us: number;
  p99_us: number;
  p999_us: number;
  max_us: number;
}

export interface Health {
  status: 'ok' | 'fault';
  fault: string | null;
  cycles: number;
  overruns: number;
  last_fault: {
    kind: string;
    motor: string | null;
    policy: string;
    count: number;
    message: string;
  } | null;
  control_loop: {
    cycles: number;
    period_us: number;
    jitter: Percentiles | null;
    wakeup_latency: Percentiles | null;
    cycle_time: Percentiles | null;
    scheduling?: { realtime_priority: number | null; memory_locked: boolean; notes: string[] };
  };
  version: string;
}

/** A JSON Schema, as far as tools use it. */
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
  clamps: number;
  seconds: number;
  /** Unix time in seconds; 0 means never. */
  last_run: number;
}

export interface ToolSummary {
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
  verdict: 'pass' | 'needs_approval' | 'reject';
  reason: string;
  hint: string;
}

/** A rule of the policy. */
export interface PolicyRule {
  id: string;
  reason: string;
  advice: string;
  good: string;
  bad: string;
}

export interface JointReport {
  peak_speed_dps: number;
  peak_acceleration_dps2: number;
  min_limit_margin_deg: number;
  max_tracking_error_deg: number;
  margins?: {
    peak_jerk_dps3: number;
    speed_dps: number;
    acceleration_dps2: number;
    jerk_dps3: number;
  };
}

export interface Clamp {
  what: string;
  cause: string;
  max_clamp_deg: number;
  cycles: number;
}

export interface Report {
  duration_s: number;
  joints: Record<string, JointReport>;
  peak_head_tilt_deg: number;
  peak_relative_yaw_deg: number;
  max_displacement_deg: number;
  clamped_cycles: number;
  clamps: Clamp[];
  rests_at_end: boolean;
  line_coverage: number | null;
  cases: number;
}

/** The motor positions in one cycle of a rehearsal, in the order of the motors. */
export interface MotionCycle {
  present_deg: number[];
  goal_deg: number[];
}

/** The motion of a rehearsal. Its cycles are `period_s` apart. */
export interface RecordedMotion {
  period_s: number;
  cycles: MotionCycle[];
  /** Whether the motion continued beyond the last cycle. */
  truncated: boolean;
}

export interface RehearsalResult extends RecordedMotion {
  name: string;
  version: number;
  status: string;
  value: unknown;
  stdout: string;
  clamps: Clamp[];
  duration_s: number;
}

export interface CheckResult {
  name: string;
  accepted: boolean;
  needs_approval: boolean;
  phase: string;
  findings: Finding[];
  report: Report | null;
  motion?: RecordedMotion | null;
  expectations?: Measured[];
}

/** What was measured of one expectation about a motion. */
export interface Measured {
  held: boolean;
  expected: string;
  measured: string;
}

export interface ToolDetails {
  manifest: {
    name: string;
    version: number;
    description: string;
    parameters: Schema;
    capabilities: string[];
    provenance: { author: string; request: string };
    findings: Finding[];
    report: Report | null;
    /** What the motion must do. */
    expects?: unknown[];
    /** The values of the parameters that the rehearsal covers, where these are not all. */
    verified_range?: Record<string, { min?: number; max?: number }>;
    needs_approval?: boolean;
    code_sha256?: string;
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

export interface MotionStep {
  kind: string;
  requested?: Posture | null;
  achieved?: Posture | null;
  clamps?: Clamp[];
  error?: string | null;
}

export interface RunResponse {
  name: string;
  version: number;
  run: {
    status: 'returned' | 'raised' | 'stopped' | string;
    value: unknown;
    stdout: string;
    duration_s: number;
    steps: MotionStep[];
    clamps: Clamp[];
    notes: unknown[];
    outputs: { name: string; base64?: string }[];
  };
}

/** An event of a streamed chat. Every server sends `step_finished`, `question`, `reply` and `error`. */
export type ChatEvent =
  | {
      event: 'plan';
      data: { steps: { agent: string; task: string }[]; understood?: UnderstoodPart[] };
    }
  | { event: 'step_started'; data: { agent: string; task: string } }
  | { event: 'thinking'; data: { agent: string } }
  | { event: 'handoff'; data: { from: string; to: string; task: string } }
  | { event: 'check_progress'; data: { tool: string; phase: string; done: number; of: number } }
  | {
      event: 'check_finished';
      data: {
        tool: string;
        accepted: boolean;
        needs_approval: boolean;
        phase: string;
        findings?: Finding[];
      };
    }
  | { event: 'step_finished'; data: StepReport }
  | { event: 'question'; data: { id: string; text: string } }
  | { event: 'reply'; data: Reply }
  | { event: 'error'; data: { detail: string } };

/** A part of a sentence, and the steps that it stands for. */
export interface UnderstoodPart {
  text: string;
  steps: string[];
}

export interface StepReport {
  agent: string;
  task: string;
  text: string;
  outcome: string;
  steps: MotionStep[];
}

export interface Reply {
  text: string;
  outcome: string;
  plan: { agent: string; task: string }[];
  /** Absent where the sentence was not read by the grammar, and from older servers. */
  understood?: UnderstoodPart[];
  steps: MotionStep[];
  tool: ToolReply | null;
}

/** A tool that was made or run. */
export interface ToolReply {
  name: string;
  version: number | null;
  code?: string | null;
  /** What was assumed where the request left something open. */
  assumed?: string[];
  findings?: Finding[];
  expectations?: Measured[];
  /** Its run, if it ran. */
  run?: { clamps?: Clamp[] } | null;
}

export interface JournalEntry {
  at: string;
  kind: string;
  actor: string;
  role?: string;
  peer?: string;
  action: string;
  outcome: string;
  duration_ms?: number;
  id?: string;
  detail?: unknown;
  dropped?: number;
  process_id?: string;
  seq?: number;
}

export interface Session {
  id: string;
  created_at: number;
  last_used_at: number;
  turn_count: number;
  first_message: string;
}

export interface DetectedObject {
  label: string;
  score: number;
  /** Left, top, width and height, pixels. */
  bbox_xywh: [number, number, number, number];
  position_m: [number, number, number];
}

export interface Detections {
  width: number;
  height: number;
  objects: DetectedObject[];
  objects_unavailable_reason: string | null;
}

export interface LeaseHolder {
  owner: string;
  purpose: string;
  heartbeat_ms: number;
}

export interface LeaseGrant extends LeaseHolder {
  lease_id: string;
}

export interface DoctorCheck {
  name: string;
  state: 'good' | 'warn' | 'bad';
  detail: string;
  remedy: string | null;
}
