//! Finds what a text only tells: reported speech, habits, opinions. None of it is an order, though it names a motion.
//!
//! "I told my friend that you can dance" names every word of an order. What makes it a tale is its frame: a subject that is
//! not the robot, a verb of speaking or knowing, and a clause below it. The frames are those of English; a text in another
//! language has none of them.

use crate::concept::{Act, Concept};
use crate::lexicon::{Lexicon, lexicon};
use crate::words::Word;

use frames::{ADVERBS, ADVERBS_OF_ORDERS, COPULAS, OPENINGS, PLAIN_REPORTS, PRONOUNS, REPORTS};

mod frames;

/// What of a text is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Nothing.
    Nothing,
    /// All of it.
    Everything,
    /// Not this, which is left of it.
    AllBut(String),
}

/// In longer texts, tales are not looked for.
const MAX_BYTES: usize = 2_000;

/// Returns what of a text only tells of motions.
#[must_use]
pub fn told(text: &str) -> Told {
    let Some(english) = lexicon("en").filter(|_| text.len() <= MAX_BYTES) else { return Told::Nothing };
    let words = english.words(text);
    let mut rest = String::new();
    let (mut is_changed, mut has_order, mut points_back) = (false, false, false);
    let mut quotes = false;
    for (at, clause) in clauses(&words, english).into_iter().enumerate() {
        let (Some(first), Some(last)) = (clause.first(), clause.last()) else { continue };
        let said: Vec<&str> =
            clause.iter().filter(|word| !word.is_sign()).map(|word| word.text.as_str()).collect();
        let frame = Frame { words: without_opening(&said), english };
        // "My friend said: nod twice".
        let is_quoted = std::mem::take(&mut quotes);
        quotes = last.text == ":" && opens_quote(&said);
        if is_quoted || quotes || frame.tells() {
            is_changed = true;
            continue;
        }
        let from = match frame.repeated_order() {
            Some(count) if at == 0 => {
                is_changed = true;
                let place =
                    clause.iter().filter(|word| !word.is_sign()).nth(said.len() - frame.words.len() + count);
                place.map_or(first.span.start, |word| word.span.start)
            }
            _ => first.span.start,
        };
        has_order |= said.iter().any(|word| may_order(word, english));
        points_back |= is_changed && points_back_to_it(&said);
        rest.push_str(text.get(from..last.span.end).unwrap_or_default());
        rest.push(' ');
    }
    match (is_changed, has_order) {
        (false, _) => Told::Nothing,
        // "I heard that you can dance, so show me".
        (true, false) if points_back => Told::Nothing,
        (true, false) => Told::Everything,
        (true, true) => Told::AllBut(rest.trim().to_owned()),
    }
}

/// "The manual reads", "I told her", and not "I said", "I told you": what follows was said to somebody else.
fn opens_quote(said: &[&str]) -> bool {
    const HEARERS: [&str; 9] = ["me", "us", "him", "her", "them", "everyone", "everybody", "people", "here"];
    let reports = |word: &&str| REPORTS.contains(word) || *word == "reads";
    let Some(verb) = said.iter().rposition(reports).filter(|verb| *verb > 0) else { return false };
    let hearers = said.get(verb + 1..).unwrap_or_default();
    let is_mine = said.first() == Some(&"i");
    hearers.iter().all(|word| HEARERS.contains(word)) && !(is_mine && hearers.is_empty())
}

/// "Can you do it please", "so show me": an order whose motion was told before.
fn points_back_to_it(said: &[&str]) -> bool {
    let has = |pair: [&str; 2]| said.windows(2).any(|two| two == pair);
    [
        ["do", "it"],
        ["do", "that"],
        ["do", "this"],
        ["show", "me"],
        ["show", "us"],
        ["prove", "it"],
        ["let", "me"],
        ["lets", "see"],
        ["go", "on"],
        ["go", "ahead"],
        ["try", "it"],
        ["try", "that"],
    ]
    .into_iter()
    .any(has)
}

/// Splits a text into sentences, and those where an order follows what was told: "he says you can nod, so nod".
fn clauses<'a>(words: &'a [Word], english: &Lexicon) -> Vec<&'a [Word]> {
    let mut clauses = Vec::new();
    let mut from = 0;
    for at in 0..words.len() {
        let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
        let is_after_comma = at > 0 && text(at - 1) == ",";
        let is_order = matches!(
            text(at + 1),
            "please" | "now" | "could" | "can" | "would" | "will" | "go" | "show" | "do"
        ) || is_act(text(at + 1), english)
            || (ADVERBS_OF_ORDERS.contains(&text(at + 1)) && is_act(text(at + 2), english));
        let begins = match text(at) {
            "but" => true,
            "so" => is_after_comma || is_order,
            "and" => is_after_comma && matches!(text(at + 1), "now" | "so" | "please"),
            "now" | "please" => is_after_comma,
            "can" | "could" | "would" => is_after_comma && text(at + 1) == "you",
            _ => false,
        };
        if begins && at > from {
            clauses.extend(words.get(from..at));
            from = at;
        }
        if matches!(text(at), "." | "!" | "?" | ";" | ":" | "\n") {
            clauses.extend(words.get(from..=at));
            from = at + 1;
        }
    }
    clauses.extend(words.get(from..).filter(|rest| !rest.is_empty()));
    clauses
}

