//! The name of a tool: given in the request, or made from what the tool does.

use std::ops::Range;

use crate::act::Node;
use crate::lexicon::LEXICON;
use crate::tag::{Mode, Shape, Tag};
use crate::words::Word;

/// The longest name, characters.
pub(crate) const MAX_NAME: usize = 40;

/// What a request says about the tool itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Heading {
    pub name: Option<String>,
    /// The name of a parameter, from `bow_to(depth)`.
    pub parameter: Option<String>,
    /// The words that name it and speak of the tool and not of its motion.
    pub words: Vec<Range<usize>>,
}

pub(crate) const MAKING: &[&str] = &[
    "make",
    "makes",
    "create",
    "write",
    "build",
    "invent",
    "learn",
    "teach",
    "add",
    "design",
    "generate",
    "compose",
    "develop",
    "program",
    "define",
    "craft",
    "produce",
    "implement",
    "want",
    "need",
    "like",
    "give",
    "set",
    "prepare",
    "forge",
    "code",
    "have",
    "construct",
    "devise",
    "come",
    "provide",
    "knock",
    "conjure",
    "making",
    "creating",
    "new",
    "get",
    "wrote",
    "built",
    "created",
    "coded",
    "programmed",
    "developed",
    "designed",
    "invented",
    "learned",
    "learnt",
    "added",
];
pub(crate) const NOUNS: &[&str] = &[
    "tool",
    "move",
    "gesture",
    "skill",
    "trick",
    "routine",
    "animation",
    "function",
    "behaviour",
    "behavior",
    "command",
    "something",
    "ability",
    "macro",
    "action",
    "sequence",
    "motion",
    "movement",
    "program",
    "choreography",
    "procedure",
    "script",
    "tools",
    "cue",
    "one",
];
/// Words that end a name.
const ENDS: &[&str] = &[
    "that", "which", "who", "whose", "where", "in", "when", "whenever", "to", "for", "with", "it", "and",
    "so", "please", "this", "the", "by", "doing", "does", "do", "has", "having", "if", "as", "on", "is",
    "should", "must", "will", "using", "then", "letting", "making", "i", "you", "of", "while", "but",
    "after", "before", "once", "let", "can",
];

/// Python's keywords and what a score needs for itself.
fn is_usable(name: &str) -> bool {
    minismith_score::Score {
        name: name.to_owned(),
        summary: "Name.".to_owned(),
        parameters: Vec::new(),
        steps: vec![minismith_score::Step::Wait(minismith_score::Number::Value(0.0))],
    }
    .check()
    .is_ok()
}

/// Returns words as a valid name.
pub(crate) fn identifier(words: &[String]) -> String {
    let mut name: String = String::new();
    for word in words.iter().flat_map(|word| word.split('_')) {
        let plain: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
        let more = plain.len() + usize::from(!name.is_empty());
        if plain.is_empty() || name.len() + more > MAX_NAME - 5 {
            continue;
        }
        if !name.is_empty() {
            name.push('_');
        }
        name += &plain.to_ascii_lowercase();
    }
    if name.is_empty() {
        name = "motion_tool".to_owned();
    }
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name = format!("do_{name}");
    }
    if is_usable(&name) { name } else { format!("{name}_tool") }
}

/// Makes a name from what a plan does.
pub(crate) fn from_nodes(nodes: &[Node]) -> String {
    let mut names: Vec<String> = Vec::new();
    for node in nodes {
        node.acts(&mut |node| {
            let name = match node {
                Node::Act(act) => act.name(),
                Node::Raw { name, .. } => name.clone(),
                Node::Sound => "sound".to_owned(),
                Node::Photo => "photo".to_owned(),
                Node::React { event, .. } => format!("on_{}", event.name()),
                _ => return,
            };
            if !names.contains(&name) && names.len() < 4 {
                names.push(name);
            }
        });
    }
    let mut words = Vec::new();
    for (at, name) in names.iter().enumerate() {
        if at > 0 && at + 1 == names.len() {
            words.push("and".to_owned());
        }
        words.push(name.clone());
    }
    identifier(&words)
}

/// Returns whether a word alone is a gesture: "nod".
fn is_gesture(word: &str) -> bool {
    match LEXICON.longest(&[(word, word)]) {
        Some((Tag::Verb(verb), _)) => {
            !matches!(verb.mode, Mode::Move | Mode::Look) || verb.shape != Shape::Go
        }
        _ => false,
    }
}

/// Returns whether a word alone is a verb of motion: "turn".
pub(crate) fn is_verb(word: &str) -> bool {
    matches!(LEXICON.longest(&[(word, word)]), Some((Tag::Verb(_), _)))
}

