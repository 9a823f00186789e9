//! Runs a tool of the registry on this conversation's robot: the checks before, and the reply after.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use firmware_bridge::clock::unix_seconds;
use minismith_protocol::Job;

use super::{Conversation, ToolRunError, ToolRunReply};
use minismith_analysis::arguments::accept;
use minismith_analysis::files::input::bind;
use minismith_analysis::finding::{Verdict, most_severe};
use minismith_analysis::manifest::Capability;
use minismith_analysis::report::digest;
use minismith_runtime::report::clamp_reports;
use minismith_toolchain::tool_run::{Callees, MAX_RECORDED_DATA, Permissions, execute};
use minismith_toolchain::workshop::registry::{Quarantine, RegisteredTool};
use minismith_toolchain::workshop::rehearsal::{GuestStarter, job, permit, rehearse};
use minismith_toolchain::workshop::tool_runtime::{ToolRuntime, no_function, split};
use minismith_toolchain::workshop::usage::Run;

/// The result of a tool that was run by name.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunResult {
    /// Its name.
    pub name: String,
    /// The version that ran.
    pub version: u32,
    /// The result. Over the network each of its `outputs` has its content as `base64`.
    #[serde(rename = "performance")]
    pub tool_run: ToolRunReply,
}

impl Conversation<'_> {
    /// Loads a tool from the registry and runs it on this robot.
    ///
    /// # Errors
    /// [`ToolRunError`], when it did not start. The reply contains whatever happens once it runs.
    pub fn run_tool(
        &mut self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(u32, ToolRunReply), ToolRunError> {
        self.in_run(name, |conversation| conversation.load_and_run(name, arguments))
    }

    fn load_and_run(
        &mut self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(u32, ToolRunReply), ToolRunError> {
        let (tool, function) = split(name);
        let accepted = self.workshop.registry().callable(tool)?;
        let manifest = accepted.manifest();
        let Some((parameters, entry)) =
            manifest.parameters_of(function).zip(accepted.checked().entry_of(function))
        else {
            return Err(ToolRunError::Arguments(no_function(manifest, function.unwrap_or_default())));
        };
        accept(parameters, &arguments)
            .map_err(|complaint| ToolRunError::Arguments(format!("{name}: {complaint}")))?;
        let needs_approval = self.freshen(&accepted)? || manifest.needs_approval;
        let unproved = manifest.outside_verified_range(function, &arguments);
        if (needs_approval || unproved.is_some()) && !accepted.is_approved() && self.body.is_real() {
            return Err(ToolRunError::Approval { name: tool.into(), version: manifest.version, unproved });
        }
        let runtime = ToolRuntime::new(self.workshop, self.body.is_real());
        let conditions = self.workshop.conditions(accepted.is_approved()).for_tool(&manifest.budget);
        let vetted = accepted.checked();
        // With whole seconds, the differences that a tool computes are those of its rehearsal, to the bit.
        let job =
            Job { epoch: unix_seconds() as f64, ..job(vetted, entry, &arguments, false, conditions.guest) };
        let job = bind(job, &entry.parameters_schema(), &|path, most| self.open(path, most))?;
        // From here on nothing fails before the robot has its own limits back.
        let mut guest = runtime.guest(vetted.profile(), conditions.guest)?;
        // The run uses the limits of the rehearsal.
        let before = self.context.control.snapshot();
        let full = before.limits;
        self.context.limit(conditions.limits);
        let _before = self.body.take_trace();
        let noted = self.begin_run(name, &accepted, &arguments);
        let permit = Permissions {
            max_recorded_data: (self.body.is_real() && !accepted.is_approved()).then_some(MAX_RECORDED_DATA),
            ..permit(vetted, entry, manifest.capabilities.clone(), runtime.callees(), conditions.robot_time_s)
        };
        let span = tracing::info_span!("tool_run", version = i64::from(manifest.version));
        let tool_run = span.in_scope(|| execute(&mut *guest, job, &mut self.context, &permit));
        drop(guest);
        self.context.limit(full);
        let cycles = self.body.take_trace();
        let fault = self.context.control.snapshot().fault.filter(|_| before.fault.is_none());
        let quarantine = self.workshop.registry().executed(&Run {
            name: tool,
            version: manifest.version,
            outcome: &tool_run.outcome,
            clamps: tool_run
                .clamps
                .0
                .iter()
                .filter_map(|(_, count)| count.as_ref())
                .map(|count| u64::from(count.cycles))
                .sum(),
            seconds: tool_run.duration.as_secs_f64(),
            robot_fault: fault.map(|fault| fault.to_string()).as_deref(),
        });
        let mut notes: Vec<String> = unproved.into_iter().chain(tool_run.notes).collect();
        notes.extend(
            quarantine.map(|Quarantine { reason, .. }| format!("{tool} is in quarantine now: {reason}")),
        );
        let moves = manifest.capabilities.contains(&Capability::Motion);
        let reply = ToolRunReply {
            outcome: tool_run.outcome,
            printed: tool_run.printed,
            duration_s: minismith_runtime::report::round_for_display(tool_run.duration.as_secs_f64()),
            frames: tool_run.frames,
            stalls: tool_run.stalls,
            command_digest: if moves { digest(&cycles) } else { String::new() },
            trajectory: moves.then(|| self.keep_trajectory(name, &cycles)).flatten(),
            steps: tool_run.steps,
            clamps: clamp_reports(&tool_run.clamps, self.context.control.period()),
            notes,
            outputs: tool_run.outputs,
        };
        self.end_run(noted, &reply);
        Ok((manifest.version, reply))
    }

    /// Rehearses the tool again when rules, limits or the simulation have changed, since its evidence is then
    /// void. Returns whether it needs a person's approval.
    fn freshen(&self, accepted: &RegisteredTool) -> Result<bool, ToolRunError> {
        let manifest = accepted.manifest();
        let conditions = self.workshop.conditions(accepted.is_approved()).for_tool(&manifest.budget);
        let runtime = ToolRuntime::new(self.workshop, false);
        let callees = accepted.evidence().tools.iter();
        let mut unchanged = callees
            .map(|(name, sha256)| runtime.callee_info(name).is_ok_and(|about| about.sha256 == *sha256));
        if accepted.evidence().rests_on(&conditions.evidence()) && unchanged.all(|same| same) {
            return Ok(false);
        }
        tracing::info!(tool = manifest.name, "rules, limits or mock have changed: rehearsing again");
        let again = self.workshop.registry().load(&manifest.name, Some(manifest.version))?.into_checked();
        match rehearse(again, &manifest.declared(), &runtime, &conditions, &mut |_, _| {})? {
            Ok(again) => Ok(most_severe(again.findings()) >= Verdict::NeedsApproval),
            Err(no) => Err(ToolRunError::Stale { name: manifest.name.clone(), findings: no.findings }),
        }
    }
}
