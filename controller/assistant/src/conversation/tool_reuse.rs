//! Checks for similar tools before one is made, and asks the person what to do with them.

use std::collections::VecDeque;
use std::path::Path;

use super::{Conversation, Reply, ToolReply, TurnOutcome};
use crate::agents::code::{AuthoredTool, AuthoringError, commission};
use crate::agents::coordinator::Task;
use crate::author::{self, Authored, without_run};
use minismith_analysis::policy::is_reserved;
use minismith_contract::{Contract, Verdict};
use minismith_nlu::Primitive;
use minismith_score::Parameter;
use minismith_score::score::{SPEED_PARAMETER, TIMES_PARAMETER};
use minismith_toolchain::workshop::lessons::learned;
use minismith_toolchain::workshop::registry::RegistryError;
use minismith_toolchain::workshop::similar_tools::{SimilarTool, arguments_in};

/// What to do about a requested tool.
#[derive(Debug)]
pub(super) enum ReuseDecision {
    /// Write a new tool under this name. `assumed` contains the assumption about a similar tool.
    New { name: String, assumed: String },
    /// Write the next version of the existing tool.
    Change(SimilarTool),
    /// Use the existing tool. `asked` says whether the person chose that, instead of an assumption.
    Use { similar: SimilarTool, is_asked: bool },
    /// The person said stop instead.
    Stopped,
}

/// The person's answer to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Use,
    Change,
    Another,
}

