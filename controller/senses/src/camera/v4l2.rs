//! Cameras of the kernel: USB webcams, and what else has a `/dev/video*` that gives finished pictures.

pub mod choice;
pub mod device;
pub mod find;
mod kernel;
#[cfg(test)]
pub(crate) mod recorded;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::camera::Lens;
use firmware_bridge::clock::{Clock, WallClock};
use rustix::io::Errno;

pub use choice::Wanted;
use choice::{Reading, choose, reading};
use device::{Device, Filled, Interval, Layout, Opener};
use find::Places;

use super::jpeg;
use super::lens::Known;
use super::source::{Source, Trouble};
use crate::frame::{Image, LARGEST};

/// So many broken pictures one after another are no accident.
const BROKEN: u32 = 60;

/// So many buffers are taken out at once; there are fewer, but a fast driver may fill them again meanwhile.
const BUFFERS: usize = 8;

/// A camera of the kernel.
pub struct V4l2 {
    /// Where it is; none: whichever is found.
    path: Option<PathBuf>,
    wanted: Wanted,
    places: Places,
    open: Opener,
    clock: WallClock,
    name: String,
    running: Option<Running>,
    skipped: u64,
    /// How many came broken since the last whole one.
    broken: u32,
}

struct Running {
    device: Box<dyn Device>,
    layout: Layout,
    reading: Reading,
    interval: Option<Interval>,
    wanted: Wanted,
    known: Option<Known>,
}

impl V4l2 {
    /// The camera at a path, or whichever is found when it is opened.
    #[must_use]
    pub fn new(path: Option<PathBuf>, wanted: Wanted) -> Self {
        V4l2::by(path, wanted, Places::default(), kernel())
    }

    fn by(path: Option<PathBuf>, wanted: Wanted, places: Places, open: Opener) -> Self {
        let name = path.as_ref().map_or("the camera".into(), |path| path.display().to_string());
        let clock = WallClock::start();
        V4l2 { path, wanted, places, open, clock, name, running: None, skipped: 0, broken: 0 }
    }

