//! Finds what the words of a text mean in one language.

mod postures;

use std::ops::Range;

use crate::clause::opposite;
use crate::concept::{Act, Concept, Part, Tag, Unit, Way, is_posture};
use crate::lexicon::Lexicon;
use crate::rewrite::{rewrite, rewrite_raw};
use crate::words::{CUT_OFF, Word};

/// Returns the meanings of the words of a text, one after another. What is of no importance is left out.
#[must_use]
pub fn tag(text: &str, lexicon: &Lexicon) -> Vec<Tag> {
    finish(raw(&lexicon.words(text), lexicon), lexicon)
}

/// Returns the meanings of words, with those of no importance.
pub(crate) fn raw(words: &[Word], lexicon: &Lexicon) -> Vec<Tag> {
    let marks = list_marks(words);
    let mut tags: Vec<Tag> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word.text == CUT_OFF {
            cut_off(&mut tags);
            at += 1;
            continue;
        }
        let rest = words.get(at..).unwrap_or(&[]);
        let (meaning, used) = if marks.contains(&at) {
            (vec![Concept::Then], 2)
        } else if let Some(fraction) = fraction(rest) {
            (vec![Concept::Number(fraction)], 3)
        } else if lexicon.decimal.as_ref() == Some(&word.text) && is_between_digits(&tags, rest, lexicon) {
            (vec![Concept::Decimal], 1)
        } else {
            lexicon.longest(rest).unwrap_or_else(|| (vec![unlisted(word, lexicon)], 1))
        };
        let (meaning, used) = match meaning.as_slice() {
            [Concept::Alone, own @ ..] if is_alone(&tags, words.get(at + used..).unwrap_or(&[]), lexicon) => {
                (own.to_vec(), used)
            }
            [Concept::Alone, ..] => {
                lexicon.longest(rest.get(..1).unwrap_or(&[])).unwrap_or((vec![Concept::Unknown], 1))
            }
            _ => (meaning, used),
        };
        let meaning = if says_how_much(&tags, words, at, lexicon) && meaning == [Concept::StopOrder] {
            vec![Concept::Skip]
        } else {
            meaning
        };
        let meaning = if so_orders(words, at, lexicon) { vec![Concept::Restart] } else { meaning };
        let (meaning, used) = if meaning == [Concept::UntilSaid] {
            (vec![Concept::UntilStop], used + said_words(rest.get(used..).unwrap_or_default(), lexicon))
        } else {
            (meaning, used)
        };
        // "Body: right, chin: up".
        let is_topic = word.text == ":" && matches!(tags.last(), Some(Tag { concept: Concept::Part(_), .. }));
        let meaning = if is_topic { vec![Concept::Skip] } else { meaning };
        // "One ear up, one ear down".
        let is_second = meaning == [Concept::Part(Part::RightAntenna)]
            && word.text == "one"
            && tags.iter().any(|tag| tag.concept == Concept::Part(Part::RightAntenna));
        let meaning = if is_second { vec![Concept::Part(Part::Other)] } else { meaning };
        if postures::is_told_of(words, at, &meaning, &tags, lexicon) {
            let state = at.checked_sub(1).and_then(|before| words.get(before)).unwrap_or(word);
            tags.push(Tag { concept: Concept::Somebody, span: state.span.clone() });
        }
        let end = words.get(at + used - 1).map_or(word.span.end, |last| last.span.end);
        let span = word.span.start..end;
        tags.extend(meaning.into_iter().map(|concept| Tag { concept, span: span.clone() }));
        at += used;
    }
    postures::named(&mut tags, words, lexicon);
    tags
}

/// "Ten degrees is enough": no stop, but how far.
fn says_how_much(tags: &[Tag], words: &[Word], at: usize, lexicon: &Lexicon) -> bool {
    let is_state = at.checked_sub(1).and_then(|before| words.get(before));
    let [.., amount, _] = tags else { return false };
    is_state.is_some_and(|state| lexicon.tells_a_state(state))
        && matches!(
            amount.concept,
            Concept::Number(_) | Concept::Count(_) | Concept::Unit(_) | Concept::Times
        )
}

