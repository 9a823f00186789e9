//! What happens around the simulated robot during a call, at stated times: a face or an object comes into view, somebody
//! claps or speaks, or a hand moves the head.
//!
//! Times are seconds since the tool's start. The robot's own clock starts two cycles earlier, which is less than the time
//! between two images.

use firmware_bridge::joint::Joints;
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::posture::{HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use minismith_control::perception::photos;
use minismith_perception::detect::{FACES, THINGS};
use minismith_perception::models::Models;
use minismith_score::EventSpan;
use mock_robot::scene::{Scene, SceneError, Visit, Visitor};

pub use minismith_score::Event;

/// Where a stimulus comes from, as the robot sees it at the start of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// In front of the robot; a hand from above.
    #[default]
    Ahead,
    /// From its left.
    Left,
    /// From its right.
    Right,
}

/// An event around the robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Stimulus {
    /// What happens.
    pub event: Event,
    /// When it begins, seconds.
    pub from_s: f64,
    /// When it ends, seconds.
    pub to_s: f64,
    /// Where it comes from.
    pub side: Side,
}

/// A time after the end of every call, seconds.
const AFTER_ALL_CALLS_S: f64 = 86_400.0;

/// How long a hand displaces the head, seconds.
const TOUCH_S: f64 = 1.5;

/// How long a clap lasts, and a voice that begins, seconds.
const CLAP_S: f64 = 0.2;
const VOICE_S: f64 = 3.0;

/// Rotation of a head that a hand displaces, degrees. Tools notice more than 6.
const TOUCH_DEG: f64 = 11.0;

impl Stimulus {
    /// Returns an event in front of the robot that begins at this time: what comes into view stays; a touch and a sound end.
    #[must_use]
    pub fn beginning_at(event: Event, from_s: f64) -> Self {
        let to_s = match event {
            Event::Touch => from_s + TOUCH_S,
            Event::Clap => from_s + CLAP_S,
            Event::Voice => from_s + VOICE_S,
            Event::Face | Event::Thing(_) | Event::Tilted => AFTER_ALL_CALLS_S,
        };
        Stimulus { event, from_s, to_s, side: Side::Ahead }
    }

    /// Returns the stimulus with another beginning and the same duration.
    #[must_use]
    pub fn moved_to(self, from_s: f64) -> Self {
        Stimulus { to_s: (from_s + self.to_s - self.from_s).min(AFTER_ALL_CALLS_S), from_s, ..self }
    }

    /// Returns the event with its times. A call may end before them.
    #[must_use]
    pub fn span(&self) -> EventSpan {
        EventSpan { event: self.event.clone(), from: self.from_s, to: self.to_s }
    }

    /// Returns what the camera sees of it.
    fn visit(&self) -> Option<Visit> {
        let position_m = match self.side {
            Side::Ahead => [0.8, 0.12, 0.1],
            Side::Left => [0.85, 0.4, 0.08],
            Side::Right => [0.85, -0.4, 0.08],
        };
        let visitor = visitor(&self.event)?;
        Some(Visit { visitor, position_m, from_s: self.from_s, to_s: self.to_s })
    }

    /// Returns by how much a hand changes the positions that the motors report; none for what moves nothing.
    #[must_use]
    pub fn displacement(&self) -> Option<Joints> {
        if self.event != Event::Touch {
            return None;
        }
        let turn = Radians::from_degrees(TOUCH_DEG);
        let angles = match self.side {
            Side::Ahead => RollPitchYaw { pitch: turn, ..RollPitchYaw::default() },
            Side::Left => RollPitchYaw { roll: turn, ..RollPitchYaw::default() },
            Side::Right => RollPitchYaw { roll: -turn, ..RollPitchYaw::default() },
        };
        let head = HeadPose::new(0.0, 0.0, 0.0, angles);
        let at = |head| joints_from_posture(&Posture { head, ..Posture::init() }).ok();
        let (displaced, rest) = (at(head)?, at(Posture::init().head)?);
        Some(Joints::from_fn(|joint| displaced[joint] - rest[joint]))
    }
}

