//! The manifest of a registered tool: how to call it, what it may do, and why it was accepted.

use std::collections::{BTreeMap, BTreeSet};

use firmware_bridge::joint::Joint;
use firmware_bridge::motion_log::LoggedCycle;
use minismith_protocol::Limits;
use minismith_protocol::old_names::files;
use minismith_score::expects::Expects;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::arguments::difference;
use super::finding::Finding;
use super::report::PhysicalReport;
use crate::files::Outputs;

/// The manifest of one version of one tool: `vN.json` beside `vN.py`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolManifest {
    /// The tool's name: its folder, its module and its entry's file.
    pub name: String,
    /// Its version, from 1.
    pub version: u32,
    /// What it does, in one sentence, for people and models that choose a tool.
    pub description: String,
    /// The strict JSON Schema of its arguments.
    #[schema(value_type = Object)]
    pub parameters: Value,
    /// What it returns.
    pub returns: Returns,
    /// Calls that show its use; each is rehearsed.
    pub examples: Vec<Example>,
    /// Calls with what they must do; each is rehearsed.
    pub test_cases: Vec<TestCase>,
    /// What its motion must do, measured in the rehearsal.
    #[serde(default, skip_serializing_if = "is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub expects: Expects,
    /// The functions of a toolkit, each callable as `toolkit.function`; empty for a tool of one file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<Function>,
    /// The files that it says it writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Outputs>,
    /// Packages that it imports beyond the standard library and the robot's own.
    pub dependencies: Vec<String>,
    /// Other tools that it calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// What it may do on a stage; everything else is refused at the wire.
    pub capabilities: BTreeSet<Capability>,
    /// For which values of its parameters it is verified, where that is not their whole range; those of a toolkit as
    /// `function.parameter`.
    #[serde(rename = "verified_range", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub verified_range: BTreeMap<String, Verified>,
    /// What one call may use.
    pub budget: Budget,
    /// Where it comes from.
    pub provenance: Provenance,
    /// The hash of the source's bytes, in lower-case hexadecimal.
    pub code_sha256: String,
    /// What its admission rests on.
    pub evidence: Evidence,
    /// What the policy found, short of refusing.
    #[serde(serialize_with = "new_findings", deserialize_with = "findings")]
    pub findings: Vec<Finding>,
    /// What the rehearsal measured.
    #[schema(required)]
    pub report: Option<PhysicalReport>,
    /// What the reviewer said.
    pub review: Review,
    /// Whether a person must confirm it before its first performance on real motors.
    pub needs_approval: bool,
}

pub(crate) fn is_empty(expects: &Expects) -> bool {
    expects.0.is_empty()
}

impl ToolManifest {
    /// The schema of the arguments of a function of a toolkit; without a name, of the tool itself.
    #[must_use]
    pub fn parameters_of(&self, function: Option<&str>) -> Option<&Value> {
        match function {
            None => Some(&self.parameters),
            Some(name) => {
                let function = self.functions.iter().find(|function| function.name == name)?;
                Some(&function.parameters)
            }
        }
    }

    /// The first argument that is beyond what was verified, in words.
    #[must_use]
    pub fn outside_verified_range(
        &self,
        function: Option<&str>,
        arguments: &Map<String, Value>,
    ) -> Option<String> {
        arguments.iter().find_map(|(name, value)| {
            let key = function.map_or_else(|| name.clone(), |function| format!("{function}.{name}"));
            let verified = self.verified_range.get(&key)?;
            let beyond = value.as_f64().is_some_and(|value| !verified.covers(value));
            beyond.then(|| format!("{name}={value}; it is verified for {name} {verified} only"))
        })
    }
}

/// One function of a toolkit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ToolFunction)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The strict JSON Schema of its arguments.
    #[schema(value_type = Object)]
    pub parameters: Value,
    /// What it returns.
    pub returns: Returns,
}

/// What a tool returns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Returns {
    /// The annotation, as it stands in the source.
    pub r#type: String,
    /// What the docstring says of it.
    pub description: String,
}

/// A call that shows a tool's use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Which function of a toolkit; none means the tool itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The named arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub arguments: Map<String, Value>,
}

/// A call with what it must do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TestCase {
    /// What it shows.
    pub name: String,
    /// Which function of a toolkit; none means the tool itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The named arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub arguments: Map<String, Value>,
    /// What must come out.
    #[serde(default)]
    pub expect: Expectation,
    /// How the robot must have moved.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "motion")]
    #[schema(value_type = Option<Object>)]
    pub motion: Option<ExpectedMotion>,
}

/// Findings as they stand in a manifest. Elsewhere verdicts have the words that clients know.
fn new_findings<S: Serializer>(findings: &[Finding], to: S) -> Result<S::Ok, S::Error> {
    let mut findings = serde_json::to_value(findings).map_err(serde::ser::Error::custom)?;
    files::new_verdicts(&mut findings);
    findings.serialize(to)
}

