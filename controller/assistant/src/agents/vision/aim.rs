//! Turns the head to an object, and follows a face. Both run in closed loop on the object's position in the
//! next image.

use std::time::Duration;

use firmware_bridge::motion::{Interpolation, Motion, Target};
use firmware_bridge::posture::{HeadPose, Posture};
use firmware_bridge::units::Radians;
use minismith_perception::gaze::{FollowOptions, FollowPhase, looking_at, turned};

use super::{LookResult, words};
use minismith_control::execution::ExecutionContext;
use minismith_control::gaze::{Gaze, next_image};
use minismith_control::perception::PerceptionError;
use minismith_control::seen::{self, Object};
use minismith_control::snapshot::view_of;
use minismith_nlu::Sight;
use minismith_nlu::vision_intent::PERSON;
use minismith_runtime::report::{self, PostureReport, Step, TurnOutcome, round_for_display};

/// The yaw angles at which it searches for an object out of sight, in degrees from straight ahead.
const ROUND: [f64; 4] = [35.0, -35.0, 80.0, -80.0];
/// The maximum number of corrections of the aim.
const MAX_ATTEMPTS: u32 = 6;
/// The tolerance around the centre, as a fraction of the image's width.
const CENTER_TOLERANCE: f64 = 0.01;
/// The speed of the head's turn to an object, in radians per second.
const AIM_VELOCITY_RAD_S: f64 = 1.2;
/// The shortest time of that turn, in seconds.
const MIN_AIM_TIME_S: f64 = 0.35;

/// Turns the head so that an object of this class is in the centre of the image. Searches around where none
/// is in sight.
pub(super) fn look_at(
    context: &mut ExecutionContext,
    sight: &Sight,
    label: &'static str,
) -> Result<LookResult, PerceptionError> {
    let kind = sight.to_string();
    let mut step = Step { kind: kind.clone(), ..Step::default() };
    let mut target = nearest(context, label)?;
    for yaw in ROUND {
        if target.is_some() {
            break;
        }
        if let Err(stopped) = turn_to(context, &mut step, &turned(f64::to_radians(yaw), 0.0)) {
            return Ok(*stopped);
        }
        target = nearest(context, label)?;
    }
    let Some(mut object) = target else {
        if let Err(stopped) = turn_to(context, &mut step, &HeadPose::neutral()) {
            return Ok(*stopped);
        }
        let whom = if label == PERSON { "nobody".to_owned() } else { format!("no {label}") };
        step.refusal = Some(format!("there is {whom} in sight"));
        let text = format!("I looked round and see {whom}.");
        return Ok(LookResult { text, step, ending: TurnOutcome::Refused });
    };
    let mut off = None;
    for _ in 0..MAX_ATTEMPTS {
        let now = distance_from_middle(context, &object)?;
        off = Some(now);
        if now < CENTER_TOLERANCE {
            break;
        }
        let request = adjusted(context, &looking_at(&object.point()));
        if let Err(stopped) = turn_to(context, &mut step, &request) {
            return Ok(*stopped);
        }
        match nearest(context, label)? {
            Some(next) => object = next,
            None => break,
        }
    }
    let percent = round_for_display(off.unwrap_or(1.0) * 100.0);
    let text = format!(
        "I look at {}; it is {percent} % of the picture's width from the middle.",
        words::in_english(&object)
    );
    Ok(LookResult { text, step, ending: TurnOutcome::Done })
}

/// Returns the object of this class that is largest in the image.
fn nearest(context: &mut ExecutionContext, label: &'static str) -> Result<Option<Object>, PerceptionError> {
    let area = |object: &Object| object.bounds[2] * object.bounds[3];
    // Face detection is faster and more exact than the detection of whole people.
    if label == PERSON {
        let faces = context.faces()?.found;
        let nearest = faces.iter().map(Object::of).max_by(|one, other| area(one).total_cmp(&area(other)));
        if nearest.is_some() {
            return Ok(nearest);
        }
    }
    Ok(seen::of(context, label)?.into_iter().max_by(|one, other| area(one).total_cmp(&area(other))))
}

/// Returns the distance from the centre of the image, as a fraction of the image's width.
fn distance_from_middle(context: &ExecutionContext, object: &Object) -> Result<f64, PerceptionError> {
    let frame = context.frame()?;
    let image = frame.image()?;
    let Some((u, v)) = frame.pixel(&image, &object.point()) else { return Ok(1.0) };
    let (width, height) = (image.width as f64, image.height as f64);
    Ok((u - (width - 1.0) / 2.0).hypot(v - (height - 1.0) / 2.0) / width)
}

