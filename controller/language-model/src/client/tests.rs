//! Tests of failover, retries, probes and budgets, with scripted endpoints.

use std::collections::VecDeque;
use std::sync::Mutex;

use firmware_bridge::clock::{Timestamp, VirtualClock};
use serde_json::{Value, json};

use super::*;
use crate::error::EndpointError;
use crate::reply::{RawCall, Reply};
use crate::transport::ReadTimeouts;
use crate::{Completion, Function, Message};
use minismith_runtime::config::Config;
use minismith_runtime::net::Address;

type Seen = Arc<Mutex<Vec<(usize, Value)>>>;

/// An endpoint that returns these replies in order, and then rejects requests.
struct Fake {
    position: usize,
    replies: VecDeque<Result<Reply, EndpointError>>,
    seen: Seen,
}

impl Exchange for Fake {
    fn exchange(
        &mut self,
        request: &Value,
        _limits: ReadTimeouts,
        hear: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<Reply, EndpointError> {
        self.seen.lock().unwrap().push((self.position, request.clone()));
        let refused = || Err(EndpointError::Refused { status: 400, reason: "no more".into() });
        let reply = self.replies.pop_front().unwrap_or_else(refused)?;
        if hear(&reply.text) == Watch::Off {
            return Err(EndpointError::GivenUp);
        }
        Ok(reply)
    }
}

struct Bench {
    client: Client,
    clock: Arc<VirtualClock>,
    seen: Seen,
}

fn bench(endpoints: Vec<Vec<Result<Reply, EndpointError>>>) -> Bench {
    let (clock, seen) = (Arc::new(VirtualClock::new()), Seen::default());
    let mut config = Config::built_in().unwrap().language_model;
    config.max_prompt_tokens = 1000;
    let line = |(position, replies): (usize, Vec<_>)| {
        let url = Address::parse(&format!("http://127.0.0.1:{}/v1", position + 1)).unwrap();
        let fake = Fake { position, replies: replies.into(), seen: seen.clone() };
        (Endpoint { url, model: "m".into(), key: None }, Box::new(fake) as Box<dyn Exchange>)
    };
    let lines = endpoints.into_iter().enumerate().map(line).collect();
    Bench { client: Client::of(&config, lines, clock.clone()), clock, seen }
}

impl Bench {
    fn ask(&mut self, form: Form) -> Result<Completion, ModelCallError> {
        let prompt = prompt(form);
        self.client.answer(&prompt, &mut |_| Watch::On).map(|answer| answer.completion)
    }

