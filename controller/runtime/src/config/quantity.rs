//! Numeric values of the file. Each type has one unit and one allowed range.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use firmware_bridge::units::Radians;

use super::choice::InvalidValue;

/// Returns the number at the start of `text`, if only a unit follows it: `100 Hz`, `1_000`, `4,5`.
fn leading_number(text: &str) -> Option<String> {
    let text = text.trim().replace('_', "").replace(',', ".");
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number.parse::<f64>().is_ok()
        && unit.trim().chars().all(|c| c.is_alphabetic() || matches!(c, '/' | '2')))
    .then(|| number.to_owned())
}

/// Parses a finite number from `least` to `most`.
fn number(text: &str, least: f64, most: f64, unit: &str) -> Result<f64, InvalidValue> {
    let allowed = || format!("a number from {least} to {most}{unit}");
    match text.parse::<f64>() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        Ok(_) => Err(InvalidValue::new(text, allowed())),
        Err(_) => Err(InvalidValue::new(text, allowed()).meaning(leading_number(text))),
    }
}

/// Parses a whole number from `least` to `most`.
fn whole<T>(text: &str, least: T, most: T, unit: &str) -> Result<T, InvalidValue>
where
    T: FromStr + PartialOrd + Display,
{
    match text.parse::<T>() {
        Ok(value) if (&least..=&most).contains(&&value) => Ok(value),
        _ => {
            let meant = leading_number(text).filter(|meant| meant != text && meant.parse::<T>().is_ok());
            Err(InvalidValue::new(text, format!("a whole number from {least} to {most}{unit}"))
                .meaning(meant))
        }
    }
}

