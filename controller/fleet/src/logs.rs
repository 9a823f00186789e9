//! Log lines on standard error, and what the router refuses ([`Refusals`]).

use std::fmt::Debug;

use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::Context;
use tracing_subscriber::prelude::*;

/// Where Zenoh's access control logs its decisions.
const ACCESS_CONTROL: &str = "zenoh::net::routing::interceptor::access_control";

/// Starts the log. `RUST_LOG` selects what is logged; without it, this program's own lines from `info` and those of Zenoh that
/// are errors: its warnings repeat what this program reports. A router also logs what it refuses, and to whom.
pub fn start(is_router: bool) {
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_default_directive(LevelFilter::ERROR.into())
        .parse_lossy(std::env::var("RUST_LOG").unwrap_or_else(|_| "error,minismith_fleet=info".into()));
    let lines =
        tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false).with_ansi(false);
    let refusals = is_router.then(|| {
        let is_decision = |about: &Metadata<'_>| about.target() == ACCESS_CONTROL;
        Refusals.with_filter(filter_fn(is_decision).with_max_level_hint(LevelFilter::TRACE))
    });
    tracing_subscriber::registry().with(lines.with_filter(filter)).with(refusals).init();
}

/// Logs each refusal of Zenoh's access control as a warning. Zenoh itself mentions them among all decisions, at `trace`. It names
/// the member once per key; repeated refusals have no name and are not logged again, so a flood fills no log.
struct Refusals;

impl<S: Subscriber> Layer<S> for Refusals {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut message = Message::default();
        event.record(&mut message);
        if let Some((who, what)) = refusal(&message.0) {
            tracing::warn!("refused {who} to {what}");
        }
    }
}

/// Returns who was refused what, if the message of Zenoh is a refusal that names a member.
fn refusal(message: &str) -> Option<(&str, &str)> {
    let (who, what) = message.split_once(" is unauthorized to ")?;
    let (_, who) = who.split_once(" on ")?;
    Some((who, what))
}

#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_member() {
        let message = "a1b2 on {common_name: vera} is unauthorized to Query (ingress) on minismith/lab/kitchen/ask/anna";
        let (who, what) = refusal(message).unwrap();
        assert!(who.contains("vera") && what.ends_with("ask/anna"));
        assert!(refusal("Using cached result: a1b2 is unauthorized to Put on x").is_none());
        assert!(refusal("a1b2 on {common_name: vera} is authorized to Query on x").is_none());
    }
}