/// How many words somebody waits to say: "now look down" in "until I say now look down, then nod".
fn said_words(words: &[Word], lexicon: &Lexicon) -> usize {
    let is_end = |at: &usize| {
        let meaning = words.get(*at..).and_then(|rest| lexicon.longest(rest)).map(|(meaning, _)| meaning);
        matches!(meaning.as_deref(), Some([mark]) if *mark == Concept::And || ends_clause(mark))
    };
    (0..words.len()).find(is_end).unwrap_or(words.len())
}

/// "He is up on the shelf, so look up", "the light is bad, so quickly turn left": an order after what is told.
fn so_orders(words: &[Word], at: usize, lexicon: &Lexicon) -> bool {
    if at == 0 || words.get(at).is_none_or(|word| !lexicon.so.contains(&word.text)) {
        return false;
    }
    let mut rest = words.get(at + 1..).unwrap_or_default();
    while let Some((meaning, used)) = lexicon.longest(rest) {
        match meaning.as_slice() {
            [Concept::Pace(_) | Concept::Skip] => rest = rest.get(used..).unwrap_or_default(),
            [Concept::Act(_), ..] => return rest.first().is_some_and(|verb| !verb.text.ends_with("ing")),
            _ => return false,
        }
    }
    false
}

/// "Look ri- left": a word that was not said to its end, and is none, begins a correction. Others are what they are: "left-".
fn cut_off(tags: &mut [Tag]) {
    let Some(last) = tags.last_mut() else { return };
    if matches!(last.concept, Concept::Unknown | Concept::Somebody) {
        last.concept = Concept::Correction;
    }
}

/// Leaves out what is of no importance, and joins what belongs together.
pub(crate) fn finish(tags: Vec<Tag>, lexicon: &Lexicon) -> Vec<Tag> {
    let mut tags = harmless(rewrite_raw(tags), lexicon.side_follows_part);
    if lexicon.not_follows_verb {
        tags.iter_mut()
            .filter(|tag| tag.concept == Concept::Not)
            .for_each(|tag| tag.concept = Concept::NotVerb);
    }
    tags.retain(|tag| !matches!(tag.concept, Concept::Skip | Concept::Article | Concept::Call));
    let tags = numbers(corrected_after(participles(said_twice(tags))));
    rewrite(sides(same_sides(tags), lexicon.side_follows_part))
}

/// "Nod nod": as often as it is said.
fn said_twice(tags: Vec<Tag>) -> Vec<Tag> {
    let mut out: Vec<Tag> = Vec::with_capacity(tags.len());
    let mut rest = tags.as_slice();
    while let [tag, after @ ..] = rest {
        let is_gesture = matches!(tag.concept, Concept::Act(act) if !is_posture(act) && act != Act::Wait);
        let more = after
            .iter()
            .take_while(|next| {
                is_gesture
                    && next.concept == tag.concept
                    && next.span != tag.span
                    && next.span.len() == tag.span.len()
            })
            .count();
        out.push(tag.clone());
        if more > 0 {
            out.push(Tag { concept: Concept::Count(more as u32 + 1), span: tag.span.clone() });
        }
        rest = after.get(more..).unwrap_or_default();
    }
    out
}

/// "15 degrees tilted to the left": no tale, though the verb is in the past.
fn participles(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_measured = |tags: &[Tag]| matches!(tags, [unit, past, act] if matches!(unit.concept, Concept::Unit(Unit::Angle(_) | Unit::Length(_))) && past.concept == Concept::Past && matches!(act.concept, Concept::Act(_)));
    while let Some(at) = tags.windows(3).position(is_measured) {
        tags.remove(at + 1);
    }
    tags
}

/// "The right antenna out, and your head to that same side": the side that was named last.
fn same_sides(mut tags: Vec<Tag>) -> Vec<Tag> {
    let mut last = None;
    let (mut is_aside, mut after_part) = (false, false);
    for tag in &mut tags {
        let is_part = matches!(tag.concept, Concept::Part(Part::Head | Part::Body | Part::Antenna));
        match (&tag.concept, last) {
            (Concept::Way(way @ (Way::Left | Way::Right)), _) => last = Some(*way),
            (Concept::Part(Part::LeftAntenna | Part::LeftOne), _) => last = Some(Way::Left),
            (Concept::Part(Part::RightAntenna | Part::RightOne), _) => last = Some(Way::Right),
            (Concept::SameSide, Some(way)) => tag.concept = Concept::Way(way),
            (Concept::OtherSide, Some(way)) => tag.concept = Concept::Way(opposite(way)),
            (Concept::Way(Way::Aside), _) => is_aside = true,
            // "Your head one way, your body the other".
            (Concept::Part(Part::Other), _) if is_aside && after_part => {
                tag.concept = Concept::Way(Way::Opposite);
            }
            (Concept::SameSide, None) => tag.concept = Concept::Same,
            (Concept::OtherSide, None) => tag.concept = Concept::Way(Way::Aside),
            _ => {}
        }
        after_part = is_part;
    }
    tags
}

