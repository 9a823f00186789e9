/**
 * The server's responses. Their types are made of the OpenAPI document (`openapi.json`), with the current names of what
 * `compat` renames. What is written here is only what the document leaves open, and what older servers do not send.
 */

import type { components } from '../../generated-types/openapi';
import type {
  CHECK,
  CLAMP,
  DETECTIONS,
  FINDING,
  HEALTH,
  IMPORT,
  JOURNAL,
  LEASE,
  LEASE_GRANT,
  LIMITS,
  MOTION,
  MOTION_STEP,
  REHEARSAL,
  REPLY,
  REPORT,
  ROBOT_STATE,
  RUN,
  SESSIONS,
  TOOL,
  TOOL_LIST,
  USAGE,
  Upgraded,
} from './compat';

type Schemas = components['schemas'];

/** A document of which older servers do not send some fields. */
type Newer<Document, Field extends keyof Document> = Omit<Document, Field> &
  Partial<Pick<Document, Field>>;

/** A document with some fields in more detail than the OpenAPI document has. */
type Detailed<Document, Fields> = Document extends unknown
  ? Omit<Document, keyof Fields> & Fields
  : never;

export type JointState = RobotState['joints'][number];
export type RobotState = Newer<Upgraded<Schemas['RobotState'], typeof ROBOT_STATE>, 'clamps'>;

/** The limits in force. */
export type Limits = Newer<
  Detailed<
    Upgraded<Schemas['LimitsNow'], typeof LIMITS>,
    { joints: Newer<Upgraded<Schemas['JointLimitReport'], JointLimits>, 'max_acceleration_dps2'>[] }
  >,
  'unapproved_tool_scale'
>;
type JointLimits = typeof LIMITS.inside.joints;

export type Percentiles = Schemas['TimeDistribution'];
export type Health = Upgraded<Schemas['Health'], typeof HEALTH>;

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

export type Usage = Upgraded<Schemas['Usage'], typeof USAGE>;
export type ToolSummary = Detailed<
  Upgraded<Schemas['ToolSummary'], typeof TOOL_LIST.inside.tools>,
  { parameters: Schema }
>;

export type Finding = Upgraded<Schemas['Finding'], typeof FINDING>;
export type PolicyRule = Schemas['Rule'];

export type Report = Upgraded<Schemas['PhysicalReport'], typeof REPORT>;
export type JointReport = Report['joints'][string];
export type Clamp = Upgraded<Schemas['ClampReport'], typeof CLAMP>;

/** The motion of a rehearsal. Its cycles are `period_s` apart. */
export type RecordedMotion = Upgraded<Schemas['Motion'], typeof MOTION> & {
  /** Whether the motion continued beyond the last cycle. Only older servers send it. */
  truncated?: boolean;
};
/** The motor positions in one cycle of a rehearsal, in the order of the motors. */
export type MotionCycle = Schemas['PreviewSample'];
export type RehearsalResult = Upgraded<Schemas['Preview'], typeof REHEARSAL> & RecordedMotion;

export type CheckResult = Upgraded<Schemas['FileChecked'], typeof CHECK>;
export type ImportResult = Upgraded<Schemas['ImportResult'], typeof IMPORT>;
export type ImportRefusal = Upgraded<Schemas['NotImported'], typeof IMPORT>;

/** What was measured of one expectation about a motion. */
export type Measured = Schemas['Measured'];

export type ToolDetails = Detailed<
  Upgraded<Schemas['ToolDetails'], typeof TOOL>,
  {
    manifest: Detailed<
      Upgraded<Schemas['ToolManifest'], typeof TOOL.inside.manifest>,
      { parameters: Schema }
    >;
  }
>;

export type MotionStep = Upgraded<Schemas['Step'], typeof MOTION_STEP>;
export type RunResponse = Detailed<
  Upgraded<Schemas['RunResult'], typeof RUN>,
  { run: Detailed<ToolRun, { outputs: (Schemas['Output'] & { base64?: string })[] }> }
>;
type ToolRun = Upgraded<Schemas['ToolRunReply'], typeof RUN.inside.run>;

/** An event of a streamed chat. Every server sends `step_finished`, `question`, `reply` and `error`. */
export type ChatEvent =
  | {
      event: 'plan';
      data: { steps: Assignment[]; understood?: UnderstoodPart[] };
    }
  | { event: 'step_started'; data: Assignment }
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

export type Assignment = Detailed<Schemas['Assignment'], { agent: string }>;
/** A part of a sentence, and the steps that it stands for. */
export type UnderstoodPart = Schemas['UnderstoodPart'];

/** What an agent did for an assignment. */
export interface StepReport extends Assignment {
  text: string;
  outcome: string;
  steps: MotionStep[];
}

export type Reply = Detailed<
  Upgraded<Schemas['Reply'], typeof REPLY>,
  { outcome: string; plan: Assignment[] }
>;
/** A tool that was made or run. */
export type ToolReply = NonNullable<Reply['tool']>;

export type JournalEntry = Upgraded<Schemas['JournalEntry'], typeof JOURNAL.inside.entries>;
export type Session = Upgraded<Schemas['SessionEntry'], typeof SESSIONS.inside.sessions>;

export type Detections = Upgraded<Schemas['Detections'], typeof DETECTIONS>;
export type DetectedObject = Detections['objects'][number];

export type LeaseHolder = Upgraded<Schemas['Holder'], typeof LEASE.inside.holder>;
export type LeaseGrant = Upgraded<Schemas['Granted'], typeof LEASE_GRANT>;

/** A client that asks the holder for the lease. */
export type ControlRequest = Schemas['Waiting'];
/** How a request for the lease ended. */
export type HandoverResponse = Schemas['HandoverResponse'];

export type DoctorCheck = Schemas['Check'];
