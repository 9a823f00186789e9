//! No cycle allocates or frees memory. A counting allocator checks this on the control loop's own thread over the
//! emulated bus. In the test, motions play, end, are replaced and stopped, and packets are lost.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use firmware_bridge::bus::{BusOptions, MotorBus};
use firmware_bridge::clock::{MonotonicClock, Timestamp};
use firmware_bridge::control_loop::{
    ControlLoop, ControlLoopHandle, ControlLoopThread, LoopClient, LoopCommand, LoopSnapshot,
};
use firmware_bridge::envelope::SafeCommand;
use firmware_bridge::joint::Joints;
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Interpolation, Motion, PlanRules, Target, Trajectory};
use firmware_bridge::motion_log::{LoggingRobot, MotionLog};
use firmware_bridge::posture::Posture;
use firmware_bridge::robot::{JointState, Robot, RobotError};
use firmware_bridge::units::Radians;
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorOptions};

const CYCLE_PERIOD: Duration = Duration::from_millis(10);

thread_local! {
    /// Whether this thread's allocations are counted.
    static WATCHED: Cell<bool> = const { Cell::new(false) };
}

static COUNTED: AtomicU64 = AtomicU64::new(0);

/// The system's allocator with a counter.
struct CountingAllocator;

fn count() {
    if WATCHED.try_with(Cell::get).unwrap_or(false) {
        COUNTED.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed to the system's allocator unchanged; counting does not touch the caller's memory.
#[expect(unsafe_code, reason = "an allocator cannot be written without")]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A robot whose thread is watched after a warm-up.
struct Watched<R> {
    robot: R,
    cycles: u64,
}

/// During the warm-up, buffers grow to their sizes, and each motor is polled once.
const WARM_UP_CYCLES: u64 = 120;

impl<R: Robot> Robot for Watched<R> {
    fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        self.robot.read_state(at)
    }

    fn write_command(&mut self, at: Timestamp, command: &SafeCommand) -> Result<JointState, RobotError> {
        self.cycles += 1;
        WATCHED.set(self.cycles > WARM_UP_CYCLES);
        self.robot.write_command(at, command)
    }
}

fn turn(snapshot: &LoopSnapshot, degrees: f64, seconds: f64) -> Trajectory {
    let target = Target { body_yaw: Some(Radians::from_degrees(degrees)), ..Target::default() };
    let rules = PlanRules { limits: &snapshot.limits, period: CYCLE_PERIOD, automatic_body_yaw: false };
    let duration = Duration::from_secs_f64(seconds);
    Motion::Goto { target, duration, interpolation: Interpolation::Minjerk }
        .plan(&snapshot.goal, &rules)
        .unwrap()
}

fn wait_cycles(handle: &mut ControlLoopHandle, cycles: u64) -> LoopSnapshot {
    let until = handle.snapshot().cycles + cycles;
    handle.watch(&|snapshot| snapshot.cycles >= until)
}

#[test]
fn cycle_allocates_and_frees_nothing() {
    let start = joints_from_posture(&Posture::init()).unwrap();
    let faults = Faults::from_yaml("drop_every: 37\ncorrupt_every: 53\n", "test").unwrap();
    let emulator = Emulator::start(EmulatorOptions { link: None, faults, start, paced: true }).unwrap();
    let bus = MotorBus::open(emulator.path(), &BusOptions::default()).unwrap();
    let robot = LoggingRobot::new(Watched { robot: bus, cycles: 0 }, MotionLog::with_room_for(10_000));
    let mut control_loop =
        ControlLoop::new(robot, MonotonicClock::start(), Limits::default(), CYCLE_PERIOD).unwrap();
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    let thread = ControlLoopThread::start(control_loop).unwrap();
    let mut handle = thread.handle();
    wait_cycles(&mut handle, WARM_UP_CYCLES + 10);

    let before = handle.snapshot().cycles;
    for round in 0..6 {
        let side = if round % 2 == 0 { 1.0 } else { -1.0 };
        let stop_epoch = handle.stop_epoch();
        let trajectory = turn(&handle.snapshot(), 10.0 * side, 0.3);
        assert!(handle.play(trajectory, stop_epoch).fault.is_none());
        for replaced in [20.0, -15.0] {
            let trajectory = turn(&handle.snapshot(), replaced * side, 0.5);
            handle.send_command(LoopCommand::Play { trajectory, reset_clamps: false, stop_epoch });
            wait_cycles(&mut handle, 10);
        }
        handle.send_command(LoopCommand::Stop);
        wait_cycles(&mut handle, 20);
        assert!(handle.timing_stats().cycles > 0);
    }
    let snapshot = handle.snapshot();
    assert_eq!(snapshot.fault, None);
    assert!(snapshot.last_fault.is_some(), "no packets were lost");
    assert!(snapshot.cycles - before > 300);
    // The thread is still watched here. When it ends it frees its data, which is not part of a cycle.
    assert_eq!(COUNTED.load(Ordering::Relaxed), 0, "allocations on {} beats", snapshot.cycles - before);
}
