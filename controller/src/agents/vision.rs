//! Looks through the camera. For now: whether there is a picture, how large and how bright it is.

use crate::outcome::{Step, tidy};
use crate::stage::Stage;

/// Takes a picture and says what is known of it.
pub fn look(stage: &mut Stage) -> (String, Step) {
    let Some(picture) = stage.picture() else {
        let why = "there is no picture: the head's pose is not known";
        return (format!("I can't see: {why}."), Step::refused("look", why));
    };
    let sum: u64 = picture.bgr.iter().map(|value| u64::from(*value)).sum();
    let brightness = tidy(sum as f64 / (picture.bgr.len().max(1) as f64 * 255.0) * 100.0);
    let text = format!(
        "I took a picture: {} x {} pixels, {brightness} % bright. I can't name what is in it.",
        picture.width, picture.height
    );
    (text, Step { kind: "look".into(), ..Step::default() })
}
