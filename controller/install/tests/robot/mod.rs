//! A tree like that of the robot's own computer, made of files of the official repository (see `official/README.md`).

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use minismith_install::take_over::{Computer, Outcome, TakeOverError};
use minismith_runtime::subprocess;
use tempfile::TempDir;

pub const UNIT: &str = include_str!("../official/reachy-mini-daemon.service");
const LAUNCHER: &str = include_str!("../official/launcher.sh");
const GPIO: &str = include_str!("../official/gpio-shutdown-daemon.service");
const SOFTWARE_RESET: &str = include_str!("../official/SOFTWARE_RESET.sh");
const RESTART_DAEMON: &str = include_str!("../official/RESTART_DAEMON.sh");

/// As `bluetooth/install_service_bluetooth.sh` writes it on the image.
const BLUETOOTH: &str = "[Unit]
Description=Reachy Mini Bluetooth GATT Service
After=network.target bluetooth.target
Requires=bluetooth.target

[Service]
Type=simple
ExecStart=/bin/bash -c 'sudo /usr/sbin/rfkill unblock bluetooth && sleep 2 && /usr/bin/python3 /bluetooth/bluetooth_service.py'
Restart=on-failure
User=pollen
WorkingDirectory=/bluetooth

[Install]
WantedBy=multi-user.target
";

/// A unit as our package may install it.
pub const SERVICE: &str = "[Unit]
Description=Minismith

[Service]
Type=notify
ExecStart=/usr/bin/minismith serve
User=minismith

[Install]
WantedBy=multi-user.target
";

pub const UNITS: &str = "etc/systemd/system";
pub const DAEMON: &str = "etc/systemd/system/reachy-mini-daemon.service";
pub const DROP_IN: &str = "etc/systemd/system/reachy-mini-daemon.service.d/zz-minismith-take-over.conf";
pub const LINK: &str = "etc/systemd/system/multi-user.target.wants/minismith.service";
pub const RECORD: &str = "var/lib/minismith/take-over.json";

/// Where `wireless/reachy-mini-daemon.service` says that the package is.
const PACKAGE: &str = "venvs/mini_daemon/lib/python3.12/site-packages";

/// A service manager that starts and stops units as systemd would: a start whose condition fails does nothing.
const SYSTEMCTL: &str = r#"#!/bin/sh
root=ROOT
echo "$*" >> "$root/../calls"
mkdir -p "$root/../active"
case "$1" in
is-active) test -e "$root/../active/$2" ;;
stop) rm -f "$root/../active/$2" ;;
start|restart)
    for file in "$root/etc/systemd/system/$2.d/"*.conf; do
        path=$(sed -n 's/^ConditionPathExists=!//p' "$file" 2>/dev/null)
        if [ -n "$path" ] && [ -L "$root$path" ]; then rm -f "$root/../active/$2"; exit 0; fi
    done
    touch "$root/../active/$2"
    if [ -e "$root/../active/minismith.service" ] && [ -e "$root/../active/reachy-mini-daemon.service" ]; then
        echo "BOTH RUN" >> "$root/../calls"
    fi ;;
daemon-reload) ;;
*) exit 64 ;;
esac
"#;

/// The tree, and a service manager beside it.
pub struct Robot {
    folder: TempDir,
}

