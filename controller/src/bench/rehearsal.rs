//! `rehearsal_speed*` and `tool_check`: the speed of rehearsals, and the duration of a whole check.

use std::fs;
use std::path::PathBuf;

use firmware_bridge::clock::{Clock, MonotonicClock};
use serde_json::json;

use super::baseline::environment;
use super::rounds::take_turns;
use super::row::{Better, Row};
use super::tools::{LOOK_ABOUT, NOD, Tool, WAVE};
use super::{BenchContext, Failed};
use minismith_analysis::submission::Declared;
use minismith_perception::models::Models;
use minismith_runtime::subprocess::{self, Program};
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::cases::cases_for;
use minismith_toolchain::workshop::rehearsal::{RehearsalOptions, rehearse};

/// Gotos; a stream of targets.
pub(super) const SPEEDS: [&str; 2] = ["rehearsal_speed", "rehearsal_speed_stream"];
pub(super) const CHECK: &str = "tool_check";
/// The baseline is real time: a run takes a second for each of its seconds.
const PEER: &str = "wall clock";

/// The minimum number of cases of the whole check.
const CASES: usize = 20;

pub(super) fn speeds(context: &BenchContext<'_>) -> Vec<Row> {
    let [gotos, stream] = SPEEDS;
    vec![speed(context, gotos, NOD), speed(context, stream, WAVE)]
}

/// Returns the simulated seconds of all cases of a rehearsal per wall-clock second, with a warm host.
fn speed(context: &BenchContext<'_>, name: &str, tool: Tool) -> Row {
    (context.progress)(&format!("rehearsals of `{}`", tool.name));
    let conditions = match conditions(context) {
        Ok(conditions) => conditions,
        Err(failed) => return Row::alone(name, "s/s", Err(failed)),
    };
    let (mut cases, mut simulated) = (0, 0.0);
    let mut ours = || {
        // The host is warm before the measurement starts.
        context.host()?;
        let vetted = tool.vet()?;
        let at = Failed::at(tool.name);
        let clock = MonotonicClock::start();
        let rehearsed = rehearse(vetted, &Declared::default(), context.sandbox, &conditions, &mut |_, _| {})
            .map_err(|error| at(&error))?;
        let wall = clock.now().seconds();
        let rehearsed = rehearsed.map_err(|no| at(&format!("{:?}", no.findings)))?;
        cases = rehearsed.cases().len();
        simulated = rehearsed.cases().iter().map(|case| case.robot_time_s).sum();
        Ok(simulated / wall)
    };
    let medians = take_turns(context, context.pick(3, 25), &mut ours, Some(&mut || Ok(1.0)));
    let note = format!("{cases} cases, {simulated:.0} s of motion");
    Row::alone(name, "s/s", medians.ours).against(PEER, medians.theirs, Better::Higher).noting(&note)
}

/// The limits of a tool without approval.
fn conditions(context: &BenchContext<'_>) -> Result<RehearsalOptions, Failed> {
    let workshop = Workshop::open(context.config).map_err(|error| Failed::at("the workshop")(&error))?;
    Ok(workshop.conditions(false))
}

/// Returns the seconds that `minismith tool check` takes, from the start of the program to its end.
pub(super) fn check(context: &BenchContext<'_>) -> Row {
    (context.progress)("whole checks, each in a program of its own");
    let handed_in = HandedIn::new(LOOK_ABOUT);
    let mut ours = || {
        let handed_in = handed_in.as_ref().map_err(Clone::clone)?;
        let clock = MonotonicClock::start();
        handed_in.check()?;
        Ok(clock.now().seconds())
    };
    let medians = take_turns(context, context.pick(1, 7), &mut ours, None);
    let note = match &handed_in {
        Ok(handed_in) => {
            format!("{} cases of ten seconds; the program and its Python start anew", handed_in.cases)
        }
        Err(_) => String::new(),
    };
    Row::alone(CHECK, "s", medians.ours).noting(&note)
}

/// A tool in a folder of its own, with as many author's cases as needed. Dropping it removes the folder.
struct HandedIn {
    folder: PathBuf,
    file: PathBuf,
    cases: usize,
}

impl HandedIn {
    fn new(tool: Tool) -> Result<HandedIn, Failed> {
        // Without expectations, no case needs models.
        let given = cases_for(&tool.vet()?, &Declared::default(), &Models::at("")).len();
        let own = CASES.saturating_sub(given);
        let cases: Vec<_> = (0..own).map(|path| json!({"name": format!("case {path}")})).collect();
        let folder = std::env::temp_dir().join(format!("minismith-bench-{}", std::process::id()));
        let file = folder.join(format!("{}.py", tool.name));
        let handed_in = HandedIn { folder, file, cases: given + own };
        // JSON is YAML too.
        let declared = json!({ "test_cases": cases }).to_string();
        fs::create_dir_all(&handed_in.folder)
            .and_then(|()| fs::write(&handed_in.file, tool.source))
            .and_then(|()| fs::write(handed_in.file.with_extension("yaml"), declared))
            .map_err(|error| Failed::at("handing a tool in")(&error))?;
        Ok(handed_in)
    }

    fn check(&self) -> Result<(), Failed> {
        let run = || {
            let mut child = subprocess::start(Program {
                path: std::env::current_exe()?,
                arguments: vec![
                    "tool".into(),
                    "check".into(),
                    "--no-cache".into(),
                    self.file.clone().into_os_string(),
                ],
                environment: environment(),
                input: fs::File::open("/dev/null")?.into(),
            })?;
            child.wait()
        };
        match run() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Failed(format!("minismith tool check: {status}"))),
            Err(error) => Err(Failed::at("minismith tool check")(&error)),
        }
    }
}

impl Drop for HandedIn {
    fn drop(&mut self) {
        // A failed removal has no remedy.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
