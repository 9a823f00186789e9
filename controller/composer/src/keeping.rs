//! Requests that no pattern knows and that show all the same that the robot is to keep what they describe: "bank that as
//! weather check", "don't forget it", "that's your new move". Phrases of this kind stand anywhere in the text.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::described::{Described, moves, without_heading};
use crate::name::identifier;
use crate::sayings::{plain, sentences};
use crate::tag::Tag;
use crate::tagger::tag;
use crate::words::split;

/// What stands for the motion that is described.
const IT: &str = "(?:it|this|that|these|them|him|her|thee|this one|that one|this pose|the following|the sequence|the whole thing|the lot)";

/// What shows that something is to be kept, whatever follows.
const PHRASES: &[&str] = &[
    "\\b(?:forever|for ever|henceforth|permanent(?:ly)?|reusable|re-?use it|keeper)\\b",
    "\\b(?:save|retain|remember|store|keep) (?:a|the) (?:small |little |short )?(?:sequence|combo|move|gesture|routine)\\b",
    "\\b(?:hang|hold) on to (?:it|this|that)\\b",
    "\\bkeep (?:it|this|that)(?: handy| safe| forever| in your memory| as\\b|, |[.!;]|$)",
    "\\b(?:don't|do not|never|not allowed to|must not|and not) forget (?:it|this|that|how)\\b",
    "\\b(?:know|learn|remember) (?:it|this|that) (?:forever|by heart|from now|properly|for)\\b|\\blearn (?:it|this)\\b",
    "\\byour (?:new|newest|latest|next) (?:move|trick|skill|habit|power|art|thing|sport|tool|gesture|routine|ability)\\b",
    "\\bnew (?:thing|habit|move|trick|skill|ability|gesture|routine|tool|power|feature|shortcut|macro|function|command|sport)\\b\
     .{0,12}(?::|\\bis\\b|for you|to know|called|named)",
    "\\b(?:in|to|on|among|amongst|with|into|inside) your (?:[a-z]+ )?(?:list|library|repertoire|memory|brain|tricks|moves|animals|\
     skills|collection|stunts|gestures|others|tools|commands|toolbox|catalogue|catalog)\\b",
    "\\b(?:shortcut|macro|primitive|emote|catchphrase)\\b",
    "\\bi(?:'ll)? teach you\\b|\\b(?:acquiring|acquire|work out how to|upgrad(?:e|ing) yourself|supply yourself)\\b",
    "\\b(?:is|it's|that's) (?:something|one) you (?:do|know|have|can do) now\\b|\\b(?:let|may) (?:that|this|it) be (?:yours|your)\\b",
    "\\bhave it(?: ready)?,?(?: then,?)? as\\b|\\b(?:what|everything) you (?:can do|know)[.!?]?$",
    "\\b(?:one more|another|a new|new) (?:trick|skill|tool|move|routine)\\b.{0,4}[.:?!]",
    "(?:^|[.!?;,:] |\\bso |\\bthen |\\band |\\bplease |\\byou )learn (?:the |a |an |to |how )?[a-z]",
    "\\b(?:could|please|and|can|robot|you) remember (?:how to|that|it|this)\\b",
    "\\b(?:gimme|as|build|make|want|need|have|like) (?:me )?(?:a|an|another|one more|my|that|new) (?:[a-z]+ ){0,2}(?:tool|skill|routine)\\b",
    "\\b(?:refer to (?:it|this|that) as|be a word you understand|is to be your|something you've got|make it so (?:that )?i can say|\
     one thing i can ask for|whenever i say so|for the future|anything i call|get yourself an?|should i ever ask for)\\b",
    // How it is called.
    "\\b(?:shall|should|will|to|can|must) (?:henceforth )?be (?:called|named|known as|calling|titled)\\b|\\bknown as\\b|\\bshall be calling\\b",
    "\\b(?:it's|its|it is|that's|thats|this is|that is) (?:called|named)\\b|\\b(?:is|that's) what (?:it's|its|i|we)(?:'d| would)?(?: to)? ?call(?:ed)?\\b",
    "\\b(?:its|it's|the|this is|combo|move|tool) ?name ?(?:is|=|:|\")|\\b(?:slug|title|alias|name|tag) ?[:=]",
    "\\bunder the (?:name|heading|title)\\b|\\bassign the word\\b|\\bstands? for the following\\b|\\bi call (?:him|it|this|that)\\b|\\bi dub\\b|\\bname(?:d)? it\\b",
    "\\b(?:save|store|stash|bank|log|add|file|keep|lock|persist|remember|record|sort|put)\\b[^.!?]{0,18}\\b(?:as|under)\\b",
];

/// Verbs that keep what "it" stands for, unless a place follows: "save that", not "put it down".
const KEEPING: &str = "\\b(?:commit|persist|stash|bank|store|save|log|lock|preserve|encode|register|memori[sz]e|trademark|tag|file|tuck|\
                       archive|retain|drill|record|add|assign|put|call|name|dub|christen|bapti[sz]e|title|label) <it>\\b(?P<next>[^.!?]{0,14})";
/// What follows where nothing is kept: "put it down", "call it a day".
const ELSEWHERE: &str =
    "^ (?:up|down|back|out|there|on\\b|in place|left|right|to the|a bit|to your|a day|off)";

