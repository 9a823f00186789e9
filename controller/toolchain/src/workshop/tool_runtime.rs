//! Starts guests, and finds the tools that guests may call.

use std::collections::BTreeSet;

use minismith_protocol::Limits;
use minismith_protocol::zygote::Profile;
use serde_json::{Map, Value};

use super::Workshop;
use super::registry::{RegisteredTool, Registry};
use super::rehearsal::{GuestStarter, job, permit};
use crate::guest::{Guest, GuestError};
use crate::tool_run::{Callee, CalleeInfo, Callees};
use minismith_analysis::arguments::accept;
use minismith_analysis::files::input::file_parameters;
use minismith_analysis::manifest::{Capability, ToolManifest};

/// The guests of a workshop, and the tools of its registry that they may call.
#[derive(Clone, Copy)]
pub struct ToolRuntime<'a> {
    workshop: &'a Workshop,
    /// Tools that are checked together with one that calls them, and are not registered yet.
    staged: Option<&'a Registry>,
    /// Whether they move real motors.
    is_real: bool,
}

impl<'a> ToolRuntime<'a> {
    /// Creates the value for a context with or without real motors.
    #[must_use]
    pub const fn new(workshop: &'a Workshop, is_real: bool) -> Self {
        ToolRuntime { workshop, staged: None, is_real }
    }

    /// Creates the value for a check in which the tools of `staged` can be called as well.
    pub(super) const fn staged(workshop: &'a Workshop, staged: &'a Registry) -> Self {
        ToolRuntime { workshop, staged: Some(staged), is_real: false }
    }

    fn load(&self, name: &str) -> Result<(RegisteredTool, Option<String>), String> {
        let (tool, function) = split(name);
        let staged = self.staged.and_then(|staged| staged.callable(tool).ok());
        let accepted = match staged {
            Some(staged) => staged,
            None => self.workshop.registry().callable(tool).map_err(|error| error.to_string())?,
        };
        if accepted.checked().entry_of(function).is_none() {
            return Err(no_function(accepted.manifest(), function.unwrap_or_default()));
        }
        Ok((accepted, function.map(ToOwned::to_owned)))
    }
}

/// Splits a tool's name and the function of a toolkit: `greetings.bow`.
#[must_use]
pub fn split(name: &str) -> (&str, Option<&str>) {
    match name.split_once('.') {
        Some((tool, function)) => (tool, Some(function)),
        None => (name, None),
    }
}

/// Returns the message for a function that a toolkit does not have.
#[must_use]
pub fn no_function(manifest: &ToolManifest, function: &str) -> String {
    let known: Vec<&str> = manifest.functions.iter().map(|function| function.name.as_str()).collect();
    if known.is_empty() {
        return format!("{} is one function; call it as {0} alone", manifest.name);
    }
    format!("{} has no function {function:?}; it has {}", manifest.name, known.join(", "))
}

impl GuestStarter for ToolRuntime<'_> {
    fn guest(&self, profile: Profile, limits: Limits) -> Result<Box<dyn Guest>, GuestError> {
        self.workshop.sandbox().guest(profile, limits)
    }

    fn callees(&self) -> Option<&dyn Callees> {
        Some(self)
    }
}

impl Callees for ToolRuntime<'_> {
    fn callee_info(&self, name: &str) -> Result<CalleeInfo, String> {
        let (accepted, _) = self.load(name)?;
        // The capabilities that the source uses now, and the verified ones of the tools that it calls.
        let own = accepted.checked().capabilities();
        let lent = if accepted.checked().tools().is_empty() {
            BTreeSet::<Capability>::new()
        } else {
            accepted.manifest().capabilities.clone()
        };
        Ok(CalleeInfo {
            capabilities: own.union(&lent).copied().collect(),
            sha256: accepted.checked().draft().sha256().to_owned(),
        })
    }

    fn callee(&self, name: &str, arguments: &Map<String, Value>) -> Result<Callee<'_>, String> {
        let (accepted, function) = self.load(name)?;
        let manifest = accepted.manifest();
        if self.is_real && manifest.needs_approval && !accepted.is_approved() {
            return Err(format!("{name} must be approved first: `minismith tool approve {}`", manifest.name));
        }
        let conditions = self.workshop.conditions(accepted.is_approved()).for_tool(&manifest.budget);
        if !accepted.evidence().rests_on(&conditions.evidence()) {
            return Err(format!("the verification of {name} is out of date; `minismith tool add` it again"));
        }
        let vetted = accepted.checked();
        let entry = vetted.entry_of(function.as_deref()).unwrap_or_else(|| vetted.entry());
        accept(&entry.parameters_schema(), arguments).map_err(|complaint| format!("{name}: {complaint}"))?;
        if entry.outputs.is_some() || file_parameters(&entry.parameters_schema()).next().is_some() {
            return Err(format!("{name} reads or writes files; only a person can name them"));
        }
        let guest = self.guest(vetted.profile(), conditions.guest).map_err(|fault| fault.to_string())?;
        Ok(Callee {
            guest,
            job: job(vetted, entry, arguments, false, conditions.guest),
            permit: permit(
                vetted,
                entry,
                manifest.capabilities.clone(),
                self.callees(),
                conditions.robot_time_s,
            ),
            limits: (!accepted.is_approved()).then_some(conditions.limits),
        })
    }
}
