//! Old keys and values of `config.yaml`.

/// Old and new paths of keys. A section that was renamed has a row for each of its keys.
pub const KEYS: &[(&str, &str)] = &[
    ("pulse.rate_hz", "control_loop.rate_hz"),
    ("limits.body_rotation.range_deg", "limits.body_rotation.max_angle_deg"),
    ("limits.body_rotation.speed", "limits.body_rotation.max_velocity_rad_s"),
    ("limits.body_rotation.acceleration", "limits.body_rotation.max_acceleration_rad_s2"),
    ("limits.body_rotation.jerk", "limits.body_rotation.max_jerk_rad_s3"),
    ("limits.stewart.margin_deg", "limits.stewart.soft_limit_margin_deg"),
    ("limits.stewart.speed", "limits.stewart.max_velocity_rad_s"),
    ("limits.stewart.acceleration", "limits.stewart.max_acceleration_rad_s2"),
    ("limits.stewart.jerk", "limits.stewart.max_jerk_rad_s3"),
    ("limits.antennas.range_deg", "limits.antennas.max_angle_deg"),
    ("limits.antennas.speed", "limits.antennas.max_velocity_rad_s"),
    ("limits.antennas.acceleration", "limits.antennas.max_acceleration_rad_s2"),
    ("limits.antennas.jerk", "limits.antennas.max_jerk_rad_s3"),
    ("limits.head.pitch_deg", "limits.head.max_pitch_deg"),
    ("limits.head.roll_deg", "limits.head.max_roll_deg"),
    ("limits.head.yaw_from_body_deg", "limits.head.max_relative_yaw_deg"),
    ("limits.head.least_steadiness", "limits.head.min_singularity_margin"),
    ("limits.untrusted_scale", "limits.unapproved_tool_scale"),
    ("bus.least_volts", "bus.min_voltage_v"),
    ("serve.host", "server.host"),
    ("serve.port", "server.port"),
    ("serve.tokens", "server.token_file"),
    ("serve.without_token", "server.anonymous_role"),
    ("serve.names", "server.allowed_hosts"),
    ("serve.origins", "server.allowed_origins"),
    ("serve.connections", "server.max_connections"),
    ("serve.requests_per_second", "server.rate_limit_per_s"),
    ("serve.certificate", "server.tls_certificate"),
    ("serve.key", "server.tls_key"),
    ("serve.announce", "server.mdns"),
    ("workshop.max_iterations", "workshop.max_repair_attempts"),
    ("workshop.budget.simulated_seconds", "workshop.budget.robot_time_s"),
    ("workshop.budget.cpu_seconds", "workshop.budget.cpu_time_s"),
    ("workshop.budget.memory_mb", "workshop.budget.max_memory_mb"),
    ("workshop.budget.output_kb", "workshop.budget.max_output_kb"),
    ("workshop.budget.wall_seconds", "workshop.budget.wall_time_s"),
    ("workshop.budget.frames", "workshop.budget.max_frames"),
    ("tool_host.may_lack", "tool_host.optional_sandbox_mechanisms"),
    ("brain", "nlu"),
    ("language_model.answer_seconds", "language_model.request_timeout_s"),
    ("language_model.silence_seconds", "language_model.read_timeout_s"),
    ("language_model.retries", "language_model.max_retries"),
    ("language_model.prompt_tokens", "language_model.max_prompt_tokens"),
    ("language_model.answer_tokens", "language_model.max_completion_tokens"),
    ("agents.steps", "agents.max_model_calls"),
    ("agents.tokens", "agents.max_tokens"),
    ("agents.seconds", "agents.timeout_s"),
    ("agents.repeats", "agents.max_repeated_calls"),
    ("memory.keep_days", "memory.retention_days"),
    ("camera.lens", "camera.intrinsics"),
    ("camera.album", "camera.photo_directory"),
    ("vision.providers", "vision.execution_providers"),
    ("vision.sent_width", "vision.upload_width_px"),
    ("vision.sent_per_hour", "vision.max_uploads_per_hour"),
    ("voice.names", "voice.wake_words"),
    ("voice.call", "voice.wake_word_mode"),
    ("voice.attentive_seconds", "voice.attention_timeout_s"),
    ("voice.cuts_motion", "voice.barge_in_stops_motion"),
    ("voice.unsure_below", "voice.min_confidence"),
    ("voice.sway", "voice.head_wobble"),
    ("voice.antennas", "voice.antenna_cues"),
    ("voice.engine", "voice.tts_engine"),
    ("journal.rotate_mb", "journal.max_file_mb"),
    ("journal.keep_files", "journal.max_files"),
    ("traces.keep_days", "traces.retention_days"),
    ("traces.keep_mb", "traces.max_total_mb"),
    ("traces.pictures_per_second", "traces.camera_fps"),
    ("rerun.viewer", "rerun.connect"),
    ("rerun.serve", "rerun.listen"),
    ("rerun.beats_per_second", "rerun.sample_rate_hz"),
    ("rerun.pictures_per_second", "rerun.camera_fps"),
    ("logs.most_mib", "logs.max_file_mb"),
    ("logs.keep_files", "logs.max_files"),
    ("telemetry.otlp", "telemetry.otlp_endpoint"),
];