impl Conversation<'_> {
    /// Asks the person. Returns `None` when no person is available.
    pub(super) fn ask(&mut self, question: &str) -> Option<String> {
        self.ask.as_mut().and_then(|ask| ask(question))
    }

    /// Returns why no tool may be made for the speaker, if so.
    pub(super) fn no_tools(&self) -> Option<String> {
        let why = || format!("{} has the role {}, and tools are made for engineers", self.person, self.role);
        (!self.role.makes_tools()).then(why)
    }

    /// Searches for a tool that does what is requested, and if one exists asks the person once what to do.
    pub(super) fn choose(&mut self, name: &str, purpose: &str, models: &Path) -> ReuseDecision {
        let registry = self.workshop.registry();
        let alike = registry.similar_tools(name, purpose, models).unwrap_or_else(|error| {
            tracing::warn!(%error, "whether there is such a tool is not known");
            None
        });
        let Some(alike) = alike else {
            return ReuseDecision::New { name: name.into(), assumed: String::new() };
        };
        let reply = self.ask(&question(&alike));
        if self.context.is_stopped() {
            return ReuseDecision::Stopped;
        }
        let answer = reply.as_deref().and_then(read);
        let another = |assumed: String| ReuseDecision::New { name: self.free_name(name), assumed };
        match answer {
            Some(Answer::Use) => ReuseDecision::Use { similar: alike, is_asked: true },
            Some(Answer::Change) if alike.changeable => ReuseDecision::Change(alike),
            Some(Answer::Change) => {
                another(format!("{} can't be changed, so this is another tool", alike.name))
            }
            Some(Answer::Another) => another(String::new()),
            None if alike.exact => ReuseDecision::Use { similar: alike, is_asked: false },
            None => another(format!("you want another tool beside {}", alike.name)),
        }
    }

    /// Returns this name, or the first one made from it that no tool has.
    fn free_name(&self, name: &str) -> String {
        let taken = self.workshop.registry().list().unwrap_or_default();
        let is_free = |name: &str| taken.iter().all(|entry| entry.name != name);
        if is_free(name) {
            return name.into();
        }
        let numbered = (2..=taken.len() + 2).map(|number| {
            let end = format!("_{number}");
            let stem: String = name.chars().take(minismith_nlu::MAX_NAME_BYTES - end.len()).collect();
            format!("{stem}{end}")
        });
        numbered.into_iter().find(|name| is_free(name)).unwrap_or_else(|| name.into())
    }

    /// Makes a tool from parsed moves. Later parts of the same request (`rest`) then mean the resulting tool,
    /// and run it once.
    pub(super) fn make(
        &mut self,
        (name, body, request): (String, Vec<Primitive>, String),
        rest: &mut VecDeque<Task>,
        reply: &mut Reply,
    ) -> (String, TurnOutcome) {
        if let Some(why) = self.no_tools() {
            return (format!("I did not make {name}: {why}."), TurnOutcome::Refused);
        }
        let request = without_run(&request).0.to_owned();
        let first = match author::compose(&name, &body) {
            Ok(first) => first,
            Err(why) => return (format!("I made nothing: {why}."), TurnOutcome::Refused),
        };
        // Where the motion of these moves is not what was asked for, the words are read in another way.
        let composed = author::composed(&request);
        // Moves have no parameter of their own: "holds it for as many seconds as I say".
        let has_parameter = composed.score.as_ref().is_some_and(|score| {
            let is_own = |parameter: &Parameter| {
                ![TIMES_PARAMETER, SPEED_PARAMETER].contains(&parameter.name.as_str())
            };
            score.parameters.iter().any(is_own)
        });
        let second = composed.tool.ok().filter(|_| composed.not_understood.is_empty()).map(|mut tool| {
            tool.rename(&composed.name, &name);
            tool
        });
        let (first, others) = match second {
            Some(second) if has_parameter => (second, vec![first]),
            second => (first, second.into_iter().collect()),
        };
        self.author(name, first, others, &request, rest, reply)
    }

    /// Has one of these tools made: the first whose motion is what was asked for.
    pub(super) fn author(
        &mut self,
        name: String,
        first: Authored,
        mut others: Vec<Authored>,
        request: &str,
        rest: &mut VecDeque<Task>,
        reply: &mut Reply,
    ) -> (String, TurnOutcome) {
        let models = self.models.clone();
        let (made, before) = match self.choose(&name, &first.purpose, &models) {
            ReuseDecision::Stopped => return ("I was stopped.".into(), TurnOutcome::Stopped),
            ReuseDecision::Use { similar: alike, is_asked: asked } => {
                return self.use_instead(&name, &alike, asked, request, rest, reply);
            }
            ReuseDecision::Change(alike) => {
                let before = format!(
                    " Version {} is kept: `minismith tool rollback {}` goes back to it.",
                    alike.version, alike.name
                );
                (alike.name, before)
            }
            ReuseDecision::New { name: given, assumed } if assumed.is_empty() => (given, String::new()),
            ReuseDecision::New { name: given, assumed } => (given, format!(" I assumed that {assumed}.")),
        };
        // A name that nobody has chosen gives way if it means something else already, such as `nod`.
        let made = if author::given_name(request).is_none() && is_reserved(&made) {
            self.free_name(&format!("{made}_motion"))
        } else {
            made
        };
        rename(rest, &name, &made);
        let contract = Contract::from_request(request);
        let mut first = first;
        for tool in std::iter::once(&mut first).chain(&mut others) {
            tool.rename(&name, &made);
        }
        self.verify(&made, first, others, (request, &contract), &before, reply)
    }

    /// Verifies one of these tools and registers it. `before` is added to the answer.
    pub(super) fn verify(
        &mut self,
        name: &str,
        first: Authored,
        others: Vec<Authored>,
        (request, contract): (&str, &Contract),
        before: &str,
        reply: &mut Reply,
    ) -> (String, TurnOutcome) {
        let (workshop, mut watch) = self.watched_workshop();
        let commissioned = commission(workshop, name, first, others, (request, contract), &mut watch);
        drop(watch);
        if let Ok(AuthoredTool { code, checked, .. }) = &commissioned {
            self.emit(checked);
            self.workshop.registry().store_lessons(&learned(request, code, &checked.findings, None));
        }
        let is_stored = commissioned.as_ref().is_ok_and(|made| made.registered.is_some());
        self.last_made = is_stored.then(|| name.to_owned());
        let (text, ending) = report(name, commissioned, reply);
        (if ending == TurnOutcome::Done { text + before } else { text }, ending)
    }

    /// Runs the existing tool instead of making another one.
    fn use_instead(
        &mut self,
        name: &str,
        alike: &SimilarTool,
        asked: bool,
        request: &str,
        rest: &mut VecDeque<Task>,
        reply: &mut Reply,
    ) -> (String, TurnOutcome) {
        let there = format!("I already have {} ({}), so I wrote nothing", alike.name, alike.purpose);
        let why = if asked { "." } else { "; I assumed that you want to use it." };
        rename(rest, name, &alike.name);
        // The request runs it anyway with "... then run it".
        if rest.iter().any(|task| matches!(task, Task::RunTool { name, .. } if *name == alike.name)) {
            return (format!("{there}{why}"), TurnOutcome::Done);
        }
        let (ran, ending) = self.run(&alike.name, arguments_in(request, alike), reply);
        (format!("{there}{why} {ran}"), ending)
    }
}