    /// The newest of these that is a picture; the others are counted.
    fn newest(&mut self, filled: Vec<Filled>) -> Option<Image> {
        let running = self.running.as_ref()?;
        let mut newest = None;
        for one in filled.into_iter().rev() {
            // What is older than a whole picture does not matter.
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

    fn told(&self) -> String {
        let Layout { format, width, height, .. } = self.layout;
        let mut told = format!("{format} {width}x{height}");
        if let Some(rate) = self.interval.and_then(Interval::rate) {
            told.push_str(&format!(" at {} a second", (rate * 10.0).round() / 10.0));
        }
        if (width, height) != (self.wanted.width, self.wanted.height) {
            told.push_str(&format!(" ({}x{} was wanted)", self.wanted.width, self.wanted.height));
        }
        told
    }
}

impl Source for V4l2 {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn format(&self) -> Option<String> {
        self.running.as_ref().map(Running::told)
    }

    fn lens(&self) -> Option<Lens> {
        let running = self.running.as_ref()?;
        Some(running.known?.lens(running.layout.width, running.layout.height))
    }

    fn skipped(&self) -> u64 {
        self.skipped
    }

    fn open(&mut self) -> Result<(), Trouble> {
        self.close();
        let path = match &self.path {
            Some(path) => path.clone(),
            None => find::first(&self.places, &mut self.open)?,
        };
        self.name = self.places.name(&path);
        let known = self.places.known(&path);
        self.running = Some(Running { known, ..start(&path, self.wanted, &mut self.open)? });
        self.broken = 0;
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Image>, Trouble> {
        let until = self.clock.now() + wait;
        loop {
            let left = until.since(self.clock.now());
            let Some(running) = self.running.as_mut() else {
                return Err(Trouble::new("it is not open", "it is opened again by itself"));
            };
            let mut ready = Vec::new();
            let mut waiting = left;
            while ready.len() < BUFFERS {
                match running.device.dequeue(waiting) {
                    Ok(Some(filled)) => ready.push(filled),
                    Ok(None) => break,
                    Err(error) if ready.is_empty() => return Err(unplugged(&self.name, &error)),
                    // What came before is given first; it fails again.
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
            if self.broken >= BROKEN {
                return Err(Trouble::new(
                    format!("the last {} pictures of {} were broken", self.broken, self.name),
                    "use a shorter cable or another USB port without a hub, or set a smaller size",
                ));
            }
        }
    }

    fn close(&mut self) {
        self.running = None;
    }
}

/// Opens a device for looking at what it can do.
pub(super) fn look(path: &Path, open: &mut Opener) -> Result<Box<dyn Device>, Trouble> {
    let device = open(path).map_err(|error| unopened(path, &error))?;
    let capability = device.capability().map_err(|error| unopened(path, &error))?;
    let path = path.display();
    if !capability.captures() {
        let (reason, remedy) = if capability.gives_metadata() {
            (
                format!("{path} gives notes about pictures (metadata), not pictures"),
                "set `camera.source` to the camera's other node, mostly the one with the number before it",
            )
        } else if capability.converts() {
            (format!("{path} turns pictures into others and is no camera"), CHOOSE)
        } else if capability.captures_planes() {
            return Err(raw_only(&format!(
                "{path} gives its pictures in several planes, as a part of a camera pipeline"
            )));
        } else {
            (format!("{path} gives no pictures and is no camera"), CHOOSE)
        };
        return Err(Trouble::new(reason, remedy));
    }
    if !capability.streams() {
        return Err(Trouble::new(format!("{path} has no buffers that can be mapped"), CHOOSE));
    }
    if capability.is_pipeline() {
        return Err(raw_only(&format!("{path} is the end of a camera pipeline that is not set up")));
    }
    Ok(device)
}

const CHOOSE: &str = "set `camera.source` to a camera's /dev/video*, or to `auto`";

/// A camera on a ribbon cable gives what its sensor sees; libcamera makes pictures of it.
fn raw_only(reason: &str) -> Trouble {
    Trouble::new(
        reason,
        "start with libcamera's V4L2 compatibility (`libcamerify minismith ...`, of the package libcamera-tools), or have \
         libcamera's programs serve MJPEG and set `camera.source` to that address",
    )
}

/// Opens a device, chooses and has it take pictures.
fn start(path: &Path, wanted: Wanted, open: &mut Opener) -> Result<Running, Trouble> {
    let mut device = look(path, open)?;
    let shown = path.display();
    let formats = device.formats().map_err(|error| unopened(path, &error))?;
    let Some(choice) = choose(device.as_ref(), wanted).map_err(|error| unopened(path, &error))? else {
        return Err(unreadable(path, &formats));
    };
    let layout =
        device.set(choice.format, choice.width, choice.height).map_err(|error| unopened(path, &error))?;
    let sides = 1..=LARGEST;
    let Some(reading) = reading(layout.format) else {
        return Err(unreadable(path, &[layout.format]));
    };
    if !sides.contains(&layout.width) || !sides.contains(&layout.height) {
        return Err(Trouble::new(
            format!("{shown} would give pictures of {}x{} pixels", layout.width, layout.height),
            format!("set `camera.width` and `camera.height` to at most {LARGEST}"),
        ));
    }
    // A driver without rates keeps its own; what it set is told.
    let interval = choice.interval.and_then(|interval| device.set_interval(interval).ok());
    device.start().map_err(|error| unopened(path, &error))?;
    Ok(Running { device, layout, reading, interval, wanted, known: None })
}

/// None of a device's formats can be read.
pub(super) fn unreadable(path: &Path, formats: &[device::Code]) -> Trouble {
    let shown = path.display();
    if formats.is_empty() {
        return Trouble::new(format!("{shown} names no format for pictures"), CHOOSE);
    }
    let named: Vec<String> = formats.iter().take(8).map(ToString::to_string).collect();
    let reason = format!("{shown} gives none of the formats that can be read, only {}", named.join(", "));
    if formats.iter().any(|format| is_raw(*format)) {
        return raw_only(&reason);
    }
    Trouble::new(reason, "use a camera that gives MJPEG or YUYV, as USB webcams do")
}

/// Whether a format is what a sensor sees, one colour a pixel (Bayer), by its letters in `videodev2.h`.
fn is_raw(format: device::Code) -> bool {
    let [one, two, three, four] = format.0;
    let tens = (three, four);
    matches!(&format.0, b"BA81" | b"GBRG" | b"GRBG" | b"RGGB")
        || (matches!((one, two), (b'B', b'G' | b'A') | (b'G', b'B' | b'R') | (b'R', b'G'))
            && matches!(tens, (b'1', b'0' | b'2' | b'4' | b'6')))
        || (one == b'p' && matches!(two, b'B' | b'G' | b'g' | b'R'))
}

/// Why a device can't be opened or set up.
pub(super) fn unopened(path: &Path, error: &io::Error) -> Trouble {
    let shown = path.display();
    let (reason, remedy) = match Errno::from_io_error(error) {
        Some(Errno::NOENT | Errno::NODEV | Errno::NXIO) => (
            format!("there is no {shown}"),
            "plug the camera in, or see with `minismith doctor` which cameras there are".into(),
        ),
        Some(Errno::ACCESS | Errno::PERM) => (
            format!("{shown} may not be opened by this user"),
            "`sudo usermod -aG video $USER`, then log out and in again".into(),
        ),
        Some(Errno::BUSY) => (
            format!("{shown} is in use by another program"),
            format!(
                "see with `fuser -v {shown}` which one holds it (a browser, the official daemon, another minismith) and end it"
            ),
        ),
        Some(Errno::NOTTY | Errno::ISDIR) => (format!("{shown} is no camera"), CHOOSE.into()),
        Some(Errno::NOSPC) => (
            format!("{shown} gets too little of its USB bus"),
            "plug it into another USB port without a hub, or set a smaller size".into(),
        ),
        Some(Errno::INVAL | Errno::PIPE) => (
            format!("the driver of {shown} refuses to take pictures ({error})"),
            "set another size in `camera.width` and `camera.height`; a camera on a ribbon cable needs libcamera's V4L2 \
             compatibility (`libcamerify minismith ...`)"
                .into(),
        ),
        _ => (format!("{shown} can't be used: {error}"), "plug it out and in again; `dmesg` may say more".into()),
    };
    Trouble::new(reason, remedy)
}

/// Why a device gives no more pictures.
fn unplugged(name: &str, error: &io::Error) -> Trouble {
    match Errno::from_io_error(error) {
        Some(Errno::NODEV | Errno::IO | Errno::NXIO) => Trouble::new(
            format!("{name} was unplugged"),
            "plug it in again; if it was not unplugged, use a shorter cable or another USB port",
        ),
        _ => Trouble::new(
            format!("{name} gives no more pictures ({error})"),
            "plug it out and in again; `dmesg` may say more",
        ),
    }
}

/// What opens the devices of this machine.
pub(super) fn kernel() -> Opener {
    Box::new(kernel::open)
}

#[cfg(test)]
mod tests;
