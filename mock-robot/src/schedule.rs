//! A fault that begins at some moment and may end at another.
//!
//! ```yaml
//! - at: 2.0            # seconds after the start
//!   for: 0.5           # how long; without it to the end, or until a reboot clears it
//!   fault: overload    # or overheating, input_voltage, encoder, electrical_shock, silent, corrupt, echo, partial,
//!                      # port_gone, brownout
//!   motor: stewart_3   # where it concerns one motor
//!   rate: 0.01         # of corrupt, partial and silent: the share of packets; without it all
//! ```

use std::time::Duration;

use firmware_bridge::fault::FaultKind;
use firmware_bridge::joint::Joint;
use firmware_bridge::servo::HardwareError;
use serde::Deserialize;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// With which motor; none where it concerns all.
    pub motor: Option<Joint>,
    /// How long. Without an end it stays; what a reboot clears, until then. A brownout is over at once.
    pub lasts: Option<Duration>,
    /// Which share of the packets, 0 to 1, of faults that concern packets.
    pub rate: f64,
}

impl Fault {
    /// With all motors and all packets, to the end.
    #[must_use]
    pub const fn of(kind: FaultKind) -> Fault {
        Fault { kind, motor: None, lasts: None, rate: 1.0 }
    }

    /// With one motor.
    #[must_use]
    pub const fn on(self, motor: Joint) -> Fault {
        Fault { motor: Some(motor), ..self }
    }

    /// For so long.
    #[must_use]
    pub const fn lasting(self, time: Duration) -> Fault {
        Fault { lasts: Some(time), ..self }
    }

    /// With such a share of the packets, 0 to 1.
    #[must_use]
    pub const fn at_rate(self, rate: f64) -> Fault {
        Fault { rate, ..self }
    }

    /// Whether it concerns this motor.
    pub(crate) fn concerns(&self, joint: Joint) -> bool {
        self.motor.is_none_or(|motor| motor == joint)
    }

    /// The bit of register 70 that it sets, if any.
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

/// A fault with the moment at which it begins, counted from the start of the emulation.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Words")]
pub struct Timed {
    /// When it begins.
    pub at: Duration,
    /// What goes wrong.
    pub fault: Fault,
}

/// As it stands in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    at: f64,
    r#for: Option<f64>,
    fault: FaultKind,
    motor: Option<Joint>,
    rate: Option<f64>,
}

/// The longest time that a file may name: a day, in seconds.
const LONGEST: f64 = 86_400.0;

impl TryFrom<Words> for Timed {
    type Error = String;

    fn try_from(words: Words) -> Result<Timed, String> {
        let Words { at, r#for, fault, motor, rate } = words;
        if !(0.0..=LONGEST).contains(&at) {
            return Err(format!("at is {at}, it must be from 0 to {LONGEST} seconds"));
        }
        if let Some(time) = r#for.filter(|time| !(*time > 0.0 && *time <= LONGEST)) {
            return Err(format!("for is {time}, it must be more than 0 and up to {LONGEST} seconds"));
        }
        if let Some(rate) = rate.filter(|rate| !(*rate > 0.0 && *rate <= 1.0)) {
            return Err(format!("rate is {rate}, it must be more than 0 and up to 1"));
        }
        let name = fault.name();
        let (of_motor, of_packets) = match fault {
            FaultKind::Overload
            | FaultKind::Overheating
            | FaultKind::Encoder
            | FaultKind::ElectricalShock => (Some(true), false),
            FaultKind::InputVoltage => (None, false),
            FaultKind::Silent | FaultKind::Corrupt | FaultKind::Partial => (None, true),
            FaultKind::Echo | FaultKind::PortGone | FaultKind::Brownout => (Some(false), false),
        };
        match (of_motor, motor) {
            (Some(true), None) => return Err(format!("{name} needs a motor, such as `motor: stewart_3`")),
            (Some(false), Some(_)) => return Err(format!("{name} has no motor; it concerns all")),
            _ => {}
        }
        if rate.is_some() && !of_packets {
            return Err(format!(
                "{name} has no rate; only silent, corrupt and partial concern single packets"
            ));
        }
        if fault == FaultKind::PortGone && r#for.is_none() {
            return Err(format!("{name} needs `for`, the seconds until the port is back"));
        }
        let lasts = r#for.map(Duration::from_secs_f64);
        Ok(Timed {
            at: Duration::from_secs_f64(at),
            fault: Fault { kind: fault, motor, lasts, rate: rate.unwrap_or(1.0) },
        })
    }
}

/// Chance that is the same each time: splitmix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    /// A sequence of its own for each seed.
    pub(crate) const fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// The next number.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Whether something happens that happens in such a share of the cases.
    pub(crate) fn happens(&mut self, rate: f64) -> bool {
        // 53 bits are what a float holds.
        rate >= 1.0 || ((self.next() >> 11) as f64) < rate * (1_u64 << 53) as f64
    }

    /// A number below `count`, which is not zero.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next()).unwrap_or(usize::MAX) % count.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_the_same_each_time_and_keeps_its_rate() {
        // The generator's published sequence for the seed 1234567.
        let mut chance = Chance::new(1_234_567);
        assert_eq!([chance.next(), chance.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        let mut chance = Chance::new(7);
        let count = (0..100_000).filter(|_| chance.happens(0.01)).count();
        assert!((850..1150).contains(&count), "{count} of 100,000");
        assert!((0..100).all(|_| chance.happens(1.0) && chance.below(7) < 7));
    }
}
