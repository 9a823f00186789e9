//! Opens the chosen robot: the simulated one in this process, the emulated servos, or real servos on a serial line.
//!
//! From `Robot` up, all of them use the same code.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use firmware_bridge::bus::{BusOptions, MotorBus};
use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::control_loop::{
    ControlLoop, ControlLoopHandle, ControlLoopThread, LoopClient, LoopCommand, LoopSnapshot, MotionState,
};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::limits::{JointLimits, Limits};
use firmware_bridge::motion_log::{LoggingRobot, MotionLog};
use firmware_bridge::posture::Posture;
use firmware_bridge::robot::{Robot, RobotError};
use minismith_perception::camera::Camera;
use minismith_perception::models::Models;
use mock_robot::dynamics::Variation;
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorError, EmulatorOptions};
use mock_robot::robot::MockRobot;

use crate::arbiter::{Arbiter, Priority};
use crate::execution::ExecutionContext;
use crate::outgoing::Outgoing;
use crate::perception::{CameraObserver, ImageSearch, Perception, camera_of};
use crate::run_recorder::{RunRecorder, RunRecorderThread, Sources};
use crate::sound::SoundSource;
use minismith_runtime::config::{Config, RobotChoice};

/// The reason why a robot could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum RobotOpenError {
    /// The robot failed.
    #[error(transparent)]
    Robot(#[from] RobotError),
    /// The emulated servos failed.
    #[error("the emulated servos could not be started: {0}")]
    Emulator(#[from] EmulatorError),
}

/// The robot could not be laid down.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the head was not laid down, and torque may still be on: {0}; hold the head and switch the power off"
)]
pub struct NotReleased(String);

/// Returns the envelope's limits, from the configured groups and the servos' own ranges.
#[must_use]
pub fn limits_of(config: &Config) -> Limits {
    let given = config.limits;
    let group = |group: minismith_runtime::config::Group| JointLimits {
        min_position: -group.max_angle,
        max_position: group.max_angle,
        max_velocity: group.max_velocity,
        max_acceleration: group.max_acceleration,
        max_jerk: group.max_jerk,
    };
    let inside = |joint, group: JointLimits| {
        let (low, high) = Limits::servo_range(joint);
        JointLimits {
            min_position: group.min_position.clamp(low, high),
            max_position: group.max_position.clamp(low, high),
            ..group
        }
    };
    let joints = Joints::from_fn(|joint| match joint {
        Joint::BodyYaw => inside(joint, group(given.body_rotation)),
        Joint::RightAntenna | Joint::LeftAntenna => inside(joint, group(given.antennas)),
        leg => {
            let (low, high) = Limits::servo_range(leg);
            let stewart = given.stewart;
            JointLimits {
                min_position: low + stewart.soft_limit_margin,
                max_position: high - stewart.soft_limit_margin,
                max_velocity: stewart.max_velocity,
                max_acceleration: stewart.max_acceleration,
                max_jerk: stewart.max_jerk,
            }
        }
    });
    Limits {
        joints,
        head_pitch: given.head.max_pitch,
        head_roll: given.head.max_roll,
        relative_yaw: given.head.max_relative_yaw,
        min_singularity_margin: given.head.min_singularity_margin,
    }
}

/// Returns the options of the serial line, from the configuration.
#[must_use]
pub const fn bus_options(config: &Config) -> BusOptions {
    let minismith_runtime::config::Bus { baud, min_voltage_v, watchdog, reply_timeout } = config.bus;
    BusOptions { baud, min_voltage_v, watchdog, reply_timeout, ..BusOptions::DEFAULT }
}

/// Maximum number of traced cycles of one run: five minutes at 100 Hz.
const MAX_TRACED_CYCLES: usize = 30_000;

/// Capacity of the queue of cycle records: forty seconds at 100 Hz.
const CYCLE_QUEUE_CAPACITY: usize = 4_096;

/// The control loop of any robot.
type AnyControlLoop = ControlLoop<LoggingRobot<Box<dyn Robot>>, MonotonicClock>;

