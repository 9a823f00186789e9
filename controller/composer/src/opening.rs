//! Brings a request for a tool into the words that all readers know: "make a tool called tide: lean forward ...".
//!
//! People open such requests in many ways: "build hello_twice, which waves", "something called radar, with the head turning",
//! "how about spotlight: turn left". What the tool does stays as it was said.

use crate::described::{Described, moves};
use crate::guard::MAX_CHARACTERS;
use crate::keeping::{asks_for_none, to_be_kept};
use crate::name::{MAKING, NOUNS, identifier, is_verb};
use crate::request_kind::names_a_tool;
use crate::sayings::spoken_of;
use crate::words::{Word, split};

/// How many words the opening has at most.
const LONGEST_OPENING: usize = 18;
/// How many words of it may be unknown: "set me up with hiccups".
const MOST_UNKNOWN: usize = 2;

/// Verbs and phrases that ask for something to be made, beside those of [`MAKING`].
const ASKING: &[&str] = &["cook", "whip", "put", "try", "how", "idea", "there", "something"];
/// Verbs of which what they make is never a motion at once: after these, a full stop ends the opening.
const INVENTING: &[&str] = &[
    "program", "teach", "learn", "invent", "design", "create", "develop", "build", "compose", "write",
    "define", "assemble", "craft", "produce",
];
/// How many words a name in quotation marks has at most.
const LONGEST_NAME: usize = 5;
/// What stands around them.
const AROUND: &[&str] = &[
    "please", "can", "could", "would", "will", "may", "might", "you", "i", "i'd", "d", "i'll", "we", "us",
    "me", "my", "let", "let's", "it", "be", "is", "possible", "up", "with", "together", "yourself", "for",
    "of", "to", "about", "a", "an", "another", "some", "new", "next", "the", "small", "little", "simple",
    "short", "quick", "cool", "fun", "nice", "plain", "own", "now", "hey", "reachy", "robot", "ok", "okay",
    "so", "just", "able", "things", "kind", "sort", "out", "in", "also", "maybe", "perhaps", ",",
];

/// Returns a request for a tool in plain words; none if a text asks for none, or if it is plain already.
#[must_use]
pub fn plain_request(text: &str) -> Option<String> {
    if text.len() > 4 * MAX_CHARACTERS {
        return None;
    }
    if let Some((name, rest)) = quoted_name(text) {
        return Some(request(Some(&name), ":", rest));
    }
    if asks_for_none(text) {
        return None;
    }
    let words = split(text);
    if let Some(described) = like_code(text).or_else(|| spoken_of(text)) {
        return Some(request(described.name.as_deref(), ":", &described.description));
    }
    if let Some(rest) = programmed_to(text, &words) {
        return Some(request(None, " that", rest));
    }
    if names_a_tool(&words) {
        return None;
    }
    let Some(opening) = opening(&words) else {
        let built = built(text, &words).map(|rest| request(None, ":", rest));
        return built
            .or_else(|| to_be_kept(text).map(|kept| request(kept.name.as_deref(), ":", &kept.description)));
    };
    let rest = words.get(opening.rest).and_then(|word| text.get(word.span.start..))?;
    let link = if opening.is_list { ":" } else { " that" };
    // Whether it has something to do is for the readers to say, but one word is no description.
    (rest.split_whitespace().count() > 1).then(|| request(opening.name.as_deref(), link, rest))
}

/// Reads a request that is written like code: "function hello(): nod twice", "write function hello -> nod twice".
fn like_code(text: &str) -> Option<Described> {
    let text = text.trim();
    let (head, rest) = match text.split_once("()") {
        Some((head, rest)) => (head, rest),
        None => {
            let (head, rest) = text.split_once("->")?;
            let words = split(head);
            let is_named = words.len() >= 2
                && words.iter().rev().nth(1).is_some_and(|word| NOUNS.contains(&word.text.as_str()));
            is_named.then_some((head, rest))?
        }
    };
    let name = head.split_whitespace().last()?;
    let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let before = split(head);
    let announces = before
        .split_last()
        .is_some_and(|(_, announced)| announced.iter().all(|word| announces_code(&word.text)));
    let description = rest.trim_start_matches(|letter: char| {
        letter.is_whitespace() || matches!(letter, ':' | ',' | '-' | '>' | '=' | '{')
    });
    let description = description.strip_prefix("that ").unwrap_or(description);
    let description =
        spoken_of(description).map_or_else(|| description.to_owned(), |inner| inner.description);
    let name = identifier(&[name.to_lowercase()]);
    (is_name && announces && moves(&description)).then_some(Described { name: Some(name), description })
}