    /// Returns which endpoint was asked, and in which way.
    fn ways(&self) -> Vec<String> {
        let way = |(position, request): &(usize, Value)| {
            let keys = ["tools", "response_format"].map(|key| request.get(key).is_some());
            let way = match keys {
                [true, _] => "native",
                [_, true] => "schema",
                _ => "plain",
            };
            format!("{position} {way}")
        };
        self.seen.lock().unwrap().iter().map(way).collect()
    }
}

fn prompt(form: Form) -> Prompt {
    Prompt {
        purpose: "test",
        instructions: "Be brief.".into(),
        messages: vec![Message::person("Hello")],
        form,
        max_tokens: 50,
    }
}

fn said(text: &str) -> Result<Reply, EndpointError> {
    let tokens = Some(Tokens { prompt: 10, answer: 2 });
    Ok(Reply { text: text.into(), finish: Some("stop".into()), tokens, ..Reply::default() })
}

fn calls(name: &str, times: usize) -> Result<Reply, EndpointError> {
    let call = RawCall { id: "x".into(), name: name.into(), arguments: "{}".into() };
    Ok(Reply { calls: vec![call; times], ..Reply::default() })
}

fn busy(after: Option<u64>) -> Result<Reply, EndpointError> {
    Err(EndpointError::Busy { status: 429, reason: "later".into(), after: after.map(Duration::from_secs) })
}

fn status<T>(status: u16) -> Result<T, EndpointError> {
    Err(match status {
        500.. => EndpointError::Busy { status, reason: "ill".into(), after: None },
        _ => EndpointError::Refused { status, reason: "no".into() },
    })
}

fn nod() -> Form {
    Form::Calls(vec![Function { name: "nod".into(), description: String::new(), parameters: json!({}) }])
}

fn text(text: &str) -> Completion {
    Completion::Text(text.into())
}

const SPOKEN: &str = r#"{"calls": [{"name": "nod", "arguments": {}}]}"#;
const READY: &str = r#"{"word": "yes"}"#;

#[test]
fn the_way_to_call_functions_is_probed_once() {
    let mut bench = self::bench(vec![vec![calls("ready", 1), calls("nod", 1), calls("nod", 2)]]);
    assert!(matches!(bench.ask(nod()), Ok(Completion::Calls { .. })));
    assert!(matches!(bench.ask(nod()), Ok(Completion::Calls { calls, .. }) if calls.len() == 2));
    assert_eq!(bench.ways(), ["0 native", "0 native", "0 native"]);

    let bare = r#"{{"name": "ready", "arguments": {"word": "yes"}}}"#;
    let mut bench = self::bench(vec![vec![
        said(bare),
        said(READY),
        said(SPOKEN),
        said(SPOKEN),
        said("{\"word\":\"yes\"}"),
    ]]);
    assert!(matches!(bench.ask(nod()), Ok(Completion::Calls { .. })));
    assert!(matches!(bench.ask(nod()), Ok(Completion::Calls { .. })));
    assert!(matches!(bench.ask(Form::Json(json!({"required": ["word"]}))), Ok(Completion::Json(_))));
    assert_eq!(bench.ways(), ["0 native", "0 schema", "0 schema", "0 schema", "0 schema"]);

    let mut bench = self::bench(vec![vec![status(400), status(400), said(SPOKEN), said("Hello.")]]);
    assert!(matches!(bench.ask(nod()), Ok(Completion::Calls { .. })));
    assert_eq!(bench.ask(nod()).unwrap(), text("Hello."));
    assert_eq!(bench.ways(), ["0 native", "0 schema", "0 plain", "0 plain"]);
}

#[test]
fn a_failing_endpoint_does_not_count_as_one_without_functions() {
    // Three tries each: `tools` and `response_format`.
    let mut bench = self::bench(vec![(0..6).map(|_| status(500)).collect()]);
    assert!(matches!(bench.ask(nod()), Err(ModelCallError::Refused { status: 500, .. })));
    assert_eq!((bench.ways().len(), bench.ways().last().unwrap().as_str()), (6, "0 schema"));
    // An endpoint that answers `tools` alone with 500 does.
    let replies = vec![status(500), status(500), status(500), said(READY), said(SPOKEN)];
    let mut bench = self::bench(vec![replies]);
    assert!(matches!(bench.ask(nod()), Ok(Completion::Calls { .. })));
    // An endpoint that rejects the key does not either.
    let mut bench = self::bench(vec![vec![status(401)]]);
    assert!(matches!(bench.ask(nod()), Err(ModelCallError::Refused { status: 401, .. })));
}

#[test]
fn passing_failures_are_retried_after_growing_waits() {
    let mut bench = self::bench(vec![vec![busy(None), busy(None), said("Hi")]]);
    assert_eq!(bench.ask(Form::Text).unwrap(), text("Hi"));
    let waited = bench.clock.now().since(Timestamp::ZERO);
    assert!((0.75..=1.5).contains(&waited.as_secs_f64()), "{waited:?}");
    assert_eq!(bench.client.notices(), Vec::<String>::new());

    let mut bench = self::bench(vec![vec![busy(Some(7)), said("Hi")]]);
    assert_eq!(bench.ask(Form::Text).unwrap(), text("Hi"));
    assert_eq!(bench.clock.now().since(Timestamp::ZERO), Duration::from_secs(7));

    // The client waits neither for an hour nor more often than allowed.
    for (replies, asked) in
        [(vec![busy(Some(3600)), said("Hi")], 1), ((0..9).map(|_| busy(None)).collect(), 3)]
    {
        let mut bench = self::bench(vec![replies]);
        assert!(matches!(bench.ask(Form::Text), Err(ModelCallError::Refused { status: 429, .. })));
        assert_eq!(bench.ways().len(), asked);
    }
    for hopeless in [
        EndpointError::Garbled("x".into()),
        EndpointError::Slow(Duration::from_secs(1)),
        EndpointError::Refused { status: 403, reason: "x".into() },
    ] {
        let mut bench = self::bench(vec![vec![Err(hopeless), said("Hi")]]);
        assert!(bench.ask(Form::Text).is_err());
        assert_eq!(bench.ways().len(), 1);
    }
}

#[test]
fn the_next_endpoint_answers_while_the_first_one_rests() {
    let gone = || Err(EndpointError::Unreachable("Connection refused".into()));
    let mut bench =
        self::bench(vec![vec![gone(), gone(), gone(), said("back")], vec![said("one"), said("two")]]);
    assert_eq!(bench.ask(Form::Text).unwrap(), text("one"));
    let notices = bench.client.notices();
    assert_eq!(notices.len(), 2);
    assert!(
        notices[0].contains("http://127.0.0.1:1/v1 (m) can't be reached: Connection refused"),
        "{notices:?}"
    );
    assert!(notices[1].contains("http://127.0.0.1:2/v1 (m) answered instead"), "{notices:?}");
    assert_eq!(bench.ask(Form::Text).unwrap(), text("two"));
    assert_eq!(bench.client.notices(), Vec::<String>::new());
    bench.clock.wait_until(bench.clock.now() + FAILURE_COOLDOWN);
    assert_eq!(bench.ask(Form::Text).unwrap(), text("back"));
    assert_eq!(bench.ways(), ["0 plain", "0 plain", "0 plain", "1 plain", "1 plain", "0 plain"]);
}

#[test]
fn the_error_names_the_preferred_endpoint_when_all_fail() {
    let mut bench =
        self::bench(vec![vec![status(403)], vec![Err(EndpointError::Garbled("nonsense".into()))]]);
    let error = bench.ask(Form::Text).unwrap_err().to_string();
    assert!(error.contains(":1/v1 (m) rejected the request (403): no"), "{error}");
    assert_eq!(bench.client.notices().len(), 2);
    assert!(self::bench(vec![]).ask(Form::Text).unwrap_err().to_string().contains("is empty"));
}

#[test]
fn a_bad_answer_gets_one_complaint() {
    let bad = r#"{"calls": [{"name": "fly", "arguments": {}}]}"#;
    let probes = || vec![said("?"), said(READY)];
    let mut bench = self::bench(vec![[probes(), vec![said(bad), said(SPOKEN)]].concat_all()]);
    assert!(matches!(bench.ask(nod()), Ok(Completion::Calls { .. })));
    let seen = bench.seen.lock().unwrap().clone();
    let messages = seen.last().unwrap().1["messages"].as_array().unwrap().clone();
    assert_eq!(messages[2]["content"], bad);
    assert!(messages[3]["content"].as_str().unwrap().contains("it calls `fly`, and the functions are nod"));

    let mut bench = self::bench(vec![[probes(), vec![said(bad), said(bad), said(SPOKEN)]].concat_all()]);
    assert!(
        matches!(bench.ask(nod()), Err(ModelCallError::Unusable { reason, .. }) if reason.contains("`fly`"))
    );
    // Too many calls are not requested again.
    let mut bench = self::bench(vec![vec![calls("ready", 1), calls("nod", 17), calls("nod", 1)]]);
    assert!(
        matches!(bench.ask(nod()), Err(ModelCallError::Unusable { reason, .. }) if reason.contains("16 calls"))
    );
}

/// Concatenates lists.
trait ConcatAll<T> {
    fn concat_all(self) -> Vec<T>;
}

impl<T, const N: usize> ConcatAll<T> for [Vec<T>; N] {
    fn concat_all(self) -> Vec<T> {
        self.into_iter().flatten().collect()
    }
}

#[test]
fn an_unknown_parameter_is_omitted_from_then_on() {
    let unknown = Err(EndpointError::Refused { status: 400, reason: "unknown field `seed`".into() });
    let mut bench = self::bench(vec![vec![unknown, said("Hi"), said("Ho")]]);
    assert_eq!(bench.ask(Form::Text).unwrap(), text("Hi"));
    assert_eq!(bench.ask(Form::Text).unwrap(), text("Ho"));
    let seeds: Vec<bool> =
        bench.seen.lock().unwrap().iter().map(|(_, request)| request.get("seed").is_some()).collect();
    assert_eq!(seeds, [true, false, false]);
}

#[test]
fn a_prompt_beyond_the_budget_is_not_sent() {
    let mut bench = self::bench(vec![vec![said("Hi")], vec![said("Hi")]]);
    let long = Prompt { messages: vec![Message::person("word ".repeat(1000))], ..prompt(Form::Text) };
    let error = bench.client.answer(&long, &mut |_| Watch::On).unwrap_err();
    assert!(matches!(error, ModelCallError::TooLong { tokens: 1000.., limit: 1000 }), "{error}");
    assert_eq!(bench.ways(), Vec::<String>::new());
}

#[test]
fn a_stop_cancels_the_request_at_once() {
    let mut bench = self::bench(vec![vec![busy(None), said("Hi")], vec![said("Hi")]]);
    let mut asked = 0;
    let stopped = bench.client.answer(&prompt(Form::Text), &mut |_| {
        asked += 1;
        Watch::Off
    });
    assert_eq!(stopped, Err(ModelCallError::GivenUp));
    assert_eq!((asked, bench.ways().len()), (1, 1));
    assert_eq!(bench.clock.now(), Timestamp::ZERO);
}

#[test]
fn only_text_reaches_the_listener_and_only_once() {
    let mut heard = String::new();
    let mut listen = |bench: &mut Bench, form: Form| {
        heard.clear();
        let answer = bench.client.answer(&prompt(form), &mut |text| {
            heard.push_str(text);
            Watch::On
        });
        (answer.is_ok(), heard.clone())
    };
    let mut bench = self::bench(vec![vec![said(READY), said(READY)]]);
    assert_eq!(listen(&mut bench, Form::Json(json!({}))), (true, String::new()));
    let mut bench = self::bench(vec![vec![said("Hello")]]);
    assert_eq!(listen(&mut bench, Form::Text), (true, "Hello".into()));
    // The listener gets the text once, although the first try was useless.
    let mut late = said("One").unwrap();
    late.finish = Some("content_filter".into());
    let mut bench = self::bench(vec![vec![Ok(late)], vec![said("Two")]]);
    assert_eq!(listen(&mut bench, Form::Text), (true, "One".into()));
}

#[test]
fn usage_is_counted() {
    let mut bench = self::bench(vec![vec![said("?"), said(READY), said(SPOKEN), said("Hi"), status(403)]]);
    let mut answer = |form| bench.client.answer(&prompt(form), &mut |_| Watch::On);
    assert_eq!(answer(nod()).unwrap().tokens, Tokens { prompt: 30, answer: 6 });
    assert_eq!(answer(Form::Text).unwrap().tokens, Tokens { prompt: 10, answer: 2 });
    assert!(answer(Form::Text).is_err());
    let used = bench.client.used();
    assert_eq!((used.prompts, used.answers, used.tokens), (3, 2, Tokens { prompt: 40, answer: 8 }));
}

#[test]
fn a_client_can_move_to_another_thread() {
    const fn is_send<T: Send>() {}
    is_send::<Client>();
    is_send::<crate::Cassette>();
    is_send::<crate::Scripted>();
}

#[test]
fn calls_without_functions_become_a_request_for_text() {
    let mut bench = self::bench(vec![vec![said("Hi")]]);
    assert_eq!(bench.ask(Form::Calls(vec![])).unwrap(), text("Hi"));
    assert_eq!(bench.ways(), ["0 plain"]);
}

#[test]
fn only_the_local_model_is_held_to_a_grammar() {
    let grammar = || Form::Grammar { gbnf: r#"root ::= "nod()""#.into(), sample: 0 };
    let mut bench = self::bench(vec![vec![said("nod()"), said("nod()")]]);
    assert_eq!(bench.ask(grammar()).unwrap(), text("nod()"));
    bench.client.peers[0].capabilities = EndpointCapabilities::of_local_model();
    assert_eq!(bench.ask(grammar()).unwrap(), text("nod()"));
    let seen = bench.seen.lock().unwrap();
    let grammars: Vec<_> = seen.iter().map(|(_, request)| request.get("grammar").is_some()).collect();
    // Neither is probed first.
    assert_eq!(grammars, [false, true]);
    assert!(seen.iter().all(|(_, request)| request.get("response_format").is_none()));
}

#[test]
fn a_text_that_was_cut_off_fits_no_grammar() {
    let cut = Reply { text: "nod(".into(), finish: Some("length".into()), ..Reply::default() };
    let mut bench = self::bench(vec![vec![Ok(cut)]]);
    bench.client.peers[0].capabilities = EndpointCapabilities::of_local_model();
    let error = bench.ask(Form::Grammar { gbnf: "root ::= [a-z]+".into(), sample: 0 }).unwrap_err();
    assert!(error.to_string().contains("as the grammar says"), "{error}");
}

#[test]
fn without_a_local_model_the_next_step_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::built_in().unwrap();
    config.local_model.directory = folder.path().to_owned();
    let answer = |config: &Config, question: &str| {
        let asked = Prompt { messages: vec![Message::person(question)], ..prompt(Form::Text) };
        Client::local(config).answer(&asked, &mut |_| Watch::On).unwrap_err()
    };
    let error = answer(&config, "Hello");
    assert!(matches!(&error, ModelCallError::Local { reason } if reason.contains("make model")), "{error}");
    // A prompt that is too long for it says what to change.
    let packages = folder.path().join("venv/lib/python3.11/site-packages/xllamacpp-1.dist-info");
    std::fs::create_dir_all(packages).unwrap();
    std::fs::create_dir_all(folder.path().join("venv/bin")).unwrap();
    std::fs::write(folder.path().join("venv/bin/python"), "").unwrap();
    let file = folder.path().join("tiny.gguf");
    let header = [&b"GGUF"[..], &3_u32.to_le_bytes(), &1_u64.to_le_bytes(), &0_u64.to_le_bytes()].concat();
    std::fs::write(&file, header).unwrap();
    minismith_local_model::ModelStore::new(folder.path()).add(&file, None).unwrap();
    config.local_model.context_tokens = 1_024;
    let error = answer(&config, &"long ".repeat(2_000));
    assert!(error.to_string().contains("raise local_model.context_tokens"), "{error}");
}
