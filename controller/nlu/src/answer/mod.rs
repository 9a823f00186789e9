//! Short answers to texts that need no motion. They promise nothing that the robot cannot do.

pub mod about;
pub mod account;

use minismith_commands::describe::{Answer, answer as spoken_answer};

use super::intent::{Reason, Understanding};
use super::known::Known;

/// Lists the commands with examples.
#[must_use]
pub fn help() -> String {
    "I move my head, body and antennas, and I can compose new tools from these motions. Examples:
  look left 20 degrees, then nod twice
  tilt your head right 10 degrees for 2 seconds
  turn left 45 degrees in 3 seconds
  raise your head 1 cm; shake your head; wiggle your antennas three times
  put your antennas down; dance for 10 seconds; center; wake up; go to sleep; wait 2 seconds
  make a tool called happy_hello that nods three times and wiggles the antennas, then run it
  run happy_hello with times 2 and speed 1.5
  what do you see; status; list your tools
Directions are mine, angles count from straight ahead. \"stop\" halts me at once, whatever else is said."
        .to_owned()
}

/// How many tools are described when a person asks for all; of more, only the names are told.
const MAX_DESCRIBED_TOOLS: usize = 12;

/// Lists the tools.
#[must_use]
pub fn tools(known: &Known<'_>) -> String {
    if known.tools.is_empty() {
        return "I have no tools yet; say for example \"make a tool called hello that nods twice\".".into();
    }
    // So many sentences are too long to hear.
    if known.tools.len() > MAX_DESCRIBED_TOOLS {
        let names: Vec<&str> = known.tools.iter().map(|tool| tool.name.as_str()).collect();
        return format!(
            "I have {} tools: {}. Ask \"what does {} do?\" about one of them.",
            names.len(),
            names.join(", "),
            names.first().copied().unwrap_or_default()
        );
    }
    let first_line = |text: &str| text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
    let tools = known.tools.iter().map(|tool| format!("{} ({})", tool.name, first_line(&tool.description)));
    format!("I have these tools: {}.", tools.collect::<Vec<_>>().join("; "))
}

/// Explains why nothing is done, and what to say instead; none if something is done.
#[must_use]
pub fn refusal(understanding: &Understanding) -> Option<String> {
    Some(match understanding {
        Understanding::Stop | Understanding::Plan(_) => return None,
        Understanding::Foreign { language, words } => spoken_answer(Answer::Unclear(words), language),
        Understanding::Empty => "I heard nothing. Say \"help\" to hear what I understand.".to_owned(),
        Understanding::TooLong { characters, allowed } => format!(
            "That is {characters} characters long, and I read up to {allowed}. I did nothing; say it in shorter parts."
        ),
        Understanding::Impossible { text, why, language: "en" } => {
            format!("I can't do \"{text}\": {}. I did nothing.", why.told("en"))
        }
        Understanding::Impossible { why, language, .. } => {
            spoken_answer(Answer::Cannot(&why.told(language)), language)
        }
        Understanding::OutOfRange(range) => {
            format!("I did nothing: {} is not possible. Possible: {}.", range.what, range.allowed)
        }
        Understanding::Unclear { text: heard, reason, nearest } => {
            let why = declined(heard, *reason);
            let nearest: Vec<String> = nearest.iter().map(|what| format!("\"{what}\"")).collect();
            match (reason, nearest.is_empty()) {
                (_, false) => format!("{why} Near to it I know: {}.", nearest.join(", ")),
                (Reason::Unknown, true) => format!(
                    "{why} I know nothing like it; I can for example \"nod twice\", \"look left 20 degrees\" or \
                     \"dance for 8 seconds\". Say \"help\" to hear what I understand."
                ),
                (_, true) => why,
            }
        }
    })
}

/// Explains why a part is not done, and what to say instead.
fn declined(heard: &str, reason: Reason) -> String {
    match reason {
        Reason::Unknown => format!("I don't understand \"{heard}\", so I did nothing."),
        Reason::Negated => {
            format!("\"{heard}\" says what not to do; I did nothing. Say what to do, or \"stop\".")
        }
        Reason::NothingToRepeat => format!(
            "There is nothing before \"{heard}\" that I did and could repeat or change, so I did nothing. Say the \
             motion itself."
        ),
        Reason::NoSuchChange => format!(
            "\"{heard}\" does not fit what I did last, so I did nothing. Say the motion itself, for example \"look \
             left 30 degrees in 2 seconds\"."
        ),
        Reason::WhichTool => {
            format!("I don't know which tool \"{heard}\" means, so I did nothing. Say its name.")
        }
        Reason::WhichWay => {
            format!(
                "\"{heard}\" does not say which way, so I did nothing. Say for example \"left\" or \"right\"."
            )
        }
        Reason::NotText => "That holds characters that are no text, so I did nothing.".to_owned(),
        Reason::Conditional => {
            format!("I can't wait for something to happen: \"{heard}\". I did nothing; say what to do now.")
        }
        Reason::Hearsay => format!(
            "\"{heard}\" is a question about a motion or somebody else's words, so I did nothing. To have it done, say \
             it to me plainly."
        ),
        Reason::Body => format!(
            "I have no body for \"{heard}\", so I did nothing. I move my head, body and antennas: for example \"nod \
             twice\" or \"look left 20 degrees\"."
        ),
        Reason::Knowledge => format!(
            "I can't answer \"{heard}\"; I know only myself. Ask \"what can you do\", \"status\" or \"what happened\"."
        ),
        Reason::Rules => {
            format!("My limits stay as they are, whoever asks: \"{heard}\". I did nothing of that sentence.")
        }
        Reason::Motors => format!(
            "I don't set single motors on request: \"{heard}\". I did nothing; say the motion, such as \"turn left 30 \
             degrees\", or \"go to sleep\" to let the motors rest."
        ),
        Reason::Unkind => "I did nothing. Say \"help\" to hear what I understand.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::offline::interpret;
    use super::*;

    #[test]
    fn examples_in_the_help_are_understood() {
        let known = Known::default();
        let help = help();
        let examples: Vec<&str> = help
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .filter(|line| !line.contains("run happy"))
            .collect();
        assert_eq!(examples.len(), 7);
        for example in examples {
            assert!(matches!(interpret(example, &known), Understanding::Plan(_)), "{example}");
        }
    }

    #[test]
    fn refusals_name_the_part_and_an_alternative() {
        let known = Known::default();
        let said = refusal(&interpret("nod twice, then blorp", &known)).unwrap();
        assert!(said.contains("\"blorp\"") && said.contains("did nothing"), "{said}");
        let said = refusal(&interpret("spinn", &known)).unwrap();
        assert!(said.contains("turn left 30 degrees"), "{said}");
        let said = refusal(&interpret("look left 200 degrees", &known)).unwrap();
        assert!(said.contains("look left 200 deg") && said.contains("0 to 60 deg"), "{said}");
        assert_eq!(refusal(&interpret("nod", &known)), None);
    }
}
