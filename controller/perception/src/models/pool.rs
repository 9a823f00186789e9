//! Loaded models between two uses ([`ModelPool`]). A model that nobody uses for a while is dropped, because a small computer
//! needs its memory for other things.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::Thread;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};

/// Loaded models of one kind. Each serves one thread at a time.
pub struct ModelPool<M> {
    inner: Arc<Inner<M>>,
}

struct Inner<M> {
    idle_timeout: Duration,
    clock: MonotonicClock,
    state: Mutex<State<M>>,
}

struct State<M> {
    /// The models that nobody uses, and since when. The last one was used last.
    idle: Vec<(M, Timestamp)>,
    /// The thread that watches for idle models.
    watcher: Option<Thread>,
}

impl<M: Send + 'static> ModelPool<M> {
    /// Creates an empty pool, which drops a model after this time without a use.
    #[must_use]
    pub fn new(idle_timeout: Duration) -> Self {
        let state = Mutex::new(State { idle: Vec::new(), watcher: None });
        ModelPool { inner: Arc::new(Inner { idle_timeout, clock: MonotonicClock::start(), state }) }
    }

    /// Uses an idle model, or else a newly opened one. Other threads use other models meanwhile.
    ///
    /// # Errors
    /// Returns the error of `open`.
    pub fn with<R, E>(
        &self,
        open: impl FnOnce() -> Result<M, E>,
        apply: impl FnOnce(&mut M) -> R,
    ) -> Result<R, E> {
        // The one that was used last: the others may become old.
        let idle = self.inner.lock().idle.pop();
        let mut model = match idle {
            Some((model, _)) => model,
            None => open()?,
        };
        let result = apply(&mut model);
        let mut state = self.inner.lock();
        state.idle.push((model, self.inner.clock.now()));
        if state.watcher.is_none() {
            state.watcher = watch(Arc::downgrade(&self.inner), self.inner.idle_timeout);
        }
        Ok(result)
    }
}

impl<M> Drop for ModelPool<M> {
    fn drop(&mut self) {
        let mut state = self.inner.lock();
        let idle = std::mem::take(&mut state.idle);
        // With no model left, the thread ends.
        if let Some(watcher) = &state.watcher {
            watcher.unpark();
        }
        drop(state);
        drop(idle);
    }
}

impl<M> Inner<M> {
    fn lock(&self) -> MutexGuard<'_, State<M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the models that have been idle too long. Returns the time until the next one will have been.
    fn drop_idle(&self) -> Option<Duration> {
        let now = self.clock.now();
        let mut state = self.lock();
        let old = state.idle.partition_point(|(_, since)| now.since(*since) >= self.idle_timeout);
        let old: Vec<(M, Timestamp)> = state.idle.drain(..old).collect();
        let next = state.idle.first().map(|(_, since)| self.idle_timeout.saturating_sub(now.since(*since)));
        if next.is_none() {
            state.watcher = None;
        }
        // To free a model takes time, and others may need the pool.
        drop(state);
        drop(old);
        next
    }
}

/// Starts a thread that drops idle models and ends with the last one. Without it, models stay loaded.
fn watch<M: Send + 'static>(pool: Weak<Inner<M>>, mut wait: Duration) -> Option<Thread> {
    let run = move || {
        loop {
            std::thread::park_timeout(wait);
            match pool.upgrade().and_then(|pool| pool.drop_idle()) {
                Some(next) => wait = next,
                None => return,
            }
        }
    };
    std::thread::Builder::new()
        .name("idle-models".into())
        .spawn(run)
        .ok()
        .map(|watcher| watcher.thread().clone())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Says when it is dropped.
    struct Model(u32, Sender<u32>);

    impl Drop for Model {
        fn drop(&mut self) {
            let _heard = self.1.send(self.0);
        }
    }

    #[test]
    fn idle_model_is_dropped_and_the_next_use_opens_another() {
        let (dropped, drops) = channel();
        let pool = ModelPool::new(Duration::from_millis(100));
        let mut opened = 0;
        let mut number = || {
            let open = || {
                opened += 1;
                Ok::<_, Infallible>(Model(opened, dropped.clone()))
            };
            pool.with(open, |model| model.0).unwrap()
        };
        assert_eq!([number(), number()], [1, 1]);
        assert_eq!(drops.recv_timeout(Duration::from_secs(30)), Ok(1));
        assert_eq!(number(), 2);
        assert_eq!(drops.recv_timeout(Duration::from_secs(30)), Ok(2), "the second one is watched, too");
    }

    #[test]
    fn used_model_stays() {
        let (dropped, drops) = channel();
        let pool = ModelPool::new(Duration::from_millis(20));
        let open = || Ok::<_, Infallible>(Model(1, dropped));
        pool.with(open, |_| {
            assert!(drops.recv_timeout(Duration::from_millis(200)).is_err(), "it is in use");
        })
        .unwrap();
        drop(pool);
        assert_eq!(drops.recv_timeout(Duration::from_secs(30)), Ok(1), "it goes with the pool");
    }

    #[test]
    fn two_threads_use_two_models() {
        let pool = ModelPool::new(Duration::from_secs(60));
        let inner = || pool.with(|| Ok::<_, Infallible>(2), |model| *model).unwrap();
        let both = pool.with(|| Ok::<_, Infallible>(1), |model| (*model, inner())).unwrap();
        assert_eq!(both, (1, 2));
        let failed = ModelPool::<u32>::new(Duration::ZERO).with(|| Err("none"), |_| ());
        assert_eq!(failed, Err("none"));
    }
}
