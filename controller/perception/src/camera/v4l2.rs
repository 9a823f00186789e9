//! V4L2 cameras: USB webcams and other `/dev/video*` nodes that deliver processed images ([`V4l2`]).

pub mod choice;
pub mod device;
pub mod find;
mod kernel;
#[cfg(test)]
pub(crate) mod recorded;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::camera::CameraIntrinsics;
use firmware_bridge::clock::{Clock, MonotonicClock};
use rustix::io::Errno;

pub use choice::FormatRequest;
use choice::{Reading, choose, reading};
use device::{Buffer, Device, FrameFormat, Interval, Opener};
use find::SysfsPaths;

use super::jpeg;
use super::lens::Known;
use super::source::{Source, SourceError};
use crate::frame::{Image, MAX_IMAGE_BYTES};

/// Number of damaged images in a row from which the source fails.
const MAX_BROKEN_FRAMES: u32 = 60;

/// Number of buffers that one call dequeues. Devices have fewer, but a fast driver may refill them during the call.
const BUFFERS: usize = 8;

/// A camera source that reads a V4L2 device.
pub struct V4l2 {
    /// Device path, or `None` to search for one.
    path: Option<PathBuf>,
    request: FormatRequest,
    paths: SysfsPaths,
    open: Opener,
    clock: MonotonicClock,
    name: String,
    running: Option<Running>,
    skipped: u64,
    /// Number of damaged images since the last valid one.
    broken: u32,
}

struct Running {
    device: Box<dyn Device>,
    layout: FrameFormat,
    reading: Reading,
    interval: Option<Interval>,
    request: FormatRequest,
    known: Option<Known>,
}

impl V4l2 {
    /// Creates a source for the camera at a path, or for the first one found on opening.
    #[must_use]
    pub fn new(path: Option<PathBuf>, wanted: FormatRequest) -> Self {
        V4l2::by(path, wanted, SysfsPaths::default(), kernel())
    }

    fn by(path: Option<PathBuf>, wanted: FormatRequest, places: SysfsPaths, open: Opener) -> Self {
        let name = path.as_ref().map_or("the camera".into(), |path| path.display().to_string());
        let clock = MonotonicClock::start();
        V4l2 { path, request: wanted, paths: places, open, clock, name, running: None, skipped: 0, broken: 0 }
    }

    /// Returns the latest valid image and counts the invalid ones.
    fn newest(&mut self, filled: Vec<Buffer>) -> Option<Image> {
        let running = self.running.as_ref()?;
        let mut newest = None;
        for one in filled.into_iter().rev() {
            // Buffers older than a valid image do not matter.
            if newest.is_some() {
                break;
            }
            newest = (!one.broken && !one.bytes.is_empty()).then(|| running.image(one.bytes)).flatten();
            if newest.is_some() {
                self.broken = 0;
            } else {
                self.skipped = self.skipped.saturating_add(1);
                self.broken = self.broken.saturating_add(1);
            }
        }
        newest
    }
}

impl Running {
    fn image(&self, bytes: Vec<u8>) -> Option<Image> {
        match self.reading {
            Reading::Jpeg => jpeg::whole(bytes).map(Image::Jpeg),
            Reading::Pixels(pixels) => {
                let side = |length: u32| usize::try_from(length).ok();
                let (width, height) = (side(self.layout.width)?, side(self.layout.height)?);
                pixels.read(&bytes, width, height, side(self.layout.stride)?).map(Image::Bgr)
            }
        }
    }

    fn description(&self) -> String {
        let FrameFormat { format, width, height, .. } = self.layout;
        let mut description = format!("{format} {width}x{height}");
        if let Some(rate) = self.interval.and_then(Interval::rate) {
            description.push_str(&format!(" at {} per second", (rate * 10.0).round() / 10.0));
        }
        if (width, height) != (self.request.width, self.request.height) {
            description.push_str(&format!(" (requested: {}x{})", self.request.width, self.request.height));
        }
        description
    }
}

impl Source for V4l2 {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn format(&self) -> Option<String> {
        self.running.as_ref().map(Running::description)
    }

    fn intrinsics(&self) -> Option<CameraIntrinsics> {
        let running = self.running.as_ref()?;
        Some(running.known?.intrinsics(running.layout.width, running.layout.height))
    }

