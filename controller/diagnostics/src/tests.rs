//! Tests of the checks with invented facts, and of the collection of facts in temporary folders.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::*;

fn healthy() -> Machine {
    Machine {
        ownership: Ok(owner::Ownership {
            owner: minismith_install::take_over::Owner::Nobody,
            running: Vec::new(),
        }),
        tokens: Ok(0),
        ports: Vec::new(),
        packages: Packages::WithNumpy,
        tool_host: Ok("/opt/minismith-tool-host".into()),
        tools_writable: Some(true),
        sandbox: sandbox::healthy(),
        local_model: local_model::healthy(),
        real_time: real_time::healthy(),
        control_loop: Some(control_loop::healthy()),
        periphery: robot::healthy(),
        voice: speech::healthy(),
        sight: perception::Sight { photos: true, ..perception::Sight::default() },
        free: Some(10 << 30),
    }
}

fn config(robot: &str) -> Config {
    Config { robot: robot.parse().unwrap(), ..Config::built_in().unwrap() }
}

fn port(path: &str, open_to_me: bool) -> Port {
    Port { path: path.into(), open_to_me, group: Some("dialout".into()), in_group: false }
}

/// Returns the only check that is not good.
#[track_caller]
fn complaint(config: &Config, machine: &Machine) -> Check {
    let mut complaints = judge(config, machine);
    complaints.retain(|check| check.status != CheckStatus::Ok);
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    complaints.remove(0)
}

#[test]
fn a_healthy_machine_has_only_good_checks() {
    assert!(judge(&config("mock"), &healthy()).iter().all(|check| check.status == CheckStatus::Ok));
    let machine = Machine { ports: vec![port("/dev/ttyACM0", true)], ..healthy() };
    assert!(judge(&config("/dev/ttyACM0"), &machine).iter().all(|check| check.status == CheckStatus::Ok));
}

#[test]
fn a_missing_port_names_the_others() {
    let machine = Machine { ports: vec![port("/dev/ttyUSB3", true)], ..healthy() };
    let check = complaint(&config("/dev/ttyACM0"), &machine);
    assert_eq!((check.status, check.detail.as_str()), (CheckStatus::Error, "there is no /dev/ttyACM0"));
    assert!(check.remedy.unwrap().ends_with("give another port: /dev/ttyUSB3"));
    assert!(complaint(&config("/dev/ttyACM0"), &healthy()).remedy.unwrap().contains("--robot mock"));
}

#[test]
fn a_port_without_permission_names_its_group_and_is_bad_only_when_needed() {
    let machine = Machine { ports: vec![port("/dev/ttyACM0", false)], ..healthy() };
    let check = complaint(&config("/dev/ttyACM0"), &machine);
    assert_eq!(check.status, CheckStatus::Error);
    assert!(check.remedy.unwrap().contains("usermod -aG dialout"));
    assert_eq!(complaint(&config("mock"), &machine).status, CheckStatus::Warning);

    // The user is already in the group, so joining it would not help.
    let machine =
        Machine { ports: vec![Port { in_group: true, ..port("/dev/ttyACM0", false) }], ..healthy() };
    assert!(!complaint(&config("mock"), &machine).remedy.unwrap().contains("usermod"));
}

#[test]
fn missing_requirements_of_tools_are_bad() {
    let config = config("mock");
    for (machine, name) in [
        (Machine { packages: Packages::NoInterpreter, ..healthy() }, "Python for tools"),
        (Machine { packages: Packages::WithoutNumpy, ..healthy() }, "Python for tools"),
        (Machine { tool_host: Err("/opt/minismith-tool-host".into()), ..healthy() }, "tool host"),
        (Machine { tools_writable: Some(false), ..healthy() }, "tools folder"),
        (Machine { tools_writable: None, ..healthy() }, "tools folder"),
    ] {
        let check = complaint(&config, &machine);
        assert_eq!((check.status, check.name), (CheckStatus::Error, name));
        assert!(check.remedy.is_some());
    }
    for (free, state) in [
        (Some(10 << 20), CheckStatus::Error),
        (Some(100 << 20), CheckStatus::Warning),
        (None, CheckStatus::Warning),
    ] {
        let check = complaint(&config, &Machine { free, ..healthy() });
        assert_eq!((check.status, check.name), (state, "disk space"));
    }
    assert_eq!(
        complaint(&config, &Machine { packages: Packages::NotAVenv, ..healthy() }).status,
        CheckStatus::Warning
    );
}

#[test]
fn only_ports_that_can_be_a_robot_are_listed() {
    let devices = tempfile::tempdir().unwrap();
    for name in ["ttyACM1", "ttyUSB0", "ttyAMA3", "ttyAMA0", "ttyS0", "null", "my-robot"] {
        fs::write(devices.path().join(name), "").unwrap();
    }
    let names = |robot: &RobotChoice| -> Vec<String> {
        let ports = machine::serial_ports(devices.path(), robot);
        ports.iter().map(|port| port.path.file_name().unwrap().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names(&RobotChoice::Mock), ["ttyACM1", "ttyAMA3", "ttyUSB0"]);
    let wanted = RobotChoice::Serial(devices.path().join("my-robot"));
    assert_eq!(names(&wanted), ["my-robot", "ttyACM1", "ttyAMA3", "ttyUSB0"]);
}

#[test]
fn an_interpreter_is_judged_by_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let interpreter = folder.path().join("bin/python");
    assert_eq!(machine::packages(&interpreter), Packages::NoInterpreter);
    fs::create_dir(folder.path().join("bin")).unwrap();
    fs::write(&interpreter, "").unwrap();
    fs::set_permissions(&interpreter, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(machine::packages(&interpreter), Packages::NoInterpreter);
    fs::set_permissions(&interpreter, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(machine::packages(&interpreter), Packages::NotAVenv);
    fs::write(folder.path().join("pyvenv.cfg"), "").unwrap();
    assert_eq!(machine::packages(&interpreter), Packages::WithoutNumpy);
    let numpy: PathBuf = folder.path().join("lib/python3.11/site-packages/numpy");
    fs::create_dir_all(&numpy).unwrap();
    fs::write(numpy.join("__init__.py"), "").unwrap();
    assert_eq!(machine::packages(&interpreter), Packages::WithNumpy);
}

#[test]
fn the_tools_folder_may_lack_generated() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(machine::tools_writable(&folder.path().join("none")), None);
    assert_eq!(machine::tools_writable(folder.path()), Some(true));
}

#[test]
fn group_names_come_from_the_group_file() {
    let groups = "root:x:0:\ndialout:x:20:ada\nbroken\n:x:y:\n";
    assert_eq!(devices::group_name(groups, 20).as_deref(), Some("dialout"));
    assert_eq!(devices::group_name(groups, 21), None);
}

#[test]
fn this_computer_can_be_examined() {
    let names: Vec<_> = examine(&config("mock")).into_iter().map(|check| check.name).collect();
    for name in [
        "configuration",
        "serial port",
        "Python for tools",
        "tool host",
        "tools folder",
        "sandbox for tools",
        "disk space",
        "udev rule",
        "camera",
        "microphone",
        "loudspeaker",
        "language model",
        "models",
        "real-time priority",
        "locked memory",
        "real-time share",
        "kernel",
        "processor clock",
    ] {
        assert!(names.contains(&name), "{name} is missing in {names:?}");
    }
}