/// "Look right, left I mean, and nod": a correction that is said after what replaces something.
fn corrected_after(mut tags: Vec<Tag>) -> Vec<Tag> {
    for at in 1..tags.len() {
        let concept = |at: usize| tags.get(at).map(|tag| &tag.concept);
        let is_end = concept(at + 1)
            .is_none_or(|next| matches!(next, Concept::Comma | Concept::Stop | Concept::Question));
        if concept(at) != Some(&Concept::Correction) || !is_end {
            continue;
        }
        let before = tags.get(..at).unwrap_or_default();
        let from = before.iter().rposition(|tag| ends_clause(&tag.concept)).map_or(0, |mark| mark + 1);
        let replaces = (1..=2).contains(&(at - from))
            && before.get(from..).is_some_and(|said| {
                said.iter().all(|tag| {
                    matches!(
                        tag.concept,
                        Concept::Way(_) | Concept::Part(_) | Concept::Act(_) | Concept::Count(_)
                    )
                })
            });
        if from > 0 && replaces {
            let correction = tags.remove(at);
            tags.insert(from, correction);
        }
    }
    tags
}

/// Returns the places of the numbers of a list: "1) look up 2) look down".
fn list_marks(words: &[Word]) -> Vec<usize> {
    let mut marks: Vec<usize> = Vec::new();
    for (at, pair) in words.windows(2).enumerate() {
        let [word, sign] = pair else { continue };
        let expected = marks.len() as f64 + 1.0;
        let is_mark = word.number == Some(expected) && matches!(sign.text.as_str(), ")" | "." | ":");
        let is_start = at == 0 || !marks.is_empty() || words.get(at - 1).is_some_and(Word::is_sign);
        if is_mark && is_start {
            marks.push(at);
        }
    }
    if marks.len() < 2 { Vec::new() } else { marks }
}

/// Returns whether nothing before and nothing after a phrase names a motion.
fn is_alone(before: &[Tag], after: &[Word], lexicon: &Lexicon) -> bool {
    let is_motion =
        |concept: &Concept| matches!(concept, Concept::Act(_) | Concept::Part(_) | Concept::Way(_));
    let word = |word: &Word| lexicon.longest(std::slice::from_ref(word));
    // "Look left and then not three times": a step of its own.
    let step = before.rsplit(|tag| tag.concept == Concept::Then).next().unwrap_or_default();
    !step.iter().any(|tag| is_motion(&tag.concept))
        && !after.iter().filter_map(word).any(|(meaning, _)| meaning.iter().any(is_motion))
}

fn fraction(words: &[Word]) -> Option<f64> {
    let [above, slash, below, ..] = words else { return None };
    let (above, below) = (above.number?, below.number?);
    (slash.text == "/" && below > 0.0).then_some(above / below)
}

fn is_between_digits(tags: &[Tag], rest: &[Word], lexicon: &Lexicon) -> bool {
    let is_before = tags.last().is_some_and(|tag| matches!(tag.concept, Concept::Number(_)));
    let after = rest.get(1..).and_then(|rest| lexicon.longest(rest));
    is_before && after.is_some_and(|(meaning, _)| matches!(meaning.as_slice(), [Concept::Number(_)]))
}

fn unlisted(word: &Word, lexicon: &Lexicon) -> Concept {
    if let Some(number) = lexicon.compound(word) {
        return Concept::Number(number);
    }
    match word.text.as_str() {
        "," | ";" | "、" | "，" | "；" | "–" | "—" | "(" | ")" | "（" | "）" => Concept::Comma,
        "." | "!" | "。" | "！" | "…" | ":" | "：" | "\n" => Concept::Stop,
        "?" | "？" => Concept::Question,
        "&" | "+" => Concept::And,
        _ if word.is_sign() || lexicon.is_manner(&word.text) => Concept::Skip,
        _ => Concept::Unknown,
    }
}

