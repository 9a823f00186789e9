//! Take-over and give-back on a tree like that of the robot's own computer.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod robot;

use std::fs;
use std::path::Path;

use minismith_install::take_over::{Computer, Owner, TakeOverError};
use minismith_runtime::subprocess;
use robot::{DAEMON, DROP_IN, LINK, RECORD, Robot, SERVICE, UNIT, UNITS, interrupted_after, quietly, run};

const OFFICIAL: &str = "reachy-mini-daemon.service";
const OURS: &str = "minismith.service";

#[test]
fn take_over_and_give_back_leave_everything_as_it_was() {
    let robot = Robot::new();
    let before = robot.snapshot();
    let computer = robot.running();
    assert_eq!(computer.owner().unwrap(), Owner::Official);

    let outcome = computer.take_over(false, &mut quietly).unwrap();
    assert_eq!((outcome.owner, outcome.official_version.as_deref()), (Owner::Minismith, Some("1.13.0")));
    assert!(robot.runs(OURS) && !robot.runs(OFFICIAL));
    assert_eq!(robot.read(DAEMON), UNIT);
    assert!(robot.read(DROP_IN).contains(&format!("\nConditionPathExists=!/{LINK}\n")));
    let own = robot.read(&format!("{UNITS}/{OURS}.d/zz-minismith-take-over.conf"));
    assert!(own.ends_with("[Service]\nExecStartPre=-+/usr/bin/minismith take-over --check\n"), "{own}");
    assert_eq!(
        fs::read_link(robot.at(LINK)).unwrap(),
        Path::new("/usr/lib/systemd/system/minismith.service")
    );

    let outcome = computer.give_back(&mut quietly).unwrap();
    assert_eq!(outcome.owner, Owner::Official);
    assert!(!robot.runs(OURS) && robot.runs(OFFICIAL));
    assert_eq!(robot.snapshot(), before);
    assert!(!robot.calls().contains("BOTH RUN"), "{}", robot.calls());
}

#[test]
fn preview_names_each_step_and_changes_nothing() {
    let robot = Robot::new();
    let before = robot.snapshot();
    let computer = robot.running();
    let said = computer.preview_take_over(false).unwrap();
    assert_eq!((said.owner, robot.snapshot() == before), (Owner::Official, true));
    assert_eq!(computer.take_over(false, &mut quietly).unwrap().steps, said.steps);
    let taken = robot.snapshot();
    let said = computer.preview_give_back().unwrap();
    assert_eq!((said.owner, robot.snapshot() == taken), (Owner::Minismith, true));
    assert_eq!(computer.give_back(&mut quietly).unwrap().steps, said.steps);
}

#[test]
fn real_systemd_sees_our_unit_enabled_and_the_condition_fail() {
    let Some(systemctl) = subprocess::find("systemctl") else {
        return println!("skipped: no systemctl here");
    };
    let robot = Robot::new();
    let root = robot.root();
    let root = root.to_str().unwrap();
    // This is why there is a drop-in: the unit is a file in the folder of masks.
    assert!(!run(&systemctl, &["--root", root, "mask", OFFICIAL]).0);
    assert_eq!(run(&systemctl, &["--root", root, "is-enabled", OURS]).1.trim(), "disabled");
    robot.files().take_over(false, &mut quietly).unwrap();
    assert_eq!(run(&systemctl, &["--root", root, "is-enabled", OURS]).1.trim(), "enabled");
    assert_eq!(run(&systemctl, &["--root", root, "is-enabled", OFFICIAL]).1.trim(), "enabled");

    let (Some(analyze), Some(unshare)) = (subprocess::find("systemd-analyze"), subprocess::find("unshare"))
    else {
        return println!("skipped: no systemd-analyze or unshare here");
    };
    // The condition names paths below `/`, so the folders of units lie there for this one process.
    let condition = robot.read(DROP_IN);
    let condition = condition.lines().find(|line| line.starts_with("Condition")).unwrap();
    let holds = || {
        let script = format!(
            "mount --bind {root}/etc/systemd/system /etc/systemd/system && \
             mount --bind {root}/usr/lib/systemd/system /usr/lib/systemd/system || exit 0; \
             {} condition '{condition}' >/dev/null 2>&1 && echo holds || echo fails",
            analyze.display()
        );
        run(&unshare, &["-m", "sh", "-c", &script]).1.trim().to_owned()
    };
    match holds().as_str() {
        "" => println!("skipped: folders cannot be mounted here"),
        answer => {
            assert_eq!(answer, "fails");
            // Our package is removed, and the link to its unit stays.
            fs::remove_file(robot.at("usr/lib/systemd/system/minismith.service")).unwrap();
            assert_eq!(holds(), "holds");
            robot.write("usr/lib/systemd/system/minismith.service", SERVICE);
            robot.files().give_back(&mut quietly).unwrap();
            assert_eq!(holds(), "holds");
        }
    }
}