/// An open robot whose control loop runs. Dropping it brakes to rest.
pub struct RobotRuntime {
    // Fields drop in this order. The last cycles are recorded before the recorder ends. The control loop must end
    // before the servos.
    control_loop: ControlLoopThread,
    recorder: Option<RunRecorderThread>,
    _emulator: Option<Emulator>,
    choice: RobotChoice,
    trace: MotionLog,
    camera: Arc<dyn Camera>,
    /// The detectors, which all contexts share.
    search: Arc<ImageSearch>,
    photo_directory: PathBuf,
    upload_quota: Outgoing,
    arbiter: Arc<Arbiter>,
    /// The microphones and the speaker that tools get; none if nobody gave them any.
    sound: OnceLock<Arc<dyn SoundSource>>,
}

impl RobotRuntime {
    /// Opens the robot and starts its control loop.
    ///
    /// # Errors
    /// Returns an error if the robot cannot be opened or its bring-up fails.
    pub fn open(choice: &RobotChoice, config: &Config) -> Result<Self, RobotOpenError> {
        RobotRuntime::begin(choice, config, |_| {})
    }

    /// Opens the robot of emulated servos that already run, at the path of their line.
    ///
    /// # Errors
    /// As for [`RobotRuntime::open`].
    pub fn open_emulated(path: &Path, config: &Config) -> Result<Self, RobotOpenError> {
        let robot = MotorBus::open(path, &bus_options(config).for_emulated_servos())?;
        RobotRuntime::run(&RobotChoice::MockBus, config, (Box::new(robot), None), |_| {})
    }

    /// Opens the robot and records it as configured. If recording cannot start, this is logged.
    ///
    /// # Errors
    /// As for [`RobotRuntime::open`].
    pub fn open_recorded(choice: &RobotChoice, config: &Config) -> Result<Self, RobotOpenError> {
        let mut tap = None;
        let mut body = RobotRuntime::begin(choice, config, |control_loop| {
            tap = Some(control_loop.attach_log(CYCLE_QUEUE_CAPACITY))
        })?;
        if let Some(tap) = tap {
            let sources = Sources {
                control_loop: body.handle(),
                observer: body.observer(),
                perception: body.perception(),
                arbiter: body.arbiter(),
            };
            match RunRecorderThread::start(sources, tap, &config.recording) {
                Ok(thread) => body.recorder = Some(thread),
                Err(error) => tracing::error!("what happens is not kept: {error}"),
            }
        }
        Ok(body)
    }

    fn begin(
        choice: &RobotChoice,
        config: &Config,
        prepare: impl FnOnce(&mut AnyControlLoop),
    ) -> Result<Self, RobotOpenError> {
        let bus = bus_options(config);
        let opened: (Box<dyn Robot>, Option<Emulator>) = match choice {
            RobotChoice::Mock => (Box::new(MockRobot::new(initial_joints(), Variation::default())), None),
            RobotChoice::MockBus => {
                let options = EmulatorOptions {
                    link: None,
                    faults: Faults::default(),
                    start: initial_joints(),
                    paced: true,
                };
                let emulator = Emulator::start(options)?;
                (Box::new(MotorBus::open(emulator.path(), &bus.for_emulated_servos())?), Some(emulator))
            }
            RobotChoice::Serial(path) => (Box::new(MotorBus::open(path, &bus)?), None),
        };
        RobotRuntime::run(choice, config, opened, prepare)
    }

    /// Runs the control loop of a robot that is open.
    fn run(
        choice: &RobotChoice,
        config: &Config,
        (robot, emulator): (Box<dyn Robot>, Option<Emulator>),
        prepare: impl FnOnce(&mut AnyControlLoop),
    ) -> Result<Self, RobotOpenError> {
        let trace = MotionLog::with_room_for(MAX_TRACED_CYCLES);
        let clock = MonotonicClock::start();
        tracing::debug!(?choice, "the robot is open");
        let mut control_loop = ControlLoop::new(
            LoggingRobot::new(robot, trace.clone()),
            clock,
            limits_of(config),
            config.rate.period(),
        )?;
        // A bus switches torque on during bring-up. The simulated robot in this process has no bring-up.
        control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
        prepare(&mut control_loop);
        let control_loop = ControlLoopThread::start(control_loop)?;
        let camera = camera_of(config, choice, &control_loop.handle());
        Ok(RobotRuntime {
            control_loop,
            recorder: None,
            _emulator: emulator,
            choice: choice.clone(),
            trace,
            camera,
            search: Arc::new(ImageSearch::new(models_of(config))),
            photo_directory: config.camera.photo_directory.clone(),
            upload_quota: Outgoing::default(),
            arbiter: Arc::default(),
            sound: OnceLock::new(),
        })
    }

