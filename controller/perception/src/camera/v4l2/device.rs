//! The [`Device`] trait: responses of a V4L2 device, which come from the kernel or, in tests, from a file.

use std::fmt;
use std::io;
use std::time::Duration;

/// A format's FourCC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FourCc(pub [u8; 4]);

impl fmt::Display for FourCc {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.0).replace(|letter: char| letter.is_control(), "?");
        to.write_str(text.trim_end())
    }
}

/// Capabilities of an opened node: the bits of `device_caps` in `videodev2.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capability(pub u32);

impl Capability {
    /// Returns whether it captures single-planar video, as cameras do.
    #[must_use]
    pub fn is_capture(self) -> bool {
        self.0 & 0x0000_0001 != 0
    }

    /// Returns whether it captures multi-planar video, as codecs do.
    #[must_use]
    pub fn is_multiplanar(self) -> bool {
        self.0 & 0x0000_1000 != 0
    }

    /// Returns whether it converts images (memory to memory).
    #[must_use]
    pub fn is_m2m(self) -> bool {
        self.0 & 0x0000_c000 != 0
    }

    /// Returns whether it captures metadata.
    #[must_use]
    pub fn is_metadata(self) -> bool {
        self.0 & 0x0080_0000 != 0
    }

    /// Returns whether it supports streaming I/O, so that its buffers can be mapped.
    #[must_use]
    pub fn is_streaming(self) -> bool {
        self.0 & 0x0400_0000 != 0
    }

    /// Returns whether it is one end of a pipeline that another program must configure. It lists formats that it would only
    /// pass on.
    #[must_use]
    pub fn is_pipeline(self) -> bool {
        self.0 & 0x2000_0000 != 0
    }
}

/// Seconds between two images, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval(pub u32, pub u32);

impl Interval {
    /// Returns images per second, or `None` for an invalid interval.
    #[must_use]
    pub fn rate(self) -> Option<f64> {
        (self.0 > 0 && self.1 > 0).then(|| f64::from(self.1) / f64::from(self.0))
    }
}

/// Sizes of a format as width and height in pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// A list.
    These(Vec<(u32, u32)>),
    /// All sizes between two, in steps.
    Range {
        /// Smallest size.
        min: (u32, u32),
        /// Largest size.
        max: (u32, u32),
        /// Step.
        step: (u32, u32),
    },
}

/// Frame intervals of a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intervals {
    /// A list.
    These(Vec<Interval>),
    /// All intervals between two.
    Range {
        /// Shortest interval.
        min: Interval,
        /// Longest interval.
        max: Interval,
    },
}

/// Format that the driver set in response to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameFormat {
    /// The format.
    pub format: FourCc,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Bytes from one row to the next, or zero for compressed images.
    pub stride: u32,
}

/// Contents of a dequeued buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Whether the driver reports lost data.
    pub broken: bool,
    /// The data.
    pub bytes: Vec<u8>,
}

/// An opened V4L2 device. Dropping it closes it.
pub trait Device: Send {
    /// Returns its capabilities.
    ///
    /// # Errors
    /// Returns the kernel's error.
    fn capability(&self) -> io::Result<Capability>;

    /// Lists its image formats.
    ///
    /// # Errors
    /// Returns the kernel's error.
    fn formats(&self) -> io::Result<Vec<FourCc>>;

    /// Lists the sizes of a format.
    ///
    /// # Errors
    /// Returns the kernel's error. Some drivers list no sizes.
    fn sizes(&self, format: FourCc) -> io::Result<Sizes>;

    /// Lists the frame intervals of a size.
    ///
    /// # Errors
    /// Returns the kernel's error. Some drivers list no intervals.
    fn intervals(&self, format: FourCc, width: u32, height: u32) -> io::Result<Intervals>;

    /// Sets the format. The driver may choose another one.
    ///
    /// # Errors
    /// Returns the kernel's error. The device must then be opened again.
    fn set(&mut self, format: FourCc, width: u32, height: u32) -> io::Result<FrameFormat>;

    /// Sets the frame interval. The driver may choose another one.
    ///
    /// # Errors
    /// Returns the kernel's error.
    fn set_interval(&mut self, interval: Interval) -> io::Result<Interval>;

    /// Starts streaming.
    ///
    /// # Errors
    /// Returns the kernel's error. The device must then be opened again.
    fn start(&mut self) -> io::Result<()>;

    /// Returns the oldest full buffer, or `None` when none arrives within `wait`.
    ///
    /// # Errors
    /// Returns the kernel's error.
    fn dequeue(&mut self, wait: Duration) -> io::Result<Option<Buffer>>;
}

/// Opens a device by path. Tests use one that reads its responses from a file.
pub type Opener = Box<dyn FnMut(&std::path::Path) -> io::Result<Box<dyn Device>> + Send>;