#[test]
fn real_systemctl_undoes_what_it_did_not_do() {
    let Some(systemctl) = subprocess::find("systemctl") else {
        return println!("skipped: no systemctl here");
    };
    let robot = Robot::new();
    robot.files().take_over(false, &mut quietly).unwrap();
    let root = robot.root();
    assert!(run(&systemctl, &["--root", root.to_str().unwrap(), "disable", OURS]).0);
    assert_eq!(robot.files().owner().unwrap(), Owner::Undecided);
    // Both ways out end well.
    robot.files().take_over(false, &mut quietly).unwrap();
    assert_eq!(robot.files().owner().unwrap(), Owner::Minismith);
    assert!(run(&systemctl, &["--root", root.to_str().unwrap(), "disable", OURS]).0);
    assert_eq!(robot.files().give_back(&mut quietly).unwrap().owner, Owner::Official);
}

#[test]
fn start_up_check_and_restarts_of_the_image_do_not_undo_it() {
    let robot = Robot::new();
    robot.running().take_over(false, &mut quietly).unwrap();
    robot.start_up_check(&UNIT.replace("RestartSec=3s", "RestartSec=9s"));
    assert!(robot.read(DAEMON).contains("RestartSec=9s"));
    assert_eq!(robot.running().owner().unwrap(), Owner::Minismith);
    // RESTART_DAEMON.sh, HOTSPOT.sh and WIFI_RESET.sh.
    assert!(robot.asks("restart", OFFICIAL));
    assert!(robot.runs(OURS) && !robot.runs(OFFICIAL));
    // The newer unit is the official software's own business, and stays.
    robot.running().give_back(&mut quietly).unwrap();
    assert!(robot.read(DAEMON).contains("RestartSec=9s") && robot.runs(OFFICIAL));
}

#[test]
fn software_reset_does_not_undo_it() {
    let robot = Robot::new();
    let before = robot.snapshot();
    robot.running().take_over(false, &mut quietly).unwrap();
    robot.software_reset();
    assert!(robot.runs(OURS) && !robot.runs(OFFICIAL));
    // Interrupted after its first line: no version is left, and a repeated take-over does not need one.
    fs::remove_dir_all(robot.at("venvs")).unwrap();
    assert_eq!(robot.running().owner().unwrap(), Owner::Minismith);
    assert_eq!(robot.running().take_over(false, &mut quietly).unwrap().owner, Owner::Minismith);
    robot.software_reset();
    robot.running().give_back(&mut quietly).unwrap();
    let without = |all: std::collections::BTreeMap<std::path::PathBuf, String>| {
        all.into_iter().filter(|(path, _)| !path.starts_with("venvs")).collect::<Vec<_>>()
    };
    assert_eq!(without(robot.snapshot()), without(before));
}

#[test]
fn check_makes_good_what_was_undone_and_starts_nothing() {
    let robot = Robot::new();
    let computer = robot.running();
    let nothing = computer.check(&mut quietly).unwrap();
    assert_eq!((nothing.owner, nothing.steps.len(), robot.has(RECORD)), (Owner::Official, 0, false));

    computer.take_over(false, &mut quietly).unwrap();
    assert!(computer.check(&mut quietly).unwrap().steps.is_empty());
    // Somebody reinstalls the official software, and keeps a copy of the unit.
    fs::remove_dir_all(robot.at(&format!("{DAEMON}.d"))).unwrap();
    robot.write(&format!("{UNITS}/robot-at-boot.service"), UNIT);
    robot.asks("stop", OURS);
    robot.asks("start", OFFICIAL);
    let outcome = computer.check(&mut quietly).unwrap();
    assert_eq!(outcome.owner, Owner::Minismith);
    assert!(robot.has(DROP_IN) && robot.has(&format!("{UNITS}/robot-at-boot.service.d")));
    assert!(!robot.runs(OFFICIAL) && !robot.runs(OURS));
    computer.give_back(&mut quietly).unwrap();
    assert!(!robot.has(&format!("{UNITS}/robot-at-boot.service.d")) && !robot.has(RECORD));
}

