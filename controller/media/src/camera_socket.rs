//! The Unix socket of camera frames ([`CameraSocket`]).
//!
//! One thread serves all clients; without a client it sleeps, and no image is taken. All clients share the memory of a frame. A
//! slow client misses frames and delays no one.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use minismith_control::perception::CameraObserver;
use minismith_perception::frame::Frame;
use minismith_perception::resample::Resampler;
use minismith_runtime::net::local_socket::LocalListener;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::time::{ClockId, clock_gettime};

use super::camera_model;
use super::unix_fd::{Client, SharedFrame};

/// Maximum number of clients.
const MAX_CLIENTS: usize = 16;

/// Interval of the frames, nanoseconds.
const PERIOD_NS: u64 = 1_000_000_000 / camera_model::FRAMES_PER_SECOND as u64;

/// The longest wait for a camera's next frame, and the time between two looks for it, nanoseconds.
const PATIENCE_NS: u64 = 40_000_000;
const LOOK_NS: u64 = 2_000_000;

/// A socket at which programs on this computer get camera frames. Dropping it ends the service and removes the socket.
pub struct CameraSocket {
    wake: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

impl CameraSocket {
    /// Opens the socket.
    ///
    /// # Errors
    /// When another program serves it, something else is at the path, or the socket cannot be made.
    pub fn open(path: &Path, observer: CameraObserver) -> io::Result<Self> {
        let listener = LocalListener::bind(path).map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => io::Error::other(
                "another program serves camera frames there: the official daemon, or another controller; stop it, or name another path as `compat.camera_socket`",
            ),
            _ => error,
        })?;
        let wake = eventfd(0, EventfdFlags::CLOEXEC)?;
        let end = wake.try_clone()?;
        let mut service =
            Service { listener, observer, clients: Vec::new(), shown: None, seen: None, next_id: 0 };
        let thread =
            std::thread::Builder::new().name("camera-socket".into()).spawn(move || service.run(&end))?;
        Ok(CameraSocket { wake, thread: Some(thread) })
    }
}

impl Drop for CameraSocket {
    fn drop(&mut self) {
        let woken = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take()
            && woken.is_ok()
            && thread.join().is_err()
        {
            tracing::error!("the thread of the camera socket panicked");
        }
    }
}

struct Service {
    listener: LocalListener,
    observer: CameraObserver,
    clients: Vec<Client>,
    /// The frame that clients got last, and what prepares the next ones.
    shown: Option<(Arc<Frame>, Resampler)>,
    /// The latest frame when the next one was due: clients get the one after it.
    seen: Option<Arc<Frame>>,
    next_id: u64,
}

impl Service {
    fn run(&mut self, end: &OwnedFd) {
        let mut due: u64 = 0;
        loop {
            let timeout = (!self.clients.is_empty()).then(|| match due.saturating_sub(now_ns()) {
                0 if self.seen.is_some() => LOOK_NS,
                left => left,
            });
            if self.wait(end, timeout) {
                return;
            }
            if self.clients.is_empty() {
                // The table for the images takes megabytes.
                self.shown = None;
                self.seen = None;
                continue;
            }
            let now = now_ns();
            if now >= due && (self.is_new() || now >= due + PATIENCE_NS) {
                self.seen = None;
                self.show(now);
                // A frame that comes late does not make the next ones come early.
                due = (due + PERIOD_NS).max(now);
            }
        }
    }

    /// Returns whether a frame has just come. Otherwise clients would get frames that are up to one period of the camera older.
    fn is_new(&mut self) -> bool {
        let Ok(latest) = self.observer.frame() else { return true };
        let seen = self.seen.get_or_insert_with(|| latest.clone());
        // A rendered image is as old as the request.
        self.observer.is_simulated() || !Arc::ptr_eq(seen, &latest)
    }

