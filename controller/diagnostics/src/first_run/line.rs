//! The serial port, the cable, and the instructions that the servos' firmware knows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use firmware_bridge::bus::raw;
use firmware_bridge::bus::raw::{DecodedPacket, RawLine, packet};
use firmware_bridge::joint::Joint;
use firmware_bridge::robot::RobotError;
use minismith_runtime::config::Config;

use super::{Progress, Step};

/// The id that addresses every servo.
const EVERY_SERVO: u8 = 254;
const PING: u8 = 0x01;
const WRITE: u8 = 0x03;
const FAST_SYNC_READ: u8 = 0x8A;

/// Pings of all servos at once.
const PINGS: u32 = 40;
/// The line is quiet when nothing has arrived for this long. A servo answers within a millisecond, but the computer
/// may be busy.
const SILENCE: Duration = Duration::from_millis(60);
/// One answer of all may be missing: the computer may have been busy for longer than [`SILENCE`].
const MAX_LOST: u32 = 1;
/// More servos than this that lose answers have a common cause.
const MAX_SUSPECTS: usize = 4;

/// Adds the step `port`, and `cable`, `watchdog` and `fast read` if it can be opened.
pub(super) fn examine(progress: &mut Progress<'_>, config: &Config, port: &Path) {
    progress.begin("port");
    let expected = "a serial port that this user may open and that no other program holds";
    let mut line = match RawLine::open(port, config.bus.baud) {
        Ok(line) => line,
        Err(error) => return progress.add(refused("port", expected, &error)),
    };
    progress.add(Step::good(
        "port",
        expected,
        format!("{} is open at {} baud", port.display(), config.bus.baud),
    ));
    progress.begin("cable");
    let traffic = match Traffic::measure(&mut line) {
        Ok(traffic) => traffic,
        Err(error) => return progress.add(refused("cable", CABLE, &error)),
    };
    let step = traffic.judge();
    progress.add(step);
    let step = if config.bus.watchdog.is_some() {
        progress.begin("watchdog");
        watchdogs(&mut line, &traffic).unwrap_or_else(|error| refused("watchdog", WATCHDOG, &error))
    } else {
        Step::skipped("watchdog", WATCHDOG, "`bus.watchdog_ms` is 0 in the configuration")
    };
    progress.add(step);
    progress.begin(FAST);
    let step = fast_read(&mut line, &traffic).unwrap_or_else(|error| refused(FAST, FAST_EXPECTED, &error));
    progress.add(step);
}

const CABLE: &str = "every servo answers every ping, without a wrong checksum, noise or an echo";
const WATCHDOG: &str = "every servo has a bus watchdog, which stops it when the computer falls silent";
const FAST: &str = "fast read";
const FAST_EXPECTED: &str =
    "the servos answer a fast sync read, which reads all positions with one short answer";

/// Splits a robot's error, which ends with its remedy, into what was found and what to do.
pub(super) fn refused(name: &'static str, expected: &str, error: &RobotError) -> Step {
    let text = error.to_string();
    let (found, advice) = text.split_once("; ").unwrap_or((&text, "run `minismith doctor`"));
    Step::failed(name, expected, found.to_owned(), advice).about(concerned(error))
}

/// Returns the joints that an error names.
fn concerned(error: &RobotError) -> Vec<Joint> {
    match error {
        RobotError::Missing { joints } => joints.clone(),
        RobotError::Silent { joint }
        | RobotError::LowVoltage { joint, .. }
        | RobotError::Hardware { joint, .. }
        | RobotError::Rejected { joint, .. } => vec![*joint],
        RobotError::Acting(report) => report.joint.into_iter().collect(),
        _ => Vec::new(),
    }
}

/// What the servos answered to [`PINGS`].
#[derive(Debug, Default, PartialEq)]
struct Traffic {
    /// The number of intact answers of each id.
    answers: BTreeMap<u8, u32>,
    /// Answers with a wrong checksum.
    corrupt: u32,
    /// Runs of bytes that belong to no packet.
    noise: u32,
    /// Pings that came back.
    echoes: u32,
    /// The joints that also lose answers when no other servo is asked.
    silent_alone: BTreeSet<Joint>,
}

