//! An event as a line: one JSON document with the time, level, module, message, and the id of its request.

use std::fmt::{Debug, Write as _};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{SyncSender, TrySendError};

use firmware_bridge::clock::system_time;
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::LogCounters;

/// The maximum length of a text in a line, bytes.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// Formats events as lines, and passes them on without waiting.
pub(super) struct JsonLayer {
    pub(super) queue: SyncSender<Vec<u8>>,
    pub(super) counts: &'static LogCounters,
}

/// The field `id` of a span.
struct Known(String);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for JsonLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut found = IdOnly(None);
        attributes.record(&mut found);
        if let (Some(known), Some(span)) = (found.0, context.span(id)) {
            span.extensions_mut().replace(Known(known));
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let mut found = IdOnly(None);
        values.record(&mut found);
        if let (Some(known), Some(span)) = (found.0, context.span(id)) {
            span.extensions_mut().replace(Known(known));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let about = event.metadata();
        let mut said = FieldVisitor::default();
        event.record(&mut said);
        let mut line = Map::new();
        line.insert("time".into(), humantime::format_rfc3339_millis(system_time()).to_string().into());
        line.insert("level".into(), about.level().as_str().into());
        line.insert("target".into(), about.target().into());
        line.insert("message".into(), said.message.into());
        if !said.fields.is_empty() {
            line.insert("fields".into(), Value::Object(said.fields));
        }
        if let Some(span) = context.event_span(event) {
            line.insert("span".into(), span.name().into());
            // The outermost one is the request.
            let known = |span: tracing_subscriber::registry::SpanRef<'_, S>| {
                span.extensions().get::<Known>().map(|known| known.0.clone())
            };
            if let Some(id) = span.scope().from_root().find_map(known) {
                line.insert("id".into(), id.into());
            }
        }
        let mut text = Value::Object(line).to_string().into_bytes();
        text.push(b'\n');
        if let Err(TrySendError::Full(_)) = self.queue.try_send(text) {
            self.counts.lines_lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Reads the field `id`.
struct IdOnly(Option<String>);

impl Visit for IdOnly {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "id" {
            self.0 = Some(shown(value));
        }
    }
}

/// The fields of an event.
#[derive(Default)]
struct FieldVisitor {
    message: String,
    fields: Map<String, Value>,
}

impl FieldVisitor {
    fn keep(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            ("message", Value::String(text)) => self.message = text,
            (name, value) => drop(self.fields.insert(name.into(), value)),
        }
    }
}

impl Visit for FieldVisitor {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.keep(field, json!(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.keep(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.keep(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.keep(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.keep(field, cut(value).into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.keep(field, shown(value).into());
    }
}

fn shown(value: &dyn Debug) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _written = write!(text, "{value:?}");
    cut(&text).into()
}

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT_BYTES)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};

    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    fn logged(room: usize, act: impl FnOnce()) -> (Vec<Value>, u64) {
        let (queue, lines): (_, Receiver<Vec<u8>>) = sync_channel(room);
        let counts: &'static LogCounters = Box::leak(Box::default());
        let subscriber = tracing_subscriber::registry().with(JsonLayer { queue, counts });
        tracing::subscriber::with_default(subscriber, act);
        let read = |line: Vec<u8>| {
            assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
            serde_json::from_slice(&line).unwrap()
        };
        (lines.try_iter().map(read).collect(), counts.lines_lost())
    }

    #[test]
    fn a_line_reports_when_who_what_and_for_which_request() {
        let (lines, _) = logged(10, || {
            let root = tracing::info_span!("request", id = %"7f-1");
            // Work moves to another thread with its span.
            let inner = root.in_scope(|| tracing::info_span!("utterance", id = %"another"));
            let here = tracing::dispatcher::get_default(Clone::clone);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    tracing::dispatcher::with_default(&here, || {
                        inner.in_scope(|| tracing::warn!(tool = "wave", cycles = 3, "two\nlines"));
                    });
                });
            });
            tracing::info!("outside");
        });
        let [inside, outside] = lines.as_slice() else { panic!("{lines:?}") };
        assert_eq!((&inside["level"], &inside["message"]), (&json!("WARN"), &json!("two\nlines")));
        assert_eq!(inside["fields"], json!({ "tool": "wave", "cycles": 3 }));
        assert_eq!((&inside["id"], &inside["span"]), (&json!("7f-1"), &json!("utterance")));
        assert!(inside["time"].as_str().unwrap().ends_with('Z'));
        assert!(inside["target"].as_str().unwrap().starts_with("minismith"));
        assert!(outside.get("id").is_none() && outside.get("fields").is_none());
    }

    #[test]
    fn nobody_waits_for_room_and_long_texts_are_cut() {
        let (lines, lost) = logged(1, || {
            tracing::info!("{}", "ä".repeat(MAX_TEXT_BYTES));
            tracing::info!("there is no room for this");
        });
        assert_eq!((lines.len(), lost), (1, 1));
        assert_eq!(lines[0]["message"].as_str().unwrap().len(), MAX_TEXT_BYTES);
    }
}
