//! Tools that use scipy and OpenCV: they are rehearsed and run like others, and their guests can do no more than others.

use minismith_protocol::GuestMessage;
use minismith_protocol::zygote::{Level, Profile};
use minismith_runtime::config::Bar;
use minismith_tests::{TestDir, workspace};
use minismith_toolchain::guest::{LazyHost, ToolHost};
use serde_json::{Value, json};

use super::guest::context::Call;
use super::tools::{add, run};

const TILT: &str = r#"import numpy as np
from reachy_mini import ReachyMini
from scipy.spatial.transform import Rotation as R


def tilt(robot: ReachyMini, degrees: float = 10.0) -> list[float]:
    """Tilt the head sideways, and back.

    Args:
        robot: The robot.
        degrees: How far, degrees, between 0 and 15.

    Returns:
        The roll, pitch and yaw that the head had, degrees.
    """
    pose = np.eye(4)
    pose[:3, :3] = R.from_euler("xyz", [degrees, 0.0, 0.0], degrees=True).as_matrix()
    robot.goto_target(head=pose, duration=1.0)
    reached = R.from_matrix(robot.get_current_head_pose()[:3, :3]).as_euler("xyz", degrees=True)
    robot.goto_target(head=np.eye(4), duration=1.0)
    return [float(angle) for angle in reached]
"#;

/// It draws what it looks for, so that its result is known.
const COUNT_DISCS: &str = r#"import cv2
import numpy as np
from scipy import ndimage


def count_discs(discs: int = 3) -> list[int]:
    """Draw red discs, and count them in two ways.

    Args:
        discs: How many, between 0 and 5.

    Returns:
        The counts.
    """
    picture = np.zeros((120, 600, 3), np.uint8)
    for index in range(discs):
        cv2.circle(picture, (60 + 110 * index, 60), 20, (30, 30, 220), cv2.FILLED)
    hsv = cv2.cvtColor(cv2.GaussianBlur(picture, (5, 5), 0), cv2.COLOR_BGR2HSV)
    mask = cv2.inRange(hsv, (0, 90, 60), (12, 255, 255))
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return [len(outlines), int(ndimage.label(mask)[1])]
"#;