    /// Waits for clients, and reads what they send. Returns whether the service is to end.
    fn wait(&mut self, end: &OwnedFd, timeout_ns: Option<u64>) -> bool {
        let timeout = timeout_ns.map(|ns| Timespec { tv_sec: 0, tv_nsec: ns.min(PERIOD_NS) as i64 });
        let mut watched = vec![
            PollFd::from_borrowed_fd(end.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.listener.as_fd(), PollFlags::IN),
        ];
        watched.extend(
            self.clients.iter().map(|client| PollFd::from_borrowed_fd(client.as_fd(), PollFlags::IN)),
        );
        match poll(&mut watched, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                tracing::error!("the camera socket ends: {error}");
                return true;
            }
        }
        let mut ready = watched.iter().map(|one| !one.revents().is_empty()).collect::<Vec<_>>().into_iter();
        if ready.next() == Some(true) {
            return true;
        }
        let knocked = ready.next() == Some(true);
        self.clients.retain_mut(|client| ready.next() != Some(true) || kept(client.hear()));
        if knocked {
            self.accept();
        }
        false
    }

    fn accept(&mut self) {
        let format = format!(
            "video/x-raw, format=(string)BGR, width=(int){}, height=(int){}, framerate=(fraction){}/1, \
             pixel-aspect-ratio=(fraction)1/1, interlace-mode=(string)progressive, colorimetry=(string)sRGB",
            camera_model::intrinsics().width,
            camera_model::intrinsics().height,
            camera_model::FRAMES_PER_SECOND,
        );
        while let Some(stream) = self.listener.accept() {
            if self.clients.len() >= MAX_CLIENTS {
                tracing::warn!("a program got no camera frames: {MAX_CLIENTS} others get them already");
                continue;
            }
            match Client::greet(stream, &format) {
                Ok(client) => self.clients.push(client),
                Err(error) => tracing::warn!("a program got no camera frames: {error}"),
            }
        }
    }

    /// Sends the latest frame to all clients, unless they have it.
    fn show(&mut self, now: u64) {
        let frame = match self.observer.frame() {
            Ok(frame) => frame,
            Err(error) => {
                tracing::debug!("no frame for the camera socket: {error}");
                return;
            }
        };
        if self.shown.as_ref().is_some_and(|(shown, _)| Arc::ptr_eq(shown, &frame)) {
            return;
        }
        let shared = match self.shared(&frame) {
            Ok(shared) => shared,
            Err(error) => {
                tracing::warn!("cannot show a frame at the camera socket: {error}");
                return;
            }
        };
        let age = self.observer.camera_pose().map_or(Duration::ZERO, |pose| pose.time.since(frame.from.time));
        let captured = now.saturating_sub(u64::try_from(age.as_nanos()).unwrap_or(0));
        self.next_id += 1;
        let id = self.next_id;
        self.clients.retain_mut(|client| kept(client.show(&shared, id, captured)));
    }

    fn shared(&mut self, frame: &Arc<Frame>) -> io::Result<SharedFrame> {
        let image = frame.image().map_err(io::Error::other)?;
        let source = frame.intrinsics_for(&image);
        let known = self.shown.take().map(|(_, known)| known).filter(|known| *known.source() == source);
        let resampler = known.unwrap_or_else(|| Resampler::new(source, &camera_model::intrinsics()));
        let mut pixels = Vec::new();
        let fits = resampler.apply(&image, &mut pixels);
        self.shown = Some((frame.clone(), resampler));
        if !fits {
            return Err(io::Error::other("the camera changed the size of its images"));
        }
        SharedFrame::new(&pixels)
    }
}

fn kept(outcome: io::Result<()>) -> bool {
    match outcome {
        Ok(()) => true,
        // It has gone, with or without a word.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset
            ) =>
        {
            false
        }
        Err(error) => {
            tracing::warn!("a client of the camera socket was disconnected: {error}");
            false
        }
    }
}

/// Returns the time of the system's monotonic clock, which GStreamer uses, nanoseconds.
fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    (now.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec as u64)
}
