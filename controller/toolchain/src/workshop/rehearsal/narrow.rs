//! Decides which generated calls narrow the verified range.

use minismith_analysis::margins::Narrowed;

use crate::tool_run::Outcome;

/// Maximum clamp at which the motion still counts as the requested one, degrees.
const MAX_CLAMP_DEG: f64 = 5.0;

/// Returns the narrowed range if a case at the end of a range fails.
///
/// A tool that raises `ValueError` has set this limit itself.
#[must_use]
pub fn narrowed(case: &str, outcome: &Outcome, worst_clamp_deg: f64) -> Option<Narrowed> {
    let call = case.strip_prefix("corner: ")?.to_owned();
    let why = match outcome {
        Outcome::Stopped { limit, .. } => format!("stopped: {limit}"),
        Outcome::Raised { kind, .. } if kind != "ValueError" => format!("raises {kind}"),
        Outcome::Returned { .. } if worst_clamp_deg > MAX_CLAMP_DEG => {
            format!("clamped by {worst_clamp_deg} degrees")
        }
        Outcome::Returned { .. } | Outcome::Raised { .. } => return None,
    };
    Some(Narrowed { call, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_corner_cases_narrow_the_range() {
        let stopped = Outcome::Stopped { limit: "stage_seconds".into(), reason: String::new() };
        let raised =
            |kind: &str| Outcome::Raised { kind: kind.into(), message: String::new(), line: Some(1) };
        let returned = Outcome::Returned { value: serde_json::Value::Null };
        assert_eq!(narrowed("default", &stopped, 0.0), None);
        assert_eq!(narrowed("corner: n=1", &raised("ValueError"), 0.0), None);
        assert_eq!(narrowed("corner: n=1", &returned, 1.0), None);
        for (outcome, clamp) in [(&stopped, 0.0), (&raised("TypeError"), 0.0), (&returned, 6.0)] {
            assert_eq!(narrowed("corner: n=1", outcome, clamp).unwrap().call, "n=1");
        }
    }
}
