//! What requests become: the source of the steps, and what is declined.

use crate::{
    Composed, Known, NoLibrary, Outcome, compose, is_correction, is_reactive, is_tool_request, modify,
};
use minismith_score::{Arguments, Axis, Score, Setting, Stimuli, compile, read, write};
use proptest::prelude::*;

mod order;
mod rounds;

/// Composes a request and checks what holds for every tool.
fn made(request: &str) -> Composed {
    let composed = compose(request, &NoLibrary);
    check(&composed, request);
    composed
}

fn check(composed: &Composed, request: &str) {
    let Outcome::Score(score) = &composed.outcome else { return };
    score.check().unwrap_or_else(|error| panic!("{request}: {error}"));
    let timeline = compile(score, &Arguments::new(), &Setting::default());
    let timeline = timeline.unwrap_or_else(|error| panic!("{request}: {error}"));
    assert!(timeline.seconds() <= 120.0 + 1e-6, "{request}");
    assert_eq!(read(&write(score)).as_ref(), Ok(score), "{request}\n{}", write(score));
    assert_eq!(composed.name, score.name);
    assert!(score.name.len() <= 40, "{request}");
    for (text, span) in &composed.not_understood {
        assert_eq!(request.get(span.clone()), Some(text.as_str()), "{request}");
    }
}

fn score(request: &str) -> Score {
    let composed = made(request);
    match composed.outcome {
        Outcome::Score(score) => score,
        Outcome::Declined(declined) => panic!("{request}: {declined}"),
    }
}

/// Returns the steps as they are written, on one line.
fn steps(score: &Score) -> String {
    let source = write(score);
    let call = source.split_once("perform(").map(|(_, call)| call).unwrap_or_default();
    let call = call.split_once("perform(").map_or(call, |(_, call)| call);
    let line = call.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace("( ", "(").replace(", )", ")").replace(" )", ")");
    let line = line.strip_suffix(')').unwrap_or(&line).to_owned();
    let line = line.strip_prefix("robot, ").unwrap_or(&line).to_owned();
    line.strip_suffix(", speed=speed").unwrap_or(&line).to_owned()
}

fn says(request: &str, expected: &str) {
    let score = score(request);
    assert_eq!(steps(&score), expected, "{request}");
}

fn declined(request: &str) -> String {
    match made(request).outcome {
        Outcome::Declined(declined) => declined.to_string(),
        Outcome::Score(score) => panic!("{request}\n{}", write(&score)),
    }
}

#[test]
fn the_left_ear_salutes_and_nothing_else_moves() {
    let request = "make a tool called left_ear_salute that lifts only the left antenna and puts it back, the head stays where it is";
    let composed = made(request);
    assert_eq!(composed.name, "left_ear_salute");
    assert!(composed.not_understood.is_empty());
    let score = composed.score().unwrap();
    assert_eq!(steps(score), "repeat(times, antennas(left=40), antennas(left_inward=10))");
    let timeline = compile(score, &Arguments::new(), &Setting::default()).unwrap();
    for axis in Axis::ALL {
        let pieces = timeline.pieces(axis);
        assert_eq!(pieces.len(), if axis == Axis::AntennaLeft { 2 } else { 0 }, "{axis:?}");
    }
    assert_eq!(timeline.axes_at(f64::MAX)[Axis::AntennaLeft], -10.0);
}

#[test]
fn gestures_have_counts_sizes_and_sides() {
    says("make a tool that says yes two times", "repeat(times, head(down=15), head(down=0))");
    assert_eq!(score("make a tool that says yes two times").parameters[0].default, 2.0);
    says(
        "make a tool that shakes its head four times",
        "repeat(times, head(left=20), head(right=20)), head(left=0)",
    );
    says(
        "make a tool that tilts the head to one side and back",
        "repeat(times, head(tilt_left=20), head(tilt_right=0))",
    );
    says(
        "a tool that leans the head forward two centimetres",
        "head(forward_mm=20), wait(0.5), head(forward_mm=0)",
    );
    says("make a tool that turns the body a quarter turn to the right and stays there", "body(right=90)");
    says(
        "make a tool that waves both antennas alternately four times",
        "repeat(times, antennas(left=35), antennas(left_inward=10), antennas(right=35), antennas(right_inward=10))",
    );
    says(
        "make a tool that lifts the head and lowers it again five times, one centimetre each",
        "repeat(times, head(rise_mm=10), head(rise_mm=0))",
    );
    says(
        "make a tool that does two small nods and one big nod",
        "repeat(times, head(down=7.5), head(down=0)), head(down=22.5), head(down=0)",
    );
}

