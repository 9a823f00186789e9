/**
 * The older names of the server's fields, values and events, all in one place. `upgrade` gives a document the current
 * names, so that the rest of the page knows no others. A field that already has its current name is left as it is.
 */

type Names = Readonly<Record<string, string>>;

/** The current name of a field, by its older one. */
type CurrentName<S, Key> = S extends { fields: infer F }
  ? { [Name in keyof F]: F[Name] extends Key ? Name : never }[keyof F] extends infer Name
    ? [Name] extends [never]
      ? Key
      : Name
    : never
  : Key;

type CurrentValue<S, Name, Value> = S extends { values: infer V }
  ? Name extends keyof V
    ? Value extends keyof V[Name]
      ? V[Name][Value]
      : Value
    : Value
  : Value;

type InnerShape<S, Name> = S extends { each: infer E }
  ? E
  : S extends { inside: infer I }
    ? Name extends keyof I
      ? I[Name]
      : unknown
    : unknown;

/** The type of a document with current names: what `upgrade` makes of it. */
export type Upgraded<T, S> = unknown extends S
  ? T
  : T extends readonly (infer Item)[]
    ? Upgraded<Item, S>[]
    : T extends object
      ? {
          [Key in keyof T as CurrentName<S, Key> & string]: Upgraded<
            CurrentValue<S, CurrentName<S, Key>, T[Key]>,
            InnerShape<S, CurrentName<S, Key>>
          >;
        }
      : T;

/** Describes the older names in a document, and in the documents inside it. */
export interface Shape {
  /** The older name of each renamed field, by its current name. */
  fields?: Names;
  /** The current value for each older value, by the current name of the field. */
  values?: Readonly<Record<string, Names>>;
  /** The shapes of fields that hold a document, or a list of documents. */
  inside?: Readonly<Record<string, Shape>>;
  /** The shape of every field, in a document whose keys are data. */
  each?: Shape;
}

/** Returns the document with current names. Lists are upgraded item by item; anything else is returned as it is. */
export function upgrade(value: unknown, shape: Shape): unknown {
  if (Array.isArray(value)) return value.map((item) => upgrade(item, shape));
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = { ...value };
  for (const [name, older] of Object.entries(shape.fields ?? {})) {
    if (!(older in result)) continue;
    if (!(name in result)) result[name] = result[older];
    delete result[older];
  }
  for (const [name, values] of Object.entries(shape.values ?? {})) {
    const current = result[name];
    if (typeof current === 'string') result[name] = values[current] ?? current;
  }
  for (const [name, inner] of Object.entries(shape.inside ?? {})) {
    if (name in result) result[name] = upgrade(result[name], inner);
  }
  if (shape.each !== undefined) {
    for (const name of Object.keys(result)) result[name] = upgrade(result[name], shape.each);
  }
  return result;
}

const MOTION_STATES = {
  playing: 'moving',
  braking: 'stopping',
  limp: 'torque_off',
  led: 'hand_guiding',
} as const satisfies Names;

export const CLAMP = {
  fields: { cycles: 'beats', max_clamp_deg: 'worst_deg' },
  values: { cause: { range: 'position', speed: 'velocity', head_tilt: 'head_pitch_roll' } },
} as const satisfies Shape;

export const ROBOT_STATE = {
  fields: { motion_state: 'doing', control_mode: 'control', cycles: 'beats', clamps: 'trims' },
  values: { motion_state: MOTION_STATES },
  inside: { clamps: CLAMP, joints: { fields: { freshness: 'reading' } } },
} as const satisfies Shape;

/** The answer to a stop, over HTTP and over the telemetry WebSocket. */
export const STOP_REPLY = {
  fields: { motion_state: 'doing', cycles: 'beats' },
  values: { motion_state: MOTION_STATES },
} as const satisfies Shape;

export const LIMITS = {
  inside: {
    joints: {
      fields: {
        min_deg: 'low_deg',
        max_deg: 'high_deg',
        max_velocity_dps: 'speed_dps',
        max_acceleration_dps2: 'acceleration_dps2',
      },
    },
  },
} as const satisfies Shape;

export const HEALTH = {
  fields: { control_loop: 'pulse', cycles: 'beats', overruns: 'late_beats' },
  inside: {
    control_loop: {
      fields: {
        cycles: 'beats',
        wakeup_latency: 'lateness',
        cycle_time: 'work',
        scheduling: 'privilege',
      },
    },
    last_fault: { fields: { message: 'says', count: 'times' } },
  },
} as const satisfies Shape;

export const FINDING = {
  values: { verdict: { admit: 'pass', ask: 'needs_approval', refuse: 'reject' } },
} as const satisfies Shape;

export const REPORT = {
  fields: {
    max_displacement_deg: 'greatest_move_deg',
    clamped_cycles: 'trimmed_beats',
    clamps: 'trims',
  },
  inside: {
    clamps: CLAMP,
    joints: {
      each: {
        fields: {
          min_limit_margin_deg: 'least_margin_deg',
          max_tracking_error_deg: 'worst_lag_deg',
        },
      },
    },
  },
} as const satisfies Shape;

export const MOTION = { fields: { cycles: 'beats', truncated: 'cut' } } as const satisfies Shape;

export const USAGE = { fields: { clamps: 'trims' } } as const satisfies Shape;

export const TOOL_LIST = {
  inside: { tools: { inside: { usage: USAGE } } },
} as const satisfies Shape;

export const TOOL = {
  inside: {
    manifest: { inside: { findings: FINDING, report: REPORT } },
    usage: { inside: { version: USAGE, tool: USAGE } },
  },
} as const satisfies Shape;