    fn skipped(&self) -> u64 {
        self.skipped
    }

    fn open(&mut self) -> Result<(), SourceError> {
        self.close();
        let path = match &self.path {
            Some(path) => path.clone(),
            None => find::first(&self.paths, &mut self.open)?,
        };
        self.name = self.paths.name(&path);
        let known = self.paths.known(&path);
        self.running = Some(Running { known, ..start(&path, self.request, &mut self.open)? });
        self.broken = 0;
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Image>, SourceError> {
        let until = self.clock.now() + wait;
        loop {
            let left = until.since(self.clock.now());
            let Some(running) = self.running.as_mut() else {
                return Err(SourceError::new("the source is not open", "it is reopened automatically"));
            };
            let mut ready = Vec::new();
            let mut waiting = left;
            while ready.len() < BUFFERS {
                match running.device.dequeue(waiting) {
                    Ok(Some(filled)) => ready.push(filled),
                    Ok(None) => break,
                    Err(error) if ready.is_empty() => return Err(unplugged(&self.name, &error)),
                    // Images that arrived before the error are returned first. The next call fails again.
                    Err(_) => break,
                }
                waiting = Duration::ZERO;
            }
            if ready.is_empty() {
                return Ok(None);
            }
            if let Some(image) = self.newest(ready) {
                return Ok(Some(image));
            }
            if self.broken >= MAX_BROKEN_FRAMES {
                return Err(SourceError::new(
                    format!("the last {} images of {} were damaged", self.broken, self.name),
                    "use a shorter cable or another USB port without a hub, or set a smaller image size",
                ));
            }
        }
    }

    fn close(&mut self) {
        self.running = None;
    }
}

/// Opens a device and checks that it is a usable camera.
pub(super) fn look(path: &Path, open: &mut Opener) -> Result<Box<dyn Device>, SourceError> {
    let device = open(path).map_err(|error| unopened(path, &error))?;
    let capability = device.capability().map_err(|error| unopened(path, &error))?;
    let path = path.display();
    if !capability.is_capture() {
        let (reason, remedy) = if capability.is_metadata() {
            (
                format!("{path} delivers metadata, not images"),
                "set `camera.source` to the camera's other node, usually the one with the next lower number",
            )
        } else if capability.is_m2m() {
            (format!("{path} is not a camera: it converts images"), CHOOSE)
        } else if capability.is_multiplanar() {
            return Err(raw_only(&format!("{path} is multi-planar: it is part of a camera pipeline")));
        } else {
            (format!("{path} is not a camera: it delivers no images"), CHOOSE)
        };
        return Err(SourceError::new(reason, remedy));
    }
    if !capability.is_streaming() {
        return Err(SourceError::new(format!("{path} does not support streaming I/O"), CHOOSE));
    }
    if capability.is_pipeline() {
        return Err(raw_only(&format!("{path} is the end of a camera pipeline that is not configured")));
    }
    Ok(device)
}

const CHOOSE: &str = "set `camera.source` to the /dev/video* of a camera, or to `auto`";

/// Reports a camera on a ribbon cable: it delivers raw sensor data, which libcamera converts to images.
fn raw_only(reason: &str) -> SourceError {
    SourceError::new(
        reason,
        "start with libcamera's V4L2 compatibility (`libcamerify minismith ...`, from the package libcamera-tools), or have \
         libcamera's programs serve MJPEG and set `camera.source` to its address",
    )
}

/// Opens a device, chooses a format and starts streaming.
fn start(path: &Path, wanted: FormatRequest, open: &mut Opener) -> Result<Running, SourceError> {
    let mut device = look(path, open)?;
    let path_text = path.display();
    let formats = device.formats().map_err(|error| unopened(path, &error))?;
    let Some(choice) = choose(device.as_ref(), wanted).map_err(|error| unopened(path, &error))? else {
        return Err(unreadable(path, &formats));
    };
    let layout =
        device.set(choice.format, choice.width, choice.height).map_err(|error| unopened(path, &error))?;
    let sides = 1..=MAX_IMAGE_BYTES;
    let Some(reading) = reading(layout.format) else {
        return Err(unreadable(path, &[layout.format]));
    };
    if !sides.contains(&layout.width) || !sides.contains(&layout.height) {
        return Err(SourceError::new(
            format!("{path_text} would deliver images of {}x{} pixels", layout.width, layout.height),
            format!("set `camera.width` and `camera.height` to at most {MAX_IMAGE_BYTES}"),
        ));
    }
    // A driver that does not support rates uses its own. The status shows the rate that it set.
    let interval = choice.interval.and_then(|interval| device.set_interval(interval).ok());
    device.start().map_err(|error| unopened(path, &error))?;
    Ok(Running { device, layout, reading, interval, request: wanted, known: None })
}

/// Reports that none of a device's formats is supported.
pub(super) fn unreadable(path: &Path, formats: &[device::FourCc]) -> SourceError {
    let path_text = path.display();
    if formats.is_empty() {
        return SourceError::new(format!("{path_text} lists no image format"), CHOOSE);
    }
    let named: Vec<String> = formats.iter().take(8).map(ToString::to_string).collect();
    let reason = format!("{path_text} has no supported format, only {}", named.join(", "));
    if formats.iter().any(|format| is_raw(*format)) {
        return raw_only(&reason);
    }
    SourceError::new(reason, "use a camera that delivers MJPEG or YUYV, as USB webcams do")
}

/// Returns whether a format is raw Bayer data, by the FourCCs in `videodev2.h`.
fn is_raw(format: device::FourCc) -> bool {
    let [one, two, three, four] = format.0;
    let tens = (three, four);
    matches!(&format.0, b"BA81" | b"GBRG" | b"GRBG" | b"RGGB")
        || (matches!((one, two), (b'B', b'G' | b'A') | (b'G', b'B' | b'R') | (b'R', b'G'))
            && matches!(tens, (b'1', b'0' | b'2' | b'4' | b'6')))
        || (one == b'p' && matches!(two, b'B' | b'G' | b'g' | b'R'))
}

/// Explains why a device cannot be opened or configured.
pub(super) fn unopened(path: &Path, error: &io::Error) -> SourceError {
    let path_text = path.display();
    let (reason, remedy) = match Errno::from_io_error(error) {
        Some(Errno::NOENT | Errno::NODEV | Errno::NXIO) => (
            format!("{path_text} does not exist"),
            "plug the camera in, or run `minismith doctor` to list the cameras".into(),
        ),
        Some(Errno::ACCESS | Errno::PERM) => (
            format!("this user has no permission to open {path_text}"),
            "run `sudo usermod -aG video $USER`, then log out and in again".into(),
        ),
        Some(Errno::BUSY) => (
            format!("{path_text} is in use by another program"),
            format!(
                "find the program with `fuser -v {path_text}` (a browser, the official daemon, another minismith) and close it"
            ),
        ),
        Some(Errno::NOTTY | Errno::ISDIR) => (format!("{path_text} is not a camera"), CHOOSE.into()),
        Some(Errno::NOSPC) => (
            format!("{path_text} gets too little USB bandwidth"),
            "plug it into another USB port without a hub, or set a smaller image size".into(),
        ),
        Some(Errno::INVAL | Errno::PIPE) => (
            format!("the driver of {path_text} refuses to stream ({error})"),
            "set another size in `camera.width` and `camera.height`; a camera on a ribbon cable needs libcamera's V4L2 \
             compatibility (`libcamerify minismith ...`)"
                .into(),
        ),
        _ => (format!("cannot use {path_text}: {error}"), "unplug it and plug it in again; `dmesg` may show more".into()),
    };
    SourceError::new(reason, remedy)
}

/// Explains why a device stopped delivering images.
fn unplugged(name: &str, error: &io::Error) -> SourceError {
    match Errno::from_io_error(error) {
        Some(Errno::NODEV | Errno::IO | Errno::NXIO) => SourceError::new(
            format!("{name} was unplugged"),
            "plug it in again; if it was not unplugged, use a shorter cable or another USB port",
        ),
        _ => SourceError::new(
            format!("{name} stopped delivering images ({error})"),
            "unplug it and plug it in again; `dmesg` may show more",
        ),
    }
}

/// Returns the opener for the devices of this machine.
pub(super) fn kernel() -> Opener {
    Box::new(kernel::open)
}

#[cfg(test)]
mod tests;