/// Returns whether a word may stand before the name of a request that is written like code: "write function".
fn announces_code(word: &str) -> bool {
    NOUNS.contains(&word) || MAKING.contains(&word) || AROUND.contains(&word)
}

/// Returns the request in plain words.
fn request(name: Option<&str>, link: &str, description: &str) -> String {
    let called = name.map(|name| format!(" called {name}")).unwrap_or_default();
    format!("make a tool{called}{link} {description}")
}

/// Returns how many words stand before the verb that asks: "could you please".
fn lead(words: &[Word]) -> usize {
    words.iter().take(5).take_while(|word| AROUND.contains(&word.text.as_str())).count()
}

/// "Build a nod that gets deeper": what is built.
fn built<'a>(text: &'a str, words: &[Word]) -> Option<&'a str> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let verb = lead(words);
    let is_built = matches!(
        word(verb),
        "build" | "create" | "invent" | "design" | "program" | "develop" | "construct" | "devise" | "define"
    );
    let start = verb + 1 + usize::from(word(verb + 1) == "yourself");
    let is_thing = matches!(word(start), "a" | "an" | "one" | "another");
    let rest = words.get(start).and_then(|word| text.get(word.span.start..))?;
    (is_built && is_thing && words.len() > verb + 4 && moves(rest)).then_some(rest)
}

/// "Could you program yourself to bow?": what follows.
fn programmed_to<'a>(text: &'a str, words: &[Word]) -> Option<&'a str> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let start = lead(words);
    if [word(start), word(start + 1), word(start + 2)] != ["program", "yourself", "to"] {
        return None;
    }
    let rest = words.get(start + 3).and_then(|word| text.get(word.span.start..))?;
    (rest.split_whitespace().count() > 1).then_some(rest)
}

/// Finds the name in quotation marks with which a request opens, and what follows it: "build a "no, wait" gesture. Shake".
fn quoted_name(text: &str) -> Option<(String, &str)> {
    let start = text.find(['"', '\u{201c}'])?;
    let (before, after) = (text.get(..start)?, text.get(start..)?);
    let mut letters = after.char_indices();
    let (_, open) = letters.next()?;
    let (end, close) = letters.find(|(_, letter)| matches!(letter, '"' | '\u{201d}'))?;
    let own = split(after.get(open.len_utf8()..end)?).into_iter().filter(|word| word.is_word);
    let own: Vec<String> = own.map(|word| word.text).collect();
    let is_name = (1..=LONGEST_NAME).contains(&own.len());
    let words = split(before);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.text.as_str()));
    let asks =
        has(MAKING) || has(INVENTING) || has(ASKING) || has(NOUNS) || has(&["call", "want", "need", "set"]);
    let is_known = |text: &str| {
        AROUND.contains(&text)
            || MAKING.contains(&text)
            || INVENTING.contains(&text)
            || ASKING.contains(&text)
            || is_noun(text)
            || is_naming(text)
            || matches!(text, "want" | "need" | "like" | "have" | "get" | "give" | "called")
    };
    let opens = words.len() <= LONGEST_OPENING && words.iter().all(|word| is_known(&word.text));
    if !is_name || !asks || !opens {
        return None;
    }
    let rest = after.get(end + close.len_utf8()..)?;
    let words = split(rest);
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    // "A "judge" skill for me: ...".
    let nouns = (0..words.len())
        .take_while(|at| is_noun(word(*at)) || matches!(word(*at), "for" | "me" | "please"))
        .count();
    let links = (nouns..words.len())
        .take_while(|at| {
            !words.get(*at).is_some_and(|word| word.is_word)
                || matches!(word(*at), "which" | "that" | "where" | "in" | "should" | "it" | "would")
        })
        .count();
    let is_linked = links > 0 || matches!(word(nouns), "with" | "when" | "whenever" | "by");
    let rest = words.get(nouns + links).and_then(|word| rest.get(word.span.start..)).filter(|_| is_linked)?;
    (rest.split_whitespace().count() > 1).then(|| (identifier(&own), rest))
}

