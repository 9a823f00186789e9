//! Conversations about existing tools: similar tools, the rejections of earlier authors, and approvals by the user.

use std::collections::BTreeMap;

use minismith_analysis::draft::Draft;
use minismith_analysis::manifest::Provenance;
use minismith_analysis::policy::vet;
use minismith_assistant::conversation::{Conversation, Mind, Reply, TurnOutcome};
use minismith_assistant::retrieval;
use minismith_control::robot::{RobotRuntime, initial_joints};
use minismith_language_model::{Call, Completion, ModelCallError, Part, Prompt, Scripted};
use minismith_runtime::config::{Config, RobotChoice};
use minismith_tests::{CommandOutput, TestDir, workspace};
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::semantics::{self, Semantics};
use minismith_toolchain::workshop::similar_tools::similarity;
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorOptions};
use serde::Deserialize;
use serde_json::{Value, json};

use super::agents::{person, returned};

/// The file `cases/alike.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pairs {
    pairs: Vec<Pair>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    request: String,
    tool: String,
    alike: bool,
}

/// Returns the description of a tool of the workspace.
fn description(tool: &str) -> String {
    let places = [format!("tests/cases/good/{tool}.py"), format!("tools/predefined/{tool}/v1.py")]
        .map(|position| workspace().join(position));
    let file = places.iter().find(|position| position.is_file()).unwrap();
    let draft = Draft::read(tool, &std::fs::read(file).unwrap()).unwrap();
    vet(draft).unwrap().manifest(Provenance::default()).description
}

/// Returns precision and recall of one classifier.
fn measured(pairs: &[Pair], name: &str, mut judge: impl FnMut(&Pair, &str) -> bool) -> (f64, f64) {
    let (mut hits, mut false_alarms, mut misses) = (0.0, 0.0, 0.0);
    for pair in pairs {
        match (judge(pair, &description(&pair.tool)), pair.alike) {
            (true, true) => hits += 1.0,
            (true, false) => {
                println!("{name}: taken for alike: {:?} and {}", pair.request, pair.tool);
                false_alarms += 1.0;
            }
            (false, true) => {
                println!("{name}: missed: {:?} and {}", pair.request, pair.tool);
                misses += 1.0;
            }
            (false, false) => {}
        }
    }
    let (precision, recall) = (hits / (hits + false_alarms), hits / (hits + misses));
    println!("{name}: precision {precision:.2}, recall {recall:.2}");
    (precision, recall)
}

#[test]
fn similarity_threshold_separates_the_labelled_pairs() {
    let Pairs { pairs } = serde_yaml::from_str(include_str!("../cases/similar_tools.yaml")).unwrap();
    let alike = pairs.iter().filter(|pair| pair.alike).count();
    assert!(alike >= 20 && pairs.len() - alike >= 20);
    let (precision, recall) = measured(&pairs, "by words", |pair, description| {
        similarity(&pair.request, &pair.tool, description, None).is_some()
    });
    assert!(precision >= 0.9 && recall >= 0.5, "{precision} {recall}");
    let mut model = match Semantics::open(&workspace().join(".cache/models")) {
        Ok(model) => model,
        Err(error) => return println!("skipped: {error}"),
    };
    let mut known: BTreeMap<String, Vec<f32>> = BTreeMap::new();
    let mut direction =
        |text: &str| known.entry(text.to_owned()).or_insert_with(|| model.direction(text).unwrap()).clone();
    let mut judge = |request: &str, tool: &str, description: &str| {
        let sentence = format!("{}: {description}", tool.replace('_', " "));
        let meaning = semantics::cosine_similarity(&direction(request), &direction(&sentence));
        similarity(request, tool, description, Some(Some(meaning))).is_some()
    };
    let (precision, recall) =
        measured(&pairs, "by meaning too", |pair, description| judge(&pair.request, &pair.tool, description));
    assert!(precision >= 0.9 && recall >= 0.85, "{precision} {recall}");

    // A registry has many tools, and each of them could cause a needless question.
    let tools: BTreeMap<&str, String> =
        pairs.iter().map(|pair| (pair.tool.as_str(), description(&pair.tool))).collect();
    let (mut others, mut asked) = (0, 0);
    for pair in pairs.iter().filter(|pair| pair.alike) {
        for (tool, description) in &tools {
            let is_meant = |one: &Pair| one.request == pair.request && one.tool == *tool && one.alike;
            if !pairs.iter().any(is_meant) {
                others += 1;
                if judge(&pair.request, tool, description) {
                    println!("among many: taken for alike: {:?} and {tool}", pair.request);
                    asked += 1;
                }
            }
        }
    }
    println!("among many: {asked} of {others} pairs of a request and another tool are taken for alike");
    assert!(asked * 100 <= others, "{asked} of {others}");
}

