//! Images in a guest's window: they come from the execution context, never change, are read-only and arrive at a
//! limited rate.

use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::camera::BgrImage;
use firmware_bridge::clock::{Timestamp, VirtualClock};
use firmware_bridge::control_loop::ControlLoop;
use firmware_bridge::joint::Joints;
use minismith_analysis::manifest::Capability;
use minismith_control::execution::ExecutionContext;
use minismith_control::robot::initial_joints;
use minismith_protocol::{HostCall, Job, Limits};
use minismith_tests::TestDir;
use minismith_toolchain::guest::{GuestError, ToolHost};
use minismith_toolchain::tool_run::{Outcome, Permissions, ToolRun, execute};
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;
use serde_json::{Value, json};

use super::context::{Call, Played, host, shared_host};

/// Returns a mock in virtual time that does not move.
fn standing() -> ExecutionContext {
    let robot = MockRobot::new(initial_joints(), Variation::default());
    let limits = firmware_bridge::limits::Limits::default();
    let control_loop =
        ControlLoop::new(robot, VirtualClock::new(), limits, Duration::from_millis(10)).unwrap();
    let mut context = ExecutionContext::new(Box::new(control_loop), Arc::new(Scene::default()));
    context.torque(Joints::all(true)).unwrap();
    context
}

/// Returns the camera's image from the head's pose.
fn seen(context: &ExecutionContext) -> BgrImage {
    let at = context.control.robot_time().since(Timestamp::ZERO);
    Scene::default().render(&context.posture().unwrap().head, at)
}

/// Runs a tool without the policy.
fn act(host: &ToolHost, context: &mut ExecutionContext, source: &str) -> ToolRun {
    let limits = Limits { turn_seconds: 10.0, ..Limits::DEFAULT };
    let job = Job {
        source: source.to_owned(),
        module: "tool".into(),
        entry: "tool".into(),
        takes_robot: true,
        limits,
        ..Job::default()
    };
    let capabilities = [Capability::Motion, Capability::Camera].into();
    let permit = Permissions { capabilities, robot_time_s: 20.0, ..Permissions::default() };
    execute(&mut host.fork(limits).unwrap(), job, context, &permit)
}

#[track_caller]
fn value(tool_run: &ToolRun) -> &Value {
    match &tool_run.outcome {
        Outcome::Returned { value } => value,
        other => panic!("it did not return: {other:?}"),
    }
}

/// Runs the body of a function with the robot, in an execution context whose images are two by two pixels.
fn attempt(body: &str) -> Played {
    let body = body.replace('\n', "\n    ");
    Call::new(&format!("import numpy as np\n\n\ndef tool(robot):\n    {body}\n"), "tool").run(shared_host())
}

/// The interval of compared bytes in an image.
const STEP: usize = 37;

/// Returns the fraction of the compared bytes that differ.
fn apart(bytes: &Value, image: &BgrImage) -> f64 {
    let reported: Vec<u64> = bytes.as_array().unwrap().iter().map(|byte| byte.as_u64().unwrap()).collect();
    let seen: Vec<u64> = image.bgr.iter().step_by(STEP).copied().map(u64::from).collect();
    assert_eq!(reported.len(), seen.len());
    reported.iter().zip(&seen).filter(|(reported, seen)| reported != seen).count() as f64 / seen.len() as f64
}

#[test]
fn images_come_from_the_execution_context() {
    let mut context = standing();
    let before = seen(&context);
    let tool_run = act(
        shared_host(),
        &mut context,
        &format!(
            "import time
def tool(robot):
    first = robot.media.get_frame()
    robot.goto_target(body_yaw=0.5, antennas=[0, 0], duration=1.0)
    robot.look_at_world(0.5, 0.3, 0.1, duration=1.0)
    time.sleep(1)
    last = robot.media.get_frame()
    return [[list(f.shape), str(f.dtype), type(f.base).__name__, f.ravel()[::{STEP}].tolist()] for f in (first, last)]
"
        ),
    );
    let images = value(&tool_run);
    let after = seen(&context);
    for (reported, meant) in [(&images[0], &before), (&images[1], &after)] {
        assert_eq!(reported[0], json!([meant.height, meant.width, 3]));
        assert_eq!((&reported[1], &reported[2]), (&json!("uint8"), &json!("Held")));
        assert!(apart(&reported[3], meant) < 0.01, "{} of the bytes differ", apart(&reported[3], meant));
    }
    assert!(apart(&images[1][3], &before) > 0.05, "the head has turned");
    assert_eq!(tool_run.frames, 2);
}

