//! Makes a tool from a request in ordinary words that the grammar does not understand, without a language model.

use std::collections::VecDeque;

use minismith_contract::Contract;

use super::{Conversation, Reply, TurnOutcome};
use crate::agents::Agent;
use crate::agents::coordinator::Assignment;
use crate::author::{self, Written, is_authoring_request, is_correction, without_run};

impl Conversation<'_> {
    /// Makes the requested tool. Returns `None` if the text asks for none, or if a language model is there to be asked.
    pub(super) fn make_from_words(&mut self, text: &str) -> Option<Reply> {
        if self.agents.is_some() || !is_authoring_request(text) {
            return None;
        }
        let written = author::composed(without_run(text));
        Some(self.make_written(written, without_run(text), text))
    }

    fn make_written(&mut self, written: Written, request: &str, text: &str) -> Reply {
        let mut reply = assigned(&format!("make the tool {}", written.name));
        let contract = Contract::from_request(request);
        if let [conflict, ..] = contract.conflicts() {
            return declined(reply, &format!("I made nothing: {conflict}."));
        }
        let tool = match written.tool {
            Ok(tool) => tool,
            Err(why) => return declined(reply, &format!("I made nothing: {why}.")),
        };
        if let Some(why) = self.no_tools() {
            reply.outcome = TurnOutcome::Refused;
            reply.text = format!("I did not make {}: {why}.", written.name);
            return reply;
        }
        let (said, ending) =
            self.author(written.name, tool, Vec::new(), request, &mut VecDeque::new(), &mut reply);
        reply.text = said;
        reply.outcome = ending;
        self.told(&mut reply, &written.notes, &written.not_understood);
        let made = reply.tool.as_ref().filter(|tool| tool.version.is_some() && tool.run.is_none());
        let made = made.map(|tool| tool.name.clone());
        // "... then run it".
        if let Some(name) =
            made.filter(|_| ending == TurnOutcome::Done && request.len() < text.trim_end().len() - 1)
        {
            let (ran, ending) = self.run(&name, serde_json::Map::new(), &mut reply);
            reply.text = format!("{} {ran}", reply.text);
            reply.outcome = ending;
        }
        reply
    }

    /// Makes the next version of the tool that the turn before made: "slower", "only twice", "and then bow". Returns
    /// `None` if the text is no such correction, or if a language model is there to be asked.
    pub(super) fn correct_last(&mut self, name: &str, text: &str) -> Option<Reply> {
        if self.agents.is_some() || !is_correction(text) {
            return None;
        }
        let name = name.to_owned();
        let accepted = self.workshop.registry().load(&name, None).ok()?;
        let source = accepted.checked().draft().source().to_owned();
        let before = accepted.manifest().provenance.request.clone();
        let written = author::changed(&name, &source, &before, text)?;
        let tool = written.tool.ok().filter(|_| written.not_understood.is_empty())?;
        let mut reply = assigned(&format!("change the tool {name}"));
        if let Some(why) = self.no_tools() {
            reply.outcome = TurnOutcome::Refused;
            reply.text = format!("I did not change {name}: {why}.");
            return Some(reply);
        }
        // The change says only what is different, so the expectations of the first request no longer hold.
        let request = format!("{before}; then: {text}");
        let (said, ending) =
            self.verify(&name, tool, Vec::new(), (&request, &Contract::default()), "", &mut reply);
        reply.text = said;
        reply.outcome = ending;
        self.told(&mut reply, &written.notes, &[]);
        Some(reply)
    }

    /// Adds what was assumed and what was left out to the answer.
    fn told(&self, reply: &mut Reply, notes: &[String], not_understood: &[String]) {
        if !not_understood.is_empty() {
            let words: Vec<String> = not_understood.iter().map(|words| format!("{words:?}")).collect();
            reply.text =
                format!("{} I left out what I did not understand: {}.", reply.text, words.join(", "));
        }
        if !notes.is_empty() {
            reply.text = format!("{} I assumed: {}.", reply.text, notes.join("; "));
            if let Some(tool) = &mut reply.tool {
                tool.assumed.extend(notes.iter().cloned());
            }
        }
    }
}

fn assigned(task: &str) -> Reply {
    let plan = vec![Assignment { agent: Agent::Code, task: task.into() }];
    Reply { plan, ..Reply::nothing(String::new(), TurnOutcome::Done) }
}

fn declined(reply: Reply, why: &str) -> Reply {
    Reply { text: why.into(), outcome: TurnOutcome::NotUnderstood, ..reply }
}
