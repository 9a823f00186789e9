//! Finds the camera among the machine's video nodes ([`find`]).

use std::fs;
use std::path::{Path, PathBuf};

use super::device::Opener;
use super::{look, unreadable};
use crate::camera::lens::Known;
use crate::camera::source::SourceError;
use crate::camera::v4l2::choice::reading;

/// Nodes that offer images but are not cameras: codecs and image processors of a Raspberry Pi.
const NON_CAMERA_DRIVERS: [&str; 6] =
    ["bcm2835-codec", "bcm2835-isp", "rpi-hevc", "rpivid", "pispbe", "vicodec"];

/// Where the kernel lists video nodes.
#[derive(Clone, Debug)]
pub struct SysfsPaths {
    /// Directory of their attributes in sysfs.
    pub class: PathBuf,
    /// Directory of the device nodes.
    pub devices: PathBuf,
}

impl Default for SysfsPaths {
    fn default() -> Self {
        SysfsPaths { class: "/sys/class/video4linux".into(), devices: "/dev".into() }
    }
}

/// A video node that may be a camera.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Device path.
    pub path: PathBuf,
    /// Name that the camera reports.
    pub name: String,
    /// The robot camera that it is, or `None` for another.
    pub known: Option<Known>,
}

impl SysfsPaths {
    /// Lists the nodes that may be cameras: the robot's own first, then by number.
    #[must_use]
    pub fn nodes(&self) -> Vec<Node> {
        let mut numbers: Vec<u32> = [&self.class, &self.devices]
            .iter()
            .filter_map(|position| fs::read_dir(position).ok())
            .flat_map(|entries| entries.flatten())
            .filter_map(|entry| entry.file_name().to_str()?.strip_prefix("video")?.parse().ok())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut nodes: Vec<Node> = numbers.into_iter().map(|number| self.node(number)).collect();
        nodes.retain(|node| !NON_CAMERA_DRIVERS.iter().any(|processor| node.name.starts_with(processor)));
        nodes.sort_by_key(|node| node.known.is_none());
        nodes
    }

    fn node(&self, number: u32) -> Node {
        let entry = format!("video{number}");
        let path = self.devices.join(&entry);
        let known = self.known(&path);
        let name = self.attribute(&entry, "name").unwrap_or_else(|| path.display().to_string());
        Node { path, name, known }
    }

    /// Reads an attribute of a node as one printable line.
    fn attribute(&self, entry: &str, what: &str) -> Option<String> {
        let bytes = fs::read(self.class.join(entry).join(what)).ok()?;
        let text = String::from_utf8_lossy(&bytes).replace(|letter: char| letter.is_control(), " ");
        let text: String = text.trim().chars().take(120).collect();
        (!text.is_empty()).then_some(text)
    }

    /// Returns the name of the camera at a path, followed by the path.
    #[must_use]
    pub fn name(&self, path: &Path) -> String {
        match entry(path).and_then(|entry| self.attribute(&entry, "name")) {
            Some(name) => format!("{name} ({})", path.display()),
            None => path.display().to_string(),
        }
    }

    /// Identifies the camera at a path as one of the robot's, or returns `None` for another.
    #[must_use]
    pub fn known(&self, path: &Path) -> Option<Known> {
        Known::of(&self.attribute(&entry(path)?, "device/modalias")?)
    }
}

/// Returns the kernel's name of a node. Links such as those in /dev/v4l/by-id are resolved.
fn entry(path: &Path) -> Option<String> {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    Some(real.file_name()?.to_str()?.into())
}

/// Returns the first node with a supported image format.
///
/// # Errors
/// When there is none, returns the reason for the first candidate.
pub(super) fn first(places: &SysfsPaths, open: &mut Opener) -> Result<PathBuf, SourceError> {
    let mut why = None;
    for node in places.nodes() {
        match usable(&node.path, open) {
            Ok(true) => return Ok(node.path),
            Ok(false) => {}
            Err(error) => why = why.or(Some(error)),
        }
    }
    Err(why.unwrap_or_else(none_here))
}

/// Reports that there is no camera.
pub(crate) fn none_here() -> SourceError {
    SourceError::new(
        "no camera was found",
        "plug one in; in a container, pass it through (`--device /dev/video0`); or set `camera.source` to a file, a folder or \
         the address of an MJPEG stream",
    )
}

/// Returns whether a node has a supported image format. Nodes that capture no video give `false` instead of an error.
fn usable(path: &Path, open: &mut Opener) -> Result<bool, SourceError> {
    let device = match open(path) {
        Ok(device) => device,
        Err(error) => return Err(super::unopened(path, &error)),
    };
    if device.capability().is_ok_and(|capability| !capability.is_capture()) {
        return Ok(false);
    }
    drop(device);
    let formats = look(path, open)?.formats().map_err(|error| super::unopened(path, &error))?;
    if formats.iter().any(|format| reading(*format).is_some()) {
        return Ok(true);
    }
    Err(unreadable(path, &formats))
}

/// Returns the camera of this machine: one of the robot's, or else the first with a supported image format.
///
/// # Errors
/// Returns the reason when there is none.
pub fn find() -> Result<PathBuf, SourceError> {
    first(&SysfsPaths::default(), &mut super::kernel())
}
