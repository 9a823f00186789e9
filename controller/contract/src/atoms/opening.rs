//! What speaks of the tool itself: how the request begins, and the name of the tool.

use super::word;
use crate::lexicon;
use crate::tokens::Token;

/// Returns the end of "come up with a trick in which", which only speaks of the tool.
pub(super) fn opening(tokens: &[Token]) -> usize {
    let nouns = [
        "tool",
        "trick",
        "skill",
        "move",
        "gesture",
        "routine",
        "something",
        "function",
        "animation",
        "behaviour",
        "behavior",
        "sequence",
        "motion",
        "movement",
        "program",
        "thing",
        "command",
        "act",
        "action",
        "choreography",
        "expression",
        "pose",
    ];
    let starts = [
        "make",
        "create",
        "build",
        "write",
        "invent",
        "design",
        "come",
        "put",
        "give",
        "want",
        "need",
        "like",
        "love",
        "develop",
        "program",
        "get",
        "set",
        "think",
        "cook",
        "add",
        "have",
        "learn",
        "teach",
        "devise",
        "compose",
        "generate",
        "define",
        "provide",
        "knock",
        "offer",
        "fancy",
        "whip",
        "prepare",
        "work",
        "produce",
        "craft",
        "code",
        "implement",
        "construct",
    ];
    let clear = tokens.iter().take(14).take_while(|token| !token.is_mark || token.word == ",");
    let Some(start) = clear.clone().position(|token| starts.contains(&token.word.as_str())) else { return 0 };
    let noun = clear.enumerate().skip(start + 1).find(|(_, token)| nouns.contains(&token.word.as_str()));
    let Some((noun, _)) = noun else { return 0 };
    let is_linked = matches!(
        word(tokens, noun + 1),
        "that"
            | "which"
            | "where"
            | "who"
            | "whose"
            | "to"
            | ":"
            | "in"
            | "for"
            | "with"
            | "called"
            | "named"
    ) && (word(tokens, noun + 1) != "in" || word(tokens, noun + 2) == "which");
    let is_plain = tokens.get(start + 1..noun).unwrap_or(&[]).iter().all(|token| {
        lexicon::is_frame(&token.word)
            || matches!(
                token.word.as_str(),
                "up" | "with"
                    | "together"
                    | "little"
                    | "small"
                    | "short"
                    | "up,"
                    | "down"
                    | "of"
                    | "cool"
                    | "fun"
                    | "quick"
            )
            || lexicon::is_manner(&token.word)
    });
    match (is_linked, is_plain) {
        (true, true) if matches!(word(tokens, noun + 1), "called" | "named" | "with" | "for" | ":") => {
            noun + 1
        }
        (true, true) => noun + 2,
        _ => 0,
    }
}

/// Returns the tokens of a name after "called" or "named", or of a call: `turn(angle)`.
pub(super) fn name(tokens: &[Token]) -> Option<(usize, usize)> {
    let is_call = |at: &usize| {
        let is_adjacent = tokens
            .get(*at)
            .zip(tokens.get(at + 1))
            .is_some_and(|(name, bracket)| !name.is_mark && bracket.word == "(" && name.end == bracket.start);
        // "sleep(2)" is no name of a tool with its parameter.
        let is_parameter = tokens.get(at + 2).is_some_and(|token| token.number.is_none());
        is_adjacent && is_parameter && word(tokens, at + 3) == ")"
    };
    if let Some(at) = (0..tokens.len().min(12)).find(is_call) {
        return Some((at, at + 4));
    }
    let called = tokens
        .iter()
        .take(40)
        .position(|token| matches!(token.word.as_str(), "called" | "named" | "titled"))?;
    let mut first = called + 1;
    let is_quote = |at: usize| matches!(word(tokens, at), "\"" | "“" | "'" | "`" | "«");
    if is_quote(first) {
        let close = (first + 1..tokens.len().min(first + 12))
            .find(|at| matches!(word(tokens, *at), "\"" | "”" | "'" | "`" | "»"));
        if let Some(close) = close {
            return Some((first, close + 1));
        }
        first += 1;
    }
    if word(tokens, first).contains('_') {
        return Some((first, first + 1));
    }
    let ends =
        ["that", "which", "to", "where", "whose", "in", "for", "with", "who", "and", "when", "whenever"];
    let stop = (first + 1..tokens.len().min(first + 6))
        .find(|at| tokens.get(*at).is_none_or(|token| token.is_mark || ends.contains(&token.word.as_str())));
    Some((first, stop.unwrap_or(first + 1).min(tokens.len())))
}
