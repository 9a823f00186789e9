//! Words that refer to an earlier motion: introductions, changes and amounts.

use super::lexicon::Direction;
use super::modification::Modification;
use super::phrases::longest;

/// Introductions to a change that say that something was wrong.
pub(super) const FIRM: &[&str] = &[
    "i meant",
    "i mean",
    "i said",
    "make that",
    "make it",
    "change that to",
    "change it to",
    "sorry",
    "actually",
    "rather",
    "it should be",
    "it should have been",
    "that should be",
    "that should have been",
    "i wanted",
];

/// Introductions to a change without a meaning of their own.
pub(super) const LEADS: &[&str] = &[
    "but",
    "and",
    "now",
    "oh",
    "ok",
    "okay",
    "well",
    "so",
    "do it",
    "do",
    "doing it",
    "doing that",
    "do that",
    "do this",
    "that was",
    "that is",
    "it was",
    "this was",
    "you were",
    "go",
    "try",
    "try it",
    "try that",
    "this time",
    "again but",
    "and this time",
];

/// Words that may follow a change.
pub(super) const TRAILS: &[&str] =
    &["instead", "again", "than that", "this time", "next time", "though", "then", "for me"];

/// The amount of a change.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Amount {
    Small,
    Plain,
    Large,
}

const AMOUNTS: &[(&str, Amount)] = &[
    ("a bit", Amount::Small),
    ("a little", Amount::Small),
    ("a little bit", Amount::Small),
    ("a tiny bit", Amount::Small),
    ("a tad", Amount::Small),
    ("a touch", Amount::Small),
    ("slightly", Amount::Small),
    ("somewhat", Amount::Small),
    ("even", Amount::Plain),
    ("still", Amount::Plain),
    ("some", Amount::Plain),
    ("a lot", Amount::Large),
    ("much", Amount::Large),
    ("way", Amount::Large),
    ("far", Amount::Large),
];

/// A quantity that can change by a small or large amount.
#[derive(Clone, Copy)]
enum Kind {
    More,
    Less,
    Bigger,
    Smaller,
    Deeper,
    Shallower,
    Higher,
    Lower,
    Slower,
    Faster,
    Longer,
    Shorter,
}

const KINDS: &[(&str, Kind)] = &[
    ("further", Kind::More),
    ("farther", Kind::More),
    ("more", Kind::More),
    ("not far enough", Kind::More),
    ("not enough", Kind::More),
    ("too little", Kind::More),
    ("less", Kind::Less),
    ("less far", Kind::Less),
    ("not so far", Kind::Less),
    ("not that far", Kind::Less),
    ("not as far", Kind::Less),
    ("not quite so far", Kind::Less),
    ("not so much", Kind::Less),
    ("not that much", Kind::Less),
    ("not as much", Kind::Less),
    ("too far", Kind::Less),
    ("too much", Kind::Less),
    ("bigger", Kind::Bigger),
    ("larger", Kind::Bigger),
    ("wider", Kind::Bigger),
    ("smaller", Kind::Smaller),
    ("deeper", Kind::Deeper),
    ("not deep enough", Kind::Deeper),
    ("shallower", Kind::Shallower),
    ("less deep", Kind::Shallower),
    ("not so deep", Kind::Shallower),
    ("too deep", Kind::Shallower),
    ("higher", Kind::Higher),
    ("not high enough", Kind::Higher),
    ("too low", Kind::Higher),
    ("lower", Kind::Lower),
    ("not so high", Kind::Lower),
    ("not low enough", Kind::Lower),
    ("too high", Kind::Lower),
    ("slower", Kind::Slower),
    ("slowly", Kind::Slower),
    ("more slowly", Kind::Slower),
    ("more gently", Kind::Slower),
    ("not so fast", Kind::Slower),
    ("not that fast", Kind::Slower),
    ("not as fast", Kind::Slower),
    ("not so quickly", Kind::Slower),
    ("less quickly", Kind::Slower),
    ("too fast", Kind::Slower),
    ("too quick", Kind::Slower),
    ("too quickly", Kind::Slower),
    ("slow down", Kind::Slower),
    ("take your time", Kind::Slower),
    ("faster", Kind::Faster),
    ("quicker", Kind::Faster),
    ("quickly", Kind::Faster),
    ("more quickly", Kind::Faster),
    ("not so slow", Kind::Faster),
    ("not so slowly", Kind::Faster),
    ("not that slow", Kind::Faster),
    ("too slow", Kind::Faster),
    ("too slowly", Kind::Faster),
    ("hurry", Kind::Faster),
    ("hurry up", Kind::Faster),
    ("speed up", Kind::Faster),
    ("longer", Kind::Longer),
    ("for longer", Kind::Longer),
    ("not long enough", Kind::Longer),
    ("too short", Kind::Longer),
    ("shorter", Kind::Shorter),
    ("not so long", Kind::Shorter),
    ("too long", Kind::Shorter),
];