fn without_opening<'a, 'b>(said: &'b [&'a str]) -> &'b [&'a str] {
    let mut rest = said;
    while let [first, after @ ..] = rest {
        let is_by_the_way = matches!(rest, ["by", "the", "way", ..]);
        let is_opening = OPENINGS.contains(first) && !after.is_empty();
        rest = match (is_by_the_way, is_opening) {
            (true, _) => rest.get(3..).unwrap_or_default(),
            (false, true) => after,
            (false, false) => return rest,
        };
    }
    rest
}

/// Acts that anybody has: "the cat looks up".
const fn is_plain_act(act: Act) -> bool {
    matches!(
        act,
        Act::Nod
            | Act::Shake
            | Act::Bow
            | Act::Wiggle
            | Act::Wave
            | Act::Look
            | Act::Turn
            | Act::Tilt
            | Act::Shift
            | Act::Raise
            | Act::Lower
            | Act::Lean
            | Act::Sway
            | Act::Circle
            | Act::Dance
            | Act::Scan
    )
}

/// Returns what a word alone means.
fn concepts(text: &str, english: &Lexicon) -> Vec<Concept> {
    let word = Word { text: text.to_owned(), number: None, span: 0..0 };
    english.longest(std::slice::from_ref(&word)).map(|(concepts, _)| concepts).unwrap_or_default()
}

/// Returns whether a word names a motion that a tale may be about.
fn is_act(text: &str, english: &Lexicon) -> bool {
    if matches!(text, "move" | "moves" | "moved" | "moving") {
        return true;
    }
    concepts(text, english).iter().any(|concept| matches!(concept, Concept::Act(act) if is_plain_act(*act)))
}

/// Returns whether a word can be the verb of an order.
fn may_order(text: &str, english: &Lexicon) -> bool {
    let concepts = concepts(text, english);
    concepts.iter().any(|concept| matches!(concept, Concept::Act(_) | Concept::Undo | Concept::Again))
        && !concepts.contains(&Concept::Past)
        && !matches!(text, "going" | "go" | "let" | "get" | "come" | "coming")
}

/// Returns whether a word is a part of the robot, or a direction.
fn is_own(text: &str, english: &Lexicon) -> bool {
    concepts(text, english)
        .iter()
        .any(|concept| matches!(concept, Concept::Part(_) | Concept::Way(_) | Concept::Number(_)))
}

/// The words of a clause, those before its subject left out.
#[derive(Clone, Copy)]
struct Frame<'a> {
    words: &'a [&'a str],
    english: &'a Lexicon,
}

