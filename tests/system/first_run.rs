//! `minismith first-run` on emulated servos: a healthy robot, and each fault that the emulation can make. What really
//! moved and what still has torque is read at the servos, without the line and without the program's own report.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use firmware_bridge::bus::raw::{self, RawLine};
use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::limits::Limits;
use firmware_bridge::posture::Posture;
use firmware_bridge::servo::HardwareError;
use minismith_tests::TestDir;
use mock_robot::faults::{Fault, FaultKind, Faults, ScheduledFault, WatchdogFirmware};
use mock_robot::firmware::{Emulator, EmulatorOptions, ReceivedInstruction};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Emulated servos of a robot whose head lies, and a folder for the program.
struct Bench {
    emulator: Emulator,
    folder: TestDir,
    start: Joints,
}

impl Bench {
    fn new(faults: Faults) -> Bench {
        let start = joints_from_posture(&Posture::sleep()).unwrap();
        let options = EmulatorOptions { link: None, faults, start, paced: true };
        Bench { emulator: Emulator::start(options).unwrap(), folder: TestDir::new(), start }
    }

    fn port(&self) -> &str {
        self.emulator.path().to_str().unwrap()
    }

    /// Writes one byte into a servo's memory.
    fn set(&self, joint: Joint, register: u8, value: u8) {
        let mut line = RawLine::open(Path::new(self.port()), 1_000_000).unwrap();
        let request = raw::packet(joint.motor_id(), 3, &[register, 0, value]);
        let answer = line.exchange(&request, Duration::from_millis(300)).unwrap();
        assert!(raw::describe(&answer)[0].to_string().ends_with("done"), "{answer:?}");
    }

    /// Examines the robot without a person, and returns the document. In any case nothing has torque afterwards.
    fn examine(&self, code: i32) -> Value {
        let arguments = ["first-run", "--robot", self.port(), "--yes", "--json", "--skip"];
        let run = self.folder.run(&[&arguments[..], &["camera,microphone,speaker"]].concat()).exits(code);
        self.rests();
        run.json()
    }

    /// Asserts that no motor has torque.
    #[track_caller]
    fn rests(&self) {
        let driven: Vec<Joint> =
            self.emulator.probe().iter().filter(|(_, servo)| servo.torque).map(|(joint, _)| joint).collect();
        assert!(driven.is_empty(), "torque is on: {driven:?}");
    }

    /// Returns the joints that are further than a degree from where they were.
    fn displaced(&self) -> Vec<Joint> {
        let now = self.emulator.probe();
        let far = |joint: &Joint| (now[*joint].position - self.start[*joint]).degrees().abs() > 1.0;
        Joint::ALL.into_iter().filter(far).collect()
    }
}

/// Returns the steps in one state, with the joints that they name.
fn in_state(document: &Value, state: &str) -> Vec<(String, Vec<String>)> {
    let names = |joints: &Value| -> Vec<String> { serde_json::from_value(joints.clone()).unwrap() };
    let steps = document["steps"].as_array().unwrap().iter();
    steps
        .filter(|step| step["state"] == state)
        .map(|step| (step["name"].as_str().unwrap().to_owned(), names(&step["joints"])))
        .collect()
}

/// Steps that fail, each with the joints that it names.
type Failures<'a> = &'a [(&'a str, &'a [Joint])];

/// Asserts that exactly these steps have failed, with exactly these joints, and that each says what to do.
#[track_caller]
fn fails(document: &Value, expected: Failures<'_>) {
    let names = |joints: &[Joint]| joints.iter().map(|joint| joint.name().to_owned()).collect();
    let expected: Vec<(String, Vec<String>)> =
        expected.iter().map(|(name, joints)| ((*name).to_owned(), names(joints))).collect();
    assert_eq!(in_state(document, "failed"), expected, "{document:#}");
    assert_eq!(document["verdict"], "faulty");
    for step in document["steps"].as_array().unwrap().iter().filter(|step| step["state"] == "failed") {
        assert!(step["advice"].as_str().unwrap().len() > 10, "{step}");
        assert!(!step["advice"].as_str().unwrap().contains("PORT"), "{step}");
    }
}