/// A workshop and a robot of its own, for conversations with a scripted model and a scripted user.
struct House {
    bench: TestDir,
    config: Config,
    workshop: Workshop,
    body: RobotRuntime,
}

impl House {
    fn new(robot: &RobotChoice) -> House {
        let bench = TestDir::new();
        let config = Config::load(Some(&bench.path("config.yaml"))).unwrap();
        let workshop = Workshop::open(&config).unwrap();
        let body = RobotRuntime::open(robot, &config).unwrap();
        House { bench, config, workshop, body }
    }

    /// Handles a request that the grammar does not contain.
    fn hear(
        &self,
        answers: Vec<Result<Completion, ModelCallError>>,
        replies: &[&str],
    ) -> (Reply, Vec<Prompt>, Vec<String>) {
        self.hear_request("show me something like a boat on calm water", answers, replies)
    }

    /// Sends one request with a scripted model and a scripted user. Returns the result, the prompts to the model and
    /// the questions to the user.
    fn hear_request(
        &self,
        setpoint: &str,
        answers: Vec<Result<Completion, ModelCallError>>,
        replies: &[&str],
    ) -> (Reply, Vec<Prompt>, Vec<String>) {
        let model = Scripted::new(answers);
        let prompts = model.prompts();
        let (ask, asked) = person(replies);
        let mind = Mind::new(&self.config, Box::new(model));
        let mut conversation = Conversation::new(&self.body, &self.workshop).thinking_with(mind);
        conversation = conversation.asking("the person", ask);
        let reply = conversation.hear(setpoint);
        let asked = asked.lock().unwrap().clone();
        (reply, prompts.seen(), asked)
    }

    fn add(&self, name: &str, source: &str) {
        let file = self.bench.write(&format!("{name}.py"), source);
        let _added = self.bench.run(&["tool", "add", file.to_str().unwrap()]).exits(0);
    }
}

fn says(text: &str) -> Result<Completion, ModelCallError> {
    Ok(Completion::Text(text.into()))
}

fn calls(name: &str, arguments: Value) -> Result<Completion, ModelCallError> {
    let arguments = arguments.as_object().cloned().unwrap();
    let call = Call { id: "c1".into(), name: name.into(), arguments };
    Ok(Completion::Calls { text: String::new(), calls: vec![call] })
}

fn create(name: &str, specification: &str) -> Result<Completion, ModelCallError> {
    calls("create_function", json!({"name": name, "specification": specification}))
}

/// Returns the code of a tool that sways by this many degrees.
fn sway(name: &str, degrees: u32) -> String {
    format!(
        r#"from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def {name}(robot: ReachyMini, times: int = 1) -> str:
    """Sway the head from side to side.

    Args:
        times: How often, between 1 and 5.

    Returns:
        What was done.
    """
    for _ in range(times):
        robot.goto_target(head=create_head_pose(roll={degrees}), duration=0.6, body_yaw=None)
        robot.goto_target(head=create_head_pose(roll=-{degrees}), duration=0.6, body_yaw=None)
    robot.goto_target(head=create_head_pose(), duration=0.6, body_yaw=None)
    return f"swayed {{times}} times"
"#
    )
}

/// Returns the replies of a model that writes a tool, with these attempts at its code.
fn making(tries: &[String]) -> Vec<Result<Completion, ModelCallError>> {
    let fenced = |source: &String| says(&format!("```python\n{source}```"));
    let specified = json!({
        "name": "x", "specification": "sway the head", "plan": ["lean right", "lean left"], "assumption": "",
        "question": "",
    });
    let reviewed = json!({
        "meets_request": true, "honest": true, "risks": [], "verdict": "accept", "reason": "it sways",
    });
    let mut said =
        vec![Ok(Completion::Json(specified)), fenced(&tries[0]), Ok(Completion::Json(json!({"cases": []})))];
    said.extend(tries[1..].iter().map(fenced));
    said.push(Ok(Completion::Json(reviewed)));
    said.push(says("There it is."));
    said
}