impl Traffic {
    fn measure(line: &mut RawLine) -> Result<Traffic, RobotError> {
        let mut traffic = Traffic::default();
        for _ in 0..PINGS {
            let bytes = line.exchange(&packet(EVERY_SERVO, PING, &[]), SILENCE)?;
            traffic.count(&raw::describe(&bytes));
        }
        let suspects = traffic.unreliable();
        if suspects.len() <= MAX_SUSPECTS {
            // An answer that breaks off takes the next one with it, so each suspect is asked alone.
            for joint in suspects {
                for _ in 0..PINGS / 2 {
                    let bytes = line.exchange(&packet(joint.motor_id(), PING, &[]), SILENCE)?;
                    let mut alone = Traffic::default();
                    alone.count(&raw::describe(&bytes));
                    if !alone.answers.contains_key(&joint.motor_id()) {
                        traffic.silent_alone.insert(joint);
                        break;
                    }
                }
            }
        }
        Ok(traffic)
    }

    /// Returns the joints that have lost more than one answer.
    fn unreliable(&self) -> Vec<Joint> {
        let lossy = self.answers.iter().filter(|(_, count)| **count + MAX_LOST < PINGS);
        lossy.filter_map(|(id, _)| Joint::from_motor_id(*id)).collect()
    }

    fn count(&mut self, packets: &[DecodedPacket]) {
        for packet in packets {
            match packet {
                DecodedPacket::Answer { id, checksum_is_right: true, .. } => {
                    *self.answers.entry(*id).or_default() += 1;
                }
                DecodedPacket::Instruction { number: PING, checksum_is_right: true, .. } => self.echoes += 1,
                DecodedPacket::Answer { .. } | DecodedPacket::Instruction { .. } => self.corrupt += 1,
                DecodedPacket::Noise(_) => self.noise += 1,
            }
        }
    }

    /// Returns the robot's joints that have answered at least once.
    fn joints(&self) -> impl Iterator<Item = Joint> {
        self.answers.keys().filter_map(|id| Joint::from_motor_id(*id))
    }

    fn judge(&self) -> Step {
        const NAME: &str = "cable";
        if self.answers.is_empty() && self.corrupt == 0 {
            return Step::failed(
                NAME,
                CABLE,
                "no servo answers".to_owned(),
                "switch the robot's power supply on (the USB cable does not power the servos), check the cable \
                 between its board and the first servo, then run `minismith scan PORT --all-baudrates`",
            );
        }
        if self.echoes > 0 {
            return Step::failed(
                NAME,
                CABLE,
                format!("{} of {PINGS} pings came back as an echo", self.echoes),
                "use the robot's own USB adapter; another one must not receive what it sends",
            );
        }
        let missing: u32 = self.answers.values().map(|count| PINGS.saturating_sub(*count)).sum();
        let measured = format!(
            "{} servos answered {PINGS} pings each; {missing} answers were lost, {} had a wrong checksum, and there was noise {} times",
            self.answers.len(),
            self.corrupt,
            self.noise
        );
        if missing <= MAX_LOST && self.corrupt == 0 && self.noise == 0 {
            return Step::good(NAME, CABLE, measured);
        }
        // Noise on the whole line concerns every servo. A bad contact concerns one, or those behind it.
        let bad: Vec<Joint> = if self.silent_alone.is_empty() {
            self.unreliable()
        } else {
            self.silent_alone.iter().copied().collect()
        };
        let named = if bad.is_empty() { String::new() } else { format!(", most of them of {}", names(&bad)) };
        let advice = if bad.len() > MAX_SUSPECTS {
            "replace the USB cable, plug it in directly without a hub, and check the first cable inside the robot"
        } else {
            "seat the plugs of the named servos and of their neighbours in the chain; if that does not help, replace the cable"
        };
        Step::failed(NAME, CABLE, format!("{measured}{named}"), advice).about(bad)
    }
}

/// Returns the names of joints for people.
pub(super) fn names(joints: &[Joint]) -> String {
    joints.iter().map(|joint| joint.name()).collect::<Vec<_>>().join(", ")
}

