//! Log lines on standard error, as text or as JSON documents with the fields of the controller's own log.

use std::fmt::Debug;

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

use crate::net;

/// Starts the log. `RUST_LOG` selects what is logged; without it, this program's own lines from `info` and the others from
/// `warn`.
pub fn start(as_json: bool) {
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_default_directive(LevelFilter::WARN.into())
        .parse_lossy(std::env::var("RUST_LOG").unwrap_or_else(|_| "warn,minismith_webrtc=info".into()));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let layer: Box<dyn Layer<Registry> + Send + Sync> = if as_json {
        Box::new(lines.event_format(JsonLines).with_filter(filter))
    } else {
        Box::new(lines.with_target(false).with_ansi(false).with_filter(filter))
    };
    tracing_subscriber::registry().with(layer).init();
}

/// Formats an event as one JSON document.
struct JsonLines;

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> std::fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let about = event.metadata();
        let mut line = json!({
            "time": humantime::format_rfc3339_millis(net::system_time()).to_string(),
            "level": about.level().as_str(),
            "target": about.target(),
            "message": fields.message,
        });
        if let (false, Some(line)) = (fields.others.is_empty(), line.as_object_mut()) {
            line.insert("fields".into(), Value::Object(fields.others));
        }
        writeln!(out, "{line}")
    }
}

/// The fields of an event.
#[derive(Default)]
struct Fields {
    message: String,
    others: Map<String, Value>,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = format!("{value:?}");
        if field.name() == "message" {
            self.message = text;
        } else {
            self.others.insert(field.name().into(), text.into());
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}
