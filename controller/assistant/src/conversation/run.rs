//! Runs a tool of the registry on this conversation's robot: the checks before, and the reply after.

use serde_json::{Map, Value};

use firmware_bridge::clock::unix_seconds;
use minismith_wire::Job;

use super::{Conversation, NoRun, PerformanceReply};
use minismith_analysis::arguments::accept;
use minismith_analysis::files::input::bind;
use minismith_analysis::finding::{Verdict, heaviest};
use minismith_analysis::manifest::Capability;
use minismith_analysis::report::digest;
use minismith_runtime::outcome::trims;
use minismith_toolchain::performance::{Callees, perform};
use minismith_toolchain::workshop::registry::{Admitted, Quarantine};
use minismith_toolchain::workshop::rehearsal::{Cage, job, permit, rehearse};
use minismith_toolchain::workshop::troupe::{Troupe, no_function, split};
use minismith_toolchain::workshop::usage::Run;

impl Conversation<'_> {
    /// Loads a tool from the registry and runs it on this robot.
    ///
    /// # Errors
    /// [`NoRun`], when it did not start. The reply contains whatever happens once it runs.
    pub fn run_tool(
        &mut self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(u32, PerformanceReply), NoRun> {
        self.in_run(name, |conversation| conversation.load_and_run(name, arguments))
    }

    fn load_and_run(
        &mut self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(u32, PerformanceReply), NoRun> {
        let (tool, function) = split(name);
        let admitted = self.workshop.registry().callable(tool)?;
        let manifest = admitted.manifest();
        let Some((parameters, entry)) =
            manifest.parameters_of(function).zip(admitted.vetted().entry_of(function))
        else {
            return Err(NoRun::Arguments(no_function(manifest, function.unwrap_or_default())));
        };
        accept(parameters, &arguments)
            .map_err(|complaint| NoRun::Arguments(format!("{name}: {complaint}")))?;
        let needs_approval = self.freshen(&admitted)? || manifest.needs_approval;
        let unproved = manifest.beyond_proof(function, &arguments);
        if (needs_approval || unproved.is_some()) && !admitted.is_approved() && self.body.is_real() {
            return Err(NoRun::Approval { name: tool.into(), version: manifest.version, unproved });
        }
        let troupe = Troupe::new(self.workshop, self.body.is_real());
        let conditions = self.workshop.conditions(admitted.is_approved()).for_tool(&manifest.budget);
        let vetted = admitted.vetted();
        // With whole seconds, the differences that a tool computes are those of its rehearsal, to the bit.
        let job =
            Job { epoch: unix_seconds() as f64, ..job(vetted, entry, &arguments, false, conditions.guest) };
        let job = bind(job, &entry.parameters_schema(), &|path, most| self.open(path, most))?;
        // From here on nothing fails before the robot has its own limits back.
        let mut guest = troupe.guest(conditions.guest)?;
        // The run uses the limits of the rehearsal.
        let before = self.stage.conductor.snapshot();
        let full = before.limits;
        self.stage.limit(conditions.limits);
        let _before = self.body.take_trace();
        let noted = self.begin_run(name, &admitted, &arguments);
        let permit =
            permit(vetted, entry, manifest.capabilities.clone(), troupe.callees(), conditions.stage_seconds);
        let span = tracing::info_span!("tool_run", version = i64::from(manifest.version));
        let performance = span.in_scope(|| perform(&mut *guest, job, &mut self.stage, &permit));
        drop(guest);
        self.stage.limit(full);
        let beats = self.body.take_trace();
        let fault = self.stage.conductor.snapshot().fault.filter(|_| before.fault.is_none());
        let quarantine = self.workshop.registry().performed(&Run {
            name: tool,
            version: manifest.version,
            outcome: &performance.outcome,
            trims: performance
                .trims
                .0
                .iter()
                .filter_map(|(_, count)| count.as_ref())
                .map(|count| u64::from(count.beats))
                .sum(),
            seconds: performance.took.as_secs_f64(),
            robot_fault: fault.map(|fault| fault.to_string()).as_deref(),
        });
        let mut notes: Vec<String> = unproved.into_iter().chain(performance.notes).collect();
        notes.extend(
            quarantine.map(|Quarantine { reason, .. }| format!("{tool} is in quarantine now: {reason}")),
        );
        let moves = manifest.capabilities.contains(&Capability::Motion);
        let reply = PerformanceReply {
            outcome: performance.outcome,
            printed: performance.printed,
            took_s: minismith_runtime::outcome::tidy(performance.took.as_secs_f64()),
            frames: performance.frames,
            slips: performance.slips,
            command_digest: if moves { digest(&beats) } else { String::new() },
            trajectory: moves.then(|| self.keep_trajectory(name, &beats)).flatten(),
            steps: performance.steps,
            trims: trims(&performance.trims, self.stage.conductor.period()),
            notes,
            outputs: performance.outputs,
        };
        self.end_run(noted, &reply);
        Ok((manifest.version, reply))
    }

    /// Rehearses the tool again when rules, limits or the simulation have changed, since its evidence is then
    /// void. Returns whether it needs a person's approval.
    fn freshen(&self, admitted: &Admitted) -> Result<bool, NoRun> {
        let manifest = admitted.manifest();
        let conditions = self.workshop.conditions(admitted.is_approved()).for_tool(&manifest.budget);
        let troupe = Troupe::new(self.workshop, false);
        let callees = admitted.evidence().tools.iter();
        let mut unchanged =
            callees.map(|(name, sha256)| troupe.about(name).is_ok_and(|about| about.sha256 == *sha256));
        if admitted.evidence().rests_on(&conditions.evidence()) && unchanged.all(|same| same) {
            return Ok(false);
        }
        tracing::info!(tool = manifest.name, "rules, limits or mock have changed: rehearsing again");
        let again = self.workshop.registry().load(&manifest.name, Some(manifest.version))?.into_vetted();
        match rehearse(again, &manifest.declared(), &troupe, &conditions, &mut |_, _| {})? {
            Ok(again) => Ok(heaviest(again.findings()) >= Verdict::Ask),
            Err(no) => Err(NoRun::Stale { name: manifest.name.clone(), findings: no.findings }),
        }
    }
}
