//! Decodes a guest's untrusted bytes into a bounded turn or an error.

use minismith_protocol::GuestMessage;
use minismith_protocol::frame::FrameError;

/// Maximum nesting depth of a turn. A result is at most 32 deep. The turn around it and its toolkit facts add a few
/// levels.
const MAX_DEPTH: usize = 48;
/// Maximum number of values in a turn. A result has at most 100 000 values, and each of its pairs has a name as well.
const MAX_VALUES: usize = 250_000;

/// The reason why bytes are not a valid turn.
#[derive(Debug, thiserror::Error)]
pub enum GuestMessageError {
    /// The nesting is too deep for a recursive parser.
    #[error("a frame is nested more than {MAX_DEPTH} deep")]
    Deep,
    /// The parsed value would need far more memory than the text.
    #[error("a frame holds more than {MAX_VALUES} values")]
    Many,
    /// The bytes are not the JSON of a turn.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// Decodes one turn. It checks the depth and the number of values before it builds anything.
pub fn turn(bytes: &[u8]) -> Result<GuestMessage, GuestMessageError> {
    check_bounds(bytes)?;
    serde_json::from_slice(bytes).map_err(|error| FrameError::NotUnderstood(error).into())
}

/// Counts brackets and commas outside of strings, whether or not the rest is JSON.
fn check_bounds(bytes: &[u8]) -> Result<(), GuestMessageError> {
    let (mut depth, mut values) = (0_usize, 1_usize);
    let (mut in_string, mut escaped) = (false, false);
    for byte in bytes {
        match (in_string, *byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (true, _) => {}
            (false, b'[' | b'{') => {
                depth += 1;
                values += 1;
            }
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            (false, b',') => values += 1,
            (false, _) => {}
        }
        if depth > MAX_DEPTH {
            return Err(GuestMessageError::Deep);
        }
    }
    if values > MAX_VALUES { Err(GuestMessageError::Many) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forged(bytes: &[u8]) -> String {
        turn(bytes).unwrap_err().to_string()
    }

    #[test]
    fn decodes_valid_turns() {
        let said = br#"{"turn":"asks","cue":{"cue":"sleep","seconds":0.5},"spent":20000,"printed":"[{\"\\"}"#;
        assert!(matches!(turn(said), Ok(GuestMessage::Asks { spent: 20_000, .. })));
        let value = "[".repeat(32) + &"]".repeat(32);
        let deep =
            format!(r#"{{"turn":"done","value":{value},"printed":"","spent":0,"lines":{{"tool":[1,2]}}}}"#);
        assert!(matches!(turn(deep.as_bytes()), Ok(GuestMessage::Done { .. })));
    }

    #[test]
    fn rejects_turns_truncated_at_any_byte() {
        let said =
            br#"{"turn":"raised","kind":"K","message":"\u00e9","line":3,"printed":"","spent":1,"lines":{"tool":[7]}}"#;
        assert!(turn(said).is_ok());
        for length in 0..said.len() {
            assert!(turn(&said[..length]).is_err(), "{length} bytes");
        }
        assert!(turn(&[&said[..], b"}"].concat()).is_err(), "and what follows as well");
    }

    #[test]
    fn never_panics_on_a_changed_byte() {
        let said =
            br#"{"turn":"done","value":{"a":[1,-2.5e3,null,true,"x"]},"printed":"p","spent":0,"lines":{"tool":[1]}}"#;
        for position in 0..said.len() {
            for byte in 0..=255 {
                let mut changed = said.to_vec();
                changed[position] = byte;
                let _ = turn(&changed);
            }
        }
    }

    #[test]
    fn rejects_wrong_types_names_and_numbers() {
        let printed = |rest: &str| forged(format!(r#"{{"turn":"printed",{rest}}}"#).as_bytes());
        for (rest, why) in [
            (r#""printed":1,"spent":0"#, "invalid type"),
            (r#""printed":"","spent":"0""#, "invalid type"),
            (r#""printed":"","spent":-1"#, "invalid value"),
            (r#""printed":"","spent":1.5"#, "invalid type"),
            (r#""printed":"","spent":18446744073709551616"#, "invalid type"),
            (r#""printed":"","spent":1e999"#, "out of range"),
            (r#""printed":"","spent":NaN"#, "expected value"),
            (r#""printed":"","spent":Infinity"#, "expected value"),
            (r#""printed":"","spent":0,"spent":0"#, "duplicate field"),
            (r#""printed":"","spent":0,"turn":"done""#, "duplicate field"),
            (r#""printed":"","spent":0,"more":1"#, "unknown field"),
            (r#""printed":"""#, "missing field"),
            (r#""printed":"\ud800","spent":0"#, "hex escape"),
        ] {
            let said = printed(rest);
            assert!(said.contains(why), "{rest}: {said}");
        }
        for bytes in [&b""[..], b"null", b"[]", b"{}", b"\"turn\"", b"\xff\xfe", b"{\"turn\":\"\xff\"}", b"7"]
        {
            assert!(turn(bytes).is_err(), "{bytes:?}");
        }
        let cue = |cue: &str| format!(r#"{{"turn":"asks","cue":{cue},"spent":0,"printed":""}}"#);
        for wrong in [
            r#"{"cue":"launch"}"#,
            r#"{"cue":"sleep","seconds":null}"#,
            r#"{"cue":"goto","head":[1,2,3],"antennas":null,"body_yaw":null,"duration":1,"method":"linear"}"#,
            r#"{"cue":"play","keyframes":{},"initial_goto":0}"#,
            r#"{"cue":"sleep","seconds":1,"cue":"state"}"#,
        ] {
            assert!(turn(cue(wrong).as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bounds_depth_and_count_before_parsing() {
        let done = |value: String| {
            format!(r#"{{"turn":"done","value":{value},"printed":"","spent":0,"lines":{{}}}}"#).into_bytes()
        };
        for depth in [MAX_DEPTH, 1_000, 400_000] {
            assert!(forged(&done("[".repeat(depth) + &"]".repeat(depth))).contains("deep"));
            assert!(forged(&done(r#"{"a":"#.repeat(depth) + "1" + &"}".repeat(depth))).contains("deep"));
            assert!(forged(&done("[".repeat(depth))).contains("deep"), "and never closed");
        }
        assert!(forged(&done(format!("[{}1]", "1,".repeat(MAX_VALUES)))).contains("values"));
        // Inside a string, brackets and commas do not count.
        let text = "[{,".repeat(200_000);
        assert!(turn(&done(format!(r#""\"{text}""#))).is_ok());
    }
}
