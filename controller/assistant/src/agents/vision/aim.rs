//! Turns the head to an object, and follows a face. Both run in closed loop on the object's position in the
//! next image.

use std::time::Duration;

use firmware_bridge::motion::{Interpolation, Motion, Target};
use firmware_bridge::posture::{HeadPose, Posture};
use firmware_bridge::units::Radians;
use minismith_senses::gaze::{Manner, Phase, looking_at, turned};

use super::{Looked, words};
use minismith_control::eyes::NoSight;
use minismith_control::gaze::{Gaze, next_picture};
use minismith_control::seen::{self, Thing};
use minismith_control::snapshot::view_of;
use minismith_control::stage::Stage;
use minismith_nlu::Sight;
use minismith_nlu::sight::PERSON;
use minismith_runtime::outcome::{self, Ending, PostureView, Step, tidy};

/// The yaw angles at which it searches for an object out of sight, in degrees from straight ahead.
const ROUND: [f64; 4] = [35.0, -35.0, 80.0, -80.0];
/// The maximum number of corrections of the aim.
const TRIES: u32 = 6;
/// The tolerance around the centre, as a fraction of the image's width.
const NEAR: f64 = 0.01;
/// The speed of the head's turn to an object, in radians per second.
const SPEED: f64 = 1.2;
/// The shortest time of that turn, in seconds.
const LEAST: f64 = 0.35;

/// Turns the head so that an object of this class is in the centre of the image. Searches around where none
/// is in sight.
pub(super) fn look_at(stage: &mut Stage, sight: &Sight, label: &'static str) -> Result<Looked, NoSight> {
    let kind = sight.to_string();
    let mut step = Step { kind: kind.clone(), ..Step::default() };
    let mut target = nearest(stage, label)?;
    for yaw in ROUND {
        if target.is_some() {
            break;
        }
        if let Err(stopped) = turn_to(stage, &mut step, &turned(f64::to_radians(yaw), 0.0)) {
            return Ok(*stopped);
        }
        target = nearest(stage, label)?;
    }
    let Some(mut thing) = target else {
        if let Err(stopped) = turn_to(stage, &mut step, &HeadPose::neutral()) {
            return Ok(*stopped);
        }
        let whom = if label == PERSON { "nobody".to_owned() } else { format!("no {label}") };
        step.refusal = Some(format!("there is {whom} in sight"));
        let text = format!("I looked round and see {whom}.");
        return Ok(Looked { text, step, ending: Ending::Refused });
    };
    let mut off = None;
    for _ in 0..TRIES {
        let now = distance_from_middle(stage, &thing)?;
        off = Some(now);
        if now < NEAR {
            break;
        }
        let wish = mended(stage, &looking_at(&thing.point()));
        if let Err(stopped) = turn_to(stage, &mut step, &wish) {
            return Ok(*stopped);
        }
        match nearest(stage, label)? {
            Some(next) => thing = next,
            None => break,
        }
    }
    let percent = tidy(off.unwrap_or(1.0) * 100.0);
    let text = format!(
        "I look at {}; it is {percent} % of the picture's width from the middle.",
        words::one(&thing)
    );
    Ok(Looked { text, step, ending: Ending::Done })
}

/// Returns the object of this class that is largest in the image.
fn nearest(stage: &mut Stage, label: &'static str) -> Result<Option<Thing>, NoSight> {
    let area = |thing: &Thing| thing.bounds[2] * thing.bounds[3];
    // Face detection is faster and more exact than the detection of whole people.
    if label == PERSON {
        let faces = stage.faces()?.found;
        let nearest = faces.iter().map(Thing::of).max_by(|one, other| area(one).total_cmp(&area(other)));
        if nearest.is_some() {
            return Ok(nearest);
        }
    }
    Ok(seen::of(stage, label)?.into_iter().max_by(|one, other| area(one).total_cmp(&area(other))))
}

/// Returns the distance from the centre of the image, as a fraction of the image's width.
fn distance_from_middle(stage: &Stage, thing: &Thing) -> Result<f64, NoSight> {
    let frame = stage.frame()?;
    let picture = frame.picture()?;
    let Some((u, v)) = frame.pixel(&picture, &thing.point()) else { return Ok(1.0) };
    let (width, height) = (picture.width as f64, picture.height as f64);
    Ok((u - (width - 1.0) / 2.0).hypot(v - (height - 1.0) / 2.0) / width)
}