fn at(seconds: f64, fault: Fault) -> Faults {
    let schedule = vec![ScheduledFault { at: Duration::from_secs_f64(seconds), fault }];
    Faults { schedule, ..Faults::default() }
}

#[test]
fn healthy_robot_passes_every_step_and_rests() {
    let bench = Bench::new(Faults::default());
    let instructions = bench.emulator.arrivals();
    let document = bench.examine(0);
    assert_eq!(in_state(&document, "failed"), []);
    // Nobody was there to see whether each motor is where its name says.
    assert_eq!(in_state(&document, "not_judged"), [("mounting".to_owned(), Vec::new())]);
    assert_eq!(document["verdict"], "incomplete");
    let moved = in_state(&document, "good").into_iter().filter(|(name, _)| name == "move");
    let moved: Vec<String> = moved.flat_map(|(_, joints)| joints).collect();
    assert_eq!(moved, Joint::ALL.map(|joint| joint.name().to_owned()));
    assert_eq!(bench.displaced(), []);
    each_joint_moves_alone_and_slowly(&instructions);

    let report = std::fs::read_to_string(bench.folder.path("minismith-first-run.md")).unwrap();
    assert!(report.contains("| voltage | good |") && report.contains("`minismith doctor`"), "{report}");
    assert_eq!(document["report"], "minismith-first-run.md");
}

/// Asserts that goal positions change for one joint at a time, below a fifth of its speed limit, until the head is laid
/// down.
fn each_joint_moves_alone_and_slowly(instructions: &Receiver<ReceivedInstruction>) {
    const SYNC_WRITE: u8 = 0x83;
    const GOAL_POSITION: u8 = 116;
    let limits = Limits::default();
    let mut last: [Option<i32>; 9] = [None; 9];
    let (mut moved, mut fastest) = ([0; 9], [0.0_f64; 9]);
    for instruction in instructions.try_iter().filter(|received| received.instruction == SYNC_WRITE) {
        let [GOAL_POSITION, 0, 4, 0, goals @ ..] = instruction.parameters.as_slice() else { continue };
        let mut changed = Vec::new();
        for goal in goals.chunks_exact(5) {
            let joint = usize::from(goal[0] - 10);
            let steps = i32::from_le_bytes(goal[1..].try_into().unwrap());
            if let Some(before) = last[joint].replace(steps).filter(|before| *before != steps) {
                changed.push((joint, (steps - before).abs()));
            }
        }
        if changed.len() > 1 {
            break;
        }
        for (joint, steps) in changed {
            moved[joint] += 1;
            // A cycle of 10 ms; rounding adds up to one step.
            let speed = f64::from(steps - 1) * std::f64::consts::TAU / 4096.0 / 0.01;
            fastest[joint] = fastest[joint].max(speed);
        }
    }
    for joint in Joint::ALL {
        let number = usize::from(joint.motor_id() - 10);
        assert!(moved[number] > 20, "{joint} has hardly moved: {moved:?}");
        let allowed = 0.2 * limits.joints[joint].max_velocity.value();
        assert!(fastest[number] <= allowed, "{joint}: {} rad/s of {allowed}", fastest[number]);
    }
}

#[test]
fn each_fault_of_the_line_is_found_before_anything_moves() {
    let echo = at(0.0, Fault::of(FaultKind::Echo));
    let partial = at(0.0, Fault::of(FaultKind::Partial).on(Joint::Stewart4).at_rate(0.3));
    for (faults, joints, word) in [
        (Faults { corrupt_every: Some(60.try_into().unwrap()), ..Faults::default() }, vec![], "checksum"),
        (Faults { drop_every: Some(60.try_into().unwrap()), ..Faults::default() }, vec![], "lost"),
        (echo, vec![], "echo"),
        (partial, vec![Joint::Stewart4], "stewart_4"),
    ] {
        let bench = Bench::new(faults);
        let document = bench.examine(1);
        let cable =
            document["steps"].as_array().unwrap().iter().find(|step| step["name"] == "cable").unwrap();
        assert_eq!(cable["state"], "failed", "{document:#}");
        assert!(cable["measured"].as_str().unwrap().contains(word), "{cable}");
        if !joints.is_empty() {
            assert_eq!(cable["joints"], json!(joints));
        }
        assert_eq!(in_state(&document, "skipped").iter().filter(|(name, _)| name == "move").count(), 9);
        assert_eq!(bench.displaced(), []);
    }
}

