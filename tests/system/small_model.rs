//! The agents with a real, small language model on this machine: `make test-llm`. The results are printed. Assertions
//! cover only what must hold with any model.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_analysis::submission::Submission;
use minismith_assistant::agents::turn::Limits;
use minismith_assistant::conversation::{Conversation, Mind, Reply};
use minismith_language_model::{Cassette, Client, Completion, Form, Function, Message, Model, Prompt, Watch};
use minismith_runtime::config::{Config, Endpoint, LanguageModel};
use minismith_runtime::net::Address;
use minismith_tests::workspace;
use serde::Deserialize;
use serde_json::{Value, json};

use super::agents::House;

const MODEL: &str = "qwen2.5-coder-1.5b-instruct-q4_k_m";

/// Recorded requests by index: the tool, whether it was stored, and how often the model replied.
const RECORDED: [(usize, (&str, bool, u32)); 1] = [
    // Rejected three times, since it turns the head and not the base.
    (4, ("lighthouse", false, 5)),
];

/// The real model's server, on a port of its own.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    // The server is a third-party program.
    #[allow(clippy::disallowed_methods)]
    fn start() -> Server {
        let folder =
            std::env::var_os("MINISMITH_LLM").map_or_else(|| workspace().join(".cache/llm"), PathBuf::from);
        let program = folder.join("llama-server");
        assert!(program.is_file(), "there is no {}; `make test-llm` builds it", program.display());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let threads = std::env::var("LLM_THREADS").unwrap_or_else(|_| "1".into());
        let process = Command::new(program)
            .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--offline", "--ctx-size", "24576"])
            // One slot for each kind of prompt caches its common beginning.
            .args(["--parallel", "3", "--threads", &threads, "--threads-batch", &threads, "--poll", "0"])
            .arg("--model")
            .arg(folder.join(format!("{MODEL}.gguf")))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Server { process, port };
        let clock = MonotonicClock::start();
        while !server.is_ready() {
            assert!(server.process.try_wait().unwrap().is_none(), "the server has ended");
            assert!(clock.now().seconds() < 300.0, "the server does not get ready");
            clock.wait_until(clock.now() + Duration::from_millis(200));
        }
        server
    }

    fn is_ready(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let asked = stream.write_all(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n");
        let mut answer = String::new();
        asked.and_then(|()| stream.read_to_string(&mut answer)).is_ok() && answer.contains(" 200 ")
    }

    fn config(&self) -> LanguageModel {
        let url = Address::parse(&format!("http://127.0.0.1:{}/v1", self.port)).unwrap();
        LanguageModel {
            endpoints: vec![Endpoint { url, model: MODEL.into(), key: None }],
            request_timeout: Duration::from_secs(900),
            read_timeout: Duration::from_secs(600),
            max_prompt_tokens: 6_000,
            max_completion_tokens: 900,
            ..Config::built_in().unwrap().language_model
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _ended = self.process.wait();
    }
}

/// Returns the reply to one request to a set of agents.
fn hear(house: &House, text: &str, model: Box<dyn Model>) -> Reply {
    let usual = Mind::new(&house.config, model);
    let limits = Limits { seconds: 3_600.0, answer_tokens: 900, ..usual.limits };
    Conversation::new(&house.body, &house.workshop).thinking_with(Mind { limits, ..usual }).hear(text)
}

fn requests() -> Vec<String> {
    serde_yaml::from_str(include_str!("../cases/requests.yaml")).unwrap()
}

/// Returns a reply as one line of a table.
fn row(request: &str, reply: &Reply, seconds: f64) -> String {
    let tool = reply.tool.as_ref();
    let stored =
        tool.and_then(|tool| tool.version).map_or("not kept".into(), |version| format!("version {version}"));
    let spent = reply.spent.unwrap_or_default();
    let found =
        tool.map(|tool| tool.findings.iter().map(|f| f.rule.clone()).collect::<Vec<_>>()).unwrap_or_default();
    format!(
        "{stored:10} {:28} {:>2} answers {:>6}+{:<5} tokens {seconds:>5.0} s  {request}  {}\n    {}",
        tool.map(|tool| tool.name.clone()).unwrap_or_default(),
        spent.steps,
        spent.prompt_tokens,
        spent.answer_tokens,
        found.join(" "),
        reply.text,
    )
}

/// Of ten unforeseen tools, some pass every stage: written, verified, reviewed and stored.
#[test]
#[ignore = "needs a real model: make test-llm"]
fn model_answers_ten_requests_for_new_tools() {
    let server = Server::start();
    let record = std::env::var_os("MINISMITH_CASSETTES").map(PathBuf::from);
    let only = std::env::var("MINISMITH_ONLY").ok();
    let (mut stored, mut all) = (0, 0);
    for (position, request) in requests().iter().enumerate() {
        if only.as_ref().is_some_and(|only| !request.contains(only.as_str())) {
            continue;
        }
        let house = House::new();
        let clock = MonotonicClock::start();
        let cassette = Cassette::record(&server.config()).unwrap();
        let tape = cassette.tape();
        let reply = hear(&house, request, Box::new(cassette));
        println!("{}", row(request, &reply, clock.now().seconds()));
        if reply.tool.as_ref().is_none_or(|tool| tool.version.is_none())
            && let Some(code) = reply.tool.as_ref().and_then(|tool| tool.code.as_ref())
        {
            println!("{code}\n{:#?}", reply.tool.as_ref().unwrap().findings);
        }
        let on_the_registry = house.workshop.registry().list().unwrap();
        let version = reply.tool.as_ref().and_then(|tool| tool.version);
        // The answer matches the registry.
        assert_eq!(
            on_the_registry.iter().filter(|entry| !entry.predefined).count(),
            usize::from(version.is_some())
        );
        stored += usize::from(version.is_some());
        all += 1;
        if let Some(folder) = &record {
            tape.save(&folder.join(format!("request-{:02}.json", position + 1))).unwrap();
        }
    }
    println!("{stored} of {all} were written, proved, reviewed and kept");
    assert!(stored >= 3.min(all), "{stored} of {all}");
}

/// Whether the file belongs to a reader of requests or to the checks of motions. Those hold idioms of English, of up
/// to six words, and reach no model.
fn lists_idioms(path: &Path) -> bool {
    ["contract/src", "composer/src", "commands/lexicon", "motion-checks/src"]
        .iter()
        .any(|folder| path.to_string_lossy().contains(folder))
}

/// No prompt contains the requests of these tests.
#[test]
fn requests_appear_in_no_prompt_and_no_source() {
    let plain = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        format!(" {} ", words.map(str::to_lowercase).collect::<Vec<_>>().join(" "))
    };
    let crates =
        std::fs::read_dir(workspace().join("controller")).unwrap().map(|entry| entry.unwrap().path());
    let mut sources: Vec<_> = crates
        .filter(|path| !path.ends_with("dashboard"))
        .map(|path| if path.ends_with("src") { path } else { path.join("src") })
        .filter(|path| path.is_dir())
        .collect();
    sources.push(workspace().join("config.yaml"));
    let mut texts = Vec::new();
    while let Some(path) = sources.pop() {
        if path.is_dir() {
            sources.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            texts.push((plain(&std::fs::read_to_string(&path).unwrap()), path));
        }
    }
    assert!(texts.len() > 100, "{}", texts.len());
    for request in requests() {
        // The common beginning of all such requests identifies none of them.
        let words: Vec<String> = plain(&request).split_whitespace().skip(4).map(str::to_owned).collect();
        for length in [5, 7] {
            for part in words.windows(length) {
                let part = format!(" {} ", part.join(" "));
                let reported: Vec<_> = texts
                    .iter()
                    .filter(|(text, path)| text.contains(&part) && (length == 7 || !lists_idioms(path)))
                    .map(|(_, path)| path)
                    .collect();
                assert!(reported.is_empty(), "{part:?} stands in {reported:?}");
            }
        }
    }
}

