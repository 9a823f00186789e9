//! Checks whether this computer lets the control loop run in time: priority, locked memory, the kernel, the
//! processor's clock.

use std::fs;
use std::path::Path;

use firmware_bridge::control_loop::{MEMORY_LOCK_HINT, PRIORITY_HINT};

use super::Check;
use super::devices::capable;

/// Bits of the capability sets in `/proc/self/status`.
const CAP_IPC_LOCK: u32 = 14;
const CAP_SYS_NICE: u32 = 23;

/// The memory of the program that must not be swapped out, with a reserve, in bytes.
const ENOUGH_LOCKED: u64 = 64 << 20;

/// The contents of the system's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RealTime {
    /// `/proc/self/limits`.
    pub limits: String,
    /// `/proc/self/status`.
    pub status: String,
    /// `/proc/version`.
    pub version: String,
    /// `/proc/sys/kernel/sched_rt_runtime_us`.
    pub runtime: String,
    /// `cpu.rt_runtime_us` of this process's control group, where groups have one.
    pub group_runtime: Option<String>,
    /// Each processor's `scaling_governor`, where it exists.
    pub governors: Vec<String>,
}

impl RealTime {
    /// Reads the files.
    pub(super) fn look() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        RealTime {
            limits: read("/proc/self/limits"),
            status: read("/proc/self/status"),
            version: read("/proc/version"),
            runtime: read("/proc/sys/kernel/sched_rt_runtime_us"),
            group_runtime: group_runtime(&read("/proc/self/cgroup"), Path::new("/sys/fs/cgroup")),
            governors: governors(Path::new("/sys/devices/system/cpu")),
        }
    }

    /// Returns a check for each.
    pub(super) fn judge(&self) -> Vec<Check> {
        vec![self.priority(), self.memory(), self.runtime(), self.kernel(), self.governor()]
    }

    fn priority(&self) -> Check {
        const NAME: &str = "real-time priority";
        if capable(&self.status, CAP_SYS_NICE) {
            return Check::ok(NAME, "allowed (CAP_SYS_NICE)");
        }
        match limit(&self.limits, "Max realtime priority") {
            Some(most) if most > 0 => Check::ok(NAME, format!("allowed up to {}", most.min(99))),
            _ => Check::warning(
                NAME,
                "not allowed for this user; under load the control loop can be late",
                PRIORITY_HINT,
            ),
        }
    }

    fn memory(&self) -> Check {
        const NAME: &str = "locked memory";
        match limit(&self.limits, "Max locked memory") {
            _ if capable(&self.status, CAP_IPC_LOCK) => Check::ok(NAME, "allowed (CAP_IPC_LOCK)"),
            Some(u64::MAX) => Check::ok(NAME, "allowed without limit"),
            Some(most) if most >= ENOUGH_LOCKED => Check::ok(NAME, format!("{} MB allowed", most >> 20)),
            most => Check::warning(
                NAME,
                format!(
                    "{} MB allowed; when memory is short, the control loop can wait for the disk",
                    most.unwrap_or_default() >> 20
                ),
                MEMORY_LOCK_HINT,
            ),
        }
    }

    fn runtime(&self) -> Check {
        const NAME: &str = "real-time share";
        if self.group_runtime.as_deref().map(str::trim) == Some("0") {
            return Check::warning(
                NAME,
                "this process's control group gives real-time tasks no time at all",
                "give it some with `echo 950000 | sudo tee /sys/fs/cgroup/cpu/GROUP/cpu.rt_runtime_us`, GROUP as in \
                 /proc/self/cgroup",
            );
        }
        match self.runtime.trim().parse::<i64>() {
            Ok(0) => Check::warning(
                NAME,
                "the kernel gives real-time tasks no time at all",
                "give them some with `sudo sysctl kernel.sched_rt_runtime_us=950000`",
            ),
            Ok(micros) if micros > 0 => Check::ok(NAME, format!("{micros} microseconds of each second")),
            Ok(_) => Check::ok(NAME, "all of the time"),
            Err(_) => Check::ok(NAME, "not limited by the kernel"),
        }
    }

    fn kernel(&self) -> Check {
        const NAME: &str = "kernel";
        let number = self.version.split_whitespace().nth(2).unwrap_or("of unknown version");
        let has = |word: &str| self.version.split_whitespace().any(|other| other == word);
        if has("PREEMPT_RT") {
            Check::ok(NAME, format!("{number}, PREEMPT_RT"))
        } else if has("PREEMPT") || has("PREEMPT_DYNAMIC") {
            Check::ok(NAME, format!("{number}, preemptible; PREEMPT_RT would be more regular"))
        } else {
            Check::warning(
                NAME,
                format!("{number} is not preemptible; under load the control loop can be late"),
                "install a real-time kernel, on Debian with `sudo apt-get install linux-image-rt-amd64` (or -arm64)",
            )
        }
    }

    fn governor(&self) -> Check {
        const NAME: &str = "processor clock";
        let mut names = self.governors.clone();
        names.sort();
        names.dedup();
        match names.as_slice() {
            [] => Check::ok(NAME, "not set by this system"),
            [one] if one == "performance" => Check::ok(NAME, "performance"),
            names => Check::warning(
                NAME,
                format!("{}; a processor at a reduced clock rate responds late", names.join(", ")),
                "set it with `echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor`",
            ),
        }
    }
}