/// Returns whether a clause may end at a concept.
pub(crate) const fn ends_clause(concept: &Concept) -> bool {
    matches!(
        concept,
        Concept::Comma
            | Concept::Stop
            | Concept::Question
            | Concept::And
            | Concept::Then
            | Concept::Restart
            | Concept::Request
    )
}

/// Leaves out unknown words that change nothing: adjectives of what is known, names, and those for whom a gesture is.
fn harmless(tags: Vec<Tag>, adjectives_follow: bool) -> Vec<Tag> {
    let mut tags = tags;
    thirds(&mut tags);
    let concept = |tags: &[Tag], at: usize| tags.get(at).map(|tag| tag.concept.clone());
    let is_unknown = |tags: &[Tag], at: usize| concept(tags, at) == Some(Concept::Unknown);
    let run = |tags: &[Tag], from: usize, most: usize| {
        (from..from + most).take_while(|at| is_unknown(tags, *at)).count()
    };
    let skip = |tags: &mut [Tag], range: Range<usize>| {
        for tag in tags.get_mut(range).unwrap_or_default() {
            tag.concept = Concept::Skip;
        }
    };
    for at in 0..tags.len() {
        match concept(&tags, at) {
            Some(Concept::Article | Concept::Number(_) | Concept::Size(_) | Concept::Again) => {
                // "Turn towards the window on your left".
                let is_article = concept(&tags, at) == Some(Concept::Article);
                let count = run(&tags, at + 1, 2);
                let next = concept(&tags, at + 1 + count);
                let is_noun = match next {
                    Some(Concept::Act(_) | Concept::Part(_) | Concept::Unit(_) | Concept::Times) => true,
                    Some(Concept::Way(_)) => matches!(concept(&tags, at + 2 + count), Some(Concept::Part(_))),
                    _ => false,
                };
                // "Turn the cup to the left": what stands at the verb is moved, and is no goal.
                let is_object = matches!(
                    at.checked_sub(1).and_then(|before| concept(&tags, before)),
                    Some(Concept::Act(act)) if act != Act::Look
                );
                let is_goal = is_article
                    && !is_object
                    && matches!(next, Some(Concept::Way(_)))
                    && clause_before(&tags, at)
                        .any(|concept| matches!(concept, Concept::Act(act) if is_posture(*act)));
                if count > 0 && (is_noun || is_goal) {
                    skip(&mut tags, at + 1..at + 1 + count);
                }
                let is_known = matches!(concept(&tags, at + 1), Some(Concept::Act(_) | Concept::Part(_)));
                let trailing = run(&tags, at + 2, 2);
                if adjectives_follow
                    && is_known
                    && trailing == 1
                    && concept(&tags, at + 3).is_none_or(|one| ends_clause(&one))
                {
                    skip(&mut tags, at + 2..at + 3);
                }
            }
            Some(Concept::Somebody | Concept::Unknown) if receives(&tags, at) => {
                // "Give the lady a quick nod".
                skip(&mut tags, at..at + 1);
            }
            Some(Concept::Call) => {
                let count = run(&tags, at + 1, 2);
                let next = concept(&tags, at + 1 + count);
                if count > 0 && next.is_some_and(|next| !matches!(next, Concept::Past | Concept::Somebody)) {
                    skip(&mut tags, at + 1..at + 1 + count);
                }
            }
            Some(Concept::Like) => {
                let inner = (at + 1..tags.len())
                    .take_while(|at| matches!(concept(&tags, *at), Some(Concept::Article | Concept::Skip)))
                    .count();
                // "Like a puppy that has heard something": up to the next thing that moves.
                let named = (at + 1 + inner..tags.len())
                    .take_while(|at| {
                        matches!(
                            concept(&tags, *at),
                            Some(
                                Concept::Unknown
                                    | Concept::Article
                                    | Concept::Skip
                                    | Concept::Somebody
                                    | Concept::It
                                    | Concept::Asks
                            )
                        )
                    })
                    .count();
                skip(&mut tags, at..at + 1 + inner + named);
            }
            Some(own @ (Concept::For | Concept::To)) => {
                let inner = (at + 1..tags.len())
                    .take_while(|at| {
                        matches!(
                            concept(&tags, *at),
                            Some(Concept::Article | Concept::Skip | Concept::Somebody)
                        )
                    })
                    .count();
                let named = run(&tags, at + 1 + inner, 3);
                let is_person =
                    (at + 1..at + 1 + inner).any(|at| concept(&tags, at) == Some(Concept::Somebody));
                let is_gesture = clause_before(&tags, at)
                    .any(|concept| matches!(concept, Concept::Act(act) if !is_posture(*act)));
                // "Drop your gaze to the keyboard".
                let is_upright = clause_before(&tags, at).any(|concept| {
                    matches!(
                        concept,
                        Concept::Act(Act::Lower | Act::Raise) | Concept::Way(Way::Up | Way::Down)
                    )
                });
                if (named > 0 || is_person) && (own == Concept::For || is_gesture || is_upright) {
                    skip(&mut tags, at..at + 1 + inner + named);
                } else if own == Concept::To && !is_goal(&tags, at) {
                    skip(&mut tags, at..at + 1);
                }
            }
            _ => {}
        }
    }
    tags
}

