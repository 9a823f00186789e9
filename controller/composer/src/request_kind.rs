//! What a text asks for: a new tool, a reaction, or a correction of the tool that was made just before.

use minismith_score::Event;

use crate::compose::is_content;
use crate::guard::MAX_CHARACTERS;
use crate::keeping::asks_for_none;
use crate::name::{MAKING, NOUNS};
use crate::tag::{Tag, Trigger};
use crate::tagger::tag;
use crate::words::{Word, number_word, split as split_words};

/// Returns whether a text asks for a new tool: "make a tool that nods".
#[must_use]
pub fn is_tool_request(text: &str) -> bool {
    text.len() <= 4 * MAX_CHARACTERS && !asks_for_none(text) && names_a_tool(&split_words(text))
}

/// Returns whether words name a tool that is to be made.
pub(crate) fn names_a_tool(words: &[Word]) -> bool {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    if asks_for_a_behaviour(words) || begins_with_a_tool(words) || is_about_a_tool(words) {
        return true;
    }
    let making = (0..words.len().min(12)).find(|at| {
        let text = word(*at);
        (MAKING.contains(&text) && !matches!(text, "come" | "set" | "get" | "have"))
            && (text != "like" || matches!(word(at.wrapping_sub(1)), "would" | "d"))
    });
    let Some(making) = making else { return false };
    let noun = (making + 1..(making + 9).min(words.len())).find(|at| {
        NOUNS.contains(&word(*at)) && !matches!(word(*at), "one" | "something" | "motion" | "movement")
    });
    let is_article = |at: usize| {
        words.get(making + 1..at).unwrap_or(&[]).iter().any(|word| {
            matches!(
                word.text.as_str(),
                "a" | "an" | "new" | "another" | "one" | "such" | "me" | "tool" | "the" | "my" | "this"
            )
        })
    };
    let is_something = (making + 1..(making + 5).min(words.len()))
        .any(|at| word(at) == "something" && matches!(word(at + 1), "that" | "which" | "where"));
    // "Create skill snooze", "please make tool, ...".
    let is_direct = noun.is_some_and(|at| {
        at == making + 1
            && matches!(word(at), "tool" | "skill" | "routine" | "function" | "command" | "trick")
            && making < 3
            && word(making) != "new"
    });
    // "Add "dawn" to your commands".
    let is_added = (0..=making).any(|at| matches!(word(at), "add" | "adds" | "adding"));
    let adds = is_added && words.windows(3).any(|three| {
        matches!(three, [to, your, nouns] if to.text == "to"
            && your.text == "your"
            && matches!(nouns.text.as_str(), "tools" | "skills" | "commands" | "tricks" | "routines" | "functions" | "repertoire"))
    });
    is_something || is_direct || adds || noun.is_some_and(is_article)
}

/// Returns whether a text speaks of learning, names a tool without a verb ("a tool, please, that nods"), or describes how
/// to act ("act surprised: ...").
fn asks_for_a_behaviour(words: &[Word]) -> bool {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let teaches = (0..words.len().min(12)).any(|at| match word(at) {
        "teach" => matches!(word(at + 1), "yourself" | "the" | "him" | "it"),
        "learn" => {
            matches!(
                word(at + 1),
                "to" | "how" | "a" | "an" | "the" | "this" | "something" | "one" | ":" | "trick"
            )
        }
        _ => false,
    });
    let names_tool = (1..words.len().min(5)).any(|at| {
        matches!(word(at), "tool" | "skill" | "trick" | "function" | "routine")
            && matches!(word(at - 1), "a" | "an" | "another" | "new" | "one" | "little")
            && (at + 1..at + 5).any(|at| matches!(word(at), "that" | "which" | "where" | "for" | "to"))
    });
    // "It would help me if you had a tool by which you nod".
    let speaks_of_one = (5..words.len().min(12)).any(|at| {
        matches!(word(at), "tool" | "skill" | "trick" | "routine")
            && (matches!(word(at - 1), "a" | "another")
                || (word(at - 1) == "new" && matches!(word(at - 2), "a" | "one")))
            && matches!(
                word(at + 1),
                "that"
                    | "which"
                    | "where"
                    | "whereby"
                    | "by"
                    | "in"
                    | "for"
                    | "to"
                    | "from"
                    | "goes"
                    | "such"
                    | ":"
            )
    });
    teaches || names_tool || speaks_of_one || (word(0) == "act" && words.len() > 2)
}

