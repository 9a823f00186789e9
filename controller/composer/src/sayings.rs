//! Sentences that speak of the tool itself and not of what it does: how it is called, and that it is to be made or kept.
//! "Nod twice. Call it yes", "new move, name: periscope. Raise the head", "... and store this under 'nope'".

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::described::{Described, moves, without_heading};
use crate::name::{MAKING, NOUNS, identifier, is_verb};

/// What stands for a tool.
const NOUN: &str = "(?:tool|skill|trick|routine|function|command|cue|program|gesture|macro|script|ability|move|behaviou?r|\
                    action|animation|act|mode|number|habit|talent)";
/// What stands for the motion that was described.
const IT: &str = "(?:this one|that one|it|this|that|these|them|all (?:of )?(?:this|that|it)|the (?:whole )?(?:thing|lot|move|motion))";
/// A name, perhaps in quotation marks.
const NAME: &str = "(?:the )?[\"']?(?P<name>[a-z][a-z0-9_'-]*(?: [a-z0-9_'-]+){0,3}?)[\"']?";
/// Verbs that keep something.
const KEEP: &str = "(?:save|store|remember|keep|file|record|register|add|put|learn|memori[sz]e|note|log|define|program|code|\
                    implement|write|adopt|bank|stash|persist|lock|commit|tag|archive|drill|tuck|trademark|encode|preserve|retain)";

/// What is said of a tool before, between or after what it does.
const SAYINGS: &[&str] = &[
    // How it is called.
    "(?:let's |you can |you may |i want to |i'd like to )?(?:call|name|label|title|dub|christen) <it> <name>",
    "(?:name|title|label|<noun>) ?[:=] ?<name>",
    "(?:name|title) ?\\?? ?,? ?(?:uh|um|er|hm+|well)?,? <name>",
    "(?:<it>|the <noun>)(?:'s| is| shall be| should be| will be| can be| could be| would be| may be| has to be)?(?: to be)? \
     (?:called|named|titled|known as|dubbed) <name>",
    "(?:can|could|may|shall|to) be (?:called|named) <name>",
    "<name>,? (?:is|that's|is just) (?:what|how) (?:i|we)(?:'d| would|'ll| will)?(?: like to| want to)? (?:call|name) <it>",
    "(?:i|we)(?:'d| would|'ll| will| shall)? (?:call|name) <it> <name>",
    "(?:i think |i'd say |maybe |perhaps )?<name> (?:is|would be|might be|makes|sounds like) (?:a|the|its) \
     (?:(?:very |quite )?(?:nice|good|fitting|great|right|perfect|fine|suitable|proper) )?name(?: for <it>)?",
    "(?:i'd say |let's say |i'd go with |i pick |i choose )?<name> (?:for|as) (?:the|a|its) name",
    "(?:the|its|a good) name (?:is|shall be|should be|will be|would be) <name>",
    "<name>,? that's (?:the|your|my) (?:new )?<noun>",
    "<name> for short",
    // That it is to be kept.
    "(?:an? |one )?new <noun>",
    "(?:tool|skill|routine|macro)",
    "(?:(?:i|we)(?:'d| would)?|(?:can|could|may) (?:i|we)) (?:want|like|need|love|have)(?: to have)? <it> as (?:an?|my|your|our) (?:new )?<noun>(?: (?:called|named) <name>)?",
    "<ask>(?:make|write|build|create|have) (?:me |us )?an? (?:new )?<noun> (?:for|of|out of|from) <it>(?: (?:called|named) <name>)?",
    "(?:this|that|it)(?:'s| is) (?:the|my|our|a) (?:new )?<noun> (?:that )?(?:i|we)(?:'d| would)? (?:want|need|like|mean|have in mind)\
     (?: you)?(?: to (?:write|make|build|learn|create|have|know))?",
    "<ask><keep>d? (?:<it> )?(?:down |away |up |in )?(?:as|under|by) (?:the name |an? (?:new )?<noun> (?:called |named )?)?<name>",
    "<ask>(?:put|add) <it> (?:in|to|into|on) (?:your|the|my) (?:[a-z]+ )?(?:list|repertoire|library|collection|tools|skills|\
     tricks|commands|moves|toolbox|functions|routines|memory)(?: as <name>)?",
    "<ask>(?:make|turn) <it> callable",
    "<ask>(?:learn|store|program|register|implement|code|memori[sz]e) <it>",
    "<ask><keep> <it> (?:to|among) (?:what|the things) you (?:can do|know|can)",
    "<ask>(?:<keep>|make|turn) <it> (?:as|into|in|your|my)? ?(?:an?|your|my|one)? ?(?:new |reusable |little |proper |named )*\
     <noun>(?: (?:called|named) <name>)?",
    "is (?:this|that) (?:something|one) you (?:can|could|might|would) (?:pick up|learn|do|master|study)",
    "(?:this|that|it) (?:would|could|will|shall|should|is going to) be (?:my|our|your|a|the) (?:[a-z]+ )*<noun>",
    "(?:could|can|may) <name> become (?:something|one of the things|a thing) you (?:know|can do)(?: how to do)?",
    "that's the (?:whole|entire|full|complete) <name> <noun>",
    "<name>,? (?:and )?remember how",
];

