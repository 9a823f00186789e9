//! Normalizes a text: expands contractions, drops fillers and replaces long phrases by short ones.
//!
//! Normalization never makes a motion from words that name none. It leaves unknown words as they are.

use super::known::Known;
use super::tokenize::{Kind, Token, tokenize};
use super::typo;

/// Contractions as the tokenizer writes them, with their expansions.
const CONTRACTIONS: &[(&str, &str)] = &[
    ("whats", "what is"),
    ("wheres", "where is"),
    ("whos", "who is"),
    ("hows", "how is"),
    ("thats", "that is"),
    ("youre", "you are"),
    ("im", "i am"),
    ("id", "i would"),
    ("youd", "you would"),
    ("lets", "let us"),
    ("didnt", "did not"),
    ("couldnt", "could not"),
    ("wouldnt", "would not"),
    ("arent", "are not"),
    ("isnt", "is not"),
    ("wasnt", "was not"),
    ("havent", "have not"),
    ("hasnt", "has not"),
    ("gonna", "going to"),
    ("wanna", "want to"),
    ("gimme", "give me"),
    ("favour", "favor"),
    ("fourty", "forty"),
];

/// Phrases and their replacements; the longest match wins. A phrase with a `$` matches only at the end of a
/// clause.
const PHRASES: &[(&str, &str)] = &[
    // Manner.
    ("would you mind", "could you"),
    ("do you mind", "could you"),
    ("would you be so kind as to", "could you"),
    ("would you be kind enough to", "could you"),
    ("be so kind as to", "could you"),
    ("i wonder if you could", "could you"),
    ("i was wondering if you could", "could you"),
    ("it would be nice if you could", "could you"),
    ("it would be nice if you would", "could you"),
    ("it would be great if you could", "could you"),
    ("it would be great if you would", "could you"),
    ("i would appreciate it if you could", "could you"),
    ("i would appreciate it if you would", "could you"),
    ("i would be grateful if you could", "could you"),
    ("i would love it if you could", "could you"),
    ("i would love it if you would", "could you"),
    ("i would love for you to", "could you"),
    ("i would love to see you", "could you"),
    ("i would like to see you", "could you"),
    ("i want to see you", "could you"),
    ("let us see you", "could you"),
    ("do me a favor and", "could you"),
    ("do you think you could", "could you"),
    ("is it possible for you to", "could you"),
    ("would it be possible for you to", "could you"),
    ("do you have a moment to", "could you"),
    ("do you have time to", "could you"),
    ("are you ready to", "could you"),
    ("make sure to", "could you"),
    ("make sure that you", "could you"),
    ("make sure you", "could you"),
    ("be sure to", "could you"),
    ("ensure that you", "could you"),
    ("if you could", ""),
    ("if you would $", ""),
    ("if you can $", ""),
    ("if you like $", ""),
    ("if you please", ""),
    ("if possible", ""),
    ("if you do not mind $", ""),
    ("if you dont mind $", ""),
    ("when you can $", ""),
    ("when you are ready $", ""),
    ("whenever you are ready $", ""),
    ("whenever you like $", ""),
    ("for me $", ""),
    ("for us $", ""),
    ("straight away", ""),
    ("at once", ""),
    ("as soon as possible", ""),
    ("as soon as you can", ""),
    ("all right", "alright"),
    // Order.
    ("when you are done", "then"),
    ("when you are finished", "then"),
    ("when that is done", "then"),
    ("when done", "then"),
    ("once you are done", "then"),
    ("once you have done that", "then"),
    ("once that is done", "then"),
    ("once done", "then"),
    ("after which", "then"),
    ("after this", "then"),
    ("after doing so", "then"),
    ("after doing that", "then"),
    ("immediately after", "then"),
    ("several times", "3 times"),
    // Questions.
    ("what kind of", "what"),
    ("what kinds of", "what"),
    ("what type of", "what"),
    ("what types of", "what"),
    ("what sort of", "what"),
    ("what sorts of", "what"),
    ("as well as", "and"),
    // Repetition.
    ("in succession", ""),
    ("in a row", ""),
    ("consecutively", ""),
    ("consecutive times", "times"),
    ("repeat the last action", "repeat that"),
    ("repeat the last motion", "repeat that"),
    ("repeat the last move", "repeat that"),
    ("repeat the last movement", "repeat that"),
    ("repeat the last gesture", "repeat that"),
    ("repeat the last command", "repeat that"),
    ("repeat your last move", "repeat that"),
    ("repeat your last motion", "repeat that"),
    ("repeat your last action", "repeat that"),
    ("repeat your last movement", "repeat that"),
    ("repeat what you did", "repeat that"),
    ("repeat what you just did", "repeat that"),
    ("do what you just did", "repeat that"),
    ("repeat the motion", "repeat that"),
    ("repeat the movement", "repeat that"),
    ("repeat that motion", "repeat that"),
    ("repeat that movement", "repeat that"),
    ("repeat the previous action", "repeat that"),
    ("repeat the previous motion", "repeat that"),
    ("repeat the previous command", "repeat that"),
    ("the same again", "again"),
    ("same again", "again"),
    ("same thing again", "again"),
    ("the same thing again", "again"),
    ("once again", "again"),
    ("one more time", "once more"),
    ("another time", "once more"),
];