/// Returns whether a number of degrees or millimetres is told as where something goes: "to ten degrees".
fn is_goal(tags: &[Tag], at: usize) -> bool {
    let concept = |at: usize| tags.get(at).map(|tag| &tag.concept);
    matches!(concept(at + 1), Some(Concept::Number(_)))
        && !matches!(
            concept(at + 2),
            Some(Concept::Unit(Unit::Time(_)) | Concept::Number(_) | Concept::Times)
        )
}

/// Returns whether what stands at a place is for whom the gesture is that follows as another noun.
fn receives(tags: &[Tag], at: usize) -> bool {
    let begins = clause_before(tags, at).all(|concept| {
        matches!(
            concept,
            Concept::Skip | Concept::Article | Concept::Request | Concept::Call | Concept::Comma
        )
    });
    let [article, rest @ ..] = tags.get(at + 1..).unwrap_or_default() else { return false };
    let said = rest.iter().map(|tag| &tag.concept).find(|concept| {
        !matches!(concept, Concept::Size(_) | Concept::Pace(_) | Concept::Skip | Concept::Unknown)
    });
    at > 0
        && begins
        && article.concept == Concept::Article
        && matches!(said, Some(Concept::Act(act)) if !is_posture(*act))
}

/// Returns the concepts of a clause before a place, backwards.
fn clause_before(tags: &[Tag], at: usize) -> impl Iterator<Item = &Concept> {
    let before = tags.get(..at).unwrap_or_default().iter().rev().map(|tag| &tag.concept);
    before.take_while(|concept| !ends_clause(concept))
}

/// A verb in the third person tells something, but after a number it is a noun, and a part can be its subject.
fn thirds(tags: &mut [Tag]) {
    for at in 0..tags.len() {
        if tags.get(at).is_none_or(|tag| tag.concept != Concept::Third) {
            continue;
        }
        let before = tags.get(..at).unwrap_or_default().iter().rev();
        let before = before.map(|tag| &tag.concept).find(|concept| {
            !matches!(
                concept,
                Concept::Skip
                    | Concept::Article
                    | Concept::Size(_)
                    | Concept::Pace(_)
                    | Concept::Unknown
                    | Concept::First
            )
        });
        // "Your head looks cute": where to is not said.
        let is_seen =
            matches!(tags.get(at + 1), Some(Tag { concept: Concept::Act(Act::Look), .. }))
                && !tags.iter().skip(at + 2).take_while(|tag| !ends_clause(&tag.concept)).any(|tag| {
                    matches!(tag.concept, Concept::Way(_) | Concept::Part(_) | Concept::Number(_))
                });
        let is_fine = !is_seen
            && matches!(
                before,
                Some(
                    Concept::Number(_)
                        | Concept::Count(_)
                        | Concept::Part(_)
                        | Concept::Again
                        | Concept::More(_)
                        | Concept::It
                )
            );
        if let Some(tag) = tags.get_mut(at) {
            tag.concept = if is_fine { Concept::Skip } else { Concept::Somebody };
        }
    }
}

