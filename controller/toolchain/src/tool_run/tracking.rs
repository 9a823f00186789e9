//! Follows a face for a tool while its time passes: frame by frame if the head moves, less often if it only observes.
//!
//! A motion that the tool requests is played unchanged. The head follows again after the motion.

use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use firmware_bridge::posture::HeadPose;
use minismith_perception::gaze::FollowOptions;
use minismith_protocol::{Face, HostReply, RefusalKind};

use super::{Execution, Next, Reply};
use minismith_control::execution::look_at;
use minismith_control::gaze::{FRAME_INTERVAL, Gaze, next_image};
use minismith_control::perception::PerceptionError;
use minismith_control::seen::seen;

/// Time for which detections are reused.
const DETECTION_LIFETIME: Duration = Duration::from_millis(500);

/// Interval between the images that are searched while a face is only observed and the tool does not ask for it. A track
/// is confirmed by two detections within 0.3 s.
const OBSERVATION_INTERVAL: Duration = Duration::from_millis(200);

/// The face that is followed for a tool.
pub(super) struct Tracking {
    gaze: Gaze,
    /// Whether the head moves. With a weight of zero the face is only observed.
    moves: bool,
    /// When an image was last searched, in robot time.
    watched: Timestamp,
}

/// Steps from the edge of an image to its centre.
const EDGE_STEPS: u8 = 25;

/// The time in which the head must be able to look at a pixel.
const LOOK_DURATION: Duration = Duration::from_secs(1);

impl Execution<'_> {
    /// Starts to follow faces with this weight, from 0 to 1.
    pub(super) fn begin_tracking(&mut self, weight: f64) -> Next {
        let weight = if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 1.0 };
        let base = self.context.commanded_posture().map_or_else(HeadPose::neutral, |posture| posture.head);
        let gaze = Gaze::new(FollowOptions { weight, ..FollowOptions::default() }, base);
        let watched = self.context.control.robot_time();
        self.tracking = Some(Tracking { gaze, moves: weight > 0.0, watched });
        self.watch();
        self.done()
    }

    /// Returns the followed face in the latest frame.
    pub(super) fn face(&mut self) -> Next {
        self.watch();
        let seen = self.tracking.as_ref().and_then(|tracking| tracking.gaze.seen());
        let face = seen.map_or_else(Face::default, |seen| Face {
            detected: true,
            x: Some(seen.x),
            y: Some(seen.y),
            roll: Some(seen.roll),
        });
        Next::Answer(Reply::plain(HostReply::Face { now: self.now.0, face }))
    }

    /// Returns the detected objects. Detection is slow, so it runs at most twice a second.
    pub(super) fn detections(&mut self) -> Next {
        let recent = self.found.as_ref().filter(|(at, _)| self.now.since(*at) < DETECTION_LIFETIME);
        let value = match recent {
            Some((_, value)) => value.clone(),
            None => match seen(self.context) {
                Ok(seen) => {
                    if let Some(why) = &seen.blind_to {
                        self.note(&format!("only faces are found: {why}"));
                    }
                    let value = serde_json::to_value(&seen.objects).unwrap_or_default();
                    self.found = Some((self.now, value.clone()));
                    value
                }
                Err(no) => return self.refuse(RefusalKind::Runtime, &format!("cannot detect objects: {no}")),
            },
        };
        Next::Answer(Reply::plain(HostReply::Value { now: self.now.0, value }))
    }

    /// Returns the direction of a pixel in the world frame.
    pub(super) fn ray(&mut self, u: f64, v: f64) -> Next {
        let taken = self.context.frame().map_err(PerceptionError::from).and_then(|frame| {
            let image = frame.image()?;
            Ok((frame, image))
        });
        let (frame, image) = match taken {
            Ok(taken) => taken,
            Err(no) => return self.refuse(RefusalKind::Runtime, &format!("no image: {no}")),
        };
        let (width, height) = (image.width as f64, image.height as f64);
        let centre = (width / 2.0, height / 2.0);
        let inside = (u.clamp(0.0, width), v.clamp(0.0, height));
        // Neither the lens model nor the head may reach this far: the nearest pixel on the way to the centre.
        let looks = |direction: &[f64; 3]| {
            look_at(*direction, LOOK_DURATION).is_ok_and(|motion| self.context.is_possible(&motion))
        };
        let towards_centre = (0..=EDGE_STEPS).map(|step| {
            let share = f64::from(step) / f64::from(EDGE_STEPS);
            (inside.0 + share * (centre.0 - inside.0), inside.1 + share * (centre.1 - inside.1))
        });
        let seen: Vec<_> = towards_centre
            .filter_map(|at| {
                let direction = frame.direction(&image, at.0, at.1)?;
                Some((at, [direction.x, direction.y, direction.z]))
            })
            .collect();
        // If the head can look nowhere, the motion itself says why.
        let found = seen.iter().find(|(_, direction)| looks(direction)).or(seen.first());
        let Some((taken, direction)) = found.copied() else {
            return self.refuse(RefusalKind::Runtime, "the camera is not calibrated");
        };
        if taken != (u, v) {
            self.note(&format!(
                "the head cannot look at the pixel ({u}, {v}) of {width} by {height}: ({:.0}, {:.0}) was taken",
                taken.0, taken.1
            ));
        }
        let value = serde_json::json!(direction);
        Next::Answer(Reply::plain(HostReply::Value { now: self.now.0, value }))
    }

    /// Advances robot time to `until` while the head follows the face.
    pub(super) fn track(&mut self, until: Timestamp) {
        while let Some(tracking) = self.tracking.as_ref().filter(|_| !self.context.is_stopped()) {
            let mut after = self.context.control.robot_time();
            if !tracking.moves {
                // Searching takes time, and nothing depends on each single image.
                after = after.max(tracking.watched + OBSERVATION_INTERVAL.saturating_sub(FRAME_INTERVAL));
            }
            let next = next_image(after, self.context.control.period());
            if next > until {
                break;
            }
            let snapshot = self.context.advance_to(next);
            self.count_late_command(&snapshot);
            self.watch();
            let Some(tracking) = self.tracking.as_mut().filter(|tracking| tracking.moves) else { continue };
            match tracking.gaze.aim(self.context) {
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

    /// Evaluates the latest frame. An error is noted once.
    fn watch(&mut self) {
        let Some(tracking) = &mut self.tracking else { return };
        tracking.watched = self.context.control.robot_time();
        match tracking.gaze.look(self.context) {
            Ok(()) => {}
            Err(no @ PerceptionError::Model(_)) => {
                self.note(&format!(
                    "there is no tracking, and get_tracked_face() answers detected=False: {no}"
                ));
                self.tracking = None;
            }
            Err(no) => self.note(&format!("cannot look for faces: {no}")),
        }
    }
}
