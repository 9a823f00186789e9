//! Runs one case of a rehearsal: a new guest on a new simulated robot in virtual time, measured by the host.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use firmware_bridge::clock::VirtualClock;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::posture::{HeadPose, Posture, RollPitchYaw};
use firmware_bridge::pulse::Pulse;
use firmware_bridge::trace::{Beat, Trace, Traced};
use firmware_bridge::units::Radians;
use minismith_senses::models::Models;
use minismith_wire::Job;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;

use super::noise::Noisy;
use super::{Act, NoRehearsal, job, permit};
use crate::guest::GuestFault;
use crate::performance::{Outcome, Performance, perform};
use crate::workshop::cases::{Case, Circumstances, Room, Start};
use minismith_analysis::files::input::bind;
use minismith_analysis::margins::trim_spans;
use minismith_analysis::report::{PhysicalReport, measure};
use minismith_analysis::samples;
use minismith_control::eyes::{Eyes, SceneCamera, photographs};
use minismith_control::stage::Stage;

/// The measurements of one case.
pub(super) struct Ran {
    pub performance: Performance,
    pub report: PhysicalReport,
    pub beats: Vec<Beat>,
}

/// Runs cases in parallel, with one worker per processor. Results keep the order of the cases. `watch` receives the
/// number of finished cases.
pub(super) fn run_all(
    context: &Act<'_>,
    cases: &[Case],
    watch: &mut dyn FnMut(usize),
) -> Result<Vec<(Case, Ran)>, NoRehearsal> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(cases.len().max(1));
    let queue = Mutex::new(cases.iter().enumerate());
    let rehearsal = tracing::Span::current();
    let (tell, told) = channel();
    let mut done = std::thread::scope(|scope| {
        for _ in 0..workers {
            let (tell, queue, rehearsal) = (tell.clone(), &queue, &rehearsal);
            scope.spawn(move || {
                let _rehearsing = rehearsal.enter();
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((place, case)) = next else { break };
                    // A panic ends its case, not the controller.
                    let ran = catch_unwind(AssertUnwindSafe(|| run(context, case)))
                        .unwrap_or_else(|_| Err(NoRehearsal::Bug { case: case.name.clone() }));
                    if tell.send((place, case.clone(), ran)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(tell);
        let mut done = Vec::with_capacity(cases.len());
        for one in told {
            done.push(one);
            watch(done.len());
        }
        done
    });
    done.sort_by_key(|(place, ..)| *place);
    done.into_iter().map(|(_, case, ran)| Ok((case, ran?))).collect()
}

/// Runs a case with a new guest and a new simulated robot.
pub(super) fn run(context: &Act<'_>, case: &Case) -> Result<Ran, NoRehearsal> {
    let Act { vetted, callees, cage, conditions, compared } = *context;
    let trace = Trace::with_room_for(conditions.beats());
    let robot = Noisy::new(Traced::new(body(&case.on), trace.clone()), case.on.noise);
    let pulse = Pulse::new(robot, VirtualClock::new(), conditions.limits, conditions.period)?;
    let mut stage = Stage::new(Box::new(pulse), perception_for(case.on.room, &conditions.models));
    // No other client requests control of this context.
    let _awake = stage.torque(Joints::all(true));
    let _still = trace.take();
    // Declared functions were resolved earlier.
    let entry = vetted.entry_of(case.function.as_deref()).unwrap_or_else(|| vetted.entry());
    let lends = callees.values().flat_map(|about| &about.capabilities).copied().collect();
    let job =
        Job { seed: case.seed, compared, ..job(vetted, entry, &case.arguments, true, conditions.guest) };
    let job = bind(job, &entry.parameters_schema(), &samples::open)?;
    let mut permit = permit(vetted, entry, lends, cage.callees(), conditions.stage_seconds);
    if compared {
        permit.facts = None;
    }
    let mut guest = cage.guest(conditions.guest)?;
    let performance = perform(&mut *guest, job, &mut stage, &permit);
    let usage = guest.usage();
    drop(guest);
    if let Outcome::Stopped { limit, reason } = &performance.outcome
        && matches!(limit.as_str(), "no_host" | "uncaged")
    {
        // The tool is not the cause of this.
        return Err(GuestFault::NoHost { reason: reason.clone() }.into());
    }
    let beats = trace.take();
    let mut report = measure(&beats, &conditions.limits, conditions.period);
    report.duration_s = performance.took.as_secs_f64();
    report.frames = performance.frames;
    report.printed = performance.printed.len() as u64;
    report.words = performance.printed.split_whitespace().count() as u64;
    report.trims = trim_spans(&performance.steps, conditions.period.as_secs_f64());
    if let Some(usage) = usage {
        report.peak_memory_bytes = usage.peak_bytes;
        report.cpu_s = minismith_runtime::outcome::tidy(usage.cpu_seconds);
    }
    for (_, count) in performance.trims.0.iter() {
        if let Some(count) = count {
            report.trimmed_beats = report.trimmed_beats.max(u64::from(count.beats));
            report.worst_trim_deg =
                report.worst_trim_deg.max(minismith_runtime::outcome::tidy(count.worst.degrees()));
        }
    }
    Ok(Ran { performance, report, beats })
}

/// A servo that takes four times as long to accept a goal, and has a quarter of the gain.
const SLOW_SERVO: Variation = Variation { gain: 0.25, friction: 1.0, delay: 4.0 };

fn body(on: &Circumstances) -> MockRobot {
    let slow = |joint: Joint| if Some(joint) == on.slow { SLOW_SERVO } else { on.variation };
    MockRobot::varied(start_joints(on.start), &Joints::from_fn(slow))
}

/// Returns the perception for this scene.
fn perception_for(room: Room, models: &Models) -> Eyes {
    let scene = match room {
        Room::Empty => Scene::default(),
        Room::Visited => Scene::built_in("visitor", &photographs(models.folder())).unwrap_or_default(),
    };
    Eyes::new(Arc::new(SceneCamera::new(Arc::new(scene))), models.clone())
}

fn start_joints(start: Start) -> Joints {
    let mut posture = Posture::init();
    match start {
        Start::Neutral => {}
        Start::At(joints) => return joints,
        Start::Turned => {
            posture.body_yaw = Radians::from_degrees(40.0);
            posture.head = HeadPose::new(
                0.0,
                0.0,
                0.0,
                RollPitchYaw { yaw: Radians::from_degrees(55.0), ..RollPitchYaw::default() },
            );
        }
        Start::Low => {
            posture.head = HeadPose::new(
                0.005,
                0.0,
                -0.02,
                RollPitchYaw {
                    pitch: Radians::from_degrees(15.0),
                    roll: Radians::from_degrees(-8.0),
                    ..RollPitchYaw::default()
                },
            );
        }
    }
    joints_from_posture(&posture).unwrap_or_default()
}
