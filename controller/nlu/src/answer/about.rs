//! Answers about the robot, the range of its motions, and the purpose of a tool.

use serde_json::Value;

use super::super::decimal::plain;
use super::super::intent::Reach;
use super::super::known::KnownTool;
use super::super::primitive::{
    MAX_ANTENNA_DEG, MAX_DANCE_S, MAX_LOOK, MAX_LOOK_UP_DOWN, MAX_LOWERED_MM, MAX_RAISED_MM, MAX_TILT,
    MAX_TURN, MIN_DANCE_S,
};

/// Introduces the robot.
#[must_use]
pub fn myself() -> String {
    "I am Minismith, the controller of this Reachy Mini: a head, a body that turns, and two antennas. I move, I tell \
     what came of it, and I write tools. Say \"what can you do\" to hear more."
        .to_owned()
}

/// Answers a farewell.
#[must_use]
pub fn goodbye() -> String {
    "Goodbye. I stay as I am; say \"go to sleep\" to let me rest.".to_owned()
}

/// States the range of a motion.
#[must_use]
pub fn reach(reach: Reach) -> String {
    let degrees = |angle: firmware_bridge::units::Radians| plain(angle.degrees());
    match reach {
        Reach::Sideways => format!(
            "I can look up to {} degrees to either side of my body; with my body turned it is further.",
            degrees(MAX_LOOK)
        ),
        Reach::UpDown => {
            format!("I can look up to {} degrees up and as far down.", degrees(MAX_LOOK_UP_DOWN))
        }
        Reach::Tilt => format!("I can tilt my head up to {} degrees to either side.", degrees(MAX_TILT)),
        Reach::Turn => format!(
            "I can turn my body up to {} degrees to either side, and look up to {} degrees further.",
            degrees(MAX_TURN),
            degrees(MAX_LOOK)
        ),
        Reach::Height => format!(
            "I can raise my head up to {} mm above its neutral height and lower it up to {} mm below.",
            plain(MAX_RAISED_MM),
            plain(MAX_LOWERED_MM)
        ),
        Reach::Antennas => {
            format!("I can put each antenna up to {} degrees outwards or inwards.", plain(MAX_ANTENNA_DEG))
        }
        Reach::Dance => {
            format!("I can dance for {} to {} seconds at a time.", plain(MIN_DANCE_S), plain(MAX_DANCE_S))
        }
    }
}

/// Confirms an ability, and says how to use it.
#[must_use]
pub fn ability(what: &str) -> String {
    format!("Yes, I can {what}. Say \"{what}\" and I will.")
}

/// Describes a tool and its arguments.
#[must_use]
pub fn tool(name: &str, tools: &[KnownTool]) -> String {
    let Some(tool) = tools.iter().find(|tool| tool.name == name) else {
        return format!("I know no tool called {name} now.");
    };
    let description = tool.description.lines().next().unwrap_or_default().trim();
    let description = if description.is_empty() { "it has no description." } else { description };
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    let arguments: Vec<String> =
        properties.into_iter().flatten().map(|(name, schema)| argument(name, schema)).collect();
    if arguments.is_empty() {
        format!("{name}: {description} It takes no arguments.")
    } else {
        format!("{name}: {description} It takes {}.", arguments.join(", "))
    }
}

/// Formats an argument: "times (1 to 10)".
fn argument(name: &str, schema: &Value) -> String {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64).map(plain);
    match (bound("minimum"), bound("maximum")) {
        (Some(low), Some(high)) => format!("{name} ({low} to {high})"),
        (Some(low), None) => format!("{name} (at least {low})"),
        (None, Some(high)) => format!("{name} (at most {high})"),
        (None, None) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_about_a_tool_include_its_arguments() {
        let tools = [KnownTool {
            name: "greet".into(),
            description: "Greet somebody.\nMore.".into(),
            parameters: serde_json::json!({"properties": {"times": {"minimum": 1, "maximum": 3}, "name": {}}}),
        }];
        assert_eq!(tool("greet", &tools), "greet: Greet somebody. It takes times (1 to 3), name.");
        assert!(tool("gone", &tools).contains("no tool called gone"));
    }
}
