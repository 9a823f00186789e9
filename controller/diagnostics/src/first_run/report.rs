//! The report of a first run: one file that a person can attach to a bug report.

use std::fmt::Write;
use std::fs;

use firmware_bridge::clock::system_time;

use super::{FirstRun, Step, StepState, Verdict};
use crate::{Check, CheckStatus};

/// Returns the report as Markdown: the computer, every step, and what `doctor` says. It has no tokens, no network names,
/// and not the path of this user's home.
#[must_use]
pub fn markdown(run: &FirstRun, checks: &[Check]) -> String {
    let verdict = match run.verdict {
        Verdict::Good => "every step is good",
        Verdict::Incomplete => "nothing has failed, but some steps were left out or not judged",
        Verdict::Faulty => "at least one step has failed",
        Verdict::Stopped => "a person has stopped the robot before the end",
    };
    let mut text = format!("# First run of a Reachy Mini: {verdict}\n\n");
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _written = writeln!(text, "* {name}: {}", value.trim().replace('\0', ""));
    };
    line("time", &humantime::format_rfc3339_seconds(system_time()).to_string());
    line("Minismith", env!("CARGO_PKG_VERSION"));
    line("processor", std::env::consts::ARCH);
    line("computer", &fs::read_to_string("/proc/device-tree/model").unwrap_or_else(|_| "unknown".to_owned()));
    line("system", &system(&fs::read_to_string("/etc/os-release").unwrap_or_default()));
    line("kernel", &fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default());
    line("port", &run.port);
    text.push_str("\n| step | result | expected | measured | to do |\n| --- | --- | --- | --- | --- |\n");
    for step in &run.steps {
        text.push_str(&row(step));
    }
    text.push_str(
        "\n## `minismith doctor`\n\n| check | result | found | to do |\n| --- | --- | --- | --- |\n",
    );
    for Check { name, status, detail, remedy } in checks {
        let status = match status {
            CheckStatus::Ok => "good",
            CheckStatus::Warning => "warning",
            CheckStatus::Error => "**bad**",
        };
        let cells = [*name, status, detail, remedy.as_deref().unwrap_or_default()];
        text.push_str(&table_row(&cells));
    }
    match std::env::var("HOME") {
        // A home such as `/` would be replaced everywhere.
        Ok(home) if home.len() > 1 => text.replace(&home, "~"),
        _ => text,
    }
}

fn row(step: &Step) -> String {
    let joints: Vec<&str> = step.joints.iter().map(|joint| joint.name()).collect();
    let name = if joints.is_empty() {
        step.name.to_owned()
    } else {
        format!("{} ({})", step.name, joints.join(", "))
    };
    let state = match step.state {
        StepState::Good => "good",
        StepState::Failed => "**failed**",
        StepState::Skipped => "left out",
        StepState::NotJudged => "not judged",
    };
    table_row(&[&name, state, &step.expected, &step.measured, step.advice.as_deref().unwrap_or_default()])
}

/// Returns a row in which no cell can end its cell or its row.
fn table_row(cells: &[&str]) -> String {
    let cells: Vec<String> =
        cells.iter().map(|cell| cell.replace('|', "\\|").replace(['\n', '\r'], " ")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Returns the system's name for people in `/etc/os-release`.
fn system(release: &str) -> String {
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.unwrap_or("unknown").trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use firmware_bridge::joint::Joint;

    use super::*;

    #[test]
    fn report_has_every_step_and_no_home() {
        let steps = vec![
            Step::good("voltage", "4.7 to 6.0 V", "5.0 V".to_owned()),
            Step::failed("move", "it turns", "it stays | here\nand there".to_owned(), "look")
                .about([Joint::Stewart3]),
        ];
        let run = FirstRun { port: "/dev/ttyACM0".to_owned(), steps, verdict: Verdict::Faulty };
        let home = std::env::var("HOME").unwrap();
        let checks = [Check::warning("tools folder", format!("{home}/tools"), "chown")];
        let text = markdown(&run, &checks);
        assert!(
            text.contains(
                "| move (stewart_3) | **failed** | it turns | it stays \\| here and there | look |\n"
            ),
            "{text}"
        );
        assert!(text.contains("| tools folder | warning | ~/tools | chown |\n"), "{text}");
        assert!(text.contains("* port: /dev/ttyACM0\n") && text.contains("at least one step has failed"));
        assert_eq!(system("NAME=x\nPRETTY_NAME=\"Debian 13\"\n"), "Debian 13");
    }
}
