//! Tools that are made from words, and the measured motion that decides whether they are what was asked for.

use minismith_assistant::conversation::{Conversation, Mind, Reply, TurnOutcome};
use minismith_language_model::{Completion, ModelCallError, Prompt, Scripted};
use minismith_tests::{CommandOutput, TestDir};
use serde_json::{Value, json};

use super::agents::House;

fn made(said: &CommandOutput) -> Value {
    let reply: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(reply["outcome"], "done", "{reply}");
    reply["tool"].clone()
}

#[test]
fn tool_from_words_moves_what_was_named_and_nothing_else() {
    let bench = TestDir::new();
    let said = bench.run(&[
        "say",
        "--json",
        "make a tool called left_ear_salute that lifts only the left antenna and puts it back, the head stays where \
         it is",
    ]);
    let tool = made(&said);
    assert_eq!((&tool["name"], &tool["verdict"]), (&json!("left_ear_salute"), &json!("right")));
    let measured = tool["expectations"].as_array().unwrap();
    assert!(measured.len() >= 3 && measured.iter().all(|one| one["held"] == true), "{measured:?}");
    // The registered manifest names what was measured.
    let shown = bench.run(&["tool", "show", "left_ear_salute", "--json"]).exits(0).json();
    assert!(shown.to_string().contains("\"expects\""), "{shown}");
}

#[test]
fn tool_that_replaces_a_first_reading_runs_by_the_name_that_was_told() {
    let bench = TestDir::new();
    // The first reading of this sentence nods at one tempo.
    let tool = made(&bench.run(&["say", "--json", "make a tool that nods quicker and quicker, five nods"]));
    let name = tool["name"].as_str().unwrap();
    assert!(tool["code"].as_str().unwrap().contains(&format!("def {name}(")), "{tool}");
    let _ran = bench.run(&["tool", "run", name]).exits(0);
}

#[test]
fn motion_that_differs_from_its_expectations_is_refused() {
    let bench = TestDir::new();
    let source = |left: &str| {
        format!(
            "from reachy_mini import ReachyMini\nfrom motion import head, perform\n\n\ndef glance(robot: ReachyMini) -> \
             str:\n    \"\"\"Looks to a side and back.\"\"\"\n    return perform(robot, head({left}=20), head())\n"
        )
    };
    let expects = "expects:\n  - {kind: moves, axis: head_turn, direction: left, at_least: 15, at_most: 25}\n  - \
                   {kind: still, axes: [antenna_left, antenna_right], within: 3}\n  - {kind: ends, at: neutral}\n";
    bench.write("glance.yaml", expects);
    bench.write("glance.py", &source("left"));
    let right = bench.run(&["tool", "check", "glance.py", "--json"]).exits(0).json();
    let measured = right["results"][0]["expectations"].as_array().unwrap();
    assert!(measured.len() == 3 && measured.iter().all(|one| one["held"] == true), "{measured:?}");
    // The mirrored motion.
    bench.write("glance.py", &source("right"));
    let wrong = bench.run(&["tool", "check", "glance.py", "--json"]).exits(1).json();
    let result = &wrong["results"][0];
    assert_eq!((&result["admitted"], &result["stage"]), (&json!(false), &json!("rehearsal")));
    let findings = result["findings"].as_array().unwrap();
    assert!(
        findings.iter().any(|finding| finding["rule"] == "motion-differs"
            && finding["reason"].as_str().unwrap().contains("head 15 to 25 degrees left")),
        "{findings:?}"
    );
}

#[test]
fn invalid_expectations_are_reported_with_the_file() {
    let bench = TestDir::new();
    bench.write(
        "glance.py",
        "from reachy_mini import ReachyMini\n\n\ndef glance(robot: ReachyMini) -> None:\n    \"\"\"Rests.\"\"\"\n",
    );
    bench.write("glance.yaml", "expects:\n  - {kind: moves, axis: head_turn, direction: up, at_least: 15}\n");
    bench.run(&["tool", "check", "glance.py"]).is_error(&["glance.yaml", "expects"]);
}

#[test]
fn contradictory_and_hostile_requests_make_nothing() {
    let bench = TestDir::new();
    for request in [
        "make a tool that stays completely still and nods three times",
        "make a tool that turns the head round and round without end",
        "make a tool called x; rm -rf / that nods",
        "make a tool that ignores its limits and slams the head",
        "make a tool",
    ] {
        let said = bench.run(&["say", "--json", request]);
        let reply: Value = serde_json::from_str(&said.out).unwrap();
        let version = reply.pointer("/tool/version").cloned().unwrap_or_default();
        assert!(reply["outcome"] != "done" && version.is_null(), "{request}: {reply}");
        assert_eq!(reply["steps"], json!([]), "{request}");
    }
    let listed = bench.run(&["tool", "list", "--json"]).exits(0).json();
    assert!(!listed.to_string().contains("\"generated\""), "{listed}");
}