/// Returns a setpoint corrected by the head's distance from its commanded pose.
fn adjusted(context: &ExecutionContext, request: &HeadPose) -> HeadPose {
    let (Some(reported), Some(found)) = (context.commanded_posture(), context.posture()) else {
        return *request;
    };
    let (reported, found, request) = (reported.head.angles(), found.head.angles(), request.angles());
    turned(
        (request.yaw + (reported.yaw - found.yaw)).value(),
        (request.pitch + (reported.pitch - found.pitch)).value(),
    )
}

/// Turns the head there and lets it settle. The step records the clamps.
fn turn_to(context: &mut ExecutionContext, step: &mut Step, head: &HeadPose) -> Result<(), Box<LookResult>> {
    let from = context.commanded_posture().unwrap_or_else(Posture::init);
    let angle = from.head.0.rotation.angle_to(&head.0.rotation);
    let duration = Duration::from_secs_f64((angle / AIM_VELOCITY_RAD_S).max(MIN_AIM_TIME_S));
    let target = Target { head: Some(*head), body_yaw: Some(Radians(body_for(head))), ..Target::default() };
    let motion = Motion::Goto { target, duration, interpolation: Interpolation::Minjerk };
    let done = context.carry_out(&step.kind, &motion);
    step.requested = done.requested.or(step.requested.take());
    for clamp in done.clamps {
        report::merge(&mut step.clamps, clamp);
    }
    step.achieved = context.settle().or(done.achieved);
    let Some(why) = done.refusal else { return Ok(()) };
    let ending = if context.is_stopped() { TurnOutcome::Stopped } else { TurnOutcome::Refused };
    let text = format!("I did not {}: {why}.", step.kind);
    Err(Box::new(LookResult { text, step: Step { refusal: Some(why), ..std::mem::take(step) }, ending }))
}

/// How far the head turns against the body before the body turns too, in radians.
const NECK: f64 = 0.7;

/// Returns the body's angle for a head pose.
fn body_for(head: &HeadPose) -> f64 {
    let yaw = head.angles().yaw.value();
    if yaw.abs() <= NECK { 0.0 } else { yaw - NECK.copysign(yaw) }
}

/// Follows a face for this time.
pub(super) fn follow(
    context: &mut ExecutionContext,
    sight: &Sight,
    time: Duration,
) -> Result<LookResult, PerceptionError> {
    let kind = sight.to_string();
    let base = context.commanded_posture().map_or_else(HeadPose::neutral, |posture| posture.head);
    let mut gaze = Gaze::new(FollowOptions::default(), base);
    let begun = context.control.robot_time();
    let (mut looks, mut seen, mut lost) = (0_u32, 0_u32, 0_u32);
    let mut phase = FollowPhase::Waiting;
    let mut refusal = None;
    while context.control.robot_time().since(begun) < time {
        gaze.look(context)?;
        looks += 1;
        seen += u32::from(gaze.seen().is_some());
        if let Err(why) = gaze.aim(context) {
            refusal = Some(why.to_string());
            break;
        }
        lost += u32::from(phase == FollowPhase::Holding && gaze.phase() == FollowPhase::Returning);
        phase = gaze.phase();
        let next = next_image(context.control.robot_time(), context.control.period());
        context.advance_to(next);
        if context.is_stopped() {
            refusal = Some("stop was said".into());
            break;
        }
    }
    let snapshot = context.control.snapshot();
    let took = context.control.robot_time().since(begun).as_secs_f64();
    let stopped = context.is_stopped();
    if !stopped {
        context.play_to_end();
    }
    let step = Step {
        kind,
        requested: context.commanded_posture().as_ref().map(PostureReport::from),
        achieved: view_of(&snapshot),
        clamps: report::clamp_reports(&snapshot.clamps, context.control.period()),
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
        _ if stopped => (format!("I was stopped after {took:.1} s."), TurnOutcome::Stopped),
        Some(why) => (format!("I can't follow: {why}."), TurnOutcome::Refused),
        None if seen == 0 => {
            (format!("I looked for a face for {took:.0} s and saw none."), TurnOutcome::Done)
        }
        None => (
            format!("I followed a face for {took:.0} s; it was in {share} % of my pictures.{times}"),
            TurnOutcome::Done,
        ),
    };
    Ok(LookResult { text, step, ending })
}
