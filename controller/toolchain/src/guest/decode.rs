//! What a guest says, from bytes that are presumed forged: a turn within bounds, or a complaint.

use minismith_wire::Turn;
use minismith_wire::frame::FrameError;

/// How deep a turn may be nested. A result is at most 32 deep; the turn around it, and its reading of a toolkit, a few.
const DEEPEST: usize = 48;
/// How many values a turn may hold; a result holds at most 100 000, and each of its pairs a name as well.
const MOST: usize = 250_000;

/// Why bytes are no turn.
#[derive(Debug, thiserror::Error)]
pub enum NotATurn {
    /// What reads it would go as deep.
    #[error("a frame is nested more than {DEEPEST} deep")]
    Deep,
    /// It would take far more room than it is long.
    #[error("a frame holds more than {MOST} values")]
    Many,
    /// It is not the JSON of a turn.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// Reads one turn. Nothing is built before its depth and number are known.
pub fn turn(bytes: &[u8]) -> Result<Turn, NotATurn> {
    measure(bytes)?;
    serde_json::from_slice(bytes).map_err(|error| FrameError::NotUnderstood(error).into())
}

/// Counts brackets and commas outside of texts, whether or not the rest is JSON.
fn measure(bytes: &[u8]) -> Result<(), NotATurn> {
    let (mut depth, mut values) = (0_usize, 1_usize);
    let (mut in_text, mut escaped) = (false, false);
    for byte in bytes {
        match (in_text, *byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_text = !in_text,
            (true, _) => {}
            (false, b'[' | b'{') => {
                depth += 1;
                values += 1;
            }
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            (false, b',') => values += 1,
            (false, _) => {}
        }
        if depth > DEEPEST {
            return Err(NotATurn::Deep);
        }
    }
    if values > MOST { Err(NotATurn::Many) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forged(bytes: &[u8]) -> String {
        turn(bytes).unwrap_err().to_string()
    }

    #[test]
    fn what_a_guest_says_is_read() {
        let said = br#"{"turn":"asks","cue":{"cue":"sleep","seconds":0.5},"spent":20000,"printed":"[{\"\\"}"#;
        assert!(matches!(turn(said), Ok(Turn::Asks { spent: 20_000, .. })));
        let value = "[".repeat(32) + &"]".repeat(32);
        let deep =
            format!(r#"{{"turn":"done","value":{value},"printed":"","spent":0,"lines":{{"tool":[1,2]}}}}"#);
        assert!(matches!(turn(deep.as_bytes()), Ok(Turn::Done { .. })));
    }

    #[test]
    fn what_is_cut_short_at_any_byte_is_an_error() {
        let said =
            br#"{"turn":"raised","kind":"K","message":"\u00e9","line":3,"printed":"","spent":1,"lines":{"tool":[7]}}"#;
        assert!(turn(said).is_ok());
        for length in 0..said.len() {
            assert!(turn(&said[..length]).is_err(), "{length} bytes");
        }
        assert!(turn(&[&said[..], b"}"].concat()).is_err(), "and what follows as well");
    }

    #[test]
    fn a_changed_byte_is_read_or_refused_but_breaks_nothing() {
        let said =
            br#"{"turn":"done","value":{"a":[1,-2.5e3,null,true,"x"]},"printed":"p","spent":0,"lines":{"tool":[1]}}"#;
        for place in 0..said.len() {
            for byte in 0..=255 {
                let mut changed = said.to_vec();
                changed[place] = byte;
                let _ = turn(&changed);
            }
        }
    }

    #[test]
    fn wrong_types_names_and_numbers_are_refused() {
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
    fn depth_and_number_are_bounded_before_anything_is_built() {
        let done = |value: String| {
            format!(r#"{{"turn":"done","value":{value},"printed":"","spent":0,"lines":{{}}}}"#).into_bytes()
        };
        for depth in [DEEPEST, 1_000, 400_000] {
            assert!(forged(&done("[".repeat(depth) + &"]".repeat(depth))).contains("deep"));
            assert!(forged(&done(r#"{"a":"#.repeat(depth) + "1" + &"}".repeat(depth))).contains("deep"));
            assert!(forged(&done("[".repeat(depth))).contains("deep"), "and never closed");
        }
        assert!(forged(&done(format!("[{}1]", "1,".repeat(MOST)))).contains("values"));
        // In a text they are nothing.
        let text = "[{,".repeat(200_000);
        assert!(turn(&done(format!(r#""\"{text}""#))).is_ok());
    }
}