#[test]
fn stored_image_never_changes_even_beyond_the_slots() {
    let tool_run = act(
        shared_host(),
        &mut standing(),
        "import gc
import numpy as np
def tool(robot):
    kept, copies = [], []
    def take(yaw):
        robot.look_at_world(0.5, yaw, 0.0, duration=0.5)
        kept.append(robot.media.get_frame())
        copies.append(kept[-1].copy())
    for number in range(7):
        take(0.1 * number)
    where = [type(one.base).__name__ == 'Held' for one in kept]
    # A part of a picture, and a look into one, hold it as well as it does itself.
    part, look = kept[0][::2, 5:], memoryview(kept[1])
    of_part, of_look = part.copy(), bytes(look)
    del kept[:3]
    gc.collect()
    del copies[:3]
    for number in range(7):
        take(-0.1 * number)
    same = all(np.array_equal(one, copy) for one, copy in zip(kept, copies))
    apart = len({copy.tobytes() for copy in copies})
    where += [type(one.base).__name__ == 'Held' for one in kept[4:]]
    held = np.array_equal(part, of_part) and bytes(look) == of_look
    return [same, held, apart, where]
",
    );
    let [window, channel] = [true, false];
    let mut where_they_lay = vec![window; 4];
    where_they_lay.extend([channel; 3]);
    // One of the four slots is free again.
    where_they_lay.push(window);
    where_they_lay.extend([channel; 6]);
    // The first image of the second series has the direction of the very first, which is gone by then.
    assert_eq!(value(&tool_run), &json!([true, true, 11, where_they_lay]));
}

#[test]
fn slot_is_freed_when_its_array_is_dropped() {
    let played = attempt(
        "for _ in range(3):
    kept = [robot.media.get_frame() for _ in range(5)]
    del kept
robot.media.get_frame()
return robot.media.get_frame().tolist()",
    );
    assert_eq!(played.value(), &json!([[[255, 0, 0], [0, 0, 255]], [[255, 0, 0], [0, 0, 255]]]));
    let slots: Vec<Option<u8>> = played
        .cues
        .iter()
        .map(|cue| if let HostCall::Frame { slot } = cue { *slot } else { panic!("{cue:?}") })
        .collect();
    let round = [Some(0), Some(1), Some(2), Some(3), None];
    assert_eq!(slots, [&round[..], &round, &round, &[Some(0), Some(0)]].concat());
}

#[test]
fn python_cannot_write_to_an_image() {
    let played = attempt(
        "one = robot.media.get_frame()
def written(get):
    try:
        get(one)[0, 0, 0] = 1
    except Exception as error:
        return type(error).__name__
def writeable(array):
    array.setflags(write=True)
    return array
def flagged(array):
    array.flags.writeable = True
    return array
whole = lambda array: array.reshape(2, 2, 3)
return [written(get) for get in [
    lambda array: array,
    writeable,
    flagged,
    lambda array: writeable(array.view()),
    lambda array: writeable(np.asarray(array)),
    lambda array: writeable(array[:, ::-1]),
    lambda array: writeable(array.reshape(-1)).reshape(2, 2, 3),
    lambda array: whole(np.frombuffer(array, np.uint8)),
    lambda array: np.ndarray(array.shape, np.uint8, array),
    lambda array: np.lib.stride_tricks.as_strided(array, writeable=True),
    lambda array: np.add(array, 1, out=array),
    lambda array: array.sort(),
    memoryview,
    lambda array: memoryview(array).cast('B').cast('B', (2, 2, 3)),
    lambda array: np.frombuffer(array.base, np.uint8),
    lambda array: memoryview(array.base),
    lambda array: type(array.base)(),
]] + [one.tolist()]",
    );
    let mut refused = vec![json!("ValueError"); 12];
    refused.extend(vec![json!("TypeError"); 5]);
    refused.push(json!([[[255, 0, 0], [0, 0, 255]], [[255, 0, 0], [0, 0, 255]]]));
    assert_eq!(played.value(), &Value::from(refused));
}

