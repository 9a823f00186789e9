//! What a V4L2 device answers: between the kernel and what we make of it, so that answers can also come from a file.

use std::fmt;
use std::io;
use std::time::Duration;

/// A format's four letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub [u8; 4]);

impl fmt::Display for Code {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.0).replace(|letter: char| letter.is_control(), "?");
        to.write_str(text.trim_end())
    }
}

/// What the opened node can do: the bits of `device_caps` in `videodev2.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capability(pub u32);

impl Capability {
    /// It gives pictures in one plane, which is what cameras do.
    #[must_use]
    pub fn captures(self) -> bool {
        self.0 & 0x0000_0001 != 0
    }

    /// It gives pictures in several planes, as codecs do.
    #[must_use]
    pub fn captures_planes(self) -> bool {
        self.0 & 0x0000_1000 != 0
    }

    /// It turns pictures into others.
    #[must_use]
    pub fn converts(self) -> bool {
        self.0 & 0x0000_c000 != 0
    }

    /// It gives notes about pictures.
    #[must_use]
    pub fn gives_metadata(self) -> bool {
        self.0 & 0x0080_0000 != 0
    }

    /// Its buffers can be mapped.
    #[must_use]
    pub fn streams(self) -> bool {
        self.0 & 0x0400_0000 != 0
    }

    /// It is one end of a pipeline that somebody else has to set up. It names formats that it would only pass on.
    #[must_use]
    pub fn is_pipeline(self) -> bool {
        self.0 & 0x2000_0000 != 0
    }
}

/// Seconds between two pictures, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval(pub u32, pub u32);

impl Interval {
    /// Pictures a second; none for what is no time.
    #[must_use]
    pub fn rate(self) -> Option<f64> {
        (self.0 > 0 && self.1 > 0).then(|| f64::from(self.1) / f64::from(self.0))
    }
}

/// The sizes of a format: width and height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// These.
    These(Vec<(u32, u32)>),
    /// All from the least to the most in steps.
    Range {
        /// The smallest.
        least: (u32, u32),
        /// The largest.
        most: (u32, u32),
        /// From one to the next.
        step: (u32, u32),
    },
}

/// The intervals of a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intervals {
    /// These.
    These(Vec<Interval>),
    /// All between two.
    Range {
        /// The shortest.
        shortest: Interval,
        /// The longest.
        longest: Interval,
    },
}

/// What the driver made of a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The format.
    pub format: Code,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Bytes from one row to the next; zero for compressed pictures.
    pub stride: u32,
}

/// What a buffer held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The driver says that something of it was lost.
    pub broken: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// An opened V4L2 device. It is closed when it is dropped.
pub trait Device: Send {
    /// What it can do.
    ///
    /// # Errors
    /// The kernel's.
    fn capability(&self) -> io::Result<Capability>;

    /// Its formats for pictures.
    ///
    /// # Errors
    /// The kernel's.
    fn formats(&self) -> io::Result<Vec<Code>>;

    /// The sizes of a format.
    ///
    /// # Errors
    /// The kernel's; some drivers do not tell.
    fn sizes(&self, format: Code) -> io::Result<Sizes>;

    /// The intervals of a size.
    ///
    /// # Errors
    /// The kernel's; some drivers do not tell.
    fn intervals(&self, format: Code, width: u32, height: u32) -> io::Result<Intervals>;

    /// Sets the format. The driver may choose another.
    ///
    /// # Errors
    /// The kernel's. The device has to be opened anew then.
    fn set(&mut self, format: Code, width: u32, height: u32) -> io::Result<Layout>;

    /// Sets the interval. The driver may choose another.
    ///
    /// # Errors
    /// The kernel's.
    fn set_interval(&mut self, interval: Interval) -> io::Result<Interval>;

    /// Has it take pictures.
    ///
    /// # Errors
    /// The kernel's. The device has to be opened anew then.
    fn start(&mut self) -> io::Result<()>;

    /// The oldest full buffer; none when there is none within `wait`.
    ///
    /// # Errors
    /// The kernel's.
    fn dequeue(&mut self, wait: Duration) -> io::Result<Option<Filled>>;
}

/// Opens a device by its path. Tests have one that answers from a file.
pub type Opener = Box<dyn FnMut(&std::path::Path) -> io::Result<Box<dyn Device>> + Send>;