/// Returns the data blocks of a prompt, each with its source.
fn data(prompt: &Prompt) -> Vec<(String, String)> {
    let parts = prompt.messages.iter().flat_map(|message| &message.parts);
    let data = parts.filter_map(|part| match part {
        Part::Data { source, text } => Some((source.clone(), text.clone())),
        _ => None,
    });
    data.collect()
}

fn author(prompts: &[Prompt]) -> Option<&Prompt> {
    prompts.iter().find(|prompt| prompt.purpose == "author")
}

const ALIKE: &str = "sway the head gently from side to side";

#[test]
fn agent_asks_the_user_when_a_similar_tool_exists() {
    let house = House::new(&RobotChoice::Mock);
    house.add("sway_gently", &sway("sway_gently", 12));
    let registry = house.workshop.registry();

    let script = vec![create("boat_sway", "sway the head from side to side with 2 times"), says("Swayed.")];
    let (reply, prompts, asked) = house.hear(script, &["use it"]);
    assert_eq!(
        asked,
        [
            "I already have `sway_gently` (Sway the head from side to side): use it, change it, or make another?"
        ]
    );
    assert!(author(&prompts).is_none() && registry.load("boat_sway", None).is_err());
    assert_eq!((reply.outcome, reply.steps.len()), (TurnOutcome::Done, 5), "twice: {}", reply.text);

    let script = |name: &str, tries: &[String]| [vec![create(name, ALIKE)], making(tries)].concat();
    let changed = script("boat_sway", &[sway("sway_gently", 8)]);
    let (_, prompts, _) = house.hear(changed, &["change it"]);
    let shown = data(author(&prompts).unwrap());
    assert!(shown.iter().any(|(source, text)| source == "the present code" && text.contains("roll=12")));
    assert_eq!(registry.load("sway_gently", None).unwrap().manifest().version, 2);
    assert_eq!(registry.roll_back("sway_gently", None).unwrap(), (2, 1));
    assert!(registry.load("boat_sway", None).is_err());

    // A different tool never takes the name of an existing one.
    let (_, prompts, _) = house.hear(script("sway_gently", &[sway("sway_gently", 5)]), &["another"]);
    assert!(returned(prompts.last().unwrap()).contains("sway_gently_2 is written"));
    assert_eq!(registry.load("sway_gently", None).unwrap().manifest().version, 1);
    assert_eq!(registry.load("sway_gently_2", None).unwrap().manifest().version, 1);
}

#[test]
fn only_an_identical_tool_is_reused_without_a_user() {
    let house = House::new(&RobotChoice::Mock);
    house.add("sway_gently", &sway("sway_gently", 12));
    let registry = house.workshop.registry();
    for script in [create("sway_gently", "lean about"), create("boat", "Sway the head from side to side.")] {
        let (reply, prompts, asked) = house.hear(vec![script, says("It is there.")], &[]);
        assert_eq!(asked.len(), 1);
        let reported = returned(prompts.last().unwrap());
        assert!(reported.contains("nothing was written") && reported.contains("assumed"), "{reported}");
        assert!(author(&prompts).is_none() && reply.steps.is_empty());
    }
    assert_eq!(registry.list().unwrap().len(), 1);

    // A tool that is only similar is written, and the answer names the assumption. The same holds for a reply without a
    // choice.
    for (name, replies) in [("boat_sway", &[][..]), ("ship_sway", &["hmm"][..])] {
        let script = [vec![create(name, ALIKE)], making(&[sway(name, 7)])].concat();
        let (_, prompts, asked) = house.hear(script, replies);
        assert_eq!(asked.len(), 1);
        let reported = returned(prompts.last().unwrap());
        assert!(reported.contains("Assumed") && reported.contains("another tool beside"), "{reported}");
        assert_eq!(registry.load(name, None).unwrap().manifest().version, 1);
    }
}