/// Returns a setpoint corrected by the head's distance from its commanded pose.
fn mended(stage: &Stage, wish: &HeadPose) -> HeadPose {
    let (Some(told), Some(found)) = (stage.commanded_posture(), stage.posture()) else { return *wish };
    let (told, found, wish) = (told.head.angles(), found.head.angles(), wish.angles());
    turned((wish.yaw + (told.yaw - found.yaw)).value(), (wish.pitch + (told.pitch - found.pitch)).value())
}

/// Turns the head there and lets it settle. The step records the clamps.
fn turn_to(stage: &mut Stage, step: &mut Step, head: &HeadPose) -> Result<(), Box<Looked>> {
    let from = stage.commanded_posture().unwrap_or_else(Posture::init);
    let angle = from.head.0.rotation.angle_to(&head.0.rotation);
    let duration = Duration::from_secs_f64((angle / SPEED).max(LEAST));
    let target = Target { head: Some(*head), body_yaw: Some(Radians(body_for(head))), ..Target::default() };
    let motion = Motion::Goto { target, duration, interpolation: Interpolation::Minjerk };
    let done = stage.carry_out(&step.kind, &motion);
    step.requested = done.requested.or(step.requested.take());
    for trim in done.trims {
        outcome::merge(&mut step.trims, trim);
    }
    step.achieved = stage.settle().or(done.achieved);
    let Some(why) = done.refusal else { return Ok(()) };
    let ending = if stage.is_stopped() { Ending::Stopped } else { Ending::Refused };
    let text = format!("I did not {}: {why}.", step.kind);
    Err(Box::new(Looked { text, step: Step { refusal: Some(why), ..std::mem::take(step) }, ending }))
}

/// How far the head turns against the body before the body turns too, in radians.
const NECK: f64 = 0.7;

/// Returns the body's angle for a head pose.
fn body_for(head: &HeadPose) -> f64 {
    let yaw = head.angles().yaw.value();
    if yaw.abs() <= NECK { 0.0 } else { yaw - NECK.copysign(yaw) }
}

/// Follows a face for this time.
pub(super) fn follow(stage: &mut Stage, sight: &Sight, time: Duration) -> Result<Looked, NoSight> {
    let kind = sight.to_string();
    let base = stage.commanded_posture().map_or_else(HeadPose::neutral, |posture| posture.head);
    let mut gaze = Gaze::new(Manner::default(), base);
    let begun = stage.conductor.stage_now();
    let (mut looks, mut seen, mut lost) = (0_u32, 0_u32, 0_u32);
    let mut phase = Phase::Waiting;
    let mut refusal = None;
    while stage.conductor.stage_now().since(begun) < time {
        gaze.look(stage)?;
        looks += 1;
        seen += u32::from(gaze.seen().is_some());
        if let Err(why) = gaze.aim(stage) {
            refusal = Some(why.to_string());
            break;
        }
        lost += u32::from(phase == Phase::Holding && gaze.phase() == Phase::Returning);
        phase = gaze.phase();
        let next = next_picture(stage.conductor.stage_now(), stage.conductor.period());
        stage.pass_until(next);
        if stage.is_stopped() {
            refusal = Some("stop was said".into());
            break;
        }
    }
    let snapshot = stage.conductor.snapshot();
    let took = stage.conductor.stage_now().since(begun).as_secs_f64();
    let stopped = stage.is_stopped();
    if !stopped {
        stage.play_out();
    }
    let step = Step {
        kind,
        requested: stage.commanded_posture().as_ref().map(PostureView::from),
        achieved: view_of(&snapshot),
        trims: outcome::trims(&snapshot.trims, stage.conductor.period()),
        refusal: refusal.clone(),
        ..Step::default()
    };
    let share = (100.0 * f64::from(seen) / f64::from(looks.max(1))).round();
    let times = match lost {
        0 => String::new(),
        1 => " I lost it once and went back to where I began.".into(),
        times => format!(" I lost it {times} times and went back to where I began."),
    };
    let (text, ending) = match refusal {
        _ if stopped => (format!("I was stopped after {took:.1} s."), Ending::Stopped),
        Some(why) => (format!("I can't follow: {why}."), Ending::Refused),
        None if seen == 0 => (format!("I looked for a face for {took:.0} s and saw none."), Ending::Done),
        None => (
            format!("I followed a face for {took:.0} s; it was in {share} % of my pictures.{times}"),
            Ending::Done,
        ),
    };
    Ok(Looked { text, step, ending })
}