impl Robot {
    /// The official image with our package installed; the official daemon runs.
    pub fn new() -> Self {
        let robot = Robot { folder: tempfile::tempdir().unwrap() };
        let wants = format!("{UNITS}/multi-user.target.wants");
        for (name, text) in [
            ("reachy-mini-daemon.service", UNIT),
            ("gpio-shutdown-daemon.service", GPIO),
            ("reachy-mini-bluetooth.service", BLUETOOTH),
        ] {
            robot.write(&format!("{UNITS}/{name}"), text);
            robot.link(&format!("{wants}/{name}"), &format!("/{UNITS}/{name}"));
        }
        for place in ["", "restore/"] {
            robot.write(
                &format!("{place}{PACKAGE}/reachy_mini-1.13.0.dist-info/METADATA"),
                "Version: 1.13.0\n",
            );
            let services = format!("{place}{PACKAGE}/reachy_mini/daemon/app/services/wireless");
            robot.write(&format!("{services}/launcher.sh"), LAUNCHER);
            robot.write(&format!("{services}/reachy-mini-daemon.service"), UNIT);
        }
        robot.write("bluetooth/commands/SOFTWARE_RESET.sh", SOFTWARE_RESET);
        robot.write("bluetooth/commands/RESTART_DAEMON.sh", RESTART_DAEMON);
        robot.write("usr/lib/systemd/system/minismith.service", SERVICE);
        // As on Debian, where /lib is a link to it.
        robot.link("lib", "usr/lib");
        fs::create_dir_all(robot.at("var/lib")).unwrap();
        let program = robot.systemctl();
        fs::write(&program, SYSTEMCTL.replace("ROOT", robot.root().to_str().unwrap())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        robot.asks("start", "reachy-mini-daemon.service");
        robot
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn systemctl(&self) -> PathBuf {
        self.folder.path().join("systemctl")
    }

    pub fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    pub fn link(&self, path: &str, target: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        symlink(target, self.at(path)).unwrap();
    }

    pub fn has(&self, path: &str) -> bool {
        fs::symlink_metadata(self.at(path)).is_ok()
    }

    /// The computer without a service manager, as a mounted image has none.
    pub fn files(&self) -> Computer {
        Computer::at(&self.root(), None).unwrap()
    }

    /// The computer with its service manager.
    pub fn running(&self) -> Computer {
        Computer::at(&self.root(), Some(self.systemctl())).unwrap()
    }

    /// Asks the service manager as scripts of the image do.
    pub fn asks(&self, command: &str, unit: &str) -> bool {
        run(&self.systemctl(), &[command, unit]).0
    }

    pub fn runs(&self, unit: &str) -> bool {
        self.outside("active").join(unit).exists()
    }

    pub fn calls(&self) -> String {
        fs::read_to_string(self.outside("calls")).unwrap()
    }

    /// What `check_and_update_wireless_launcher` does at each start of the daemon
    /// (`src/reachy_mini/utils/wireless_version/startup_check.py`): `cp` and `daemon-reload` if the files differ.
    pub fn start_up_check(&self, newer: &str) {
        let source = format!("{PACKAGE}/reachy_mini/daemon/app/services/wireless/reachy-mini-daemon.service");
        self.write(&source, newer);
        if self.read(&source) != self.read(DAEMON) {
            fs::copy(self.at(&source), self.at(DAEMON)).unwrap();
            self.asks("daemon-reload", "");
        }
    }

    /// Runs the image's own script, with its absolute paths moved below the root folder. There is no user `pollen`.
    pub fn software_reset(&self) {
        let root = self.root();
        let root = root.to_str().unwrap();
        let script = SOFTWARE_RESET
            .replace("rm -rf /venvs/", &format!("rm -rf {root}/venvs/"))
            .replace("cp -r /restore/venvs/ /", &format!("cp -r {root}/restore/venvs/ {root}/"))
            .replace("chown -R pollen:pollen /venvs", "true")
            .replace("systemctl", self.systemctl().to_str().unwrap());
        assert!(!script.contains(" /venvs") && !script.contains(" /restore"), "{script}");
        fs::write(self.outside("reset.sh"), script).unwrap();
        assert!(run(Path::new("/bin/sh"), &["-e", self.outside("reset.sh").to_str().unwrap()]).0);
    }

    /// Every path below the root folder, with its kind, mode and content.
    pub fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        let mut all = BTreeMap::new();
        let mut waiting = vec![self.root()];
        while let Some(path) = waiting.pop() {
            let about = fs::symlink_metadata(&path).unwrap();
            let mode = about.mode();
            let content = if about.is_dir() {
                waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                "folder".to_owned()
            } else if about.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else {
                fs::read_to_string(&path).unwrap()
            };
            all.insert(path.strip_prefix(self.root()).unwrap().to_owned(), format!("{mode:o} {content}"));
        }
        all
    }
}

/// Runs a program; returns whether it ended well, and what it printed.
pub fn run(program: &Path, arguments: &[&str]) -> (bool, String) {
    let arguments: Vec<_> = arguments.iter().map(Into::into).collect();
    let mut output = String::new();
    let ended = subprocess::run(program, &arguments, true, &mut |line| {
        output.push_str(line);
        output.push('\n');
    });
    (ended.unwrap().success(), output)
}

/// Does nothing after a step.
pub fn quietly(_: &str) -> std::io::Result<()> {
    Ok(())
}

/// Ends a command after this many steps; returns how many there were if it came to its end.
pub fn interrupted_after(
    steps: usize,
    command: impl FnOnce(&mut dyn FnMut(&str) -> std::io::Result<()>) -> Result<Outcome, TakeOverError>,
) -> Option<usize> {
    let mut seen = 0;
    let ended = command(&mut |_| {
        seen += 1;
        if seen > steps { Err(std::io::Error::other("a test")) } else { Ok(()) }
    });
    match ended {
        Ok(_) => Some(seen),
        Err(TakeOverError::Interrupted(_)) => None,
        Err(other) => panic!("{other}"),
    }
}