/// The recorded replies are played back: the same requests are sent, and the same tools are stored.
#[test]
fn recorded_conversations_reach_the_same_result() {
    let requests = requests();
    for (position, stored) in RECORDED {
        let path = workspace().join(format!("tests/cassettes/request-{position:02}.json"));
        let cassette = Cassette::replay(&path).unwrap();
        let tape = cassette.tape();
        let house = House::new();
        let reply = hear(&house, &requests[position - 1], Box::new(cassette));
        tape.finish().unwrap_or_else(|difference| panic!("{}: {difference}", path.display()));
        let tool = reply.tool.as_ref().unwrap();
        let tries = reply.spent.unwrap().steps;
        assert_eq!((tool.name.as_str(), tool.version.is_some(), tries), stored, "{position}: {}", reply.text);
    }
}

#[derive(Deserialize)]
struct Choice {
    tools: Vec<String>,
    says: Vec<Saying>,
}

#[derive(Deserialize)]
struct Saying {
    say: String,
    tool: String,
}

/// The model's choice among thirty tools when it sees all of them, and when it sees those of a search.
#[test]
#[ignore = "needs a real model: make test-llm"]
fn model_selects_among_thirty_tools_with_and_without_search() {
    let server = Server::start();
    let house = House::new();
    let Choice { tools, says } = serde_yaml::from_str(include_str!("../cases/tool_selection.yaml")).unwrap();
    for name in &tools {
        let source = std::fs::read(workspace().join(format!("tests/cases/good/{name}.py"))).unwrap();
        let (checked, reviewed) = house.workshop.check(&Submission::of(name, &source)).unwrap();
        let reviewed = reviewed.unwrap_or_else(|| panic!("{name}: {:?}", checked.findings));
        house.workshop.accept(&reviewed.reviewed_by("rules", Vec::new(), false)).unwrap();
    }
    let entries = house.workshop.registry().list().unwrap();
    let function = |name: &str| {
        let entry = entries.iter().find(|entry| entry.name == name).unwrap();
        Function {
            name: entry.name.clone(),
            description: entry.description.clone(),
            parameters: entry.parameters.clone(),
        }
    };
    let everything: Vec<Function> = tools.iter().map(|name| function(name)).collect();
    let models = workspace().join(".cache/models");
    let found = |say: &str| -> Vec<Function> {
        let found = house.workshop.registry().search(say, 6, &models).unwrap();
        found.results.iter().filter(|hit| tools.contains(&hit.name)).map(|hit| function(&hit.name)).collect()
    };
    let among = says.iter().filter(|one| found(&one.say).iter().any(|f| f.name == one.tool)).count();
    let semantic = house.workshop.registry().search("x", 6, &models).unwrap().is_semantic_available;
    println!("the search finds the tool for {among} of {} (by meaning too: {semantic})", says.len());
    // Thirty tools take more room than a prompt normally has.
    let mut client = Client::open(&LanguageModel { max_prompt_tokens: 7_500, ..server.config() }).unwrap();
    let mut score = |what: &str, functions: &dyn Fn(&str) -> Vec<Function>| -> usize {
        let (mut right, mut tokens) = (0, 0);
        for Saying { say, tool } in &says {
            let prompt = Prompt {
                purpose: "test",
                instructions: "You control a small robot. Call the one function that does what is asked."
                    .into(),
                messages: vec![Message::person(say.as_str())],
                form: Form::Calls(functions(say)),
                max_tokens: 200,
            };
            let answer = client.answer(&prompt, &mut |_| Watch::On).unwrap();
            tokens += answer.tokens.prompt;
            let chosen = match answer.completion {
                Completion::Calls { calls, .. } => calls[0].name.clone(),
                _ => "nothing".into(),
            };
            if chosen != *tool {
                println!("  {what}: {say:?} is for {tool}, and {chosen} was chosen");
            }
            right += usize::from(chosen == *tool);
        }
        println!("{what}: {right} of {} right, {} tokens a prompt", says.len(), tokens / says.len() as u64);
        right
    };
    let all = score("all thirty", &|_| everything.clone());
    let searched = score("those that a search finds", &found);
    // A shorter list must not make the choice worse. A tool that the text search misses cannot be chosen.
    let lost = says.len() - among;
    assert!(searched + lost >= all, "{searched} with the search, which lost {lost}; {all} without");
}

