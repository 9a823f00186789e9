//! The robots as metrics for Prometheus ([`of`]), each with a label for the robot.

use std::fmt::Write;

use super::roster::{Robot, Roster};
use crate::keys::Name;

/// A metric: its name, what it is, and its value for one robot; none where that is not known.
type Metric = (&'static str, &'static str, fn(&Robot) -> Option<f64>);

const METRICS: [Metric; 7] = [
    ("present", "Whether the agent is connected.", |robot| Some(f64::from(robot.present))),
    ("controller_up", "Whether the controller responds.", |robot| {
        Some(f64::from(robot.status.as_ref()?.controller))
    }),
    ("fault", "Whether the robot has a fault.", |robot| {
        Some(f64::from(robot.status.as_ref()?.fault.is_some()))
    }),
    ("stopped", "Whether a stop holds the robot.", |robot| {
        Some(f64::from(robot.status.as_ref()?.stopped.is_some()))
    }),
    ("motor_temperature_celsius", "The highest motor temperature.", |robot| {
        robot.status.as_ref()?.temperature_c
    }),
    ("motor_voltage_volts", "The lowest motor voltage.", |robot| robot.status.as_ref()?.voltage_v),
    ("clock_offset_seconds", "How far the robot's clock is ahead.", |robot| {
        Some(robot.clock?.offset_ms / 1e3)
    }),
];

/// Returns the metrics in the text format of Prometheus.
#[must_use]
pub fn of(fleet: &Name, roster: &Roster) -> String {
    let mut text = String::new();
    for (metric, help, value) in METRICS {
        let name = format!("minismith_fleet_{metric}");
        // Writing to a string does not fail.
        let _infallible = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
        for (robot, value) in roster.iter().filter_map(|(name, robot)| Some((name, value(robot)?))) {
            let _infallible = writeln!(text, "{name}{{fleet=\"{fleet}\",robot=\"{robot}\"}} {value}");
        }
    }
    type Count = fn(&crate::messages::ToolStatus) -> Option<u64>;
    let counts: [(&str, &str, Count); 2] = [
        ("tool_runs_total", "Runs of a tool of the fleet.", |tool| tool.runs),
        ("tool_failures_total", "Runs of a tool of the fleet that did not return.", |tool| tool.failures),
    ];
    for (metric, help, count) in counts {
        let name = format!("minismith_fleet_{metric}");
        let _infallible = writeln!(text, "# HELP {name} {help}\n# TYPE {name} counter");
        for (robot, status) in roster.iter().filter_map(|(name, robot)| Some((name, robot.status.as_ref()?)))
        {
            for (tool, count) in status.tools.iter().filter_map(|tool| Some((&tool.name, count(tool)?))) {
                let tool: String =
                    tool.chars().filter(|one| one.is_ascii_alphanumeric() || *one == '_').collect();
                let _infallible =
                    writeln!(text, "{name}{{fleet=\"{fleet}\",robot=\"{robot}\",tool=\"{tool}\"}} {count}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_are_labels() {
        let robot = Robot { present: true, clock: None, status: None };
        let roster = Roster::from([("kitchen".parse().unwrap(), robot)]);
        let text = of(&"lab".parse().unwrap(), &roster);
        assert!(text.contains("minismith_fleet_present{fleet=\"lab\",robot=\"kitchen\"} 1\n"), "{text}");
        assert!(!text.contains("clock_offset_seconds{"), "{text}");
    }
}
