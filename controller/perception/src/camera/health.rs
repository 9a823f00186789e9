//! Examines cameras for `minismith doctor` and suggests remedies ([`examine`]). It captures no images.

use std::path::Path;

use super::source::SourceError;
use super::v4l2::choice::{FormatRequest, choose, reading};
use super::v4l2::device::{Device, FourCc, Opener, Sizes};
use super::v4l2::find::{SysfsPaths, none_here};
use super::v4l2::{kernel, look, unopened, unreadable};

/// Result of examining one camera.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether the camera is usable.
    pub ok: bool,
    /// Result in plain text.
    pub what: String,
    /// What to do if it is not usable.
    pub remedy: Option<String>,
}

/// Examines the camera at a path, or all cameras.
///
/// A camera that another program reads continues undisturbed and is reported as in use. A process that reads a camera itself
/// asks for its own status instead.
#[must_use]
pub fn examine(path: Option<&Path>) -> Vec<Finding> {
    examine_by(path, &SysfsPaths::default(), &mut kernel())
}

/// Examines the devices that `open` opens.
pub(super) fn examine_by(path: Option<&Path>, places: &SysfsPaths, open: &mut Opener) -> Vec<Finding> {
    if let Some(path) = path {
        return vec![finding(&places.name(path), usable(path, open))];
    }
    let mut findings = Vec::new();
    for node in places.nodes() {
        // A webcam's second node is neither a camera nor an error.
        let capability = open(&node.path).and_then(|device| device.capability());
        if capability.is_ok_and(|capability| !capability.is_capture()) {
            continue;
        }
        findings.push(finding(&places.name(&node.path), usable(&node.path, open)));
    }
    if findings.is_empty() { vec![finding("", Err(none_here()))] } else { findings }
}

fn finding(name: &str, outcome: Result<String, SourceError>) -> Finding {
    match outcome {
        Ok(what) => Finding { ok: true, what: format!("{name}: {what}"), remedy: None },
        Err(error) => Finding { ok: false, what: error.reason, remedy: Some(error.remedy) },
    }
}

/// Lists the formats of a device. It also sets the format it would use, because another program that streams prevents exactly
/// that.
fn usable(path: &Path, open: &mut Opener) -> Result<String, SourceError> {
    let mut device = look(path, open)?;
    let formats = device.formats().map_err(|error| unopened(path, &error))?;
    let choice = choose(device.as_ref(), FormatRequest::default()).map_err(|error| unopened(path, &error))?;
    let choice = choice.ok_or_else(|| unreadable(path, &formats))?;
    let readable = formats.iter().filter(|format| reading(**format).is_some());
    let describe: Vec<String> = readable.map(|format| describe(device.as_ref(), *format)).collect();
    device.set(choice.format, choice.width, choice.height).map_err(|error| unopened(path, &error))?;
    Ok(describe.join(", "))
}

/// Describes a format and its largest size.
fn describe(device: &dyn Device, format: FourCc) -> String {
    let area = |(width, height): &(u32, u32)| u64::from(*width) * u64::from(*height);
    let largest = match device.sizes(format) {
        Ok(Sizes::These(sizes)) => sizes.into_iter().max_by_key(area),
        Ok(Sizes::Range { max: most, .. }) => Some(most),
        Err(_) => None,
    };
    match largest {
        Some((width, height)) => format!("{format} up to {width}x{height}"),
        None => format.to_string(),
    }
}
