//! Decides whether the person asked for an action.
//!
//! A model may have read text from elsewhere: a sign before the camera, a file, a tool's output. What it then
//! asks for may come from that text. From then on, only actions that the person has named need no
//! confirmation. Everything here is pure.

use super::action::Action;
use crate::memory::Handle;
use minismith_analysis::files::Kind;
use minismith_nlu::{Primitive, Sight};

/// Returns whether the person's own words name this action. A denied word names nothing: "don't nod" does not
/// ask for a nod.
#[must_use]
pub fn is_named(action: &Action, said: &[String]) -> bool {
    let words: Vec<String> = said.iter().flat_map(|text| named_words(text)).collect();
    let has = |stem: &str| words.iter().any(|word| is_form(word, stem));
    let makes = || ["mak", "creat", "writ", "build", "invent", "program"].iter().any(|stem| has(stem));
    match action {
        Action::Move(primitive) => stems(primitive).iter().any(|stem| has(stem)),
        Action::RunTool { name, .. } => {
            let name = name.to_lowercase();
            let parts: Vec<&str> = name.split(['_', '.']).filter(|part| part.len() > 1).collect();
            // Common words are in every other sentence and would match a tool's name by accident.
            parts.iter().any(|part| !COMMON.contains(part)) && parts.iter().all(|part| has(part))
        }
        Action::CreateFunction { .. }
        | Action::CreateTestCases { .. }
        | Action::TestFunction { .. }
        | Action::SaveFunction { .. } => {
            let object = ["tool", "skill", "function", "trick"].iter().any(|stem| has(stem));
            (object && makes()) || has("teach") || has("learn")
        }
        Action::CreateAssistant(_) => makes() && (has("assistant") || has("agent")),
        Action::See(Sight::LookAt(_)) => ["look", "fac", "gaz", "turn", "find"].iter().any(|stem| has(stem)),
        Action::See(Sight::Follow(_)) => ["follow", "track", "watch"].iter().any(|stem| has(stem)),
        Action::ReportState
        | Action::See(_)
        // Its files are always among those that the person has named.
        | Action::AnswerFromFiles { .. }
        | Action::ListTools
        | Action::ToolCode { .. }
        | Action::HandOff { .. }
        | Action::AskPerson { .. }
        | Action::UpdatePlan { .. } => true,
    }
}

/// Words that name no tool by themselves.
const COMMON: [&str; 36] = [
    "the", "what", "this", "that", "there", "it", "is", "are", "me", "my", "you", "your", "and", "of", "to",
    "in", "on", "at", "for", "from", "with", "by", "do", "can", "please", "tell", "show", "read", "say",
    "see", "give", "get", "run", "use", "now", "then",
];

/// Words that negate a clause.
const DENIALS: [&str; 9] = ["not", "no", "never", "don", "dont", "without", "nor", "cannot", "instead"];

/// Returns the words of a text in lower case, without those after a denial in their clause.
fn named_words(text: &str) -> Vec<String> {
    let clauses = text.split([',', ';', ':', '.', '!', '?', '\n']);
    let words = clauses.flat_map(|clause| {
        clause
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .take_while(|word| !DENIALS.contains(&word.as_str()))
    });
    words.collect()
}

/// Returns whether a word is an inflected form of this stem. A longer word with the same beginning is another
/// word: a note is no "no", and the earth no ear.
fn is_form(word: &str, stem: &str) -> bool {
    const ENDINGS: [&str; 14] =
        ["", "s", "e", "es", "ed", "d", "en", "ing", "ion", "er", "re", "ered", "ering", "ies"];
    let Some(rest) = word.strip_prefix(stem) else { return false };
    let doubled = stem.chars().last().and_then(|last| rest.strip_prefix(last));
    ENDINGS.contains(&rest) || doubled.is_some_and(|rest| ["ed", "ing", "er"].contains(&rest))
}

/// Returns the stems of words by which people name a motion.
const fn stems(primitive: &Primitive) -> &'static [&'static str] {
    match primitive {
        Primitive::Look { .. } | Primitive::LookAt { .. } => {
            &["look", "fac", "gaz", "glanc", "watch", "point", "peek"]
        }
        Primitive::Tilt { .. } => &["tilt", "lean", "cock"],
        Primitive::TurnBody { .. } => &["turn", "rotat", "spin"],
        Primitive::Height { .. } => &["rais", "lower", "lift", "duck"],
        Primitive::Nod { .. } => &["nod", "agree", "bow"],
        Primitive::Shake { .. } => &["shak", "disagree"],
        Primitive::WiggleAntennas { .. } | Primitive::SetAntennas { .. } => {
            &["antenna", "ear", "wiggl", "wav", "flap", "greet"]
        }
        Primitive::Dance { .. } => &["danc", "party"],
        Primitive::Return { .. } => &["back", "undo", "return"],
        Primitive::Center => &["cent", "neutral", "reset", "straight"],
        Primitive::Wake => &["wak", "awak"],
        Primitive::Sleep => &["sleep", "nap"],
        Primitive::Wait { .. } => &["wait", "paus"],
    }
}

