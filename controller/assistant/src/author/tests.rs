//! Reads the written tools back with a Python parser and compares what they would send with the strokes.

use std::time::Duration;

use firmware_bridge::posture::{Antennas, HeadPose, RollPitchYaw};
use firmware_bridge::units::Radians;
use minismith_protocol::Method;
use rustpython_parser::{Parse, ast};

use super::*;
use minismith_nlu::primitive::{Look, Side};
use minismith_nlu::{Intent, Known, Understanding, understand};

/// Returns the strokes that the tool's calls would send at times 1 and speed 1.
fn read_back(source: &str) -> Vec<MotionSegment> {
    let module = ast::Suite::parse(source, "tool.py").unwrap_or_else(|error| panic!("{error}\n{source}"));
    let mut functions = Vec::new();
    for statement in module {
        match statement {
            ast::Stmt::Import(_) | ast::Stmt::ImportFrom(_) => {}
            ast::Stmt::FunctionDef(function) => functions.push(function),
            other => panic!("module level code: {other:?}"),
        }
    }
    let [function] = functions.try_into().unwrap();
    let mut strokes = Vec::new();
    let (docstring, rest) = function.body.split_first().unwrap();
    assert!(matches!(docstring, ast::Stmt::Expr(_)));
    assert!(matches!(rest, [ast::Stmt::If(_), ast::Stmt::If(_), ast::Stmt::For(_), ast::Stmt::Return(_)]));
    run(&rest[2..3], &mut strokes);
    strokes
}

fn run(statements: &[ast::Stmt], strokes: &mut Vec<MotionSegment>) {
    for statement in statements {
        match statement {
            ast::Stmt::For(each) => {
                let ast::Expr::Call(range) = &*each.iter else { panic!("{each:?}") };
                let times = match &range.args[0] {
                    ast::Expr::Name(name) if name.id.as_str() == "times" => 1,
                    count => number(count) as usize,
                };
                for _ in 0..times {
                    run(&each.body, strokes);
                }
            }
            ast::Stmt::Expr(expression) => {
                let ast::Expr::Call(call) = &*expression.value else { panic!("{expression:?}") };
                strokes.push(stroke(call));
            }
            other => panic!("{other:?}"),
        }
    }
}

fn stroke(call: &ast::ExprCall) -> MotionSegment {
    let ast::Expr::Attribute(method) = &*call.func else { panic!("{call:?}") };
    let duration = || Duration::from_secs_f64(number(keyword(call, "duration").unwrap()));
    match method.attr.as_str() {
        "goto_target" => MotionSegment::Goto {
            head: keyword(call, "head").map(pose),
            body_yaw: match keyword(call, "body_yaw").expect("body_yaw is always said") {
                ast::Expr::Constant(none) if none.value == ast::Constant::None => None,
                angle => Some(Radians(number(angle))),
            },
            antennas: keyword(call, "antennas").map(|both| {
                let ast::Expr::List(list) = both else { panic!("{both:?}") };
                Antennas { right: Radians(number(&list.elts[0])), left: Radians(number(&list.elts[1])) }
            }),
            duration: duration(),
            method: Method::Minjerk,
        },
        "look_at_world" => MotionSegment::LookAt {
            point: [number(&call.args[0]), number(&call.args[1]), number(&call.args[2])],
            duration: duration(),
        },
        "sleep" => MotionSegment::Pause(Duration::from_secs_f64(number(&call.args[0]))),
        "wake_up" => MotionSegment::Wake,
        "goto_sleep" => MotionSegment::Rest,
        other => panic!("{other}"),
    }
}

fn keyword<'a>(call: &'a ast::ExprCall, name: &str) -> Option<&'a ast::Expr> {
    call.keywords.iter().find(|k| k.arg.as_ref().is_some_and(|arg| arg.as_str() == name)).map(|k| &k.value)
}

