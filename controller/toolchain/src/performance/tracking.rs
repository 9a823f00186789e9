//! A tool that has faces followed: while its time passes, picture by picture.
//!
//! A motion that the tool asks for is played as it is; the head follows again when it has ended.

use std::time::Duration;

use firmware_bridge::clock::Tick;
use firmware_bridge::posture::HeadPose;
use minismith_senses::gaze::Manner;
use minismith_wire::{Answer, Face, RefusalKind};

use super::{Heard, Performing, Reply};
use minismith_control::eyes::NoSight;
use minismith_control::gaze::{Gaze, next_picture};
use minismith_control::seen::seen;

/// What was found is told again for so long.
const SEARCHED_AGAIN: Duration = Duration::from_millis(500);

/// A face that is followed for a tool.
pub(super) struct Tracking {
    gaze: Gaze,
    /// Whether the head moves; with no weight the face is only watched.
    moves: bool,
}

impl Performing<'_> {
    /// Begins to follow faces, with this weight.
    pub(super) fn begin_tracking(&mut self, weight: f64) -> Heard {
        let weight = if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 1.0 };
        let base = self.stage.commanded_posture().map_or_else(HeadPose::neutral, |posture| posture.head);
        let gaze = Gaze::new(Manner { weight, ..Manner::default() }, base);
        self.tracking = Some(Tracking { gaze, moves: weight > 0.0 });
        self.watch();
        self.done()
    }

    /// The face that is followed, as it is in the newest picture.
    pub(super) fn face(&mut self) -> Heard {
        self.watch();
        let seen = self.tracking.as_ref().and_then(|tracking| tracking.gaze.seen());
        let face = seen.map_or_else(Face::default, |seen| Face {
            detected: true,
            x: Some(seen.x),
            y: Some(seen.y),
            roll: Some(seen.roll),
        });
        Heard::Answer(Reply::plain(Answer::Face { now: self.now.0, face }))
    }

    /// What the detectors find; twice a second at most, since it takes long.
    pub(super) fn detections(&mut self) -> Heard {
        let recent = self.found.as_ref().filter(|(at, _)| self.now.since(*at) < SEARCHED_AGAIN);
        let value = match recent {
            Some((_, value)) => value.clone(),
            None => match seen(self.stage) {
                Ok(seen) => {
                    if let Some(why) = &seen.blind_to {
                        self.note(&format!("only faces are found: {why}"));
                    }
                    let value = serde_json::to_value(&seen.things).unwrap_or_default();
                    self.found = Some((self.now, value.clone()));
                    value
                }
                Err(no) => return self.refuse(RefusalKind::Runtime, &format!("nothing can be found: {no}")),
            },
        };
        Heard::Answer(Reply::plain(Answer::Value { now: self.now.0, value }))
    }

    /// In which direction of the world a pixel lies.
    pub(super) fn ray(&mut self, u: f64, v: f64) -> Heard {
        let taken = self.stage.frame().map_err(NoSight::from).and_then(|frame| {
            let picture = frame.picture()?;
            Ok((frame, picture))
        });
        let (frame, picture) = match taken {
            Ok(taken) => taken,
            Err(no) => return self.refuse(RefusalKind::Runtime, &format!("there is no picture: {no}")),
        };
        let (width, height) = (picture.width as f64, picture.height as f64);
        if !(0.0..=width).contains(&u) || !(0.0..=height).contains(&v) {
            let message = format!("the pixel ({u}, {v}) is not in the picture of {width} by {height} pixels");
            return self.refuse(RefusalKind::Value, &message);
        }
        let Some(direction) = frame.direction(&picture, u, v) else {
            return self.refuse(RefusalKind::Value, "the lens is not known so far from its middle");
        };
        let value = serde_json::json!([direction.x, direction.y, direction.z]);
        Heard::Answer(Reply::plain(Answer::Value { now: self.now.0, value }))
    }

    /// Lets stage time pass up to here, and the head follow meanwhile.
    pub(super) fn track(&mut self, until: Tick) {
        while self.tracking.is_some() && !self.stage.is_stopped() {
            let next = next_picture(self.stage.conductor.stage_now(), self.stage.conductor.period());
            if next > until {
                break;
            }
            let snapshot = self.stage.pass_until(next);
            self.was_on_time(&snapshot);
            self.watch();
            let Some(tracking) = self.tracking.as_mut().filter(|tracking| tracking.moves) else { continue };
            match tracking.gaze.aim(self.stage) {
                Ok(moved) => {
                    if moved {
                        self.last_set = Some(self.now);
                    }
                }
                Err(refusal) => {
                    self.note(&format!("the face is not followed: {refusal}"));
                    self.tracking = None;
                }
            }
        }
    }

    /// Looks at the newest picture. What can't be seen is told once.
    fn watch(&mut self) {
        let Some(tracking) = &mut self.tracking else { return };
        match tracking.gaze.look(self.stage) {
            Ok(()) => {}
            Err(no @ NoSight::Model(_)) => {
                self.note(&format!(
                    "there is no tracking, and get_tracked_face() answers detected=False: {no}"
                ));
                self.tracking = None;
            }
            Err(no) => self.note(&format!("no face can be seen: {no}")),
        }
    }
}