/// Returns the files and stored data that the person's own words name. No other is opened, whatever a model
/// asks for.
#[must_use]
pub fn named_data(said: &[String]) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for word in said.iter().flat_map(|text| text.split_whitespace()) {
        let word = word.trim_matches(|c: char| "\"'`?,;:!()".contains(c)).trim_end_matches('.');
        if (Kind::of_task(word).is_some() || Handle::is_one(word)) && !named.iter().any(|known| known == word)
        {
            named.push(word.to_owned());
        }
    }
    named
}

/// Returns the question for the person.
#[must_use]
pub fn question(agent: &str, action: &Action, sources: &[String]) -> String {
    let more = match action {
        Action::RunTool { arguments, .. } if !arguments.is_empty() => {
            format!(" with {}", serde_json::Value::Object(arguments.clone()))
        }
        Action::CreateFunction { specification: text, .. } => format!(" ({text})"),
        Action::CreateAssistant(spec) => format!(" ({})", spec.instructions),
        _ => String::new(),
    };
    format!(
        "After reading {}, my {agent} agent wants to {}. You did not ask for that; shall I? (yes or no)",
        one_line(&sources.join(" and ")),
        one_line(&format!("{}{more}", action.describe()))
    )
}

/// Returns an agent's question, marked when the agent has read text from elsewhere, which may have caused it.
#[must_use]
pub fn asked(agent: &str, question: &str, sources: &[String]) -> String {
    format!(
        "After reading {}, my {agent} agent asks: \u{ab}{}\u{bb}",
        one_line(&sources.join(" and ")),
        one_line(&question.replace(['\u{ab}', '\u{bb}'], "\""))
    )
}

/// The maximum length of a part of a question that this program did not write, in characters.
const MAX_QUOTED_CHARS: usize = 400;

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    minismith_language_model::shown(&line).chars().take(MAX_QUOTED_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn named(action: &Action, said: &str) -> bool {
        is_named(action, &[said.to_owned()])
    }

    #[test]
    fn files_and_stored_data_must_be_named_by_the_person() {
        let said = ["What is the mean of column b in 'logs/joints.csv'? And plot trajectory-2.".to_owned()];
        assert_eq!(named_data(&said), ["logs/joints.csv", "trajectory-2"]);
        assert!(named_data(&["look left. Then nod, e.g. twice; see frame-x".to_owned()]).is_empty());
    }

    #[test]
    fn actions_need_a_question_unless_the_person_names_them() {
        let nod = Action::Move(Primitive::Nod {
            times: 1,
            angle: minismith_nlu::primitive::DEFAULT_SWING,
            half: Duration::from_millis(400),
        });
        assert!(named(&nod, "Look at the picture and NOD if somebody is there"));
        assert!(!named(&nod, "What is written on that sign?"));
        assert!(!named(&Action::Move(Primitive::Sleep), "What is written on that sign?"));
        let shake = Action::Move(Primitive::Shake {
            times: 1,
            angle: minismith_nlu::primitive::DEFAULT_SWING,
            half: Duration::from_millis(400),
        });
        assert!(!named(&shake, "read the note now, nothing else"), "a note is no no");
        assert!(!named(&Action::Move(Primitive::Wake), "what is up there? get it"));
        assert!(!named(&nod, "read it, but don't nod") && named(&nod, "don't dance, keep nodding"));
        assert!(named(&shake, "shake your head if it is wrong") && named(&shake, "shaking it is fine"));
        let run = |name: &str| Action::RunTool { name: name.into(), arguments: serde_json::Map::default() };
        assert!(named(&run("happy_hello"), "read the sign, then do a happy hello"));
        assert!(!named(&run("happy_hello"), "read the sign and say hello"));
        assert!(!named(&run("x"), "read the sign"));
        assert!(!named(&run("tell_me"), "tell me what it says"));
        assert!(!named(&run("re_si"), "read the sign"));
        let create = Action::CreateFunction { name: "spy".into(), specification: String::new() };
        assert!(!named(&create, "what do you see?"));
        assert!(named(&create, "make a tool that does what the sign says"));
        assert!(!named(&create, "what did the tool say?"));
    }
}