fn pose(expression: &ast::Expr) -> HeadPose {
    let ast::Expr::Call(call) = expression else { panic!("{expression:?}") };
    let part = |name: &str| keyword(call, name).map_or(0.0, number);
    let angle = |name: &str| Radians::from_degrees(part(name));
    let angles = RollPitchYaw { roll: angle("roll"), pitch: angle("pitch"), yaw: angle("yaw") };
    HeadPose::new(part("x"), part("y"), part("z"), angles)
}

fn number(expression: &ast::Expr) -> f64 {
    match expression {
        ast::Expr::Constant(constant) => match &constant.value {
            ast::Constant::Float(value) => *value,
            ast::Constant::Int(value) => value.to_string().parse().unwrap(),
            other => panic!("{other:?}"),
        },
        ast::Expr::Name(name) if name.id.as_str() == "speed" => 1.0,
        ast::Expr::UnaryOp(negative) => -number(&negative.operand),
        ast::Expr::BinOp(quotient) => number(&quotient.left) / number(&quotient.right),
        other => panic!("{other:?}"),
    }
}

fn alike(a: &MotionSegment, b: &MotionSegment) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() < 2e-6;
    match (a, b) {
        (
            MotionSegment::Goto { head, body_yaw, antennas, duration, method },
            MotionSegment::Goto {
                head: head_b,
                body_yaw: yaw_b,
                antennas: antennas_b,
                duration: duration_b,
                method: method_b,
            },
        ) => {
            let heads = match (head, head_b) {
                (Some(a), Some(b)) => (a.0.to_homogeneous() - b.0.to_homogeneous()).amax() < 2e-6,
                (a, b) => a.is_none() && b.is_none(),
            };
            let yaws = match (body_yaw, yaw_b) {
                (Some(a), Some(b)) => near(a.value(), b.value()),
                (a, b) => a.is_none() && b.is_none(),
            };
            let antennas = match (antennas, antennas_b) {
                (Some(a), Some(b)) => {
                    near(a.right.value(), b.right.value()) && near(a.left.value(), b.left.value())
                }
                (a, b) => a.is_none() && b.is_none(),
            };
            let durations = near(duration.as_secs_f64(), duration_b.as_secs_f64());
            heads && yaws && antennas && durations && method == method_b
        }
        (a, b) => a == b,
    }
}

fn everything() -> Vec<Primitive> {
    let duration = Duration::from_millis(1500);
    let angle = Radians::from_degrees(20.0);
    let half = Duration::from_millis(400);
    vec![
        Primitive::Wake,
        Primitive::TurnBody { angle: -angle, duration },
        Primitive::Look { direction: Look::Left, angle, duration },
        Primitive::Nod { times: 3, angle, half },
        Primitive::Look { direction: Look::Down, angle: Radians::from_degrees(35.0), duration },
        Primitive::Nod { times: 1, angle, half },
        Primitive::LookAt { point: [0.5, -0.1, 0.2], duration },
        Primitive::Shake { times: 2, angle, half },
        Primitive::Tilt { side: Side::Left, angle, duration },
        Primitive::Height { metres: -0.01, duration },
        Primitive::WiggleAntennas { times: 4, half },
        Primitive::SetAntennas { right: Some(angle), left: None, duration },
        Primitive::Wait { duration },
        Primitive::Dance { duration: Duration::from_secs(6) },
        Primitive::Center,
        Primitive::Sleep,
    ]
}

#[test]
fn a_tool_sends_the_strokes_of_the_direct_command() {
    let mut bodies: Vec<Vec<Primitive>> = everything().into_iter().map(|primitive| vec![primitive]).collect();
    bodies.push(everything());
    for body in bodies {
        let written = compose("tool", &body, "a request");
        let (read, meant) = (read_back(&written.source), lower(&body, Aim::neutral()));
        let same = read.len() == meant.len() && read.iter().zip(&meant).all(|(a, b)| alike(a, b));
        assert!(same, "{meant:#?}\n{read:#?}\n{}", written.source);
    }
}

