//! What the dashboard takes from the program when it is built: the OpenAPI document, of which its types are made, and the
//! robot's names and limits. Both files are in the tree, so that the page can be built without the program.

use std::path::PathBuf;

use firmware_bridge::joint::Joint;
use firmware_bridge::limits::Limits;
use firmware_bridge::units::Radians;
use minismith_tests::workspace;
use serde_json::{Value, json};

use super::server_fixture::served;

/// Writes the files instead of comparing them, if it is set.
const WRITE: &str = "MINISMITH_WRITE_TYPES";

/// Compares a file of the dashboard with what the program has, or writes it.
fn compare(file: &str, current: &Value) {
    let path: PathBuf = workspace().join("controller/dashboard").join(file);
    if std::env::var_os(WRITE).is_some() {
        let text = serde_json::to_string_pretty(current).unwrap() + "\n";
        std::fs::write(&path, text).unwrap();
        return;
    }
    let stored: Value = serde_json::from_slice(&std::fs::read(&path).unwrap_or_default()).unwrap_or_default();
    assert!(
        stored == *current,
        "controller/dashboard/{file} is older than the program; run `make page-types` and `npm run check`"
    );
}

#[test]
fn page_is_built_from_the_names_and_limits_of_the_program() {
    let served = served();
    let (_, mut document) = served.get("/api/v1/openapi.json");
    let motion_states =
        document.pointer("/components/schemas/RobotState/properties/motion_state/enum").cloned();
    // The types do not depend on it, and it changes with every release.
    document["info"]["version"] = "".into();
    compare("openapi.json", &document);
    let limits = Limits::default();
    let degrees = |angle: Radians| angle.degrees().round();
    let reach = |joint: Joint| degrees(limits.joints[joint].max_position);
    let robot = json!({
        "motors": Joint::ALL.map(Joint::name),
        "motion_states": motion_states.unwrap(),
        "limits": {
            "head_pitch_deg": degrees(limits.head_pitch),
            "head_roll_deg": degrees(limits.head_roll),
            "relative_yaw_deg": degrees(limits.relative_yaw),
            "body_yaw_deg": reach(Joint::BodyYaw),
            "antenna_deg": reach(Joint::RightAntenna),
        },
    });
    compare("src/protocol/robot.json", &robot);
}