/// The model follows each reply format. Its replies are printed.
#[test]
#[ignore = "needs a real model: make test-llm"]
fn model_follows_each_reply_format() {
    let server = Server::start();
    let mut client = Client::open(&server.config()).unwrap();
    let mut ask = |words: &str, form: Form| {
        let prompt = Prompt {
            purpose: "test",
            instructions: "You control a small robot with a head, a body that turns and two antennas.".into(),
            messages: vec![Message::person(words)],
            form,
            max_tokens: 120,
        };
        let answer = client.answer(&prompt, &mut |_| Watch::On).unwrap();
        println!("{words}: {:?} {:?}", answer.completion, answer.tokens);
        answer.completion
    };
    assert!(matches!(ask("Say hello in one short sentence.", Form::Text), Completion::Text(_)));
    let plan = json!({
        "type": "object",
        "properties": {
            "goal": {"type": "string"},
            "steps": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        },
        "required": ["goal", "steps"],
        "additionalProperties": false,
    });
    assert!(matches!(ask("Plan how to greet a guest.", Form::Json(plan)), Completion::Json(_)));
    let requests = [
        ("Nod three times.", "nod"),
        ("Please turn your head to the left by 20 degrees.", "look"),
        ("Wiggle your antennas!", "wiggle_antennas"),
        ("What do you see?", "take_picture"),
        ("Turn around to face the door on your right.", "turn_body"),
        ("Agree with me twice.", "nod"),
        ("Look up a bit.", "look"),
        ("What is the capital of France?", ""),
        ("Thank you, that was nice.", ""),
    ];
    let mut right = 0;
    for (words, wanted) in requests {
        let chosen = match ask(words, Form::Calls(five_functions())) {
            Completion::Calls { calls, .. } => calls[0].name.clone(),
            _ => String::new(),
        };
        right += usize::from(chosen == wanted);
    }
    println!("{right} of {} right; {:?}; {:?}", requests.len(), client.used(), client.notices());
}

fn five_functions() -> Vec<Function> {
    let number = |least: f64, most: f64| json!({"type": "number", "minimum": least, "maximum": most});
    let function = |name: &str, description: &str, properties: Value| {
        let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
        let parameters = json!({"type": "object", "properties": properties, "required": required,
            "additionalProperties": false});
        Function { name: name.into(), description: description.into(), parameters }
    };
    vec![
        function("nod", "Nods the head.", json!({"times": {"type": "integer", "minimum": 1, "maximum": 10}})),
        function(
            "look",
            "Turns the head in a direction, by degrees.",
            json!({"direction": {"type": "string", "enum": ["left", "right", "up", "down"]},
                "degrees": number(0.0, 60.0)}),
        ),
        function(
            "turn_body",
            "Turns the whole body, by degrees; to the left is positive.",
            json!({"degrees": number(-160.0, 160.0)}),
        ),
        function(
            "wiggle_antennas",
            "Wiggles both antennas.",
            json!({"times": {"type": "integer", "minimum": 1, "maximum": 10}}),
        ),
        function("take_picture", "Takes a picture with the camera and tells what is on it.", json!({})),
    ]
}
