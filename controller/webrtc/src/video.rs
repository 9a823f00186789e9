//! The video of the camera for all sessions: read from the controller and encoded once, and only while a session is there.
//!
//! Threads: one task reads the controller's stream, and one blocking thread decodes and encodes the newest image. A session
//! that is slow misses frames; it then waits for a keyframe.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;
use tokio::sync::{broadcast, mpsc};
use tokio::time::{sleep, timeout};

use crate::controller::{Controller, Credentials};
use crate::encoder::{FRAMES_PER_SECOND, VideoEncoder};
use crate::mjpeg::MjpegReader;
use crate::net;

/// Frames that wait for a slow session.
const QUEUE_CAPACITY: usize = 8;

/// The time between two attempts to open the camera's stream.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The time without an image after which the stream is opened again.
const STALL_TIMEOUT: Duration = Duration::from_secs(10);

/// A frame for all sessions.
#[derive(Debug)]
pub struct VideoFrame {
    /// H.264 with start codes.
    pub bytes: Arc<[u8]>,
    /// Whether it can be decoded without the frames before it.
    pub is_keyframe: bool,
    /// When its image was received.
    pub at: Instant,
}

/// The video; clones are of the same one.
#[derive(Clone, Debug)]
pub struct Video {
    controller: Controller,
    frames: broadcast::Sender<Arc<VideoFrame>>,
    keyframe_wanted: Arc<AtomicBool>,
    reading: Arc<Mutex<Reading>>,
}

/// Who reads the camera.
#[derive(Debug, Default)]
struct Reading {
    /// Whether it is being read.
    is_running: bool,
    /// The last peer that began to watch. Each one may see the camera, so the camera is read with its rights.
    for_peer: Option<Arc<Credentials>>,
}

impl Video {
    /// Returns the video of a controller's camera, which nobody watches yet.
    #[must_use]
    pub fn new(controller: Controller) -> Self {
        Video {
            controller,
            frames: broadcast::Sender::new(QUEUE_CAPACITY),
            keyframe_wanted: Arc::default(),
            reading: Arc::default(),
        }
    }

    /// Watches from now on. The first frame that a watcher can use is a keyframe, which is asked for.
    #[must_use]
    pub fn watch(&self, who: Arc<Credentials>) -> broadcast::Receiver<Arc<VideoFrame>> {
        let mut reading = self.reading();
        let watcher = self.frames.subscribe();
        self.want_keyframe();
        reading.for_peer = Some(who);
        if !reading.is_running {
            reading.is_running = true;
            tokio::spawn(self.clone().run());
        }
        watcher
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the next frame encoded as one that can be decoded alone.
    pub fn want_keyframe(&self) {
        self.keyframe_wanted.store(true, Ordering::Relaxed);
    }

    /// Whether there is nobody left; the camera is then no longer read. A new watcher comes before or after this answer, not
    /// between it and the end.
    fn is_over(&self) -> bool {
        let mut reading = self.reading();
        if self.frames.receiver_count() == 0 {
            *reading = Reading::default();
        }
        !reading.is_running
    }

    async fn run(self) {
        tracing::info!("reading the camera");
        let (images, inbox) = mpsc::channel(1);
        let encoding = {
            let video = self.clone();
            tokio::task::spawn_blocking(move || video.encode(inbox))
        };
        let mut reported = String::new();
        while !self.is_over() {
            let failure = match self.read(&images).await {
                Ok(()) => continue,
                Err(failure) => failure,
            };
            // Said once, not every second.
            if failure != reported {
                tracing::warn!("no video: {failure}");
                reported = failure;
            }
            sleep(RETRY_INTERVAL).await;
        }
        drop(images);
        // The thread ends with its channel; a panic of it is in the log.
        let _ended = encoding.await;
        tracing::info!("the camera is no longer read");
    }

    /// Reads the camera's stream until nobody watches.
    async fn read(&self, images: &mpsc::Sender<(Vec<u8>, Instant)>) -> Result<(), String> {
        let who = self.reading().for_peer.clone();
        let mut body = self
            .controller
            .camera(FRAMES_PER_SECOND, who.as_deref())
            .await
            .map_err(|error| error.to_string())?;
        let mut reader = MjpegReader::default();
        reader.push(&body.begun);
        let mut part = vec![0; 64 << 10];
        while !self.is_over() {
            let read = timeout(STALL_TIMEOUT, body.stream.read(&mut part)).await;
            let read =
                read.map_err(|_| "the camera's stream has stalled")?.map_err(|error| error.to_string())?;
            if read == 0 {
                return Err("the camera's stream has ended".into());
            }
            reader.push(part.get(..read).unwrap_or_default());
            if let Some(image) = reader.newest_image().map_err(|error| error.to_string())? {
                // While the encoder is busy, images are skipped.
                if let Err(mpsc::error::TrySendError::Closed(_)) = images.try_send((image, net::now())) {
                    return Err("the encoder has ended; see the log".into());
                }
            }
        }
        Ok(())
    }

    fn encode(&self, mut inbox: mpsc::Receiver<(Vec<u8>, Instant)>) {
        let mut encoder = match VideoEncoder::new() {
            Ok(encoder) => encoder,
            Err(error) => return tracing::error!("no video: {error}"),
        };
        while let Some((image, at)) = inbox.blocking_recv() {
            let as_keyframe = self.keyframe_wanted.swap(false, Ordering::Relaxed);
            match encoder.encode(&image, as_keyframe) {
                Ok(Some(frame)) => {
                    let frame = VideoFrame { bytes: frame.bytes.into(), is_keyframe: frame.is_keyframe, at };
                    // The last watcher may have gone.
                    let _watched = self.frames.send(Arc::new(frame));
                }
                Ok(None) => {
                    // A skipped frame was not the keyframe that somebody waits for.
                    if as_keyframe {
                        self.want_keyframe();
                    }
                }
                Err(error) => tracing::warn!("{error}"),
            }
        }
    }
}