/// Returns the question about an existing tool.
fn question(alike: &SimilarTool) -> String {
    let SimilarTool { name, purpose, changeable, .. } = alike;
    let purpose = purpose.trim_end_matches('.');
    let change = if *changeable { " change it," } else { "" };
    format!("I already have `{name}` ({purpose}): use it,{change} or make another?")
}

/// Returns one of the three answers, if the reply is about one of them only and denies nothing.
fn read(reply: &str) -> Option<Answer> {
    let lower = reply.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    if has(&["not", "no", "don't", "dont", "never", "neither"]) {
        return None;
    }
    let said = [
        (has(&["use", "run", "reuse", "existing"]), Answer::Use),
        (has(&["change", "modify", "adapt", "update", "improve"]), Answer::Change),
        (has(&["another", "new", "other", "separate"]), Answer::Another),
    ];
    let mut said = said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, answer)| answer);
    let first = said.next();
    if said.next().is_some() { None } else { first }
}

/// Redirects tasks for the tool of one name to that of another.
fn rename(rest: &mut VecDeque<Task>, from: &str, to: &str) {
    for task in rest {
        if let Task::RunTool { name, .. } = task
            && name == from
        {
            *name = to.into();
        }
    }
}

/// Returns the sentence about what a registered tool was measured to do.
pub(super) fn measured(verdict: &Verdict, account: &str) -> String {
    let account = account.replace('\n', "; ");
    match verdict {
        Verdict::Right => format!(" Measured: {account}."),
        Verdict::Partly { .. } | Verdict::Wrong { .. } => {
            format!(" Not all of the request is shown: {account}.")
        }
    }
}

/// Returns the answer for a commission of the offline author.
fn report(
    name: &str,
    commissioned: Result<AuthoredTool, AuthoringError>,
    reply: &mut Reply,
) -> (String, TurnOutcome) {
    match commissioned {
        Ok(made) => {
            let refusing = made.checked.findings.first().map(ToString::to_string).unwrap_or_default();
            let version = made.registered.as_ref().map(|manifest| manifest.version);
            reply.tool = Some(ToolReply {
                name: made.name,
                version,
                plan: made.plan,
                code: Some(made.code),
                assumed: Vec::new(),
                findings: made.checked.findings,
                report: made.checked.report,
                expectations: made.checked.expectations,
                verdict: Some(made.verdict.clone()),
                run: None,
            });
            match (version, made.verdict) {
                (Some(version), verdict) => {
                    let measured = measured(&verdict, &made.account);
                    (format!("I wrote and verified {name}, version {version}.{measured}"), TurnOutcome::Done)
                }
                (None, Verdict::Wrong { deviations }) => (
                    format!(
                        "I wrote {name}, but it does not do what you asked for, so I did not keep it: {}.",
                        deviations.join("; ")
                    ),
                    TurnOutcome::Refused,
                ),
                (None, _) => {
                    (format!("I wrote {name}, but it was refused: {refusing}."), TurnOutcome::Refused)
                }
            }
        }
        Err(AuthoringError::Registry(error @ RegistryError::Predefined { .. })) => {
            (format!("I did not make it: {error}."), TurnOutcome::Refused)
        }
        Err(error) => (format!("I could not make {name}: {error}."), TurnOutcome::Failed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_one_of_three_answers_or_none() {
        for (said, meant) in [
            ("use", Some(Answer::Use)),
            ("Use it, please.", Some(Answer::Use)),
            ("run the existing one", Some(Answer::Use)),
            ("change it!", Some(Answer::Change)),
            ("make another", Some(Answer::Another)),
            ("a new one", Some(Answer::Another)),
            ("don't use it", None),
            ("change it or make another", None),
            ("yes", None),
            ("", None),
        ] {
            assert_eq!(read(said), meant, "{said}");
        }
    }
}
