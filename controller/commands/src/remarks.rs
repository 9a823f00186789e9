//! Leaves out what an English sentence says beside its order and moves nothing: comparisons, reasons, purposes, where
//! something stands, and a last statement about others.
//!
//! It is tried where a text is not understood as a whole. What is left must be.

use crate::words::Word;

/// With what the thing begins that a motion is compared to: "like a puppy".
const COMPARED: [&str; 16] = [
    "a", "an", "the", "somebody", "someone", "some", "two", "my", "those", "these", "when", "one", "theres",
    "our", "his", "her",
];
/// Words that reasons begin with.
const REASONS: [&str; 5] = ["because", "cause", "coz", "cuz", "since"];
/// Who a purpose or a last statement is about: never the robot.
const OTHERS: [&str; 22] = [
    "i",
    "im",
    "ive",
    "id",
    "ill",
    "we",
    "weve",
    "he",
    "hes",
    "she",
    "shes",
    "they",
    "theyre",
    "the",
    "my",
    "our",
    "people",
    "everyone",
    "everybody",
    "nobody",
    "somebody",
    "someone",
];
/// Words of a statement that may say what is to be done.
const ORDERING: [&str; 46] = [
    "you", "your", "youre", "youve", "yours", "want", "wanted", "need", "needed", "mean", "meant", "like",
    "liked", "love", "should", "must", "would", "could", "wish", "said", "says", "say", "left", "right",
    "dont", "please", "prefer", "rather", "enough", "again", "instead", "only", "no", "not", "never",
    "without", "expected", "expect", "asked", "thought", "think", "hope", "hoped", "if", "when", "until",
];
/// What is said aloud or played is no remark, though it is about others.
const SPEAKING: [&str; 6] = ["say", "tell", "sing", "play", "speak", "shout"];
/// A shorter text is no order that a purpose could follow.
const MIN_ORDER_WORDS: usize = 2;
/// With what begins, after a comma, that takes back or changes the order: no reason goes on there.
const TAKING_BACK: [&str; 18] = [
    "no", "nope", "nah", "sorry", "actually", "dont", "do", "never", "wait", "stop", "halt", "freeze",
    "instead", "rather", "oops", "scratch", "or", "but",
];
/// Words that join an order to a comparison or a place before it.
const JOINTS: [&str; 8] = ["and", "then", "while", "but", "before", "after", "until", "with"];

/// Returns a text without its remarks; none where it has none. `states`: it may end in a statement about others.
pub(crate) fn without_remarks(text: &str, words: &[Word], states: bool) -> Option<String> {
    if words.iter().any(|word| SPEAKING.contains(&word.text.as_str())) {
        return None;
    }
    let mut rest = String::new();
    let mut at = 0;
    let mut from = 0;
    while let Some(word) = words.get(at) {
        let statement = || last_statement(words, at).filter(|_| states);
        match remark(words, at).or_else(statement).filter(|end| *end > at) {
            Some(end) => {
                rest.push_str(text.get(from..word.span.start)?);
                from = words.get(end).map_or(text.len(), |word| word.span.start);
                at = end;
            }
            None => at += 1,
        }
    }
    if from == 0 {
        return None;
    }
    rest.push_str(text.get(from..)?);
    let rest = rest.trim().trim_end_matches([',', ' ']).to_owned();
    (!rest.is_empty()).then_some(rest)
}

/// Returns where a remark ends that begins at a word; none where none begins.
fn remark(words: &[Word], at: usize) -> Option<usize> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let is_sign = |at: usize| words.get(at).is_none_or(Word::is_sign);
    let ends_order = |at: usize| at >= words.len() || matches!(word(at), "." | "!" | "?" | ";");
    let next = |from: usize, is_end: &dyn Fn(usize) -> bool| {
        (from..words.len()).find(|at| is_end(*at)).unwrap_or(words.len())
    };
    let goes_on = |at: usize| {
        let is_next = word(at + 1) == "then" || (word(at + 1) == "and" && word(at + 2) == "then");
        word(at) == "," && (is_next || TAKING_BACK.contains(&word(at + 1)))
    };
    let is_joint = |at: usize| is_sign(at) || JOINTS.contains(&word(at));
    match word(at) {
        "like" if COMPARED.contains(&word(at + 1)) => Some(next(at + 1, &is_joint)),
        "as" if matches!(word(at + 1), "if" | "though") => Some(next(at + 2, &is_joint)),
        first if REASONS.contains(&first) && !is_sign(at + 1) => {
            Some(next(at + 1, &|at| ends_order(at) || goes_on(at)))
        }
        // "Right, so I'm late" gives no reason for an order.
        "so" if at >= MIN_ORDER_WORDS => {
            let who = at + 1 + usize::from(word(at + 1) == "that");
            OTHERS.contains(&word(who)).then(|| {
                next(who, &|at| is_sign(at) || JOINTS.iter().take(3).any(|joint| word(at) == *joint))
            })
        }
        "where" | "which" if OTHERS.contains(&word(at + 1)) || word(at) == "which" => {
            let end = next(at + 1, &is_joint);
            Some(end + usize::from(word(end) == "," && word(at.wrapping_sub(1)) == ","))
        }
        "thats" if word(at + 1) == "where" => {
            let end = next(at + 2, &is_joint);
            Some(end + usize::from(word(end) == ","))
        }
        _ => None,
    }
}

/// Returns the end of the last statement about others, which begins at a word.
fn last_statement(words: &[Word], at: usize) -> Option<usize> {
    let before = at.checked_sub(1).and_then(|at| words.get(at))?;
    let said: Vec<&str> =
        words.get(at..)?.iter().filter(|word| !word.is_sign()).map(|word| word.text.as_str()).collect();
    // "That's all they ever do" is about what stands before it.
    let is_of_that = matches!(said.as_slice(), ["that" | "thats", next, ..] if !matches!(*next, "all" | "what" | "how" | "why" | "is" | "was"));
    let is_about_others = is_of_that || said.first().is_some_and(|who| OTHERS.contains(who));
    let orders = said.iter().any(|word| ORDERING.contains(word));
    let is_one = !words.get(at..)?.iter().any(|word| matches!(word.text.as_str(), ";" | ":"));
    (before.is_sign() && is_about_others && !orders && is_one && said.len() > 2).then_some(words.len())
}
