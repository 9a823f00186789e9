//! Checks the parts of a real robot: its USB adapter's rule, its power, its microphones and loudspeaker.

use std::fs;
use std::path::{Path, PathBuf};

use firmware_bridge::bus::{self, MotorReport};
use firmware_bridge::robot::RobotError;

use super::Check;
use super::devices::Port;
use minismith_control::robot::bus_options;
use minismith_runtime::config::{Config, RobotChoice};

/// The robot's USB adapter (reachy-mini 1.13.0, `docs/hardware.md`).
const VENDOR: &str = "1a86";
const PRODUCT: &str = "55d3";

/// The rule that lets a group use the robot's adapter without other permissions.
const RULE: &str =
    r#"SUBSYSTEM=="tty", ATTRS{idVendor}=="1a86", ATTRS{idProduct}=="55d3", MODE="0660", GROUP="dialout""#;
const RULE_FILE: &str = "/etc/udev/rules.d/99-reachy-mini.rules";

/// Below this voltage the legs are weak; the servos' own minimum is far lower.
pub(super) const MIN_VOLTAGE_V: f64 = 4.7;
/// The maximum voltage of this robot's servos (XL330: 3.7 to 6.0 V).
pub(super) const MAX_VOLTAGE_V: f64 = 6.0;

/// The facts about a real robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Peripherals {
    /// The text of all udev rules.
    pub rules: String,
    /// Ports behind the robot's own adapter.
    pub adapters: Vec<PathBuf>,
    /// The supply at each servo; `None` when no port was asked.
    pub power: Option<Result<Vec<Supply>, String>>,
    /// `/proc/asound/pcm`.
    pub sound: String,
    /// The devices in `/dev/snd`.
    pub sound_devices: Vec<Port>,
}

/// The supply at one servo.
#[derive(Clone, Debug, PartialEq)]
pub struct Supply {
    /// The servo's id on the bus.
    pub id: u8,
    /// The voltage.
    pub volts: f64,
}

impl From<MotorReport> for Supply {
    fn from(motor: MotorReport) -> Self {
        Supply { id: motor.id, volts: motor.volts }
    }
}

impl Peripherals {
    /// Collects the facts.
    ///
    /// It reads servos only on the port of the configured robot or of the robot's own adapter. Another device
    /// would not understand the packets. A program that holds the port of the configured robot has measured them itself
    /// (`own`).
    pub(super) fn look(config: &Config, ports: &[Port], own: Option<Vec<Supply>>) -> Self {
        let adapters = adapters(Path::new("/sys/class/tty"), ports);
        let asked = match &config.robot {
            RobotChoice::Serial(path) => Some(path),
            RobotChoice::Mock | RobotChoice::MockBus => adapters.first(),
        };
        let free = asked.filter(|path| ports.iter().any(|port| port.path == **path && port.open_to_me));
        let own = own.filter(|_| matches!(config.robot, RobotChoice::Serial(_)));
        let is_own = own.is_some();
        let measured = own.filter(|supplies| !supplies.is_empty()).map(Ok);
        let scanned = || {
            free.map(|path| match bus::scan(path, &bus_options(config)) {
                Ok(motors) => Ok(motors.into_iter().map(Supply::from).collect()),
                Err(RobotError::PortBusy { .. }) => Err("another program holds the port".to_owned()),
                Err(fault) => Err(fault.to_string()),
            })
        };
        let power = if is_own { measured } else { scanned() };
        let devices = |folder: &str, start: &str| super::devices::devices(Path::new(folder), &[start]);
        let rules = ["/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"];
        Peripherals {
            rules: rules.map(|folder| rules_in(Path::new(folder))).concat(),
            adapters,
            power,
            sound: fs::read_to_string("/proc/asound/pcm").unwrap_or_default(),
            sound_devices: devices("/dev/snd", "pcm"),
        }
    }

    /// Returns a check for each. `real` says whether the configuration names a real robot.
    pub(super) fn judge(&self, real: bool) -> Vec<Check> {
        let mut checks = vec![self.rule(real)];
        checks.extend(self.power.as_ref().map(power));
        checks.push(self.sound("microphone", "capture", 'c', real));
        checks.push(self.sound("loudspeaker", "playback", 'p', real));
        checks
    }