/// Finds the name and the words about the tool.
pub(crate) fn heading(words: &[Word]) -> Heading {
    let mut heading = Heading::default();
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    for at in 0..words.len() {
        let is_naming = matches!(text(at), "called" | "named" | "titled")
            || (matches!(text(at), "call" | "name")
                && matches!(text(at + 1), "it" | "this" | "that" | "the"))
            || (text(at) == "name" && text(at + 1) == "is");
        // "When I call it" names nothing.
        let is_called =
            text(at) == "call" && at > 0 && matches!(text(at - 1), "i" | "we" | "they" | "you" | "to");
        if !is_naming || is_called {
            continue;
        }
        let mut start = at + 1;
        if matches!(text(at), "call" | "name") {
            start += 1 + usize::from(text(at + 1) == "the");
        }
        let is_quoted = words
            .get(start)
            .is_some_and(|word| !word.is_word && matches!(word.text.as_str(), "“" | "'" | "`" | "”" | "‘"));
        start += usize::from(is_quoted);
        let mut end = start;
        while let Some(word) = words.get(end) {
            let is_end =
                !word.is_word || (end > start && ENDS.contains(&word.text.as_str())) || end - start >= 6;
            if is_end
                || (end > start && word.span.start > words.get(end - 1).map_or(0, |last| last.span.end) + 1)
            {
                break;
            }
            end += 1;
            // One word with an underscore is a whole name.
            if word.text.contains('_') {
                break;
            }
        }
        if end > start {
            let name: Vec<String> =
                words.get(start..end).unwrap_or(&[]).iter().map(|word| word.text.clone()).collect();
            heading.name = Some(identifier(&name));
            end += usize::from(is_quoted);
            heading.words.push(at..end.min(words.len()));
            signature(&mut heading, words, end);
            break;
        }
    }
    if heading.name.is_none() {
        // `bow_to(depth)`: an identifier is a name.
        let is_call = |at: usize| {
            let near = |more: usize| words.get(at + more).map_or("", |word| word.text.as_str());
            let is_adjacent = words
                .get(at)
                .zip(words.get(at + 1))
                .is_some_and(|(name, bracket)| name.is_word && name.span.end == bracket.span.start);
            is_adjacent && near(1) == "(" && (near(3) == ")" || near(2) == ")")
        };
        let found = words
            .iter()
            .position(|word| word.is_word && word.text.contains('_'))
            .or_else(|| (0..words.len().min(12)).find(|at| is_call(*at)));
        if let Some(at) = found.filter(|at| *at < 8 || words.get(at + 1).is_some_and(|next| next.text == "("))
        {
            heading.name = Some(identifier(&[text(at).to_owned()]));
            heading.words.push(at..at + 1);
            signature(&mut heading, words, at + 1);
        }
    }
    let taken: Vec<usize> = heading.words.iter().cloned().flatten().collect();
    let making = words.iter().take(12).enumerate().position(|(at, word)| {
        // "Nod after you have waved": a motion before it begins the request.
        let is_clear = !words.get(..at).unwrap_or(&[]).iter().any(|word| is_gesture(&word.text));
        MAKING.contains(&word.text.as_str()) && !taken.contains(&at) && is_clear
    });
    let from = making.map_or(0, |at| at + 1);
    let noun = words.iter().enumerate().skip(from).take(9).find(|(at, word)| {
        NOUNS.contains(&word.text.as_str()) && !taken.contains(at) && (making.is_some() || *at <= 3)
    });
    // "make it nod one time": a noun is no part of a motion.
    let is_clear = |at: usize| {
        !words
            .get(from..at)
            .unwrap_or(&[])
            .iter()
            .any(|word| matches!(word.text.as_str(), "that" | "which" | "," | ":" | "and" | "it"))
    };
    // "Whenever somebody says something": no tool is named.
    let is_condition = |at: usize| {
        words.get(..at).unwrap_or(&[]).iter().any(|word| {
            matches!(
                word.text.as_str(),
                "when"
                    | "whenever"
                    | "if"
                    | "once"
                    | "until"
                    | "says"
                    | "hears"
                    | "sees"
                    | "hear"
                    | "see"
                    | "upon"
                    | "on"
            )
        })
    };
    if let Some((at, _)) = noun.filter(|(at, word)| {
        is_clear(*at)
            && !(making.is_none() && is_condition(*at))
            && !(word.text == "one" || (word.text == "move" && making.is_none()))
    }) {
        let has_more = words.get(at + 1..).unwrap_or(&[]).iter().enumerate().any(|(offset, word)| {
            word.is_word && !taken.contains(&(at + 1 + offset)) && word.text != "please"
        });
        // "a wiggling tool"
        let is_motion = at > 0
            && text(at - 1).ends_with("ing")
            && !matches!(text(at - 1), "following" | "charming" | "amusing" | "interesting" | "moving");
        if is_motion {
            heading.words.push(0..at - 1);
            heading.words.push(at..at + 1);
        } else if has_more {
            heading.words.push(0..at + 1);
        } else {
            heading.words.push(0..from);
            heading.words.push(at..at + 1);
        }
    } else if let Some(at) = making.filter(|at| *at < 8) {
        heading.words.push(0..at + 1);
    }
    heading
}

/// Reads a parameter in brackets after a name.
fn signature(heading: &mut Heading, words: &[Word], at: usize) {
    if words.get(at).is_none_or(|word| word.text != "(") {
        return;
    }
    let end = words.iter().skip(at).position(|word| word.text == ")").map(|offset| at + offset);
    let Some(end) = end.filter(|end| *end < at + 12) else { return };
    let first = words
        .get(at + 1)
        .filter(|word| word.is_word)
        .map(|word| identifier(std::slice::from_ref(&word.text)));
    heading.parameter = first.filter(|name| Some(name) != heading.name.as_ref());
    heading.words.push(at..end + 1);
}