export const CHECK = {
  fields: { accepted: 'admitted', phase: 'stage' },
  inside: { findings: FINDING, report: REPORT, motion: MOTION },
} as const satisfies Shape;

export const IMPORT = { inside: { checked: CHECK } } as const satisfies Shape;

export const MOTION_STEP = {
  fields: { clamps: 'trims', error: 'refusal' },
  inside: { clamps: CLAMP },
} as const satisfies Shape;

export const RUN = {
  fields: { run: 'performance' },
  inside: {
    run: {
      fields: { status: 'ended', stdout: 'printed', duration_s: 'took_s', clamps: 'trims' },
      inside: { clamps: CLAMP, steps: MOTION_STEP },
    },
  },
} as const satisfies Shape;

export const REHEARSAL = {
  fields: {
    ...MOTION.fields,
    status: 'ended',
    stdout: 'printed',
    duration_s: 'took_s',
    clamps: 'trims',
  },
  inside: { clamps: CLAMP },
} as const satisfies Shape;

export const DETECTIONS = {
  fields: { objects: 'things', objects_unavailable_reason: 'without' },
  inside: { objects: { fields: { bbox_xywh: 'bounds', position_m: 'place' } } },
} as const satisfies Shape;

/** Who holds the lease. */
export const LEASE = {
  fields: { holder: 'lease' },
  inside: { holder: { fields: { purpose: 'for' } } },
} as const satisfies Shape;

/** A lease of our own. */
export const LEASE_GRANT = {
  fields: { lease_id: 'lease', purpose: 'for' },
} as const satisfies Shape;

export const LEASE_MESSAGE = { fields: { reason: 'why' } } as const satisfies Shape;

export const SESSIONS = {
  inside: {
    sessions: {
      fields: {
        created_at: 'began',
        last_used_at: 'used',
        turn_count: 'turns',
        first_message: 'first',
      },
    },
  },
} as const satisfies Shape;

export const PLAN = { fields: { outcome: 'follows', message: 'says' } } as const satisfies Shape;

/** The older names of kinds of entries, which the journal is still searched by. */
const OLDER_KINDS = {
  utterance: 'said',
  question: 'asked',
  http_request: 'call',
  robot: 'body',
} as const satisfies Names;

/** Who reports the state of the motion. */
const ACTOR = 'control loop';
const OLDER_ACTOR = 'the pulse';

export const JOURNAL = {
  inside: {
    entries: {
      fields: {
        actor: 'who',
        action: 'what',
        duration_ms: 'took_ms',
        robot_time_s: 'stage_s',
        dropped: 'lost',
        process_id: 'run',
      },
      values: {
        kind: Object.fromEntries(
          Object.entries(OLDER_KINDS).map(([current, older]) => [older, current]),
        ),
        actor: { [OLDER_ACTOR]: ACTOR },
        action: { doing: 'motion state' },
        outcome: MOTION_STATES,
      },
    },
  },
} as const satisfies Shape;

const CHAT_EVENTS: Names = {
  begun: 'step_started',
  step: 'step_finished',
  checking: 'check_progress',
  checked: 'check_finished',
};

export const REPLY = {
  inside: {
    steps: MOTION_STEP,
    tool: {
      fields: { run: 'performance' },
      inside: {
        findings: FINDING,
        report: REPORT,
        run: { fields: { clamps: 'trims' }, inside: { clamps: CLAMP } },
      },
    },
  },
} as const satisfies Shape;

const CHAT_DATA: Readonly<Record<string, Shape>> = {
  step_finished: { inside: { steps: MOTION_STEP } },
  check_progress: { fields: { phase: 'stage' } },
  check_finished: {
    fields: { accepted: 'admitted', phase: 'stage' },
    inside: { findings: FINDING },
  },
  reply: REPLY,
};

/** Returns an event of a streamed chat with current names. */
export function upgradeChatEvent(event: unknown): unknown {
  const renamed = upgrade(event, { values: { event: CHAT_EVENTS } });
  const name = (renamed as { event?: unknown } | null)?.event;
  const data = typeof name === 'string' ? CHAT_DATA[name] : undefined;
  return data === undefined ? renamed : upgrade(renamed, { inside: { data } });
}

const VOICE_EVENTS: Names = {
  heard: 'transcript',
  partial: 'partial_transcript',
  cut: 'interrupted',
  trouble: 'voice_error',
};

/** Returns an event of a voice conversation with current names. Events of a chat are among them. */
export function upgradeVoiceEvent(event: unknown): unknown {
  const renamed = upgrade(event, {
    fields: { interpretation: 'means', reason: 'why' },
    values: { event: VOICE_EVENTS },
  });
  // `error` is also an event of the chat, which has `data`. The page keeps the two apart.
  const { event: name, data } = (renamed ?? {}) as { event?: unknown; data?: unknown };
  if (name === 'error' && data === undefined)
    return { ...(renamed as object), event: 'voice_error' };
  return upgradeChatEvent(renamed);
}

/** The path that resets the statistics of the control loop. */
export const RESET_STATISTICS_PATH = '/api/v1/pulse/measure';

/** The body that asks for a lease. */
export const leaseRequest = (purpose: string, heartbeat_ms: number, take: boolean) => ({
  for: purpose,
  heartbeat_ms,
  take,
});

/** The parameters that search the journal. */
export const journalParameters = (kind: string, actor: string, text: string, id: string) => ({
  kind: (OLDER_KINDS as Names)[kind] ?? kind,
  who: actor === ACTOR ? OLDER_ACTOR : actor,
  text,
  id,
});