/// Clears each watchdog, which is off without a controller, and sees whether the servo accepts that.
fn watchdogs(line: &mut RawLine, traffic: &Traffic) -> Result<Step, RobotError> {
    const NAME: &str = "watchdog";
    /// Register 98, one byte (ROBOTIS e-Manual).
    const CLEAR: [u8; 3] = [98, 0, 0];
    let (mut without, mut silent) = (Vec::new(), Vec::new());
    for joint in traffic.joints() {
        match ask(line, joint.motor_id(), &packet(joint.motor_id(), WRITE, &CLEAR))? {
            // Bit 7 reports a hardware error, which is a step of its own.
            Some(error) if error & 0x7F == 0 => {}
            Some(_) => without.push(joint),
            None => silent.push(joint),
        }
    }
    let count = traffic.joints().count();
    Ok(if !without.is_empty() {
        Step::failed(
            NAME,
            WATCHDOG,
            format!("none in {}", names(&without)),
            "update the firmware with DYNAMIXEL Wizard 2; `bus: {watchdog_ms: 0}` in config.yaml goes without, and then \
             nothing stops the motors when this computer falls silent",
        )
        .about(without)
    } else if !silent.is_empty() || count == 0 {
        Step::failed(
            NAME,
            WATCHDOG,
            if count == 0 {
                "no servo answers".to_owned()
            } else {
                format!("{} did not answer", names(&silent))
            },
            "see `cable`",
        )
        .about(silent)
    } else {
        Step::good(NAME, WATCHDOG, format!("{count} servos have one"))
    })
}

/// Reads the position of one servo with a fast sync read.
fn fast_read(line: &mut RawLine, traffic: &Traffic) -> Result<Step, RobotError> {
    let Some(joint) = traffic.joints().next() else {
        return Ok(Step::failed(FAST, FAST_EXPECTED, "no servo answers".to_owned(), "see `cable`"));
    };
    // The present position: register 132, four bytes.
    let request = packet(EVERY_SERVO, FAST_SYNC_READ, &[132, 0, 4, 0, joint.motor_id()]);
    if ask(line, EVERY_SERVO, &request)?.is_some() {
        return Ok(Step::good(FAST, FAST_EXPECTED, format!("{joint} answered")));
    }
    Ok(Step::failed(
        FAST,
        FAST_EXPECTED,
        format!("{joint} did not answer"),
        "update the firmware with DYNAMIXEL Wizard 2; until then the positions are read in a slower way",
    )
    .about([joint]))
}

/// Returns the error byte of the answer of this id. A lost answer is asked for again.
fn ask(line: &mut RawLine, id: u8, request: &[u8]) -> Result<Option<u8>, RobotError> {
    for _ in 0..3 {
        let bytes = line.exchange(request, SILENCE)?;
        let error = raw::describe(&bytes).into_iter().find_map(|packet| match packet {
            DecodedPacket::Answer { id: from, error, checksum_is_right: true, .. } if from == id => {
                Some(error)
            }
            _ => None,
        });
        if error.is_some() {
            return Ok(error);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::super::StepState;
    use super::*;

    fn healthy() -> Traffic {
        let answers = Joint::ALL.into_iter().map(|joint| (joint.motor_id(), PINGS)).collect();
        Traffic { answers, ..Traffic::default() }
    }

    #[test]
    fn each_disturbance_is_told_apart() {
        assert_eq!(healthy().judge().state, StepState::Good);
        let mut one_lost = healthy();
        one_lost.answers.insert(13, PINGS - 1);
        assert_eq!(one_lost.judge().state, StepState::Good);
        one_lost.answers.insert(13, PINGS / 2);
        let step = one_lost.judge();
        assert_eq!((step.state, step.joints), (StepState::Failed, vec![Joint::Stewart3]));
        for (traffic, word) in [
            (Traffic::default(), "no servo answers"),
            (Traffic { echoes: PINGS, ..healthy() }, "echo"),
            (Traffic { corrupt: 1, ..healthy() }, "1 had a wrong checksum"),
            (Traffic { noise: 2, ..healthy() }, "noise 2 times"),
        ] {
            let step = traffic.judge();
            assert_eq!(step.state, StepState::Failed);
            assert!(step.measured.contains(word), "{step}");
        }
    }
}