/// What is said of a tool only before what it does.
const OPENINGS: &[&str] = &[
    "(?:here's |here is |i have )?(?:an?|another|my|our|your|one)? ?(?:brand )?new (?:<noun>|one)(?: for you)?(?: please| pls)?\
     (?:[,:]? (?:name[:=]? ?|called |named )?<name>)?",
    "(?:name|title) ?[:=] ?<name>",
    "(?:psst,? )?(?:(?:an?|my|your|our) )<name> <noun>(?: please| pls)?",
    "(?:psst,? )?<name> (?:tool|skill|trick|routine|function|mode|behaviou?r)(?: please| pls)?",
    "(?:we|i)(?:'d| would)? (?:need|want|like|love)(?: to have)? an? <name>(?: for .+)?",
    "(?:so |now )?let'?s (?:build|make|create|program|write|invent) (?:(?:an?|the|one) )?<name>(?: for .+)?",
    "(?:[a-z]+, )?you (?:will|shall|are to|must|can) (?:now )?learn (?:to|how to) <name>",
    "do (?:me|us) an? <name>(?:, .+)?",
    "what (?:i|we) have in mind is an? <name>(?:, .+)?",
    "(?:would|could|can|will) you (?:please )?(?:become|be) (?:my|our|an?) <name>",
    "<name>,? that's what (?:i|we)(?:'d| would| will)? call <it>",
    "(?:it would be|it'd be) [a-z]+ (?:to have|if you (?:had|knew|could do|could learn|learned)) an? <name>.*",
    "i (?:wish|want|would like|'d like)(?: that)? you (?:to )?(?:know|knew|learn|have|had) (?:this|the following|a new) <noun>",
    "(?:please,? )?i want to (?:learn|teach) you (?:an? )?<name>",
    "(?:please |kindly |can you |could you |would you )*(?:acquire|learn|study|master|pick up|adopt|rehearse) an? (?:new )?<name>(?: for .+)?",
];

/// Words around a saying that say nothing.
static AROUND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let before =
        "so|and|then|also|please|pls|ok|okay|oh|uh|um|now|hey|well|right|yes|just|finally|afterwards";
    let after =
        "please|pls|thanks|thank you|ok|okay|yeah|for me|lol|from now on|will you|would you|right|then|ta";
    Regex::new(&format!("^(?:(?:{before})[, ]+)*(?P<own>.*?)(?:[, ]+(?:{after}))*$")).ok()
});

static SAID: LazyLock<Vec<Regex>> =
    LazyLock::new(|| SAYINGS.iter().filter_map(|one| template(one)).collect());
static OPENED: LazyLock<Vec<Regex>> =
    LazyLock::new(|| OPENINGS.iter().filter_map(|one| template(one)).collect());

/// Returns the expression of a template.
fn template(text: &str) -> Option<Regex> {
    let ask = "(?:(?:can|could|would|will|may) (?:you|i)(?: please)? |i want you to |i'd like you to |you (?:should |must |may |can )?|to )?";
    let text = text
        .replace("<ask>", ask)
        .replace("<noun>", NOUN)
        .replace("<it>", IT)
        .replace("<keep>", KEEP)
        .replace("<name>", NAME);
    Regex::new(&format!("^(?:{text})$")).ok()
}

/// What is said of the tool itself.
#[derive(Debug)]
struct Saying {
    name: Option<String>,
    /// Where it stands, bytes.
    span: Range<usize>,
}

/// Reads a request in which sentences speak of the tool that the others describe.
pub(crate) fn spoken_of(text: &str) -> Option<Described> {
    let sentences = sentences(text);
    let mut sayings: Vec<Saying> = Vec::new();
    for (at, span) in sentences.iter().enumerate() {
        let own = text.get(span.clone())?;
        let saying = said(own, &SAID).or_else(|| if at == 0 { said(own, &OPENED) } else { None });
        if let Some(name) = saying {
            sayings.push(Saying { name, span: span.clone() });
        } else if let Some((name, start)) = trailing(own) {
            sayings.push(Saying { name, span: span.start + start..span.end });
        }
    }
    if sayings.is_empty() {
        return None;
    }
    let mut description = String::new();
    let mut from = 0;
    for saying in &sayings {
        description += text.get(from..saying.span.start)?;
        from = saying.span.end;
        // The mark that ends the saying goes with it.
        from += text
            .get(from..)?
            .chars()
            .take_while(|letter| is_mark(*letter))
            .map(char::len_utf8)
            .sum::<usize>();
    }
    description += text.get(from..)?;
    let description =
        description.trim_matches(|letter: char| letter.is_whitespace() || is_mark(letter) || letter == ',');
    let description = without_heading(description.strip_suffix(" and").unwrap_or(description));
    let name = sayings.into_iter().find_map(|saying| saying.name);
    let is_description = description.split_whitespace().count() > 1 && moves(description);
    is_description.then(|| Described { name, description: description.to_owned() })
}

