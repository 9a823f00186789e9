//! Torque, a small motion of each joint, the camera in the head, and rest.

use std::collections::BTreeSet;
use std::time::Duration;

use firmware_bridge::control_loop::LoopSnapshot;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::limits::Limits;
use firmware_bridge::posture::HeadPose;
use firmware_bridge::robot::PositionReading;
use firmware_bridge::units::Radians;
use minismith_control::execution::ExecutionContext;
use minismith_control::joint_motion::trajectory;
use minismith_control::robot::{RobotOpenError, RobotRuntime};
use minismith_runtime::config::{Config, RobotChoice};

use super::line::{names, refused};
use super::{Line, Part, Progress, Step, StepState};

/// The share of its velocity limit that a joint may reach.
const MAX_SPEED_SHARE: f64 = 0.2;
/// The peak velocity of a minimum-jerk motion, as a multiple of its mean.
const MINJERK_PEAK: f64 = 1.875;
/// The shortest duration of one motion.
const MIN_DURATION: Duration = Duration::from_millis(800);
/// A joint with a position error of this share of its motion, and this angle at least, does not follow. Without an
/// integral part, the controller of the servo leaves some tenths of a degree.
const MAX_ERROR_SHARE: f64 = 0.25;
const MAX_ERROR: Radians = Radians(0.014);
/// No other joint may move further than this.
const MAX_OTHER: Radians = Radians(std::f64::consts::PI / 180.0);
/// Readings of each joint that are averaged.
const AVERAGED_READINGS: f64 = 5.0;
/// Cycles within which they are read. Some may be lost: the computer may be busy. A motor that is silent for longer is a
/// fault of the control loop.
const MAX_READING_CYCLES: u32 = 100;
/// The time for laying the head down.
const REST_TIMEOUT: Duration = Duration::from_secs(30);
/// Images with less contrast than this show nothing.
const MIN_CONTRAST: u8 = 8;

const START: &str = "every motor takes torque and its settings, and answers in every cycle";
const MOVE: &str = "it turns by a few degrees and back, and no other joint moves by more than 1 degree";
const MOUNTING: &str = "each motor is where its name says, and turns the way it should";
const CAMERA: &str = "an image with bright and dark parts";
const REST: &str = "the head lies, and no motor has torque";

/// Returns how far a joint is moved.
const fn amount(joint: Joint) -> f64 {
    match joint {
        Joint::RightAntenna | Joint::LeftAntenna => 10.0,
        _ => 5.0,
    }
}

/// Adds all steps of this module as skipped.
pub(super) fn skip(progress: &mut Progress<'_>, why: &str) {
    progress.add(Step::skipped("start", START, why));
    skip_after_start(progress, why);
}

fn skip_after_start(progress: &mut Progress<'_>, why: &str) {
    for joint in Joint::ALL {
        progress.add(Step::skipped("move", MOVE, why).about([joint]));
    }
    for (name, expected) in [("mounting", MOUNTING), ("camera", CAMERA), ("rest", REST)] {
        progress.add(Step::skipped(name, expected, why));
    }
}

/// Adds the steps `start`, `move` for each joint, `mounting`, `camera` and `rest`. Returns whether a person has stopped
/// the robot.
pub(super) fn examine(
    progress: &mut Progress<'_>,
    config: &Config,
    line: &Line,
    skip: &BTreeSet<Part>,
) -> bool {
    if !progress.person.permits_motion() {
        self::skip(progress, "nobody has permitted motion");
        return false;
    }
    progress.begin("start");
    let opened = if line.emulated {
        RobotRuntime::open_emulated(&line.port, config)
    } else {
        RobotRuntime::open(&RobotChoice::Serial(line.port.clone()), config)
    };
    let robot = match opened {
        Ok(robot) => robot,
        Err(error) => {
            progress.add(match error {
                RobotOpenError::Robot(error) => refused("start", START, &error),
                RobotOpenError::Emulator(error) => {
                    Step::failed("start", START, error.to_string(), "run `minismith doctor`")
                }
            });
            skip_after_start(progress, "not tried, since `start` has failed");
            return false;
        }
    };
    let mut context = robot.execution_context();
    let stopped = match progress.person.may_stop(robot.handle()) {
        Ok(()) => {
            moves(progress, &mut context);
            camera(progress, &context, skip);
            context.is_stopped()
        }
        Err(error) => {
            progress.add(Step::failed(
                "start",
                START,
                format!("the robot could not be stopped by a key: {error}"),
                "free some memory, and start again",
            ));
            false
        }
    };
    context.release_control();
    progress.begin("rest");
    progress.add(match robot.stow_and_release(REST_TIMEOUT) {
        Ok(()) => Step::good("rest", REST, "the head lies, and all torque is off".to_owned()),
        Err(error) => {
            Step::failed("rest", REST, error.to_string(), "hold the head, and switch the power off")
        }
    });
    stopped
}