struct Opening {
    name: Option<String>,
    /// Where the description begins, in words.
    rest: usize,
    /// Whether it follows a colon, and not "that".
    is_list: bool,
}

/// What was read of an opening so far.
#[derive(Default)]
struct Read {
    name: Option<String>,
    /// Words that are no part of a usual opening.
    unknown: Vec<usize>,
    /// Whether it is invented: "program yourself a waltz".
    invents: bool,
    /// Whether something is to be made: "build", "something", and whether only wanted: "I need".
    makes: bool,
    wants: bool,
    has_noun: bool,
    has_article: bool,
}

impl Read {
    /// Returns whether it asks for a tool, if its description begins here.
    fn is_request(&self) -> bool {
        let is_short = self.unknown.len() <= MOST_UNKNOWN;
        let asks = self.makes || self.wants;
        let names_itself = is_short && !self.unknown.is_empty() && (self.makes || self.has_article);
        asks && (self.name.is_some() || (is_short && self.has_noun) || names_itself)
    }
}

/// Reads the opening of a request.
fn opening(words: &[Word]) -> Option<Opening> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let has_naming = words.iter().take(LONGEST_OPENING).any(|word| is_naming(&word.text));
    let mut read = Read::default();
    let mut at = 0;
    while at < words.len().min(LONGEST_OPENING) {
        let now = word(at);
        if let Some((skipped, is_list)) = link(words, at, read.name.is_some(), read.invents) {
            // "Give that a wiggle".
            let is_after_noun = read.name.is_some()
                || at.checked_sub(1).is_some_and(|before| {
                    read.unknown.contains(&before) || is_noun(word(before)) || word(before) == ","
                });
            if !is_after_noun || !read.is_request() {
                return None;
            }
            let rest = at + skipped;
            let name = read.name.clone().or_else(|| own_name(words, &read.unknown));
            return (rest < words.len()).then_some(Opening { name, rest, is_list });
        }
        if is_naming(now) && read.name.is_none() {
            let start = at + 1 + usize::from(now == "call" && matches!(word(at + 1), "it" | "this"));
            let end =
                (start..words.len().min(start + 4)).find(|at| ends_name(words, *at)).unwrap_or(start + 1);
            let own: Vec<String> =
                words.get(start..end).unwrap_or_default().iter().map(|word| word.text.clone()).collect();
            read.name = (!own.is_empty()).then(|| identifier(&own));
            read.unknown.clear();
            read.makes |= at < 6;
            at = end;
            continue;
        }
        let is_tool = is_noun(now) && (now != "one" || is_link(word(at + 1)));
        read.has_noun |= is_tool && (read.has_article || read.makes || matches!(now, "one" | "something"));
        read.makes |= is_tool && read.has_article && at < 5;
        match now {
            _ if now.contains('_') && read.name.is_none() => read.name = Some(identifier(&[now.to_owned()])),
            "want" | "need" | "like" | "love" | "wish" | "have" | "get" | "give" => read.wants = true,
            _ if MAKING.contains(&now) || INVENTING.contains(&now) || ASKING.contains(&now) => {
                read.makes = true;
                read.invents |= INVENTING.contains(&now);
            }
            _ if is_tool || AROUND.contains(&now) => {}
            _ => {
                // A motion without a name for a tool is an order.
                let is_order = is_verb(now) && !has_naming && read.name.is_none();
                if is_order || !words.get(at).is_some_and(|word| word.is_word) {
                    return None;
                }
                read.unknown.push(at);
            }
        }
        read.has_article |= matches!(now, "a" | "an" | "another" | "some" | "new");
        at += 1;
    }
    None
}

/// Returns whether a word stands for a tool: "routine", "thing".
fn is_noun(word: &str) -> bool {
    word == "thing" || NOUNS.contains(&word)
}

