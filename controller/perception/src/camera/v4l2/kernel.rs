//! Implements [`Device`] for the kernel's devices with the crate `linuxvideo`.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use linuxvideo::format::{FrameIntervals, FrameSizes, PixFormat, PixelFormat};
use linuxvideo::stream::ReadStream;
use linuxvideo::{BufType, Device as Node, Fract, VideoCaptureDevice};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::device::{Buffer, Capability, Device, FourCc, FrameFormat, Interval, Intervals, Sizes};

/// State of a device. `linuxvideo` passes it from one state to the next by value.
enum Kernel {
    Opened(Node),
    Set(VideoCaptureDevice),
    Running(ReadStream),
    Gone,
}

/// Opens a device of this machine.
///
/// # Errors
/// Returns the kernel's error.
pub fn open(path: &Path) -> io::Result<Box<dyn Device>> {
    Ok(Box::new(Kernel::Opened(guarded(|| Node::open(path))?)))
}

/// Converts a panic of `linuxvideo` into an error. The crate panics when a driver's response violates the V4L2 specification.
fn guarded<T>(ask: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(ask))
        .unwrap_or_else(|_| Err(io::Error::other("the driver sent a response that V4L2 does not allow")))
}

impl Kernel {
    fn opened(&self) -> io::Result<&Node> {
        match self {
            Kernel::Opened(node) => Ok(node),
            _ => Err(Errno::BADFD.into()),
        }
    }
}

impl Device for Kernel {
    fn capability(&self) -> io::Result<Capability> {
        let node = self.opened()?;
        guarded(|| Ok(Capability(node.capabilities()?.device_capabilities().bits())))
    }

    fn formats(&self) -> io::Result<Vec<FourCc>> {
        let node = self.opened()?;
        // Limits the list of a driver that never ends it.
        let all = node.formats(BufType::VIDEO_CAPTURE).take(256);
        guarded(|| all.map(|one| one.map(|format| FourCc(format.pixel_format().as_fourcc()))).collect())
    }

    fn sizes(&self, format: FourCc) -> io::Result<Sizes> {
        let node = self.opened()?;
        guarded(|| {
            Ok(match node.frame_sizes(PixelFormat::from_fourcc(format.0))? {
                FrameSizes::Discrete(sizes) => {
                    Sizes::These(sizes.iter().map(|size| (size.width(), size.height())).collect())
                }
                FrameSizes::Stepwise(range) | FrameSizes::Continuous(range) => Sizes::Range {
                    min: (range.min_width(), range.min_height()),
                    max: (range.max_width(), range.max_height()),
                    step: (range.step_width(), range.step_height()),
                },
            })
        })
    }

    fn intervals(&self, format: FourCc, width: u32, height: u32) -> io::Result<Intervals> {
        let node = self.opened()?;
        let of = |fraction: &Fract| Interval(fraction.numerator(), fraction.denominator());
        guarded(|| {
            Ok(match node.frame_intervals(PixelFormat::from_fourcc(format.0), width, height)? {
                FrameIntervals::Discrete(intervals) => {
                    Intervals::These(intervals.iter().map(|interval| of(interval.fract())).collect())
                }
                FrameIntervals::Stepwise(range) | FrameIntervals::Continuous(range) => {
                    Intervals::Range { min: of(range.min()), max: of(range.max()) }
                }
            })
        })
    }

    fn set(&mut self, format: FourCc, width: u32, height: u32) -> io::Result<FrameFormat> {
        let Kernel::Opened(node) = std::mem::replace(self, Kernel::Gone) else {
            return Err(Errno::BADFD.into());
        };
        let request = PixFormat::new(width, height, PixelFormat::from_fourcc(format.0));
        let set = guarded(|| node.video_capture(request))?;
        let chosen = set.format();
        let layout = FrameFormat {
            format: FourCc(chosen.pixel_format().as_fourcc()),
            width: chosen.width(),
            height: chosen.height(),
            stride: chosen.bytes_per_line(),
        };
        *self = Kernel::Set(set);
        Ok(layout)
    }

    fn set_interval(&mut self, interval: Interval) -> io::Result<Interval> {
        let Kernel::Set(set) = self else {
            return Err(Errno::BADFD.into());
        };
        let actual = guarded(|| set.set_frame_interval(Fract::new(interval.0, interval.1.max(1))))?;
        Ok(Interval(actual.numerator(), actual.denominator()))
    }

    fn start(&mut self) -> io::Result<()> {
        let Kernel::Set(set) = std::mem::replace(self, Kernel::Gone) else {
            return Err(Errno::BADFD.into());
        };
        *self = Kernel::Running(guarded(|| set.into_stream())?);
        Ok(())
    }

    fn dequeue(&mut self, wait: Duration) -> io::Result<Option<Buffer>> {
        let Kernel::Running(stream) = self else {
            return Err(Errno::BADFD.into());
        };
        if !is_ready(stream, wait)? {
            return Ok(None);
        }
        let taken =
            guarded(|| stream.dequeue(|view| Ok(Buffer { broken: view.is_error(), bytes: view.to_vec() })));
        match taken {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            other => other.map(Some),
        }
    }
}

/// Waits for a full buffer. It returns an error when the device was unplugged or its stream has ended.
fn is_ready(stream: &ReadStream, wait: Duration) -> io::Result<bool> {
    let limit = Timespec {
        tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: wait.subsec_nanos().into(),
    };
    let mut watched = [PollFd::new(stream, PollFlags::IN)];
    match poll(&mut watched, Some(&limit)) {
        Ok(_) => {}
        // A signal interrupted the wait. The caller tries again.
        Err(Errno::INTR) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    let [events] = watched.map(|one| one.revents());
    if events.intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL) {
        return Err(Errno::NODEV.into());
    }
    Ok(events.contains(PollFlags::IN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_returns_the_kernels_error_for_other_nodes() {
        let error = |path: &str| open(Path::new(path)).err().map(|error| error.raw_os_error());
        assert_eq!(error("/dev/null"), Some(Some(Errno::NOTTY.raw_os_error())));
        assert_eq!(error("/dev/a-camera-that-is-not-there"), Some(Some(Errno::NOENT.raw_os_error())));
    }

    #[test]
    fn guarded_turns_a_panic_into_an_error() {
        let error = guarded(|| -> io::Result<()> { panic!("an unknown response") });
        assert!(error.unwrap_err().to_string().contains("does not allow"));
    }
}
