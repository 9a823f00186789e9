//! Has a language model on this computer write a motion, where the composer does not serve the whole request.
//!
//! The model writes words before code, within a grammar (`grammar`), after the examples that are nearest to the request
//! (`examples`). Each answer becomes a score (`answer`), is simulated, and is judged by the contract of the request, which
//! the model never sees. An answer that moves in another way goes back to the model with what was measured. The best
//! candidates then take the whole path: policy, rehearsal and contract.

mod answer;
mod examples;
mod grammar;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use minismith_contract::{Contract, Verdict};
use minismith_score::{Score, write};

use self::answer::read_answer;
use self::grammar::{Allowed, grammar};
use minismith_language_model::{Completion, Form, Message, ModelAnswer, ModelCallError, Prompt};

/// The constant part of the prompt, which is evaluated once.
const INSTRUCTIONS: &str = include_str!("instructions.md");

/// How many answers a request gets at most.
const MAX_ANSWERS: u32 = 3;

/// The longest answer, tokens.
const MAX_ANSWER_TOKENS: u32 = 220;

/// The longest request that a model gets, characters.
const MAX_REQUEST_CHARS: usize = 600;

/// A motion that may be what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The motion.
    pub score: Score,
    /// The verdict of the contract about the simulated motion.
    pub verdict: Verdict,
    /// What was expected and what was measured instead, a sentence each; also of what the request only suggests.
    unmet: Vec<String>,
}

impl Candidate {
    /// Simulates and judges a motion.
    ///
    /// # Errors
    /// A sentence says which rule of the language the motion breaks.
    pub fn judged(score: Score, contract: &Contract) -> Result<Candidate, String> {
        let measured =
            score.measure_simulated(&contract.expectations()).map_err(|error| error.to_string())?;
        let unmet = measured.iter().filter(|one| !one.held).map(ToString::to_string).collect();
        Ok(Candidate { verdict: contract.verdict(&measured), unmet, score })
    }

    /// Whether nothing that was measured contradicts the request.
    #[must_use]
    pub fn is_acceptable(&self) -> bool {
        !matches!(self.verdict, Verdict::Wrong { .. })
    }

    /// Whether all that was expected was measured, what the request only suggests, too.
    #[must_use]
    pub const fn holds_all(&self) -> bool {
        self.unmet.is_empty()
    }

    /// Whether it shows more of what was asked for than another one.
    #[must_use]
    pub fn is_better_than(&self, other: &Candidate) -> bool {
        self.rank() > other.rank()
    }

    /// Candidates with a larger rank are verified first.
    fn rank(&self) -> (u8, Reverse<usize>) {
        let verdict = match self.verdict {
            Verdict::Right => 2,
            Verdict::Partly { .. } => 1,
            Verdict::Wrong { .. } => 0,
        };
        (verdict, Reverse(self.unmet.len()))
    }
}

/// What a model wrote for a request.
#[derive(Debug, Default)]
pub struct Sampled {
    /// The candidates, best first.
    pub candidates: Vec<Candidate>,
    /// Why the model did not answer, if so.
    pub no_answer: Option<ModelCallError>,
}

/// Has a model write motions for a request until one does what the contract says, three at most. `given` is the person's
/// name for the tool. `may_go_on` says whether there is time for another answer. `ask` puts a prompt to the model.
pub fn sample(
    request: &str,
    given: Option<&str>,
    contract: &Contract,
    may_go_on: &dyn Fn() -> bool,
    ask: &mut dyn FnMut(&Prompt) -> Result<ModelAnswer, ModelCallError>,
) -> Sampled {
    let allowed = allowed(request, contract);
    let mut sampled = Sampled::default();
    let asked: String = request.chars().take(MAX_REQUEST_CHARS).collect();
    let mut dialog: Vec<Message> = Vec::new();
    for example in examples::nearest(&asked) {
        dialog.extend([Message::person(example.request), Message::model(example.answer)]);
    }
    dialog.push(Message::person(asked));
    let mut repair: Vec<Message> = Vec::new();
    for sample in 0..MAX_ANSWERS {
        if sample > 0 && !may_go_on() {
            break;
        }
        let messages = [dialog.clone(), std::mem::take(&mut repair)].concat();
        let form = Form::Grammar { gbnf: grammar(allowed), sample };
        let prompt = Prompt {
            purpose: "author",
            instructions: INSTRUCTIONS.to_owned(),
            messages,
            form,
            max_tokens: MAX_ANSWER_TOKENS,
        };
        let text = match ask(&prompt) {
            Ok(ModelAnswer { completion: Completion::Text(text), .. }) => text,
            // Another answer may fit into its length.
            Ok(_) | Err(ModelCallError::Unusable { .. }) => continue,
            Err(no) => {
                sampled.no_answer = Some(no);
                break;
            }
        };
        let judged = read_answer(&text, given, allowed).and_then(|score| Candidate::judged(score, contract));
        let complaint = match judged {
            Ok(candidate) => {
                let complaint = (!candidate.holds_all()).then(|| candidate.unmet.join(". "));
                sampled.candidates.push(candidate);
                complaint
            }
            Err(why) => Some(why),
        };
        let Some(complaint) = complaint else { break };
        repair = vec![
            Message::model(text),
            Message::person(format!("The motion was measured: {complaint}. Write the whole answer again.")),
        ];
    }
    sampled.candidates.sort_by_key(|candidate| Reverse(candidate.rank()));
    sampled.candidates.dedup_by(|one, other| write(&one.score) == write(&other.score));
    sampled
}

/// Returns what the steps may contain: only what the request speaks of.
fn allowed(request: &str, contract: &Contract) -> Allowed {
    let expects = contract.expectations();
    let calls = expects.parameter_calls();
    let has = |name: &str| calls.iter().any(|call| call.0 == name);
    let lower = request.to_lowercase();
    let says = |any: &[&str]| lower.split(|c: char| !c.is_alphanumeric()).any(|word| any.contains(&word));
    Allowed {
        events: !expects.events().is_empty() || says(&EVENT_WORDS),
        times: has("times"),
        degrees: has("degrees"),
        seconds: has("seconds"),
        size: has("size"),
        photo: says(&PHOTO_WORDS),
    }
}

/// Words of requests for a photo.
const PHOTO_WORDS: [&str; 8] =
    ["photo", "photos", "picture", "pictures", "photograph", "snapshot", "snapshots", "selfie"];

/// Words of requests that react to something.
const EVENT_WORDS: [&str; 22] = [
    "when", "whenever", "until", "if", "face", "faces", "person", "somebody", "someone", "anyone", "anybody",
    "people", "see", "sees", "hear", "hears", "clap", "claps", "voice", "touch", "touched", "tilted",
];