fn visitor(event: &Event) -> Option<Visitor> {
    match event {
        Event::Face => Some(Visitor::Face),
        Event::Thing(name) => Visitor::of_class(name),
        Event::Voice | Event::Clap | Event::Touch | Event::Tilted => None,
    }
}

/// Returns why the simulation can't let an event happen, for people. `None` if it can.
#[must_use]
pub fn not_simulated(event: &Event, models: &Models) -> Option<String> {
    match event {
        Event::Tilted => Some("the simulated robot has no IMU".to_owned()),
        Event::Touch | Event::Voice | Event::Clap => None,
        Event::Face | Event::Thing(_) => {
            let Some(visitor) = visitor(event) else {
                return Some(format!("there is no photograph of {}", event.describe()));
            };
            if !photos(models.folder()).join(visitor.photograph()).is_file() {
                return Some("there are no photographs; run `make models`".to_owned());
            }
            let model = if visitor == Visitor::Face { &FACES } else { &THINGS };
            models.examine(model).err().map(|error| error.to_string())
        }
    }
}

/// Returns the scene in which these stimuli come into view.
///
/// # Errors
/// If a photograph is missing.
pub fn scene(stimuli: &[Stimulus], models: &Models) -> Result<Scene, SceneError> {
    let visits: Vec<Visit> = stimuli.iter().filter_map(Stimulus::visit).collect();
    Scene::visited(&visits, &photos(models.folder()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_bridge::joint::Joint;
    use firmware_bridge::kinematics::posture_from_joints;

    #[test]
    fn touch_turns_the_head_away_from_the_hand_and_nothing_else() {
        let touched = |side| {
            let offsets =
                Stimulus { side, ..Stimulus::beginning_at(Event::Touch, 1.0) }.displacement().unwrap();
            let rest = joints_from_posture(&Posture::init()).unwrap();
            let at = Joints::from_fn(|joint| rest[joint] + offsets[joint]);
            assert_eq!(offsets[Joint::LeftAntenna], Radians::ZERO);
            assert_eq!(offsets[Joint::BodyYaw], Radians::ZERO);
            let angles = posture_from_joints(&at, &HeadPose::neutral()).unwrap().head.angles();
            [angles.roll, angles.pitch, angles.yaw].map(|angle| angle.degrees().round() as i32)
        };
        assert_eq!(touched(Side::Ahead), [0, 11, 0], "down");
        assert_eq!(touched(Side::Left), [11, 0, 0], "to the right");
        assert_eq!(touched(Side::Right), [-11, 0, 0], "to the left");
        assert_eq!(Stimulus::beginning_at(Event::Face, 1.0).displacement(), None);
    }

    #[test]
    fn what_is_not_simulated_has_a_reason() {
        let nowhere = Models::at("/nonexistent");
        for (event, reason) in [
            (Event::Tilted, "no IMU"),
            (Event::Thing("giraffe".into()), "no photograph of"),
            (Event::Face, "make models"),
        ] {
            let why = not_simulated(&event, &nowhere).unwrap();
            assert!(why.contains(reason), "{event:?}: {why}");
        }
        for event in [Event::Touch, Event::Clap, Event::Voice] {
            assert_eq!(not_simulated(&event, &nowhere), None);
        }
    }

    #[test]
    fn moved_stimulus_keeps_its_duration() {
        let touch = Stimulus::beginning_at(Event::Touch, 1.0).moved_to(4.0);
        assert_eq!((touch.from_s, touch.to_s), (4.0, 5.5));
        let face = Stimulus::beginning_at(Event::Face, 1.0).moved_to(4.0).span();
        assert!(face.from == 4.0 && face.to >= 80_000.0, "{face:?}");
    }
}