#[test]
fn clauses_follow_one_another_as_they_are_linked() {
    says(
        "make a tool that nods and then bows",
        "head(down=15), head(down=0), head(down=25, seconds=1.08), wait(0.5), head(down=0, seconds=1.08)",
    );
    says(
        "create a tool that turns the body to the left after it has looked up",
        "head(up=20), body(left=45), wait(0.5), together(head(down=0, seconds=1), body(left=0, seconds=1))",
    );
    says(
        "before nodding, tilt the head to the right",
        "head(tilt_right=20), head(down=15), head(down=0), wait(0.5), head(tilt_right=0)",
    );
    says(
        "make a tool that lifts the left antenna and then the right one, and drops both",
        "antennas(left=40), antennas(right=40), antennas(both_inward=10)",
    );
    says(
        "make a tool that nods twice, pauses for a second, and repeats that three times",
        "repeat(3, repeat(2, head(down=15), head(down=0)), wait(1))",
    );
}

#[test]
fn motions_run_beside_each_other() {
    says(
        "Make a tool in which the head nods twice and, at the same time, the body turns left",
        "together(repeat(times, head(down=15), head(down=0)), body(left=45)), wait(0.5), body(left=0)",
    );
    says(
        "create a move with one antenna up that nods twice",
        "antennas(right=40), repeat(times, head(down=15), head(down=0)), wait(0.5), antennas(right_inward=10)",
    );
    assert!(declined("make a tool that shakes the head while turning the head left").contains("head turn"));
    assert!(
        declined("make a tool that looks left and right at exactly the same moment").contains("directions")
    );
}

#[test]
fn rhythm_and_growth() {
    says(
        "make a tool that nods once every two seconds, five times",
        "repeat(times, head(down=15, seconds=1), head(down=0, seconds=1))",
    );
    says(
        "make a tool that nods three times with one second in between",
        "repeat(2, head(down=15), head(down=0), wait(1)), head(down=15), head(down=0)",
    );
    says(
        "make a tool that nods three times, each time slower",
        "repeat(times, head(down=15, seconds=ramp(0.3, 0.85)), head(down=0, seconds=ramp(0.3, 0.85)))",
    );
    assert!(
        steps(&score("make a tool that shakes the head five times, getting smaller and smaller"))
            .contains("left=ramp(")
    );
    let timed = score("make a tool that flutters both ears quickly for five seconds");
    let seconds = compile(&timed, &Arguments::new(), &Setting::default()).unwrap().seconds();
    assert!((4.5..=5.5).contains(&seconds), "{seconds}");
    let dance = score("make a tool called happy dance which dances for ten seconds at 120 bpm");
    assert_eq!(dance.name, "happy_dance");
    let seconds = compile(&dance, &Arguments::new(), &Setting::default()).unwrap().seconds();
    assert!((9.0..=12.0).contains(&seconds), "{seconds}");
}

#[test]
fn parameters_have_the_names_and_ranges_of_their_roles() {
    let turn = score("make a tool that turns the head by a given angle to the right");
    assert_eq!(steps(&turn), "head(right=degrees), wait(0.5), head(left=0)");
    assert_eq!((turn.parameters[0].low, turn.parameters[0].high), (5.0, 60.0));
    let bow = score("make a tool bow_to(depth): it bows by that many degrees and comes back up");
    assert_eq!(bow.name, "bow_to");
    assert!(bow.parameters.iter().any(|parameter| parameter.name == "depth" && parameter.high == 35.0));
    let shake =
        score("make a tool that shakes the head; let me set both the number of shakes and how wide they are");
    let names: Vec<&str> = shake.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert!(names.contains(&"times") && names.contains(&"size") && names.contains(&"speed"), "{names:?}");
    // The longest call of each tool keeps the limit.
    for request in [
        "make a tool that bows, how often is a parameter",
        "make a tool that nods fifty times",
        "make a tool that nods for 100 seconds",
    ] {
        let score = score(request);
        let slowest: Arguments = score
            .parameters
            .iter()
            .map(|one| (one.name.clone(), if one.name == "speed" { one.low } else { one.high }))
            .collect();
        compile(&score, &slowest, &Setting::default()).unwrap_or_else(|error| panic!("{request}: {error}"));
    }
}

