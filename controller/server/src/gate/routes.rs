//! What needs which role. What is not named here is looked at by viewers and done by operators.

use minismith_runtime::role::Role;

/// Whether a path belongs to the official daemon's wire.
#[must_use]
pub fn is_official(path: &str) -> bool {
    path == "/ws/sdk" || (path.starts_with("/api/") && !path.starts_with("/api/v1/"))
}

/// Whether a path belongs to the page that is the same for everybody.
#[must_use]
pub fn is_page(path: &str) -> bool {
    matches!(path, "/" | "/index.html" | "/favicon.svg") || path.starts_with("/assets/")
}

/// The least role that may ask for this. What is more than a path says, such as what a message over a WebSocket or a call
/// of a tool asks for, is looked at where it is heard.
#[must_use]
pub fn least(is_read: bool, path: &str) -> Role {
    let steps: Vec<&str> = path.split('/').filter(|step| !step.is_empty()).collect();
    if is_read {
        return match steps.as_slice() {
            ["api", "v1", "journal" | "doctor", ..] => Role::Engineer,
            // What was said is for those who may talk; what is streamed moves the robot.
            ["api", "v1", "sessions", ..]
            | ["api", "v1", "lease", _, ..]
            | ["api", "v1", "voice"]
            | ["api", "move", "ws", "set_target"] => Role::Operator,
            _ => Role::Viewer,
        };
    }
    match steps.as_slice() {
        // Everybody may say stop.
        ["api", "v1", "stop"] | ["api", "move", "stop"] => Role::Viewer,
        // Each tool there says what it needs, and a sentence whether it is a stop.
        ["mcp"] | ["api", "v1", "chat"] => Role::Viewer,
        ["api", "v1", "tools", _, "run" | "rehearse"] => Role::Operator,
        ["api", "v1", "tools"] | ["api", "v1", "tools", "check"] => Role::Engineer,
        ["api", "v1", "tools", ..] => Role::Owner,
        ["api", "v1", "sessions" | "pulse", ..] | ["api", "motors", "set_mode", "disabled"] => Role::Engineer,
        _ => Role::Operator,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_has_its_role() {
        for (is_read, path, role) in [
            (true, "/health", Role::Viewer),
            (true, "/api/state/full", Role::Viewer),
            (true, "/api/v1/journal", Role::Engineer),
            (true, "/api/v1/journal/download", Role::Engineer),
            (true, "/api/v1/doctor", Role::Engineer),
            (true, "/api/v1/me", Role::Viewer),
            (true, "/api/v1/sessions/evening", Role::Operator),
            (true, "/api/v1/voice", Role::Operator),
            (true, "/api/move/ws/set_target", Role::Operator),
            (false, "/api/v1/stop", Role::Viewer),
            (false, "/api/v1/chat", Role::Viewer),
            (false, "/api/v1/chat/id/answer", Role::Operator),
            (false, "/api/move/goto", Role::Operator),
            (false, "/api/motors/set_mode/enabled", Role::Operator),
            (false, "/api/motors/set_mode/disabled", Role::Engineer),
            (false, "//api//motors/set_mode/disabled/", Role::Engineer),
            (false, "/api/v1/tools", Role::Engineer),
            (false, "/api/v1/tools/nod/run", Role::Operator),
            (false, "/api/v1/tools/nod/rehearse", Role::Operator),
            (false, "/api/v1/tools/nod/approve", Role::Owner),
            (false, "/whatever", Role::Operator),
        ] {
            assert_eq!(least(is_read, path), role, "{path}");
        }
    }

    #[test]
    fn only_what_is_the_same_for_everybody_is_the_page() {
        for path in ["/", "/index.html", "/assets/index-1.js", "/favicon.svg"] {
            assert!(is_page(path), "{path}");
        }
        for path in ["/api/v1/state", "/docs", "/health", "/metrics", "//", "/assets", "/x/assets/y"] {
            assert!(!is_page(path), "{path}");
        }
    }

    #[test]
    fn our_own_paths_are_not_official() {
        for path in ["/api/v1/state", "/v1/chat/completions", "/mcp", "/health", "/", "/apis/x"] {
            assert!(!is_official(path), "{path}");
        }
        for path in ["/ws/sdk", "/api/state/full", "/api/move/ws/updates"] {
            assert!(is_official(path), "{path}");
        }
    }
}
