//! Faults of the emulated servos: a short YAML file, read once. Some faults exist from the start, others follow a
//! schedule.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

pub use firmware_bridge::fault::FaultKind;
use firmware_bridge::joint::Joint;
pub use firmware_bridge::servo::HardwareError;
use serde::Deserialize;

pub use crate::schedule::{Fault, ScheduledFault};

/// All faults of the emulated bus. The default is none.
///
/// ```yaml
/// watchdog: works            # or trips_without_stopping, absent
/// silent: [stewart_3]        # servos that neither receive nor answer
/// jammed: [stewart_2]        # joints that something holds in place
/// voltage: 5.0               # measured by every servo, volts
/// hardware_error: {stewart_1: overload}   # until that servo reboots
/// no_fast_sync_read: true    # firmware without that instruction
/// corrupt_every: 100         # every Nth status packet has a wrong bit
/// drop_every: 100            # every Nth status packet is lost
/// seed: 7                    # of the random numbers in a schedule
/// schedule:                  # later faults: see `ScheduledFault`
///   - {at: 2.0, for: 0.5, fault: corrupt, rate: 0.01}
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// The behaviour of the bus watchdog.
    pub watchdog: WatchdogFirmware,
    /// Servos that neither receive nor answer.
    pub silent: Vec<Joint>,
    /// Joints that something holds where they are, with or without torque.
    pub jammed: Vec<Joint>,
    /// The supply voltage that every servo measures, volts.
    pub voltage: f64,
    /// Servos that start with a hardware error; a reboot clears it.
    pub hardware_error: BTreeMap<Joint, HardwareError>,
    /// The firmware predates the fast sync read instruction and does not answer it.
    pub no_fast_sync_read: bool,
    /// Every Nth status packet has a wrong bit.
    pub corrupt_every: Option<NonZeroU32>,
    /// Every Nth status packet is lost.
    pub drop_every: Option<NonZeroU32>,
    /// The seed for the rates of a schedule: the same traffic gets the same faults.
    pub seed: u64,
    /// Faults that occur later.
    pub schedule: Vec<ScheduledFault>,
}

impl Default for Faults {
    fn default() -> Self {
        Faults {
            watchdog: WatchdogFirmware::Works,
            silent: Vec::new(),
            jammed: Vec::new(),
            voltage: 5.0,
            hardware_error: BTreeMap::new(),
            no_fast_sync_read: false,
            corrupt_every: None,
            drop_every: None,
            seed: 0,
            schedule: Vec::new(),
        }
    }
}

/// The behaviour of the firmware when its bus watchdog (register 98) expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchdogFirmware {
    /// The servo stops and rejects goals until the register is cleared.
    Works,
    /// The servo rejects goals, but keeps turning towards its last one, as reported of firmware 51.
    TripsWithoutStopping,
    /// The firmware has no such register.
    Absent,
}

/// A faults file is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot use the faults file {name}: {reason}; correct that line, or omit the file to emulate a healthy bus"
)]
pub struct FaultsError {
    /// The name of the file.
    pub name: String,
    /// What is wrong, with the line and the permitted values.
    pub reason: String,
}