fn findings<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Finding>, D::Error> {
    let mut findings = Value::deserialize(from)?;
    files::old_verdicts(&mut findings);
    serde_json::from_value(findings).map_err(D::Error::custom)
}

/// The motion that is expected, also with the old names of its fields: authors write it by hand.
fn motion<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ExpectedMotion>, D::Error> {
    let mut motion = Value::deserialize(from)?;
    files::expected_motion(&mut motion);
    serde_json::from_value(motion).map_err(D::Error::custom)
}

/// Writes a manifest into a document, with its old names beside the new ones: clients of documents know those.
///
/// # Errors
/// When it can't be written.
pub fn with_old_names<T: Serialize, S: Serializer>(manifest: &T, to: S) -> Result<S::Ok, S::Error> {
    let mut manifest = serde_json::to_value(manifest).map_err(serde::ser::Error::custom)?;
    files::add_to_manifest(&mut manifest);
    manifest.serialize(to)
}

/// How the robot must have moved in a test case; what is left out is not looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedMotion {
    /// Motors that must move by at least a degree.
    #[serde(rename = "moving_joints", default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Joint>,
    /// Motors that must not move by as much as a degree.
    #[serde(rename = "still_joints", default, skip_serializing_if = "Vec::is_empty")]
    pub still: Vec<Joint>,
    /// Where motors must stand at the end, degrees.
    #[serde(rename = "final_position_deg", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ends_at_deg: BTreeMap<Joint, f64>,
    /// By how much those may be off, degrees.
    #[serde(default = "two_degrees")]
    pub tolerance_deg: f64,
    /// Least and most stage seconds that it takes.
    #[serde(rename = "duration_s", default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<(f64, f64)>,
}

impl ExpectedMotion {
    /// Returns the respects in which a motion of these cycles and this duration differs.
    #[must_use]
    pub fn complaints(&self, cycles: &[LoggedCycle], seconds: f64) -> Vec<String> {
        let goals = |joint: Joint| cycles.iter().map(move |cycle| cycle.goal[joint].degrees());
        let way = |joint| {
            let first = goals(joint).next().unwrap_or_default();
            goals(joint).map(|goal| (goal - first).abs()).fold(0.0, f64::max)
        };
        let mut found = Vec::new();
        for &joint in self.moves.iter().filter(|joint| way(**joint) < 1.0) {
            found.push(format!("{} does not move", joint.name()));
        }
        for &joint in self.still.iter().filter(|joint| way(**joint) >= 1.0) {
            found.push(format!("{} moves by {:.1} degrees", joint.name(), way(joint)));
        }
        for (&joint, expected) in &self.ends_at_deg {
            let end = goals(joint).next_back().unwrap_or_default();
            if (end - expected).abs() > self.tolerance_deg {
                found.push(format!("{} ends at {end:.1} degrees, not at {expected}", joint.name()));
            }
        }
        if let Some((least, most)) = self.seconds
            && !(least..=most).contains(&seconds)
        {
            found.push(format!("{seconds:.2} s pass, not {least} to {most}"));
        }
        found
    }
}

const fn two_degrees() -> f64 {
    2.0
}

/// What must come out of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expectation {
    /// It returns this value; numbers may differ by `tolerance`.
    Returns {
        /// The value, as JSON.
        value: Value,
        /// By how much each number may differ.
        #[serde(default)]
        tolerance: f64,
    },
    /// It returns a text that is not empty.
    ReturnsText,
    /// It raises this exception.
    Raises {
        /// The exception's type name, such as `ValueError`.
        exception: String,
    },
    /// It ends within its budget, whatever it returns.
    #[default]
    Anything,
}

impl Expectation {
    /// How a returned value fails it.
    #[must_use]
    pub fn complaint(&self, value: &Value) -> Option<String> {
        match self {
            Expectation::Returns { value: expected, tolerance } => difference(expected, value, *tolerance),
            Expectation::ReturnsText => {
                let text = value.as_str().is_some_and(|text| !text.trim().is_empty());
                (!text).then(|| format!("returned {value}, expected a text"))
            }
            Expectation::Raises { exception } => Some(format!("returned {value}, expected {exception}")),
            Expectation::Anything => None,
        }
    }
}

/// What a tool may do on a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Move the joints.
    Motion,
    /// Switch torque and gravity compensation.
    Motors,
    /// Take pictures.
    Camera,
    /// Follow faces.
    Tracking,
    /// Play sounds.
    Sound,
    /// Hear by the microphones.
    Microphone,
    /// Read bound inputs and write to its output folder.
    Files,
    /// Call other tools of the registry.
    Exec,
}

/// What one call may use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Seconds of stage time.
    #[serde(rename = "robot_time_s")]
    pub robot_time_s: f64,
    /// What the guest may use of the machine.
    #[schema(value_type = Object)]
    pub limits: Limits,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { robot_time_s: 120.0, limits: Limits::default() }
    }
}

