//! `policy`: one policy check of a tool of sixty lines, compared with CPython's parser and the walk that collects the
//! same facts.

use firmware_bridge::clock::{Clock, MonotonicClock};
use serde_json::Value;

use super::baseline::Script;
use super::rounds::take_turns;
use super::row::{Better, Row};
use super::tools::LOOK_ABOUT;
use super::{BenchContext, Failed};
use minismith_analysis::policy::PolicyChecked;

pub(super) const NAME: &str = "policy";
const PEER: &str = "CPython ast.parse and a walk";

/// The script that collects facts in the tool host, and the loop that runs it on request.
const READ: &str = concat!(
    include_str!("../../tool-host/src/python/facts.py"),
    "\n\n",
    include_str!("../../../tests/support/bench/read.py")
);

pub(super) fn measure(context: &BenchContext<'_>) -> Row {
    (context.progress)("the policy: a tool of sixty lines, again and again");
    let times = context.pick(20, 200);
    let mut peer = match Peer::start(context) {
        Ok(peer) => Some(peer),
        Err(failed) => {
            (context.progress)(&format!("CPython's side failed: {failed}"));
            None
        }
    };
    let mut theirs = peer.as_mut().map(|peer| || peer.round(times));
    let medians = take_turns(
        context,
        context.pick(3, 15),
        &mut || milliseconds(times),
        theirs.as_mut().map(|side| side as _),
    );
    Row::alone(NAME, "ms", medians.ours).against(PEER, medians.theirs, Better::Lower)
}

/// Returns the milliseconds of one whole check: from the bytes to the verified tool.
fn milliseconds(times: u32) -> Result<f64, Failed> {
    let clock = MonotonicClock::start();
    for _ in 0..times {
        std::hint::black_box(LOOK_ABOUT.vet()?);
    }
    Ok(clock.now().seconds() * 1e3 / f64::from(times))
}

/// CPython, with the source loaded.
struct Peer(Script);

impl Peer {
    /// Starts it, and checks that both sides find the same facts.
    fn start(context: &BenchContext<'_>) -> Result<Peer, Failed> {
        let mut script = Script::start(&context.python()?, "CPython", READ, &[])?;
        let answer = script.ask(&Value::from(LOOK_ABOUT.source).to_string())?;
        let vetted: PolicyChecked = LOOK_ABOUT.vet()?;
        let Some(facts) = vetted.facts().values().next() else {
            return Err(Failed("the policy reads nothing".into()));
        };
        let ours = [&facts.imports, &facts.names, &facts.attributes, &facts.calls];
        let same = answer.get("facts") == serde_json::to_value(ours).ok().as_ref()
            && answer.get("tree") == Some(&Value::from(facts.tree.as_str()));
        if !same {
            return Err(Failed(format!("CPython reads {answer} where the policy reads {facts:?}")));
        }
        Ok(Peer(script))
    }

    /// Returns the milliseconds of one check.
    fn round(&mut self, times: u32) -> Result<f64, Failed> {
        Ok(self.0.number(&format!("times {times}"), "seconds")? * 1e3)
    }
}