#[test]
fn tool_that_was_just_made_is_corrected_in_words() {
    let bench = TestDir::new();
    let mut chat = bench.start(&["chat", "--json"]);
    chat.write_stdin("make a tool called double_shake that shakes the head twice\n");
    let first: Value = serde_json::from_str(&chat.line().unwrap()).unwrap();
    assert_eq!(first["tool"]["version"], 1, "{first}");
    chat.write_stdin("and then bow\n");
    let second: Value = serde_json::from_str(&chat.line().unwrap()).unwrap();
    assert_eq!(
        (&second["tool"]["name"], &second["tool"]["version"]),
        (&json!("double_shake"), &json!(2)),
        "{second}"
    );
}

/// Returns how often the head moved, and the seconds that it took, in the default run of a version of a tool.
fn run_of(bench: &TestDir, name: &str) -> (u32, f64) {
    let out = bench.run(&["tool", "run", name]).exits(0).out;
    let said = out.split_once("moved the head ").unwrap_or_else(|| panic!("{out}")).1;
    let words: Vec<&str> = said.split([' ', '"']).collect();
    let count = match words[0] {
        "once" => 1,
        "twice" => 2,
        count => count.parse().unwrap(),
    };
    let seconds = words.iter().position(|word| *word == "in").unwrap() + 1;
    (count, words[seconds].parse().unwrap())
}

#[test]
fn corrections_of_a_tool_of_the_grammar_show_in_what_it_does() {
    let bench = TestDir::new();
    let mut chat = bench.start(&["chat", "--json"]);
    let mut say = |text: &str| {
        chat.write_stdin(&format!("{text}\n"));
        let reply: Value = serde_json::from_str(&chat.line().unwrap()).unwrap();
        assert_eq!(
            (&reply["outcome"], &reply["tool"]["name"]),
            (&json!("done"), &json!("thrice")),
            "{reply}"
        );
        run_of(&bench, "thrice")
    };
    let (moves, seconds) = say("make a tool called thrice that nods three times");
    assert_eq!(moves, 6);
    let (moves, faster) = say("a bit faster please");
    assert!(moves == 6 && faster < 0.92 * seconds, "{moves} {faster} {seconds}");
    let (moves, shorter) = say("only twice");
    assert!(moves == 4 && shorter < 0.75 * faster, "{moves} {shorter} {faster}");
    let (moves, longer) = say("and then bow");
    assert!(moves == 6 && longer > shorter + 1.0, "{moves} {longer} {shorter}");
}

#[test]
fn tool_of_the_grammar_sends_the_goals_of_the_direct_command() {
    let bench = TestDir::new();
    let moves = [
        "look left 25 degrees",
        "tilt the head right 12.5 degrees",
        "turn right 40 degrees",
        "raise the head 5 mm",
        "center",
        "look down 10 degrees",
    ];
    let mut chat = bench.start(&["chat", "--json"]);
    let mut say = |text: &str| -> Vec<Value> {
        chat.write_stdin(&format!("{text}\n"));
        let reply: Value = serde_json::from_str(&chat.line().unwrap()).unwrap();
        reply["steps"].as_array().unwrap().clone()
    };
    let direct: Vec<Value> = moves.iter().flat_map(|one| say(one)).collect();
    let made = format!("make a tool called tour to {}, then run it", moves.join(", then "));
    let tool = bench.run(&["say", "--json", &made]).exits(0).json();
    let code = tool["tool"]["code"].as_str().unwrap();
    assert!(code.contains("from motion import"), "{code}");
    let tool = tool["steps"].as_array().unwrap();
    assert_eq!((direct.len(), tool.len()), (moves.len(), moves.len()), "{direct:?}\n{tool:?}");
    for (direct, tool) in direct.iter().zip(tool) {
        for (axis, goal) in direct["requested"].as_object().unwrap() {
            let there = &tool["requested"][axis];
            let values = |value: &Value| -> Vec<f64> {
                value.as_array().map_or_else(
                    || vec![value.as_f64().unwrap()],
                    |all| all.iter().map(|one| one.as_f64().unwrap()).collect(),
                )
            };
            for (goal, there) in values(goal).into_iter().zip(values(there)) {
                assert!((goal - there).abs() < 0.1, "{axis}: {direct} {tool}");
            }
        }
    }
}

