//! What servos answer: a healthy emulated bus, whose bytes are disturbed on their way to the controller.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use firmware_bridge::bus::{BusOptions, MotorBus, Transport, raw};
use firmware_bridge::clock::{Clock, Timestamp, VirtualClock};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::posture::Posture;
use firmware_bridge::robot::{PositionReading, Robot};
use mock_robot::faults::Faults;
use mock_robot::firmware::{VirtualLine, VirtualLineOptions};

/// Number of states that are read.
const READS: u64 = 8;

/// How far from its servo a fresh reading may be, radians. One changed packet in 65,536 has a checksum that fits; its position
/// counts only where the servo could have moved to meanwhile, at 60 rad/s in the time of a cycle with all its retries.
const TOLERANCE: f64 = 2.5;

/// Disturbs a line: two bytes each say how many bytes pass, and what happens to the next one.
///
/// # Panics
/// When a reading that counts as fresh is not where the servo is.
pub fn bus(data: &[u8]) {
    let _packets = raw::describe(data);
    let start = joints_from_posture(&Posture::init()).unwrap();
    let clock = Arc::new(VirtualClock::new());
    let options = VirtualLineOptions { faults: Faults::default(), start, paced: true };
    let line = VirtualLine::new(options, clock.clone());
    // The bus is prepared on a line that is still undisturbed.
    let quiet = Arc::new(AtomicBool::new(true));
    let disturbed = Disturbed {
        line: Box::new(line),
        quiet: quiet.clone(),
        disturbances: data.to_vec(),
        next: 0,
        passed: 0,
    };
    let mut bus = MotorBus::with_transport(Box::new(disturbed), &BusOptions::default()).unwrap();
    // It knows where the servos are.
    let first = bus.read_state(clock.now()).unwrap();
    assert!(first.readings.iter().all(|(_, reading)| matches!(reading, PositionReading::Fresh(_))));
    quiet.store(false, Ordering::Relaxed);
    for _ in 0..READS {
        let at = clock.now();
        let Ok(state) = bus.read_state(at) else { continue };
        for (joint, reading) in state.readings.iter() {
            if let PositionReading::Fresh(position) = reading {
                let away = (*position - start[joint]).value().abs();
                assert!(away < TOLERANCE, "{joint:?} is {away} rad from where it is");
            }
        }
    }
}

/// A line that changes, drops or doubles bytes on their way to the controller.
struct Disturbed {
    line: Box<dyn Transport>,
    quiet: Arc<AtomicBool>,
    disturbances: Vec<u8>,
    next: usize,
    passed: u8,
}

impl Transport for Disturbed {
    fn now(&self) -> Timestamp {
        self.line.now()
    }

    fn wait_until(&self, until: Timestamp) {
        self.line.wait_until(until);
    }

    fn discard(&mut self) -> io::Result<()> {
        self.line.discard()
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.line.send(bytes)
    }

    fn receive(&mut self, into: &mut [u8], deadline: Timestamp) -> io::Result<usize> {
        let length = self.line.receive(into, deadline)?;
        if self.quiet.load(Ordering::Relaxed) {
            return Ok(length);
        }
        for byte in into.iter_mut().take(length) {
            let Some(&[skip, change]) =
                self.disturbances.get(self.next..self.next + 2).and_then(|two| two.first_chunk())
            else {
                break;
            };
            if self.passed < skip {
                self.passed += 1;
            } else {
                *byte ^= change;
                (self.passed, self.next) = (0, self.next + 2);
            }
        }
        Ok(length)
    }
}