fn is_naming(word: &str) -> bool {
    matches!(word, "called" | "named" | "titled" | "call")
}

fn is_link(word: &str) -> bool {
    matches!(word, "that" | "which" | "where" | "whose" | "called" | "named" | "in" | ":")
}

/// Returns how many words to skip if a description begins here, and whether it follows like a list.
fn link(words: &[Word], at: usize, is_named: bool, invents: bool) -> Option<(usize, bool)> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    Some(match word(at) {
        ":" | "where" | "whose" => (1, true),
        "." | "?" | "!" if invents => (1, true),
        "that" | "which" => (1, false),
        "in" if word(at + 1) == "which" => (2, true),
        // "Called radar, with the head turning", "make confused_look by tilting left".
        "by" if is_named => (1, true),
        "with" | "using" | "when" | "whenever" | "if" if is_named => (0, true),
        "," if is_named
            && !matches!(word(at + 1), "which" | "that" | "where" | "in" | "with" | "please" | "for") =>
        {
            (1, true)
        }
        _ => return None,
    })
}

/// Returns whether a name ends before a word.
fn ends_name(words: &[Word], at: usize) -> bool {
    let Some(word) = words.get(at) else { return true };
    let is_link = matches!(
        word.text.as_str(),
        "that"
            | "which"
            | "where"
            | "whose"
            | "in"
            | "with"
            | "to"
            | "for"
            | "using"
            | "by"
            | "please"
            | "when"
            | "and"
    );
    let after_whole =
        at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|before| before.text.contains('_'));
    !word.is_word || is_link || after_whole
}

/// What it calls itself without "called": "make bashful: ...".
fn own_name(words: &[Word], unknown: &[usize]) -> Option<String> {
    let own: Vec<String> =
        unknown.iter().filter_map(|at| words.get(*at)).map(|word| word.text.clone()).collect();
    (!own.is_empty()).then(|| identifier(&own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_brought_into_plain_words() {
        for (request, plain) in [
            ("build hello_twice, which waves twice", "make a tool called hello_twice that waves twice"),
            (
                "something called radar, with the head turning left",
                "make a tool called radar: with the head turning left",
            ),
            ("How about spotlight: turn left, look up", "make a tool called spotlight: turn left, look up"),
            ("write one that dips the head", "make a tool that dips the head"),
            ("I want a goodbye that waves five times", "make a tool called goodbye that waves five times"),
            ("could you set up angry: lean forward, nod", "make a tool called angry: lean forward, nod"),
            ("Make shy_hello, in which it turns left", "make a tool called shy_hello: it turns left"),
            (
                "Create \"metronome\" - tilt left, tilt right",
                "make a tool called metronome: tilt left, tilt right",
            ),
            (
                "Build a \"no, wait, yes\" gesture. Shake twice, then nod once",
                "make a tool called no_wait_yes: Shake twice, then nod once",
            ),
            (
                "Make \u{201c}traffic light\u{201d} for me: antennas up, hold",
                "make a tool called traffic_light: antennas up, hold",
            ),
            (
                "I want a skill \"woodpecker\" with eight pecks",
                "make a tool called woodpecker: with eight pecks",
            ),
            (
                "Program yourself a waltz. Tilt left, tilt right twice",
                "make a tool called waltz: Tilt left, tilt right twice",
            ),
            ("make confused_look by tilting left", "make a tool called confused_look: tilting left"),
        ] {
            assert_eq!(plain_request(request).as_deref(), Some(plain), "{request}");
        }
    }

    #[test]
    fn orders_stay_orders() {
        for text in [
            "nod twice",
            "make a tool that nods",
            "give that a wiggle",
            "I would like see: robot look to right",
            "I want one antenna out to the side, your pick which, and a nod",
            "make yourself tall and after that make yourself small",
            "give me a nod that is slow",
            "I need you to look left",
            "make a hesitant nod: start down, then come up",
            "say \"hello\" and nod twice",
            "tell the class \"be quiet\", then nod",
            "make a face. Then nod",
            "give me a \"yes\"",
            "",
            ":",
            "make",
            "called that",
        ] {
            assert_eq!(plain_request(text), None, "{text}");
        }
    }
}
