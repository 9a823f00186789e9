//! From the keys of a file to what they mean: built-in values, units, whole paths, and values that must agree.

use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::units::Radians;

use super::file::{File, Given};
use super::{
    BUILT_IN, BUILT_IN_NAME, Budget, Bus, Config, ConfigError, Group, Head, Limits, RobotChoice, Serve,
    Stewart, ToolHost, Workshop, parse,
};

/// The meaning of the keys: those of `own`, and for each one left out the built-in value.
pub(super) fn resolve(own: &File, name: &str, folder: &Path) -> Result<Config, ConfigError> {
    let built_in = parse(BUILT_IN_NAME, BUILT_IN.as_bytes())?;
    /// The value of one key.
    macro_rules! of {
        ($($key:ident).+) => {
            pick(&own.$($key).+, &built_in.$($key).+, stringify!($($key).+))?
        };
    }
    let limits = Limits {
        body_rotation: Group {
            range: of!(limits.body_rotation.range_deg).into(),
            speed: Radians(of!(limits.body_rotation.speed).value()),
            acceleration: Radians(of!(limits.body_rotation.acceleration).value()),
            jerk: Radians(of!(limits.body_rotation.jerk).value()),
        },
        stewart: Stewart {
            margin: of!(limits.stewart.margin_deg).into(),
            speed: Radians(of!(limits.stewart.speed).value()),
            acceleration: Radians(of!(limits.stewart.acceleration).value()),
            jerk: Radians(of!(limits.stewart.jerk).value()),
        },
        antennas: Group {
            range: of!(limits.antennas.range_deg).into(),
            speed: Radians(of!(limits.antennas.speed).value()),
            acceleration: Radians(of!(limits.antennas.acceleration).value()),
            jerk: Radians(of!(limits.antennas.jerk).value()),
        },
        head: Head {
            pitch: of!(limits.head.pitch_deg).into(),
            roll: of!(limits.head.roll_deg).into(),
            yaw_from_body: of!(limits.head.yaw_from_body_deg).into(),
            least_steadiness: of!(limits.head.least_steadiness).value(),
        },
        untrusted_scale: of!(limits.untrusted_scale),
    };
    let budget = Budget {
        simulated: Duration::from_secs_f64(of!(workshop.budget.simulated_seconds).value()),
        guest: minismith_wire::Limits {
            cpu_seconds: u64::from(of!(workshop.budget.cpu_seconds).value()),
            memory_bytes: u64::from(of!(workshop.budget.memory_mb).value()) << 20,
            output_bytes: u64::from(of!(workshop.budget.output_kb).value()) << 10,
            wall_seconds: of!(workshop.budget.wall_seconds).value(),
            frames: u64::from(of!(workshop.budget.frames).value()),
            motions_per_second: u64::from(of!(workshop.budget.motions_per_second).value()),
            ..minismith_wire::Limits::default()
        },
    };
    let config = Config {
        source: None,
        robot: match of!(robot) {
            RobotChoice::Serial(device) => RobotChoice::Serial(absolute(folder, &device)),
            mock => mock,
        },
        rate: of!(pulse.rate_hz),
        limits,
        bus: Bus {
            baud: of!(bus.baud).0,
            least_volts: of!(bus.least_volts).value(),
            watchdog: of!(bus.watchdog_ms).time(),
            reply_timeout: Duration::from_millis(u64::from(of!(bus.reply_timeout_ms).value())),
        },
        serve: Serve { host: of!(serve.host), port: of!(serve.port).value() },
        tools: absolute(folder, &of!(tools.directory).0),
        models: absolute(folder, &of!(models.directory).0),
        workshop: Workshop {
            max_iterations: of!(workshop.max_iterations).value(),
            signing_key: absolute(folder, &of_the_user(&of!(workshop.signing_key).0)),
            trusted_signers: own
                .workshop
                .trusted_signers
                .0
                .as_ref()
                .or(built_in.workshop.trusted_signers.0.as_ref())
                .cloned()
                .unwrap_or_default(),
            budget,
        },
        tool_host: ToolHost {
            python: absolute(folder, &of!(tool_host.python).0),
            bar: pick(
                &Given(own.tool_host.may_lack.0.clone()),
                &Given(built_in.tool_host.may_lack.0),
                "tool_host.may_lack",
            )?
            .into_iter()
            .map(|name| name.0)
            .collect(),
        },
        brain: of!(brain),
    };
    match config.bus.watchdog {
        Some(time) if time < config.rate.beat() * 3 => Err(ConfigError::Whole {
            file: name.to_owned(),
            problem: format!(
                "bus.watchdog_ms ({}) is less than three beats at pulse.rate_hz ({}), so the servos would stop in \
                 the middle of a motion; raise either one, or switch the watchdog off with 0",
                time.as_millis(),
                config.rate.value()
            ),
        }),
        _ => Ok(config),
    }
}

fn pick<T: Clone>(own: &Given<T>, built_in: &Given<T>, key: &str) -> Result<T, ConfigError> {
    own.0.as_ref().or(built_in.0.as_ref()).cloned().ok_or_else(|| ConfigError::Whole {
        file: BUILT_IN_NAME.to_owned(),
        problem: format!("{key} has no value; this program was built from an incomplete config.yaml"),
    })
}

/// `~` is the user's own folder, and `~/.config` is where the user keeps configuration. Where neither is known, the
/// path stays as it is.
fn of_the_user(path: &Path) -> PathBuf {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let home = folder("HOME");
    let moved = match (path.strip_prefix("~/.config"), path.strip_prefix("~")) {
        (Ok(rest), _) => folder("XDG_CONFIG_HOME")
            .or_else(|| home.map(|home| home.join(".config")))
            .map(|folder| folder.join(rest)),
        (_, Ok(rest)) => home.map(|home| home.join(rest)),
        _ => None,
    };
    moved.unwrap_or_else(|| path.to_owned())
}

/// Where a path of the file leads, whatever the current folder is later.
fn absolute(folder: &Path, path: &Path) -> PathBuf {
    let joined = folder.join(path);
    std::path::absolute(&joined).unwrap_or(joined)
}
