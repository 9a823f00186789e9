//! `bus_cycle` and `bus_rate_hz`: nine motors written and read over the emulated line, at full speed and at a fixed
//! rate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use firmware_bridge::bus::MotorBus;
use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use firmware_bridge::control_loop::{ControlLoop, ControlLoopThread, LoopClient, LoopCommand};
use firmware_bridge::envelope::{Envelope, SafeCommand};
use firmware_bridge::joint::Joints;
use firmware_bridge::robot::{JointState, PositionReading, Robot, RobotError};

use super::baseline::{MEASURE, Script};
use super::jitter::{OfficialDaemon, awake};
use super::line::Line;
use super::rounds::take_turns;
use super::row::{Better, Row};
use super::{BenchContext, Failed};
use minismith_control::robot::{bus_options, limits_of};

pub(super) const CYCLE: &str = "bus_cycle";
pub(super) const RATE: &str = "bus_rate_hz";
const CYCLE_PEER: &str = "reachy_mini_motor_controller 1.5.6";
const RATE_PEER: &str = "reachy-mini-daemon 1.13.0";

/// How often the positions are requested before the line counts as broken.
const CYCLES: u32 = 100;
/// The highest rate that the configuration permits, Hz.
const MAX_RATE_HZ: u32 = 400;

pub(super) fn cycle(context: &BenchContext<'_>) -> Row {
    (context.progress)("the line: nine motors written and read, back to back");
    let cycles = context.pick(50, 200);
    let our_side = OurBus::open(context);
    let their_side = context.baselines.packages.as_ref().map(|python| TheirBus::open(python));
    let mut theirs = match their_side {
        Some(Ok(side)) => Some(side),
        Some(Err(failed)) => {
            (context.progress)(&format!("the official side failed: {failed}"));
            None
        }
        None => None,
    };
    let mut ours = match our_side {
        Ok(side) => side,
        Err(failed) => return Row::alone(CYCLE, "ms", Err(failed)),
    };
    let mut their_round = theirs.as_mut().map(|side| || side.round(cycles));
    let mut our_round = || ours.round(cycles);
    let medians =
        take_turns(context, context.pick(3, 11), &mut our_round, their_round.as_mut().map(|side| side as _));
    let failures = theirs.as_ref().map_or(0.0, |side| side.failures);
    let note = if failures > 0.0 { format!("the peer read {failures} times in vain") } else { String::new() };
    Row::alone(CYCLE, "ms", medians.ours).against(CYCLE_PEER, medians.theirs, Better::Lower).noting(&note)
}

/// Our bus with torque enabled, holding.
struct OurBus {
    bus: MotorBus,
    envelope: Envelope,
    hold: Joints,
    // The bus sends a last packet when it closes, so the line must outlive it.
    _line: Line,
}

impl OurBus {
    fn open(context: &BenchContext<'_>) -> Result<OurBus, Failed> {
        let at = Failed::at("our bus");
        let line = Line::start()?;
        let mut bus = MotorBus::open(line.path(), &bus_options(context.config).for_emulated_servos())
            .map_err(|fault| at(&fault))?;
        bus.write_command(Timestamp::ZERO, &Envelope::torque(Joints::all(true)))
            .map_err(|fault| at(&fault))?;
        let mut state = bus.read_state(Timestamp::ZERO).map_err(|fault| at(&fault))?;
        // On a busy machine a response of the emulated servos may come after its cycle.
        for _ in 0..CYCLES {
            if state.present().is_ok() {
                break;
            }
            state = bus.read_state(Timestamp::ZERO).map_err(|fault| at(&fault))?;
        }
        let hold = state.present().map_err(|fault| at(&fault))?;
        Ok(OurBus { bus, envelope: Envelope::at_rest(limits_of(context.config), hold), hold, _line: line })
    }

    /// Returns the milliseconds per cycle.
    fn round(&mut self, cycles: u32) -> Result<f64, Failed> {
        let command = self.envelope.limit(&self.hold, Duration::from_millis(10)).command;
        let mut cycle = || {
            self.bus.write_command(Timestamp::ZERO, &command).map_err(|fault| Failed::at("our bus")(&fault))
        };
        // After a pause the servos' watchdogs are set up first, which is not part of a cycle.
        cycle()?;
        let clock = MonotonicClock::start();
        for _ in 0..cycles {
            cycle()?;
        }
        Ok(clock.now().seconds() * 1e3 / f64::from(cycles))
    }
}

