//! Makes a tool from a request in ordinary words that the grammar does not understand: by the composer, and where it does
//! not serve the whole request, by the language model on this computer.

use std::collections::VecDeque;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_contract::Contract;
use minismith_score::Score;

use super::{Conversation, Reply, TurnOutcome};
use crate::agents::Agent;
use crate::agents::coordinator::Assignment;
use crate::agents::turn::Usage;
use crate::author::by_model::{Candidate, Sampled, sample};
use crate::author::{self, Authored, Written, is_authoring_request, is_correction, without_run};
use minismith_language_model::ModelCallError;

/// The largest number of motions that are rehearsed for one request.
const MAX_REHEARSED: usize = 3;

/// The model begins no other answer after this time: a slow computer needs as long again for it.
const MAX_SECONDS_BEFORE_ANSWER: f64 = 20.0;

impl Conversation<'_> {
    /// Makes the requested tool. Returns `None` if the text asks for none, or if a remote language model is there to be
    /// asked.
    pub(super) fn make_from_words(&mut self, text: &str) -> Option<Reply> {
        if self.has_remote_model() || !is_authoring_request(text) {
            return None;
        }
        let (request, runs) = without_run(text);
        Some(self.make_requested(request, runs))
    }

    fn make_requested(&mut self, request: &str, runs: bool) -> Reply {
        let contract = Contract::from_request(request);
        let written = author::read_again(author::composed(request), request, &contract);
        let mut reply = assigned(&format!("make the tool {}", written.name));
        if let [conflict, ..] = contract.conflicts() {
            return declined(reply, &format!("I made nothing: {conflict}."));
        }
        if let Some(why) = self.no_tools() {
            reply.outcome = TurnOutcome::Refused;
            reply.text = format!("I did not make {}: {why}.", written.name);
            return reply;
        }
        let sampled = self.sampled(&written, request, &contract, &mut reply);
        if matches!(sampled.no_answer, Some(ModelCallError::GivenUp)) {
            return Reply { text: "I was stopped.".into(), outcome: TurnOutcome::Stopped, ..reply };
        }
        let notice = sampled.no_answer.map(|no| format!("I worked without the language model: {no}. "));
        let notice = notice.unwrap_or_default();
        let candidates: Vec<Candidate> =
            sampled.candidates.into_iter().filter(Candidate::is_acceptable).take(MAX_REHEARSED - 1).collect();
        // Whichever is kept has the name of the first.
        let name = candidates.first().map_or(&written.name, |candidate| &candidate.score.name).clone();
        // Of what the composer read nothing, only one of two readers vouches for the words: they do not count as shown.
        let left_out = if written.tool.is_err() { written.not_understood.clone() } else { Vec::new() };
        let by_model = |candidate: Candidate| {
            let tool = author::authored(&Score { name: name.clone(), ..candidate.score });
            let model = Some("the model on this computer".to_owned());
            Authored { model, left_out: left_out.clone(), ..tool }
        };
        let mut tools: VecDeque<Authored> = candidates.into_iter().map(by_model).collect();
        let composed_plan = written.tool.as_ref().map(|tool| tool.plan.clone()).ok();
        match written.tool {
            Ok(mut tool) => {
                tool.rename(&written.name, &name);
                tools.push_back(tool);
            }
            Err(why) if tools.is_empty() => {
                return declined(reply, &format!("{notice}I made nothing: {why}."));
            }
            Err(_) => {}
        }
        let Some(first) = tools.pop_front() else { return reply };
        let (said, ending) =
            self.author(name, first, tools.into(), request, &mut VecDeque::new(), &mut reply);
        reply.text = notice + &said;
        reply.outcome = ending;
        if reply.tool.as_ref().is_some_and(|tool| Some(&tool.plan) == composed_plan.as_ref()) {
            told(&mut reply, &written.notes, &written.not_understood);
        }
        let made = reply.tool.as_ref().filter(|tool| tool.version.is_some() && tool.run.is_none());
        if let Some(name) = made.map(|tool| tool.name.clone()).filter(|_| runs && ending == TurnOutcome::Done)
        {
            let (ran, ending) = self.run(&name, serde_json::Map::new(), &mut reply);
            reply.text = format!("{} {ran}", reply.text);
            reply.outcome = ending;
        }
        reply
    }

    /// Asks the model on this computer for motions, where the composer's is not the whole request. What nothing measurable
    /// was read of is not asked for, since nobody could tell whether the answer is right.
    fn sampled(
        &mut self,
        written: &Written,
        request: &str,
        contract: &Contract,
        reply: &mut Reply,
    ) -> Sampled {
        let judged = written.score.clone().map(|score| Candidate::judged(score, contract));
        let is_served = match &judged {
            Some(Ok(candidate)) => {
                candidate.is_acceptable() && written.not_understood.is_empty() && candidate.holds_all()
            }
            Some(Err(_)) => false,
            None => !written.is_open,
        };
        if is_served || contract.is_empty() {
            return Sampled::default();
        }
        let Some(mut mind) = self.agents.take() else { return Sampled::default() };
        let mut spent = Usage::default();
        let given = author::given_name(request);
        let clock = MonotonicClock::start();
        let may_go_on = || clock.now().seconds() < MAX_SECONDS_BEFORE_ANSWER;
        let mut sampled = sample(request, given.as_deref(), contract, &may_go_on, &mut |prompt| {
            let answer = self.ask_model(&mut mind, "code", prompt)?;
            spent.count(answer.tokens);
            Ok(answer)
        });
        self.agents = Some(mind);
        reply.spent = Some(spent);
        // What the composer made gives way only to what shows more of the request: it does what it understood, while a
        // model may have guessed.
        if let Some(Ok(own)) = judged.filter(|own| own.as_ref().is_ok_and(Candidate::is_acceptable)) {
            sampled.candidates.retain(|candidate| candidate.is_better_than(&own));
        }
        sampled
    }

    /// Makes the next version of the tool that the turn before made: "slower", "only twice", "and then bow". Returns
    /// `None` if the text is no such correction, or if a remote language model is there to be asked.
    pub(super) fn correct_last(&mut self, name: &str, text: &str) -> Option<Reply> {
        if self.has_remote_model() || !is_correction(text) {
            return None;
        }
        let name = name.to_owned();
        let accepted = self.workshop.registry().load(&name, None).ok()?;
        let source = accepted.checked().draft().source().to_owned();
        let before = accepted.manifest().provenance.request.clone();
        let written = author::changed(&name, &source, &before, text)?;
        let mut reply = assigned(&format!("change the tool {name}"));
        let tool = match written.tool {
            Err(why) if written.is_beyond_limit => {
                return Some(declined(reply, &format!("I changed nothing: {why}.")));
            }
            tool => tool.ok().filter(|_| written.not_understood.is_empty())?,
        };
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
        told(&mut reply, &written.notes, &[]);
        Some(reply)
    }

    pub(super) fn has_remote_model(&self) -> bool {
        self.agents.as_ref().is_some_and(|mind| !mind.is_local)
    }
}

/// Adds what was assumed and what was left out to the answer.
fn told(reply: &mut Reply, notes: &[String], not_understood: &[String]) {
    if !not_understood.is_empty() {
        let words: Vec<String> = not_understood.iter().map(|words| format!("{words:?}")).collect();
        reply.text = format!("{} I left out what I did not understand: {}.", reply.text, words.join(", "));
    }
    if !notes.is_empty() {
        reply.text = format!("{} I assumed: {}.", reply.text, notes.join("; "));
        if let Some(tool) = &mut reply.tool {
            tool.assumed.extend(notes.iter().cloned());
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