/// Returns the tokens of the normalized text.
pub(super) fn reword(text: &str, known: &Known<'_>) -> Vec<Token> {
    let mut tokens = tokenize(text);
    typo::correct_word(&mut tokens, known);
    let opened = replace(tokens, CONTRACTIONS, known);
    replace(opened, PHRASES, known)
}

fn replace(tokens: Vec<Token>, table: &[(&str, &str)], known: &Known<'_>) -> Vec<Token> {
    let mut plain = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let rest = tokens.get(at..).unwrap_or_default();
        let stored = name_length(rest, known);
        if stored > 0 {
            plain.extend(rest.iter().take(stored).cloned());
            at += stored;
            continue;
        }
        let found = table.iter().filter_map(|(said, meant)| Some((matched(rest, said)?, *meant)));
        let Some((taken, meant)) = found.max_by_key(|(taken, _)| *taken) else {
            plain.push(token.clone());
            at += 1;
            continue;
        };
        let last = rest.get(taken.saturating_sub(1)).unwrap_or(token);
        let span = token.span.start..last.span.end;
        plain.extend(tokenize(meant).into_iter().map(|word| Token { kind: word.kind, span: span.clone() }));
        at += taken;
    }
    plain
}

/// Returns how many tokens this phrase takes, if they begin with it.
fn matched(tokens: &[Token], phrase: &str) -> Option<usize> {
    // Most phrases begin with another letter.
    if tokens.first()?.word()?.as_bytes().first() != phrase.as_bytes().first() {
        return None;
    }
    let mut taken = 0;
    for word in phrase.split(' ') {
        if word == "$" {
            let ends = tokens.get(taken).is_none_or(|token| {
                matches!(token.kind, Kind::Mark(_)) || matches!(token.word(), Some("and" | "then"))
            });
            return ends.then_some(taken);
        }
        if tokens.get(taken)?.word()? != word {
            return None;
        }
        taken += 1;
    }
    Some(taken)
}

/// Returns how many tokens the name of a known tool takes here; its words are not replaced.
fn name_length(tokens: &[Token], known: &Known<'_>) -> usize {
    let length = |name: &str| {
        let words = name.split('_').count();
        let spelled = name.split('_').zip(tokens).all(|(part, token)| token.word() == Some(part));
        (words > 1 && words <= tokens.len() && spelled).then_some(words)
    };
    known.tools.iter().filter_map(|tool| length(&tool.name)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        let words = reword(text, &Known::default()).into_iter().map(|token| match token.kind {
            Kind::Word(word) => word,
            Kind::Number(number) => number.to_string(),
            Kind::Quoted(text) => format!("{text:?}"),
            Kind::Mark(mark) => mark.to_string(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn longest_phrase_is_replaced() {
        assert_eq!(plain("I'd love it if you would nod"), "could you nod");
        assert_eq!(plain("nod for me, and dance"), "nod , and dance");
        assert_eq!(plain("nod for me to see"), "nod for me to see");
    }

    #[test]
    fn phrases_are_unique() {
        for (position, (said, _)) in PHRASES.iter().enumerate() {
            assert!(PHRASES.iter().skip(position + 1).all(|(other, _)| other != said), "{said}");
        }
    }
}
