//! Attack coverage: every case runs through the whole `tool check`. Every attack also runs without a policy, in every
//! sandbox, with a real execution context. No attack may reach its goal, and no good tool may be rejected.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

use firmware_bridge::joint::Joints;
use firmware_bridge::motion_log::LoggedCycle;
use firmware_bridge::units::Radians;
use minismith_analysis::finding::Verdict;
use minismith_analysis::manifest::Capability;
use minismith_analysis::policy::rules;
use minismith_analysis::submission::Submission;
use minismith_protocol::Job;
use minismith_protocol::zygote::Level;
use minismith_runtime::config::Config;
use minismith_tests::cases::{Case, ExpectedOutcome, Success, cases};
use minismith_tests::cycles::{beyond, in_context};
use minismith_tests::workspace;
use minismith_toolchain::guest::{ToolHost, locate};
use minismith_toolchain::tool_run::{Outcome, Permissions, ToolRun, execute};
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::check::{CheckPhase, Checked};

/// Short, since many attacks end only at this limit. No assertion depends on it.
const GUEST: minismith_protocol::Limits =
    minismith_protocol::Limits { cpu_seconds: 2, turn_seconds: 0.6, ..minismith_protocol::Limits::DEFAULT };
/// The longest turn of an attack that reaches its goal only by going on: more time shows nothing more.
const TURN_OF_AN_ENDLESS_ATTACK_S: f64 = 0.2;
const ROBOT_TIME_S: f64 = 20.0;

/// The kinds of attack of which there must be several.
const CLASSES: [&str; 20] = [
    "attr_subclasses",
    "binding_target",
    "builtins_access",
    "call_free_exec",
    "cpu_dos",
    "eager_definition",
    "encoding_cookie",
    "from_import_leak",
    "func_globals",
    "indirect_getattr",
    "memory_dos",
    "numpy_io",
    "numpy_memory",
    "robot_motion_abuse",
    "stdlib_leak",
    "timeout_evasion",
    "traceback_frame",
    "unicode_nfkc",
    "unlisted_import",
    "whitelisted_io",
];

fn own(folder: &str) -> Vec<Case> {
    cases(&workspace().join("tests/cases").join(folder)).unwrap()
}

fn corpus(folder: &str) -> Vec<Case> {
    cases(&workspace().join("../shared/corpus").join(folder)).unwrap_or_default()
}

/// Returns the attacks of both collections.
fn attacks() -> Vec<Case> {
    own("bad").into_iter().chain(corpus("escapes")).collect()
}