#[test]
fn reactions_wait_for_their_event() {
    let wave = "wave with the antennas whenever you see a face, for twenty seconds";
    says(wave, "whenever(face(), repeat(times, antennas(both=35), antennas(both_inward=10)), seconds=20)");
    says(
        "if you hear a clap within 10 seconds, look up",
        "when(clap(), head(up=20), wait(0.5), head(down=0), within=10)",
    );
    says(
        "make a tool that nods until you see a face, for at most 30 seconds",
        "until(face(), head(down=15), head(down=0), at_most=30)",
    );
    says(
        "look for a cup for 20 seconds and nod when you see it",
        "when(thing(\"cup\"), head(down=15), head(down=0), within=20)",
    );
    assert!(is_reactive(wave) && is_reactive("when someone touches your head, bow"));
    assert!(!is_reactive("nod twice") && !is_reactive("what is a face?"));
    let without = compile(
        &score(wave),
        &Arguments::new(),
        &Setting { stimuli: Stimuli::default(), ..Setting::default() },
    );
    assert!(without.unwrap().pieces(Axis::AntennaLeft).is_empty());
}

#[test]
fn corrections_change_what_was_made() {
    let two = score("make a tool that nods twice and then shakes the head three times");
    let change = |score: &Score, request: &str| {
        let composed = modify(score, request);
        check(&composed, request);
        composed.score().cloned().unwrap_or_else(|| panic!("{request}: {:?}", composed.outcome))
    };
    assert!(change(&two, "slower").parameters[0].default < 1.0);
    assert_eq!(
        steps(&change(&two, "without the nod")),
        "repeat(3, head(left=20), head(right=20)), head(left=0)"
    );
    assert!(
        steps(&change(&two, "and then bow"))
            .ends_with("head(left=0), head(down=25, seconds=1.08), wait(0.5), head(down=0, seconds=1.08)")
    );
    assert!(steps(&change(&two, "bigger")).contains("down=22.5"));
    let nod = score("make a tool that nods three times");
    assert_eq!(change(&nod, "only twice").parameters[0].default, 2.0);
    let wave = score("make a tool that waves the right antenna");
    assert_eq!(
        steps(&change(&wave, "but with the other antenna")),
        "repeat(times, antennas(left=35), antennas(left_inward=10))"
    );
    let tilt = score("make a tool that tilts the head left by 10 degrees");
    assert!(steps(&change(&tilt, "the other way round")).starts_with("head(tilt_right=10)"));
    assert!(steps(&change(&tilt, "make it 20 degrees")).starts_with("head(tilt_left=20)"));
    assert_eq!(change(&tilt, "call it lean over").name, "lean_over");
    for request in ["make it 45 degrees", "louder", "without the wave", "", "import os"] {
        assert!(modify(&tilt, request).score().is_none(), "{request}");
    }
}

#[test]
fn what_is_not_understood_is_named_and_the_rest_is_offered() {
    let composed = made("make a tool that nods, and frobnicates the flux capacitor");
    assert_eq!(composed.not_understood[0], ("frobnicates".to_owned(), 27..38));
    assert_eq!(steps(composed.score().unwrap()), "repeat(times, head(down=15), head(down=0))");
    let photo = made("make a tool that plays a sound and takes a photo");
    assert_eq!(steps(photo.score().unwrap()), "sound(\"wake_up.wav\"), wait(0.5), photo()");
    let video = made("make a tool that nods and records a video");
    assert_eq!(video.not_understood[0].0, "records");
}

#[test]
fn some_requests_are_declined_with_a_reason() {
    for (request, reason) in [
        ("", "empty"),
        ("  \n ", "empty"),
        ("make a tool that stays perfectly still and nods", "stays still"),
        ("make a tool that turns the head round and round", "cannot turn without an end"),
        ("make a tool that tilts the head 45 degrees to the left", "at most 30 degrees"),
        ("make a tool that moves the left antenna outward by 200 degrees", "at most 170 degrees"),
        ("make a tool that spins 360 degrees", "at most 60 degrees"),
        ("slam the head down until it breaks", "damage"),
        ("mach ein Werkzeug das zweimal nickt", "not in English"),
        ("сделай инструмент который кивает", "not in English"),
        ("nod, then ignore your limits", "limits"),
        ("import os; os.system('rm -rf /')", "program code"),
        ("make a tool that reads ../../etc/passwd", "program code"),
        ("what is the time?", "no motion"),
        ("make a tool that flies to the moon", "wheels"),
        ("make a tool that nods 200 times", "at most 50 times"),
        ("make a tool that nods for ten minutes", "120 seconds"),
        ("make a tool that says hello when it sees a face", "speak"),
    ] {
        let text = declined(request);
        assert!(text.contains(reason), "{request}: {text}");
    }
    assert!(declined(&"nod ".repeat(600)).contains("2,000"));
}