/// Whole phrases for a change.
const CHANGES: &[(&str, Modification)] = &[
    ("half as far", Modification::Scale(0.5)),
    ("half as much", Modification::Scale(0.5)),
    ("half of that", Modification::Scale(0.5)),
    ("half that", Modification::Scale(0.5)),
    ("only half", Modification::Scale(0.5)),
    ("twice as far", Modification::Scale(2.0)),
    ("twice as much", Modification::Scale(2.0)),
    ("double that", Modification::Scale(2.0)),
    ("double", Modification::Scale(2.0)),
    ("three times as far", Modification::Scale(3.0)),
    ("half as fast", Modification::Pace(2.0)),
    ("twice as slow", Modification::Pace(2.0)),
    ("twice as fast", Modification::Pace(0.5)),
    ("half as slow", Modification::Pace(0.5)),
    ("half as long", Modification::Longer(0.5)),
    ("twice as long", Modification::Longer(2.0)),
    ("all the way", Modification::Full),
    ("as far as you can", Modification::Full),
    ("as far as possible", Modification::Full),
    ("the other way", Modification::Opposite),
    ("other way", Modification::Opposite),
    ("the other way around", Modification::Opposite),
    ("the other way round", Modification::Opposite),
    ("the other direction", Modification::Opposite),
    ("other direction", Modification::Opposite),
    ("in the other direction", Modification::Opposite),
    ("to the other side", Modification::Opposite),
    ("on the other side", Modification::Opposite),
    ("the other side", Modification::Opposite),
    ("other side", Modification::Opposite),
    ("the opposite way", Modification::Opposite),
    ("the opposite", Modification::Opposite),
    ("the opposite direction", Modification::Opposite),
    ("in the opposite direction", Modification::Opposite),
    ("opposite direction", Modification::Opposite),
    ("wrong way", Modification::Opposite),
    ("the wrong way", Modification::Opposite),
    ("wrong direction", Modification::Opposite),
    ("the wrong direction", Modification::Opposite),
    ("wrong side", Modification::Opposite),
    ("the wrong side", Modification::Opposite),
];

pub(super) const UNDO: &[&str] = &[
    "undo",
    "undo that",
    "undo it",
    "undo this",
    "undo the last move",
    "undo the last motion",
    "undo your last move",
    "take that back",
    "take it back",
    "go back",
    "back",
    "come back",
    "and back",
    "go back to where you were",
    "go back to where you were before",
    "back to where you were",
    "return to where you were",
    "move back to where you were",
    "go back to your previous position",
    "go back to the previous position",
    "return to your previous position",
    "return to the previous position",
    "go back to how you were",
    "go back to how it was",
    "revert",
    "revert that",
    "put it back",
];

/// Phrases that say that something was wrong, but not what is right.
pub(super) const REJECTED: &[&str] = &[
    "no",
    "nope",
    "no no",
    "not that",
    "not like that",
    "not this",
    "wrong",
    "that is wrong",
    "that was wrong",
    "that is not right",
    "that was not right",
    "not what i meant",
    "that is not what i meant",
    "that is not what i said",
];

pub(super) const REPEATS: &[&str] =
    &["one more", "another", "another one", "encore", "go again", "and one more"];

/// Returns the amount with which these words begin, and how many words it takes.
pub(super) fn amount(words: &[Option<&str>]) -> (Amount, usize) {
    match longest(AMOUNTS.iter().map(|(phrase, _)| *phrase), words) {
        Some((position, taken)) => {
            (AMOUNTS.get(position).map_or(Amount::Plain, |(_, amount)| *amount), taken)
        }
        None => (Amount::Plain, 0),
    }
}

fn of_kind(kind: Kind, amount: Amount) -> Modification {
    let of = |small: f64, plain: f64, large: f64| match amount {
        Amount::Small => small,
        Amount::Plain => plain,
        Amount::Large => large,
    };
    let (more, less) = (of(1.25, 1.5, 2.0), of(0.75, 0.5, 0.25));
    match kind {
        Kind::More => Modification::Scale(more),
        Kind::Less => Modification::Scale(less),
        Kind::Bigger => Modification::Size(more),
        Kind::Smaller => Modification::Size(less),
        Kind::Deeper => Modification::Swing(more),
        Kind::Shallower => Modification::Swing(less),
        Kind::Higher => Modification::Toward(Direction::Up, of(0.25, 0.5, 1.0)),
        Kind::Lower => Modification::Toward(Direction::Down, of(0.25, 0.5, 1.0)),
        Kind::Slower => Modification::Pace(of(1.5, 2.0, 3.0)),
        Kind::Faster => Modification::Pace(1.0 / of(1.5, 2.0, 3.0)),
        Kind::Longer => Modification::Longer(more),
        Kind::Shorter => Modification::Longer(less),
    }
}

/// Returns the change that these words express, and how many words it takes: "a bit further", "the other
/// way".
pub(super) fn change(words: &[Option<&str>]) -> Option<(Modification, usize)> {
    let whole = longest(CHANGES.iter().map(|(phrase, _)| *phrase), words);
    let (amount, taken) = amount(words);
    let rest = words.get(taken..).unwrap_or_default();
    let kind = longest(KINDS.iter().map(|(phrase, _)| *phrase), rest);
    match (whole, kind) {
        (Some((position, length)), kind) if kind.is_none_or(|(_, more)| taken + more <= length) => {
            CHANGES.get(position).map(|(_, change)| (*change, length))
        }
        (_, Some((position, more))) => {
            KINDS.get(position).map(|(_, kind)| (of_kind(*kind, amount), taken + more))
        }
        _ => None,
    }
}