#[test]
fn each_fault_of_a_servo_is_found_and_named_before_anything_moves() {
    let error = |joint, error| Faults { hardware_error: [(joint, error)].into(), ..Faults::default() };
    let always = |kind, joint| at(0.0, Fault::of(kind).on(joint));
    let all = Joint::ALL;
    let (three, left) = ([Joint::Stewart3], [Joint::LeftAntenna]);
    let cases: [(Faults, Failures<'_>); 6] = [
        (Faults { silent: three.to_vec(), ..Faults::default() }, &[("motors", &three)]),
        (Faults { voltage: 4.2, ..Faults::default() }, &[("voltage", &all)]),
        (error(Joint::Stewart1, HardwareError::Overload), &[("hardware errors", &[Joint::Stewart1])]),
        (always(FaultKind::Encoder, Joint::BodyYaw), &[("hardware errors", &[Joint::BodyYaw])]),
        (
            always(FaultKind::Overheating, Joint::LeftAntenna),
            &[("temperature", &left), ("hardware errors", &left)],
        ),
        (
            always(FaultKind::InputVoltage, Joint::Stewart3),
            &[("voltage", &three), ("hardware errors", &three)],
        ),
    ];
    for (faults, expected) in cases {
        let bench = Bench::new(faults);
        fails(&bench.examine(1), expected);
        assert_eq!(bench.displaced(), []);
    }
}

#[test]
fn wrong_ids_and_settings_are_found_and_named() {
    let bench = Bench::new(Faults::default());
    bench.set(Joint::LeftAntenna, 10, 1); // drive mode: reversed
    bench.set(Joint::Stewart6, 63, 0); // shutdown mask: none
    bench.set(Joint::RightAntenna, 9, 250); // return delay: 500 microseconds
    fails(&bench.examine(1), &[("settings", &[Joint::Stewart6, Joint::RightAntenna, Joint::LeftAntenna])]);
    let bench = Bench::new(Faults::default());
    bench.set(Joint::Stewart5, 7, 1); // id: that of a new servo
    let document = bench.examine(1);
    let motors = document["steps"].as_array().unwrap().iter().find(|step| step["name"] == "motors").unwrap();
    assert_eq!(
        (&motors["state"], &motors["joints"]),
        (&json!("failed"), &json!(["stewart_5"])),
        "{document:#}"
    );
    // The advice is a command that works.
    let advice = motors["advice"].as_str().unwrap();
    let command: Vec<&str> = advice.split('`').nth(1).unwrap().split(' ').skip(1).collect();
    let _written = bench.folder.run(&command).exits(0);
    assert_eq!(in_state(&bench.examine(0), "failed"), []);
}

#[test]
fn old_firmware_is_found() {
    let bench = Bench::new(Faults { watchdog: WatchdogFirmware::Absent, ..Faults::default() });
    fails(&bench.examine(1), &[("watchdog", &Joint::ALL)]);
    assert_eq!(bench.displaced(), []);
    // What only makes the robot slower does not keep it from moving.
    let bench = Bench::new(Faults { no_fast_sync_read: true, ..Faults::default() });
    let document = bench.examine(1);
    fails(&document, &[("fast read", &[Joint::BodyYaw])]);
    let good = in_state(&document, "good");
    assert_eq!(good.iter().filter(|(name, _)| name == "move").count(), 9, "{document:#}");
    assert!(good.iter().any(|(name, _)| name == "rest"));
}

#[test]
fn joint_that_does_not_move_is_named_and_nothing_moves_after_it() {
    let bench = Bench::new(Faults { jammed: vec![Joint::Stewart2], ..Faults::default() });
    let document = bench.examine(1);
    fails(&document, &[("move", &[Joint::Stewart2])]);
    let skipped = in_state(&document, "skipped").into_iter().filter(|(name, _)| name == "move");
    assert_eq!(skipped.count(), 6, "{document:#}");
    assert!(in_state(&document, "good").iter().any(|(name, _)| name == "rest"));
}

#[test]
fn fault_in_the_middle_of_a_motion_ends_it() {
    for (fault, step) in [(FaultKind::Overload, "move"), (FaultKind::Silent, "move")] {
        let bench = Bench::new(Faults::default());
        let arguments = ["first-run", "--robot", bench.port(), "--yes", "--json", "--skip"];
        let run = bench.folder.start(&[&arguments[..], &["camera,microphone,speaker"]].concat());
        wait_for_motion(&bench, Joint::Stewart1);
        bench.emulator.inject(Fault::of(fault).on(Joint::Stewart1));
        let document = run.end().exits(1).json();
        let failed = in_state(&document, "failed");
        assert_eq!(failed.first(), Some(&(step.to_owned(), vec!["stewart_1".to_owned()])), "{document:#}");
        let moved = in_state(&document, "good").into_iter().filter(|(name, _)| name == "move");
        assert_eq!(moved.count(), 1, "{document:#}");
        // A servo that does not listen cannot be released; all others are.
        let view = bench.emulator.probe();
        let driven: Vec<Joint> =
            view.iter().filter(|(_, servo)| servo.torque).map(|(joint, _)| joint).collect();
        let expected = if fault == FaultKind::Silent { vec![Joint::Stewart1] } else { Vec::new() };
        assert_eq!(driven, expected, "{document:#}");
    }
}

/// Waits until this joint really moves.
fn wait_for_motion(bench: &Bench, joint: Joint) {
    let clock = MonotonicClock::start();
    while bench.emulator.probe()[joint].velocity.degrees().abs() < 2.0 {
        assert!(clock.now().0 < 60_000_000_000, "{joint} does not move");
        clock.wait_until(clock.now() + Duration::from_millis(5));
    }
}

/// The program with a person at its terminal.
struct Conversation {
    child: Child,
    input: ChildStdin,
    said: Receiver<String>,
}

impl Conversation {
    fn start(bench: &Bench, skip: &str) -> Conversation {
        let mut command =
            bench.folder.command(&["first-run", "--robot", bench.port(), "--json", "--skip", skip]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, reported) = (child.stdin.take().unwrap(), child.stderr.take().unwrap());
        let (sender, said) = channel();
        thread::spawn(move || {
            // A question does not end its line.
            let mut reported = BufReader::new(reported);
            loop {
                let mut bytes = Vec::new();
                let ends = |byte: u8| byte == b'\n' || byte == b']';
                loop {
                    let buffer = reported.fill_buf().unwrap();
                    let Some(end) = buffer.iter().position(|byte| ends(*byte)) else {
                        let length = buffer.len();
                        if length == 0 {
                            return;
                        }
                        bytes.extend_from_slice(buffer);
                        reported.consume(length);
                        continue;
                    };
                    bytes.extend_from_slice(&buffer[..=end]);
                    reported.consume(end + 1);
                    break;
                }
                if sender.send(String::from_utf8(bytes).unwrap()).is_err() {
                    return;
                }
            }
        });
        Conversation { child, input, said }
    }

    /// Waits for a text that contains this.
    fn hears(&self, word: &str) -> String {
        loop {
            let said = self.said.recv_timeout(Duration::from_secs(60)).unwrap();
            if said.contains(word) {
                return said;
            }
        }
    }

    /// Answers each question until the end, and returns the questions, exit code and document.
    fn answers(mut self, answer: impl Fn(&str) -> &'static str) -> (Vec<String>, Option<i32>, Value) {
        let mut questions = Vec::new();
        while let Ok(said) = self.said.recv_timeout(Duration::from_secs(60)) {
            if said.ends_with("[y/n]") {
                writeln!(self.input, "{}", answer(&said)).unwrap();
                questions.push(said);
            }
        }
        let (code, document) = self.end();
        (questions, code, document)
    }

    fn end(mut self) -> (Option<i32>, Value) {
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        (self.child.wait().unwrap().code(), serde_json::from_str(&out).unwrap())
    }
}

#[test]
fn person_judges_what_no_cable_tells() {
    let bench = Bench::new(Faults::default());
    let (questions, code, document) =
        Conversation::start(&bench, "camera,microphone,speaker").answers(|_| "y");
    assert_eq!(code, Some(0), "{document:#}");
    assert!(in_state(&document, "good").iter().any(|(name, _)| name == "mounting"), "{document:#}");
    // May it move, and one question for each joint.
    assert_eq!(questions.len(), 10, "{questions:?}");
    bench.rests();

    let bench = Bench::new(Faults::default());
    let wrong = |question: &str| if question.contains("left antenna") { "n" } else { "yes" };
    let (_, code, document) = Conversation::start(&bench, "camera,microphone,speaker").answers(wrong);
    assert_eq!(code, Some(1));
    fails(&document, &[("mounting", &[Joint::LeftAntenna])]);
    bench.rests();
}

#[test]
fn nothing_moves_without_permission() {
    let bench = Bench::new(Faults::default());
    let (_, code, document) = Conversation::start(&bench, "camera,microphone,speaker").answers(|_| "n");
    assert_eq!((code, &document["verdict"]), (Some(0), &json!("incomplete")));
    // Nor without a terminal.
    let run =
        bench.folder.run(&["first-run", "--robot", bench.port(), "--json", "--skip", "microphone,speaker"]);
    for document in [document, run.exits(0).json()] {
        let moves = in_state(&document, "skipped").into_iter().filter(|(name, _)| name == "move").count();
        assert_eq!(moves, 9, "{document:#}");
    }
    assert_eq!(bench.displaced(), []);
    bench.rests();
}

#[test]
fn enter_and_ctrl_c_stop_the_robot_and_lay_it_down() {
    for by_key in [true, false] {
        let bench = Bench::new(Faults::default());
        let mut conversation = Conversation::start(&bench, "camera,microphone,speaker");
        let _question = conversation.hears("may it move? [y/n]");
        writeln!(conversation.input, "y").unwrap();
        wait_for_motion(&bench, Joint::BodyYaw);
        if by_key {
            writeln!(conversation.input).unwrap();
        } else {
            kill_process(Pid::from_child(&conversation.child), Signal::INT).unwrap();
        }
        let (code, document) = conversation.end();
        assert_eq!((code, &document["verdict"]), (Some(1), &json!("stopped")), "{document:#}");
        assert_eq!(in_state(&document, "good").iter().filter(|(name, _)| name == "move").count(), 0);
        assert!(in_state(&document, "good").iter().any(|(name, _)| name == "rest"), "{document:#}");
        bench.rests();
    }
}

#[test]
fn a_port_that_cannot_be_used_is_a_result_and_no_robot_is_an_error() {
    let bench = Bench::new(Faults::default());
    let held = RawLine::open(Path::new(bench.port()), 1_000_000).unwrap();
    let document = bench.examine(1);
    assert_eq!(in_state(&document, "failed")[0].0, "port");
    assert!(document["steps"][0]["measured"].as_str().unwrap().contains("held by another program"));
    drop(held);
    let missing = bench.folder.run(&[
        "first-run",
        "--robot",
        "/dev/ttyACM99",
        "--yes",
        "--json",
        "--skip",
        "microphone,speaker",
    ]);
    assert!(
        missing.exits(1).json()["steps"][0]["measured"].as_str().unwrap().contains("no such serial port")
    );

    let error = |arguments: &[&str], words: &[&str]| bench.folder.run(arguments).is_error(words);
    error(&["first-run", "--robot", "mock"], &["mock-bus"]);
    error(&["first-run", "--faults", "f.yaml"], &["mock-bus"]);
    error(&["first-run", "--robot", "mock-bus", "--skip", "nose"], &["microphone"]);
    error(&["first-run", "--robot", "mock-bus", "--report", "no/folder/report.md"], &["no/folder"]);
    error(&["first-run", "--robot", "mock-bus", "--faults", "none.yaml"], &["none.yaml"]);
}