/// Old and new values of keys, after the new path of the key. `[]` stands for any entry of a list.
pub const VALUES: &[(&str, &str, &str)] = &[
    ("nlu", "offline", "grammar"),
    ("nlu", "openai", "llm"),
    ("voice.wake_word_mode", "first", "once"),
    ("agents.roster[].functions[]", "find_things", "find_objects"),
    ("agents.roster[].functions[]", "look_at_thing", "look_at_object"),
    ("agents.roster[].functions[]", "go_to_sleep", "goto_sleep"),
    ("agents.roster[].functions[]", "hand_over", "hand_off"),
];

/// Returns the new name of the key `written` in the section with the new path `section`, which is empty for the whole
/// file.
#[must_use]
pub fn new_key(section: &str, written: &str) -> Option<&'static str> {
    let depth = if section.is_empty() { 0 } else { section.split('.').count() };
    KEYS.iter().find_map(|(old, new)| {
        let is_inside = section.split('.').take(depth).eq(new.split('.').take(depth));
        let (old, new) = (old.split('.').nth(depth)?, new.split('.').nth(depth)?);
        (is_inside && old == written && new != written).then_some(new)
    })
}

/// Returns the new spelling of the value `written` of the key with the new path `key`.
#[must_use]
pub fn new_value(key: &str, written: &str) -> Option<&'static str> {
    VALUES.iter().find(|(at, old, _)| *at == key && *old == written).map(|(_, _, new)| *new)
}

/// Whether the key with the new path `path` is a section that contains a renamed key.
#[must_use]
pub fn is_section(path: &str) -> bool {
    KEYS.iter().any(|(_, new)| new.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
}

/// Whether the key with the new path `path` contains a renamed key or has a renamed value.
#[must_use]
pub fn has_renamed(path: &str) -> bool {
    let is_at =
        |at: &str| at.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    is_section(path) || VALUES.iter().any(|(at, ..)| is_at(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_keys_in_sections_of_either_spelling() {
        assert_eq!(new_key("", "serve"), Some("server"));
        assert_eq!(new_key("server", "tokens"), Some("token_file"));
        assert_eq!(new_key("server", "token_file"), None);
        assert_eq!(new_key("server", "host"), None);
        assert_eq!(new_key("rerun", "serve"), Some("listen"));
        assert_eq!(new_key("", "pulse"), Some("control_loop"));
        assert_eq!(new_key("limits.stewart", "speed"), Some("max_velocity_rad_s"));
        assert_eq!(new_key("", "speed"), None);
        assert_eq!(new_key("", "brain"), Some("nlu"));
        assert_eq!(new_value("nlu", "openai"), Some("llm"));
        assert_eq!(new_value("voice.wake_word_mode", "openai"), None);
    }

    #[test]
    fn no_old_key_means_two_objects() {
        for (old, new) in KEYS {
            assert_eq!(KEYS.iter().filter(|(other, _)| other == old).count(), 1, "{old}");
            assert_eq!(KEYS.iter().filter(|(_, other)| other == new).count(), 1, "{new}");
            assert_eq!(old.split('.').count(), new.split('.').count(), "{old} stays in its section");
        }
    }
}
