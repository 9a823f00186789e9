//! The text format of scenes: keys, permitted values and error messages. Old names of keys are read as well.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use serde::Deserialize;

use super::billboard::{self, Billboard, Block};
use super::light::{Light, Noise};
use super::photo_texture::{MipMap, Photo, hash};
use super::{Bgr, Scene};

/// The maximum size of a scene, bytes, and the maximum number of objects.
const MAX_SIDE_PX: u64 = 64 << 10;
const MAX_OBJECTS: usize = 64;
/// The maximum distance, metres, and the maximum time, seconds.
const MAX_COORDINATE_M: f64 = 100.0;
const MAX_TIME_S: f64 = 86_400.0;

/// A scene cannot be loaded. The messages are for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SceneError {
    /// No scene has this name.
    #[error("unknown scene {name:?}; use one of {}, or the path of a scene file", Scene::BUILT_IN.join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// The file cannot be read.
    #[error("cannot read the scene {}: {reason}", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The cause.
        reason: String,
    },
    /// The content is invalid.
    #[error("invalid scene: {0}")]
    Invalid(String),
    /// A photograph is missing.
    #[error("cannot read the photograph {} of the scene: {reason}; `make models` installs the built-in ones", .file.display())]
    Photograph {
        /// The file.
        file: PathBuf,
        /// The cause.
        reason: String,
    },
}

pub(super) const EMPTY: &str = include_str!("../../scenes/empty.yaml");

/// Returns the text of a built-in scene.
pub(super) fn built_in(name: &str) -> Result<&'static str, SceneError> {
    Ok(match name {
        "room" => include_str!("../../scenes/room.yaml"),
        "visitor" => include_str!("../../scenes/visitor.yaml"),
        "walker" => include_str!("../../scenes/walker.yaml"),
        "newcomer" => include_str!("../../scenes/newcomer.yaml"),
        "crowd" => include_str!("../../scenes/crowd.yaml"),
        "empty" => EMPTY,
        _ => return Err(SceneError::Unknown { name: name.chars().take(60).collect() }),
    })
}

pub(super) fn load(path: &Path, photos: &Path) -> Result<Scene, SceneError> {
    let unreadable = |reason: String| SceneError::Unreadable { file: path.to_owned(), reason };
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(MAX_SIDE_PX + 1).read_to_string(&mut text))
        .map_err(|error| unreadable(error.to_string()))?;
    if text.len() as u64 > MAX_SIDE_PX {
        return Err(unreadable(format!("the file exceeds {MAX_SIDE_PX} bytes")));
    }
    // The user's own photographs are in the folder of the scene.
    let beside = path.parent().unwrap_or(Path::new("")).to_owned();
    read(&text, &[&beside, photos]).map_err(|error| match error {
        SceneError::Invalid(what) => SceneError::Invalid(format!("{}: {what}", path.display())),
        other => other,
    })
}