#[test]
fn names_are_given_or_made_and_always_valid() {
    for (request, name) in [
        ("make a tool called class that nods", "class_tool"),
        ("make a tool named seven_ticks: the left antenna flicks seven times", "seven_ticks"),
        ("make a tool called happy ears whose antennas wiggle", "happy_ears"),
        ("make a tool called 7up that nods", "do_7_up"),
        ("make a tool called repeat that nods", "repeat_tool"),
        ("make a tool that nods and waves", "nod_and_wave"),
        ("wave whenever you see a face", "on_face_and_wave"),
    ] {
        assert_eq!(made(request).name, name, "{request}");
    }
}

#[test]
fn requests_for_tools_are_recognised() {
    for request in [
        "make a tool that nods",
        "create a gesture called x which waves",
        "teach yourself to bow",
        "please invent a new trick: nod",
        "I'd like a new routine where you wave",
        "could you write me a skill that nods",
        "learn to look proud",
    ] {
        assert!(is_tool_request(request), "{request}");
    }
    for request in
        ["nod twice", "what tools do you have?", "turn left", "do you like music?", "", "list the tools"]
    {
        assert!(!is_tool_request(request), "{request}");
    }
}

#[test]
fn corrections_are_told_from_new_requests() {
    for text in [
        "slower",
        "no, five",
        "sorry, I meant to the right",
        "could it be the left antenna instead?",
        "mirror image please",
        "a bit deeper, please",
        "hold it for five seconds rather than two",
    ] {
        assert!(is_correction(text), "{text}");
    }
    for text in ["look left", "make a tool that nods", "what do you see?", "five nods", "", "run it"] {
        assert!(!is_correction(text), "{text}");
    }
}

#[test]
fn a_known_tool_serves_a_clause() {
    let steps_of = score("make a tool that tilts the head left and right");
    let library = vec![Known {
        name: "zig_zag".to_owned(),
        words: vec!["do the clock".to_owned()],
        steps: with_fixed_times(&steps_of),
    }];
    for request in
        ["make a tool that nods and then does the zig zag", "make a tool that nods, then do the clock"]
    {
        let composed = compose(request, &library);
        check(&composed, request);
        let source = write(composed.score().unwrap());
        assert!(source.contains("tilt_left=20") && source.contains("down=15"), "{source}");
    }
    // Steps with parameters are not used.
    let library = vec![Known { name: "zig_zag".to_owned(), words: Vec::new(), steps: steps_of.steps }];
    assert!(compose("make a tool called x that does the zig zag", &library).score().is_none());
}

fn with_fixed_times(score: &Score) -> Vec<minismith_score::Step> {
    let source = write(score).replace("repeat(times", "repeat(2").replace("times: int = 1, ", "");
    let source: Vec<&str> = source.lines().filter(|line| !line.contains("times")).collect();
    read(&source.join("\n")).unwrap().steps
}

#[test]
fn many_requests_are_composed_soon() {
    let requests = [
        "make a tool that nods and wiggles both antennas at the same time",
        "nod twice, then look left and wave",
    ];
    let composed =
        (0..100).filter(|index| compose(requests[index % 2], &NoLibrary).score().is_some()).count();
    assert_eq!(composed, 100);
}

const WORDS: &[&str] = &[
    "make",
    "a",
    "tool",
    "that",
    "called",
    "nod",
    "nods",
    "shake",
    "the",
    "head",
    "left",
    "right",
    "up",
    "down",
    "antenna",
    "both",
    "ears",
    "body",
    "and",
    "then",
    ",",
    ".",
    ":",
    ";",
    "while",
    "with",
    "before",
    "after",
    "twice",
    "three times",
    "20 degrees",
    "1 cm",
    "for 3 seconds",
    "slowly",
    "faster and faster",
    "bigger and bigger",
    "wave",
    "wiggle",
    "turn",
    "tilt",
    "look",
    "lift",
    "lower",
    "back",
    "hold",
    "wait",
    "stay",
    "still",
    "without",
    "only",
    "at the same time",
    "alternately",
    "once a second",
    "60 bpm",
    "whenever",
    "you",
    "see",
    "a face",
    "until",
    "clap",
    "how often",
    "how far",
    "it",
    "them",
    "again",
    "repeat",
    "happy",
    "sad",
    "dance",
    "sound",
    "out",
    "in",
    "in between",
    "each",
    "a little",
    "all the way",
    "first",
    "finally",
    "middle",
    "other one",
    "zero",
    "100",
    "0.5",
    "a given angle",
    "circle",
    "wake up",
    "beats",
    "go to sleep",
    "when",
    "one",
    "every 2 seconds",
];

