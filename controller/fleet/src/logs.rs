//! Log lines on standard error.

use tracing_subscriber::Layer;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::prelude::*;

/// Starts the log. `RUST_LOG` selects what is logged; without it, this program's own lines from `info` and those of Zenoh that
/// are errors: its warnings repeat what this program reports.
pub fn start() {
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_default_directive(LevelFilter::ERROR.into())
        .parse_lossy(std::env::var("RUST_LOG").unwrap_or_else(|_| "error,minismith_fleet=info".into()));
    let lines =
        tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false).with_ansi(false);
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
}