#[test]
fn tool_turns_the_head_by_a_rotation_of_scipy() {
    let dir = TestDir::new();
    add(&dir, "tilt", TILT);
    let (_, reached) = run(&dir, "tilt", r#"{"degrees": 12}"#);
    let angles: Vec<f64> = reached.as_array().unwrap().iter().map(|angle| angle.as_f64().unwrap()).collect();
    for (angle, wanted) in angles.iter().zip([12.0, 0.0, 0.0]) {
        assert!((angle - wanted).abs() < 1.5, "{angles:?}");
    }
    let manifest = dir.run(&["tool", "show", "tilt", "--json"]).exits(0).json();
    assert!(manifest.to_string().contains(r#""dependencies":["numpy","scipy"]"#), "{manifest}");
}

#[test]
fn tool_looks_at_images_with_opencv() {
    let dir = TestDir::new();
    add(&dir, "count_discs", COUNT_DISCS);
    for discs in [0, 2, 5] {
        let (_, counted) = run(&dir, "count_discs", &json!({"discs": discs}).to_string());
        assert_eq!(counted, json!([discs, discs]));
    }
}

#[test]
fn what_could_reach_files_cameras_or_windows_is_refused() {
    let dir = TestDir::new();
    let refused = [
        ("import cv2", "cv2.imread('a.png')"),
        ("import cv2", "cv2.imwrite('a.png', None)"),
        ("import cv2", "cv2.VideoCapture(0)"),
        ("import cv2", "cv2.dnn.readNet('a')"),
        ("import cv2", "cv2.imshow('a', None)"),
        ("import cv2", "cv2.os.system('a')"),
        ("from cv2 import FileStorage", "FileStorage('a', 0)"),
        ("from scipy import io", "io.loadmat('a')"),
        ("import scipy", "scipy.io.loadmat('a')"),
        ("import scipy.signal", "scipy.signal._signaltools"),
        ("from scipy import LowLevelCallable", "LowLevelCallable(1)"),
        ("from scipy.spatial.transform import Rotation", "Rotation.from_euler.__globals__"),
    ];
    for (import, statement) in refused {
        let source =
            format!("{import}\n\n\ndef attempt() -> None:\n    \"\"\"Try it.\"\"\"\n    {statement}\n");
        let file = dir.write("attempt.py", &source);
        let checked = dir.run(&["tool", "check", file.to_str().unwrap(), "--json"]).exits(1).json();
        assert_eq!(checked["results"][0]["stage"], "policy", "{statement}: {checked}");
    }
}

#[test]
fn tool_without_its_libraries_is_refused_and_others_are_checked() {
    let dir = TestDir::new();
    let tilt = dir.write("tilt.py", TILT);
    let greet = dir.write("greet.py", "def greet() -> str:\n    \"\"\"Greet.\"\"\"\n    return \"hello\"\n");
    let mut command =
        dir.command(&["tool", "check", tilt.to_str().unwrap(), greet.to_str().unwrap(), "--json"]);
    command.env("MINISMITH_CODE_PYTHON", workspace().join(".venv/bin/python"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let checked: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [first, second] = [&checked["results"][0], &checked["results"][1]];
    assert_eq!((&first["stage"], &first["admitted"]), (&json!("rehearsal"), &json!(false)), "{checked}");
    assert_eq!(first["findings"][0]["rule"], "missing-library", "{checked}");
    assert!(first["findings"][0]["hint"].as_str().unwrap().contains("make code"), "{checked}");
    assert_eq!(second["admitted"], true, "{checked}");
    // It is not remembered: with the libraries the tool is fine.
    let _ = dir.run(&["tool", "check", tilt.to_str().unwrap()]).exits(0);
}

/// Sources that the policy refuses run here, as if it had a gap.
#[test]
fn guests_with_these_libraries_reach_nothing_outside() {
    let host = LazyHost::new(&workspace().join(".venv/bin/python"), Bar::default());
    let host = host.host_of(Profile::Science).unwrap();
    attack(&host);
    // Also where the machine offers the weakest sandbox that is used.
    let (program, python) =
        minismith_toolchain::guest::locate(&workspace().join(".venv/bin/python")).unwrap();
    let python = python.ancestors().nth(3).unwrap().join(".venv-code/bin/python");
    attack(&ToolHost::start_for(Profile::Science, &program, &python, Level::NoOpen).unwrap());
}

fn attack(host: &ToolHost) {
    // Each is true if it reaches what it wants.
    let attempts = [
        "cv2.imread('/usr/share/pixmaps/debian-logo.png') is not None",
        "cv2.imwrite('/tmp/MINISMITH_ATTACK.png', np.zeros((4, 4, 3), np.uint8))",
        "cv2.VideoCapture(0).isOpened()",
        "cv2.VideoCapture('/etc/passwd').isOpened()",
        "cv2.FileStorage('/tmp/MINISMITH_ATTACK.yml', cv2.FILE_STORAGE_WRITE).isOpened()",
        "cv2.FileStorage('/etc/passwd', cv2.FILE_STORAGE_READ).isOpened()",
        "cv2.createCLAHE().save('/tmp/MINISMITH_ATTACK.txt') is None",
        "__import__('scipy.io').io.savemat('/tmp/MINISMITH_ATTACK.mat', {'a': np.eye(2)}) is None",
        "cv2.setNumThreads(4) is None and cv2.getNumThreads() > 1 and cv2.blur(np.zeros((999, 999)), (9, 9)) is None",
    ];
    for attempt in attempts {
        let source =
            format!("import cv2\nimport numpy as np\n\n\ndef attack() -> bool:\n    return {attempt}\n");
        let ended = Call::new(&source, "attack").run(host).end;
        if let Ok(GuestMessage::Done { value, .. }) = &ended {
            // A file that is said to be saved is looked for below.
            assert!(*value == json!(false) || attempt.contains("save"), "{attempt} at {:?}", host.level());
        }
        println!("{attempt}: {ended:?}");
    }
    for ending in ["png", "yml", "txt", "mat"] {
        let left = std::path::PathBuf::from(format!("/tmp/MINISMITH_ATTACK.{ending}"));
        assert!(!left.exists(), "{} was written", left.display());
    }
}