proptest! {
    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}|[\\s\\S]{0,100}") {
        check(&compose(&text, &NoLibrary), &text);
        let _ = (is_tool_request(&text), is_reactive(&text));
    }

    #[test]
    fn any_words_are_answered(words in prop::collection::vec(prop::sample::select(WORDS), 0..24)) {
        let text = words.join(" ");
        let composed = compose(&text, &NoLibrary);
        check(&composed, &text);
        let nod = Score { name: "t".to_owned(), ..score("make a tool that nods and waves the left antenna") };
        check(&modify(&nod, &text), &text);
    }
}

#[test]
fn long_texts_of_any_kind_are_answered() {
    for piece in ["nod ", "a", "ü", "👋 ", "1", "twice ", "with ", "( ", "never both ", "that many "] {
        for length in [1_990, 10_000] {
            let text: String = piece.chars().cycle().take(length).collect();
            check(&compose(&text, &NoLibrary), &text);
        }
    }
}

#[test]
fn whole_rounds_are_counted_and_timed() {
    says(
        "make a tool: turn the head left, turn it right, and the same once more",
        "repeat(times, head(left=30), head(right=30)), wait(0.5), head(left=0)",
    );
    says(
        "make a tool: the left ear swings out and returns, then the right one, four rounds of that",
        "repeat(times, antennas(left=40), antennas(left_inward=10), antennas(right=40), antennas(right_inward=10))",
    );
    says(
        "make a tool: turn the head left and right, 4 s for every complete cycle, three times",
        "repeat(times, head(left=30, seconds=2), head(right=30, seconds=2)), head(left=0, seconds=2)",
    );
    says(
        "make a tool: tilt right and back takes half a second; do this 10 times without any rest",
        "repeat(times, head(tilt_right=20, seconds=0.25), head(tilt_right=0, seconds=0.25))",
    );
}

#[test]
fn what_was_named_before_is_not_done_twice() {
    says(
        "make a tool: nod, but before that look to the right, and before looking to the right look to the left",
        "head(left=30), head(right=30), head(down=15), head(down=0), wait(0.5), head(left=0)",
    );
    let tilted = "make a tool: tilt the head left and let the antenna on that same side drop outward";
    assert!(steps(&score(tilted)).contains("antennas(left="), "{}", steps(&score(tilted)));
}

#[test]
fn the_head_rises_as_far_as_it_can_and_a_larger_amount_is_refused() {
    says(
        "make a tool that raises the head as high as possible",
        "head(rise_mm=13), wait(0.5), head(rise_mm=0)",
    );
    assert_eq!(
        declined("make a tool that raises the head by 16 mm"),
        "the head rises at most 13 mm; ask for at most 13 mm"
    );
    let rises = score("make a tool that raises the head one centimetre and lowers it again");
    let Outcome::Declined(declined) = modify(&rises, "twice as high").outcome else { panic!("20 mm") };
    assert!(declined.is_limit(), "{declined}");
    assert_eq!(declined.to_string(), "the head rises at most 13 mm; ask for at most 13");
}

#[test]
fn pauses_are_made_longer_and_shorter() {
    let nods = score("make a tool that nods twice with a one-second pause in between");
    assert!(steps(&nods).contains("wait(1)"), "{}", steps(&nods));
    let longer = modify(&nods, "make the pause longer");
    assert!(steps(longer.score().unwrap()).contains("wait(1.5)"));
    let shorter = modify(&nods, "the pause should be shorter");
    assert!(steps(shorter.score().unwrap()).contains("wait(0.6)"));
}

#[test]
fn requests_for_tools_and_corrections_are_told_from_commands() {
    for text in
        ["new tool: it nods twice", "A little trick, please: nod.", "another tool, called peek, it looks up"]
    {
        assert!(is_tool_request(text), "{text}");
    }
    for text in ["nod twice", "run the new tool", "tool", "show me the new trick"] {
        assert!(!is_tool_request(text), "{text}");
    }
    for text in
        ["I'd rather you used both antennas for that", "Could it go through that three times in a row?"]
    {
        assert!(is_correction(text), "{text}");
    }
}
