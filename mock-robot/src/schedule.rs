//! A fault with a start and an optional end.
//!
//! ```yaml
//! - at: 2.0            # seconds after the start
//!   for: 0.5           # duration; permanent by default, or until a reboot clears it
//!   fault: overload    # or overheating, input_voltage, encoder, electrical_shock, silent, corrupt, echo, partial,
//!                      # port_gone, brownout
//!   motor: stewart_3   # for faults of a single motor
//!   rate: 0.01         # of corrupt, partial and silent: the fraction of packets; default: all
//! ```

use std::time::Duration;

use firmware_bridge::fault::FaultKind;
use firmware_bridge::joint::Joint;
use firmware_bridge::servo::HardwareError;
use serde::Deserialize;

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The affected motor; `None` for all motors.
    pub motor: Option<Joint>,
    /// The duration. `None` means permanent, or until a reboot if a reboot clears it. A brownout is over immediately.
    pub duration: Option<Duration>,
    /// The fraction of affected packets, 0 to 1, for faults that affect packets.
    pub rate: f64,
}

impl Fault {
    /// Returns a permanent fault of all motors and all packets.
    #[must_use]
    pub const fn of(kind: FaultKind) -> Fault {
        Fault { kind, motor: None, duration: None, rate: 1.0 }
    }

    /// Limits the fault to one motor.
    #[must_use]
    pub const fn on(self, motor: Joint) -> Fault {
        Fault { motor: Some(motor), ..self }
    }

    /// Limits the fault to this duration.
    #[must_use]
    pub const fn with_duration(self, time: Duration) -> Fault {
        Fault { duration: Some(time), ..self }
    }

    /// Limits the fault to this fraction of the packets, 0 to 1.
    #[must_use]
    pub const fn at_rate(self, rate: f64) -> Fault {
        Fault { rate, ..self }
    }

    /// Returns whether it affects this motor.
    pub(crate) fn concerns(&self, joint: Joint) -> bool {
        self.motor.is_none_or(|motor| motor == joint)
    }

    /// Returns the hardware error that it sets in register 70, if any.
    pub(crate) const fn hardware_error(&self) -> Option<HardwareError> {
        match self.kind {
            FaultKind::Overload => Some(HardwareError::Overload),
            FaultKind::Overheating => Some(HardwareError::Overheating),
            FaultKind::InputVoltage => Some(HardwareError::InputVoltage),
            FaultKind::Encoder => Some(HardwareError::Encoder),
            FaultKind::ElectricalShock => Some(HardwareError::ElectricalShock),
            FaultKind::Silent
            | FaultKind::Corrupt
            | FaultKind::Echo
            | FaultKind::Partial
            | FaultKind::PortGone
            | FaultKind::Brownout => None,
        }
    }
}

/// A fault with its start, counted from the start of the emulation.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "FaultKeys")]
pub struct ScheduledFault {
    /// The start of the fault.
    pub at: Duration,
    /// The fault.
    pub fault: Fault,
}

/// The keys in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultKeys {
    at: f64,
    r#for: Option<f64>,
    fault: FaultKind,
    motor: Option<Joint>,
    rate: Option<f64>,
}

/// The maximum time in a file: a day, in seconds.
const MAX_SECONDS: f64 = 86_400.0;

impl TryFrom<FaultKeys> for ScheduledFault {
    type Error = String;

    fn try_from(keys: FaultKeys) -> Result<ScheduledFault, String> {
        let FaultKeys { at, r#for, fault, motor, rate } = keys;
        if !(0.0..=MAX_SECONDS).contains(&at) {
            return Err(format!("at is {at}, it must be from 0 to {MAX_SECONDS} seconds"));
        }
        if let Some(time) = r#for.filter(|time| !(*time > 0.0 && *time <= MAX_SECONDS)) {
            return Err(format!("for is {time}, it must be more than 0 and up to {MAX_SECONDS} seconds"));
        }
        if let Some(rate) = rate.filter(|rate| !(*rate > 0.0 && *rate <= 1.0)) {
            return Err(format!("rate is {rate}, it must be more than 0 and up to 1"));
        }
        let name = fault.name();
        let (needs_motor, affects_packets) = match fault {
            FaultKind::Overload
            | FaultKind::Overheating
            | FaultKind::Encoder
            | FaultKind::ElectricalShock => (Some(true), false),
            FaultKind::InputVoltage => (None, false),
            FaultKind::Silent | FaultKind::Corrupt | FaultKind::Partial => (None, true),
            FaultKind::Echo | FaultKind::PortGone | FaultKind::Brownout => (Some(false), false),
        };
        match (needs_motor, motor) {
            (Some(true), None) => return Err(format!("{name} needs a motor, such as `motor: stewart_3`")),
            (Some(false), Some(_)) => return Err(format!("{name} has no motor; it affects all motors")),
            _ => {}
        }
        if rate.is_some() && !affects_packets {
            return Err(format!(
                "{name} has no rate; only silent, corrupt and partial affect single packets"
            ));
        }
        if fault == FaultKind::PortGone && r#for.is_none() {
            return Err(format!("{name} needs `for`, the seconds until the port returns"));
        }
        let lasts = r#for.map(Duration::from_secs_f64);
        Ok(ScheduledFault {
            at: Duration::from_secs_f64(at),
            fault: Fault { kind: fault, motor, duration: lasts, rate: rate.unwrap_or(1.0) },
        })
    }
}

/// A reproducible random number generator: splitmix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates a generator; each seed has its own sequence.
    pub(crate) const fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    /// Returns the next number.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns true with the probability `rate`.
    pub(crate) fn happens(&mut self, rate: f64) -> bool {
        // A float has 53 significant bits.
        rate >= 1.0 || ((self.next() >> 11) as f64) < rate * (1_u64 << 53) as f64
    }

    /// Returns a number below `count`, which must not be zero.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next()).unwrap_or(usize::MAX) % count.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generator_is_reproducible_and_follows_its_rate() {
        // The generator's published sequence for the seed 1234567.
        let mut chance = SplitMix64::new(1_234_567);
        assert_eq!([chance.next(), chance.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        let mut chance = SplitMix64::new(7);
        let count = (0..100_000).filter(|_| chance.happens(0.01)).count();
        assert!((850..1150).contains(&count), "{count} of 100,000");
        assert!((0..100).all(|_| chance.happens(1.0) && chance.below(7) < 7));
    }
}