    fn rule(&self, real: bool) -> Check {
        const NAME: &str = "udev rule";
        let mut lines = self.rules.lines().filter(|line| !line.trim_start().starts_with('#'));
        if lines.any(|line| line.contains(VENDOR) && line.contains(PRODUCT)) {
            return Check::ok(NAME, "the robot's adapter has one");
        }
        let remedy = format!(
            "echo '{RULE}' | sudo tee {RULE_FILE} && sudo udevadm control --reload-rules && sudo udevadm trigger"
        );
        if real || !self.adapters.is_empty() {
            Check::warning(
                NAME,
                "none for the robot's adapter; access depends on the system's own groups alone",
                remedy,
            )
        } else {
            Check::ok(
                NAME,
                format!("none for the robot's adapter, and none is plugged in; with a robot: {remedy}"),
            )
        }
    }

    fn sound(&self, name: &'static str, direction: &str, end: char, real: bool) -> Check {
        let count = |line: &&str| line.split(':').skip(1).any(|field| field.trim().starts_with(direction));
        let cards: Vec<&str> = self.sound.lines().filter(count).collect();
        let mut devices =
            self.sound_devices.iter().filter(|device| device.path.to_string_lossy().ends_with(end));
        match (cards.first(), devices.find(|device| !device.open_to_me)) {
            (Some(_), Some(device)) => closed(name, device),
            (Some(card), None) => {
                let called = card.split(':').nth(1).unwrap_or_default().trim();
                Check::ok(name, format!("{called} ({} in all); optional, commands are text", cards.len()))
            }
            (None, _) if real => Check::warning(
                name,
                "the system has none; the robot's own is a USB sound card",
                "plug the robot's USB cable in directly, and check with `cat /proc/asound/cards`",
            ),
            (None, _) => Check::ok(name, "none, and none is needed: commands are text"),
        }
    }
}

/// Reports a device that exists and may not be opened.
fn closed(name: &'static str, device: &Port) -> Check {
    let path = device.path.display();
    let remedy = match &device.group {
        Some(group) if !device.in_group => {
            format!("join its group with `sudo usermod -aG {group} $USER`, and log in again")
        }
        _ => format!("check its permissions with `ls -l {path}`; its group needs to read and write"),
    };
    Check::warning(name, format!("{path} may not be opened by this user"), remedy)
}

fn power(power: &Result<Vec<Supply>, String>) -> Check {
    const NAME: &str = "power";
    let supplies = match power {
        Ok(supplies) => supplies,
        Err(reason) => {
            return Check::warning(
                NAME,
                format!("could not be measured: {reason}"),
                "stop the program that holds the port, or see `minismith scan PORT`",
            );
        }
    };
    let by_volts = |one: &&Supply, other: &&Supply| one.volts.total_cmp(&other.volts);
    let (Some(least), Some(most)) = (supplies.iter().min_by(by_volts), supplies.iter().max_by(by_volts))
    else {
        return Check::error(
            NAME,
            "no servo answers",
            "switch the robot on; it needs its power supply in addition to the USB cable",
        );
    };
    let measured = format!("{:.1} to {:.1} V at {} servos", least.volts, most.volts, supplies.len());
    if least.volts < MIN_VOLTAGE_V {
        Check::warning(
            NAME,
            format!("{measured}; that is low"),
            "charge the battery, or use the robot's own power supply",
        )
    } else if most.volts > MAX_VOLTAGE_V {
        Check::error(
            NAME,
            format!("{measured}; the servos allow {MAX_VOLTAGE_V:.0} V at most"),
            "use the robot's own power supply",
        )
    } else {
        Check::ok(NAME, measured)
    }
}

/// Returns the ports whose USB device is the robot's adapter. `terminals` is `/sys/class/tty`.
pub(super) fn adapters(terminals: &Path, ports: &[Port]) -> Vec<PathBuf> {
    let is_one = |port: &&Port| {
        let Some(name) = port.path.file_name() else { return false };
        // The port's folder is below its interface's, which is below the device's, and the device has the
        // ids.
        let Ok(folder) = fs::canonicalize(terminals.join(name).join("device")) else { return false };
        folder.ancestors().take(4).any(|folder| {
            let id = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
            id("idVendor").trim() == VENDOR && id("idProduct").trim() == PRODUCT
        })
    };
    ports.iter().filter(is_one).map(|port| port.path.clone()).collect()
}

