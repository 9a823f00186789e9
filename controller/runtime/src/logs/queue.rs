//! Where spans wait for the collector: a bounded queue that nobody waits at. What has no room is counted.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use firmware_bridge::clock::Tick;
use opentelemetry::Context;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanProcessor};

use super::Counts;

/// Spans that may wait.
const WAITING: usize = 4096;

/// Spans that are sent together, at most.
pub(super) const TOGETHER: usize = 512;

/// How long spans are gathered, so that those of one command go together.
const GATHERED: Duration = Duration::from_millis(500);

/// The queue.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    pub(super) counts: &'static Counts,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<SpanData>,
    /// When all is over, by the sender's clock; none as long as the program goes on.
    ends: Option<Tick>,
}

impl Queue {
    pub(super) fn new(counts: &'static Counts) -> Self {
        Queue { state: Mutex::default(), changed: Condvar::new(), counts }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a span into it, if there is room.
    fn put(&self, span: SpanData) {
        let mut state = self.lock();
        if state.waiting.len() >= WAITING {
            drop(state);
            self.drop_spans(1);
            return;
        }
        state.waiting.push_back(span);
        let is_first = state.waiting.len() == 1;
        let is_enough = state.waiting.len() == TOGETHER;
        drop(state);
        if is_first || is_enough {
            self.changed.notify_all();
        }
    }

    /// Counts spans that nobody will get.
    pub(super) fn drop_spans(&self, spans: usize) {
        self.counts.spans_dropped.fetch_add(spans as u64, Ordering::Relaxed);
    }

    /// Waits for spans and takes those that came within a moment; none when all is over.
    pub(super) fn take(&self) -> Option<Vec<SpanData>> {
        let state = self.lock();
        let nothing = |state: &mut State| state.waiting.is_empty() && state.ends.is_none();
        let state = self.changed.wait_while(state, nothing).unwrap_or_else(PoisonError::into_inner);
        let few = |state: &mut State| state.waiting.len() < TOGETHER && state.ends.is_none();
        let (mut state, _) =
            self.changed.wait_timeout_while(state, GATHERED, few).unwrap_or_else(PoisonError::into_inner);
        let count = state.waiting.len().min(TOGETHER);
        let taken: Vec<SpanData> = state.waiting.drain(..count).collect();
        (!taken.is_empty()).then_some(taken)
    }

    /// Waits before the next try, less when all is over.
    pub(super) fn pause(&self, time: Duration) {
        let going_on = |state: &mut State| state.ends.is_none();
        let waited = self.changed.wait_timeout_while(self.lock(), time, going_on);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// When all is over, if the program ends.
    pub(super) fn ends(&self) -> Option<Tick> {
        self.lock().ends
    }

    /// The program ends: what waits may be sent until then.
    pub(super) fn end(&self, at: Tick) {
        self.lock().ends = Some(at);
        self.changed.notify_all();
    }

    /// Takes what nobody will get; how many they are.
    pub(super) fn give_up(&self) -> usize {
        let left = std::mem::take(&mut self.lock().waiting).len();
        self.drop_spans(left);
        left
    }
}

/// A queue as the library of spans sees it.
#[derive(Debug)]
pub(super) struct Doorway(pub(super) Arc<Queue>);

impl SpanProcessor for Doorway {
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