#[test]
fn commands_may_be_repeated() {
    let robot = Robot::new();
    let before = robot.snapshot();
    let computer = robot.running();
    let nothing = computer.give_back(&mut quietly).unwrap();
    assert!(nothing.steps.is_empty() && nothing.notes[0].contains("nothing was taken over"));
    computer.take_over(false, &mut quietly).unwrap();
    let taken = robot.snapshot();
    assert!(computer.take_over(false, &mut quietly).unwrap().steps.is_empty());
    assert_eq!(robot.snapshot(), taken);
    computer.give_back(&mut quietly).unwrap();
    assert!(computer.give_back(&mut quietly).unwrap().steps.is_empty());
    assert_eq!(robot.snapshot(), before);
}

#[test]
fn what_was_enabled_and_running_before_stays_so() {
    let robot = Robot::new();
    robot.asks("stop", OFFICIAL);
    robot.link(LINK, "/usr/lib/systemd/system/minismith.service");
    robot.asks("start", OURS);
    let before = robot.snapshot();
    for _ in 0..2 {
        robot.running().take_over(false, &mut quietly).unwrap();
    }
    robot.running().give_back(&mut quietly).unwrap();
    assert_eq!(robot.snapshot(), before);
    assert!(robot.runs(OURS) && !robot.runs(OFFICIAL));
}

#[test]
fn interrupted_anywhere_both_commands_end_well() {
    interrupt_everywhere(true);
}

#[test]
fn interrupted_anywhere_on_an_image_both_commands_end_well() {
    interrupt_everywhere(false);
}

/// After an interruption anywhere, both commands end well, and giving back leaves what was there before.
fn interrupt_everywhere(with_manager: bool) {
    let mut places = 0;
    {
        for (first_is_take_over, then_take_over) in
            [(true, true), (true, false), (false, true), (false, false)]
        {
            for stop_after in 0.. {
                let robot = Robot::new();
                let before = robot.snapshot();
                let computer = if with_manager { robot.running() } else { robot.files() };
                let ended = if first_is_take_over {
                    interrupted_after(stop_after, |step| computer.take_over(false, step))
                } else {
                    computer.take_over(false, &mut quietly).unwrap();
                    interrupted_after(stop_after, |step| computer.give_back(step))
                };
                if let Some(steps) = ended {
                    assert!(steps >= 6, "only {steps} steps");
                    break;
                }
                places += 1;
                if then_take_over {
                    assert_eq!(computer.take_over(false, &mut quietly).unwrap().owner, Owner::Minismith);
                    assert_eq!((robot.runs(OURS), robot.runs(OFFICIAL)), (with_manager, !with_manager));
                }
                assert_eq!(computer.give_back(&mut quietly).unwrap().owner, Owner::Official);
                assert_eq!(robot.snapshot(), before, "after {stop_after} steps");
                assert!(robot.runs(OFFICIAL) && !robot.runs(OURS));
                assert!(!robot.calls().contains("BOTH RUN"));
            }
        }
    }
    println!("interrupted at {places} places");
    assert!(places > 40, "{places}");
}

#[test]
fn edits_of_a_user_are_kept() {
    let robot = Robot::new();
    let edited = UNIT.replace("RestartSec=3s", "RestartSec=1s\nEnvironment=MINE=1");
    robot.write(DAEMON, &edited);
    let own = "[Service]\nNice=5\nConditionPathExists=\n";
    robot.write(&format!("{DAEMON}.d/override.conf"), own);
    let before = robot.snapshot();
    let computer = robot.running();
    computer.take_over(false, &mut quietly).unwrap();
    assert_eq!(
        (robot.read(DAEMON), robot.read(&format!("{DAEMON}.d/override.conf"))),
        (edited, own.to_owned())
    );
    computer.give_back(&mut quietly).unwrap();
    assert_eq!(robot.snapshot(), before);

    // What a user writes beside or into ours after a take-over is not removed.
    computer.take_over(false, &mut quietly).unwrap();
    robot.write(DROP_IN, "[Service]\nNice=7\n");
    robot.write(&format!("{UNITS}/{OURS}.d/mine.conf"), "[Service]\nNice=1\n");
    let outcome = computer.give_back(&mut quietly).unwrap();
    assert_eq!(outcome.notes.len(), 2, "{:?}", outcome.notes);
    assert!(robot.has(DROP_IN) && robot.has(&format!("{UNITS}/{OURS}.d/mine.conf")));
    let refused = computer.take_over(false, &mut quietly).unwrap_err();
    assert!(matches!(refused, TakeOverError::Foreign(_)) && refused.is_refusal(), "{refused}");
}

