//! Opens the chosen robot: the simulated one in this process, the emulated servos, or real servos on a serial line.
//!
//! From `Robot` up, all of them use the same code.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use firmware_bridge::bus::{BusOptions, MotorBus};
use firmware_bridge::clock::WallClock;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::limits::{JointLimit, Limits};
use firmware_bridge::posture::Posture;
use firmware_bridge::pulse::{Order, Pulse, PulseHandle, PulseThread};
use firmware_bridge::robot::{Robot, RobotFault};
use firmware_bridge::trace::{Trace, Traced};
use minismith_senses::camera::Camera;
use minismith_senses::models::Models;
use mock_robot::dynamics::Variation;
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorError, EmulatorOptions};
use mock_robot::robot::MockRobot;

use crate::arbiter::{Arbiter, Rank};
use crate::chronicle::{Chronicle, ChronicleThread, Sources};
use crate::eyes::{Eyes, Lookout, camera_of};
use crate::outgoing::Outgoing;
use crate::stage::Stage;
use minismith_runtime::config::{Config, RobotChoice};

/// The reason why a robot could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum NoBody {
    /// The robot failed.
    #[error(transparent)]
    Robot(#[from] RobotFault),
    /// The emulated servos failed.
    #[error("the emulated servos could not be started: {0}")]
    Emulator(#[from] EmulatorError),
}

/// Returns the envelope's limits, from the configured groups and the servos' own ranges.
#[must_use]
pub fn limits_of(config: &Config) -> Limits {
    let given = config.limits;
    let group = |group: minismith_runtime::config::Group| JointLimit {
        low: -group.max_angle,
        high: group.max_angle,
        speed: group.max_velocity,
        acceleration: group.max_acceleration,
        jerk: group.max_jerk,
    };
    let inside = |joint, group: JointLimit| {
        let (low, high) = Limits::servo_range(joint);
        JointLimit { low: group.low.clamp(low, high), high: group.high.clamp(low, high), ..group }
    };
    let joints = Joints::from_fn(|joint| match joint {
        Joint::BodyYaw => inside(joint, group(given.body_rotation)),
        Joint::RightAntenna | Joint::LeftAntenna => inside(joint, group(given.antennas)),
        leg => {
            let (low, high) = Limits::servo_range(leg);
            let stewart = given.stewart;
            JointLimit {
                low: low + stewart.soft_limit_margin,
                high: high - stewart.soft_limit_margin,
                speed: stewart.max_velocity,
                acceleration: stewart.max_acceleration,
                jerk: stewart.max_jerk,
            }
        }
    });
    Limits {
        joints,
        head_pitch: given.head.max_pitch,
        head_roll: given.head.max_roll,
        relative_yaw: given.head.max_relative_yaw,
        steadiness: given.head.min_singularity_margin,
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
type AnyControlLoop = Pulse<Traced<Box<dyn Robot>>, WallClock>;

/// An open robot whose control loop runs. Dropping it brakes to rest.
pub struct Body {
    // Fields drop in this order. The last cycles are recorded before the recorder ends. The control loop must end
    // before the servos.
    pulse: PulseThread,
    chronicle: Option<ChronicleThread>,
    _emulator: Option<Emulator>,
    choice: RobotChoice,
    trace: Trace,
    camera: Arc<dyn Camera>,
    models: Models,
    album: PathBuf,
    outgoing: Outgoing,
    arbiter: Arc<Arbiter>,
}

impl Body {
    /// Opens the robot and starts its control loop.
    ///
    /// # Errors
    /// Returns an error if the robot cannot be opened or its bring-up fails.
    pub fn open(choice: &RobotChoice, config: &Config) -> Result<Self, NoBody> {
        Body::begin(choice, config, |_| {})
    }

    /// Opens the robot and records it as configured. If recording cannot start, this is logged.
    ///
    /// # Errors
    /// As for [`Body::open`].
    pub fn open_and_keep(choice: &RobotChoice, config: &Config) -> Result<Self, NoBody> {
        let mut tap = None;
        let mut body = Body::begin(choice, config, |pulse| tap = Some(pulse.tapped(CYCLE_QUEUE_CAPACITY)))?;
        if let Some(tap) = tap {
            let sources = Sources {
                pulse: body.handle(),
                lookout: body.lookout(),
                eyes: body.eyes(),
                arbiter: body.arbiter(),
            };
            match ChronicleThread::start(sources, tap, &config.recording) {
                Ok(thread) => body.chronicle = Some(thread),
                Err(error) => tracing::error!("what happens is not kept: {error}"),
            }
        }
        Ok(body)
    }

    fn begin(
        choice: &RobotChoice,
        config: &Config,
        prepare: impl FnOnce(&mut AnyControlLoop),
    ) -> Result<Self, NoBody> {
        let bus = bus_options(config);
        let trace = Trace::with_room_for(MAX_TRACED_CYCLES);
        let clock = WallClock::start();
        let mut emulator = None;
        let robot: Box<dyn Robot> = match choice {
            RobotChoice::Mock => Box::new(MockRobot::new(initial_joints(), Variation::default())),
            RobotChoice::MockBus => {
                let options = EmulatorOptions {
                    link: None,
                    faults: Faults::default(),
                    start: initial_joints(),
                    paced: true,
                };
                let started = emulator.insert(Emulator::start(options)?);
                Box::new(MotorBus::open(started.path(), &bus)?)
            }
            RobotChoice::Serial(path) => Box::new(MotorBus::open(path, &bus)?),
        };
        tracing::debug!(?choice, "the robot is open");
        let mut pulse =
            Pulse::new(Traced::new(robot, trace.clone()), clock, limits_of(config), config.rate.period())?;
        // A bus switches torque on during bring-up. The simulated robot in this process has no bring-up.
        pulse.take(Order::Torque(Joints::all(true)));
        prepare(&mut pulse);
        let pulse = PulseThread::start(pulse)?;
        let camera = camera_of(config, choice, &pulse.handle());
        Ok(Body {
            pulse,
            chronicle: None,
            _emulator: emulator,
            choice: choice.clone(),
            trace,
            camera,
            models: models_of(config),
            album: config.camera.photo_directory.clone(),
            outgoing: Outgoing::default(),
            arbiter: Arc::default(),
        })
    }

    /// Returns the handle for recording. It does nothing if nothing is recorded.
    #[must_use]
    pub fn chronicle(&self) -> Chronicle {
        self.chronicle.as_ref().map(ChronicleThread::chronicle).unwrap_or_default()
    }

    /// Returns an execution context for an agent, or a person who acts through one.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.stage_for(Rank::Agent, "a conversation")
    }

    /// Returns an execution context for a client with this name.
    #[must_use]
    pub fn stage_for(&self, rank: Rank, name: &str) -> Stage {
        Stage::shared(Box::new(self.pulse.handle()), self.eyes(), self.arbiter.voice(rank, name))
    }

    /// Returns the perception through the head's camera.
    #[must_use]
    pub fn eyes(&self) -> Eyes {
        Eyes::new(self.camera.clone(), self.models.clone())
    }

    /// Returns the head's camera for an observer.
    #[must_use]
    pub fn lookout(&self) -> Lookout {
        Lookout::new(self.camera.clone(), self.pulse.handle(), !self.is_real())
    }

    /// Returns the folder of photographs.
    #[must_use]
    pub fn album(&self) -> &Path {
        &self.album
    }

    /// Returns the counter of images that have left this machine.
    #[must_use]
    pub const fn outgoing(&self) -> &Outgoing {
        &self.outgoing
    }

    /// Returns the arbiter of control.
    #[must_use]
    pub fn arbiter(&self) -> Arc<Arbiter> {
        self.arbiter.clone()
    }

    /// Returns a handle that observes and stops the robot.
    #[must_use]
    pub fn handle(&self) -> PulseHandle {
        self.pulse.handle()
    }

    /// Returns whether real motors may move.
    #[must_use]
    pub const fn is_real(&self) -> bool {
        matches!(self.choice, RobotChoice::Serial(_))
    }

    /// Returns the cycles logged since the last call.
    #[must_use]
    pub fn take_trace(&self) -> Vec<firmware_bridge::trace::Beat> {
        self.trace.take()
    }
}

/// Returns the installed models, from the configuration.
#[must_use]
pub fn models_of(config: &Config) -> Models {
    Models::at(&config.models).preferring(config.vision.execution_providers.clone())
}

/// Returns the start position of a simulated robot: awake and at rest.
#[must_use]
pub fn initial_joints() -> Joints {
    joints_from_posture(&Posture::init()).unwrap_or_default()
}
