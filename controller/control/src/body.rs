//! Opens the body that was asked for: the mock in this process, the mock behind a pseudo-terminal, or the servos on a
//! serial line. From `Robot` up they take the same path.

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

/// A body that can't be had.
#[derive(Debug, thiserror::Error)]
pub enum NoBody {
    /// The robot.
    #[error(transparent)]
    Robot(#[from] RobotFault),
    /// The emulated servos.
    #[error("the emulated servos could not be started: {0}")]
    Emulator(#[from] EmulatorError),
}

/// The envelope's limits, from the configuration's groups and the servos' own ranges.
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

/// How the serial line is used, from the configuration.
#[must_use]
pub const fn bus_options(config: &Config) -> BusOptions {
    let minismith_runtime::config::Bus { baud, min_voltage_v, watchdog, reply_timeout } = config.bus;
    BusOptions { baud, min_voltage_v, watchdog, reply_timeout, ..BusOptions::DEFAULT }
}

/// Beats that are kept of one performance: five minutes at 100 Hz.
const TRACED_BEATS: usize = 30_000;

/// Beats that may wait to be kept: forty seconds at 100 Hz.
const TAPPED_BEATS: usize = 4_096;

/// What beats.
type Beating = Pulse<Traced<Box<dyn Robot>>, WallClock>;

/// A body that beats. Dropping it brakes to rest.
pub struct Body {
    // Fields drop in this order: what the last beats did is kept before the chronicle ends, and the pulse must end before the
    // servos under it go.
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
    /// Opens the body and starts its pulse.
    ///
    /// # Errors
    /// When it can't be opened, or does not pass its start-up ritual.
    pub fn open(choice: &RobotChoice, config: &Config) -> Result<Self, NoBody> {
        Body::begin(choice, config, |_| {})
    }

    /// The same, with all that it does kept and shown as it is configured. Where that can't be begun, the log says so.
    ///
    /// # Errors
    /// As [`Body::open`].
    pub fn open_and_keep(choice: &RobotChoice, config: &Config) -> Result<Self, NoBody> {
        let mut tap = None;
        let mut body = Body::begin(choice, config, |pulse| tap = Some(pulse.tapped(TAPPED_BEATS)))?;
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
        prepare: impl FnOnce(&mut Beating),
    ) -> Result<Self, NoBody> {
        let bus = bus_options(config);
        let trace = Trace::with_room_for(TRACED_BEATS);
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
        tracing::debug!(?choice, "the body is open");
        let mut pulse =
            Pulse::new(Traced::new(robot, trace.clone()), clock, limits_of(config), config.rate.period())?;
        // A bus switches torque on in its ritual; a mock in this process has none.
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

    /// Who tells what happens, to be kept; does nothing where nothing is kept.
    #[must_use]
    pub fn chronicle(&self) -> Chronicle {
        self.chronicle.as_ref().map(ChronicleThread::chronicle).unwrap_or_default()
    }

    /// A stage on this body for an agent, or a person by way of one.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.stage_for(Rank::Agent, "a conversation")
    }

    /// A stage on this body for whoever has this name.
    #[must_use]
    pub fn stage_for(&self, rank: Rank, name: &str) -> Stage {
        Stage::shared(Box::new(self.pulse.handle()), self.eyes(), self.arbiter.voice(rank, name))
    }

    /// Eyes behind the camera in its head.
    #[must_use]
    pub fn eyes(&self) -> Eyes {
        Eyes::new(self.camera.clone(), self.models.clone())
    }

    /// The camera in its head, for somebody who only watches.
    #[must_use]
    pub fn lookout(&self) -> Lookout {
        Lookout::new(self.camera.clone(), self.pulse.handle(), !self.is_real())
    }

    /// Where photographs are kept.
    #[must_use]
    pub fn album(&self) -> &Path {
        &self.album
    }

    /// How many of its pictures have left this machine.
    #[must_use]
    pub const fn outgoing(&self) -> &Outgoing {
        &self.outgoing
    }

    /// Who moves it.
    #[must_use]
    pub fn arbiter(&self) -> Arc<Arbiter> {
        self.arbiter.clone()
    }

    /// A way to watch and halt it.
    #[must_use]
    pub fn handle(&self) -> PulseHandle {
        self.pulse.handle()
    }

    /// Whether real motors may move.
    #[must_use]
    pub const fn is_real(&self) -> bool {
        matches!(self.choice, RobotChoice::Serial(_))
    }

    /// What was sent and done since the last call.
    #[must_use]
    pub fn take_trace(&self) -> Vec<firmware_bridge::trace::Beat> {
        self.trace.take()
    }
}

/// The installed models, from the configuration.
#[must_use]
pub fn models_of(config: &Config) -> Models {
    Models::at(&config.models).preferring(config.vision.execution_providers.clone())
}

/// Where a mock begins: awake and at rest.
#[must_use]
pub fn initial_joints() -> Joints {
    joints_from_posture(&Posture::init()).unwrap_or_default()
}
