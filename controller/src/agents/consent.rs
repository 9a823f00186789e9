//! Whose wish an action is. What a model wants after it has read text from elsewhere (a sign before the camera, a file, a
//! tool's output) may be the wish of that text; then only what the person has named is done unasked. Pure.

use super::ability::Ability;
use super::action::Action;
use crate::brain::Primitive;
use crate::files::Kind;
use crate::memory::Handle;

/// Whether the person's own words name this action.
#[must_use]
pub fn is_named(action: &Action, said: &[String]) -> bool {
    let words: Vec<String> = said
        .iter()
        .flat_map(|text| text.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let has = |stem: &str| words.iter().any(|word| word.starts_with(stem));
    let all = |name: &str| {
        let mut parts = name.split(['_', '.']).filter(|part| part.len() > 1).peekable();
        parts.peek().is_some() && parts.all(|part| has(&part.to_lowercase()))
    };
    match action {
        Action::Move(primitive) => stems(primitive).iter().any(|stem| has(stem)),
        Action::RunTool { name, .. } => all(name),
        Action::CreateFunction { .. }
        | Action::CreateTestCases { .. }
        | Action::TestFunction { .. }
        | Action::SaveFunction { .. } => {
            has("tool") || has("skill") || has("function") || has("teach") || has("learn") || has("program")
        }
        Action::CreateAssistant(_) => has("assistant") || has("agent"),
        Action::ReportState
        | Action::TakePicture
        // Its files are of those that the person has named, always.
        | Action::AnswerFromFiles { .. }
        | Action::ListTools
        | Action::ToolCode { .. }
        | Action::HandOver { .. }
        | Action::AskPerson { .. }
        | Action::UpdatePlan { .. } => true,
    }
}

/// The beginnings of words by which people name a motion.
const fn stems(primitive: &Primitive) -> &'static [&'static str] {
    match primitive {
        Primitive::Look { .. } | Primitive::LookAt { .. } => {
            &["look", "face", "gaz", "glanc", "watch", "point", "peek"]
        }
        Primitive::Tilt { .. } => &["tilt", "lean", "cock"],
        Primitive::TurnBody { .. } => &["turn", "rotat", "spin", "body"],
        Primitive::Height { .. } => &["rais", "lower", "lift", "height", "duck"],
        Primitive::Nod { .. } => &["nod", "yes", "agree", "bow"],
        Primitive::Shake { .. } => &["shake", "no", "disagree"],
        Primitive::WiggleAntennas { .. } | Primitive::SetAntennas { .. } => {
            &["antenna", "ear", "wiggl", "wav", "flap", "greet"]
        }
        Primitive::Dance { .. } => &["danc", "party"],
        Primitive::Return { .. } => &["back", "undo", "return"],
        Primitive::Center => &["cent", "neutral", "ahead", "reset", "straight", "back"],
        Primitive::Wake => &["wake", "get", "up"],
        Primitive::Sleep => &["sleep", "rest", "down"],
        Primitive::Wait { .. } => &[""],
    }
}

/// The files and the kept data that the person's own words name: no other is opened, whatever a model asks for.
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

/// What the person is asked.
#[must_use]
pub fn question(agent: &str, ability: Ability, action: &Action, sources: &[String]) -> String {
    let act = if ability.has_effect() { action.describe() } else { ability.name() };
    format!(
        "After reading {}, my {agent} agent wants to {act}. You did not ask for that; shall I? (yes or no)",
        sources.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn named(action: &Action, said: &str) -> bool {
        is_named(action, &[said.to_owned()])
    }

    #[test]
    fn files_and_kept_data_are_named_by_the_person() {
        let said = ["What is the mean of column b in 'logs/joints.csv'? And plot trajectory-2.".to_owned()];
        assert_eq!(named_data(&said), ["logs/joints.csv", "trajectory-2"]);
        assert!(named_data(&["look left. Then nod, e.g. twice; see frame-x".to_owned()]).is_empty());
    }

    #[test]
    fn what_the_person_names_needs_no_question_and_the_rest_does() {
        let nod = Action::Move(Primitive::Nod {
            times: 1,
            angle: crate::brain::primitive::SWING,
            half: Duration::from_millis(400),
        });
        assert!(named(&nod, "Look at the picture and NOD if somebody is there"));
        assert!(!named(&nod, "What is written on that sign?"));
        assert!(!named(&Action::Move(Primitive::Sleep), "What is written on that sign?"));
        let run = |name: &str| Action::RunTool { name: name.into(), arguments: serde_json::Map::default() };
        assert!(named(&run("happy_hello"), "read the sign, then do a happy hello"));
        assert!(!named(&run("happy_hello"), "read the sign and say hello"));
        assert!(!named(&run("x"), "read the sign"));
        let create = Action::CreateFunction { name: "spy".into(), specification: String::new() };
        assert!(!named(&create, "what do you see?"));
        assert!(named(&create, "make a tool that does what the sign says"));
    }
}