/// Returns the answers of a chat to these lines.
fn chat(bench: &TestDir, robot: &str, lines: &str) -> Vec<Value> {
    let file = bench.write("lines.txt", lines);
    let mut command = bench.command(&["chat", "--json", "--robot", robot]);
    command.stdin(std::fs::File::open(file).unwrap());
    let ran = CommandOutput::from(command).exits(0);
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn offline_parser_asks_when_a_similar_tool_exists() {
    let bench = TestDir::new();
    let replies = chat(
        &bench,
        "mock",
        "make a tool called happy_hello that nods three times\n\
         make a tool called jolly that nods three times\nuse it\n\
         make a tool called jolly that nods three times\nmake another\n\
         make a tool called happy_hello that nods twice\nchange it\n\
         make a tool called happy_hello that shakes your head\nanother one please\n",
    );
    let tools: Vec<_> =
        replies.iter().map(|reply| (&reply["tool"]["name"], &reply["tool"]["version"])).collect();
    let expected =
        [("happy_hello", 1), ("happy_hello", 1), ("jolly", 1), ("happy_hello", 2), ("happy_hello_2", 1)];
    let expected: Vec<_> = expected.iter().map(|(name, version)| (json!(name), json!(version))).collect();
    assert_eq!(
        tools,
        expected.iter().map(|(name, version)| (name, version)).collect::<Vec<_>>(),
        "{replies:#?}"
    );
    assert_eq!(replies[1]["tool"]["performance"]["ended"], "returned");
    assert_eq!(replies[1]["tool"]["code"], Value::Null);
    assert!(replies[3]["text"].as_str().unwrap().contains("tool rollback happy_hello"));

    // A single sentence has no user to ask. The identical moves are reused, and run once where the request asks for
    // that.
    let setpoint = "make a tool called third that nods three times, then run it";
    let reply = bench.run(&["say", setpoint, "--json"]).exits(0).json();
    assert_eq!((&reply["tool"]["name"], &reply["tool"]["code"]), (&json!("jolly"), &Value::Null));
    let steps = replies[1]["steps"].as_array().unwrap().len();
    assert_eq!(reply["steps"].as_array().unwrap().len(), steps);
    let reply = bench.run(&["say", "make a tool called more that nods 4 times", "--json"]).exits(0).json();
    assert_eq!(reply["tool"]["name"], "more");
    assert!(
        reply["text"].as_str().unwrap().contains("I assumed that you want another tool beside"),
        "{reply}"
    );
}

#[test]
fn name_of_a_predefined_tool_is_no_reason_to_run_it() {
    let bench = TestDir::new();
    let source = bench.write("tools/sources/boat_sway.py", &sway("boat_sway", 12));
    let _made = bench.run(&["tool", "add", source.to_str().unwrap(), "--predefined"]).exits(0);
    let said = "make a tool called boat_sway that nods three times";
    let reply = bench.run(&["say", said, "--json"]).exits(0).json();
    assert_eq!((&reply["tool"]["name"], &reply["steps"]), (&json!("boat_sway_2"), &json!([])), "{reply}");
    let text = reply["text"].as_str().unwrap();
    assert!(text.contains("I assumed that you want another tool beside boat_sway"), "{text}");
}

#[test]
fn second_author_receives_earlier_rejections() {
    let house = House::new(&RobotChoice::Mock);
    let hasty = |name: &str| sway(name, 9).replace("    return f", "    import os\n    return f");
    let first = [vec![create("boat", ALIKE)], making(&[hasty("boat"), sway("boat", 9)])].concat();
    let (_, prompts, asked) = house.hear(first, &[]);
    assert!(asked.is_empty());
    assert!(data(author(&prompts).unwrap()).iter().all(|(source, _)| !source.contains("failure")));
    let lessons = house.workshop.registry().lessons();
    let lesson = lessons.iter().find(|lesson| lesson.line == "import os").unwrap();
    assert_eq!((&*lesson.request, &*lesson.worked), (ALIKE, "without that line"));

    let setpoint = "rock the head gently to each side and count the files on disk";
    let second = [vec![create("rocking", setpoint)], making(&[sway("rocking", 4)])].concat();
    let (_, prompts, _) = house.hear(second, &["another"]);
    let shown = data(author(&prompts).unwrap());
    let (_, failure) = shown.iter().find(|(source, _)| source.starts_with("a past failure: ")).unwrap();
    for word in [&*lesson.rule, &*lesson.hint, "The line was: import os", "What worked: without that line"] {
        assert!(failure.contains(word), "{word:?} is not in {failure:?}");
    }
    let (_, tool) = shown.iter().find(|(source, _)| source == "the tool boat").unwrap();
    assert!(
        tool.contains("Sway the head from side to side.\ndef boat(") && tool.contains("roll=9"),
        "{tool}"
    );
    let pages = shown
        .iter()
        .filter(|(source, _)| !source.starts_with("the request") && !source.starts_with("the spec"));
    let bytes: usize = pages.map(|(source, text)| source.len() + text.len()).sum();
    assert!(bytes <= retrieval::MAX_TOKENS * 4, "{bytes}");
}

/// A tool that needs approval: it hides whether its motion was rejected.
const TWITCH: &str = r#"from reachy_mini import ReachyMini


def twitch_once(robot: ReachyMini) -> int:
    """Move the antennas, whatever comes of it.

    Returns:
        One.
    """
    try:
        robot.goto_target(antennas=[0.3, -0.3], duration=0.2)
    except Exception:
        pass
    return 1
"#;

#[test]
fn conversation_asks_for_approval_before_real_motors_move() {
    let bench = TestDir::new();
    let file = bench.write("twitch_once.py", TWITCH);
    let _added = bench.run(&["tool", "add", file.to_str().unwrap()]).exits(0);
    let mut mock = bench.start(&["mock"]);
    let path = mock.line().unwrap();
    let approval =
        || bench.run(&["tool", "show", "twitch_once", "--json"]).exits(0).json()["approval"].clone();

    let refused = bench.run(&["say", "run twitch_once", "--robot", &path, "--json"]).exits(1).json();
    assert!(refused["text"].as_str().unwrap().contains("`minismith tool approve twitch_once`"), "{refused}");
    let refused = &chat(&bench, &path, "run twitch_once\nnod twice\n")[0];
    assert_eq!((&refused["outcome"], &refused["steps"]), (&json!("refused"), &json!([])));
    assert!(refused["text"].as_str().unwrap().contains("you did not say yes"), "{refused}");
    assert_eq!(approval(), Value::Null);

    let replies = chat(&bench, &path, "run twitch_once\nyes\nrun twitch_once\n");
    assert_eq!(replies.len(), 2, "the second time nothing is asked: {replies:#?}");
    for reply in &replies {
        assert_eq!(reply["tool"]["performance"]["value"], 1, "{reply}");
    }
    assert!(!approval()["by"].as_str().unwrap().is_empty());
}

#[test]
fn model_cannot_give_approval() {
    let emulator = Emulator::start(EmulatorOptions {
        link: None,
        faults: Faults::default(),
        start: initial_joints(),
        paced: true,
    })
    .unwrap();
    let house = House::new(&RobotChoice::Serial(emulator.path().to_owned()));
    house.add("twitch_once", TWITCH);
    // The search offers the tool for it.
    let setpoint = "surprise me with something for the antennas";
    let script = || vec![calls("twitch_once", json!({})), says("yes"), says("yes")];
    for replies in [&[][..], &["yes, if you think so"][..]] {
        let (reply, prompts, asked) = house.hear_request(setpoint, script(), replies);
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert!(
            asked[0].starts_with("`twitch_once` v1 was not written by me and has no person's approval"),
            "{asked:?}"
        );
        let reported = returned(prompts.last().unwrap());
        assert!(
            reported.contains("I did not run twitch_once") && reported.contains("tool approve"),
            "{reported}"
        );
        assert!(reply.steps.is_empty());
        assert!(!house.workshop.registry().load("twitch_once", None).unwrap().is_approved());
    }
    let (reply, _, _) = house.hear_request(setpoint, script(), &["yes"]);
    assert!(!reply.steps.is_empty());
    assert!(house.workshop.registry().load("twitch_once", None).unwrap().is_approved());
}
