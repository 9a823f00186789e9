//! Chooses the format, size and rate of a camera that are nearest to the requested ones ([`choose`]).

use std::io;

use super::device::{Device, FourCc, Interval, Intervals, Sizes};
use crate::camera::pixels::Pixels;
use crate::frame::MAX_IMAGE_BYTES;

/// Requested image size and rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FormatRequest {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Images per second.
    pub rate: f64,
}

impl Default for FormatRequest {
    /// Returns the official package's default for most of its cameras.
    fn default() -> Self {
        FormatRequest { width: 1280, height: 720, rate: 30.0 }
    }
}

/// How a format is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As a JPEG, passed on unchanged.
    Jpeg,
    /// As uncompressed pixels.
    Pixels(Pixels),
}

/// Supported formats, the best first. Compressed images arrive at full rate over USB 2 and are passed on unchanged.
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

/// Returns how a format is decoded, or `None` if it is not supported.
#[must_use]
pub fn reading(format: FourCc) -> Option<Reading> {
    READABLE.iter().find(|(code, _)| *code == format.0).map(|(_, reading)| *reading)
}

/// A combination that the camera supports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The format.
    pub format: FourCc,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Time between two images, or `None` if the driver does not report it.
    pub interval: Option<Interval>,
}

/// Returns the combination nearest to the request, or `None` if no format is supported.
///
/// The order of criteria is: size, whether the rate is reached, format, rate.
///
/// # Errors
/// Returns the kernel's error.
pub fn choose(device: &dyn Device, requested: FormatRequest) -> io::Result<Option<Choice>> {
    let offered = device.formats()?;
    let mut best: Option<((u32, bool, usize, f64), Choice)> = None;
    for (rank, (code, _)) in READABLE.iter().enumerate() {
        let format = FourCc(*code);
        if !offered.contains(&format) {
            continue;
        }
        for (width, height) in sizes(device, format, requested) {
            let interval = nearest_interval(device, format, (width, height), requested.rate);
            let rate = interval.and_then(Interval::rate).unwrap_or(requested.rate);
            let off = width.abs_diff(requested.width).saturating_add(height.abs_diff(requested.height));
            let key = (off, rate < requested.rate * 0.7, rank, (rate - requested.rate).abs());
            if best.as_ref().is_none_or(|(least, _)| key < *least) {
                best = Some((key, Choice { format, width, height, interval }));
            }
        }
    }
    Ok(best.map(|(_, choice)| choice))
}

/// Returns the candidate sizes of a format. If the driver lists none, the requested size is tried.
fn sizes(device: &dyn Device, format: FourCc, requested: FormatRequest) -> Vec<(u32, u32)> {
    let fits = |(width, height): &(u32, u32)| {
        (1..=MAX_IMAGE_BYTES).contains(width) && (1..=MAX_IMAGE_BYTES).contains(height)
    };
    let mut sizes = match device.sizes(format) {
        Ok(Sizes::These(sizes)) => sizes,
        Ok(Sizes::Range { min: least, max: most, step }) => {
            vec![(
                stepped(requested.width, least.0, most.0, step.0),
                stepped(requested.height, least.1, most.1, step.1),
            )]
        }
        Err(_) => vec![(requested.width, requested.height)],
    };
    sizes.retain(fits);
    sizes
}

fn stepped(requested: u32, least: u32, most: u32, step: u32) -> u32 {
    let within = requested.clamp(least.min(most), most);
    within - within.saturating_sub(least) % step.max(1)
}

fn nearest_interval(device: &dyn Device, format: FourCc, size: (u32, u32), rate: f64) -> Option<Interval> {
    let off = |interval: &Interval| interval.rate().map_or(f64::INFINITY, |offered| (offered - rate).abs());
    match device.intervals(format, size.0, size.1).ok()? {
        Intervals::These(offered) => offered
            .into_iter()
            .filter(|interval| interval.rate().is_some())
            .min_by(|one, other| off(one).total_cmp(&off(other))),
        Intervals::Range { min: shortest, max: longest } => {
            let (fast, slow) = (shortest.rate()?, longest.rate()?);
            let requested = rate.clamp(slow.min(fast), fast);
            if requested == fast {
                return Some(shortest);
            }
            // In thousandths, because rates such as 29.97 are reported that way.
            Some(Interval(1_000, (requested * 1_000.0).round() as u32))
        }
    }
}
