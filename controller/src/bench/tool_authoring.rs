//! `authoring_*`: a tool from words, as a person waits for it; motions that are judged in simulation; and an answer of the
//! language model on this computer, where one is installed.

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_assistant::author::by_model::sample;
use minismith_assistant::author::composed;
use minismith_assistant::conversation::Conversation;
use minismith_contract::{Contract, Verdict};
use minismith_control::robot::RobotRuntime;
use minismith_language_model::{Model, Watch};
use minismith_local_model::runtime::installed;
use minismith_runtime::config::{Config, Nlu, Predefined, RobotChoice};
use minismith_toolchain::workshop::Workshop;

use super::local_model::patient;
use super::rounds::quantile;
use super::row::{Better, Row};
use super::{BenchContext, Failed};

pub(super) const NAMES: [&str; 3] = ["authoring_tool", "authoring_simulation", "authoring_answer"];

/// A request that the composer serves.
const REQUEST: &str = "make a tool called slow_hello that waves the left antenna twice and then looks up";

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    (context.progress)("authoring: a tool from words");
    let [tool, simulation, answer] = NAMES;
    let note = "from the request to the registered tool: composed, checked, rehearsed, measured; no peer measures \
                what it makes";
    let mut rows = vec![
        Row::alone(tool, "s", made(context)).noting(note),
        Row::alone(simulation, "x", simulated(context))
            .against("real time", Some(1.0), Better::Higher)
            .noting("seconds of motion that are simulated and judged in a second"),
    ];
    match installed(&context.config.local_model) {
        Ok((_, model)) => {
            (context.progress)("authoring: answers of the local model");
            rows.push(Row::alone(answer, "s", answered(context)).noting(&model.name));
        }
        Err(no) => (context.progress)(&format!("{answer} is skipped: {no}")),
    }
    rows
}

/// Returns the median duration of a request.
fn made(context: &BenchContext<'_>) -> Result<f64, Failed> {
    let at = Failed::at("authoring");
    let mut seconds = Vec::new();
    // The first one starts the sandbox.
    for round in 0..=context.pick(1, 5) {
        let folder = tempfile::tempdir().map_err(|error| at(&error))?;
        let config = Config {
            robot: RobotChoice::Mock,
            tools: folder.path().to_owned(),
            predefined: Predefined::InTools,
            nlu: Nlu::Grammar,
            ..context.config.clone()
        };
        let workshop = Workshop::open(&config).map_err(|error| at(&error))?;
        let robot = RobotRuntime::open(&config.robot, &config).map_err(|error| at(&error))?;
        let clock = MonotonicClock::start();
        let reply = Conversation::new(&robot, &workshop).searching_with(&config.models).hear(REQUEST);
        let took = clock.now().seconds();
        let verdict = reply.tool.and_then(|tool| tool.verdict);
        if verdict != Some(Verdict::Right) {
            return Err(Failed(format!("the tool is not right: {}", reply.text)));
        }
        seconds.extend((round > 0).then_some(took));
    }
    quantile(&mut seconds, 0.5).ok_or_else(|| Failed("no tool was made".into()))
}

/// Returns how many seconds of motion are simulated and judged in a second.
fn simulated(context: &BenchContext<'_>) -> Result<f64, Failed> {
    let at = Failed::at("simulation");
    let score = composed(REQUEST).score.ok_or_else(|| Failed("the request was not composed".into()))?;
    let contract = Contract::from_request(REQUEST);
    let motion = score.default_seconds().map_err(|error| at(&error))?;
    let rounds = context.pick(20, 500);
    let clock = MonotonicClock::start();
    for _ in 0..rounds {
        let measured = score.measure_simulated(&contract.expectations()).map_err(|error| at(&error))?;
        if contract.verdict(&measured) != Verdict::Right {
            return Err(Failed("the simulated motion is not right".into()));
        }
    }
    Ok(motion * f64::from(rounds) / clock.now().seconds())
}

/// Returns the median duration of what the model needs until it gives motions for a request.
fn answered(context: &BenchContext<'_>) -> Result<f64, Failed> {
    let mut client = patient(&Config { nlu: Nlu::Local, ..context.config.clone() });
    let contract = Contract::from_request(REQUEST);
    let mut seconds = Vec::new();
    // The first one starts the process and evaluates the instructions.
    for round in 0..=context.pick(1, 3) {
        let clock = MonotonicClock::start();
        let sampled = sample(REQUEST, None, &contract, &|| true, &mut |prompt| {
            client.answer(prompt, &mut |_| Watch::On)
        });
        if let Some(no) = sampled.no_answer {
            return Err(Failed::at("the local model")(&no));
        }
        seconds.extend((round > 0).then_some(clock.now().seconds()));
    }
    quantile(&mut seconds, 0.5).ok_or_else(|| Failed("the model gave no answer".into()))
}
