//! Compares two versions of a tool: the code line by line, and the manifests field by field.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value, json};
use similar::TextDiff;

use super::sources::read_sources;
use super::storage::versions_in;
use super::{Registry, RegistryError, read_manifest, the_version};
use minismith_analysis::manifest::ToolManifest;

/// Number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// The difference between two versions.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// Name of the tool.
    pub name: String,
    /// Older version.
    pub from: u32,
    /// Newer version.
    pub to: u32,
    /// Modules that differ.
    pub modules: Vec<ModuleChange>,
    /// Fields of the manifest that differ.
    pub manifest: Vec<Change>,
}

/// The difference of one module.
#[derive(Clone, Debug, Serialize)]
pub struct ModuleChange {
    /// Stem of the file name.
    pub module: String,
    /// A unified diff. One side is empty for an added or removed module.
    pub diff: String,
}

/// A field of the manifest that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Path of the field, such as `parameters.times.maximum`.
    pub what: String,
    /// Older value, if any.
    pub from: Option<Value>,
    /// Newer value, if any.
    pub to: Option<Value>,
}

impl Registry {
    /// Compares version `from` with version `to`.
    ///
    /// Without version numbers, it compares the current version with the one before it.
    ///
    /// # Errors
    /// Returns an error if a version does not exist or cannot be read.
    pub fn difference(
        &self,
        name: &str,
        from: Option<u32>,
        to: Option<u32>,
    ) -> Result<Difference, RegistryError> {
        let place = self.folder(name)?;
        let folder = place.files();
        let to = the_version(name, to.unwrap_or(place.state()?.current), folder)?;
        let from = match from {
            Some(from) => the_version(name, from, folder)?,
            None => versions_in(folder)?
                .into_iter()
                .rfind(|version| *version < to)
                .ok_or_else(|| RegistryError::OneVersion { name: name.into(), version: to })?,
        };
        let side = |version| {
            let (main, others) = read_sources(folder, version, name)?;
            let mut modules: BTreeMap<String, String> = BTreeMap::new();
            for (stem, bytes) in others.into_iter().flatten().chain([(name.to_owned(), main)]) {
                modules.insert(stem, String::from_utf8_lossy(&bytes).into_owned());
            }
            Ok::<_, RegistryError>((modules, relevant_fields(&read_manifest(folder, version)?)))
        };
        let ((old_code, old), (new_code, new)) = (side(from)?, side(to)?);
        let stems: BTreeSet<&String> = old_code.keys().chain(new_code.keys()).collect();
        let text = |modules: &BTreeMap<String, String>, stem| modules.get(stem).cloned().unwrap_or_default();
        let modules = stems.into_iter().filter_map(|stem| {
            let (old, new) = (text(&old_code, stem), text(&new_code, stem));
            (old != new).then(|| ModuleChange {
                module: stem.clone(),
                diff: TextDiff::from_lines(&old, &new)
                    .unified_diff()
                    .context_radius(CONTEXT)
                    .header(&format!("{stem}.py v{from}"), &format!("{stem}.py v{to}"))
                    .to_string(),
            })
        });
        let modules = modules.collect();
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let manifest = keys.into_iter().filter(|key| old.get(*key) != new.get(*key)).map(|key| Change {
            what: key.clone(),
            from: old.get(key).cloned(),
            to: new.get(key).cloned(),
        });
        Ok(Difference { name: name.into(), from, to, modules, manifest: manifest.collect() })
    }
}

/// Returns the fields of a manifest that matter to callers and to people near the robot, by path.
fn relevant_fields(manifest: &ToolManifest) -> BTreeMap<String, Value> {
    let mut parameters = manifest.parameters.clone();
    // The path is `parameters.times`, not `parameters.properties.times`.
    let properties = parameters.get_mut("properties").map(Value::take).unwrap_or_default();
    let mut fields = BTreeMap::new();
    flatten("parameters", &properties, &mut fields);
    let figures = manifest.report.as_ref().map(|report| {
        let mut figures = json!(report);
        // The duration on some machine and a hash do not describe the tool.
        if let Some(figures) = figures.as_object_mut() {
            figures.retain(|key, _| !["wall_s", "command_digest"].contains(&key.as_str()));
        }
        figures
    });
    let others = [
        ("description", json!(manifest.description)),
        ("required", parameters.get("required").cloned().unwrap_or_default()),
        ("returns", json!(manifest.returns)),
        ("functions", by_name(&json!(manifest.functions))),
        ("dependencies", json!(manifest.dependencies)),
        ("tools", json!(manifest.tools)),
        ("capabilities", json!(manifest.capabilities)),
        ("budget", json!(manifest.budget)),
        ("test_cases", by_name(&json!(manifest.test_cases))),
        ("needs_approval", json!(manifest.needs_approval)),
        ("report", figures.unwrap_or_default()),
    ];
    for (key, value) in others {
        flatten(key, &value, &mut fields);
    }
    fields
}

/// Indexes a list of named items by name.
fn by_name(list: &Value) -> Value {
    let named = |item: &Value| Some((item.get("name")?.as_str()?.to_owned(), item.clone()));
    Value::Object(list.as_array().into_iter().flatten().filter_map(named).collect::<Map<_, _>>())
}

fn flatten(key: &str, value: &Value, fields: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                flatten(&format!("{key}.{name}"), value, fields);
            }
        }
        Value::Null => {}
        value => {
            fields.insert(key.to_owned(), value.clone());
        }
    }
}
