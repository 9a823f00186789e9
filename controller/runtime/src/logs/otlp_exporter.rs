//! The thread that sends spans to a collector, by OTLP over HTTP with Protocol Buffers, some hundred at a time.
//!
//! An unreachable collector is retried with growing delays and logged once. Meanwhile spans wait in their queue, and
//! those beyond its capacity are counted. When the program ends, the thread has two seconds.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider, SpanData};
use prost::Message;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::Registry;

use super::LogCounters;
use super::span_queue::{Queue, SpanSender};
use crate::net::http::{Chunk, Http, HttpError, KeepListening, Timeouts, TransferError};
use crate::net::{Address, Reach};

/// The timeout to send pending spans when the program ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The bounds of one response: times and size.
const TIMEOUTS: Timeouts =
    Timeouts { whole: Duration::from_secs(10), silence: Duration::from_secs(10), bytes: 1 << 16 };

/// The first retry delay; it doubles each time.
const FIRST_RETRY_DELAY: Duration = Duration::from_secs(1);

/// The maximum retry delay.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(30);

/// Creates spans and sends them.
pub(super) type Spans = OpenTelemetryLayer<Registry, SdkTracer>;

/// The exporter cannot start.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExporterError {
    /// No request can be sent.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The system provides no thread.
    #[error(transparent)]
    Thread(#[from] std::io::Error),
}

/// Returns a warning for an address whose traffic others can read.
pub(super) fn overheard(address: &Address) -> Option<String> {
    let is_safe = address.is_enciphered() || address.reach() == Reach::Here;
    (!is_safe).then(|| {
        format!("spans go to {address} over plain http, where others on the way can read them; see `telemetry` in config.yaml")
    })
}

/// The thread. Dropping it sends pending spans, for two seconds at most.
pub(super) struct OtlpExporterThread {
    queue: Arc<Queue>,
    clock: MonotonicClock,
    thread: Option<JoinHandle<()>>,
    // Without it no more spans are created.
    _provider: SdkTracerProvider,
}

impl OtlpExporterThread {
    pub(super) fn start(
        address: Address,
        counts: &'static LogCounters,
    ) -> Result<(Self, Spans), ExporterError> {
        let queue = Arc::new(Queue::new(counts));
        let resource = Resource::builder_empty()
            .with_service_name("minismith")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let clock = MonotonicClock::start();
        let mut sender = Sender {
            http: Http::new(address, None)?,
            about: ResourceAttributesWithSchema::from(&resource),
            queue: queue.clone(),
            clock,
            is_away: false,
            is_reported: false,
        };
        let thread = std::thread::Builder::new().name("spans".into()).spawn(move || sender.run())?;
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_span_processor(SpanSender(queue.clone()))
            .build();
        let spans = tracing_opentelemetry::layer()
            .with_tracer(provider.tracer("minismith"))
            .with_location(false)
            .with_tracked_inactivity(false);
        Ok((OtlpExporterThread { queue, clock, thread: Some(thread), _provider: provider }, spans))
    }
}

