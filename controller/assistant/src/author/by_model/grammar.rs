//! The grammar in GBNF that a local model's answer fits: a plan in words, a name, and steps in the language of motion.

/// What the request lets the steps contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Allowed {
    /// Steps that wait for an event.
    pub events: bool,
    /// The names of parameters in place of numbers.
    pub times: bool,
    /// As above.
    pub degrees: bool,
    /// As above.
    pub seconds: bool,
    /// As above.
    pub size: bool,
    /// A photo.
    pub photo: bool,
}

/// The rules that do not depend on the request.
const RULES: &str = r#"
root ::= "plan: " plan "\n" "name: " name "\n" step (",\n" step){0,9} "\n"
plan ::= [a-zA-Z] [a-zA-Z0-9 ,;:.'-]{6,150}
name ::= [a-z] [a-z0-9_]{2,29}
steps ::= step (", " step){0,9}
head ::= "head(" (turn (", " turn){0,2} time?)? ")"
turn ::= ("left=" | "right=" | "up=" | "down=" | "tilt_left=" | "tilt_right=" | "forward_mm=" | "back_mm=" | "rise_mm=" | "lower_mm=" | "side_left_mm=" | "side_right_mm=") angle
antennas ::= "antennas(" (antenna (", " antenna)? time? | "seconds=" duration)? ")"
antenna ::= ("left=" | "right=" | "both=" | "left_inward=" | "right_inward=" | "both_inward=") angle
body ::= "body(" (("left=" | "right=") angle time?)? ")"
time ::= ", seconds=" duration
number ::= "0" | [1-9] [0-9]? [0-9]?
decimal ::= ([0-9] | [1-9] [0-9]) ("." [0-9] [0-9]?)?
ramp ::= "ramp(" decimal ", " decimal ")"
"#;

/// Returns the grammar.
pub(super) fn grammar(allowed: Allowed) -> String {
    let mut rules = RULES.trim_start().to_owned();
    let mut rule = |name: &str, alternatives: &[(bool, &str)]| {
        let open: Vec<&str> =
            alternatives.iter().filter(|(is_open, _)| *is_open).map(|(_, it)| *it).collect();
        rules += &format!("{name} ::= {}\n", open.join(" | "));
    };
    rule(
        "step",
        &[
            (true, r#"head | antennas | body | "neutral()" | "wait(" duration ")""#),
            (true, r#""repeat(" rounds ", " steps ")" | "together(" track ", " track (", " track)? ")""#),
            (true, r#""sound(\"wake_up.wav\")""#),
            (allowed.photo, r#""photo()""#),
            (allowed.events, "reaction"),
        ],
    );
    rule("track", &[(true, r#"head | antennas | body | "repeat(" rounds ", " steps ")""#)]);
    rule("rounds", &[(allowed.times, r#""times""#), (true, "[1-9] [0-9]?")]);
    rule(
        "angle",
        &[(allowed.degrees, r#""degrees""#), (allowed.size, r#"number " * size""#), (true, "number | ramp")],
    );
    rule("duration", &[(allowed.seconds, r#""seconds""#), (true, "decimal | ramp")]);
    if allowed.events {
        rules += concat!(
            r#"reaction ::= "when(" event ", " steps ", within=" decimal ")" | "whenever(" event ", " steps ", seconds=" decimal ")""#,
            r#" | "until(" event ", " steps ", at_most=" decimal ")" | "as_long_as(" event ", " steps ", at_most=" decimal ")""#,
            "\n",
            r#"event ::= "face()" | "clap()" | "voice()" | "touch()" | "tilted()" | "thing(\"" [a-z] [a-z ]{1,19} "\")""#,
            "\n",
        );
    }
    rules
}
