//! Which of the machine's video nodes is the camera.

use std::fs;
use std::path::{Path, PathBuf};

use super::device::Opener;
use super::{look, unreadable};
use crate::camera::lens::Known;
use crate::camera::source::Trouble;
use crate::camera::v4l2::choice::reading;

/// Nodes that offer pictures and are no cameras: a Raspberry Pi's codecs and image processors.
const PROCESSORS: [&str; 6] = ["bcm2835-codec", "bcm2835-isp", "rpi-hevc", "rpivid", "pispbe", "vicodec"];

/// Where the kernel shows its video nodes.
#[derive(Clone, Debug)]
pub struct Places {
    /// What it says about them.
    pub class: PathBuf,
    /// The nodes.
    pub devices: PathBuf,
}

impl Default for Places {
    fn default() -> Self {
        Places { class: "/sys/class/video4linux".into(), devices: "/dev".into() }
    }
}

/// A video node that may be a camera.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Where it is.
    pub path: PathBuf,
    /// What the camera calls itself.
    pub name: String,
    /// Which of the robot's cameras it is; none: another.
    pub known: Option<Known>,
}

impl Places {
    /// The nodes that may be cameras: the robot's first, then by number.
    #[must_use]
    pub fn nodes(&self) -> Vec<Node> {
        let mut numbers: Vec<u32> = [&self.class, &self.devices]
            .iter()
            .filter_map(|place| fs::read_dir(place).ok())
            .flat_map(|entries| entries.flatten())
            .filter_map(|entry| entry.file_name().to_str()?.strip_prefix("video")?.parse().ok())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut nodes: Vec<Node> = numbers.into_iter().map(|number| self.node(number)).collect();
        nodes.retain(|node| !PROCESSORS.iter().any(|processor| node.name.starts_with(processor)));
        nodes.sort_by_key(|node| node.known.is_none());
        nodes
    }

    fn node(&self, number: u32) -> Node {
        let entry = format!("video{number}");
        let path = self.devices.join(&entry);
        let known = self.known(&path);
        let name = self.told(&entry, "name").unwrap_or_else(|| path.display().to_string());
        Node { path, name, known }
    }

    /// What the kernel says about a node, in one line that can be shown.
    fn told(&self, entry: &str, what: &str) -> Option<String> {
        let bytes = fs::read(self.class.join(entry).join(what)).ok()?;
        let text = String::from_utf8_lossy(&bytes).replace(|letter: char| letter.is_control(), " ");
        let text: String = text.trim().chars().take(120).collect();
        (!text.is_empty()).then_some(text)
    }

    /// The name of the camera at a path, with the path.
    #[must_use]
    pub fn name(&self, path: &Path) -> String {
        match entry(path).and_then(|entry| self.told(&entry, "name")) {
            Some(name) => format!("{name} ({})", path.display()),
            None => path.display().to_string(),
        }
    }

    /// Which of the robot's cameras is at a path; none: another.
    #[must_use]
    pub fn known(&self, path: &Path) -> Option<Known> {
        Known::of(&self.told(&entry(path)?, "device/modalias")?)
    }
}

/// The kernel's name of a node. A link such as those of /dev/v4l/by-id is looked through.
fn entry(path: &Path) -> Option<String> {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    Some(real.file_name()?.to_str()?.into())
}

/// The first node that gives pictures that can be read.
///
/// # Errors
/// When there is none: why not the first that looked like one.
pub(super) fn first(places: &Places, open: &mut Opener) -> Result<PathBuf, Trouble> {
    let mut why = None;
    for node in places.nodes() {
        match usable(&node.path, open) {
            Ok(true) => return Ok(node.path),
            Ok(false) => {}
            Err(trouble) => why = why.or(Some(trouble)),
        }
    }
    Err(why.unwrap_or_else(none_here))
}

/// There is no camera.
pub(crate) fn none_here() -> Trouble {
    Trouble::new(
        "no camera was found",
        "plug one in; in a container pass it through (`--device /dev/video0`); or set `camera.source` to a file, a folder or \
         the address of an MJPEG stream",
    )
}

/// Whether a node gives pictures that can be read; not when it was never meant to.
fn usable(path: &Path, open: &mut Opener) -> Result<bool, Trouble> {
    let device = match open(path) {
        Ok(device) => device,
        Err(error) => return Err(super::unopened(path, &error)),
    };
    if device.capability().is_ok_and(|capability| !capability.captures()) {
        return Ok(false);
    }
    drop(device);
    let formats = look(path, open)?.formats().map_err(|error| super::unopened(path, &error))?;
    if formats.iter().any(|format| reading(*format).is_some()) {
        return Ok(true);
    }
    Err(unreadable(path, &formats))
}

/// The camera of this machine: one of the robot's, otherwise the first that gives pictures that can be read.
///
/// # Errors
/// When there is none, and why.
pub fn find() -> Result<PathBuf, Trouble> {
    first(&Places::default(), &mut super::kernel())
}
