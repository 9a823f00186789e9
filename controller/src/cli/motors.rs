//! `motors`: the state of each motor, its torque, control mode and gains.

use std::str::FromStr;
use std::time::Duration;

use anyhow::bail;
use clap::{Args, ValueEnum};
use firmware_bridge::control_loop::{ControlMode, LoopCommand, LoopSnapshot, MotionState};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::robot::PositionReading;
use firmware_bridge::servo::{Gains, Milliamps};
use minismith_control::execution::ExecutionContext;
use minismith_protocol::old_names::command_line::MOTOR_MODES;
use minismith_runtime::config::Config;
use minismith_runtime::report::round_for_display;
use serde_json::{Value, json};

use super::quantity::Time;
use super::{CommandStatus, OnRobot, interrupt, move_joints, print, setup};

/// What to set.
#[derive(Debug, Args)]
pub struct MotorsArgs {
    /// Only this motor. May be repeated. Default: all motors.
    #[arg(long = "joint", value_name = "JOINT", value_parser = move_joints::joint)]
    joints: Vec<Joint>,
    /// Enable or disable torque. Without torque in the legs, a raised head sinks; `--stow` lays it down first.
    #[arg(long, value_enum, conflicts_with = "stow")]
    torque: Option<Switch>,
    /// Lay the head down, then disable the torque of all motors.
    #[arg(long, conflicts_with_all = ["mode", "gains"])]
    stow: bool,
    /// Control mode: `position`, `gravity-compensation` (hand guiding) or a current limit such as 300mA.
    #[arg(long, value_name = "MODE")]
    mode: Option<How>,
    /// Gains P,I,D of the position controller, such as 300,0,0.
    #[arg(long, value_name = "P,I,D")]
    gains: Option<Triple>,
    /// How long to keep the settings, such as 10s. Default: until interrupted, unless --mode is `position`.
    #[arg(long, value_name = "TIME")]
    duration: Option<Time>,
    #[command(flatten)]
    on: OnRobot,
}

/// Whether torque is enabled.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Switch {
    /// Enabled.
    On,
    /// Disabled.
    Off,
}

#[derive(Clone, Copy, Debug)]
struct How(ControlMode);

