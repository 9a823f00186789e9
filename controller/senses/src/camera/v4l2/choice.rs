//! Which of a camera's formats, sizes and rates: the nearest to what is wanted.

use std::io;

use super::device::{Code, Device, Interval, Intervals, Sizes};
use crate::camera::pixels::Pixels;
use crate::frame::LARGEST;

/// What is wanted of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Pictures a second.
    pub rate: f64,
}

impl Default for Wanted {
    /// What the official package takes by default from most of its cameras.
    fn default() -> Self {
        Wanted { width: 1280, height: 720, rate: 30.0 }
    }
}

/// How a format is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As it is.
    Jpeg,
    /// Pixel by pixel.
    Pixels(Pixels),
}

/// What can be read, the best first: compressed pictures come at full rate over USB 2, and are passed on as they are.
const READABLE: [([u8; 4], Reading); 9] = [
    (*b"MJPG", Reading::Jpeg),
    (*b"JPEG", Reading::Jpeg),
    (*b"YUYV", Reading::Pixels(Pixels::Yuyv)),
    (*b"UYVY", Reading::Pixels(Pixels::Uyvy)),
    (*b"NV12", Reading::Pixels(Pixels::Nv12)),
    (*b"YU12", Reading::Pixels(Pixels::Yu12)),
    (*b"BGR3", Reading::Pixels(Pixels::Bgr)),
    (*b"RGB3", Reading::Pixels(Pixels::Rgb)),
    (*b"GREY", Reading::Pixels(Pixels::Grey)),
];

/// How a format is read; none when it can't be.
#[must_use]
pub fn reading(format: Code) -> Option<Reading> {
    READABLE.iter().find(|(code, _)| *code == format.0).map(|(_, reading)| *reading)
}

/// One of the things that a camera can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The format.
    pub format: Code,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Between two pictures; none when the driver does not tell.
    pub interval: Option<Interval>,
}

/// The choice nearest to what is wanted; none when no format can be read. The size counts first, then whether the rate is
/// reached, then the format, then the rate.
///
/// # Errors
/// The kernel's.
pub fn choose(device: &dyn Device, wanted: Wanted) -> io::Result<Option<Choice>> {
    let given = device.formats()?;
    let mut best: Option<((u32, bool, usize, f64), Choice)> = None;
    for (rank, (code, _)) in READABLE.iter().enumerate() {
        let format = Code(*code);
        if !given.contains(&format) {
            continue;
        }
        for (width, height) in sizes(device, format, wanted) {
            let interval = nearest_interval(device, format, (width, height), wanted.rate);
            let rate = interval.and_then(Interval::rate).unwrap_or(wanted.rate);
            let off = width.abs_diff(wanted.width).saturating_add(height.abs_diff(wanted.height));
            let key = (off, rate < wanted.rate * 0.7, rank, (rate - wanted.rate).abs());
            if best.as_ref().is_none_or(|(least, _)| key < *least) {
                best = Some((key, Choice { format, width, height, interval }));
            }
        }
    }
    Ok(best.map(|(_, choice)| choice))
}

/// The sizes of a format that come into question. Where the driver does not tell, it is asked for what is wanted.
fn sizes(device: &dyn Device, format: Code, wanted: Wanted) -> Vec<(u32, u32)> {
    let fits = |(width, height): &(u32, u32)| (1..=LARGEST).contains(width) && (1..=LARGEST).contains(height);
    let mut sizes = match device.sizes(format) {
        Ok(Sizes::These(sizes)) => sizes,
        Ok(Sizes::Range { least, most, step }) => {
            vec![(
                stepped(wanted.width, least.0, most.0, step.0),
                stepped(wanted.height, least.1, most.1, step.1),
            )]
        }
        Err(_) => vec![(wanted.width, wanted.height)],
    };
    sizes.retain(fits);
    sizes
}

fn stepped(wanted: u32, least: u32, most: u32, step: u32) -> u32 {
    let within = wanted.clamp(least.min(most), most);
    within - within.saturating_sub(least) % step.max(1)
}

fn nearest_interval(device: &dyn Device, format: Code, size: (u32, u32), rate: f64) -> Option<Interval> {
    let off = |interval: &Interval| interval.rate().map_or(f64::INFINITY, |given| (given - rate).abs());
    match device.intervals(format, size.0, size.1).ok()? {
        Intervals::These(given) => given
            .into_iter()
            .filter(|interval| interval.rate().is_some())
            .min_by(|one, other| off(one).total_cmp(&off(other))),
        Intervals::Range { shortest, longest } => {
            let (fast, slow) = (shortest.rate()?, longest.rate()?);
            let wanted = rate.clamp(slow.min(fast), fast);
            if wanted == fast {
                return Some(shortest);
            }
            // In thousandths, as rates like 29.97 are told.
            Some(Interval(1_000, (wanted * 1_000.0).round() as u32))
        }
    }
}
