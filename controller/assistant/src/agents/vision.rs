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
use minismith_commands::describe::{Sights, sights};
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
    fn blind(sight: &Sight, no: &PerceptionError, phrases: &Sights) -> Self {
        let step = Step::refused(sight.to_string(), no);
        let text = phrases.blind.replace("{why}", &no.to_string());
        LookResult { text, step, ending: TurnOutcome::Failed }
    }
}

/// Carries out a vision request. Photographs are stored in `album`. What is seen is told in a language, by its code; the rest
/// in English.
pub fn act(context: &mut ExecutionContext, sight: &Sight, album: &Path, language: &str) -> LookResult {
    let Some(phrases) = sights(language) else {
        return LookResult::reported(sight, String::new());
    };
    let looked = match sight {
        Sight::Scene => scene(context, phrases).map(|text| LookResult::reported(sight, text)),
        Sight::Count(label) => count(context, label, phrases).map(|text| LookResult::reported(sight, text)),
        Sight::Where(label) => find(context, label, phrases).map(|text| LookResult::reported(sight, text)),
        Sight::Colours => pixels::colours(context).map(|text| LookResult::reported(sight, text)),
        Sight::Motion => pixels::motion(context).map(|text| LookResult::reported(sight, text)),
        Sight::Photo => return photo(context, album, phrases),
        Sight::LookAt(label) => aim::look_at(context, sight, label),
        Sight::Follow(time) => aim::follow(context, sight, *time),
        Sight::Watch(time) => watch::watch(context, sight, *time),
    };
    looked.unwrap_or_else(|no| LookResult::blind(sight, &no, phrases))
}

/// Describes the scene.
fn scene(context: &mut ExecutionContext, phrases: &Sights) -> Result<String, PerceptionError> {
    let seen = match seen(context) {
        Ok(seen) => seen,
        // Without any detector an image is still available.
        Err(no @ PerceptionError::Model(_)) => return bare(context, &no),
        Err(no) => return Err(no),
    };
    let limits = seen.blind_to.as_ref().map(|why| format!(" {}", phrases.faces_only.replace("{why}", why)));
    let text = match words::list(&seen.objects, phrases) {
        Some(what) => phrases.see.replace("{what}", &what),
        None => phrases.nothing.clone(),
    };
    Ok(text + limits.as_deref().unwrap_or_default())
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

fn count(
    context: &mut ExecutionContext,
    label: &'static str,
    phrases: &Sights,
) -> Result<String, PerceptionError> {
    let seen = minismith_control::seen::of(context, label)?;
    let listed = words::list(&seen, phrases).unwrap_or_default();
    let what = match seen.len() {
        0 if label == PERSON => return Ok(phrases.nobody.clone()),
        0 => return Ok(format!("I see no {label}.")),
        1 if label == PERSON => phrases.person.replace("{what}", &listed),
        1 => format!("one {label}: {listed}"),
        many if label == PERSON => {
            phrases.people.replace("{n}", &many.to_string()).replace("{what}", &listed)
        }
        many => format!("{many} {}: {listed}", words::plural(label)),
    };
    Ok(phrases.see.replace("{what}", &what))
}

fn find(
    context: &mut ExecutionContext,
    label: &'static str,
    phrases: &Sights,
) -> Result<String, PerceptionError> {
    let seen = minismith_control::seen::of(context, label)?;
    Ok(match seen.first() {
        Some(first) => phrases.see.replace("{what}", &words::one(first, phrases)),
        None if label == PERSON => phrases.nobody.clone(),
        None => format!("I see no {label} from here."),
    })
}

/// Stores the newest image.
fn photo(context: &ExecutionContext, album: &Path, phrases: &Sights) -> LookResult {
    let sight = &Sight::Photo;
    let jpeg = match context.frame().map_err(PerceptionError::from).and_then(|frame| Ok(frame.jpeg()?)) {
        Ok(jpeg) => jpeg,
        Err(no) => return LookResult::blind(sight, &no, phrases),
    };
    match keep(album, &jpeg) {
        Ok(file) => LookResult::reported(sight, phrases.photo.replace("{file}", &file.display().to_string())),
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