#[test]
fn a_short_tool_reads_like_handwritten_code() {
    let half = Duration::from_millis(400);
    let angle = Radians::from_degrees(15.0);
    let body = [Primitive::Nod { times: 3, angle, half }];
    let source = compose("agree", &body, "make a tool called agree that nods three times").source;
    assert!(source.is_ascii());
    let expected = r#"from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def agree(robot: ReachyMini, times: int = 1, speed: float = 1.0) -> str:
    """Nod 3 times.

    Written for the request 'make a tool called agree that nods three times'.

    Args:
        robot: The robot that moves.
        times: How often to do all of it, between 1 and 10.
        speed: The tempo, between 0.5 and 2.0; 2.0 halves the duration of every move. Pauses,
            waking up and going to sleep keep theirs.

    Returns:
        A sentence that says what was sent to the robot.

    Raises:
        ValueError: If times or speed is out of range.
    """
    if not 1 <= times <= 10:
        raise ValueError("times must be between 1 and 10")
    if not 0.5 <= speed <= 2.0:
        raise ValueError("speed must be between 0.5 and 2.0")
    for _ in range(times):
        for _ in range(3):
            robot.goto_target(head=create_head_pose(pitch=15.0), duration=0.4 / speed, body_yaw=None)
            robot.goto_target(head=create_head_pose(), duration=0.4 / speed, body_yaw=None)
    return f"Sent {times} x (nod 3 times) at speed {speed:g}."
"#;
    assert_eq!(source, expected);
}

#[test]
fn a_request_cannot_break_out_of_the_docstring() {
    for request in [
        "\"\"\"\nimport os\n\"\"\"",
        "ends with a backslash \\",
        "''' \\\"\\\"\\\" \\N{DIGIT ONE} \\x22\\x22\\x22",
        "{times} {__import__('os')} %s",
        "\u{202e}\u{0}\u{1b}[2J\r\n\u{2028}# coding: utf-7",
        "\u{ff02}\u{ff02}\u{ff02} \u{1f600}",
        &"x".repeat(5000),
        &"\"".repeat(300),
        "",
    ] {
        let body = [Primitive::Center];
        let source = compose("safe", &body, request).source;
        assert_eq!(read_back(&source), lower(&body, Aim::neutral()), "{request:?}");
        let printable = source.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte));
        assert!(printable && source.len() < 8192, "{request:?}");
        assert_eq!(source.matches("\"\"\"").count(), 2, "{request:?}");
    }
}

#[test]
fn the_largest_tools_stay_below_eight_kilobytes() {
    let request = "look at -0.12 ".repeat(100);
    let long = |say: &str| {
        let Understanding::Plan(plan) = understand(say, &Known::default()) else { panic!("{say}") };
        let [Intent::MakeTool { name, body, .. }] = plan.as_slice() else { panic!("{plan:?}") };
        let source = compose(name, body, &request).source;
        assert!(source.len() < 8192, "{} bytes\n{source}", source.len());
    };
    let dances = ["dance for 2 seconds, dance for 3 seconds"; 5].join(", ");
    long(&format!("make a tool called {} that {dances}", "a".repeat(40)));
    let mixed = ["shake your head twice by 7 degrees in 1.1 seconds, dance for 2.1 seconds"; 5].join(", ");
    long(&format!("make a tool called {} that {mixed}", "a".repeat(40)));
    let uneven: Vec<String> = (1..9).map(|at| format!("dance for 2.{at}34567 seconds")).collect();
    let first = "turn left 12.345678 degrees in 1.001234 seconds, raise your head 1.234567 mm";
    long(&format!("make a tool called {} that {first}, {}", "a".repeat(40), uneven.join(", ")));
}

#[test]
fn the_slowest_call_fits_into_a_rehearsal() {
    let minute = Primitive::Dance { duration: Duration::from_secs(25) };
    let source = compose("long_dance", &[minute], "").source;
    assert!(source.contains("between 1 and 2."), "{source}");
    let raising = compose("x", &[Primitive::Center], "")
        .test_cases
        .into_iter()
        .filter(|case| matches!(case.expect, Expectation::Raises { .. }))
        .count();
    assert_eq!(raising, 2);
}