/// Adds the steps `start`, `move` and `mounting`.
fn moves(progress: &mut Progress<'_>, context: &mut ExecutionContext) {
    let started = start(context);
    let mut obstacle =
        (started.state != StepState::Good).then_some("not tried, since `start` has failed".to_owned());
    progress.add(started);
    let mut answers = Joints::all(None);
    for joint in Joint::ALL {
        if context.is_stopped() {
            obstacle = Some("a person has stopped the robot".to_owned());
        }
        if let Some(why) = &obstacle {
            progress.add(Step::skipped("move", MOVE, why).about([joint]));
            continue;
        }
        progress.begin(&format!("move {joint}"));
        match move_joint(context, joint) {
            Ok(moved) => {
                progress.add(moved.step);
                answers[joint] = progress.person.asks(&moved.question);
            }
            Err(NotMoved::Stopped) => {
                progress.add(Step::skipped("move", MOVE, "a person has stopped the robot").about([joint]));
            }
            Err(NotMoved::Failed(step)) => {
                obstacle = Some(format!("not tried, since `move {joint}` has failed"));
                progress.add(step);
            }
        }
    }
    progress.add(mounting(&answers, obstacle.as_deref()));
}

fn start(context: &mut ExecutionContext) -> Step {
    const NAME: &str = "start";
    let snapshot = next_cycles(context, 5);
    if let Some(fault) = &snapshot.fault {
        return refused(NAME, START, fault);
    }
    let without: Vec<Joint> =
        snapshot.state.torque.iter().filter(|(_, on)| !**on).map(|(joint, _)| joint).collect();
    if !without.is_empty() {
        let measured = format!("{} has no torque", names(&without));
        return Step::failed(NAME, START, measured, "see `minismith scan PORT` for its errors")
            .about(without);
    }
    match present(context) {
        Some(_) => Step::good(NAME, START, "nine motors hold their positions".to_owned()),
        None => Step::failed(
            NAME,
            START,
            "not every motor answers".to_owned(),
            "run `minismith doctor`: it measures whether this computer keeps the time of the control loop",
        ),
    }
}

/// Waits for this many further cycles, or for a stop.
fn next_cycles(context: &mut ExecutionContext, count: u32) -> LoopSnapshot {
    let until = context.control.robot_time() + context.control.period() * count;
    context.advance_to(until)
}

/// Returns the mean of the next readings; `None` if a joint was hardly read.
fn present(context: &mut ExecutionContext) -> Option<Joints> {
    let (mut sums, mut counts) = (Joints::<Radians>::default(), Joints::all(0.0));
    for _ in 0..MAX_READING_CYCLES {
        let snapshot = next_cycles(context, 1);
        for (joint, reading) in snapshot.state.readings.iter() {
            if let PositionReading::Fresh(position) = reading {
                sums[joint] += *position;
                counts[joint] += 1.0;
            }
        }
        if counts.iter().all(|(_, count)| *count >= AVERAGED_READINGS) {
            return Some(sums.zip_with(&counts, |sum, count| sum * (1.0 / count)));
        }
        if context.is_stopped() {
            return None;
        }
    }
    None
}

/// A joint that has moved as it should.
struct Moved {
    step: Step,
    /// What a person has to see.
    question: String,
}

/// Why a joint has not moved as it should.
enum NotMoved {
    /// A person has stopped the robot.
    Stopped,
    /// The result of the step.
    Failed(Step),
}