/// Returns the hard limit with this name in `/proc/self/limits`; `u64::MAX` means no limit.
fn limit(limits: &str, name: &str) -> Option<u64> {
    let values = limits.lines().find_map(|line| line.strip_prefix(name))?;
    match values.split_whitespace().nth(1)? {
        "unlimited" => Some(u64::MAX),
        number => number.parse().ok(),
    }
}

/// Only the first version of control groups limits real time.
fn group_runtime(groups: &str, root: &Path) -> Option<String> {
    let (controllers, path) = groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        controllers.split(',').any(|one| one == "cpu").then_some((controllers, path))
    })?;
    let folder = root.join(controllers).join(path.trim_start_matches('/'));
    fs::read_to_string(folder.join("cpu.rt_runtime_us")).ok()
}

fn governors(processors: &Path) -> Vec<String> {
    let entries = fs::read_dir(processors).into_iter().flatten().flatten();
    let texts =
        entries.filter_map(|entry| fs::read_to_string(entry.path().join("cpufreq/scaling_governor")).ok());
    texts.map(|text| text.trim().to_owned()).collect()
}

#[cfg(test)]
pub(super) fn healthy() -> RealTime {
    RealTime {
        limits: "Limit                     Soft Limit           Hard Limit           Units\n\
                 Max locked memory         8388608              unlimited            bytes\n\
                 Max realtime priority     0                    95\n"
            .into(),
        status: "CapEff:\t0000000000000000\n".into(),
        version: "Linux version 6.12.1-rt (b@c) (gcc 14) #1 SMP PREEMPT_RT Debian".into(),
        runtime: "950000\n".into(),
        group_runtime: None,
        governors: vec!["performance".into(); 4],
    }
}

#[cfg(test)]
mod tests {
    use super::super::CheckStatus;
    use super::*;

    /// Returns the single complaint about this computer.
    #[track_caller]
    fn complaint(machine: &RealTime) -> Check {
        let mut checks = machine.judge();
        checks.retain(|check| check.status != CheckStatus::Ok);
        assert_eq!(checks.len(), 1, "{checks:?}");
        checks.remove(0)
    }

    #[test]
    fn each_problem_has_its_remedy() {
        assert!(healthy().judge().iter().all(|check| check.status == CheckStatus::Ok));
        let swapped =
            |from: &str, to: &str| RealTime { limits: healthy().limits.replace(from, to), ..healthy() };
        for (machine, name, word) in [
            (swapped("95", "0"), "real-time priority", "rtprio"),
            (swapped("unlimited", "65536"), "locked memory", "memlock"),
            (RealTime { runtime: "0\n".into(), ..healthy() }, "real-time share", "sched_rt_runtime_us"),
            (
                RealTime { group_runtime: Some("0\n".into()), ..healthy() },
                "real-time share",
                "/proc/self/cgroup",
            ),
            (
                RealTime { version: "Linux version 6.1 #1 SMP".into(), ..healthy() },
                "kernel",
                "linux-image-rt",
            ),
            (
                RealTime { governors: vec!["powersave".into(), "performance".into()], ..healthy() },
                "processor clock",
                "performance",
            ),
        ] {
            let check = complaint(&machine);
            assert_eq!(check.name, name);
            assert!(check.remedy.is_some_and(|remedy| remedy.contains(word)), "{name}");
        }
        // A capability makes the limits irrelevant.
        let status = format!("CapEff:\t{:016x}\n", 1_u64 << CAP_SYS_NICE | 1 << CAP_IPC_LOCK);
        let capable = RealTime { status, limits: String::new(), ..healthy() };
        assert!(capable.judge().iter().all(|check| check.status == CheckStatus::Ok));
        // A system that reports nothing.
        assert_eq!(
            RealTime::default().judge().iter().filter(|check| check.status == CheckStatus::Warning).count(),
            3
        );
    }

    #[test]
    fn the_group_of_this_process_is_found() {
        let root = tempfile::tempdir().unwrap();
        let groups = "12:memory:/a\n4:cpu,cpuacct:/user/one\n0::/two\n";
        assert_eq!(group_runtime(groups, root.path()), None);
        let folder = root.path().join("cpu,cpuacct/user/one");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("cpu.rt_runtime_us"), "0\n").unwrap();
        assert_eq!(group_runtime(groups, root.path()).as_deref(), Some("0\n"));
        assert_eq!(group_runtime("0::/two\n", root.path()), None);
        assert_eq!(limit("Max locked memory  1 2 bytes", "Max locked memory"), Some(2));
        assert_eq!(limit("", "Max locked memory"), None);
    }
}
