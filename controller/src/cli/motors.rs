//! `motors`: the state of each motor, its torque, control mode and gains.

use std::str::FromStr;
use std::time::Duration;

use anyhow::bail;
use clap::{Args, ValueEnum};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::pulse::{Control, Doing, Order, Snapshot};
use firmware_bridge::robot::Reading;
use firmware_bridge::servo::{Gains, Milliamps};
use minismith_control::stage::Stage;
use minismith_runtime::config::Config;
use minismith_runtime::outcome::tidy;
use minismith_wire::old_names::command_line::MOTOR_MODES;
use serde_json::{Value, json};

use super::quantity::Time;
use super::{Done, OnRobot, interrupt, joints, print, shop};

/// What to set.
#[derive(Debug, Args)]
pub struct MotorsArgs {
    /// Only this motor. May be repeated. Default: all motors.
    #[arg(long = "joint", value_name = "JOINT", value_parser = joints::joint)]
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
struct How(Control);

impl FromStr for How {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = MOTOR_MODES.iter().find(|(old, _)| *old == text).map_or(text, |(_, new)| *new);
        let current = || text.strip_suffix("mA").and_then(|number| number.trim().parse::<f64>().ok());
        match (text, current()) {
            ("position", _) => Ok(How(Control::Position)),
            ("gravity-compensation", _) => Ok(How(Control::GravityCompensation)),
            (_, Some(current)) if (1.0..=1750.0).contains(&current) => {
                Ok(How(Control::Compliant(Milliamps(current))))
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
            .map(|number| number.trim().parse().ok().filter(|gain| *gain <= Gains::MOST))
            .collect();
        match *numbers {
            [Some(p), Some(i), Some(d)] => Ok(Triple(Gains { p, i, d })),
            _ => Err(format!("three whole numbers from 0 to {}, such as 300,0,0", Gains::MOST)),
        }
    }
}

/// The timeout for the servos' own measurements. Each servo is polled within half a second.
const LONGEST_LOOK: Duration = Duration::from_secs(2);

/// Applies the settings, and prints the state of each motor afterwards.
pub fn run(config: &Config, arguments: &MotorsArgs) -> anyhow::Result<Done> {
    let MotorsArgs { joints, torque, stow, mode, gains, duration, on } = arguments;
    if mode.is_some() && !joints.is_empty() {
        bail!("--mode applies to all motors; remove --joint");
    }
    let body = shop::body(config, on)?;
    interrupt::halts(body.handle())?;
    let mut stage = body.stage();
    stage.conductor.wait(&|_| true);
    let meant = |joint: Joint| joints.is_empty() || joints.contains(&joint);
    let mut refusal = None;
    if let Some(Triple(gains)) = gains {
        refusal = Joint::ALL.into_iter().filter(|joint| meant(*joint)).find_map(|joint| {
            stage.conductor.order(Order::Gains(joint, *gains));
            stage.conductor.wait(&|_| true).refused.map(|fault| fault.to_string())
        });
    }
    if let Some(How(control)) = mode {
        refusal = refusal.or(stage.control(*control).err().map(|why| why.to_string()));
    }
    if let Some(switch) = torque {
        let driven = stage.conductor.snapshot().state.torque;
        let on = matches!(switch, Switch::On);
        let wanted = Joints::from_fn(|joint| if meant(joint) { on } else { driven[joint] });
        refusal = refusal.or(stage.torque(wanted).err().map(|why| why.to_string()));
    }
    if *stow {
        stage.conductor.order(Order::StowAndRelease);
        stage.conductor.wait(&|snapshot| !matches!(snapshot.doing, Doing::Stowing | Doing::Braking));
    }
    let snapshot = look(&mut stage, duration.map(|Time(time)| time), mode.is_some_and(goes_on));
    let refusal = refusal.or_else(|| snapshot.fault.as_ref().map(ToString::to_string));
    if on.json {
        let motors: Vec<Value> = Joint::ALL
            .into_iter()
            .filter(|joint| meant(*joint))
            .map(|joint| told(&snapshot, joint))
            .collect();
        print::json(&json!({ "motors": motors, "control": snapshot.control, "refusal": refusal }))?;
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
    Ok(Done::when(refusal.is_none()))
}

/// Whether the setting lasts only as long as this program runs.
const fn goes_on(How(control): How) -> bool {
    !matches!(control, Control::Position)
}

/// Holds for the requested time, and at least until every servo has sent its measurements.
fn look(stage: &mut Stage, hold: Option<Duration>, goes_on: bool) -> Snapshot {
    let halts = stage.conductor.halts();
    if goes_on && hold.is_none() {
        eprintln!("minismith: Ctrl-C ends it, and the motors hold their positions");
        return stage.conductor.watch(&|snapshot| snapshot.halts != halts || snapshot.fault.is_some());
    }
    if let Some(hold) = hold {
        let until = stage.conductor.stage_now() + hold;
        stage.pass_until(until);
    }
    let beats = |time: Duration| u64::try_from(time.as_nanos() / stage.conductor.period().as_nanos().max(1));
    let last = stage.conductor.snapshot().beats + beats(LONGEST_LOOK).unwrap_or(0);
    stage.conductor.watch(&|snapshot| {
        snapshot.beats >= last || snapshot.state.health.iter().all(|(_, health)| health.is_some())
    })
}

fn told(snapshot: &Snapshot, joint: Joint) -> Value {
    let state = &snapshot.state;
    let health = state.health[joint];
    json!({
        "joint": joint,
        "present_deg": state.readings[joint].known().map(|angle| tidy(angle.degrees())),
        "fresh": matches!(state.readings[joint], Reading::Fresh(_)),
        "torque": state.torque[joint],
        "mode": state.modes[joint],
        "current_ma": health.map(|health| health.current),
        "temperature_c": health.map(|health| health.celsius),
        "voltage_v": health.map(|health| health.volts),
        "errors": state.errors[joint].iter().collect::<Vec<_>>(),
    })
}

fn row(snapshot: &Snapshot, joint: Joint) -> [String; 8] {
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
        health.map_or_else(unknown, |health| format!("{:.0}", health.celsius)),
        health.map_or_else(unknown, |health| format!("{:.1}", health.volts)),
        if errors.is_empty() { "none".to_owned() } else { errors.join(", ") },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_gains_are_read_and_nothing_else() {
        let control = |text: &str| text.parse::<How>().map(|how| how.0);
        assert_eq!(control("gravity"), Ok(Control::GravityCompensation));
        assert_eq!(control("300mA"), Ok(Control::Compliant(Milliamps(300.0))));
        for wrong in ["", "mA", "0mA", "9000mA", "NaNmA", "300", "limp"] {
            assert!(control(wrong).is_err(), "{wrong}");
        }
        assert_eq!("300, 0,5".parse::<Triple>().map(|triple| triple.0), Ok(Gains { p: 300, i: 0, d: 5 }));
        for wrong in ["", "1,2", "1,2,3,4", "20000,0,0", "-1,0,0", "a,b,c"] {
            assert!(wrong.parse::<Triple>().is_err(), "{wrong}");
        }
    }
}
