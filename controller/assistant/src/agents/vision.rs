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

use minismith_analysis::files::output::Output;
use minismith_control::execution::ExecutionContext;
use minismith_control::perception::PerceptionError;
use minismith_nlu::Sight;
use minismith_nlu::vision_intent::PERSON;
use minismith_runtime::report::{Step, TurnOutcome, round_for_display};

pub use minismith_control::seen::{Object, Seen, seen, seen_by};

/// The result of a look.
pub struct LookResult {
    /// The answer as text.
    pub text: String,
    /// The step, with any motion.
    pub step: Step,
    /// The outcome.
    pub ending: TurnOutcome,
}

impl LookResult {
    fn reported(sight: &Sight, text: impl Into<String>) -> Self {
        let step = Step { kind: sight.to_string(), ..Step::default() };
        LookResult { text: text.into(), step, ending: TurnOutcome::Done }
    }

    /// Returns the result for a failure of perception.
    fn blind(sight: &Sight, no: &PerceptionError) -> Self {
        let step = Step::refused(sight.to_string(), no);
        LookResult { text: format!("I can't see that: {no}."), step, ending: TurnOutcome::Failed }
    }
}

/// Carries out a vision request. Photographs are stored in `album`.
pub fn act(context: &mut ExecutionContext, sight: &Sight, album: &Path) -> LookResult {
    let looked = match sight {
        Sight::Scene => scene(context).map(|text| LookResult::reported(sight, text)),
        Sight::Count(label) => count(context, label).map(|text| LookResult::reported(sight, text)),
        Sight::Where(label) => find(context, label).map(|text| LookResult::reported(sight, text)),
        Sight::Colours => pixels::colours(context).map(|text| LookResult::reported(sight, text)),
        Sight::Motion => pixels::motion(context).map(|text| LookResult::reported(sight, text)),
        Sight::Photo => return photo(context, album),
        Sight::LookAt(label) => aim::look_at(context, sight, label),
        Sight::Follow(time) => aim::follow(context, sight, *time),
        Sight::Watch(time) => watch::watch(context, sight, *time),
    };
    looked.unwrap_or_else(|no| LookResult::blind(sight, &no))
}

/// Describes the scene.
fn scene(context: &mut ExecutionContext) -> Result<String, PerceptionError> {
    let seen = match seen(context) {
        Ok(seen) => seen,
        // Without any detector an image is still available.
        Err(no @ PerceptionError::Model(_)) => return bare(context, &no),
        Err(no) => return Err(no),
    };
    let what = words::list(&seen.objects);
    let limits =
        seen.blind_to.as_ref().map(|why| format!(" I looked for faces only: {why}.")).unwrap_or_default();
    Ok(match what {
        Some(what) => format!("I see {what}.{limits}"),
        None => format!("I see nothing that I know by name.{limits}"),
    })
}

/// Describes an image without any model.
fn bare(context: &ExecutionContext, no: &PerceptionError) -> Result<String, PerceptionError> {
    let image = context.frame()?.image()?;
    let sum: u64 = image.bgr.iter().map(|value| u64::from(*value)).sum();
    let brightness = round_for_display(sum as f64 / (image.bgr.len().max(1) as f64 * 255.0) * 100.0);
    Ok(format!(
        "I took a picture: {} x {} pixels, {brightness} % bright. I can't name what is in it: {no}.",
        image.width, image.height
    ))
}

fn count(context: &mut ExecutionContext, label: &'static str) -> Result<String, PerceptionError> {
    let seen = minismith_control::seen::of(context, label)?;
    let where_they_are = words::list(&seen).map(|what| format!(": {what}")).unwrap_or_default();
    Ok(match seen.len() {
        0 => format!("I see no {label}."),
        1 => format!("I see one {label}{where_they_are}."),
        many => format!("I see {many} {}{where_they_are}.", words::plural(label)),
    })
}

fn find(context: &mut ExecutionContext, label: &'static str) -> Result<String, PerceptionError> {
    let seen = minismith_control::seen::of(context, label)?;
    Ok(match seen.first() {
        Some(first) => format!("I see {}.", words::one(first)),
        None if label == PERSON => "I see nobody from here.".into(),
        None => format!("I see no {label} from here."),
    })
}

/// Stores the newest image.
fn photo(context: &ExecutionContext, album: &Path) -> LookResult {
    let sight = &Sight::Photo;
    let jpeg = match context.frame().map_err(PerceptionError::from).and_then(|frame| Ok(frame.jpeg()?)) {
        Ok(jpeg) => jpeg,
        Err(no) => return LookResult::blind(sight, &no),
    };
    match keep(album, &jpeg) {
        Ok(file) => LookResult::reported(sight, format!("I took a photo: {}.", file.display())),
        Err(error) => LookResult {
            text: format!("I took a photo, but it can't be kept in {}: {error}.", album.display()),
            step: Step::refused(sight.to_string(), error),
            ending: TurnOutcome::Failed,
        },
    }
}

/// Stores the photos of a tool in the album, as those that were asked for in words, and notes what is not stored.
pub fn keep_photos(album: &Path, outputs: &mut [Output], notes: &mut Vec<String>) {
    for output in outputs.iter_mut().filter(|output| output.is_photo && output.path.is_none()) {
        match keep(album, &output.content.0) {
            Ok(file) => output.path = Some(file),
            Err(error) => {
                notes.push(format!("{} can't be kept in {}: {error}", output.name, album.display()));
            }
        }
    }
}

/// The maximum number of photographs with the same second in their name.
const MAX_CHECKS_PER_SECOND: u32 = 1_000;

/// Writes a photograph under a free name.
fn keep(album: &Path, jpeg: &[u8]) -> std::io::Result<PathBuf> {
    use std::io::Write;
    fs::create_dir_all(album)?;
    let second = unix_seconds();
    for number in 1..=MAX_CHECKS_PER_SECOND {
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
