//! `target_to_bus_p50` and `target_to_bus_p99`: the time from a target of the head over REST to the first goal positions on
//! the line that it changes, beside the official daemon. Its loop writes a target as it is, in the next of its cycles; ours
//! begins within the limits of acceleration and jerk.

use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};

use super::jitter::{DEFAULT_RATE_HZ, OfficialDaemon, PEER, Server};
use super::line::Line;
use super::rounds::quantile;
use super::row::{Better, Row};
use super::{BenchContext, Failed};
use minismith_runtime::net::loopback_client::LocalSession;

/// The rows, and their share of the delays.
const ROWS: [(&str, f64); 2] = [("target_to_bus_p50", 0.5), ("target_to_bus_p99", 0.99)];
pub(super) const NAMES: [&str; 2] = [ROWS[0].0, ROWS[1].0];

/// The time for a motion to end, and for a target to arrive at most.
const REST: Duration = Duration::from_millis(800);

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    let targets = context.pick(6, 100);
    (context.progress)("targets: from REST to the line, ours");
    let ours = ours(targets);
    let theirs = OfficialDaemon::start(context).map(|daemon| {
        (context.progress)("targets: from REST to the line, the official daemon");
        let daemon = daemon?;
        delays(daemon.port, &daemon.line, targets)
    });
    let theirs = theirs.and_then(Result::ok);
    let note = "targets of the head that differ by 20 degrees, each from rest; ours at 100 Hz, the peer at its 50 Hz";
    ROWS.map(|(name, share)| {
        let at = |delays: &[f64]| quantile(&mut delays.to_vec(), share);
        let number = ours.clone().and_then(|ours| at(&ours).ok_or_else(|| Failed("no goal changed".into())));
        let peer = theirs.as_deref().and_then(at);
        Row::alone(name, "ms", number).against(PEER, peer, Better::Lower).noting(note)
    })
    .into()
}

fn ours(targets: usize) -> Result<Vec<f64>, Failed> {
    let line = Line::start()?;
    let server = Server::start(&line, DEFAULT_RATE_HZ)?;
    delays(server.port, &line, targets)
}

/// Returns the milliseconds of each target.
fn delays(port: u16, line: &Line, targets: usize) -> Result<Vec<f64>, Failed> {
    let at = Failed::at("a target");
    let clock = MonotonicClock::start();
    let mut session = LocalSession::begin(port).map_err(|error| at(&error))?;
    let mut took = Vec::new();
    for number in 0..targets {
        let yaw = if number % 2 == 0 { 0.17 } else { -0.17 };
        let target =
            format!(r#"{{"target_head_pose":{{"x":0,"y":0,"z":0,"roll":0,"pitch":0,"yaw":{yaw}}}}}"#);
        line.watch(REST)?;
        let before = line.next_positions()?;
        // At any time between two cycles of either side.
        clock.wait_until(clock.now() + Duration::from_millis(number as u64 * 7 % 20));
        let sent = clock.now();
        let (status, _) = session.ask("POST /api/move/set_target", &target).map_err(|error| at(&error))?;
        if status != 200 {
            return Err(at(&format!("status {status}")));
        }
        while line.next_positions()? == before {
            if clock.now().since(sent) > REST {
                return Err(Failed("a target changed no goal".into()));
            }
        }
        took.push(clock.now().since(sent).as_secs_f64() * 1e3);
    }
    Ok(took)
}