/// Moves a joint by some degrees and back.
fn move_joint(context: &mut ExecutionContext, joint: Joint) -> Result<Moved, NotMoved> {
    let failed = |measured: String, advice: &str| {
        NotMoved::Failed(Step::failed("move", MOVE, measured, advice).about([joint]))
    };
    let read = |context: &mut ExecutionContext| match present(context) {
        Some(positions) => Ok(positions),
        None if context.is_stopped() => Err(NotMoved::Stopped),
        None => Err(failed("the positions were not read".to_owned(), "see `cable`")),
    };
    let snapshot = next_cycles(context, 1);
    let (from, by) = (snapshot.goal, step_of(joint, &snapshot.goal, &snapshot.limits));
    let mut goal = from;
    goal[joint] += by;
    let over = duration(by, snapshot.limits.joints[joint].max_velocity);
    let before = read(context)?;
    let mut positions = [before, before];
    for ((start, end), position) in [(&from, &goal), (&goal, &from)].into_iter().zip(&mut positions) {
        let path = trajectory(start, end, over, context.control.period()).map_err(|error| {
            failed(error.to_string(), "bring the head into another pose by hand, and start again")
        })?;
        let (_, step) = context.play("first run", path);
        if context.is_stopped() {
            return Err(NotMoved::Stopped);
        }
        if let Some(refusal) = step.refusal {
            return Err(failed(refusal, "see `minismith scan PORT` for the errors of the servo"));
        }
        let _settled = context.settle();
        if context.is_stopped() {
            return Err(NotMoved::Stopped);
        }
        *position = read(context)?;
    }
    let [there, back] = positions.map(|position| position.zip_with(&before, |is, was| is - was));
    let measured = judge(joint, by, &there, &back).map_err(NotMoved::Failed)?;
    Ok(Moved {
        step: Step::good("move", MOVE, measured).about([joint]),
        question: question(joint, by, &from, &goal),
    })
}

/// Returns how far to move a joint: a leg so that the head rises, the others away from the nearer end of their range.
fn step_of(joint: Joint, from: &Joints, limits: &Limits) -> Radians {
    let (limit, by) = (limits.joints[joint], Radians::from_degrees(amount(joint)));
    let inside = |by: Radians| (limit.min_position..=limit.max_position).contains(&(from[joint] + by));
    let height = |by: Radians| {
        let mut goal = *from;
        goal[joint] += by;
        posture_from_joints(&goal, &HeadPose::neutral()).ok().map(|posture| posture.head.0.translation.z)
    };
    let is_leg = !matches!(joint, Joint::BodyYaw | Joint::RightAntenna | Joint::LeftAntenna);
    match (inside(by), inside(-by)) {
        (true, false) => by,
        (false, true) => -by,
        _ if is_leg => match (height(by), height(-by)) {
            (Some(up), Some(down)) if down > up => -by,
            (None, Some(_)) => -by,
            _ => by,
        },
        _ if limit.max_position - from[joint] < from[joint] - limit.min_position => -by,
        _ => by,
    }
}

/// Returns the duration of a motion that stays below the permitted share of the velocity limit.
fn duration(by: Radians, max_velocity: Radians) -> Duration {
    let shortest = MINJERK_PEAK * by.abs().value() / (MAX_SPEED_SHARE * max_velocity.value());
    // A velocity limit of zero permits no motion, which the trajectory refuses as too long.
    Duration::try_from_secs_f64(shortest).unwrap_or(Duration::MAX).max(MIN_DURATION)
}