/// What is said where no tool is to_be_kept for: of tools that are there, in questions, and in tales.
const OTHERWISE: &[&str] = &[
    "^(?:run|start|use|delete|remove|list|show|approve|explain|rename|execute|drop|forget|tell|play) (?:me |us )?(?:the|your|my|that|this|all|every)\\b",
    "^(?:what (?:do|does|did|is|are|was|were|can|tools|tricks|skills)\\b|what's|which|who|whose|why|where|when did|is|are|does|did|have you|has)\\b",
    "^(?:how (?:do|does|did|can|come|is|are|many|much|long|often|old|far)|do you (?:know|have|still|remember))\\b",
    "\\bcall it (?:a day|quits|even)\\b",
    "\\b(?:don't|do not|no need to|never) (?:save|store|keep|remember|learn|make|add|create|record)\\b",
    "\\b(?:i|we|they) (?:know|remember|learned|learnt|used to|saved|stored|made|had|called)\\b",
    "\\b(?:we|they|he|she|boss|everybody|everyone|people) calls? (?:our|my|the|this|him|her|them)\\b",
];

/// How a name is given.
const NAMING: &str = "\\b(?:call(?:ed|ing)?|named?|known as|dub|christen|bapti[sz]e|titled?|tag|under(?: the name| the heading)?|as|slug:?|name ?[:=]|name is)\
                      (?: <it>)? [\"']?(?P<name>[a-z][a-z0-9_'-]*(?: [a-z0-9_'-]+){0,3})[\"']?\\s*(?:[,.!?;]|$)";

/// How many words such a request has at least.
const LEAST_WORDS: usize = 6;

static KEEPS: LazyLock<Option<RegexSet>> = LazyLock::new(|| expressions(PHRASES));
static OTHERS: LazyLock<Option<RegexSet>> = LazyLock::new(|| expressions(OTHERWISE));
static KEPT: LazyLock<Option<Regex>> = LazyLock::new(|| expression(KEEPING));
static PLACED: LazyLock<Option<Regex>> = LazyLock::new(|| expression(ELSEWHERE));
static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| expression(NAMING));

fn expressions(all: &[&str]) -> Option<RegexSet> {
    RegexSet::new(all).ok()
}

fn expression(text: &str) -> Option<Regex> {
    Regex::new(&text.replace("<it>", IT)).ok()
}

/// Reads a request that shows that what it describes is to be kept.
pub(crate) fn to_be_kept(text: &str) -> Option<Described> {
    let lower = plain(text, true);
    if lower.split(' ').count() < LEAST_WORDS || !is_to_be_kept(&lower) {
        return None;
    }
    // Sentences that only speak of the tool.
    let mut description = String::new();
    for span in sentences(text) {
        let own = text.get(span)?;
        if names_motion(own) || !is_to_be_kept(&plain(own, true)) {
            description += own;
            description += ". ";
        }
    }
    let description = without_heading(description.trim().trim_end_matches('.')).to_owned();
    (description.split_whitespace().count() > 1 && moves(&description))
        .then(|| Described { name: name(&lower), description })
}

/// Returns whether a sentence names a motion or a part of the robot.
fn names_motion(sentence: &str) -> bool {
    tag(&split(sentence), &[])
        .iter()
        .any(|tagged| matches!(tagged.tag, Tag::Verb(_) | Tag::Part(_) | Tag::Feeling(_)))
}

/// Returns whether a text speaks of tools that are there, asks something, or tells a tale.
pub(crate) fn asks_for_none(text: &str) -> bool {
    let lower = plain(text, true);
    OTHERS.as_ref().is_some_and(|others| others.is_match(&lower))
}

/// Returns whether a text in small letters shows that something is to be kept.
fn is_to_be_kept(lower: &str) -> bool {
    let is_kept = KEPT.as_ref().is_some_and(|kept| {
        kept.captures_iter(lower).any(|found| {
            let next = found.name("next").map_or("", |next| next.as_str());
            !PLACED.as_ref().is_some_and(|placed| placed.is_match(next))
        })
    });
    is_kept || KEEPS.as_ref().is_some_and(|keeps| keeps.is_match(lower))
}

/// Returns the name that is given last.
fn name(lower: &str) -> Option<String> {
    let found = NAMES.as_ref()?.captures_iter(lower).filter_map(|found| found.name("name"));
    let own = found.map(|name| name.as_str()).filter(|name| !moves(name)).last()?;
    let words: Vec<String> =
        split(own).into_iter().filter(|word| word.is_word).map(|word| word.text).collect();
    let plain = ["it", "this", "that", "a", "an", "the", "if", "i", "you", "one", "soon", "well", "far"];
    let is_name = words.first().is_some_and(|first| !plain.contains(&first.as_str()));
    is_name.then(|| identifier(&words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain_request;

    #[test]
    fn every_expression_is_one() {
        assert!(KEEPS.is_some() && OTHERS.is_some());
        assert!(KEPT.is_some() && PLACED.is_some() && NAMES.is_some());
    }

    #[test]
    fn what_is_to_be_kept_is_a_tool() {
        for (request, plain) in [
            (
                "Swivel round to face the window, then look up. Bank that as weather check.",
                "make a tool called weather_check: Swivel round to face the window, then look up",
            ),
            (
                "Raise your right antenna like a hand going up in class. Now don't forget it.",
                "make a tool: Raise your right antenna like a hand going up in class",
            ),
            (
                "Lower the head, wait a second, raise it again. Persist this as dip.",
                "make a tool called dip: Lower the head, wait a second, raise it again",
            ),
        ] {
            assert_eq!(plain_request(request).as_deref(), Some(plain), "{request}");
        }
    }

    #[test]
    fn talk_of_tools_and_orders_make_none() {
        for text in [
            "look left and put it back up again after a second, please",
            "I learned to wave with both hands, so nod for me please",
            "What do you call the bit where your body turns to the left",
            "Drop the tool called nap time, we have three of those. Nod.",
            "My boss calls this a toy. Either way, please wave at him",
            "let's call it a day, so turn to the left and lower your head",
        ] {
            assert_eq!(plain_request(text), None, "{text}");
        }
    }
}