/// Runs a function on each case, two at a time, and returns the results in the cases' order.
fn each<T: Send>(cases: &[Case], act: impl Fn(&Case) -> T + Sync) -> Vec<T> {
    let queue = Mutex::new(cases.iter().enumerate());
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap().next();
                    let Some((position, case)) = next else { break };
                    let result = act(case);
                    done.lock().unwrap().push((position, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    assert_eq!(done.len(), cases.len());
    done.sort_by_key(|(position, _)| *position);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Prints one line of the score.
fn score<'a>(what: &str, layers: impl Iterator<Item = &'a str>) {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for layer in layers {
        *count.entry(layer).or_default() += 1;
    }
    let total: usize = count.values().sum();
    let parts: Vec<String> = count.iter().map(|(layer, number)| format!("{layer} {number}")).collect();
    println!("score | {what:<26} | {total:>3} | {}", parts.join(" | "));
}

/// Runs the whole check of each case in a workshop of its own, with this limit of computing time for each rehearsal.
fn check_all(cases: &[Case], wall_time_s: u32) -> Vec<Checked> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.yaml");
    let budget = format!("workshop: {{budget: {{wall_time_s: {wall_time_s}}}}}\n");
    std::fs::write(&file, format!("control_loop: {{rate_hz: 100}}\n{budget}")).unwrap();
    let config = Config { tools: folder.path().join("tools"), ..Config::load(Some(&file)).unwrap() };
    let workshop = Workshop::open(&config).unwrap();
    each(cases, |case| workshop.check(&Submission::of(&case.name, &case.bytes)).unwrap().0)
}

fn what_was_found(checked: &Checked) -> String {
    checked.findings.iter().map(|finding| format!("\n  {finding}")).collect()
}

#[test]
fn good_tools_are_accepted_without_a_question() {
    let (ours, benign) = (own("good"), corpus("benign"));
    assert!(ours.len() >= 60, "{}", ours.len());
    let mut wrong = Vec::new();
    for (whose, cases) in [("good tools", ours), ("good tools of the corpus", benign)] {
        let checked = check_all(&cases, 30);
        let layer = |checked: &Checked| match checked.accepted && !checked.needs_approval {
            true => "admitted",
            false => "wrongly refused",
        };
        score(whose, checked.iter().map(layer));
        let refused = checked.iter().filter(|checked| layer(checked) != "admitted");
        wrong.extend(refused.map(|checked| format!("{}:{}", checked.name, what_was_found(checked))));
        for checked in &checked {
            let report = checked.report.as_ref();
            wrong.extend(
                report
                    .filter(|report| report.line_coverage <= 0.0)
                    .map(|_| format!("{}: no line ran", checked.name)),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn attacks_cover_every_category() {
    let bad = own("bad");
    assert!(bad.len() >= 130, "{}", bad.len());
    let known: BTreeSet<&str> = rules().iter().map(|rule| rule.id).collect();
    for case in &bad {
        if let ExpectedOutcome::Rule(rule) | ExpectedOutcome::Ask(rule) = &case.must {
            assert!(known.contains(rule.as_str()), "{}: there is no rule {rule}", case.name);
        }
        assert_ne!(case.must, ExpectedOutcome::Pass, "{} names no rule or layer", case.name);
    }
    for class in CLASSES {
        let number = bad.iter().filter(|case| case.class.as_deref() == Some(class)).count();
        assert!(number >= 4, "{class}: {number}");
    }
    let strangers: Vec<_> = bad.iter().filter_map(|case| case.class.as_deref()).collect();
    assert!(strangers.iter().all(|class| CLASSES.contains(class)), "{strangers:?}");
}

/// Returns the layer at which a checked attack ended.
fn layer_of(checked: &Checked) -> &'static str {
    let refusals =
        || checked.findings.iter().filter(|f| f.verdict == Verdict::Reject).map(|f| f.rule.as_str());
    let budgets = ["stage-seconds", "turn-seconds", "wall-seconds", "cpu-seconds", "output-bytes"];
    match checked.phase {
        CheckPhase::Policy => "rejected statically",
        CheckPhase::Rehearsal | CheckPhase::Review
            if refusals().any(|rule| budgets.iter().any(|b| rule.strip_prefix("rehearsal-") == Some(b))) =>
        {
            "contained at run time"
        }
        CheckPhase::Rehearsal | CheckPhase::Review => "confined by the cage",
        CheckPhase::Accepted if checked.needs_approval => "left to a person",
        CheckPhase::Accepted if checked.report.as_ref().is_some_and(|report| report.clamped_cycles > 0) => {
            "limited by the envelope"
        }
        CheckPhase::Accepted => "came to nothing",
    }
}

/// Returns why a checked attack did not end as required.
fn complaint(case: &Case, checked: &Checked) -> Option<String> {
    let found = |rule: &str, verdict| {
        checked.findings.iter().any(|finding| finding.rule == rule && finding.verdict == verdict)
    };
    let as_it_must = match &case.must {
        ExpectedOutcome::Rule(rule) => checked.phase == CheckPhase::Policy && found(rule, Verdict::Reject),
        ExpectedOutcome::Ask(rule) => {
            checked.phase != CheckPhase::Policy && found(rule, Verdict::NeedsApproval)
        }
        ExpectedOutcome::Policy => checked.phase == CheckPhase::Policy,
        ExpectedOutcome::Rehearsal => checked.phase == CheckPhase::Rehearsal,
        ExpectedOutcome::Run => checked.phase != CheckPhase::Policy || case.success == Success::Forever,
        ExpectedOutcome::Pass => false,
    };
    let reached = match &case.success {
        Success::Returns(file) => reports(&format!("{checked:?}"), file),
        Success::Forever => checked.accepted && case.must == ExpectedOutcome::Rehearsal,
        _ => false,
    };
    (!as_it_must || reached)
        .then(|| format!("{} {:?}: {:?}{}", case.name, case.must, checked.phase, what_was_found(checked)))
}

#[test]
fn attacks_are_stopped_by_their_stated_layer() {
    let mut wrong = Vec::new();
    for (whose, cases) in [("attacks", own("bad")), ("attacks of the corpus", corpus("escapes"))] {
        // Those that never end do so only at this limit.
        let checked = check_all(&cases, 1);
        score(whose, checked.iter().map(layer_of));
        wrong.extend(cases.iter().zip(&checked).filter_map(|(case, checked)| complaint(case, checked)));
        wrong.extend(cases.iter().filter_map(trace_of));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs a tool as it is, and returns the cycles too.
fn perform_unread(host: &ToolHost, case: &Case) -> (ToolRun, Vec<LoggedCycle>) {
    let (mut context, trace) = in_context();
    let source = case.source();
    let turn_seconds = match case.success {
        Success::Forever | Success::None => TURN_OF_AN_ENDLESS_ATTACK_S,
        _ => GUEST.turn_seconds,
    };
    let limits = minismith_protocol::Limits { turn_seconds, ..GUEST };
    let job = Job {
        takes_robot: source.contains(&format!("def {}(robot", case.entry)),
        source,
        module: case.name.clone(),
        entry: case.entry.clone(),
        seed: 1,
        limits,
        ..Job::default()
    };
    use Capability::{Camera, Motion, Motors, Sound, Tracking};
    let capabilities = [Camera, Motion, Motors, Sound, Tracking].into();
    let permit = Permissions { capabilities, robot_time_s: ROBOT_TIME_S, ..Permissions::default() };
    let tool_run = execute(&mut host.fork(limits).unwrap(), job, &mut context, &permit);
    (tool_run, trace.take())
}

/// Returns the layer at which an attack ended without a policy.
fn end_of(tool_run: &ToolRun) -> &'static str {
    let clamped = tool_run.clamps.0.iter().any(|(_, count)| count.is_some());
    match &tool_run.outcome {
        Outcome::Stopped { limit, .. } if matches!(limit.as_str(), "died" | "forged" | "parser") => {
            "confined by the cage"
        }
        Outcome::Stopped { .. } => "contained at run time",
        Outcome::Raised { .. } => "confined by the cage",
        Outcome::Returned { .. } if clamped => "limited by the envelope",
        Outcome::Returned { .. } => "came to nothing",
    }
}

/// Whether a text contains the contents of a file. Contents that are too short could be there by chance.
fn reports(text: &str, file: &str) -> bool {
    let secret = std::fs::read_to_string(file).unwrap_or_default();
    secret.trim().len() >= 4 && text.contains(secret.trim())
}

/// Returns a file that an attack has left anywhere.
fn trace_of(case: &Case) -> Option<String> {
    let Success::File(name) = &case.success else { return None };
    let home = std::env::var("HOME").unwrap_or_default();
    let folders = [".", "..", "/", "/tmp", "/var/tmp", "/dev/shm", &home];
    let left = folders.into_iter().map(|folder| Path::new(folder).join(name)).find(|file| file.exists());
    left.map(|file| format!("{} left {}", case.name, file.display()))
}

/// Returns what an attack has reached, if anything.
fn reached(case: &Case, (tool_run, cycles): &(ToolRun, Vec<LoggedCycle>)) -> Option<String> {
    let source = case.source();
    let switched = source.contains("able_motors") || source.contains("gravity");
    let outcome = &tool_run.outcome;
    if let Outcome::Stopped { limit, reason } = outcome {
        assert!(!matches!(limit.as_str(), "no_host" | "uncaged"), "{}: {reason}", case.name);
    }
    let success = match &case.success {
        Success::File(_) => trace_of(case),
        Success::Returns(file) => reports(&format!("{tool_run:?}"), file).then(|| "told it".into()),
        Success::Forever => matches!(outcome, Outcome::Returned { .. }).then(|| format!("{outcome:?}")),
        Success::Crash => matches!(outcome, Outcome::Stopped { limit, .. } if limit == "died")
            .then(|| format!("{outcome:?}")),
        Success::OutOfRange | Success::None => None,
    };
    let took = tool_run.duration.as_secs_f64() > ROBOT_TIME_S;
    let success =
        success.or_else(|| beyond(cycles, switched)).or_else(|| took.then(|| "took too long".into()));
    success.map(|what| format!("{}: {what}", case.name))
}

fn fail_without_any_policy(level: Level) {
    let (program, python) = locate(Path::new(".venv/bin/python")).unwrap();
    let host = ToolHost::start_at_most(&program, &python, level).unwrap();
    println!("asked for {level:?}, got {:?}", host.level());
    let all = [("attacks", attacks()), ("hostile guests", guests())];
    let mut wrong = Vec::new();
    for (whose, cases) in &all {
        let executed = each(cases, |case| perform_unread(&host, case));
        score(&format!("{whose}, no policy"), executed.iter().map(|(tool_run, _)| end_of(tool_run)));
        wrong.extend(cases.iter().zip(&executed).filter_map(|(case, played)| reached(case, played)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns guests that must be stopped although they never were tools. `rhythm` checks each for its named end.
fn guests() -> Vec<Case> {
    let mut guests = own("guests");
    for guest in &mut guests {
        guest.success = Success::File("PWNED".into());
    }
    guests
}

#[test]
fn attacks_fail_in_the_strongest_sandbox_without_a_policy() {
    fail_without_any_policy(Level::Namespaces);
}

#[test]
fn attacks_fail_in_a_sandbox_without_namespaces_and_policy() {
    fail_without_any_policy(Level::Landlock);
}

#[test]
fn attacks_fail_in_the_weakest_sandbox_without_a_policy() {
    fail_without_any_policy(Level::NoOpen);
}

#[test]
fn successful_attack_is_detected() {
    let attack = |success| Case { success, ..Case::of("attack", b"# rule: busy-loop".to_vec()) };
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let below = folder.path().file_name().unwrap().to_str().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, "abracadabra\n").unwrap();
    assert!(trace_of(&attack(Success::File(format!("{below}/secret")))).is_some());
    assert!(trace_of(&attack(Success::File(format!("{below}/nothing")))).is_none());
    let file = file.to_str().unwrap();
    assert!(reports("it is abracadabra!", file) && !reports("it is nothing", file));

    let still = LoggedCycle { goal: Joints::default(), present: Joints::default() };
    let to = |goal| LoggedCycle { goal: Joints::all(Radians(goal)), ..still };
    assert!(beyond(&[to(0.0), to(9.0)], true).is_some_and(|what| what.contains("sent to 9")));
    assert!(beyond(&[to(0.0), to(f64::NAN)], true).is_some());
    assert!(beyond(&[to(0.0), to(0.5)], false).is_some_and(|what| what.contains("faster")));
    assert!(beyond(&[to(0.0), to(0.5)], true).is_none() && beyond(&[to(0.0), to(0.01)], false).is_none());
}
