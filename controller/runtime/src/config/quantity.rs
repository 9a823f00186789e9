//! The values of the file that are numbers: each type is one unit and one allowed span.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use firmware_bridge::units::Radians;

use super::choice::NotAllowed;

/// The number that `text` begins with, if only a unit follows it: `100 Hz`, `1_000`, `4,5`.
fn leading_number(text: &str) -> Option<String> {
    let text = text.trim().replace('_', "").replace(',', ".");
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number.parse::<f64>().is_ok()
        && unit.trim().chars().all(|c| c.is_alphabetic() || matches!(c, '/' | '2')))
    .then(|| number.to_owned())
}

/// A number from `least` to `most`; never infinite, never not-a-number.
fn number(text: &str, least: f64, most: f64, unit: &str) -> Result<f64, NotAllowed> {
    let allowed = || format!("a number from {least} to {most}{unit}");
    match text.parse::<f64>() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        Ok(_) => Err(NotAllowed::new(text, allowed())),
        Err(_) => Err(NotAllowed::new(text, allowed()).meaning(leading_number(text))),
    }
}

/// A whole number from `least` to `most`.
fn whole<T>(text: &str, least: T, most: T, unit: &str) -> Result<T, NotAllowed>
where
    T: FromStr + PartialOrd + Display,
{
    match text.parse::<T>() {
        Ok(value) if (&least..=&most).contains(&&value) => Ok(value),
        _ => {
            let meant = leading_number(text).filter(|meant| meant != text && meant.parse::<T>().is_ok());
            Err(NotAllowed::new(text, format!("a whole number from {least} to {most}{unit}")).meaning(meant))
        }
    }
}

