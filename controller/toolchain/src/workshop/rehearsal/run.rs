//! Runs one case of a rehearsal: a new guest on a new simulated robot in virtual time, measured by the host.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use firmware_bridge::clock::VirtualClock;
use firmware_bridge::control_loop::ControlLoop;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::motion_log::{LoggedCycle, LoggingRobot, MotionLog};
use firmware_bridge::posture::{HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use minismith_protocol::Job;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;

use super::noise::Noisy;
use super::touch::Touched;
use super::{Act, RehearsalError, job, permit};
use crate::guest::GuestError;
use crate::tool_run::{Outcome, ToolRun, execute};
use crate::workshop::cases::{Case, CaseSetup, Start};
use crate::workshop::simulated_sound::SimulatedSound;
use crate::workshop::stimuli::{Stimulus, scene};
use minismith_analysis::files::input::bind;
use minismith_analysis::margins::clamp_spans;
use minismith_analysis::report::{PhysicalReport, measure};
use minismith_analysis::samples;
use minismith_control::execution::ExecutionContext;
use minismith_control::perception::{ImageSearch, Perception, SceneCamera};

/// The measurements of one case.
pub(super) struct Ran {
    pub tool_run: ToolRun,
    pub report: PhysicalReport,
    pub cycles: Vec<LoggedCycle>,
    /// The cycles after the tool's end until the robot has come to rest, if the case is measured.
    pub settling: Vec<LoggedCycle>,
}

/// Robot time for which the motion is measured after the tool has ended: servos lag behind their goals.
const SETTLING: Duration = Duration::from_millis(500);

/// Runs cases in parallel, with one worker per processor. Results keep the order of the cases. `watch` receives the
/// number of finished cases.
pub(super) fn run_all(
    context: &Act<'_>,
    cases: &[Case],
    watch: &mut dyn FnMut(usize),
) -> Result<Vec<(Case, Ran)>, RehearsalError> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(cases.len().max(1));
    let queue = Mutex::new(cases.iter().enumerate());
    let rehearsal = tracing::Span::current();
    let (report, reported) = channel();
    let mut done = std::thread::scope(|scope| {
        for _ in 0..workers {
            let (report, queue, rehearsal) = (report.clone(), &queue, &rehearsal);
            scope.spawn(move || {
                let _rehearsing = rehearsal.enter();
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((position, case)) = next else { break };
                    // A panic ends its case, not the controller.
                    let ran = catch_unwind(AssertUnwindSafe(|| run(context, case)))
                        .unwrap_or_else(|_| Err(RehearsalError::Bug { case: case.name.clone() }));
                    if report.send((position, case.clone(), ran)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(report);
        let mut done = Vec::with_capacity(cases.len());
        for one in reported {
            done.push(one);
            watch(done.len());
        }
        done
    });
    done.sort_by_key(|(position, ..)| *position);
    done.into_iter().map(|(_, case, ran)| Ok((case, ran?))).collect()
}

/// Runs a case with a new guest and a new simulated robot.
pub(super) fn run(context: &Act<'_>, case: &Case) -> Result<Ran, RehearsalError> {
    let Act { vetted, callees, sandbox, conditions, search, compared } = *context;
    let trace = MotionLog::with_room_for(conditions.cycles());
    let robot = Noisy::new(LoggingRobot::new(body(&case.on), trace.clone()), case.on.noise);
    let robot = Touched::new(robot, &case.on.stimuli);
    let control_loop = ControlLoop::new(robot, VirtualClock::new(), conditions.limits, conditions.period)?;
    let mut stage = ExecutionContext::new(Box::new(control_loop), perception_for(&case.on.stimuli, search));
    stage.sound = Box::new(SimulatedSound::new(&case.on.stimuli));
    // No other client requests control of this context.
    let _awake = stage.torque(Joints::all(true));
    let _still = trace.take();
    // Declared functions were resolved earlier.
    let entry = vetted.entry_of(case.function.as_deref()).unwrap_or_else(|| vetted.entry());
    let lends = callees.values().flat_map(|about| &about.capabilities).copied().collect();
    let job = Job {
        seed: case.seed,
        skip_comparison: compared,
        ..job(vetted, entry, &case.arguments, true, conditions.guest)
    };
    let job = bind(job, &entry.parameters_schema(), &samples::open)?;
    let mut permit = permit(vetted, entry, lends, sandbox.callees(), conditions.robot_time_s);
    if compared {
        permit.facts = None;
    }
    let mut guest = sandbox.guest(vetted.profile(), conditions.guest)?;
    let tool_run = execute(&mut *guest, job, &mut stage, &permit);
    let usage = guest.usage();
    drop(guest);
    if let Outcome::Stopped { limit, reason } = &tool_run.outcome
        && matches!(limit.as_str(), "no_host" | "uncaged")
    {
        // The tool is not the cause of this.
        return Err(GuestError::NoHost { reason: reason.clone() }.into());
    }
    let cycles = trace.take();
    let mut report = measure(&cycles, &conditions.limits, conditions.period);
    report.duration_s = tool_run.duration.as_secs_f64();
    report.frames = tool_run.frames;
    report.printed = tool_run.printed.len() as u64;
    report.spoken_words = tool_run.printed.split_whitespace().count() as u64;
    report.clamps = clamp_spans(&tool_run.steps, conditions.period.as_secs_f64());
    if let Some(usage) = usage {
        report.peak_memory_bytes = usage.peak_bytes;
        report.cpu_s = minismith_runtime::report::round_for_display(usage.cpu_seconds);
    }
    for (_, count) in tool_run.clamps.0.iter() {
        if let Some(count) = count {
            report.clamped_cycles = report.clamped_cycles.max(u64::from(count.cycles));
            report.max_clamp_deg =
                report.max_clamp_deg.max(minismith_runtime::report::round_for_display(count.worst.degrees()));
        }
    }
    let mut settling = Vec::new();
    if case.measured_for.is_some() {
        let until = stage.control.robot_time() + SETTLING;
        let _settled = stage.advance_to(until);
        settling = trace.take();
    }
    Ok(Ran { tool_run, report, cycles, settling })
}

/// A servo that takes four times as long to accept a goal, and has a quarter of the gain.
const SLOW_SERVO: Variation = Variation { gain: 0.25, friction: 1.0, delay: 4.0 };

fn body(on: &CaseSetup) -> MockRobot {
    let slow = |joint: Joint| if Some(joint) == on.slow { SLOW_SERVO } else { on.variation };
    MockRobot::varied(start_joints(on.start), &Joints::from_fn(slow))
}

/// Returns the perception of a camera to which these stimuli are shown.
fn perception_for(stimuli: &[Stimulus], search: &Arc<ImageSearch>) -> Perception {
    let scene = scene(stimuli, search.models()).unwrap_or_default();
    Perception::sharing(Arc::new(SceneCamera::new(Arc::new(scene))), search.clone())
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