/// Returns whether a text begins with the tool that it asks for and then describes it: "new tool: it nods", "a little trick,
/// please, called peek".
fn begins_with_a_tool(words: &[Word]) -> bool {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let is_before = |at: &usize| {
        LEAD_INS.contains(&word(*at))
            || matches!(word(*at), "a" | "an" | "one" | "another" | "new" | "brand" | "more" | ",")
            || matches!(word(*at), "little" | "small" | "simple" | "short" | "quick" | "next" | "fresh")
    };
    let at = (0..words.len().min(8)).take_while(is_before).count();
    let is_named = matches!(
        word(at),
        "tool"
            | "skill"
            | "trick"
            | "function"
            | "routine"
            | "command"
            | "cmd"
            | "gesture"
            | "move"
            | "behaviour"
            | "behavior"
    );
    let is_introduced = (0..at).any(|at| matches!(word(at), "a" | "another" | "new"));
    let is_described = matches!(
        word(at + 1),
        ":" | ","
            | "."
            | "!"
            | "please"
            | "called"
            | "named"
            | "that"
            | "which"
            | "where"
            | "for"
            | "to"
            | "with"
    );
    // "Routine please. Nod twice."
    let is_asked = at == 0 && word(1) == "please" && !words.get(2).is_some_and(|word| word.is_word);
    is_named && (is_introduced || is_asked) && is_described && words.len() > at + 3
}

/// Returns whether a text announces a tool ("tool idea: ...", "for my next tool, ..."), or says at its end that it is one
/// ("... That's the tool I want", "make that a tool").
fn is_about_a_tool(words: &[Word]) -> bool {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    // What is done with tools that are there already.
    let is_order = matches!(
        word(0),
        "run"
            | "start"
            | "call"
            | "use"
            | "delete"
            | "remove"
            | "list"
            | "show"
            | "approve"
            | "explain"
            | "rename"
            | "what"
            | "which"
            | "how"
            | "why"
            | "who"
            | "where"
            | "is"
            | "are"
            | "does"
            | "do"
            | "stop"
            | "forget"
            | "play"
            | "execute"
    );
    // "Do a tool ...".
    let is_made = word(0) == "do" && word(1) == "a" && word(2) == "tool";
    if (is_order && !is_made) || words.len() < 4 {
        return false;
    }
    let is_tool = |at: usize| matches!(word(at), "tool" | "skill" | "trick");
    // "Could you whip up a tool that", "I'd like you to be able to".
    let describes = (1..words.len().min(14)).any(|at| {
        let has_article =
            (at.saturating_sub(3)..at).any(|at| matches!(word(at), "a" | "an" | "another" | "new"));
        let has_link = matches!(
            word(at + 1),
            "that" | "which" | "where" | "to" | "for" | "called" | "named" | ":" | "in" | "with"
        );
        word(at) == "tool" && has_article && has_link
    });
    let is_able = (0..words.len().min(9)).any(|at| {
        word(at) == "able"
            && word(at + 1) == "to"
            && (0..at).any(|at| matches!(word(at), "like" | "want" | "need" | "love" | "wish"))
    });
    // "... Would you write that tool?"
    let makes = (1..words.len()).any(|at| {
        is_tool(at)
            && matches!(word(at - 1), "that" | "this" | "such" | "a")
            && matches!(word(at.wrapping_sub(2)), "make" | "write" | "build" | "create" | "code" | "program")
    });
    if describes || is_able || is_made || makes {
        return true;
    }
    let announces =
        (0..4).any(|at| is_tool(at) && (at + 1..at + 5).any(|at| word(at) == ":") && words.len() > at + 3);
    let ends = (1..words.len()).any(|at| {
        let is_wanted = (at + 1..at + 4).any(|at| {
            matches!(word(at), "want" | "need" | "mean" | "like" | "love" | "wish" | "mind" | "meant")
        }) && matches!(word(at + 1), "i" | "we");
        let is_made = matches!(word(at - 1), "a" | "new")
            && (at.saturating_sub(5)..at)
                .any(|at| matches!(word(at), "as" | "into" | "make" | "call" | "save"));
        is_tool(at) && (is_wanted || is_made)
    });
    announces || ends
}

/// Returns whether a text asks for a reaction: "whenever you see a face, wave", or one that goes on for a time.
#[must_use]
pub fn is_reactive(text: &str) -> bool {
    if text.len() > 4 * MAX_CHARACTERS {
        return false;
    }
    let tags = tag(&split_words(text), &[]);
    tags.iter().any(|tagged| match &tagged.tag {
        Tag::Condition(_, Event::Thing(name)) => name != "one",
        Tag::Condition(..) => true,
        _ => false,
    }) && tags.iter().any(|tagged| is_content(&tagged.tag))
}

/// Returns whether a text asks for a reaction that outlasts this moment: "whenever you see a face, wave", not "if you see
/// a face, wave".
#[must_use]
pub fn is_lasting_reaction(text: &str) -> bool {
    text.len() <= 4 * MAX_CHARACTERS
        && tag(&split_words(text), &[])
            .iter()
            .any(|tagged| matches!(&tagged.tag, Tag::Condition(trigger, _) if *trigger != Trigger::When))
}