fn rules_in(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let rules = entries.filter(|path| path.extension().is_some_and(|end| end == "rules"));
    rules.filter_map(|path| fs::read_to_string(path).ok()).fold(String::new(), |all, text| all + &text + "\n")
}

#[cfg(test)]
pub(super) fn healthy() -> Peripherals {
    let device = |path: &str| Port { path: path.into(), open_to_me: true, group: None, in_group: true };
    Peripherals {
        rules: format!("# a comment\n{RULE}\n"),
        sound: "00-00: USB Audio : Reachy Mini Audio : playback 1 : capture 1\n".into(),
        sound_devices: vec![device("/dev/snd/pcmC0D0c"), device("/dev/snd/pcmC0D0p")],
        ..Peripherals::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::CheckStatus;
    use super::*;

    fn closed_to_me(path: &str, group: &str) -> Port {
        Port { path: path.into(), open_to_me: false, group: Some(group.into()), in_group: false }
    }

    #[track_caller]
    fn complains(periphery: &Peripherals, name: &str, state: CheckStatus, word: &str) {
        let mut checks = periphery.judge(true);
        checks.retain(|check| check.status != CheckStatus::Ok);
        assert_eq!(checks.len(), 1, "{checks:?}");
        assert_eq!((checks[0].name, checks[0].status), (name, state));
        assert!(checks[0].remedy.as_deref().unwrap_or_default().contains(word), "{checks:?}");
    }

    #[test]
    fn each_problem_has_its_remedy() {
        assert!(healthy().judge(true).iter().all(|check| check.status == CheckStatus::Ok));
        let none = Peripherals { rules: "#1a86 55d3\n".into(), ..healthy() };
        complains(&none, "udev rule", CheckStatus::Warning, RULE);
        assert!(Peripherals::default().judge(false).iter().all(|check| check.status == CheckStatus::Ok));
        let sound_devices = vec![closed_to_me("/dev/snd/pcmC0D0c", "audio")];
        complains(
            &Peripherals { sound_devices, ..healthy() },
            "microphone",
            CheckStatus::Warning,
            "usermod -aG audio",
        );
        let sound = "00-00: Only in : Only in : capture 1\n".to_owned();
        complains(
            &Peripherals { sound, ..healthy() },
            "loudspeaker",
            CheckStatus::Warning,
            "/proc/asound/cards",
        );
    }

    #[test]
    fn each_supply_voltage_is_judged() {
        let check = |power: Result<&[f64], &str>| {
            let supply = |(id, volts): (u8, &f64)| Supply { id, volts: *volts };
            let power = power.map(|volts| (10..).zip(volts).map(supply).collect()).map_err(str::to_owned);
            super::power(&power)
        };
        let good = check(Ok(&[5.0, 4.9]));
        assert_eq!((good.status, good.detail.as_str()), (CheckStatus::Ok, "4.9 to 5.0 V at 2 servos"));
        assert_eq!(check(Ok(&[5.0, 4.4])).status, CheckStatus::Warning);
        assert_eq!(check(Ok(&[5.0, 7.4])).status, CheckStatus::Error);
        assert_eq!(check(Ok(&[])).status, CheckStatus::Error);
        assert!(check(Err("it is busy")).detail.contains("it is busy"));
    }

    #[test]
    fn the_robots_adapter_is_recognised_by_its_ids() {
        let root = tempfile::tempdir().unwrap();
        let device = root.path().join("devices/usb1/1-1");
        let interface = device.join("1-1:1.0");
        fs::create_dir_all(&interface).unwrap();
        let terminal = root.path().join("tty/ttyACM0");
        fs::create_dir_all(&terminal).unwrap();
        std::os::unix::fs::symlink(&interface, terminal.join("device")).unwrap();
        let ports = [closed_to_me("/dev/ttyACM0", "dialout"), closed_to_me("/dev/ttyUSB0", "dialout")];
        assert!(adapters(&root.path().join("tty"), &ports).is_empty());
        fs::write(device.join("idVendor"), "1a86\n").unwrap();
        fs::write(device.join("idProduct"), "55d3\n").unwrap();
        assert_eq!(adapters(&root.path().join("tty"), &ports), [PathBuf::from("/dev/ttyACM0")]);
    }
}
