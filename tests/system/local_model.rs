//! The language model on this computer: the command `model`, what happens without one, and a real one where it is
//! installed (`make test-llm`).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_assistant::second_reader::second_reading;
use minismith_language_model::{Client, Completion, Form, Message, Model, ModelCallError, Prompt, Watch};
use minismith_local_model::ModelStore;
use minismith_local_model::server::shared;
use minismith_runtime::config::{Config, Nlu};
use minismith_tests::{TestDir, program, workspace};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

/// The beginning of a model file, with a licence.
fn tiny_model(licence: &str) -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend(1_u64.to_le_bytes());
    bytes.extend(1_u64.to_le_bytes());
    let key = "general.license";
    bytes.extend((key.len() as u64).to_le_bytes());
    bytes.extend(key.as_bytes());
    bytes.extend(8_u32.to_le_bytes());
    bytes.extend((licence.len() as u64).to_le_bytes());
    bytes.extend(licence.as_bytes());
    bytes
}

#[test]
fn models_are_managed_from_the_command_line() {
    let bench = TestDir::new();
    let listed = bench.run(&["model", "list"]).exits(0).out;
    assert!(listed.contains("not installed") && listed.contains("make model"), "{listed}");
    fs::write(bench.path("Tiny One.gguf"), tiny_model("mit")).unwrap();
    fs::write(bench.path("other.gguf"), tiny_model("apache-2.0")).unwrap();
    fs::write(bench.path("notes.gguf"), "no model").unwrap();
    let added = bench.run(&["model", "add", "Tiny One.gguf", "--json"]).exits(0).json();
    assert_eq!(
        (added["model"]["name"].as_str(), added["was_there"].as_bool()),
        (Some("tiny-one"), Some(false))
    );
    assert_eq!(added["model"]["licence"], "mit");
    let _added = bench.run(&["model", "add", "other.gguf"]).exits(0);
    let _chosen = bench.run(&["model", "use", "other"]).exits(0);
    let listed = bench.run(&["model", "list", "--json"]).exits(0).json();
    let used: Vec<_> =
        listed["models"].as_array().unwrap().iter().map(|it| it["used"].as_bool().unwrap()).collect();
    assert_eq!((used, listed["runtime"].is_null()), (vec![true, false], true));
    // What is refused changes nothing.
    for arguments in [
        &["model", "add", "notes.gguf"][..],
        &["model", "add", "missing.gguf"],
        &["model", "add", "other.gguf", "--name", "tiny-one"],
        &["model", "add", "other.gguf", "--name", "../x"],
        &["model", "use", "nothing"],
        &["model", "remove", "../other"],
    ] {
        assert!(!bench.run(arguments).exits(1).out.is_empty());
    }
    bench.run(&["model", "add"]).is_error(&["FILE"]);
    assert_eq!(bench.run(&["model", "list", "--json"]).exits(0).json(), listed);
    assert!(bench.run(&["model", "remove", "other"]).exits(0).out.contains("tiny-one is used now"));
}

#[test]
fn without_a_model_the_grammar_answers_and_says_what_is_missing() {
    let bench = TestDir::new();
    assert!(bench.run(&["say", "nod", "--nlu", "local"]).exits(0).out.contains("Done"));
    assert!(bench.run(&["say", "nod", "--brain", "local"]).exits(0).out.contains("Done"));
    let answer = bench.run(&["say", "please tell me a joke", "--nlu", "local"]).exits(1);
    assert!(answer.out.contains("make model"), "{}", answer.out);
    bench.run(&["say", "nod", "--nlu", "llm"]).is_error(&["language_model.endpoints"]);
    let checks = bench.run(&["doctor", "--json", "--nlu", "local"]).out;
    assert!(checks.contains("\"local model\"") && checks.contains("make model"), "{checks}");
}

/// The small model that `make model MODEL=small` installs, or the other one, in a folder of its own.
struct Installed {
    config: Config,
    file_mb: u64,
    _folder: tempfile::TempDir,
}

impl Installed {
    fn new() -> Installed {
        let cache = std::env::var_os("MINISMITH_MODEL")
            .map_or_else(|| workspace().join(".cache/model"), PathBuf::from);
        assert!(cache.join("venv").is_dir(), "there is no runtime in {}; run `make model`", cache.display());
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(cache.join("venv"), folder.path().join("venv")).unwrap();
        let models = ModelStore::new(&cache).list().unwrap();
        let smallest = models.iter().min_by_key(|model| model.bytes).unwrap();
        let added = ModelStore::new(folder.path()).add(&smallest.path, None).unwrap();
        let built_in = Config::built_in().unwrap();
        let mut config = Config { nlu: Nlu::Local, ..built_in };
        config.local_model.directory = folder.path().to_owned();
        config.language_model.request_timeout = Duration::from_secs(300);
        Installed { config, file_mb: added.model.bytes >> 20, _folder: folder }
    }

    fn client(&self) -> Client {
        Client::local(&self.config)
    }

    /// Returns the process id.
    fn process(&self) -> Option<u32> {
        shared(&self.config.local_model, Ok(program("minismith-tool-host"))).process_id()
    }
}

fn prompt(question: &str, form: Form) -> Prompt {
    Prompt {
        purpose: "test",
        instructions: "You control a small robot with a head, a body that turns and two antennas. "
            .repeat(20),
        messages: vec![Message::person(question)],
        form,
        max_tokens: 60,
    }
}