    /// Returns the handle for recording. It does nothing if nothing is recorded.
    #[must_use]
    pub fn recorder(&self) -> RunRecorder {
        self.recorder.as_ref().map(RunRecorderThread::recorder).unwrap_or_default()
    }

    /// Returns an execution context for an agent, or a person who acts through one.
    #[must_use]
    pub fn execution_context(&self) -> ExecutionContext {
        self.execution_context_for(Priority::Agent, "a conversation")
    }

    /// Returns an execution context for a client with this name.
    #[must_use]
    pub fn execution_context_for(&self, rank: Priority, name: &str) -> ExecutionContext {
        let mut context = ExecutionContext::shared(
            Box::new(self.control_loop.handle()),
            self.perception(),
            self.arbiter.claim(rank, name),
        );
        if let Some(sound) = self.sound.get() {
            context.sound = sound.open();
        }
        context
    }

    /// Gives tools these microphones and this speaker, in every execution context from now on. Later ones have no effect.
    pub fn set_sound(&self, sound: Arc<dyn SoundSource>) {
        let _first = self.sound.get_or_init(|| sound);
    }

    /// Returns the perception through the head's camera.
    #[must_use]
    pub fn perception(&self) -> Perception {
        Perception::sharing(self.camera.clone(), self.search.clone())
    }

    /// Returns the head's camera for an observer.
    #[must_use]
    pub fn observer(&self) -> CameraObserver {
        CameraObserver::new(self.camera.clone(), self.control_loop.handle(), !self.is_real())
    }

    /// Returns the folder of photographs.
    #[must_use]
    pub fn photo_directory(&self) -> &Path {
        &self.photo_directory
    }

    /// Returns the counter of images that have left this machine.
    #[must_use]
    pub const fn upload_quota(&self) -> &Outgoing {
        &self.upload_quota
    }

    /// Returns the arbiter of control.
    #[must_use]
    pub fn arbiter(&self) -> Arc<Arbiter> {
        self.arbiter.clone()
    }

    /// Returns a handle that observes and stops the robot.
    #[must_use]
    pub fn handle(&self) -> ControlLoopHandle {
        self.control_loop.handle()
    }

    /// Lays the head down and releases the torque of all motors. A stop in the meantime only delays that.
    ///
    /// # Errors
    /// [`NotReleased`], if a motor still has torque after this time.
    pub fn stow_and_release(&self, within: Duration) -> Result<(), NotReleased> {
        let clock = MonotonicClock::start();
        let until = clock.now() + within;
        let mut control = self.handle();
        let is_released = |snapshot: &LoopSnapshot| snapshot.state.torque.iter().all(|(_, on)| !*on);
        loop {
            control.send_command(LoopCommand::StowAndRelease);
            let snapshot = control.wait(&|snapshot| {
                !matches!(snapshot.motion_state, MotionState::Stowing | MotionState::Stopping)
                    || clock.now() >= until
            });
            if snapshot.motion_state == MotionState::TorqueOff && is_released(&snapshot) {
                return Ok(());
            }
            if clock.now() >= until {
                let why = snapshot.fault.map_or_else(
                    || format!("it took longer than {} s", within.as_secs()),
                    |fault| fault.to_string(),
                );
                return Err(NotReleased(why));
            }
            // A control loop that has ended would return at once.
            clock.wait_until(clock.now() + control.period());
        }
    }

    /// Returns whether real motors may move.
    #[must_use]
    pub const fn is_real(&self) -> bool {
        matches!(self.choice, RobotChoice::Serial(_))
    }

    /// Returns the cycles logged since the last call.
    #[must_use]
    pub fn take_trace(&self) -> Vec<firmware_bridge::motion_log::LoggedCycle> {
        self.trace.take()
    }
}

/// Returns the installed models, from the configuration.
#[must_use]
pub fn models_of(config: &Config) -> Models {
    Models::at(&config.models)
        .with_providers(config.vision.execution_providers.clone())
        .with_idle_timeout(config.vision.idle_timeout)
}

/// Returns the start position of a simulated robot: awake and at rest.
#[must_use]
pub fn initial_joints() -> Joints {
    joints_from_posture(&Posture::init()).unwrap_or_default()
}