impl Frame<'_> {
    fn tells(self) -> bool {
        self.names_act()
            && (self.reports()
                || self.judges()
                || self.is_habit()
                || self.is_supposed()
                || self.is_thanks()
                || self.is_of_another())
    }

    fn names_act(self) -> bool {
        self.words.iter().any(|word| is_act(word, self.english))
    }

    /// "My friend thinks you can nod", "he wants me to look up".
    fn reports(self) -> bool {
        let is_subject = |subject: &[&str]| {
            !subject.is_empty()
                && subject.len() <= MOST_WORDS_OF_SUBJECT
                && !subject.iter().any(|word| is_act(word, self.english))
        };
        let verb = (0..self.words.len()).find(|at| {
            let (subject, word) = (self.words.get(..*at).unwrap_or_default(), self.words.get(*at).copied());
            let bare: Vec<&str> = subject.iter().copied().filter(|word| !ADVERBS.contains(word)).collect();
            let is_pronoun = matches!(bare.as_slice(), [one] if PRONOUNS.contains(one))
                || matches!(bare.as_slice(), ["some" | "many" | "most" | "all", _]);
            word.is_some_and(|word| {
                (REPORTS.contains(&word) && is_subject(subject))
                    || (PLAIN_REPORTS.contains(&word) && is_pronoun)
            })
        });
        let Some(verb) = verb else { return false };
        let subject = self.words.get(..verb).unwrap_or_default();
        let word = self.words.get(verb).copied().unwrap_or_default();
        let after = self.words.get(verb + 1..).unwrap_or_default();
        if !(Frame { words: after, ..self }).names_act() {
            return false;
        }
        let is_own_view =
            matches!(subject.iter().rev().find(|word| !ADVERBS.contains(word)), Some(&("i" | "we")));
        match (word, after) {
            // "You know", "you see": no report.
            _ if subject.last() == Some(&"you") && matches!(word, "know" | "see" | "saw") => false,
            // "I'd say look left".
            ("say", _) if subject == ["id"] => false,
            // "He wants you to nod", "my mum asked you to wave", "she asked if you could": an order that is passed on.
            (
                _,
                ["you", "to", ..]
                | ["to", "see" | "watch" | "hear" | "film" | "have", "you" | "your" | "a", ..]
                | ["if" | "whether", "you", "could" | "can" | "would" | "will", ..],
            ) => false,
            // "I said look left", "I wanted the other side", "I asked for two nods": a correction.
            ("said" | "wanted" | "asked" | "ordered" | "expected", _) if is_own_view => {
                matches!(after, ["that", "you", ..]) || is_object(after)
            }
            // "I think you should nod", "I'd like to see you nod".
            (
                "think" | "believe" | "guess" | "suppose" | "reckon" | "assume" | "thought" | "say" | "know",
                _,
            ) if is_own_view => self.tells_of_robot(after),
            ("see" | "like" | "love" | "want" | "hate" | "hear", _) if is_own_view => {
                is_infinitive(after, self.english)
                    || self.tells_of_robot(after)
                    || matches!(after, ["it" | "that", "when" | "how", ..] | ["how", ..])
            }
            // "She loves it when you dance", "the kids like a nod" is a request.
            (
                "wants" | "wanted" | "likes" | "loves" | "want" | "like" | "love",
                ["a" | "an" | "two" | "three" | "some" | "another" | "the" | "your", ..],
            ) => false,
            _ => true,
        }
    }

    /// "You can dance", "that you nodded", "you always look left": what the robot does or did.
    fn tells_of_robot(self, after: &[&str]) -> bool {
        let after = match after {
            ["that", rest @ ..] => rest,
            rest => rest,
        };
        match after {
            ["you", verb, ..] => {
                matches!(
                    *verb,
                    "can"
                        | "cant"
                        | "cannot"
                        | "are"
                        | "were"
                        | "have"
                        | "had"
                        | "did"
                        | "know"
                        | "always"
                        | "never"
                        | "just"
                        | "like"
                        | "love"
                        | "usually"
                        | "often"
                        | "do"
                        | "already"
                        | "dont"
                        | "didnt"
                ) || self.is_past(verb)
            }
            ["youre" | "youve" | "youd", ..] => true,
            _ => false,
        }
    }

    fn is_past(self, text: &str) -> bool {
        concepts(text, self.english).contains(&Concept::Past)
    }

    /// "Bowing is polite", "a nod means yes", "it was nice of you to nod".
    fn judges(self) -> bool {
        if let ["it" | "that", "was" | "is", .., "of", "you", "to", _]
        | ["it" | "that", "was" | "is", .., "of", "you", "to", _, _] = self.words
        {
            return true;
        }
        let subject = match self.words {
            ["a" | "an" | "the" | "to", rest @ ..] => rest,
            rest => rest,
        };
        let has_article = subject.len() < self.words.len();
        let Some(first) = subject.first() else { return false };
        if !is_act(first, self.english) || !(has_article || first.ends_with("ing")) {
            return false;
        }
        let Some(at) = subject.iter().position(|word| COPULAS.contains(word)) else { return false };
        // "A nod is all I ask", "nodding is enough".
        let is_request = matches!(
            subject.get(at + 1).copied(),
            None | Some(
                "what"
                    | "all"
                    | "enough"
                    | "fine"
                    | "needed"
                    | "required"
                    | "next"
                    | "okay"
                    | "ok"
                    | "due"
                    | "in"
                    | "called"
            )
        );
        let is_near = at <= MOST_WORDS_OF_SUBJECT;
        let is_kept = subject
            .get(..at)
            .unwrap_or_default()
            .iter()
            .any(|word| matches!(*word, "while" | "and" | "then"));
        is_near && !is_request && !is_kept
    }

    /// "You nod too much", "you keep looking left", "you just nodded".
    fn is_habit(self) -> bool {
        match self.words {
            [
                "you",
                "always" | "usually" | "often" | "sometimes" | "still" | "seem" | "kept" | "were" | "had"
                | "did" | "have" | "used" | "never",
                _,
                ..,
            ] => true,
            ["you", "just" | "already" | "even", verb, ..] => self.is_past(verb),
            ["you", verb, rest @ ..] if is_act(verb, self.english) => {
                self.is_past(verb)
                    || matches!(
                        rest,
                        [.., "too", "much" | "often" | "fast" | "slowly" | "well"]
                            | [
                                ..,
                                "so" | "very" | "really",
                                "well" | "nicely" | "much" | "beautifully" | "often" | "elegantly"
                            ]
                            | [.., "a", "lot"]
                            | [.., "beautifully" | "well" | "often" | "better"]
                            | [.., "like", "a", _]
                            | [.., "all" | "every", "day" | "time" | "night" | "morning"]
                    )
            }
            _ => false,
        }
    }

    /// "Suppose I asked you to nod", "what if he told you to bow".
    fn is_supposed(self) -> bool {
        let rest = match self.words {
            ["suppose" | "supposing" | "imagine" | "assuming" | "assume", "that", rest @ ..]
            | ["suppose" | "supposing" | "imagine" | "assuming" | "assume", rest @ ..]
            | ["what", "if", rest @ ..]
            | ["lets", "say", rest @ ..] => rest,
            _ => return false,
        };
        matches!(rest, [subject, verb, ..]
            if PRONOUNS.contains(subject) && (REPORTS.contains(verb) || self.is_past(verb) || *verb == "want"))
    }

    /// "Thanks for nodding".
    fn is_thanks(self) -> bool {
        let after = match self.words {
            ["thanks" | "thankyou", "for", rest @ ..]
            | ["thank", "you", "for", rest @ ..]
            | ["thank", "you", "very" | "so", "much", "for", rest @ ..]
            | ["thanks", "a", "lot", "for", rest @ ..]
            | ["sorry", "for", rest @ ..] => rest,
            _ => return false,
        };
        after.first().is_some_and(|word| word.ends_with("ing") && is_act(word, self.english))
    }

    /// "That robot over there can nod": what somebody or something else is able to do.
    fn is_of_another(self) -> bool {
        let [article, rest @ ..] = self.words else { return false };
        if !matches!(
            *article,
            "the"
                | "that"
                | "this"
                | "a"
                | "an"
                | "some"
                | "any"
                | "every"
                | "my"
                | "his"
                | "her"
                | "our"
                | "their"
                | "no"
        ) {
            return false;
        }
        let verb = rest.iter().position(|word| {
            matches!(*word, "can" | "could" | "cannot" | "cant" | "does" | "did" | "had" | "wants" | "likes")
        });
        let Some(verb) = verb.filter(|at| (1..=MOST_WORDS_OF_SUBJECT).contains(at)) else { return false };
        let subject = rest.get(..verb).unwrap_or_default();
        // "My daughter wants a nod" asks for it.
        let after = rest.get(verb + 1).copied().unwrap_or_default();
        !subject.iter().any(|word| is_act(word, self.english) || is_own(word, self.english) || *word == "you")
            && (is_act(after, self.english)
                || matches!(rest.get(verb + 1..), Some(["to" | "not", own, ..]) if is_act(own, self.english)))
    }

    /// "I told you to look left": the order again. Returns the number of words before it.
    fn repeated_order(self) -> Option<usize> {
        let is_adverb = |word: &&str| matches!(*word, "already" | "just" | "have" | "had");
        let subject = match self.words {
            ["i", rest @ ..] | ["ive", rest @ ..] => rest,
            _ => return None,
        };
        let adverbs = subject.iter().take_while(|word| is_adverb(word)).count();
        let rest = subject.get(adverbs..).unwrap_or_default();
        let order = match rest {
            ["told" | "asked", "you", "to", verb, ..] => verb,
            _ => return None,
        };
        let is_done = self
            .words
            .iter()
            .any(|word| matches!(*word, "yesterday" | "did" | "ago" | "didnt" | "earlier" | "before"));
        (is_act(order, self.english) && !is_done).then_some(1 + adverbs + 3)
    }
}

/// "Me to nod", "my friend that you can dance": somebody else is told.
fn is_object(after: &[&str]) -> bool {
    matches!(
        after,
        ["me" | "him" | "her" | "us" | "them" | "my" | "our" | "his" | "everybody" | "everyone", ..]
    )
}

/// "To look left", of the speaker; "to see you nod" is a request.
fn is_infinitive(after: &[&str], english: &Lexicon) -> bool {
    let is_own_motion = |words: &[&str]| !words.iter().any(|word| matches!(*word, "you" | "your"));
    match after {
        ["to", verb, rest @ ..] => is_act(verb, english) && is_own_motion(rest),
        _ => false,
    }
}

/// "My little brother's best friend".
const MOST_WORDS_OF_SUBJECT: usize = 5;