#[test]
fn kernel_denies_image_writes_that_bypass_python() {
    // Making it writable, unmapping its memory, and trying other descriptors.
    let played = attempt(
        "import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
address = robot.media.get_frame().__array_interface__['data'][0]
def error_of(name, *arguments):
    ctypes.set_errno(0)
    return ctypes.get_errno() if getattr(libc, name)(*arguments) == -1 else 0
def open_still(number):
    try:
        return os.write(number, b'') == 0
    except OSError as error:
        return error.errno != 9
page = ctypes.c_void_p(address)
return [error_of('mprotect', page, 4096, 3), error_of('mprotect', page, 4096, 2), error_of('madvise', page, 4096, 9),
    [number for number in range(4, 64) if open_still(number)]]",
    );
    assert_eq!(played.value(), &json!([13, 13, 13, []]));
    // An array that claims to be writable fails in the same way.
    let played = attempt(
        "class Forged:
    __array_interface__ = dict(robot.media.get_frame().__array_interface__)
Forged.__array_interface__['data'] = (Forged.__array_interface__['data'][0], False)
np.asarray(Forged())[0, 0, 0] = 1",
    );
    assert!(
        matches!(played.fault(), GuestError::Died { how } if how.starts_with("signal 11")),
        "{}",
        played.fault()
    );
}

#[test]
fn window_does_not_count_as_tool_memory() {
    let limits = Limits { memory_bytes: 32 << 20, turn_seconds: 10.0, ..Limits::DEFAULT };
    let host = host();
    let run = |megabytes: u32| {
        let source = format!(
            "def tool(robot):\n    kept = [robot.media.get_frame() for _ in range(4)]\n    \
             return len(bytearray({megabytes} << 20)) + len(kept)\n"
        );
        Call::new(&source, "tool").within(limits).run(&host)
    };
    assert_eq!(run(24).value(), &json!((24 << 20) + 4));
    assert_eq!(run(33).fault().limit(), "memory_bytes");
}

#[test]
fn tool_is_accepted_at_the_camera_rate_and_warned_beyond_it() {
    let tool = |name: &str, wait: &str| {
        format!(
            r#"import time

from reachy_mini import ReachyMini


def {name}(robot: ReachyMini) -> int:
    """Count the pictures of the camera.

    Returns:
        How many there were.
    """
    began, count = time.monotonic(), 0
    while time.monotonic() - began < 10.0 and count < 400:
        frame = robot.media.get_frame()
        count += int(frame is not None)
        time.sleep({wait})
    return count
"#
        )
    };
    let bench = TestDir::new();
    let checked = |name: &str, wait: &str| {
        let file = bench.write(&format!("{name}.py"), &tool(name, wait));
        bench.run(&["tool", "check", file.to_str().unwrap(), "--json"])
    };
    let paced = checked("watch", "1 / 30 - 0.002").exits(0).json()["results"][0].clone();
    assert_eq!(paced["admitted"], json!(true), "{paced}");
    assert!(paced["report"]["frames"].as_u64().unwrap() > 280, "{}", paced["report"]);
    let fast = checked("stare", "0.01").exits(1).json()["results"][0].clone();
    let findings = fast["findings"].as_array().unwrap();
    let reported = findings.iter().find(|found| found["rule"] == "rehearsal-frames-per-second");
    let reported = reported.unwrap_or_else(|| panic!("{fast}"));
    let words = reported["reason"].as_str().unwrap_or_default();
    assert!(words.contains("more than 30 images") && words.contains("time.sleep(1 / 30)"), "{reported}");
    assert!(reported["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{reported}");
}

#[test]
fn warned_tool_cleans_up_but_has_exceeded_its_budget() {
    let tool_run = act(
        shared_host(),
        &mut standing(),
        "def tool(robot):
    try:
        for _ in range(100):
            robot.media.get_frame()
    except TimeoutError as error:
        print(error)
    finally:
        robot.goto_target(antennas=[0, 0], duration=0.5)
    return 1
",
    );
    assert!(
        matches!(&tool_run.outcome, Outcome::Stopped { limit, .. } if limit == "frames_per_second"),
        "{:?}",
        tool_run.outcome
    );
    assert!(tool_run.printed.contains("time.sleep(1 / 30)"), "{}", tool_run.printed);
    assert_eq!((tool_run.frames, tool_run.steps.len()), (30, 1));
}