impl Faults {
    /// Reads the text of a faults file; `name` is its name in messages.
    ///
    /// # Errors
    /// An unknown key, motor or value, with its line and the permitted values.
    pub fn from_yaml(text: &str, name: &str) -> Result<Faults, FaultsError> {
        let error = |reason| FaultsError { name: name.to_owned(), reason };
        let faults: Option<Faults> = serde_yaml::from_str(text).map_err(|cause| error(cause.to_string()))?;
        let faults = faults.unwrap_or_default();
        if !(0.0..=20.0).contains(&faults.voltage) {
            return Err(error(format!("voltage is {}, it must be from 0 to 20 volts", faults.voltage)));
        }
        Ok(faults)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_key_is_read() {
        let text = "watchdog: trips_without_stopping\nsilent: [stewart_3, left_antenna]\nvoltage: 3.0\n\
                    hardware_error: {stewart_1: overload}\nno_fast_sync_read: true\ncorrupt_every: 7\ndrop_every: 9\n\
                    jammed: [stewart_2]\n";
        let faults = Faults::from_yaml(text, "f.yaml").unwrap();
        assert_eq!(faults.watchdog, WatchdogFirmware::TripsWithoutStopping);
        assert_eq!(faults.silent, [Joint::Stewart3, Joint::LeftAntenna]);
        assert_eq!(faults.jammed, [Joint::Stewart2]);
        assert_eq!(faults.hardware_error.get(&Joint::Stewart1), Some(&HardwareError::Overload));
        assert_eq!((faults.corrupt_every, faults.drop_every), (NonZeroU32::new(7), NonZeroU32::new(9)));
        assert!(faults.no_fast_sync_read && faults.voltage == 3.0);
    }

    #[test]
    fn schedule_is_read() {
        let text = "seed: 7\nschedule:\n  - at: 2.0\n    for: 0.5\n    fault: overload\n    motor: stewart_3\n\
                    \x20 - {at: 3, fault: corrupt, rate: 0.01}\n  - {at: 4, fault: brownout}\n";
        let faults = Faults::from_yaml(text, "f.yaml").unwrap();
        let millis = Duration::from_millis;
        let expected = [
            ScheduledFault {
                at: millis(2000),
                fault: Fault::of(FaultKind::Overload).on(Joint::Stewart3).with_duration(millis(500)),
            },
            ScheduledFault { at: millis(3000), fault: Fault::of(FaultKind::Corrupt).at_rate(0.01) },
            ScheduledFault { at: millis(4000), fault: Fault::of(FaultKind::Brownout) },
        ];
        assert_eq!((faults.seed, faults.schedule), (7, expected.to_vec()));
    }

    #[test]
    fn empty_file_is_a_healthy_bus() {
        for text in ["", "# no faults\n", "{}"] {
            assert_eq!(Faults::from_yaml(text, "f.yaml"), Ok(Faults::default()));
        }
    }

    #[test]
    fn errors_name_the_line_and_the_permitted_values() {
        for (text, words) in [
            ("voltage: 5.0\nwatchdgo: works\n", ["line 2", "`watchdog`"]),
            ("voltage: 5.0\nwatchdog: barks\n", ["line 2", "`absent`"]),
            ("silent: [stewart_7]\n", ["line 1", "`stewart_6`"]),
            ("drop_every: 0\n", ["line 1", "nonzero"]),
            ("voltage: .nan\n", ["voltage is NaN", "0 to 20"]),
            ("schedule:\n  - at: 1\n    fault: earthquake\n", ["line 3", "`port_gone`"]),
            ("schedule:\n  - at: 1\n    fault: echo\n    fro: 2\n", ["line 4", "`for`"]),
            ("schedule:\n  - at: 1\n    fault: overload\n", ["line 2", "needs a motor"]),
            (
                "seed: 1\nschedule:\n  - {at: 1, fault: brownout, motor: stewart_1}\n",
                ["line 3", "has no motor"],
            ),
            ("schedule:\n  - {at: -1, fault: echo}\n", ["line 2", "at is -1"]),
            ("schedule:\n  - {at: 0, for: 0, fault: echo}\n", ["line 2", "for is 0"]),
            ("schedule:\n  - {at: 0, fault: partial, rate: 1.5}\n", ["line 2", "rate is 1.5"]),
            ("schedule:\n  - {at: 0, fault: echo, rate: 0.5}\n", ["line 2", "has no rate"]),
            ("schedule:\n  - {at: 0, fault: port_gone}\n", ["line 2", "needs `for`"]),
            ("[1, 2]", ["f.yaml", "struct Faults"]),
        ] {
            let message = Faults::from_yaml(text, "f.yaml").unwrap_err().to_string();
            for word in words {
                assert!(message.contains(word), "{message:?} should contain {word:?}");
            }
        }
    }
}
