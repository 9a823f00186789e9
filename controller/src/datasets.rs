//! Datasets for robot learning out of traces; `minismith-datasets` writes them, and here their videos are made: by the program
//! ffmpeg, which is handed the pictures one by one.

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
pub use minismith_datasets::{
    DatasetError, EncodedVideo, FrameSequence, McapReport, Options, Plan, Report, VideoEncoder, write_mcap,
};

use minismith_runtime::subprocess::{self, Program};

/// Names the program ffmpeg where it is not on the path.
const VARIABLE: &str = "MINISMITH_FFMPEG";

/// How long ffmpeg may take for one picture, and for its end.
const FFMPEG_TIMEOUT: Duration = Duration::from_mins(1);

/// How often it is looked whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// There is no ffmpeg.
#[derive(Debug, thiserror::Error)]
#[error(
    "the traces have pictures, and their videos are made by ffmpeg, which is not on the path: install it (Debian: apt-get \
     install ffmpeg), name it in {VARIABLE}, or leave pictures out with --no-pictures"
)]
pub struct FfmpegError;

/// The program ffmpeg.
#[derive(Debug)]
pub struct Ffmpeg(PathBuf);

/// Nobody makes videos, where there are none to make.
#[derive(Debug)]
pub struct VideoError;

impl VideoEncoder for VideoError {
    fn encode(&mut self, _: &mut FrameSequence<'_>) -> Result<EncodedVideo, Box<dyn Error + Send + Sync>> {
        Err("there was to be no video".into())
    }
}

impl Ffmpeg {
    /// The one that the environment names, else the first on the path.
    ///
    /// # Errors
    /// [`FfmpegError`].
    pub fn find() -> Result<Self, FfmpegError> {
        let named = env::var_os(VARIABLE).map(PathBuf::from);
        let on_path = || {
            let path = env::var_os("PATH")?;
            env::split_paths(&path).map(|folder| folder.join("ffmpeg")).find(|position| position.is_file())
        };
        let position = named.or_else(on_path).filter(|position| position.is_file());
        position.map(Ffmpeg).ok_or(FfmpegError)
    }
}

impl VideoEncoder for Ffmpeg {
    fn encode(&mut self, reel: &mut FrameSequence<'_>) -> Result<EncodedVideo, Box<dyn Error + Send + Sync>> {
        let fps = reel.fps.to_string();
        // Every second frame a key frame, as LeRobot has it: any frame is found fast.
        let words = [
            "-nostdin",
            "-hide_banner",
            "-loglevel",
            "error",
            "-f",
            "mjpeg",
            "-framerate",
            &fps,
            "-i",
            "pipe:0",
        ];
        let coded =
            ["-an", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-g", "2", "-pix_fmt", "yuv420p"];
        let whole = ["-fps_mode", "passthrough", "-movflags", "+faststart", "-n"];
        let mut arguments: Vec<OsString> =
            [&words[..], &coded, &whole].concat().into_iter().map(Into::into).collect();
        arguments.push(reel.to.into());
        let (mut ours, theirs) = UnixStream::pair()?;
        ours.set_write_timeout(Some(FFMPEG_TIMEOUT))?;
        let program =
            Program { path: self.0.clone(), arguments, environment: Vec::new(), input: theirs.into() };
        let mut encoder = Encoder(subprocess::start(program)?);
        let reported = reel.by_ref().try_for_each(|jpeg| ours.write_all(&jpeg));
        drop(ours);
        let status = encoder.wait()?;
        if !status.success() {
            return Err(format!("ffmpeg failed ({status}); what it said stands above").into());
        }
        reported?;
        Ok(EncodedVideo { codec: "h264".into(), pixels: "yuv420p".into() })
    }
}

/// An ffmpeg at work; when it is dropped it is dead.
struct Encoder(Child);

impl Encoder {
    fn wait(&mut self) -> io::Result<std::process::ExitStatus> {
        let clock = MonotonicClock::start();
        let until = clock.now() + FFMPEG_TIMEOUT;
        while clock.now() < until {
            if let Some(status) = self.0.try_wait()? {
                return Ok(status);
            }
            clock.wait_until(clock.now() + POLL_INTERVAL);
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, "ffmpeg did not end"))
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