pub(super) fn parse(yaml: &str, photos: &Path) -> Result<Scene, SceneError> {
    read(yaml, &[photos])
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Keys {
    size: [u16; 2],
    /// Red, green, blue, like every colour in the file.
    sky: [u8; 3],
    floor: [[u8; 3]; 2],
    light: LightKeys,
    noise: f64,
    seed: u64,
    blocks: Vec<BlockKeys>,
    billboards: Vec<BillboardKeys>,
}

impl Default for Keys {
    fn default() -> Self {
        Keys {
            size: [320, 240],
            sky: [170, 206, 235],
            floor: [[120, 110, 96], [146, 134, 120]],
            light: LightKeys::default(),
            noise: 0.0,
            seed: 0,
            blocks: Vec::new(),
            billboards: Vec::new(),
        }
    }
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LightKeys {
    ambient: f64,
    towards: [f64; 3],
    strength: f64,
    flicker: f64,
    flicker_hz: f64,
}

impl Default for LightKeys {
    fn default() -> Self {
        LightKeys { ambient: 1.0, towards: [0.0, 0.0, 1.0], strength: 0.0, flicker: 0.0, flicker_hz: 0.0 }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockKeys {
    name: String,
    #[serde(rename = "min", alias = "least")]
    least: [f64; 3],
    #[serde(rename = "max", alias = "most")]
    most: [f64; 3],
    colour: [u8; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BillboardKeys {
    name: String,
    kind: String,
    /// The file name in the folder of photographs.
    #[serde(rename = "image", alias = "photograph")]
    photo: String,
    /// Left, top, width, height, pixels. Default: the whole photograph.
    #[serde(default)]
    crop: Option<[usize; 4]>,
    /// The pixel of the photograph that counts as its centre.
    #[serde(default)]
    landmark: Option<[f64; 2]>,
    #[serde(rename = "position", alias = "at", default)]
    at: Option<[f64; 3]>,
    height: f64,
    /// The yaw of its front, degrees to the left of the robot's front. Default: it faces the robot.
    #[serde(default)]
    yaw: Option<f64>,
    #[serde(default)]
    mirrored: bool,
    #[serde(default = "whole")]
    brightness: f64,
    #[serde(default)]
    path: Vec<StopKeys>,
    #[serde(default)]
    repeat: bool,
    #[serde(default)]
    smooth: bool,
    /// Start and end of the visible interval, seconds.
    #[serde(default)]
    shown: Option<[f64; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StopKeys {
    t: f64,
    #[serde(rename = "position", alias = "at")]
    at: [f64; 3],
}

const fn whole() -> f64 {
    1.0
}

fn read(yaml: &str, folders: &[&Path]) -> Result<Scene, SceneError> {
    if yaml.len() as u64 > MAX_SIDE_PX {
        return Err(SceneError::Invalid(format!("the text exceeds {MAX_SIDE_PX} bytes")));
    }
    let keys: Keys = serde_yaml::from_str(yaml).map_err(|error| SceneError::Invalid(error.to_string()))?;
    let [width, height] = keys.size;
    if !(16..=4096).contains(&width) || !(16..=4096).contains(&height) {
        return Err(SceneError::Invalid("size: each side is 16 to 4096 pixels".into()));
    }
    if keys.blocks.len() + keys.billboards.len() > MAX_OBJECTS {
        return Err(SceneError::Invalid(format!("more than {MAX_OBJECTS} blocks and billboards")));
    }
    let mut identity = hash(yaml.as_bytes());
    let blocks = keys.blocks.into_iter().map(block).collect::<Result<_, _>>()?;
    let mut boards = Vec::new();
    for board in keys.billboards {
        let (board, photo) = read_billboard(board, folders)?;
        identity = hash(&[identity.to_le_bytes(), photo.hash.to_le_bytes()].concat());
        boards.push(board);
    }
    Ok(Scene {
        width,
        height,
        sky: bgr(keys.sky),
        floor: keys.floor.map(bgr),
        light: light(&keys.light)?,
        noise: Noise::new(within(keys.noise, 0.0, 60.0, "noise")?, keys.seed),
        blocks,
        boards,
        identity,
    })
}

fn bgr([red, green, blue]: [u8; 3]) -> Bgr {
    [blue, green, red]
}

fn within(value: f64, least: f64, most: f64, what: &str) -> Result<f64, SceneError> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(SceneError::Invalid(format!("{what}: {value} is not from {least} to {most}")))
}

fn position(at: [f64; 3], what: &str) -> Result<Point3<f64>, SceneError> {
    for value in at {
        within(value, -MAX_COORDINATE_M, MAX_COORDINATE_M, what)?;
    }
    Ok(Point3::from(at))
}

fn light(keys: &LightKeys) -> Result<Light, SceneError> {
    let towards = position(keys.towards, "light.towards")?.coords;
    let towards = towards.try_normalize(1e-6).unwrap_or_else(Vector3::z);
    Ok(Light {
        ambient: within(keys.ambient, 0.0, 4.0, "light.ambient")?,
        towards,
        strength: within(keys.strength, 0.0, 4.0, "light.strength")?,
        flicker: (
            within(keys.flicker, 0.0, 1.0, "light.flicker")?,
            within(keys.flicker_hz, 0.0, 1000.0, "light.flicker_hz")?,
        ),
    })
}

fn block(keys: BlockKeys) -> Result<Block, SceneError> {
    let what = |key: &str| format!("blocks: {}: {key}", shown(&keys.name));
    let (least, most) = (position(keys.least, &what("min"))?, position(keys.most, &what("max"))?);
    if (most - least).min() <= 0.0 {
        return Err(SceneError::Invalid(what("`max` is not beyond `min` in all three directions")));
    }
    Ok(Block { min: least, max: most, colour: bgr(keys.colour), name: keys.name })
}

/// Returns a name without control characters, for messages.
fn shown(name: &str) -> String {
    name.chars().filter(|character| !character.is_control()).take(40).collect()
}

fn read_billboard(keys: BillboardKeys, folders: &[&Path]) -> Result<(Billboard, Arc<Photo>), SceneError> {
    let name = shown(&keys.name);
    let what = |key: &str| format!("billboards: {name}: {key}");
    let wrong = |key: &str| SceneError::Invalid(what(key));
    let stops = match (keys.at, keys.path.is_empty()) {
        (Some(at), true) => vec![(0.0, position(at, &what("position"))?)],
        (None, false) => {
            let stop = |stop: &StopKeys| {
                Ok((
                    within(stop.t, 0.0, MAX_TIME_S, &what("path: t"))?,
                    position(stop.at, &what("path: position"))?,
                ))
            };
            keys.path.iter().take(1_000).map(stop).collect::<Result<Vec<_>, SceneError>>()?
        }
        _ => return Err(wrong("it has either `position` or a `path`")),
    };
    if stops.iter().zip(stops.iter().skip(1)).any(|((one, _), (next, _))| next <= one) {
        return Err(wrong("path: the times are not in order"));
    }
    if Path::new(&keys.photo).file_name().is_none_or(|file| file != keys.photo.as_str()) {
        return Err(wrong("image: must be a file name without a folder"));
    }
    let photograph = photo(&keys.photo, folders)?;
    let (wide, high) = (photograph.image.width, photograph.image.height);
    let crop = keys.crop.unwrap_or([0, 0, wide, high]);
    let levels = MipMap::of(&photograph.image, crop, keys.mirrored).ok_or_else(|| {
        wrong(&format!(
            "crop: not inside the photograph of {wide} x {high} pixels, or less than 4 pixels on a side"
        ))
    })?;
    let [left, top, width, height] = crop.map(|pixels| pixels as f64);
    let landmark = keys.landmark.unwrap_or([left + width / 2.0, top + height / 2.0]);
    let across = within((landmark[0] - left) / width, 0.0, 1.0, &what("landmark"))?;
    let down = within((landmark[1] - top) / height, 0.0, 1.0, &what("landmark"))?;
    let shown = match keys.shown {
        Some([from, to]) => Some((
            within(from, 0.0, MAX_TIME_S, &what("shown"))?,
            within(to, from, MAX_TIME_S, &what("shown"))?,
        )),
        None => None,
    };
    let board = Billboard {
        kind: keys.kind,
        levels: Arc::new(levels),
        height: within(keys.height, 0.01, 10.0, &what("height"))?,
        yaw: keys.yaw.map(|yaw| within(yaw, -360.0, 360.0, &what("yaw"))).transpose()?.map(f64::to_radians),
        brightness: within(keys.brightness, 0.0, 4.0, &what("brightness"))?,
        landmark: [if keys.mirrored { 1.0 - across } else { across }, down],
        path: billboard::Path { stops, repeats: keys.repeat, is_smooth: keys.smooth },
        visible: shown,
        name: keys.name,
    };
    Ok((board, photograph))
}

/// Reads the photograph from the first of the folders that contains it.
fn photo(name: &str, folders: &[&Path]) -> Result<Arc<Photo>, SceneError> {
    let there = folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file());
    let file = there.unwrap_or_else(|| folders.last().map(|folder| folder.join(name)).unwrap_or_default());
    Photo::open(&file).map_err(|reason| SceneError::Photograph { file, reason })
}