/// Judges how far each joint has moved away and back, in relation to its first position.
fn judge(joint: Joint, by: Radians, there: &Joints, back: &Joints) -> Result<String, Step> {
    let size = by.abs();
    let furthest = there
        .iter()
        .filter(|(other, _)| *other != joint)
        .max_by(|(_, one), (_, other)| one.abs().value().total_cmp(&other.abs().value()));
    let other = furthest.filter(|(_, turned)| turned.abs() > MAX_OTHER);
    let tolerance = Radians(MAX_ERROR.value().max(size.value() * MAX_ERROR_SHARE));
    let (turned, left) = (there[joint], back[joint].abs());
    let failed = |measured: String, advice: &str, also: Option<Joint>| {
        Err(Step::failed("move", MOVE, measured, advice).about([joint].into_iter().chain(also)))
    };
    if turned.abs() < size * MAX_ERROR_SHARE {
        return match other {
            Some((other, angle)) => failed(
                format!("it turned by {turned} instead of {by}, and {other} turned by {angle}"),
                "these two motors have each other's ids, or a part connects them that should not",
                Some(other),
            ),
            None => failed(
                format!("it turned by {turned} instead of {by}"),
                "switch the power off and turn the joint by hand: if it does not turn, something blocks it; if it does, \
                 its motor or its encoder is broken",
                None,
            ),
        };
    }
    if (turned.value() > 0.0) != (by.value() > 0.0) {
        return failed(
            format!("it turned by {turned} instead of {by}: the other way"),
            "see `settings`: the drive mode of the servo is reversed",
            None,
        );
    }
    if (turned - by).abs() > tolerance {
        return failed(
            format!("it turned by {turned} instead of {by}"),
            "see whether something holds the joint, and whether its horn is tight",
            None,
        );
    }
    if let Some((other, angle)) = other {
        return failed(
            format!("it turned by {turned}, and {other} by {angle}"),
            "see whether a part connects these two joints that should not, and whether their horns are tight",
            Some(other),
        );
    }
    if left > tolerance {
        return failed(
            format!("it turned by {turned}, and stayed {left} from its first position"),
            "see whether something holds the joint, and whether its horn is tight",
            None,
        );
    }
    Ok(format!("it turned by {turned} (asked {by}) and came back to within {left}"))
}

/// Returns what a person has to see, in words of the robot's own left and right.
fn question(joint: Joint, by: Radians, from: &Joints, goal: &Joints) -> String {
    let seen = match joint {
        Joint::BodyYaw => {
            format!(
                "the body turn a little to its {} and back",
                if by.value() > 0.0 { "left" } else { "right" }
            )
        }
        Joint::RightAntenna => "the right antenna turn and come back".to_owned(),
        Joint::LeftAntenna => "the left antenna turn and come back".to_owned(),
        _ => format!("the head move a little{} and come back", tilt(from, goal)),
    };
    format!("Did {seen}, and nothing else move?")
}

/// Returns in which direction the head tilts, as far as that can be seen.
fn tilt(from: &Joints, goal: &Joints) -> &'static str {
    const VISIBLE_RAD: f64 = 0.01;
    let angles =
        |joints| posture_from_joints(joints, &HeadPose::neutral()).ok().map(|posture| posture.head.angles());
    let (Some(from), Some(goal)) = (angles(from), angles(goal)) else { return "" };
    let (roll, pitch) = ((goal.roll - from.roll).value(), (goal.pitch - from.pitch).value());
    if roll.abs().max(pitch.abs()) < VISIBLE_RAD {
        ""
    } else if roll.abs() > pitch.abs() {
        if roll > 0.0 { ", its left side rising," } else { ", its right side rising," }
    } else if pitch > 0.0 {
        ", its face sinking,"
    } else {
        ", its face rising,"
    }
}

/// Judges what a person has seen.
fn mounting(answers: &Joints<Option<bool>>, obstacle: Option<&str>) -> Step {
    const NAME: &str = "mounting";
    let wrong: Vec<Joint> =
        answers.iter().filter(|(_, answer)| **answer == Some(false)).map(|(joint, _)| joint).collect();
    if !wrong.is_empty() {
        return Step::failed(
            NAME,
            MOUNTING,
            format!("a person has seen something else at {}", names(&wrong)),
            "if another joint moved: their cables or ids are exchanged; if it moved the other way: its horn is mounted \
             mirrored; compare with the assembly guide",
        )
        .about(wrong);
    }
    if answers.iter().all(|(_, answer)| *answer == Some(true)) {
        return Step::good(NAME, MOUNTING, "a person has seen each joint move as it should".to_owned());
    }
    match obstacle {
        Some(why) => Step::skipped(NAME, MOUNTING, why),
        None => Step::new(
            NAME,
            StepState::NotJudged,
            MOUNTING,
            "two exchanged motors cannot be told apart over the cable, only by eye".to_owned(),
        ),
    }
}