impl FromStr for How {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = MOTOR_MODES.iter().find(|(old, _)| *old == text).map_or(text, |(_, new)| *new);
        let current = || text.strip_suffix("mA").and_then(|number| number.trim().parse::<f64>().ok());
        match (text, current()) {
            ("position", _) => Ok(How(ControlMode::Position)),
            ("gravity-compensation", _) => Ok(How(ControlMode::GravityCompensation)),
            (_, Some(current)) if (1.0..=1750.0).contains(&current) => {
                Ok(How(ControlMode::Compliant(Milliamps(current))))
            }
            _ => Err("allowed: `position`, `gravity-compensation`, or a current from 1mA to 1750mA".into()),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Triple(Gains);

impl FromStr for Triple {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<Option<u16>> = text
            .split(',')
            .map(|number| number.trim().parse().ok().filter(|gain| *gain <= Gains::MAX))
            .collect();
        match *numbers {
            [Some(p), Some(i), Some(d)] => Ok(Triple(Gains { p, i, d })),
            _ => Err(format!("three whole numbers from 0 to {}, such as 300,0,0", Gains::MAX)),
        }
    }
}

/// The timeout for the servos' own measurements. Each servo is polled within half a second.
const MAX_WATCH_TIME: Duration = Duration::from_secs(2);

/// Applies the settings, and prints the state of each motor afterwards.
pub fn run(config: &Config, arguments: &MotorsArgs) -> anyhow::Result<CommandStatus> {
    let MotorsArgs { joints, torque, stow, mode, gains, duration, on } = arguments;
    if mode.is_some() && !joints.is_empty() {
        bail!("--mode applies to all motors; remove --joint");
    }
    let body = setup::body(config, on)?;
    interrupt::stop_epoch(body.handle())?;
    let mut context = body.execution_context();
    context.control.wait(&|_| true);
    let meant = |joint: Joint| joints.is_empty() || joints.contains(&joint);
    let mut refusal = None;
    if let Some(Triple(gains)) = gains {
        refusal = Joint::ALL.into_iter().filter(|joint| meant(*joint)).find_map(|joint| {
            context.control.send_command(LoopCommand::Gains(joint, *gains));
            context.control.wait(&|_| true).refused.map(|fault| fault.to_string())
        });
    }
    if let Some(How(control)) = mode {
        refusal = refusal.or(context.set_control_mode(*control).err().map(|why| why.to_string()));
    }
    if let Some(switch) = torque {
        let driven = context.control.snapshot().state.torque;
        let on = matches!(switch, Switch::On);
        let wanted = Joints::from_fn(|joint| if meant(joint) { on } else { driven[joint] });
        refusal = refusal.or(context.torque(wanted).err().map(|why| why.to_string()));
    }
    if *stow {
        context.control.send_command(LoopCommand::StowAndRelease);
        context
            .control
            .wait(&|snapshot| !matches!(snapshot.motion_state, MotionState::Stowing | MotionState::Stopping));
    }
    let snapshot = look(&mut context, duration.map(|Time(time)| time), mode.is_some_and(goes_on));
    let refusal = refusal.or_else(|| snapshot.fault.as_ref().map(ToString::to_string));
    if on.json {
        let motors: Vec<Value> = Joint::ALL
            .into_iter()
            .filter(|joint| meant(*joint))
            .map(|joint| reported(&snapshot, joint))
            .collect();
        print::json(&json!({ "motors": motors, "control": snapshot.control_mode, "refusal": refusal }))?;
    } else {
        let rows: Vec<[String; 8]> =
            Joint::ALL.into_iter().filter(|joint| meant(*joint)).map(|joint| row(&snapshot, joint)).collect();
        print::table(
            &["motor", "position", "torque", "mode", "current", "celsius", "volts", "errors"],
            &rows,
        );
        if let Some(refusal) = &refusal {
            print::line(&format!("not done: {refusal}"));
        }
    }
    Ok(CommandStatus::when(refusal.is_none()))
}

/// Whether the setting lasts only as long as this program runs.
const fn goes_on(How(control): How) -> bool {
    !matches!(control, ControlMode::Position)
}

/// Holds for the requested time, and at least until every servo has sent its measurements.
fn look(context: &mut ExecutionContext, hold: Option<Duration>, goes_on: bool) -> LoopSnapshot {
    let stop_epoch = context.control.stop_epoch();
    if goes_on && hold.is_none() {
        eprintln!("minismith: Ctrl-C ends it, and the motors hold their positions");
        return context
            .control
            .watch(&|snapshot| snapshot.stop_epoch != stop_epoch || snapshot.fault.is_some());
    }
    if let Some(hold) = hold {
        let until = context.control.robot_time() + hold;
        context.advance_to(until);
    }
    let cycles = |time: Duration| u64::try_from(time.as_nanos() / context.control.period().as_nanos().max(1));
    let last = context.control.snapshot().cycles + cycles(MAX_WATCH_TIME).unwrap_or(0);
    context.control.watch(&|snapshot| {
        snapshot.cycles >= last || snapshot.state.health.iter().all(|(_, health)| health.is_some())
    })
}

fn reported(snapshot: &LoopSnapshot, joint: Joint) -> Value {
    let state = &snapshot.state;
    let health = state.health[joint];
    json!({
        "joint": joint,
        "present_deg": state.readings[joint].known().map(|angle| round_for_display(angle.degrees())),
        "fresh": matches!(state.readings[joint], PositionReading::Fresh(_)),
        "torque": state.torque[joint],
        "mode": state.modes[joint],
        "current_ma": health.map(|health| health.current),
        "temperature_c": health.map(|health| health.temperature_c),
        "voltage_v": health.map(|health| health.voltage_v),
        "errors": state.errors[joint].iter().collect::<Vec<_>>(),
    })
}

fn row(snapshot: &LoopSnapshot, joint: Joint) -> [String; 8] {
    let state = &snapshot.state;
    let health = state.health[joint];
    let unknown = || "-".to_owned();
    let errors: Vec<String> = state.errors[joint].iter().map(|error| format!("{error:?}")).collect();
    [
        joint.to_string(),
        state.readings[joint].known().map_or_else(unknown, |angle| angle.to_string()),
        if state.torque[joint] { "on" } else { "off" }.to_owned(),
        format!("{:?}", state.modes[joint]),
        health.map_or_else(unknown, |health| health.current.to_string()),
        health.map_or_else(unknown, |health| format!("{:.0}", health.temperature_c)),
        health.map_or_else(unknown, |health| format!("{:.1}", health.voltage_v)),
        if errors.is_empty() { "none".to_owned() } else { errors.join(", ") },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_gains_are_read_and_nothing_else() {
        let control = |text: &str| text.parse::<How>().map(|how| how.0);
        assert_eq!(control("gravity"), Ok(ControlMode::GravityCompensation));
        assert_eq!(control("300mA"), Ok(ControlMode::Compliant(Milliamps(300.0))));
        for wrong in ["", "mA", "0mA", "9000mA", "NaNmA", "300", "limp"] {
            assert!(control(wrong).is_err(), "{wrong}");
        }
        assert_eq!("300, 0,5".parse::<Triple>().map(|triple| triple.0), Ok(Gains { p: 300, i: 0, d: 5 }));
        for wrong in ["", "1,2", "1,2,3,4", "20000,0,0", "-1,0,0", "a,b,c"] {
            assert!(wrong.parse::<Triple>().is_err(), "{wrong}");
        }
    }
}