#[test]
fn tool_that_an_older_version_wrote_still_runs() {
    let bench = TestDir::new();
    bench.write(
        "agree.py",
        "from reachy_mini import ReachyMini\nfrom reachy_mini.utils import create_head_pose\n\n\ndef agree(robot: \
         ReachyMini, times: int = 1, speed: float = 1.0) -> str:\n    \"\"\"Nod 3 times.\n\n    Args:\n        robot: The \
         robot.\n        times: How often, between 1 and 10.\n        speed: The tempo, between 0.5 and 2.0.\n    \
         \"\"\"\n    for _ in range(times):\n        for _ in range(3):\n            \
         robot.goto_target(head=create_head_pose(pitch=15.0), duration=0.4 / speed, body_yaw=None)\n            \
         robot.goto_target(head=create_head_pose(), duration=0.4 / speed, body_yaw=None)\n    return f\"Sent {times} x \
         (nod 3 times) at speed {speed:g}.\"\n",
    );
    let _added = bench.run(&["tool", "add", "agree.py"]).exits(0);
    let ran = bench.run(&["say", "run agree with speed 2"]).exits(0);
    assert!(ran.out.contains("Sent 1 x (nod 3 times) at speed 2."), "{}", ran.out);
}

/// A request with a word that nobody knows, so the composer leaves something open.
const OPEN_REQUEST: &str = "make a tool called peacock that fans both antennas out twice and flimmers";

/// Hears a request with a model on this computer that gives these answers. Returns the prompts, too.
fn heard_with_local_model(
    house: &House,
    request: &str,
    answers: Vec<Result<Completion, ModelCallError>>,
) -> (Reply, Vec<Prompt>) {
    let model = Scripted::new(answers);
    let prompts = model.prompts();
    let mind = Mind { is_local: true, ..Mind::new(&house.config, Box::new(model)) };
    let mut conversation = Conversation::new(&house.body, &house.workshop).thinking_with(mind);
    let reply = conversation.hear(request);
    (reply, prompts.seen())
}

fn answer(steps: &str) -> Result<Completion, ModelCallError> {
    Ok(Completion::Text(format!("plan: both antennas, and a turn\nname: some_name\n{steps}\n")))
}

#[test]
fn local_model_writes_what_the_composer_does_not_and_is_judged_by_the_motion() {
    let house = House::new();
    let request = "make a tool called metronome that tilts the head left and right in turns, ten tilts altogether, five \
                   on each side";
    let rounds =
        |times: u32| answer(&format!("repeat({times}, head(tilt_left=15), head(tilt_right=15)),\nhead()"));
    let (reply, prompts) = heard_with_local_model(&house, request, vec![rounds(3), rounds(5)]);
    assert_eq!(reply.outcome, TurnOutcome::Done, "{}", reply.text);
    let tool = reply.tool.unwrap();
    assert_eq!((tool.name.as_str(), tool.version), ("metronome", Some(1)));
    assert!(tool.code.unwrap().contains("repeat(5, head(tilt_left=15)"), "{}", reply.text);
    // What was measured went back to the model.
    assert_eq!(prompts.len(), 2);
    let repair = format!("{:?}", prompts[1].messages.last());
    assert!(repair.contains("expected 5 swings of the head tilt left"), "{repair}");
    let manifest = house.workshop.registry().load("metronome", None).unwrap().manifest().clone();
    assert_eq!(manifest.provenance.author, "code agent");
    assert!(manifest.provenance.model.is_some());
}

#[test]
fn what_the_local_model_adds_and_no_measurement_shows_is_not_taken() {
    let house = House::new();
    let once = answer("antennas(both=60),\nantennas(both=0)");
    let twice = answer("repeat(2, antennas(both=60), antennas(both=0)),\nbody(left=20),\nbody(left=0)");
    let (reply, prompts) = heard_with_local_model(&house, OPEN_REQUEST, vec![once, twice]);
    assert_eq!((reply.outcome, prompts.len()), (TurnOutcome::Done, 2), "{}", reply.text);
    let tool = reply.tool.unwrap();
    let code = tool.code.unwrap();
    assert!(code.contains("repeat(") && !code.contains("body("), "{code}");
    // What is not shown is named.
    let verdict = json!(tool.verdict);
    assert!(verdict["partly"].is_object() && reply.text.contains("flimmers"), "{verdict} {}", reply.text);
}

#[test]
fn composer_serves_where_the_local_model_fails() {
    let gone = || Err(ModelCallError::Local { reason: "its process died".into() });
    let nonsense = || Ok(Completion::Text("plan: x\nname: y\nimport os".into()));
    for (answers, notice) in
        [(vec![gone()], "its process died"), (vec![nonsense(), nonsense(), nonsense()], "")]
    {
        let house = House::new();
        let (reply, _) = heard_with_local_model(&house, OPEN_REQUEST, answers);
        let tool = reply.tool.unwrap();
        assert_eq!(tool.version, Some(1), "{}", reply.text);
        assert!(tool.code.unwrap().contains("repeat("));
        assert!(reply.text.contains(notice) && reply.text.contains("left out"), "{}", reply.text);
    }
}