impl Drop for OtlpExporterThread {
    fn drop(&mut self) {
        self.queue.end(self.clock.now() + SHUTDOWN_TIMEOUT);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// The result of one request.
#[derive(Debug)]
enum Answer {
    /// The collector accepted all but this many.
    Taken { rejected: usize, why: String },
    /// The collector rejects them permanently.
    Refused(String),
    /// The collector may accept them later, not before this time.
    Later(String, Duration),
}

/// The state of the thread.
struct Sender {
    http: Http,
    about: ResourceAttributesWithSchema,
    queue: Arc<Queue>,
    clock: MonotonicClock,
    is_away: bool,
    /// Whether the loss of spans was logged.
    is_reported: bool,
}

impl Sender {
    fn run(&mut self) {
        while let Some(spans) = self.queue.take() {
            if !self.deliver(spans) {
                break;
            }
        }
        self.queue.give_up();
    }

    /// Sends some spans with retries. Returns whether more may be sent.
    fn deliver(&mut self, spans: Vec<SpanData>) -> bool {
        let count = spans.len();
        let resource_spans = group_spans_by_resource_and_scope(spans, &self.about);
        let bytes = ExportTraceServiceRequest { resource_spans }.encode_to_vec();
        let mut pause = FIRST_RETRY_DELAY;
        loop {
            // An attempt that starts after shutdown began is the last one.
            let is_last = self.queue.ends().is_some();
            match self.post(bytes.clone()) {
                Answer::Taken { rejected, why } => {
                    self.is_here();
                    let rejected = rejected.min(count);
                    let taken = (count - rejected) as u64;
                    self.queue.counts.spans_sent.fetch_add(taken, Ordering::Relaxed);
                    if rejected > 0 {
                        self.lose(rejected, &why);
                    }
                    return true;
                }
                Answer::Refused(why) => {
                    self.is_here();
                    self.lose(count, &why);
                    return true;
                }
                Answer::Later(why, at_least) => {
                    self.is_away(&why);
                    if is_last {
                        self.queue.drop_spans(count);
                        return false;
                    }
                    self.queue.pause(pause.max(at_least).min(MAX_RETRY_DELAY));
                    pause = (pause * 2).min(MAX_RETRY_DELAY);
                }
            }
        }
    }

    fn post(&self, bytes: Vec<u8>) -> Answer {
        let left = |ends| self.clock.now() < ends;
        let (mut status, mut after, mut body) = (0, None, Vec::new());
        let posted = self.http.post_protobuf("v1/traces", bytes, self.timeouts(), &mut |piece| {
            match piece {
                Chunk::Silence => {}
                Chunk::Began(opening) => (status, after) = (opening.status, opening.retry_after),
                Chunk::Bytes(bytes) => body.extend_from_slice(bytes),
            }
            if self.queue.ends().is_none_or(left) { KeepListening::On } else { KeepListening::Off }
        });
        if let Err(broken) = posted {
            return match broken {
                TransferError::TooLong(_) if status == 200 => {
                    Answer::Taken { rejected: 0, why: String::new() }
                }
                broken => Answer::Later(broken.to_string(), Duration::ZERO),
            };
        }
        match status {
            200..=299 => {
                // The response may be anything.
                let answer = ExportTraceServiceResponse::decode(body.as_slice()).unwrap_or_default();
                let partly = answer.partial_success.unwrap_or_default();
                let rejected = usize::try_from(partly.rejected_spans).unwrap_or(0);
                Answer::Taken { rejected, why: short(&partly.error_message) }
            }
            0 => Answer::Later("it did not answer in time".into(), Duration::ZERO),
            429 | 502 | 503 | 504 => {
                Answer::Later(format!("it answered {status}"), Duration::from_secs(after.unwrap_or(0)))
            }
            other => Answer::Refused(format!("it answered {other}")),
        }
    }

    /// At most until the deadline.
    fn timeouts(&self) -> Timeouts {
        let left = self.queue.ends().map_or(TIMEOUTS.whole, |ends| ends.since(self.clock.now()));
        Timeouts { whole: TIMEOUTS.whole.min(left), ..TIMEOUTS }
    }

    /// Logs once that the collector is unreachable.
    fn is_away(&mut self, why: &str) {
        if !std::mem::replace(&mut self.is_away, true) {
            tracing::warn!(
                "spans can't be sent to {}: {why}; the robot goes on, and the last ones wait until it is there (telemetry.otlp_endpoint)",
                self.http.address()
            );
        }
    }

    fn is_here(&mut self) {
        if std::mem::replace(&mut self.is_away, false) {
            let dropped = self.queue.counts.spans_dropped();
            tracing::info!("spans can be sent to {} again; {dropped} are lost", self.http.address());
        }
    }

    /// Counts spans that the collector rejects, and logs that once.
    fn lose(&mut self, count: usize, why: &str) {
        self.queue.drop_spans(count);
        if !std::mem::replace(&mut self.is_reported, true) {
            tracing::warn!("{} does not take spans: {why}; see telemetry.otlp_endpoint", self.http.address());
        }
    }
}

/// Returns foreign text in a form that is safe for one line.
fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}