/// Returns the name that a sentence gives to the tool; none if it does not speak of the tool.
#[expect(clippy::option_option, reason = "a saying may give no name")]
fn said(sentence: &str, templates: &[Regex]) -> Option<Option<String>> {
    let plain = plain(sentence, false);
    let own = AROUND.as_ref()?.captures(&plain)?.name("own")?.as_str();
    let found = templates.iter().find_map(|template| template.captures(own))?;
    let Some(name) = found.name("name") else { return Some(None) };
    let name = name.as_str().trim_end_matches(" for me").trim_end_matches(" for us");
    let name = name.rsplit_once("called ").map_or(name, |(_, own)| own);
    let words: Vec<String> = name.split([' ', '-']).map(str::to_owned).collect();
    if words.iter().any(|word| is_denial(word)) || words.iter().all(|word| is_plain(word)) {
        return None;
    }
    // "Save as skill peekaboo".
    let nouns = words.iter().take_while(|word| NOUNS.contains(&word.as_str())).count();
    let words = words.get(nouns..).filter(|rest| !rest.is_empty()).unwrap_or(&words);
    // "Make new function for me": it has no name.
    let is_own = words.iter().any(|word| !is_plain(word) && !NOUNS.contains(&word.as_str()));
    let is_described = words
        .first()
        .is_some_and(|first| matches!(first.as_str(), "with" | "which" | "where" | "that" | "who"));
    let is_making = words.first().is_some_and(|word| MAKING.contains(&word.as_str()));
    Some((is_own && !is_making && !is_described).then(|| identifier(words)))
}

/// Words that no name of a tool has: "don't move", "do me a favour", "nice move".
fn is_denial(word: &str) -> bool {
    matches!(
        word,
        "don't"
            | "dont"
            | "not"
            | "never"
            | "no"
            | "stop"
            | "can't"
            | "won't"
            | "favour"
            | "favor"
            | "nice"
            | "good"
            | "great"
            | "cool"
            | "lovely"
            | "bad"
            | "funny"
            | "neat"
            | "sweet"
            | "next"
            | "every"
            | "any"
            | "last"
            | "wrong"
            | "same"
    )
}

/// Words of which alone no name consists.
fn is_plain(word: &str) -> bool {
    matches!(
        word,
        "it" | "this"
            | "that"
            | "a"
            | "an"
            | "the"
            | "one"
            | "day"
            | "me"
            | "you"
            | "new"
            | "what"
            | "of"
            | "for"
            | "in"
            | "be"
            | "is"
            | "as"
            | "my"
            | "your"
            | "them"
            | "again"
            | "back"
            | "up"
            | "down"
            | "out"
            | "away"
    )
}

/// Finds a saying at the end of a sentence: "..., add it as swivel", "... (swinggate)". Returns where it begins.
fn trailing(sentence: &str) -> Option<(Option<String>, usize)> {
    if let Some((start, inner)) = sentence
        .strip_suffix(')')
        .and_then(|open| open.rsplit_once('('))
        .map(|(before, inner)| (before.len(), inner))
    {
        let is_word =
            inner.len() > 2 && inner.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let is_number = inner.chars().all(|letter| letter.is_ascii_digit());
        return (is_word && !is_number && !is_verb(inner))
            .then(|| (Some(identifier(&[inner.to_lowercase()])), start));
    }
    [", ", " and ", " - ", "; "].iter().find_map(|mark| {
        let (before, after) = sentence.rsplit_once(mark)?;
        said(after, &SAID).map(|name| (name, before.len()))
    })
}

const fn is_mark(letter: char) -> bool {
    matches!(letter, '.' | '!' | '?' | ';' | ':' | '\n' | '\u{2026}')
}

/// Returns where the sentences of a text are, without the marks at their ends, bytes. A colon ends the first one only.
pub(crate) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let is_end = match letter {
            '.' | '!' | '?' => next.is_none_or(|next| next.is_whitespace() || is_mark(next)),
            ':' => {
                all.is_empty()
                    && next.is_some_and(char::is_whitespace)
                    && !names(text.get(start..at).unwrap_or_default())
            }
            ';' | '\n' | '\u{2026}' | '\u{2014}' => true,
            _ => false,
        };
        if is_end {
            all.push(start..at);
            start = at + letter.len_utf8();
        }
    }
    all.push(start..text.len());
    all.into_iter().filter_map(|span| trimmed(text, span)).collect()
}