/// Joins the parts of a number: "twenty five", "two and a half", "one hundred and twenty", "one point two".
fn numbers(tags: Vec<Tag>) -> Vec<Tag> {
    let mut joined: Vec<Tag> = Vec::new();
    let mut tags = tags.into_iter().peekable();
    let mut decimals: Option<i32> = None;
    while let Some(tag) = tags.next() {
        let next = tags.peek().map(|next| &next.concept);
        // "Two seconds and a half".
        if let Concept::Number(half) = tag.concept
            && half < 1.0
            && !matches!(next, Some(Concept::Unit(_) | Concept::Times))
            && let [.., Tag { concept: Concept::Number(number), .. }, Tag { concept: Concept::Unit(_), .. }] =
                joined.as_mut_slice()
        {
            *number += half;
            continue;
        }
        // "A centimetre and a half".
        if let Concept::Number(half) = tag.concept
            && half < 1.0
            && !matches!(next, Some(Concept::Unit(_) | Concept::Times))
            && let Some(Tag { concept: Concept::Unit(_), span }) = joined.last().cloned()
        {
            joined.insert(joined.len() - 1, Tag { concept: Concept::Number(1.0 + half), span });
            continue;
        }
        if let Some(Tag { concept: Concept::Number(number), span }) = joined.last_mut() {
            match (&tag.concept, next) {
                (Concept::Decimal, Some(Concept::Number(_))) => {
                    decimals = Some(0);
                    continue;
                }
                (Concept::And, Some(Concept::Number(next)))
                    if *number >= 100.0 && *number % 100.0 == 0.0 && *next < 100.0 =>
                {
                    continue;
                }
                (Concept::Number(digit), _) if decimals.is_some() && *digit < 10.0 => {
                    let place = decimals.unwrap_or(0) - 1;
                    *number += digit * 10_f64.powi(place);
                    decimals = Some(place);
                    span.end = tag.span.end;
                    continue;
                }
                (Concept::Number(part), _) if decimals == Some(0) && *part < 100.0 => {
                    *number += part / 100.0;
                    decimals = None;
                    span.end = tag.span.end;
                    continue;
                }
                (Concept::Number(next), _) => {
                    // "四十" and "十四", but "four ten" and "ten four" are two numbers.
                    let is_written_as_one = span.end == tag.span.start || !(*number == 10.0 || *next == 10.0);
                    if let Some(sum) = sum_of(*number, *next).filter(|_| is_written_as_one) {
                        *number = sum;
                        span.end = tag.span.end;
                        continue;
                    }
                }
                _ => {}
            }
        }
        decimals = None;
        joined.push(tag);
    }
    joined
}

fn sum_of(number: f64, next: f64) -> Option<f64> {
    let is_tens = number >= 20.0 && number % 10.0 == 0.0 && number < 100.0;
    if next == 100.0 && number < 10.0 || (next == 10.0 && (2.0..10.0).contains(&number)) {
        return Some(number * next);
    }
    let fits = (next < 1.0 && number >= 1.0)
        || (is_tens && (1.0..10.0).contains(&next))
        || (number == 10.0 && (1.0..10.0).contains(&next))
        // "Soixante-dix", "quatre-vingt-douze".
        || ((number == 60.0 || number == 80.0) && (10.0..20.0).contains(&next))
        || (number >= 100.0 && number % 10.0 == 0.0 && (1.0..10.0).contains(&next))
        || (number >= 100.0 && number % 100.0 == 0.0 && (1.0..100.0).contains(&next));
    fits.then_some(number + next)
}

/// Joins a side and the antenna to which it belongs: "the left antenna", "l'antenne gauche".
fn sides(tags: Vec<Tag>, side_follows_part: bool) -> Vec<Tag> {
    let mut joined: Vec<Tag> = Vec::new();
    let mut tags = tags.into_iter().peekable();
    while let Some(mut tag) = tags.next() {
        let side = |concept: &Concept| match concept {
            Concept::Part(Part::LeftOne) => Some(Part::LeftAntenna),
            Concept::Part(Part::RightOne) => Some(Part::RightAntenna),
            Concept::Way(Way::Left) => Some(Part::LeftAntenna),
            Concept::Way(Way::Right) => Some(Part::RightAntenna),
            Concept::Way(Way::Opposite) => Some(Part::Other),
            _ => None,
        };
        let is_antenna = |concept: &Concept| matches!(concept, Concept::Part(Part::Antenna));
        if let Some(next) = tags.peek() {
            let part = if is_antenna(&next.concept) && !side_follows_part {
                side(&tag.concept)
            } else if is_antenna(&tag.concept) && side_follows_part {
                side(&next.concept)
            } else {
                None
            };
            if let Some(part) = part {
                tag.concept = Concept::Part(part);
                tag.span.end = next.span.end;
                tags.next();
            }
        }
        joined.push(tag);
    }
    joined
}