/// Declares one type for each span.
macro_rules! spans {
    ($($(#[$doc:meta])+ $visibility:vis $name:ident: $reader:ident -> $inner:ty = $least:literal ..= $most:literal, $unit:literal;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq)]
        $visibility struct $name($inner);

        impl FromStr for $name {
            type Err = NotAllowed;

            fn from_str(text: &str) -> Result<Self, NotAllowed> {
                $reader(text, $least, $most, $unit).map($name)
            }
        }

        impl $name {
            /// The bare number, in the unit of the type.
            #[must_use]
            pub const fn value(self) -> $inner {
                self.0
            }
        }
    )+};
}

spans! {
    /// Beats of the pulse per second, Hz.
    pub Rate: number -> f64 = 10.0..=400.0, " (Hz)";
    /// A factor for speeds and accelerations.
    pub Scale: number -> f64 = 0.05..=1.0, "";
    /// The body's largest angle to either side, degrees.
    pub(super) BodyRange: number -> f64 = 1.0..=160.0, " (degrees)";
    /// An antenna's largest angle to either side, degrees.
    pub(super) AntennaRange: number -> f64 = 1.0..=180.0, " (degrees)";
    /// The head's largest angle to either side, degrees.
    pub(super) HeadRange: number -> f64 = 1.0..=90.0, " (degrees)";
    /// What is kept free at the ends of a servo's range, degrees.
    pub(super) Margin: number -> f64 = 0.0..=20.0, " (degrees)";
    /// A motor's speed, rad/s. The fastest of the servos turns 40 rad/s without load.
    pub(super) Speed: number -> f64 = 0.01..=40.0, " (rad/s)";
    /// A motor's acceleration, rad/s2.
    pub(super) Acceleration: number -> f64 = 0.1..=1000.0, " (rad/s2)";
    /// A motor's jerk, rad/s3.
    pub(super) Jerk: number -> f64 = 10.0..=100_000.0, " (rad/s3)";
    /// How steadily the legs hold the head: 1 at rest, 0 where they no longer do.
    pub(super) Steadiness: number -> f64 = 0.01..=0.9, "";
    /// A supply voltage, volts.
    pub(super) Volts: number -> f64 = 3.5..=7.8, " (volts)";
    /// A short time, milliseconds.
    pub(super) Milliseconds: whole -> u32 = 1..=1000, " (milliseconds)";
    /// A network port.
    pub(super) Port: whole -> u16 = 0..=65_535, "";
    /// How often something is tried.
    pub(super) Iterations: whole -> u32 = 1..=10, "";
    /// How often a model is asked for one request.
    pub(super) Steps: whole -> u32 = 1..=200, "";
    /// Tokens that are read and written for one request.
    pub(super) TurnTokens: whole -> u32 = 1_000..=100_000_000, "";
    /// How often the same is done.
    pub(super) Repeats: whole -> u32 = 1..=20, "";
    /// Connections at once.
    pub(super) Connections: whole -> u32 = 8..=10_000, "";
    /// Requests per second.
    pub(super) RequestRate: whole -> u32 = 1..=100_000, "";
    /// How long something is kept, days.
    pub(super) Days: whole -> u32 = 0..=3_650, " (days)";
    /// How long one file may get, megabytes.
    pub(super) FileSize: whole -> u32 = 1..=1024, " (megabytes)";
    /// Files that are kept.
    pub(super) Files: whole -> u32 = 1..=100, "";
    /// Room on the disk, megabytes.
    pub(super) DiskSize: whole -> u32 = 1..=1_000_000, " (megabytes)";
    /// Pictures that are kept or shown, per second.
    pub(super) KeptPictures: whole -> u32 = 0..=60, "";
    /// Time on the stage's clock, seconds.
    pub(super) SimulatedSeconds: number -> f64 = 1.0..=3600.0, " (seconds)";
    /// Processor time, seconds.
    pub(super) CpuSeconds: whole -> u32 = 1..=600, " (seconds)";
    /// Time on the wall that a tool thinks, seconds.
    pub(super) WallSeconds: number -> f64 = 1.0..=3600.0, " (seconds)";
    /// Pictures.
    pub(super) Frames: whole -> u32 = 0..=1_000_000, "";
    /// Pictures in any one second of stage time.
    pub(super) FrameRate: whole -> u32 = 1..=1000, "";
    /// Motions in any one second of stage time.
    pub(super) MotionRate: whole -> u32 = 1..=1000, "";
    /// Time to wait for words, seconds.
    pub(super) Patience: number -> f64 = 0.1..=3600.0, " (seconds)";
    /// How often something is tried again.
    pub(super) Retries: whole -> u32 = 0..=10, "";
    /// Tokens of a language model.
    pub(super) TokenBudget: whole -> u32 = 64..=2_000_000, " (tokens)";
    /// How freely a language model chooses its words.
    pub(super) Temperature: number -> f64 = 0.0..=2.0, "";
    /// A seed of chance.
    pub(super) Seed: whole -> u32 = 0..=2_147_483_647, "";
    /// Memory, megabytes.
    pub(super) Megabytes: whole -> u32 = 32..=4096, " (megabytes)";
    /// A side of a picture.
    pub(super) Pixels: whole -> u32 = 64..=4096, " (pixels)";
    /// Pictures per second.
    pub(super) PictureRate: whole -> u32 = 1..=120, " (per second)";
    /// From the light to a picture that is here, milliseconds.
    pub(super) Latency: whole -> u32 = 0..=1_000, " (milliseconds)";
    /// A part of a whole.
    pub(super) Part: number -> f64 = 0.0..=1.0, "";
    /// How wide a picture is that is sent.
    pub(super) SentWidth: whole -> u32 = 64..=2_048, " (pixels)";
    /// How many pictures are sent in an hour.
    pub(super) SentRate: whole -> u32 = 0..=10_000, "";
    /// Printed text, kilobytes.
    pub(super) Kilobytes: whole -> u32 = 1..=1024, " (kilobytes)";
}

impl Rate {
    /// The time from one beat to the next.
    #[must_use]
    pub fn beat(self) -> Duration {
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

/// A speed of the serial line that the servos know, bits per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Baud(pub(super) u32);

impl FromStr for Baud {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        /// XL330 control table, register 8.
        const KNOWN: [u32; 7] = [9_600, 57_600, 115_200, 1_000_000, 2_000_000, 3_000_000, 4_000_000];
        let known = KNOWN.map(|baud| baud.to_string());
        let digits = leading_number(text).unwrap_or_default();
        match text.parse() {
            Ok(baud) if KNOWN.contains(&baud) => Ok(Baud(baud)),
            _ => Err(NotAllowed::new(text, known.join(", "))
                .meaning(known.into_iter().find(|baud| *baud == digits))),
        }
    }
}

/// The servos' own watchdog, milliseconds; zero is off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Watchdog(u32);

impl Watchdog {
    /// The time after which the servos stop; none is off.
    pub(super) fn time(self) -> Option<Duration> {
        (self.0 > 0).then(|| Duration::from_millis(u64::from(self.0)))
    }
}

impl FromStr for Watchdog {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        /// XL330 control table, register 98: 1 to 127 units of 20 ms.
        const UNIT: u32 = 20;
        let allowed = "0 (off), or 20 to 2540 in steps of 20 (milliseconds)";
        match text.parse::<u32>() {
            Ok(time) if time <= 127 * UNIT && time % UNIT == 0 => Ok(Watchdog(time)),
            Ok(time) if time < 127 * UNIT => {
                Err(NotAllowed::new(text, allowed).meaning(Some(time.next_multiple_of(UNIT).to_string())))
            }
            _ => Err(NotAllowed::new(text, allowed)),
        }
    }
}
