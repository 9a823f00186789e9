//! A V4L2 device that replays responses from `tests/fixtures/v4l2`.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::io::Errno;
use serde::Deserialize;

use super::device::{Buffer, Capability, Device, FourCc, FrameFormat, Interval, Intervals, Opener, Sizes};
use crate::camera::jpeg::tests::{jpeg, without_tables};

/// Recorded responses of a device.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Recording {
    /// Source of the values.
    pub from: String,
    device_caps: u32,
    /// Result of each opening in turn. The last one applies to all that follow.
    openings: Vec<String>,
    formats: Vec<Format>,
    /// Format that the driver sets, where it differs from the request.
    sets: Option<Set>,
    /// Result of setting the format.
    set: Option<String>,
    /// Result of starting the stream.
    start: Option<String>,
    /// Buffers to dequeue after each successful opening.
    #[serde(rename = "pictures")]
    images: Vec<Vec<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Format {
    code: String,
    #[serde(default)]
    sizes: Vec<Size>,
    range: Option<Range>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    size: (u32, u32),
    /// Images per second.
    rates: Vec<u32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    #[serde(rename = "least")]
    min: (u32, u32),
    #[serde(rename = "most")]
    max: (u32, u32),
    step: (u32, u32),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    code: Option<String>,
    size: Option<(u32, u32)>,
    stride: Option<u32>,
}

/// Requests that the device received, for assertions.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    pub openings: usize,
    pub closings: usize,
    pub set: Option<(FourCc, u32, u32)>,
    pub interval: Option<Interval>,
}

impl Recording {
    pub(crate) fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v4l2").join(name);
        serde_yaml::from_str(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|why| panic!("{path:?}: {why}"))
    }

    /// Returns an opener that ignores the path.
    pub(crate) fn opener(self) -> (Opener, Arc<Mutex<Requests>>) {
        let requests = Arc::new(Mutex::new(Requests::default()));
        let record = requests.clone();
        let mut openings: VecDeque<String> = self.openings.clone().into();
        let mut images: VecDeque<Vec<String>> = self.images.clone().into();
        let opener: Opener = Box::new(move |_path| {
            record.lock().unwrap().openings += 1;
            let outcome = if openings.len() > 1 { openings.pop_front() } else { openings.front().cloned() };
            result_of(outcome.as_deref())?;
            let images = if images.len() > 1 { images.pop_front() } else { images.front().cloned() };
            let images = images.unwrap_or_default().into();
            Ok(Box::new(Recorded { recording: self.clone(), requests: record.clone(), layout: None, images }))
        });
        (opener, requests)
    }
}

/// Returns an opener for several devices, each by the name of its node.
pub(crate) fn several(devices: &[(&str, &str)]) -> Opener {
    let mut openers: HashMap<String, Opener> =
        devices.iter().map(|(node, file)| ((*node).into(), Recording::read(file).opener().0)).collect();
    Box::new(move |path| match openers.get_mut(path.file_name().unwrap().to_str().unwrap()) {
        Some(open) => open(path),
        None => Err(Errno::NOENT.into()),
    })
}

fn result_of(outcome: Option<&str>) -> io::Result<()> {
    match outcome {
        None | Some("ok") => Ok(()),
        Some(error) => Err(errno(error).into()),
    }
}

fn errno(name: &str) -> Errno {
    match name {
        "ENOENT" => Errno::NOENT,
        "EACCES" => Errno::ACCESS,
        "EBUSY" => Errno::BUSY,
        "ENODEV" => Errno::NODEV,
        "EIO" => Errno::IO,
        "EINVAL" => Errno::INVAL,
        "ENOTTY" => Errno::NOTTY,
        "ENOSPC" => Errno::NOSPC,
        other => panic!("unknown error: {other}"),
    }
}

struct Recorded {
    recording: Recording,
    requests: Arc<Mutex<Requests>>,
    layout: Option<FrameFormat>,
    images: VecDeque<String>,
}

impl Recorded {
    fn format(&self, code: FourCc) -> io::Result<&Format> {
        let found = self.recording.formats.iter().find(|format| format.code.as_bytes() == code.0);
        found.ok_or_else(|| Errno::INVAL.into())
    }

    /// Returns the buffer for an image by name. The part after a colon is its shade.
    fn filled(&self, name: &str) -> Buffer {
        let (kind, shade) = name.split_once(':').unwrap_or((name, "7"));
        let image = jpeg(shade.parse().unwrap());
        let (broken, bytes) = match kind {
            "picture" => (false, image),
            "bare" => (false, without_tables(&image)),
            "filled-up" => (false, [image, vec![0; 300]].concat()),
            "flagged" => (true, image),
            "cut-off" => (false, image[..image.len() / 2].to_vec()),
            "empty" => (false, Vec::new()),
            "grey" => {
                let layout = self.layout.unwrap();
                (false, vec![128; (layout.stride * layout.height) as usize])
            }
            other => panic!("unknown image: {other}"),
        };
        Buffer { broken, bytes }
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        self.requests.lock().unwrap().closings += 1;
    }
}

impl Device for Recorded {
    fn capability(&self) -> io::Result<Capability> {
        Ok(Capability(self.recording.device_caps))
    }

    fn formats(&self) -> io::Result<Vec<FourCc>> {
        let code = |format: &Format| FourCc(format.code.as_bytes().try_into().unwrap());
        Ok(self.recording.formats.iter().map(code).collect())
    }

    fn sizes(&self, format: FourCc) -> io::Result<Sizes> {
        let format = self.format(format)?;
        Ok(match &format.range {
            Some(range) => Sizes::Range { min: range.min, max: range.max, step: range.step },
            None => Sizes::These(format.sizes.iter().map(|size| size.size).collect()),
        })
    }

    fn intervals(&self, format: FourCc, width: u32, height: u32) -> io::Result<Intervals> {
        let found = self.format(format)?.sizes.iter().find(|size| size.size == (width, height));
        // Drivers of pipelines do not list intervals.
        let found = found.ok_or(Errno::NOTTY)?;
        Ok(Intervals::These(found.rates.iter().map(|rate| Interval(1, *rate)).collect()))
    }

    fn set(&mut self, format: FourCc, width: u32, height: u32) -> io::Result<FrameFormat> {
        self.requests.lock().unwrap().set = Some((format, width, height));
        result_of(self.recording.set.as_deref())?;
        let sets = self.recording.sets.clone().unwrap_or(Set { code: None, size: None, stride: None });
        let format = sets.code.map_or(format, |code| FourCc(code.as_bytes().try_into().unwrap()));
        let (width, height) = sets.size.unwrap_or((width, height));
        let usual = if format.0 == *b"YUYV" { width * 2 } else { 0 };
        let layout = FrameFormat { format, width, height, stride: sets.stride.unwrap_or(usual) };
        self.layout = Some(layout);
        Ok(layout)
    }

    fn set_interval(&mut self, interval: Interval) -> io::Result<Interval> {
        self.requests.lock().unwrap().interval = Some(interval);
        Ok(interval)
    }

    fn start(&mut self) -> io::Result<()> {
        result_of(self.recording.start.as_deref())
    }

    fn dequeue(&mut self, _wait: Duration) -> io::Result<Option<Buffer>> {
        match self.images.pop_front().as_deref() {
            // The wait passes without a buffer.
            None | Some("nothing") => Ok(None),
            Some(error) if error.starts_with('E') => {
                self.images.push_front(error.into());
                Err(errno(error).into())
            }
            Some(image) => Ok(Some(self.filled(image))),
        }
    }
}
