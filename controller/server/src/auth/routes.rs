//! The role that each path needs. Paths that are not listed need viewers for reading and operators for everything else.

use std::borrow::Cow;

use minismith_runtime::role::Role;

/// Returns whether a trusted peer may use a path: the official API, and sound, which the official daemon sends by WebRTC.
#[must_use]
pub fn is_for_trusted(path: &str) -> bool {
    is_official(path) || matches!(path, "/api/v1/microphone" | "/api/v1/speaker")
}

/// Returns whether a path belongs to the official daemon's API.
#[must_use]
pub fn is_official(path: &str) -> bool {
    path == "/ws/sdk" || (path.starts_with("/api/") && !path.starts_with("/api/v1/"))
}

/// Returns whether a path belongs to the dashboard, which is the same for every client.
#[must_use]
pub fn is_page(path: &str) -> bool {
    matches!(path, "/" | "/index.html" | "/favicon.svg") || path.starts_with("/assets/")
}

/// Returns the minimum role for a path. Where the path does not tell what a request does, as for messages over a WebSocket and
/// tool calls, the handler checks the role.
#[must_use]
pub fn least(is_read: bool, path: &str) -> Role {
    // The router decodes the parts of a path, so a role that is read from the bare text would be another one's.
    let steps: Vec<Cow<'_, str>> = path.split('/').filter(|step| !step.is_empty()).map(decoded).collect();
    let steps: Vec<&str> = steps.iter().map(AsRef::as_ref).collect();
    if is_read {
        return match steps.as_slice() {
            ["api", "v1", "journal" | "recordings" | "doctor" | "language-server", ..] => Role::Engineer,
            // Sessions are for those who may talk to the robot; streamed targets move it.
            ["api", "v1", "sessions", ..]
            | ["api", "v1", "lease", _, ..]
            | ["api", "v1", "voice" | "speaker" | "microphone"]
            | ["api", "move", "ws", "set_target"] => Role::Operator,
            _ => Role::Viewer,
        };
    }
    match steps.as_slice() {
        // Every role may stop the robot.
        ["api", "v1", "stop"] | ["api", "move", "stop"] => Role::Viewer,
        // Each tool has its own minimum role, and a sentence may be a stop.
        ["mcp"] | ["api", "v1", "chat"] => Role::Viewer,
        ["api", "v1", "tools", _, "run" | "rehearse"] => Role::Operator,
        ["api", "v1", "tools" | "bundles"]
        | ["api", "v1", "tools", "check"]
        | ["api", "v1", "choreography", ..] => Role::Engineer,
        ["api", "v1", "tools", ..] | ["api", "v1", "fleet", "share" | "get" | "withdraw"] => Role::Owner,
        ["api", "v1", "sessions" | "control_loop" | "pulse", ..]
        | ["api", "motors", "set_mode", "disabled"] => Role::Engineer,
        // What is installed on this computer is its owner's choice.
        ["api", "apps", "install" | "install-private-space" | "remove" | "update", ..] => Role::Owner,
        _ => Role::Operator,
    }
}

/// Decodes one part of a path: `%64isabled` is `disabled`. What is not encoded correctly stays as it is.
fn decoded(step: &str) -> Cow<'_, str> {
    if !step.contains('%') {
        return Cow::Borrowed(step);
    }
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut bytes = Vec::with_capacity(step.len());
    let mut rest = step.as_bytes();
    while let [first, after @ ..] = rest {
        let code = digit(after.first()).zip(digit(after.get(1))).filter(|_| *first == b'%');
        match code.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_need_their_roles() {
        for (is_read, path, role) in [
            (true, "/health", Role::Viewer),
            (true, "/api/state/full", Role::Viewer),
            (true, "/api/v1/journal", Role::Engineer),
            (true, "/api/v1/journal/download", Role::Engineer),
            (true, "/api/v1/recordings", Role::Engineer),
            (true, "/api/v1/recordings/x.trace.jsonl", Role::Engineer),
            (true, "/api/v1/doctor", Role::Engineer),
            (true, "/api/v1/language-server", Role::Engineer),
            (true, "/api/v1/me", Role::Viewer),
            (true, "/api/v1/sessions/evening", Role::Operator),
            (true, "/api/v1/voice", Role::Operator),
            (true, "/api/v1/microphone", Role::Operator),
            (true, "/api/move/ws/set_target", Role::Operator),
            (false, "/api/v1/stop", Role::Viewer),
            (false, "/api/v1/chat", Role::Viewer),
            (false, "/api/v1/chat/id/answer", Role::Operator),
            (false, "/api/move/goto", Role::Operator),
            (false, "/api/motors/set_mode/enabled", Role::Operator),
            (false, "/api/motors/set_mode/disabled", Role::Engineer),
            (false, "//api//motors/set_mode/disabled/", Role::Engineer),
            (false, "/api/motors/set_mode/%64isabled", Role::Engineer),
            (false, "/api/motors/set_mode/%64%69%73%61%62%6C%65d", Role::Engineer),
            (false, "/api/motors/set_mode/%2564isabled", Role::Operator),
            (false, "/api/motors/set_mode/%zz%", Role::Operator),
            (false, "/api/v1/control_loop/reset_statistics", Role::Engineer),
            (false, "/api/v1/pulse/measure", Role::Engineer),
            (false, "/api/v1/tools", Role::Engineer),
            (false, "/api/v1/bundles", Role::Engineer),
            (false, "/api/v1/tools/nod/run", Role::Operator),
            (true, "/api/v1/fleet", Role::Viewer),
            (true, "/api/v1/fleet/pictures/hall", Role::Viewer),
            (false, "/api/v1/fleet/say", Role::Operator),
            (false, "/api/v1/fleet/stop", Role::Operator),
            (false, "/api/v1/fleet/get", Role::Owner),
            (false, "/api/v1/fleet/withdraw", Role::Owner),
            (false, "/api/v1/tools/nod/rehearse", Role::Operator),
            (false, "/api/v1/tools/nod/approve", Role::Owner),
            (false, "/api/v1/tools/nod/export", Role::Owner),
            (false, "/api/apps/install", Role::Owner),
            (false, "/api/apps/remove/x", Role::Owner),
            (false, "/api/apps/update/x", Role::Owner),
            (false, "/api/apps/install-private-space", Role::Owner),
            (false, "/api/apps/start-app/x", Role::Operator),
            (false, "/whatever", Role::Operator),
        ] {
            assert_eq!(least(is_read, path), role, "{path}");
        }
    }

    #[test]
    fn page_contains_only_the_dashboard() {
        for path in ["/", "/index.html", "/assets/index-1.js", "/favicon.svg"] {
            assert!(is_page(path), "{path}");
        }
        for path in ["/api/v1/state", "/docs", "/health", "/metrics", "//", "/assets", "/x/assets/y"] {
            assert!(!is_page(path), "{path}");
        }
    }

    #[test]
    fn own_paths_are_not_official() {
        for path in ["/api/v1/state", "/v1/chat/completions", "/mcp", "/health", "/", "/apis/x"] {
            assert!(!is_official(path), "{path}");
        }
        for path in ["/ws/sdk", "/api/state/full", "/api/move/ws/updates"] {
            assert!(is_official(path), "{path}");
        }
    }
}