fn status(process: u32, key: &str) -> String {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let row = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    row.unwrap().trim().to_owned()
}

#[test]
#[ignore = "needs a real model: make test-llm"]
fn a_real_model_answers_in_its_form_confined_and_within_its_memory() {
    let installed = Installed::new();
    let mut client = installed.client();
    let clock = MonotonicClock::start();
    let grammar = Form::Grammar { gbnf: r#"root ::= "nod(times=" [1-9] ")""#.into(), sample: 0 };
    let mut pieces = String::new();
    let answer = client
        .answer(&prompt("Nod three times.", grammar.clone()), &mut |piece| {
            pieces.push_str(piece);
            Watch::On
        })
        .unwrap();
    println!("first answer after {:.1} s: {:?}", clock.now().seconds(), answer.completion);
    let Completion::Text(text) = answer.completion else { panic!("not a text") };
    assert!(text.starts_with("nod(times=") && text.ends_with(')') && pieces == text, "{text} {pieces}");
    let schema = json!({"type": "object", "properties": {"side": {"type": "string", "enum": ["left", "right"]}},
        "required": ["side"], "additionalProperties": false});
    let answer =
        client.answer(&prompt("Which side is not right?", Form::Json(schema)), &mut |_| Watch::On).unwrap();
    assert!(matches!(answer.completion, Completion::Json(_)));

    let process = installed.process().unwrap();
    assert_eq!((status(process, "Seccomp").as_str(), status(process, "NoNewPrivs").as_str()), ("2", "1"));
    assert_eq!(status(process, "CapEff").trim_start_matches('0'), "");
    // SCHED_IDLE is the 41st field of its statistics.
    let statistics = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let policy = statistics.rsplit_once(") ").unwrap().1.split(' ').nth(38).unwrap().to_owned();
    assert_eq!(policy, "5");
    let network = |process: &str| fs::read_link(Path::new("/proc").join(process).join("ns/net")).ok();
    println!("own network: {}", network(&process.to_string()) != network("self"));
    let resident: u64 = status(process, "VmHWM").trim_end_matches(" kB").parse().unwrap();
    println!("resident at most {} MB, the file has {} MB", resident >> 10, installed.file_mb);
    assert!(resident >> 10 <= installed.file_mb + 200);

    // A wrong grammar is an error and no crash.
    let wrong = client
        .answer(&prompt("Nod.", Form::Grammar { gbnf: "root ::= nothing".into(), sample: 0 }), &mut |_| {
            Watch::On
        });
    assert!(matches!(wrong, Err(ModelCallError::Refused { .. })), "{wrong:?}");

    // A cancelled answer ends, so the next one does not wait for it.
    let long = Prompt { max_tokens: 1_000, ..prompt("Write a very long story about a robot.", Form::Text) };
    let mut heard = 0;
    let cancelled = client.answer(&long, &mut |piece| {
        heard += usize::from(!piece.is_empty());
        if heard > 3 { Watch::Off } else { Watch::On }
    });
    assert_eq!(cancelled.unwrap_err(), ModelCallError::GivenUp);
    let clock = MonotonicClock::start();
    client.answer(&prompt("Nod three times.", grammar.clone()), &mut |_| Watch::On).unwrap();
    println!("the answer after a cancelled one took {:.1} s", clock.now().seconds());

    // A killed process is replaced, and finds the evaluated prompt on disk.
    let prompts = installed.config.local_model.directory.join("prompts");
    assert_eq!(fs::read_dir(&prompts).unwrap().count(), 2, "one for each of two instructions");
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), Signal::KILL).unwrap();
    let clock = MonotonicClock::start();
    client.answer(&prompt("Nod three times.", grammar), &mut |_| Watch::On).unwrap();
    println!("the answer of a new process took {:.1} s", clock.now().seconds());
    assert_ne!(installed.process(), Some(process));
    minismith_local_model::server::stop_all();
}

#[test]
#[ignore = "needs a real model: make test-llm"]
fn a_real_model_without_memory_is_an_error_in_time() {
    let mut installed = Installed::new();
    // The file alone is larger than the address space that is left beside the libraries.
    installed.config.local_model.memory_headroom_bytes = 0;
    let mut client = installed.client();
    let clock = MonotonicClock::start();
    let error = client.answer(&prompt("Nod.", Form::Text), &mut |_| Watch::On).unwrap_err();
    println!("{error}");
    assert!(matches!(error, ModelCallError::Local { .. }) && clock.now().seconds() < 60.0, "{error}");
}

#[test]
#[ignore = "needs a real model: make test-llm"]
fn a_real_model_reads_what_the_grammar_does_not() {
    let installed = Installed::new();
    let mut client = installed.client();
    let mut described = |sentence: &str| {
        let clock = MonotonicClock::start();
        let read =
            second_reading(sentence, None, &mut |prompt| client.answer(prompt, &mut |_| Watch::On)).unwrap();
        println!("{:.1} s: {sentence}: {read:?}", clock.now().seconds());
        read.map(|read| (read.description, read.is_certain))
    };
    let certain = |what: &str| Some((what.to_owned(), true));
    assert_eq!(described("plz look rihgt"), Some(("look right".into(), false)));
    assert_eq!(described("shake your head like you disagree"), certain("shake the head 2 times"));
    assert_eq!(described("turn yore body left"), certain("turn the body left"));
    assert_eq!(described("whatever you do, don't turn your body"), None);
    assert_eq!(described("open the window please"), None);
}
