//! The resources of one call of a tool: the budget in its manifest, bounded by the configuration.

use minismith_protocol::Limits;

use super::rehearsal::RehearsalOptions;
use minismith_analysis::manifest::Budget;

impl RehearsalOptions {
    /// Returns the conditions for a tool with this budget.
    ///
    /// A manifest may request less than the configuration allows. A larger budget is reduced to what the configuration
    /// allows now.
    #[must_use]
    pub fn for_tool(&self, budget: &Budget) -> RehearsalOptions {
        RehearsalOptions {
            robot_time_s: budget.robot_time_s.min(self.robot_time_s),
            guest: minimum(&budget.limits, &self.guest),
            ..self.clone()
        }
    }
}

/// Returns the smaller value of each limit.
fn minimum(one: &Limits, other: &Limits) -> Limits {
    Limits {
        cpu_seconds: one.cpu_seconds.min(other.cpu_seconds),
        memory_bytes: one.memory_bytes.min(other.memory_bytes),
        output_bytes: one.output_bytes.min(other.output_bytes),
        turn_seconds: one.turn_seconds.min(other.turn_seconds),
        wall_seconds: one.wall_seconds.min(other.wall_seconds),
        frames: one.frames.min(other.frames),
        frames_per_second: one.frames_per_second.min(other.frames_per_second),
        motions_per_second: one.motions_per_second.min(other.motions_per_second),
        open_files: one.open_files.min(other.open_files),
        processes: one.processes.min(other.processes),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn for_tool_takes_the_smaller_of_manifest_and_configuration() {
        let allowed = RehearsalOptions {
            models: minismith_perception::models::Models::at(""),
            limits: firmware_bridge::limits::Limits::default(),
            period: Duration::from_millis(10),
            robot_time_s: 60.0,
            guest: Limits::DEFAULT,
        };
        let budget = Budget {
            robot_time_s: 90.0,
            limits: Limits { cpu_seconds: 2, frames: 1_000_000, turn_seconds: f64::NAN, ..Limits::DEFAULT },
        };
        let given = allowed.for_tool(&budget);
        assert_eq!(given.robot_time_s, 60.0);
        // A value that is not a number has no effect.
        assert_eq!(given.guest, Limits { cpu_seconds: 2, ..Limits::DEFAULT });
    }
}
