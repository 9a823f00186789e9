//! Minismith's logs: to the terminal, to a file, and as spans to a collector.
//!
//! A span is a part of a command's execution, from the request or the sentence to the robot's motion. The outermost one
//! has the field `id` of the journal's entries. All others are inside it, including those on other threads, which
//! receive the span with their work. Spans contain ids, names, kinds of motion, outcomes and times. The text of an
//! utterance is only in the journal; tokens, keys and bodies of requests are nowhere. The control loop's thread has no
//! spans and logs nothing.
//!
//! Threads: any thread logs and never waits. Lines and spans go into bounded queues, and those beyond the capacity are
//! counted. One thread writes lines, another sends spans. Neither delays a motion, an answer or an exit code.
//!
//! Reading order: here (the destinations), `json_layer` (an event as a line), `file` (the thread that writes lines), `span_queue`
//! (the queue of spans), `collector` (the thread that sends them).

mod file;
mod json_layer;
mod otlp_exporter;
mod span_queue;

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::{Level, Metadata, Span};
use tracing_subscriber::filter::{FilterExt, FilterFn, Targets, filter_fn};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry};
use uuid::Uuid;

use self::file::FileThread;
use self::otlp_exporter::OtlpExporterThread;
use crate::config::Config;

/// The dropped lines and spans since the program began.
#[derive(Debug, Default)]
pub struct LogCounters {
    lines_lost: AtomicU64,
    spans_sent: AtomicU64,
    spans_dropped: AtomicU64,
}

static COUNTERS: LogCounters = LogCounters {
    lines_lost: AtomicU64::new(0),
    spans_sent: AtomicU64::new(0),
    spans_dropped: AtomicU64::new(0),
};

/// The counts of this program.
#[must_use]
pub fn counts() -> &'static LogCounters {
    &COUNTERS
}

impl LogCounters {
    /// Dropped log lines.
    #[must_use]
    pub fn lines_lost(&self) -> u64 {
        self.lines_lost.load(Ordering::Relaxed)
    }

    /// Sent spans.
    #[must_use]
    pub fn spans_sent(&self) -> u64 {
        self.spans_sent.load(Ordering::Relaxed)
    }

    /// Dropped spans.
    #[must_use]
    pub fn spans_dropped(&self) -> u64 {
        self.spans_dropped.load(Ordering::Relaxed)
    }
}

/// The installed logs. Dropping them writes and sends pending data, within two seconds.
#[must_use]
pub struct Logs {
    _collector: Option<OtlpExporterThread>,
    // After the collector, whose last messages are written too.
    _file: Option<FileThread>,
}

/// Gives a span an id of its own if it is in no other span.
#[must_use]
pub fn known(span: Span) -> Span {
    if !span.is_disabled() && Span::current().is_none() {
        span.record("id", Uuid::new_v4().to_string());
    }
    span
}

type IsEnabled = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts logging as configured. The program calls it once; a part that cannot start is reported, and the program
/// continues without it.
pub fn begin(config: &Config) -> Logs {
    let mut layers = vec![to_the_person()];
    let mut troubles = Vec::new();
    let file = config.logs.file.as_ref().and_then(|path| match FileThread::start(path, &COUNTERS) {
        Ok((thread, lines)) => {
            layers.push(lines.with_filter(into_the_file(config.logs.levels.0.clone())).boxed());
            Some(thread)
        }
        Err(error) => {
            troubles.push(format!("nothing is logged into {}: {error}", path.path.display()));
            None
        }
    });
    let collector = config.otlp_endpoint.as_ref().and_then(|address| {
        match OtlpExporterThread::start(address.clone(), &COUNTERS) {
            Ok((thread, spans)) => {
                layers.push(spans.with_filter(filter_fn(is_our_span)).boxed());
                troubles.extend(otlp_exporter::overheard(address));
                Some(thread)
            }
            Err(no) => {
                troubles.push(format!("no spans are sent to {address}: {no}"));
                None
            }
        }
    });
    // Fails if a subscriber is installed already, which is fine.
    let _heard = tracing_subscriber::registry().with(layers).try_init();
    for trouble in troubles {
        tracing::warn!("{trouble}");
    }
    Logs { _collector: collector, _file: file }
}

/// Returns the layer for standard error: the level of `MINISMITH_LOG`, and no spans.
fn to_the_person() -> IsEnabled {
    let filter = EnvFilter::try_from_env("MINISMITH_LOG")
        // A client that disconnects or requests something missing is no error of this program.
        .unwrap_or_else(|_| EnvFilter::new("warn,rmcp::service=off"));
    tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_filter(filter.and(filter_fn(|about| about.is_event())))
        .boxed()
}

/// Returns the filter of the file: the configured level and, for their ids, the spans of this program.
fn into_the_file(levels: Targets) -> FilterFn<impl Fn(&Metadata<'_>) -> bool> {
    filter_fn(move |about| {
        is_our_span(about) || (about.is_event() && levels.would_enable(about.target(), about.level()))
    })
}

/// Whether this span is a part of a command's execution.
fn is_our_span(about: &Metadata<'_>) -> bool {
    about.is_span() && about.target().starts_with("minismith") && *about.level() <= Level::INFO
}