/// Declares one type for each range.
macro_rules! spans {
    ($($(#[$doc:meta])+ $visibility:vis $name:ident: $reader:ident -> $inner:ty = $least:literal ..= $most:literal, $unit:literal;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq)]
        $visibility struct $name($inner);

        impl FromStr for $name {
            type Err = InvalidValue;

            fn from_str(text: &str) -> Result<Self, InvalidValue> {
                $reader(text, $least, $most, $unit).map($name)
            }
        }

        impl $name {
            /// Returns the number, in the unit of the type.
            #[must_use]
            pub const fn value(self) -> $inner {
                self.0
            }
        }
    )+};
}

spans! {
    /// Control cycles per second, Hz.
    pub Rate: number -> f64 = 10.0..=400.0, " (Hz)";
    /// A factor for velocities and accelerations.
    pub Scale: number -> f64 = 0.05..=1.0, "";
    /// Largest angle of the body to either side, degrees.
    pub(super) BodyRange: number -> f64 = 1.0..=160.0, " (degrees)";
    /// Largest angle of an antenna to either side, degrees.
    pub(super) AntennaRange: number -> f64 = 1.0..=180.0, " (degrees)";
    /// Largest angle of the head to either side, degrees.
    pub(super) HeadRange: number -> f64 = 1.0..=90.0, " (degrees)";
    /// Margin at the ends of the range of a servo, degrees.
    pub(super) Margin: number -> f64 = 0.0..=20.0, " (degrees)";
    /// Velocity of a motor, rad/s. The fastest servo reaches 40 rad/s without load.
    pub(super) Speed: number -> f64 = 0.01..=40.0, " (rad/s)";
    /// Acceleration of a motor, rad/s2.
    pub(super) Acceleration: number -> f64 = 0.1..=1000.0, " (rad/s2)";
    /// Jerk of a motor, rad/s3.
    pub(super) Jerk: number -> f64 = 10.0..=100_000.0, " (rad/s3)";
    /// Singularity margin of the legs: 1 in the neutral pose, 0 where they no longer hold the head.
    pub(super) SingularityMargin: number -> f64 = 0.01..=0.9, "";
    /// A supply voltage, volts.
    pub(super) Volts: number -> f64 = 3.5..=7.8, " (volts)";
    /// A short time, milliseconds.
    pub(super) Milliseconds: whole -> u32 = 1..=1000, " (milliseconds)";
    /// A network port.
    pub(super) Port: whole -> u16 = 0..=65_535, "";
    /// Number of attempts.
    pub(super) Iterations: whole -> u32 = 1..=10, "";
    /// Model calls per request.
    pub(super) Steps: whole -> u32 = 1..=200, "";
    /// Tokens per request, prompts and completions together.
    pub(super) TurnTokens: whole -> u32 = 1_000..=100_000_000, "";
    /// Number of identical calls.
    pub(super) Repeats: whole -> u32 = 1..=20, "";
    /// Number of open connections.
    pub(super) Connections: whole -> u32 = 8..=10_000, "";
    /// Requests per second.
    pub(super) RequestRate: whole -> u32 = 1..=100_000, "";
    /// Time without a request, seconds.
    pub(super) IdleSeconds: whole -> u32 = 1..=86_400, " (seconds)";
    /// Retention time, days.
    pub(super) Days: whole -> u32 = 0..=3_650, " (days)";
    /// Size of one file, megabytes of 1048576 bytes.
    pub(super) FileSize: whole -> u32 = 1..=1024, " (megabytes)";
    /// Number of rotated files.
    pub(super) Files: whole -> u32 = 1..=100, "";
    /// Disk space, megabytes of 1048576 bytes.
    pub(super) DiskSize: whole -> u32 = 1..=1_000_000, " (megabytes)";
    /// Recorded or displayed camera frames per second.
    pub(super) StoredImageRate: whole -> u32 = 0..=60, "";
    /// A rate of the images for operators of a fleet, Hz.
    pub(super) FleetImageRate: whole -> u32 = 0..=30, "";
    /// Robot time, seconds.
    pub(super) SimulatedSeconds: number -> f64 = 1.0..=3600.0, " (seconds)";
    /// Processor time, seconds.
    pub(super) CpuSeconds: whole -> u32 = 1..=600, " (seconds)";
    /// Wall-clock time, seconds.
    pub(super) WallSeconds: number -> f64 = 1.0..=3600.0, " (seconds)";
    /// Number of camera frames.
    pub(super) Frames: whole -> u32 = 0..=1_000_000, "";
    /// Camera frames in any one second of robot time.
    pub(super) FrameRate: whole -> u32 = 1..=1000, "";
    /// Motions in any one second of robot time.
    pub(super) MotionRate: whole -> u32 = 1..=1000, "";
    /// Timeout, seconds.
    pub(super) Patience: number -> f64 = 0.1..=3600.0, " (seconds)";
    /// Number of retries.
    pub(super) Retries: whole -> u32 = 0..=10, "";
    /// Tokens of a language model.
    pub(super) TokenBudget: whole -> u32 = 64..=2_000_000, " (tokens)";
    /// Threads of the local model; 0 chooses.
    pub(super) Threads: whole -> u32 = 0..=64, "";
    /// Tokens of a prompt and its completion together.
    pub(super) ContextTokens: whole -> u32 = 1_024..=131_072, " (tokens)";
    /// Memory beyond a model's file, megabytes.
    pub(super) HeadroomMegabytes: whole -> u32 = 256..=65_536, " (megabytes)";
    /// Sampling temperature of a language model.
    pub(super) Temperature: number -> f64 = 0.0..=2.0, "";
    /// Seed of a random generator.
    pub(super) Seed: whole -> u32 = 0..=2_147_483_647, "";
    /// Memory, megabytes.
    pub(super) Megabytes: whole -> u32 = 32..=4096, " (megabytes)";
    /// Address space of an app, megabytes.
    pub(super) AppMegabytes: whole -> u32 = 256..=65_536, " (megabytes)";
    /// Width or height of an image.
    pub(super) Pixels: whole -> u32 = 64..=4096, " (pixels)";
    /// Camera frames per second.
    pub(super) ImageRate: whole -> u32 = 1..=120, " (per second)";
    /// Delay from exposure to arrival of a frame, milliseconds.
    pub(super) Latency: whole -> u32 = 0..=1_000, " (milliseconds)";
    /// A fraction.
    pub(super) Part: number -> f64 = 0.0..=1.0, "";
    /// Width of an uploaded image.
    pub(super) SentWidth: whole -> u32 = 64..=2_048, " (pixels)";
    /// Uploaded images per hour.
    pub(super) SentRate: whole -> u32 = 0..=10_000, "";
    /// Printed text, kilobytes.
    pub(super) Kilobytes: whole -> u32 = 1..=1024, " (kilobytes)";
}

impl Rate {
    /// Returns the control period, the time from one cycle to the next.
    #[must_use]
    pub fn period(self) -> Duration {
        Duration::from_secs_f64(1.0 / self.0)
    }
}

macro_rules! angles {
    ($($name:ident),+) => {$(
        impl From<$name> for Radians {
            fn from(degrees: $name) -> Radians {
                Radians::from_degrees(degrees.value())
            }
        }
    )+};
}

angles!(BodyRange, AntennaRange, HeadRange, Margin);

/// Baud rate that the servos support, bits per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Baud(pub(super) u32);

impl FromStr for Baud {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        /// XL330 control table, register 8.
        const KNOWN: [u32; 7] = [9_600, 57_600, 115_200, 1_000_000, 2_000_000, 3_000_000, 4_000_000];
        let known = KNOWN.map(|baud| baud.to_string());
        let digits = leading_number(text).unwrap_or_default();
        match text.parse() {
            Ok(baud) if KNOWN.contains(&baud) => Ok(Baud(baud)),
            _ => Err(InvalidValue::new(text, known.join(", "))
                .meaning(known.into_iter().find(|baud| *baud == digits))),
        }
    }
}

/// Bus watchdog timeout of the servos, milliseconds; zero disables it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Watchdog(u32);

impl Watchdog {
    /// Returns the time after which the servos stop, or `None` if the watchdog is disabled.
    pub(super) fn time(self) -> Option<Duration> {
        (self.0 > 0).then(|| Duration::from_millis(u64::from(self.0)))
    }
}

impl FromStr for Watchdog {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        /// XL330 control table, register 98: 1 to 127 units of 20 ms.
        const UNIT: u32 = 20;
        let allowed = "0 (off), or 20 to 2540 in steps of 20 (milliseconds)";
        match text.parse::<u32>() {
            Ok(time) if time <= 127 * UNIT && time % UNIT == 0 => Ok(Watchdog(time)),
            Ok(time) if time < 127 * UNIT => {
                Err(InvalidValue::new(text, allowed).meaning(Some(time.next_multiple_of(UNIT).to_string())))
            }
            _ => Err(InvalidValue::new(text, allowed)),
        }
    }
}
