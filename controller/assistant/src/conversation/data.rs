//! Handles data in a conversation: files that the person names, and stored data with short names.
//!
//! Code answers questions about the data. The data itself is never pasted into the dialog.

use serde_json::{Value, json};

use firmware_bridge::joint::Joint;
use firmware_bridge::motion_log::LoggedCycle;

use super::{Conversation, Reply, TurnOutcome};
use crate::agents::Agent;
use crate::agents::consent::named_data;
use crate::agents::coordinator::Assignment;
use crate::code_tasks::Request;
use crate::code_tasks::report::Report;
use crate::memory::{Handle, Kind, Object};
use minismith_language_model::{Model, Watch};
use minismith_runtime::report::round_for_display;

/// The maximum length of a tool's value or an answer that is given in full, in characters.
const MAX_VALUE_CHARS: usize = 600;

impl Conversation<'_> {
    /// Answers a question about data named in its words, without a model. Returns `None` where that is not
    /// possible.
    pub(super) fn answer_by_reading(&mut self, text: &str) -> Option<Reply> {
        let files = named_data(&[text.to_owned()]);
        if files.is_empty() {
            return None;
        }
        let report = self.answer_about(None, text, &files).ok().filter(|report| report.success)?;
        let mut reply = Reply::nothing(self.report_answer(&report), TurnOutcome::Done);
        reply.plan.push(Assignment { agent: Agent::Code, task: format!("read {}", files.join(" and ")) });
        reply.answer = Some(report);
        reply.read = files;
        Some(reply)
    }

    /// Has code answer a question about these files and stored data.
    ///
    /// # Errors
    /// Returns a sentence for the person when nothing could be tried.
    pub(super) fn answer_about(
        &self,
        model: Option<&mut dyn Model>,
        question: &str,
        files: &[String],
    ) -> Result<Report, String> {
        let tasks = self.tasks.ok_or("questions about files can be asked at the command line only")?;
        let mut question = question.to_owned();
        let mut given = Vec::new();
        for said in files {
            let (name, bytes) = self.data(said)?;
            // The script gets the file by its name, without a folder.
            question = question.replace(said.as_str(), &name);
            given.push((name, bytes));
        }
        let request = Request { question, files: given };
        let report = tasks.answer(request, model, &mut || self.watch());
        report.map_err(|error| error.to_string())
    }

    /// Returns the answer as text. The session stores the files that came with it.
    pub(super) fn report_answer(&self, report: &Report) -> String {
        if let Some(error) = &report.error {
            return format!("I could not answer that: {error}.");
        }
        let mut text = match &report.answer {
            Value::String(answer) => self.in_short("the answer", answer),
            Value::Null => "That is done.".to_owned(),
            answer => self.in_short("the answer", &answer.to_string()),
        };
        for output in &report.outputs {
            let object =
                Object { kind: Kind::File, about: output.name.clone(), bytes: output.content.0.to_vec() };
            match self.keep_data(&object) {
                Some(handle) => text.push_str(&format!(" It wrote {}, kept as {handle}.", output.name)),
                None => text.push_str(&format!(" It wrote {}.", output.name)),
            }
        }
        for assumption in &report.assumptions {
            text.push_str(&format!(" (Assumed: {assumption}.)"));
        }
        text
    }

    /// Returns a short text unchanged, and the beginning of a long one with the name of the stored whole.
    pub(super) fn in_short(&self, about: &str, text: &str) -> String {
        if text.chars().count() <= MAX_VALUE_CHARS {
            return text.to_owned();
        }
        let beginning: String = text.chars().take(MAX_VALUE_CHARS).collect();
        let bytes = json!({ "text": text }).to_string().into_bytes();
        match self.keep_data(&Object { kind: Kind::Report, about: about.to_owned(), bytes }) {
            Some(handle) => format!("{beginning}... (the whole is kept as {handle})"),
            None => format!("{beginning}... (and more)"),
        }
    }

    /// Stores the motion of the motors during a tool's run.
    pub(super) fn keep_trajectory(&self, tool: &str, cycles: &[LoggedCycle]) -> Option<Handle> {
        // Without a session nothing is stored, and no table is written.
        self.memory.as_ref()?;
        let period = self.context.control.period().as_secs_f64();
        let names = Joint::ALL.map(|joint| format!("{0}_goal_deg,{0}_present_deg", joint.name()));
        let mut table = format!("time_s,{}\n", names.join(","));
        for (position, cycle) in cycles.iter().enumerate() {
            table.push_str(&round_for_display(position as f64 * period).to_string());
            for joint in Joint::ALL {
                let (goal, present) = (cycle.goal[joint].degrees(), cycle.present[joint].degrees());
                table.push_str(&format!(",{},{}", round_for_display(goal), round_for_display(present)));
            }
            table.push('\n');
        }
        let about = format!("goal and present positions of the motors while {tool} ran");
        self.keep_data(&Object { kind: Kind::Trajectory, about, bytes: table.into_bytes() })
    }

    fn keep_data(&self, object: &Object) -> Option<Handle> {
        self.session(|session| session.keep(object))
    }

    /// Returns a file by its name, or stored data by its short name.
    fn data(&self, name: &str) -> Result<(String, Vec<u8>), String> {
        if !Handle::is_one(name) {
            return self
                .open(name, minismith_protocol::MAX_FILE_BYTES as u64)
                .map_err(|error| error.to_string());
        }
        let (memory, id) =
            self.memory.as_ref().ok_or_else(|| format!("nothing is kept as {name} without a session"))?;
        let recalled = memory.session(Some(id)).and_then(|session| session.recall(name));
        let Object { kind, about, bytes } = recalled.map_err(|error| error.to_string())?;
        let name = match kind {
            Kind::File => about,
            Kind::Frame => format!("{name}.jpg"),
            Kind::Trajectory => format!("{name}.csv"),
            Kind::Report => format!("{name}.json"),
        };
        Ok((name, bytes))
    }

    /// Returns whether to go on listening to a model.
    pub(super) fn watch(&self) -> Watch {
        if self.context.is_stopped() { Watch::Off } else { Watch::On }
    }
}
