//! Old names of metrics, which `/metrics` exports as well for one version.

/// Old and new names of metric families.
pub const FAMILIES: &[(&str, &str)] = &[
    ("minismith_beats_total", "minismith_control_cycles_total"),
    ("minismith_late_beats_total", "minismith_control_overruns_total"),
    ("minismith_halts_total", "minismith_stops_total"),
    ("minismith_beat_period_seconds", "minismith_control_period_seconds"),
    ("minismith_beat_jitter_seconds", "minismith_control_jitter_seconds"),
    ("minismith_beat_lateness_seconds", "minismith_control_wakeup_latency_seconds"),
    ("minismith_beat_work_seconds", "minismith_control_cycle_time_seconds"),
    ("minismith_doing", "minismith_motion_state"),
    ("minismith_motor_torque", "minismith_motor_torque_enabled"),
    ("minismith_motor_errors", "minismith_motor_hardware_errors"),
    ("minismith_journal_lost_total", "minismith_journal_dropped_total"),
    ("minismith_trace_beats_lost_total", "minismith_trace_cycles_dropped_total"),
    ("minismith_trace_words_lost_total", "minismith_trace_texts_dropped_total"),
    ("minismith_log_lost_total", "minismith_log_dropped_total"),
];

/// Old and new names of labels, after the new name of their family. The old label of a family that kept its name is
/// exported as further samples of that family.
pub const LABELS: &[(&str, &str, &str)] =
    &[("minismith_motion_state", "doing", "state"), ("minismith_tools", "callable", "enabled")];

/// Old and new values of the label `state` of `minismith_motion_state`.
pub const MOTION_STATES: &[(&str, &str)] =
    &[("playing", "moving"), ("braking", "stopping"), ("limp", "torque_off"), ("led", "hand_guiding")];
