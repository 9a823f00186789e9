//! What is wrong with a camera and what to do about it, for `minismith doctor`. Nothing here takes pictures.

use std::path::Path;

use super::source::Trouble;
use super::v4l2::choice::{Wanted, choose, reading};
use super::v4l2::device::{Code, Device, Opener, Sizes};
use super::v4l2::find::{Places, none_here};
use super::v4l2::{kernel, look, unopened, unreadable};

/// Something that holds of a camera, or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// It is as it should be.
    pub ok: bool,
    /// What was found.
    pub what: String,
    /// What to do, where it is not.
    pub remedy: Option<String>,
}

/// Looks at the camera at a path, or at all that there are. One that takes pictures for another program goes on with that, and
/// is told of as in use; so whoever holds a camera itself asks its own status instead.
#[must_use]
pub fn examine(path: Option<&Path>) -> Vec<Finding> {
    examine_by(path, &Places::default(), &mut kernel())
}

/// The same, of the devices that `open` opens.
pub(super) fn examine_by(path: Option<&Path>, places: &Places, open: &mut Opener) -> Vec<Finding> {
    if let Some(path) = path {
        return vec![finding(&places.name(path), usable(path, open))];
    }
    let mut findings = Vec::new();
    for node in places.nodes() {
        // A webcam's second node is no camera and no fault.
        let capability = open(&node.path).and_then(|device| device.capability());
        if capability.is_ok_and(|capability| !capability.captures()) {
            continue;
        }
        findings.push(finding(&places.name(&node.path), usable(&node.path, open)));
    }
    if findings.is_empty() { vec![finding("", Err(none_here()))] } else { findings }
}

fn finding(name: &str, outcome: Result<String, Trouble>) -> Finding {
    match outcome {
        Ok(what) => Finding { ok: true, what: format!("{name}: {what}"), remedy: None },
        Err(trouble) => Finding { ok: false, what: trouble.reason, remedy: Some(trouble.remedy) },
    }
}

/// What a device can do. Its format is set as it would be, since that is what another program that uses it prevents.
fn usable(path: &Path, open: &mut Opener) -> Result<String, Trouble> {
    let mut device = look(path, open)?;
    let formats = device.formats().map_err(|error| unopened(path, &error))?;
    let choice = choose(device.as_ref(), Wanted::default()).map_err(|error| unopened(path, &error))?;
    let choice = choice.ok_or_else(|| unreadable(path, &formats))?;
    let readable = formats.iter().filter(|format| reading(**format).is_some());
    let told: Vec<String> = readable.map(|format| told(device.as_ref(), *format)).collect();
    device.set(choice.format, choice.width, choice.height).map_err(|error| unopened(path, &error))?;
    Ok(told.join(", "))
}

/// A format and its largest size.
fn told(device: &dyn Device, format: Code) -> String {
    let area = |(width, height): &(u32, u32)| u64::from(*width) * u64::from(*height);
    let largest = match device.sizes(format) {
        Ok(Sizes::These(sizes)) => sizes.into_iter().max_by_key(area),
        Ok(Sizes::Range { most, .. }) => Some(most),
        Err(_) => None,
    };
    match largest {
        Some((width, height)) => format!("{format} up to {width}x{height}"),
        None => format.to_string(),
    }
}