/// Where a tool comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// A person, or the brain that wrote it.
    pub author: String,
    /// What was asked for, in the asker's words.
    pub request: String,
    /// The plan that it was written from, step by step; empty without one.
    pub plan: Vec<String>,
    /// The model that wrote it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who signed the bundle that it came in, if it came in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<Signature>,
}

/// The authors that this program has: one writes with a language model, one without.
pub const OWN_AUTHORS: [&str; 2] = ["code agent", "offline author"];

impl Provenance {
    /// Whether this program wrote it, from a person's words alone.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.signer.is_none() && OWN_AUTHORS.contains(&self.author.as_str())
    }

    /// Whether it comes from somebody whom this configuration does not trust.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.signer.as_ref().is_some_and(|signature| !signature.trusted)
    }
}

/// Whose signature a tool's bundle had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// The public key, in lower-case hexadecimal.
    pub key: String,
    /// Whether it was among the trusted ones when the tool was imported.
    pub trusted: bool,
}

/// What an admission rests on; when any of it has changed, the tool is rehearsed again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The version of the policy's rules.
    pub rules: u32,
    /// The hash of the limits, the cycle time and the budget.
    pub limits_sha256: String,
    /// The mock's name and version.
    pub mock: String,
    /// The tools that it calls, and the hashes of their code.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
}

impl Evidence {
    /// Whether this is still so when rules, limits and mock are those.
    #[must_use]
    pub fn rests_on(&self, now: &Evidence) -> bool {
        (self.rules, &self.limits_sha256, &self.mock) == (now.rules, &now.limits_sha256, &now.mock)
    }
}

/// The values of a parameter for which a tool is verified. A missing end is that of its schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Verified {
    /// From here on.
    #[serde(rename = "min", default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Up to here.
    #[serde(rename = "max", default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

impl Verified {
    /// Whether a value is among them.
    #[must_use]
    pub fn covers(&self, value: f64) -> bool {
        self.min.is_none_or(|least| value >= least) && self.max.is_none_or(|most| value <= most)
    }
}

impl std::fmt::Display for Verified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.min, self.max) {
            (Some(least), Some(most)) => write!(f, "from {least} to {most}"),
            (Some(least), None) => write!(f, "from {least} on"),
            (None, Some(most)) => write!(f, "up to {most}"),
            (None, None) => write!(f, "of any value"),
        }
    }
}

/// What a reviewer answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// Who reviewed: `rules`, or a model's name.
    pub by: String,
    /// What could go wrong, in words.
    pub risks: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn manifest() -> Value {
        json!({
            "name": "nod", "version": 1, "description": "Nods.",
            "parameters": {"type": "object", "properties": {}, "required": [], "additionalProperties": false},
            "returns": {"type": "str", "description": ""},
            "examples": [{"arguments": {}}],
            "test_cases": [
                {"name": "once", "arguments": {"n": 1}, "expect": {"returns": {"value": 1.0, "tolerance": 0.1}}},
                {"name": "none", "arguments": {"n": -1}, "expect": {"raises": {"exception": "ValueError"}}},
                {"name": "any", "arguments": {}, "expect": "anything"},
                {"name": "up", "arguments": {}, "expect": "anything",
                    "motion": {"moving_joints": ["stewart_1"], "final_position_deg": {"body_rotation": 0.0}, "tolerance_deg": 2.0}},
            ],
            "dependencies": ["numpy"], "capabilities": ["motion", "exec"],
            "budget": {"robot_time_s": 120.0, "limits":
                {"cpu_seconds": 10, "memory_bytes": 1, "output_bytes": 1, "turn_seconds": 5.0,
                "wall_seconds": 9.0, "frames": 1, "frames_per_second": 1, "motions_per_second": 1, "open_files": 0, "processes": 0}},
            "provenance": {"author": "hand", "request": "nod", "plan": ["nod"]},
            "code_sha256": "00", "evidence": {"rules": 1, "limits_sha256": "00", "mock": "mock-robot 0.1.0"},
            "findings": [], "report": null, "review": {"by": "rules", "risks": []}, "needs_approval": true,
        })
    }

    #[test]
    fn a_manifest_survives_its_json() {
        let read: ToolManifest = serde_json::from_value(manifest()).unwrap();
        assert_eq!(read.capabilities, BTreeSet::from([Capability::Motion, Capability::Exec]));
        assert_eq!(serde_json::to_value(&read).unwrap(), manifest());
    }

    #[test]
    fn an_unknown_key_or_value_is_an_error() {
        for (path, value) in
            [("/unknown", json!(1)), ("/returns/unknown", json!(1)), ("/review/unknown", json!(1))]
        {
            let mut forged = manifest();
            let (parent, key) = path.rsplit_once('/').unwrap();
            forged.pointer_mut(parent).unwrap()[key] = value;
            assert!(serde_json::from_value::<ToolManifest>(forged).is_err(), "{path}");
        }
        let mut forged = manifest();
        forged["capabilities"] = json!(["network"]);
        assert!(serde_json::from_value::<ToolManifest>(forged).is_err());
    }
}
