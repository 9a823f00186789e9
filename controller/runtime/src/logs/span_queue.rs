//! The bounded queue of spans for the collector. Adding never waits, and spans beyond its capacity are counted.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use opentelemetry::Context;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanProcessor};

use super::LogCounters;

/// The capacity for unsent spans.
const QUEUE_CAPACITY: usize = 4096;

/// The maximum number of spans in one request.
pub(super) const BATCH_SIZE: usize = 512;

/// How long spans are collected, so that those of one command are sent together.
const BATCH_INTERVAL: Duration = Duration::from_millis(500);

/// The queue.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    pub(super) counts: &'static LogCounters,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<SpanData>,
    /// The deadline at shutdown, by the sender's clock; none while the program runs.
    ends: Option<Timestamp>,
}

impl Queue {
    pub(super) fn new(counts: &'static LogCounters) -> Self {
        Queue { state: Mutex::default(), changed: Condvar::new(), counts }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a span, if there is room.
    fn put(&self, span: SpanData) {
        let mut state = self.lock();
        if state.waiting.len() >= QUEUE_CAPACITY {
            drop(state);
            self.drop_spans(1);
            return;
        }
        state.waiting.push_back(span);
        let is_first = state.waiting.len() == 1;
        let is_enough = state.waiting.len() == BATCH_SIZE;
        drop(state);
        if is_first || is_enough {
            self.changed.notify_all();
        }
    }

    /// Counts dropped spans.
    pub(super) fn drop_spans(&self, spans: usize) {
        self.counts.spans_dropped.fetch_add(spans as u64, Ordering::Relaxed);
    }

    /// Waits for spans and takes those of a short interval; none after the deadline.
    pub(super) fn take(&self) -> Option<Vec<SpanData>> {
        let state = self.lock();
        let nothing = |state: &mut State| state.waiting.is_empty() && state.ends.is_none();
        let state = self.changed.wait_while(state, nothing).unwrap_or_else(PoisonError::into_inner);
        let few = |state: &mut State| state.waiting.len() < BATCH_SIZE && state.ends.is_none();
        let (mut state, _) = self
            .changed
            .wait_timeout_while(state, BATCH_INTERVAL, few)
            .unwrap_or_else(PoisonError::into_inner);
        let count = state.waiting.len().min(BATCH_SIZE);
        let taken: Vec<SpanData> = state.waiting.drain(..count).collect();
        (!taken.is_empty()).then_some(taken)
    }

    /// Waits before the next try, at most until the deadline.
    pub(super) fn pause(&self, time: Duration) {
        let going_on = |state: &mut State| state.ends.is_none();
        let waited = self.changed.wait_timeout_while(self.lock(), time, going_on);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the deadline, if the program ends.
    pub(super) fn ends(&self) -> Option<Timestamp> {
        self.lock().ends
    }

    /// Sets the deadline when the program ends; pending spans may be sent until then.
    pub(super) fn end(&self, at: Timestamp) {
        self.lock().ends = Some(at);
        self.changed.notify_all();
    }

    /// Removes the spans that cannot be sent, and returns their number.
    pub(super) fn give_up(&self) -> usize {
        let left = std::mem::take(&mut self.lock().waiting).len();
        self.drop_spans(left);
        left
    }
}

/// The queue as a span processor of the tracing library.
#[derive(Debug)]
pub(super) struct SpanSender(pub(super) Arc<Queue>);

impl SpanProcessor for SpanSender {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        self.0.put(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}