/// The official library on a line of its own.
struct TheirBus {
    script: Script,
    failures: f64,
    _line: Line,
}

impl TheirBus {
    fn open(python: &std::path::Path) -> Result<TheirBus, Failed> {
        let line = Line::start()?;
        let arguments = ["bus".into(), line.path().into()];
        let mut script = Script::start(python, "the official motor controller", MEASURE, &arguments)?;
        script.answer()?;
        Ok(TheirBus { script, failures: 0.0, _line: line })
    }

    /// Returns the milliseconds per cycle.
    fn round(&mut self, cycles: u32) -> Result<f64, Failed> {
        let answer = self.script.ask(&format!("cycles {cycles}"))?;
        let number = |key: &str| answer.get(key).and_then(serde_json::Value::as_f64).unwrap_or(f64::NAN);
        self.failures += number("failures");
        Ok(number("seconds") * 1e3 / f64::from(cycles))
    }
}

pub(super) fn rate(context: &BenchContext<'_>) -> Row {
    (context.progress)("the line: the rate of whole cycles");
    let seconds = context.pick(1, 4);
    let _awake = awake();
    let theirs = match OfficialDaemon::start(context) {
        None => None,
        Some(daemon) => daemon
            .and_then(|daemon| daemon.rate(Duration::from_secs(seconds)))
            .inspect_err(|failed| (context.progress)(&format!("the official side failed: {failed}")))
            .ok(),
    };
    let (ours, late) = match achieved(context, seconds) {
        Ok((rate, late)) => (Ok(rate), format!("; {late} of ours began more than a period late")),
        Err(failed) => (Err(failed), String::new()),
    };
    let note = format!(
        "cycles per second with all nine motors written and read, ours asked for {MAX_RATE_HZ} Hz, the most that the \
         configuration allows; the peer's loop has a fixed rate of 50 Hz{late}"
    );
    Row::alone(RATE, "Hz", ours).against(RATE_PEER, theirs, Better::Higher).noting(&note)
}

/// A bus that counts the cycles in which all nine motors were read.
struct Counted {
    bus: MotorBus,
    whole: Arc<AtomicU64>,
}

impl Robot for Counted {
    fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        self.bus.read_state(at)
    }

    fn write_command(&mut self, at: Timestamp, command: &SafeCommand) -> Result<JointState, RobotError> {
        let state = self.bus.write_command(at, command)?;
        if state.readings.iter().all(|(_, reading)| matches!(reading, PositionReading::Fresh(_))) {
            self.whole.fetch_add(1, Ordering::Relaxed);
        }
        Ok(state)
    }
}

/// Returns the complete cycles per second at the highest rate, and how many began more than a period late.
fn achieved(context: &BenchContext<'_>, seconds: u64) -> Result<(f64, u64), Failed> {
    let at = Failed::at("our control loop");
    let line = Line::start()?;
    let bus = MotorBus::open(line.path(), &bus_options(context.config).for_emulated_servos())
        .map_err(|fault| at(&fault))?;
    let whole = Arc::new(AtomicU64::new(0));
    let bus = Counted { bus, whole: whole.clone() };
    let period = Duration::from_secs(1) / MAX_RATE_HZ;
    let control_loop = ControlLoop::new(bus, MonotonicClock::start(), limits_of(context.config), period);
    let mut control_loop = control_loop.map_err(|fault| at(&fault))?;
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    let thread = ControlLoopThread::start(control_loop).map_err(|fault| at(&fault))?;
    let mut handle = thread.handle();
    // The loop settles first.
    let before = handle.watch(&|snapshot| snapshot.cycles >= u64::from(MAX_RATE_HZ) / 2);
    let (clock, counted) = (MonotonicClock::start(), whole.load(Ordering::Relaxed));
    let due = before.cycles + u64::from(MAX_RATE_HZ) * seconds;
    let after = handle.watch(&|snapshot| snapshot.cycles >= due || snapshot.fault.is_some());
    let (took, whole) = (clock.now().seconds(), whole.load(Ordering::Relaxed));
    match after.fault {
        Some(fault) => Err(at(&fault)),
        None => Ok(((whole - counted) as f64 / took, after.overruns - before.overruns)),
    }
}