#[test]
fn links_do_not_lead_out_of_the_root_folder() {
    for moved in [UNITS, "etc/systemd", "var/lib", "var"] {
        for target in ["absolute", "relative"] {
            let robot = Robot::new();
            let outside = robot.outside("outside");
            fs::create_dir_all(&outside).unwrap();
            let depth = "../".repeat(moved.split('/').count());
            // The same files are there, so a command that follows the link finds all it needs.
            let there = outside.join(moved);
            fs::create_dir_all(there.parent().unwrap()).unwrap();
            fs::rename(robot.at(moved), &there).unwrap();
            let absolute = there.to_str().unwrap().to_owned();
            let relative = format!("{depth}outside/{moved}");
            robot.link(moved, if target == "absolute" { &absolute } else { &relative });
            let untouched = Snapshot::of(&outside);
            let ended = robot.running().take_over(false, &mut quietly);
            assert!(ended.is_err(), "{moved}: {ended:?}");
            assert_eq!(Snapshot::of(&outside), untouched, "{moved}");
        }
    }
}

/// All names and sizes below a folder, for comparison.
#[derive(Debug, PartialEq)]
struct Snapshot(Vec<(std::path::PathBuf, u64)>);

impl Snapshot {
    fn of(folder: &Path) -> Self {
        let (mut all, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
        while let Some(path) = waiting.pop() {
            let about = fs::symlink_metadata(&path).unwrap();
            if about.is_dir() {
                waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            all.push((path, about.len()));
        }
        all.sort();
        Snapshot(all)
    }
}

#[test]
fn a_link_in_the_place_of_a_file_of_ours_is_not_followed() {
    let robot = Robot::new();
    fs::write(robot.outside("victim"), "precious").unwrap();
    robot.link(DROP_IN, robot.outside("victim").to_str().unwrap());
    let refused = robot.running().take_over(false, &mut quietly).unwrap_err();
    assert!(matches!(refused, TakeOverError::Foreign(_)), "{refused}");
    fs::remove_file(robot.at(DROP_IN)).unwrap();
    // The record is replaced as a whole, not written through the link.
    robot.link(RECORD, robot.outside("victim").to_str().unwrap());
    robot.running().take_over(false, &mut quietly).unwrap();
    assert_eq!(fs::read_to_string(robot.outside("victim")).unwrap(), "precious");
}

#[test]
fn a_forged_record_removes_nothing_of_others() {
    let robot = Robot::new();
    let computer = robot.running();
    computer.take_over(false, &mut quietly).unwrap();
    let record = robot.read(RECORD);
    for forged in [
        record.replace(OFFICIAL, "../../../victim.service"),
        record.replace("multi-user.target", "../../x.target"),
        record.replace("\"drop_in\"", "\"file\""),
        record.replace("\"format\": 1", "\"format\": 2"),
        record[..40].to_owned(),
    ] {
        assert_ne!(forged, record);
        robot.write(RECORD, &forged);
        let before = robot.snapshot();
        let refused = computer.give_back(&mut quietly).unwrap_err();
        assert!(matches!(refused, TakeOverError::Record(_)), "{refused}");
        assert_eq!(robot.snapshot(), before);
    }
    // A valid name of a unit that has nothing of ours.
    robot.write(&format!("{UNITS}/ssh.service.d/zz-minismith-take-over.conf"), "[Service]\nNice=1\n");
    robot.write(RECORD, &record.replace(OFFICIAL, "ssh.service"));
    computer.give_back(&mut quietly).unwrap();
    assert!(robot.has(&format!("{UNITS}/ssh.service.d/zz-minismith-take-over.conf")));
}

#[test]
fn a_lost_record_is_made_again() {
    let robot = Robot::new();
    let before = robot.snapshot();
    let computer = robot.files();
    computer.take_over(false, &mut quietly).unwrap();
    fs::remove_file(robot.at(RECORD)).unwrap();
    let refused = computer.give_back(&mut quietly).unwrap_err();
    assert!(matches!(refused, TakeOverError::NoRecord(_)) && refused.is_refusal(), "{refused}");
    computer.take_over(false, &mut quietly).unwrap();
    computer.give_back(&mut quietly).unwrap();
    let mut after = robot.snapshot();
    // It was there already when the new record was made, so it stays.
    assert!(after.remove(Path::new("var/lib/minismith")).is_some());
    assert_eq!(after, before);
}

#[test]
fn refusals_say_what_to_do_next() {
    let refused = |change: &dyn Fn(&Robot), word: &str| {
        let robot = Robot::new();
        change(&robot);
        let before = robot.snapshot();
        for error in [
            robot.running().preview_take_over(false).unwrap_err(),
            robot.running().take_over(false, &mut quietly).unwrap_err(),
        ] {
            assert!(error.is_refusal() && error.to_string().contains(word), "{error}");
        }
        assert_eq!(robot.snapshot(), before);
    };
    refused(&|robot| fs::remove_file(robot.at(DAEMON)).unwrap(), "systemctl enable --now minismith.service");
    let service = "usr/lib/systemd/system/minismith.service";
    refused(&|robot| fs::remove_file(robot.at(service)).unwrap(), "minismith.service is not installed");
    refused(&|robot| robot.write(service, "[Service]\nExecStart=/bin/true\n"), "has no WantedBy=");
    refused(&|robot| robot.link(&format!("{UNITS}/{OURS}"), "/dev/null"), "is masked");
    refused(&|robot| fs::remove_dir_all(robot.at("venvs")).unwrap(), "no version in /venvs/mini_daemon");
    let newer = "venvs/mini_daemon/lib/python3.12/site-packages/reachy_mini-";
    refused(
        &|robot| {
            fs::rename(
                robot.at(&format!("{newer}1.13.0.dist-info")),
                robot.at(&format!("{newer}2.0.0.dist-info")),
            )
            .unwrap();
        },
        "--any-version",
    );
    let robot = Robot::new();
    fs::remove_dir_all(robot.at("venvs")).unwrap();
    assert_eq!(robot.running().take_over(true, &mut quietly).unwrap().owner, Owner::Minismith);

    let missing = Computer::at(Path::new("/nonexistent/folder"), None).unwrap_err();
    assert!(!missing.is_refusal() && missing.to_string().contains("/nonexistent/folder"), "{missing}");
}

#[test]
fn a_failing_service_manager_is_reported_and_the_command_can_be_repeated() {
    let robot = Robot::new();
    let before = robot.snapshot();
    let script = fs::read_to_string(robot.systemctl()).unwrap();
    fs::write(robot.systemctl(), script.replace("stop) ", "stop) exit 1; ")).unwrap();
    let failed = robot.running().take_over(false, &mut quietly).unwrap_err();
    assert!(
        !failed.is_refusal() && failed.to_string().contains("systemctl stop reachy-mini-daemon.service"),
        "{failed}"
    );
    // Nothing of ours starts while the official daemon has the motors.
    assert!(!robot.has(LINK) && !robot.runs(OURS));
    fs::write(robot.systemctl(), script).unwrap();
    robot.running().take_over(false, &mut quietly).unwrap();
    robot.running().give_back(&mut quietly).unwrap();
    assert_eq!(robot.snapshot(), before);
}

#[test]
fn notes_say_what_clients_on_the_network_miss() {
    let robot = Robot::new();
    let notes = |configuration: &str| {
        robot.write("etc/minismith/config.yaml", configuration);
        robot.files().preview_take_over(false).unwrap().notes.join("\n")
    };
    assert!(notes("robot: mock\n").contains("server.host is 127.0.0.1"));
    assert_eq!(notes("server: {host: 0.0.0.0}\n"), "");
    assert!(
        notes("server: {host: 0.0.0.0, port: 8001}\n")
            .contains("server.port in /etc/minismith/config.yaml is 8001")
    );
    assert!(notes("server: {host: 0.0.0.0, mdns: false}\n").contains("server.mdns is false"));
}