/// Returns whether a text can be a correction of the tool that was made just before: it begins as a continuation, or it
/// compares with what was made.
#[must_use]
pub fn is_correction(text: &str) -> bool {
    if text.len() > MAX_CHARACTERS || is_tool_request(text) {
        return false;
    }
    let words: Vec<String> = split_words(text).into_iter().map(|word| word.text).collect();
    let is_lead_in =
        |word: &&String| LEAD_INS.contains(&word.as_str()) || !word.starts_with(char::is_alphanumeric);
    let lead = words.iter().take_while(is_lead_in).count();
    let rest = words.get(lead..).unwrap_or(&[]).join(" ");
    let text = format!(" {rest} ");
    let begins = |start: &&str| text.starts_with(&format!(" {start} "));
    // "No, five": a number alone.
    let is_number = rest.split(' ').next().is_some_and(|first| number_word(first).is_some())
        && rest.split(' ').skip(1).all(|word| matches!(word, "times" | "please" | "of" | "them" | "."));
    is_number
        || STARTS.iter().any(begins)
        || COMPARES.iter().any(|phrase| text.contains(&format!(" {phrase} ")))
}

/// Words before a correction that say nothing.
const LEAD_INS: &[&str] = &[
    "no", "sorry", "please", "hmm", "hm", "um", "oh", "ok", "okay", "well", "now", "actually", "wait",
    "great", "good", "nice", "fine", "thanks", "perfect", "so", "yes", "better", "hey", "right", "could",
    "can", "you", "would", "i", "meant", "mean", "maybe", "perhaps", "alright", "cool", "lovely", "almost",
    "nearly", "thank", "much", "hang", "on", "that's", "it's", "is", "that",
];

/// How corrections begin.
const STARTS: &[&str] = &[
    "and",
    "then",
    "but",
    "only",
    "just",
    "slower",
    "faster",
    "quicker",
    "bigger",
    "smaller",
    "higher",
    "wider",
    "deeper",
    "lower",
    "larger",
    "a bit",
    "a little",
    "a lot",
    "much",
    "twice",
    "half",
    "double",
    "without",
    "the other",
    "make it",
    "make that",
    "make them",
    "more",
    "less",
    "also",
    "too",
    "not",
    "it should",
    "it must",
    "it be",
    "it is",
    "that is",
    "that was",
    "do it with",
    "do the",
    "swap",
    "mirror",
    "reverse",
    "flip",
    "drop the",
    "lose the",
    "leave out",
    "leave the",
    "skip the",
    "remove",
    "get rid",
    "omit",
    "cut",
    "take out",
    "add",
    "change",
    "increase",
    "decrease",
    "reduce",
    "hold it",
    "hold that",
    "hold the",
    "keep it",
    "use the",
    "with",
    "both",
    "this time",
    "call it",
    "rename",
    "slow it",
    "slow down",
    "slow that",
    "speed it",
    "speed up",
    "speed that",
    "end",
    "finish",
    "start",
    "begin",
    "rather you",
    "rather it",
    "rather have",
    "prefer",
    "rather",
    "d rather",
    "it go",
    "it do",
    "let it",
    "have it",
    "let the",
    "have the",
    "it end",
    "it start",
    "it also",
    "we",
    "let us",
    "try",
    "give it",
    "switch",
    "exchange",
    "replace",
    "the same but",
    "same but",
    "same thing but",
    "the same thing but",
    "the same with",
    "like that but",
    "as before but",
    "again but",
    "everything",
    "all of it",
    "shorten",
    "lengthen",
    "double the",
    "halve the",
    "three times",
    "four times",
    "five times",
    "except",
    "never mind the",
    "forget the",
    "scrap the",
    "ditch the",
    "delete the",
    "no more",
    "stop the",
    "repeat it",
    "repeat that",
    "do that",
    "do it",
    "go back",
    "come back",
    "stay",
    "keep the",
    "turn the other",
    "use both",
    "use only",
    "use your",
    "the left one",
    "the right one",
    "other direction",
    "other side",
    "other way",
    "opposite",
    "at the end",
    "to the",
    "on the",
    "once",
    "thrice",
    "i do not want",
    "do not want",
    "include",
    "instead",
    "put",
    "turn it",
    "tilt it",
    "move it",
    "before",
    "after",
    "first",
];

/// What compares with something before.
const COMPARES: &[&str] = &[
    "instead",
    "should stay still",
    "should not move",
    "should be still",
    "should be slower",
    "should remain still",
    "ought to",
    "rather than",
    "instead of",
    "the other side",
    "the other way",
    "the other one",
    "other direction",
    "the opposite",
    "not that",
    "not so",
    "too fast",
    "too slow",
    "too quick",
    "too far",
    "too big",
    "too small",
    "too much",
    "too long",
    "too short",
    "too wide",
    "mirror image",
    "as well",
    "nod first",
    "wave first",
    "slower",
    "faster",
    "quicker",
    "bigger",
    "smaller",
    "deeper",
    "once more",
    "in between",
    "any more",
    "the pause",
    "that three times",
    "that twice",
    "in a row",
    "at the very end",
    "at the end",
    "at the beginning",
    "at the start",
    "less deep",
    "less far",
    "less wide",
    "more slowly",
    "more quickly",
    "more gently",
    "half as",
    "twice as",
    "both antennas for that",
    "the other antenna",
    "the other ear",
    "you used both",
    "both ears for",
    "at the same time",
    "shorter",
    "longer",
    "further",
];
