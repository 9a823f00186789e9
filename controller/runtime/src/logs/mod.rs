//! What the program says of its own work: to the person at the terminal, into a file, and as spans to a collector.
//!
//! A span is a part of a command's way, from the request or the sentence down to the motion that the body makes of it. The
//! outermost one has the field `id`, which is that of the journal's entries; all others are inside it, also those on other
//! threads, to which the span is handed with the work. Spans hold ids, names, kinds of motion, outcomes and times. What was said stands in the
//! journal; tokens, keys and bodies of requests stand nowhere. On the pulse's thread there is no span and nothing is logged.
//!
//! Threads: anybody logs, and never waits: lines and spans go into bounded queues, and what has no room there is counted.
//! One thread writes lines, another tells spans; neither holds a motion, an answer or an exit code up.
//!
//! Reading order: here (who hears what), `line` (an event as a line), `file` (the thread that writes lines), `queue` (where
//! spans wait), `collector` (the thread that sends them).

mod collector;
mod file;
mod line;
mod queue;

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::{Level, Metadata, Span};
use tracing_subscriber::filter::{FilterExt, FilterFn, Targets, filter_fn};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry};
use uuid::Uuid;

use self::collector::CollectorThread;
use self::file::FileThread;
use crate::config::Config;

/// What could not be told, since the program began.
#[derive(Debug, Default)]
pub struct Counts {
    lines_lost: AtomicU64,
    spans_sent: AtomicU64,
    spans_dropped: AtomicU64,
}

static COUNTS: Counts =
    Counts { lines_lost: AtomicU64::new(0), spans_sent: AtomicU64::new(0), spans_dropped: AtomicU64::new(0) };

/// The counts of this program.
#[must_use]
pub fn counts() -> &'static Counts {
    &COUNTS
}

impl Counts {
    /// Lines of the log that are in no file.
    #[must_use]
    pub fn lines_lost(&self) -> u64 {
        self.lines_lost.load(Ordering::Relaxed)
    }

    /// Spans that the collector has.
    #[must_use]
    pub fn spans_sent(&self) -> u64 {
        self.spans_sent.load(Ordering::Relaxed)
    }

    /// Spans that no collector has got.
    #[must_use]
    pub fn spans_dropped(&self) -> u64 {
        self.spans_dropped.load(Ordering::Relaxed)
    }
}

/// Who hears what the program says. Dropping it writes and sends what waits, within two seconds.
#[must_use]
pub struct Logs {
    _collector: Option<CollectorThread>,
    // After the collector, whose last words are written too.
    _file: Option<FileThread>,
}

/// Gives a span an id of its own where it lies within no other.
#[must_use]
pub fn known(span: Span) -> Span {
    if !span.is_disabled() && Span::current().is_none() {
        span.record("id", Uuid::new_v4().to_string());
    }
    span
}

type Hears = Box<dyn Layer<Registry> + Send + Sync>;

/// Begins to log as it is configured. To be called once, by the program itself; what can't be begun is told, and the program
/// goes on without.
pub fn begin(config: &Config) -> Logs {
    let mut layers = vec![to_the_person()];
    let mut troubles = Vec::new();
    let file = config.logs.file.as_ref().and_then(|place| match FileThread::start(place, &COUNTS) {
        Ok((thread, lines)) => {
            layers.push(lines.with_filter(into_the_file(config.logs.levels.0.clone())).boxed());
            Some(thread)
        }
        Err(error) => {
            troubles.push(format!("nothing is logged into {}: {error}", place.path.display()));
            None
        }
    });
    let collector = config.otlp_endpoint.as_ref().and_then(|address| {
        match CollectorThread::start(address.clone(), &COUNTS) {
            Ok((thread, spans)) => {
                layers.push(spans.with_filter(filter_fn(is_our_span)).boxed());
                troubles.extend(collector::overheard(address));
                Some(thread)
            }
            Err(no) => {
                troubles.push(format!("no spans are sent to {address}: {no}"));
                None
            }
        }
    });
    // Fails where somebody hears already, which is as good.
    let _heard = tracing_subscriber::registry().with(layers).try_init();
    for trouble in troubles {
        tracing::warn!("{trouble}");
    }
    Logs { _collector: collector, _file: file }
}

/// What goes to standard error: as much as `MINISMITH_LOG` asks for, and no spans.
fn to_the_person() -> Hears {
    let filter = EnvFilter::try_from_env("MINISMITH_LOG")
        // A client that goes away or asks for what is not there is no error of this program.
        .unwrap_or_else(|_| EnvFilter::new("warn,rmcp::service=off"));
    tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_filter(filter.and(filter_fn(|about| about.is_event())))
        .boxed()
}

/// What goes into the file: what is configured, and for its ids the spans of this program.
fn into_the_file(levels: Targets) -> FilterFn<impl Fn(&Metadata<'_>) -> bool> {
    filter_fn(move |about| {
        is_our_span(about) || (about.is_event() && levels.would_enable(about.target(), about.level()))
    })
}

/// Whether this is a part of a command's way.
fn is_our_span(about: &Metadata<'_>) -> bool {
    about.is_span() && about.target().starts_with("minismith") && *about.level() <= Level::INFO
}
