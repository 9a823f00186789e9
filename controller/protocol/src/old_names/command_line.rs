//! Old flags, values and environment variables of the command line.

/// An option of a command: the command, its old flag and its new flag.
pub type Renamed = (&'static str, &'static str, &'static str);

/// Flags that only changed their names.
pub const FLAGS: &[Renamed] = &[
    ("move", "over", "duration"),
    ("scan", "all-bauds", "all-baudrates"),
    ("motors", "hold", "duration"),
    ("motors", "control", "mode"),
    ("record", "while", "say"),
    ("record", "describe", "description"),
    ("replay", "against", "compare-with"),
    ("tool from-recording", "of", "positions"),
    ("tool from-recording", "describe", "description"),
    ("dataset convert-move", "of", "positions"),
    ("dataset convert-move", "describe", "description"),
    ("journal tail", "who", "actor"),
    ("journal tail", "text", "contains"),
    ("journal export", "who", "actor"),
    ("journal export", "text", "contains"),
    ("listen", "wav", "input"),
    ("listen", "out", "output"),
    ("listen", "text", "no-speech"),
    ("serve", "listen", "microphone"),
    ("tool show", "doc", "page"),
    ("tool approve", "by", "approver"),
];

/// Commands that changed their names.
pub const COMMANDS: &[(&str, &str)] = &[("dataset move", "dataset convert-move")];

/// Flags that became values of `record --mode`.
pub const RECORD_MODES: &[(&str, &str)] =
    &[("release", "torque-off"), ("gravity", "gravity-compensation"), ("stiff", "position")];

/// Old and new values of `motors --mode`.
pub const MOTOR_MODES: &[(&str, &str)] = &[("gravity", "gravity-compensation")];

/// Old and new names of environment variables.
pub const ENVIRONMENT: &[(&str, &str)] = &[("MINISMITH_RECORDER", "MINISMITH_RERUN")];