fn camera(progress: &mut Progress<'_>, context: &ExecutionContext, skip: &BTreeSet<Part>) {
    const NAME: &str = "camera";
    let why = if skip.contains(&Part::Camera) {
        Some("left out by --skip")
    } else if context.is_stopped() {
        Some("a person has stopped the robot")
    } else {
        None
    };
    if let Some(why) = why {
        return progress.add(Step::skipped(NAME, CAMERA, why));
    }
    progress.begin(NAME);
    let advice =
        "plug the camera's USB cable in directly, and check with `ls /dev/video*` and `minismith doctor`";
    let image = context
        .frame()
        .map_err(|error| error.to_string())
        .and_then(|frame| frame.image().map_err(|error| error.to_string()));
    progress.add(match image {
        Err(error) => Step::failed(NAME, CAMERA, error, advice),
        Ok(image) => {
            let dark = image.bgr.iter().copied().min().unwrap_or_default();
            let bright = image.bgr.iter().copied().max().unwrap_or_default();
            let measured =
                format!("{} x {} pixels, values from {dark} to {bright}", image.width, image.height);
            if bright.saturating_sub(dark) < MIN_CONTRAST {
                Step::failed(NAME, CAMERA, measured, "take the cover off the lens, and light the room")
            } else {
                Step::good(NAME, CAMERA, measured)
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use minismith_control::robot::initial_joints;

    use super::*;

    fn turned(pairs: &[(Joint, f64)]) -> Joints {
        let mut joints = Joints::default();
        for (joint, degrees) in pairs {
            joints[*joint] = Radians::from_degrees(*degrees);
        }
        joints
    }

    #[test]
    fn each_wrong_motion_is_told_apart() {
        let (leg, by) = (Joint::Stewart3, Radians::from_degrees(5.0));
        let judged = |there: &[(Joint, f64)], back: &[(Joint, f64)]| {
            judge(leg, by, &turned(there), &turned(back)).map_err(|step| (step.measured, step.joints))
        };
        assert!(judged(&[(leg, 4.6), (Joint::Stewart2, 0.4)], &[(leg, 0.2)]).is_ok());
        for (there, back, word, joints) in [
            (vec![(leg, 0.1)], 0.0, "by 0.1 deg", vec![leg]),
            (vec![(leg, 0.1), (Joint::Stewart5, 4.9)], 0.0, "stewart_5", vec![leg, Joint::Stewart5]),
            (vec![(leg, -5.0)], 0.0, "the other way", vec![leg]),
            (vec![(leg, 2.0)], 0.0, "2.0 deg", vec![leg]),
            (vec![(leg, 9.0)], 0.0, "9.0 deg", vec![leg]),
            (vec![(leg, 5.0), (Joint::BodyYaw, -2.0)], 0.0, "body_rotation", vec![leg, Joint::BodyYaw]),
            (vec![(leg, 5.0)], 4.0, "stayed 4.0 deg", vec![leg]),
        ] {
            let (measured, about) = judged(&there, &[(leg, back)]).unwrap_err();
            assert!(measured.contains(word), "{measured}");
            assert_eq!(about, joints, "{measured}");
        }
    }

    #[test]
    fn a_joint_moves_slowly_and_inside_its_range() {
        let limits = Limits::default();
        for joint in Joint::ALL {
            let limit = limits.joints[joint];
            for position in [limit.min_position, limit.max_position] {
                let mut from = initial_joints();
                from[joint] = position;
                let by = step_of(joint, &from, &limits);
                let goal = from[joint] + by;
                assert!((limit.min_position..=limit.max_position).contains(&goal), "{joint}: {goal}");
            }
            let by = step_of(joint, &initial_joints(), &limits);
            for max_velocity in [limit.max_velocity, Radians(0.1)] {
                let peak = MINJERK_PEAK * by.abs().value() / duration(by, max_velocity).as_secs_f64();
                assert!(peak <= MAX_SPEED_SHARE * max_velocity.value() * 1.000_001, "{joint}");
            }
        }
        assert_eq!(duration(Radians(0.1), Radians(0.0)), Duration::MAX);
    }

    #[test]
    fn mounting_is_good_only_when_a_person_has_seen_every_joint() {
        let all = Joints::all(Some(true));
        assert_eq!(mounting(&all, None).state, StepState::Good);
        let mut one = all;
        one[Joint::LeftAntenna] = None;
        assert_eq!(mounting(&one, None).state, StepState::NotJudged);
        assert_eq!(mounting(&one, Some("stopped")).state, StepState::Skipped);
        one[Joint::RightAntenna] = Some(false);
        assert_eq!(mounting(&one, None).joints, [Joint::RightAntenna]);
    }
}
