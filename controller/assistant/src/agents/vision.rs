//! Looks through the camera, then answers or acts on the result.
//!
//! Every statement is a measurement, or says that the value is unknown.
//!
//! Reading order: [`act`], `seen` (detections), `words` (their descriptions), `aim` (turns and follows),
//! `watch` (new objects), `pixels` (colours and motion).

mod aim;
mod pixels;
mod watch;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use firmware_bridge::clock::unix_seconds;

use minismith_control::eyes::NoSight;
use minismith_control::stage::Stage;
use minismith_nlu::Sight;
use minismith_nlu::sight::PERSON;
use minismith_runtime::outcome::{Ending, Step, tidy};

pub use minismith_control::seen::{Seen, Thing, seen, seen_by};

/// The result of a look.
pub struct Looked {
    /// The answer as text.
    pub text: String,
    /// The step, with any motion.
    pub step: Step,
    /// The outcome.
    pub ending: Ending,
}

impl Looked {
    fn told(sight: &Sight, text: impl Into<String>) -> Self {
        let step = Step { kind: sight.to_string(), ..Step::default() };
        Looked { text: text.into(), step, ending: Ending::Done }
    }

    /// Returns the result for a failure of perception.
    fn blind(sight: &Sight, no: &NoSight) -> Self {
        let step = Step::refused(sight.to_string(), no);
        Looked { text: format!("I can't see that: {no}."), step, ending: Ending::Failed }
    }
}

/// Carries out a vision request. Photographs are stored in `album`.
pub fn act(stage: &mut Stage, sight: &Sight, album: &Path) -> Looked {
    let looked = match sight {
        Sight::Scene => scene(stage).map(|text| Looked::told(sight, text)),
        Sight::Count(label) => count(stage, label).map(|text| Looked::told(sight, text)),
        Sight::Where(label) => find(stage, label).map(|text| Looked::told(sight, text)),
        Sight::Colours => pixels::colours(stage).map(|text| Looked::told(sight, text)),
        Sight::Motion => pixels::motion(stage).map(|text| Looked::told(sight, text)),
        Sight::Photo => return photo(stage, album),
        Sight::LookAt(label) => aim::look_at(stage, sight, label),
        Sight::Follow(time) => aim::follow(stage, sight, *time),
        Sight::Watch(time) => watch::watch(stage, sight, *time),
    };
    looked.unwrap_or_else(|no| Looked::blind(sight, &no))
}

/// Describes the scene.
fn scene(stage: &mut Stage) -> Result<String, NoSight> {
    let seen = match seen(stage) {
        Ok(seen) => seen,
        // Without any detector an image is still available.
        Err(no @ NoSight::Model(_)) => return bare(stage, &no),
        Err(no) => return Err(no),
    };
    let what = words::list(&seen.things);
    let limits =
        seen.blind_to.as_ref().map(|why| format!(" I looked for faces only: {why}.")).unwrap_or_default();
    Ok(match what {
        Some(what) => format!("I see {what}.{limits}"),
        None => format!("I see nothing that I know by name.{limits}"),
    })
}

/// Describes an image without any model.
fn bare(stage: &Stage, no: &NoSight) -> Result<String, NoSight> {
    let picture = stage.frame()?.picture()?;
    let sum: u64 = picture.bgr.iter().map(|value| u64::from(*value)).sum();
    let brightness = tidy(sum as f64 / (picture.bgr.len().max(1) as f64 * 255.0) * 100.0);
    Ok(format!(
        "I took a picture: {} x {} pixels, {brightness} % bright. I can't name what is in it: {no}.",
        picture.width, picture.height
    ))
}

fn count(stage: &mut Stage, label: &'static str) -> Result<String, NoSight> {
    let seen = minismith_control::seen::of(stage, label)?;
    let where_they_are = words::list(&seen).map(|what| format!(": {what}")).unwrap_or_default();
    Ok(match seen.len() {
        0 => format!("I see no {label}."),
        1 => format!("I see one {label}{where_they_are}."),
        many => format!("I see {many} {}{where_they_are}.", words::plural(label)),
    })
}

fn find(stage: &mut Stage, label: &'static str) -> Result<String, NoSight> {
    let seen = minismith_control::seen::of(stage, label)?;
    Ok(match seen.first() {
        Some(first) => format!("I see {}.", words::one(first)),
        None if label == PERSON => "I see nobody from here.".into(),
        None => format!("I see no {label} from here."),
    })
}

/// Stores the newest image.
fn photo(stage: &Stage, album: &Path) -> Looked {
    let sight = &Sight::Photo;
    let jpeg = match stage.frame().map_err(NoSight::from).and_then(|frame| Ok(frame.jpeg()?)) {
        Ok(jpeg) => jpeg,
        Err(no) => return Looked::blind(sight, &no),
    };
    match keep(album, &jpeg) {
        Ok(file) => Looked::told(sight, format!("I took a photo: {}.", file.display())),
        Err(error) => Looked {
            text: format!("I took a photo, but it can't be kept in {}: {error}.", album.display()),
            step: Step::refused(sight.to_string(), error),
            ending: Ending::Failed,
        },
    }
}

/// The maximum number of photographs with the same second in their name.
const MOST_IN_A_SECOND: u32 = 1_000;

/// Writes a photograph under a free name.
fn keep(album: &Path, jpeg: &[u8]) -> std::io::Result<PathBuf> {
    use std::io::Write;
    fs::create_dir_all(album)?;
    let second = unix_seconds();
    for number in 1..=MOST_IN_A_SECOND {
        let file =
            album.join(if number == 1 { format!("{second}.jpg") } else { format!("{second}-{number}.jpg") });
        match fs::File::create_new(&file) {
            Ok(mut open) => {
                open.write_all(jpeg)?;
                return Ok(file);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other("there are too many photographs of this second"))
}