/// Returns whether a text ends with "name", after which a colon does not end a sentence.
fn names(text: &str) -> bool {
    let last = text.rsplit([' ', ',']).next().unwrap_or_default();
    ["name", "title", "label", "tool"].iter().any(|word| last.eq_ignore_ascii_case(word))
}

/// Leaves out the space around a part of a text; none if nothing else is there.
fn trimmed(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let own = text.get(span.clone())?;
    let start = span.start + (own.len() - own.trim_start().len());
    let end = start + own.trim().len();
    (start < end).then_some(start..end)
}

/// Returns a text in small letters with plain quotation marks, with or without the marks between sentences.
pub(crate) fn plain(text: &str, keeps_marks: bool) -> String {
    let letters: String = text
        .to_lowercase()
        .chars()
        .map(|letter| match letter {
            '\u{2019}' | '\u{2018}' | '`' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => '"',
            '!' | '.' if !keeps_marks => ' ',
            other => other,
        })
        .collect();
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain_request;

    #[test]
    fn every_template_is_an_expression() {
        assert_eq!((SAID.len(), OPENED.len()), (SAYINGS.len(), OPENINGS.len()));
        assert!(AROUND.is_some());
    }

    #[test]
    fn sentences_that_speak_of_the_tool_name_it() {
        for (request, plain) in [
            ("four nods. remember it as totally_agree.", "make a tool called totally_agree: four nods"),
            (
                "New move, name: periscope. Raise the head by one centimetre, then lower it.",
                "make a tool called periscope: Raise the head by one centimetre, then lower it",
            ),
            (
                "Body right, centre, pause 1.5 s, right, centre. Save as 'lighthouse'.",
                "make a tool called lighthouse: Body right, centre, pause 1.5 s, right, centre",
            ),
            (
                "Nod and shake your head, add it as swivel",
                "make a tool called swivel: Nod and shake your head",
            ),
            (
                "a `turtle` move: pull the head back, then come out again",
                "make a tool called turtle: pull the head back, then come out again",
            ),
            (
                "Antennas lean inward, then outward, upright at the end. (swinggate)",
                "make a tool called swinggate: Antennas lean inward, then outward, upright at the end",
            ),
            (
                "Make new function for me: the head turns left and comes back.",
                "make a tool: the head turns left and comes back",
            ),
        ] {
            assert_eq!(plain_request(request).as_deref(), Some(plain), "{request}");
        }
    }

    #[test]
    fn other_sentences_name_nothing() {
        for text in [
            "Do us a favour. Cock your head left.",
            "don't move!! there's a spider on you",
            "Nice move! Now look left",
        ] {
            assert_eq!(plain_request(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_described_first_is_a_tool() {
        for (request, plain) in [
            ("nod twice. Save that as a new routine called hello.", "make a tool called hello: nod twice"),
            (
                "Cue for act one: ears up, then nod. Write it as a command, please.",
                "make a tool: ears up, then nod",
            ),
            ("look left, then nod, and make that a command", "make a tool: look left, then nod"),
            (
                "wiggle 1x + wait 1s. save as skill wigglewait",
                "make a tool called wigglewait: wiggle 1x + wait 1s",
            ),
            ("Three nods and a wiggle. New skill please.", "make a tool: Three nods and a wiggle"),
            ("shake your head; that is the new function I want you to write", "make a tool: shake your head"),
            ("function bob(): nod twice, then look up", "make a tool called bob: nod twice, then look up"),
            ("write function wake -> antennas up, nod", "make a tool called wake: antennas up, nod"),
            ("could you program yourself to bow deeply", "make a tool that bow deeply"),
            ("Build a nod that gets deeper each time", "make a tool: a nod that gets deeper each time"),
        ] {
            assert_eq!(plain_request(request).as_deref(), Some(plain), "{request}");
        }
    }

    #[test]
    fn what_is_said_of_tools_that_are_there_makes_none() {
        for text in [
            "nod. I like this tool",
            "look left, then run the new tool",
            "nod twice and save a photo",
            "look up, then show me the new trick",
            "turn left and keep it there",
            "delete it, please",
            "nod, then do that again",
            "look left, and create a tool that nods twice",
            "look left, and create a tool called yes that nods twice",
            "nod twice, but don't save that as a tool",
            "look left, and make a tool to turn it up",
        ] {
            assert_eq!(plain_request(text), None, "{text}");
        }
    }
}
