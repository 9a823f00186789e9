//! Reads a text: its language, what it orders, and whether it orders a stop.

use std::ops::Range;

use minismith_score::Event;

use crate::clause::{Clause, Link, Phrase};
use crate::compose::Composer;
use crate::concept::{Act, Concept, Part, Tag, is_feeling, is_posture};
use crate::lexicon::{Lexicon, Speech, lexicon, lexicons};
use crate::lost::lost;
use crate::meaning::Meaning;
use crate::misheard::hear;
use crate::others::other_order;
use crate::past::Past;
use crate::prepare::move_listed_antennas;
use crate::refusal::Refusal;
use crate::rewrite::{orders, takes_all_back};
use crate::splitter::split;
use crate::tagger::{finish, raw, tag};
use crate::words::Word;

/// What a text means.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// A motion.
    Motion {
        /// What is done.
        meaning: Meaning,
        /// The act that was said last.
        act: Option<Act>,
        /// The parts that were said last.
        parts: Vec<Part>,
        /// What was said last.
        phrase: Phrase,
        /// Words that are not known, and for which others were taken that sound alike.
        heard: Vec<(String, String)>,
    },
    /// A motion if an event holds, otherwise another one or none.
    Conditional {
        /// The event.
        event: Event,
        /// If it holds.
        then: Option<Meaning>,
        /// If not.
        otherwise: Option<Meaning>,
    },
    /// It asks for no motion, or says what not to do.
    Nothing,
    /// It cannot be done.
    Impossible(Refusal),
    /// Parts of it are not understood, bytes.
    NotUnderstood(Vec<Range<usize>>),
}

/// Returns the language of a text, as far as its words tell, and its tags. `usual` is taken where several fit equally.
#[must_use]
pub fn detect(text: &str, usual: &str) -> (&'static Lexicon, Vec<Tag>) {
    let mut best: Option<(f64, &'static Lexicon, Vec<Tag>)> = None;
    if let Some(lexicon) = lexicon(usual) {
        // What the usual language understands from the first word to the last needs no other one.
        let tags = raw(&lexicon.words(text), lexicon);
        let is_known = |tag: &Tag| tag.concept != Concept::Unknown;
        if !tags.is_empty() && tags.iter().all(is_known) {
            return (lexicon, tags);
        }
    }
    for lexicon in lexicons() {
        let tags = raw(&lexicon.words(text), lexicon);
        let weight = |tag: &Tag| match tag.concept {
            Concept::Unknown => -2.0 * tag.span.len() as f64,
            Concept::Number(_) | Concept::Comma | Concept::Stop | Concept::Question | Concept::Then => 0.0,
            Concept::Skip => 0.6 * tag.span.len() as f64,
            _ => tag.span.len() as f64,
        };
        let score = tags.iter().map(weight).sum::<f64>() + if lexicon.code == usual { 0.5 } else { 0.0 };
        if best.as_ref().is_none_or(|(known, _, _)| score > *known) {
            best = Some((score, lexicon, tags));
        }
    }
    let (_, lexicon, tags) = best.unwrap_or_else(|| unreachable!("there is a language"));
    (lexicon, tags)
}

/// Returns the code of the language of a text, as far as its words tell; English if they tell nothing.
#[must_use]
pub fn language_of(text: &str) -> &'static str {
    &told_in(text).code
}

/// Returns how speech and photos are ordered in the language of a text.
#[must_use]
pub fn speech(text: &str) -> &'static Speech {
    &told_in(text).speech
}

/// Returns the language of a text. An order to take a photo tells it where its words stand nowhere else: "scatta una foto".
fn told_in(text: &str) -> &'static Lexicon {
    let (own, _) = detect(text, "en");
    let lower = text.to_lowercase();
    let orders_photo =
        |lexicon: &&'static Lexicon| lexicon.speech.photos.iter().any(|photo| lower.contains(photo.as_str()));
    if orders_photo(&own) { own } else { lexicons().find(orders_photo).unwrap_or(own) }
}

/// Returns whether a text begins with an order to move a part: "wiggle your antennas while you speak".
#[must_use]
pub fn orders_a_part(text: &str) -> bool {
    let (_, tags) = detect(text, "en");
    let mut said = tags.iter().map(|tag| &tag.concept).filter(|concept| {
        !matches!(concept, Concept::Skip | Concept::Article | Concept::And | Concept::Then | Concept::Request)
    });
    matches!((said.next(), said.next()), (Some(Concept::Act(_)), Some(Concept::Part(_))))
}

/// Reads a text as it stands.
pub(crate) fn read_whole(text: &str, past: Option<&Past>, usual_language: &str) -> (Reading, &'static str) {
    let (lexicon, tags) = detect(text, usual_language);
    let code = lexicon.code.as_str();
    let reading = read_tags(&finish(tags.clone(), lexicon), &unknown_of(&tags), past);
    // "The light is on": without a verb of motion, it tells how something is.
    let words = lexicon.words(text);
    let is_in_act = |word: &Word| {
        tags.iter().any(|tag| {
            matches!(tag.concept, Concept::Act(_) | Concept::Still | Concept::Stay | Concept::Undo)
                && tag.span.start <= word.span.start
                && word.span.end <= tag.span.end
        })
    };
    // Not "back to where it was".
    let is_state = past.is_none() && words.iter().any(|word| lexicon.tells_a_state(word) && !is_in_act(word));
    let is_feeling = matches!(reading, Reading::Motion { act: Some(act), ref heard, .. } if is_feeling(act) && heard.is_empty());
    // "The bow on that present is lovely".
    let mut said = tags.iter().map(|tag| &tag.concept).filter(|concept| **concept != Concept::Skip);
    let is_about_act = matches!((said.next(), said.next()), (Some(Concept::Article), Some(Concept::Act(_))))
        && !said.any(|concept| matches!(concept, Concept::Way(_)));
    if is_state && (is_feeling || is_about_act || matches!(reading, Reading::Motion { act: None, .. })) {
        return (Reading::Nothing, code);
    }
    let reading = match reading {
        Reading::Motion { .. } => {
            other_order(&words, &tags, lexicon).map_or(reading, |order| Reading::NotUnderstood(vec![order]))
        }
        other => other,
    };
    if !matches!(reading, Reading::NotUnderstood(_)) || is_state {
        return (reading, code);
    }
    let Some((taken, notes)) = hear(&words, &tags, lexicon) else {
        return (reading, code);
    };
    let taken = raw(&taken, lexicon);
    match read_tags(&finish(taken.clone(), lexicon), &unknown_of(&taken), past) {
        Reading::Motion { meaning, act, parts, phrase, .. } => {
            (Reading::Motion { meaning, act, parts, phrase, heard: notes }, code)
        }
        _ => (reading, code),
    }
}

/// Returns whether a word names something to do in English: "nod".
#[must_use]
pub fn names_act(word: &str) -> bool {
    let tags = lexicon("en").map(|english| raw(&english.words(word), english)).unwrap_or_default();
    matches!(tags.as_slice(), [Tag { concept: Concept::Act(_), .. }])
}

/// Returns whether a text only refers to what was done before: "faster", "no, to the other side".
#[must_use]
pub fn refers(text: &str) -> bool {
    let (_, tags) = detect(text, "en");
    let names_new = |tag: &Tag| matches!(tag.concept, Concept::Unknown | Concept::Act(_) | Concept::Cannot);
    !tags.iter().any(names_new) && tags.iter().any(|tag| tag.concept != Concept::Skip)
}

/// Returns whether a text is nothing but what people say of others, though it may name a part of the robot: "ear to the
/// ground".
#[must_use]
pub fn is_saying(text: &str) -> bool {
    let Some(english) = lexicon("en") else { return false };
    let tags = raw(&english.words(text), english);
    let says_nothing = |tag: &&Tag| {
        matches!(
            tag.concept,
            Concept::Skip
                | Concept::Article
                | Concept::Comma
                | Concept::Stop
                | Concept::Question
                | Concept::Restart
        )
    };
    let mut said = tags.iter().filter(|tag| !says_nothing(tag)).peekable();
    said.peek().is_some() && said.all(|tag| tag.concept == Concept::Somebody)
}

/// Returns whether a text orders a stop, in any of the languages.
#[must_use]
pub fn is_stop(text: &str) -> bool {
    let (best, tags) = detect(text, "en");
    if orders_stop(&split(&finish(tags.clone(), best)), true) {
        return true;
    }
    let is_clear = !tags.iter().any(|tag| tag.concept == Concept::Unknown);
    !is_clear
        && lexicons()
            .filter(|lexicon| lexicon.code != best.code)
            .any(|lexicon| orders_stop(&split(&tag(text, lexicon)), false))
}

/// "Stop" ends everything, unless the text orders a motion beside it: "nod and then stop", "stop looking down and look up".
fn orders_stop(clauses: &[Clause], is_own_language: bool) -> bool {
    let is_stop_order = |clause: &Clause| {
        let is_pause = clause.seconds.is_some() || clause.lasting.is_some();
        let is_prevented = clause.is_negated && clause.act.is_none();
        clause.is_stop_order
            && (is_own_language || clause.unknown.is_empty())
            && !clause.is_description()
            && !is_pause
            && !is_prevented
    };
    let Some(order) = clauses.iter().rposition(is_stop_order) else { return false };
    let moves = |clause: &Clause| {
        let is_order = clause.has_motion() || !clause.compared.is_empty();
        is_order
            && !clause.is_stop_order
            && !clause.is_negated
            && !clause.is_description()
            && !clause.is_cancel
            && !clause.is_still
    };
    let is_pure = clauses.get(order).is_some_and(|clause| clause.act.is_none());
    if clauses.iter().skip(order + 1).any(moves) {
        return false;
    }
    let is_before = clauses.iter().take(order).any(moves);
    let link = clauses.get(order).map(|clause| clause.link);
    !is_before || (is_pure && matches!(link, Some(Link::Comma | Link::Stop | Link::Correction)))
}

/// Returns where the words that are not known stand.
fn unknown_of(tags: &[Tag]) -> Vec<Range<usize>> {
    tags.iter().filter(|tag| tag.concept == Concept::Unknown).map(|tag| tag.span.clone()).collect()
}

/// Reads tags. `left_out`: the words of the text that are not known, those among them that no longer have a tag.
fn read_tags(tags: &[Tag], left_out: &[Range<usize>], past: Option<&Past>) -> Reading {
    if takes_all_back(tags) {
        return Reading::Nothing;
    }
    // "Once more: nod twice" is an order of its own.
    let tags = match tags {
        [again, mark, rest @ ..]
            if past.is_none()
                && again.concept == Concept::Again
                && matches!(mark.concept, Concept::Comma | Concept::Stop)
                && !rest.is_empty() =>
        {
            rest
        }
        _ => tags,
    };
    let tags = &orders(tags);
    let mut clauses = named_again(awaited(joined(negated_on(split(tags)))));
    if past.is_none() {
        move_listed_antennas(&mut clauses);
    }
    let tells = |clause: &Clause| clause.is_description() && clause.act.is_some();
    let is_description = clauses.iter().any(tells);
    if is_description
        && !clauses
            .iter()
            .any(|clause| is_told_to_robot(clause) && !clause.is_description() && clause.has_content())
    {
        return Reading::Nothing;
    }
    // "Left antenna twenty degrees out. Look up, or the photo gets blurry": what is neither told of somebody nor plainly
    // ordered may be either.
    let may_be_order = |clause: &Clause| {
        !clause.is_description()
            && !is_told_to_robot(clause)
            && !clause.is_reason
            && clause.has_motion()
            && clause.unknown.is_empty()
            && clause.said_amount().is_some()
    };
    if is_description && clauses.iter().any(may_be_order) {
        let amount = tags.iter().find(|tag| matches!(tag.concept, Concept::Number(_)));
        return Reading::NotUnderstood(amount.map(|tag| tag.span.clone()).into_iter().collect());
    }
    let ordered = |clause: &Clause, next: Option<Link>| {
        let is_ordered =
            !clause.is_description() && !clause.is_reason && (!is_description || is_told_to_robot(clause));
        // "With responsibility", "play some music and turn it up": a step, or what belongs to one, is no chatter.
        let is_step = matches!(clause.link, Link::And | Link::Then | Link::With | Link::While | Link::After)
            || matches!(next, Some(Link::And | Link::Then));
        // "Swap those two", "the same with that lamp".
        let refers = clause.is_both_turns || clause.is_undo;
        // "And blorp slowly".
        let is_manner = clause.pace.is_some() && !clause.unknown.is_empty() && clause.link != Link::Start;
        // "Left ear out, hold this silly face".
        let is_kept = clause.act == Some(Act::Hold) && clause.link != Link::Start;
        let times =
            [clause.within, clause.delay, clause.period, clause.lasting, clause.seconds, clause.pause];
        let is_said = times.iter().any(Option::is_some)
            || clause.count.is_some()
            || clause.amount.is_some()
            || is_manner
            || is_kept
            || is_step
            || refers;
        let is_chatter =
            !clause.has_motion() && !is_said && clause.condition.is_none() && !clause.unknown.is_empty();
        let is_stop = clause.is_stop_order
            && clause.seconds.is_none()
            && clause.lasting.is_none()
            && clause.act.is_none()
            && clause.ways.is_empty();
        is_ordered && !is_chatter && !is_stop
    };
    let count = clauses.len();
    let links: Vec<Link> = clauses.iter().map(|clause| clause.link).collect();
    let compares: Vec<bool> =
        clauses.iter().map(|clause| clause.act.is_none() && !clause.compared.is_empty()).collect();
    let only: Vec<bool> = clauses.iter().map(|clause| clause.is_only && clause.act.is_none()).collect();
    let mut kept: Vec<Clause> = Vec::new();
    let mut carried = Link::Start;
    for (at, mut clause) in clauses.into_iter().enumerate() {
        // "Look, I have had a long day".
        let is_call = matches!(clause.act, Some(Act::Look | Act::Move))
            && clause.is_bare()
            && clause.size.is_none()
            && clause.pace.is_none()
            && clause.factor.is_none()
            && clause.compared.is_empty()
            && count > 1;
        // "Wait, no", "no, wait".
        let is_plain_wait = clause.act == Some(Act::Wait) && clause.is_bare();
        let is_hesitation = is_plain_wait
            && at + 1 < count
            && (clause.link == Link::Correction || links.get(at + 1) == Some(&Link::Correction));
        // "Look left thirty degrees, wait, that's too much".
        let is_doubt = is_plain_wait && clause.link == Link::Comma && compares.get(at + 1) == Some(&true);
        let is_hesitation =
            is_hesitation || is_doubt || (is_plain_wait && at == 0 && links.get(1) == Some(&Link::Comma));
        // "Both ears, hang on, only the right one".
        if is_plain_wait && only.get(at + 1) == Some(&true) {
            carried = Link::Correction;
            continue;
        }
        let is_ordered = ordered(&clause, links.get(at + 1).copied());
        if !is_ordered && at > 0 && clause.link == Link::After && !clause.is_reason {
            // "Shake your head after I have sung".
            return Reading::Impossible(Refusal::WhenHappened);
        }
        if !is_ordered || is_call || is_hesitation {
            // What is left out still tells how the next one follows.
            let is_corrected = carried == Link::Correction && clause.link == Link::Comma;
            carried =
                if clause.link == Link::Correction || is_corrected { Link::Correction } else { Link::Start };
            continue;
        }
        if carried == Link::Correction && clause.link <= Link::Stop {
            clause.link = carried;
        }
        carried = Link::Start;
        kept.push(clause);
    }
    let clauses = kept;
    let unknown: Vec<Range<usize>> =
        clauses.iter().flat_map(|clause| clause.unknown.iter().cloned()).collect();
    if !unknown.is_empty() {
        return Reading::NotUnderstood(unknown);
    }
    if !left_out.is_empty() && !clauses.iter().any(|clause| is_plain_order(clause, past)) {
        // "Right here, said the priest", "happiness is rare".
        return Reading::NotUnderstood(left_out.to_vec());
    }
    if let Some(reason) = clauses.iter().find_map(|clause| clause.impossible) {
        return Reading::Impossible(reason);
    }
    let clauses: Vec<Clause> = clauses
        .into_iter()
        .filter(|clause| clause.has_content() || clause.is_stop_order || clause.link == Link::Correction)
        .collect();
    if clauses.iter().all(|clause| !clause.has_content() && !clause.is_stop_order) {
        let unknown = tags.iter().filter(|tag| tag.concept == Concept::Unknown).map(|tag| tag.span.clone());
        let unknown: Vec<Range<usize>> = unknown.collect();
        return if unknown.is_empty() { Reading::Nothing } else { Reading::NotUnderstood(unknown) };
    }
    if clauses.iter().any(|clause| clause.condition.is_some()) {
        return conditional(&clauses, past);
    }
    if clauses.iter().any(|clause| clause.link == Link::Otherwise) {
        // Both at once is never what is meant.
        return Reading::Impossible(Refusal::UnknownCondition);
    }
    // "Look left until I say so, then look right".
    let awaits_word = |pair: &[Clause]| {
        matches!(pair, [held, next] if held.is_until_stop
            && held.act.is_none_or(is_posture)
            && next.link == Link::Then
            && next.has_motion())
    };
    if clauses.windows(2).any(awaits_word) {
        return Reading::Impossible(Refusal::AwaitedWord);
    }
    match Composer::new(past).compose(clauses) {
        Ok(Some((meaning, composer))) => match lost(tags, &meaning, past.is_some()) {
            Some(words) => Reading::NotUnderstood(vec![words]),
            None => Reading::Motion {
                meaning,
                act: composer.act,
                parts: match past {
                    Some(past) if composer.parts.is_empty() => past.parts.clone(),
                    _ => composer.parts,
                },
                phrase: composer.phrase,
                heard: Vec::new(),
            },
        },
        Ok(None) => Reading::Nothing,
        Err(reason) => Reading::Impossible(reason),
    }
}

/// Returns whether a clause is an order beside what a text tells: it asks for something, or begins a sentence of its own
/// with a verb.
fn is_told_to_robot(clause: &Clause) -> bool {
    clause.is_requested || (clause.link == Link::Stop && clause.act.is_some() && !clause.is_verb_last)
}

/// Returns whether a clause orders something beyond doubt: words beside it that are not known do not make it a tale.
fn is_plain_order(clause: &Clause, past: Option<&Past>) -> bool {
    clause.act.is_some_and(|act| !is_feeling(act))
        || clause.is_requested
        || clause.is_negated
        || clause.is_stop_order
        || clause.condition.is_some()
        // "I'm such a goose, I wanted the left", "that's too low, twenty will do".
        || (past.is_some() && (clause.link == Link::Correction || clause.is_it || !clause.compared.is_empty()))
}

/// "Do not look up and down": what follows without a verb of its own is not to be done either, and neither is a second
/// gesture: "do not nod and wiggle your ears".
fn negated_on(mut clauses: Vec<Clause>) -> Vec<Clause> {
    let mut denied: Option<Act> = None;
    let mut is_again_denied = false;
    for (at, clause) in clauses.iter_mut().enumerate() {
        let goes_on = match (denied, clause.act) {
            // "Don't do it again with five waves".
            (None, Some(_)) if is_again_denied && clause.link == Link::With => true,
            // "Do not return to your neutral position".
            (Some(Act::Return), Some(Act::Center)) => clause.link <= Link::Comma,
            // "Do not wave with three waves".
            (Some(denied), Some(act)) if denied == act && clause.link == Link::With => true,
            (Some(denied), Some(act)) => {
                let are_gestures = !is_posture(denied) && !is_posture(act);
                are_gestures && clause.link == Link::And && !clause.is_requested && !clause.is_only
            }
            (Some(_), None) => {
                matches!(clause.link, Link::And | Link::Then)
                    && clause.parts.is_empty()
                    && !clause.ways.is_empty()
            }
            (None, _) => false,
        };
        clause.is_negated |= goes_on && !clause.is_instead;
        is_again_denied = clause.is_negated && clause.is_again;
        denied = clause.act.or(denied).filter(|_| clause.is_negated && !clause.is_stop_order);
        // "Look left, but don't nod, then up".
        denied = denied.filter(|_| at == 0 || goes_on);
    }
    clauses
}

/// "Wiggle your ears, and while they are wiggling turn left": what is named again is the motion before.
fn named_again(mut clauses: Vec<Clause>) -> Vec<Clause> {
    let is_named_again = |pair: &[Clause]| match pair {
        [motion, again, _] => {
            again.link == Link::While
                && again.act.is_some_and(|act| !is_posture(act))
                && again.act == motion.act
                && again.is_bare_but_for_parts()
                && !motion.is_negated
        }
        _ => false,
    };
    while let Some(at) = clauses.windows(3).position(is_named_again) {
        clauses.remove(at + 1);
        if let Some(next) = clauses.get_mut(at + 1) {
            next.link = Link::While;
        }
    }
    clauses
}

/// "Face the door, it is on your left": the second clause tells where the unknown thing of the first one is.
fn joined(clauses: Vec<Clause>) -> Vec<Clause> {
    let mut all: Vec<Clause> = Vec::with_capacity(clauses.len());
    for clause in clauses {
        let tells_where = clause.act.is_none()
            && clause.parts.is_empty()
            && matches!(clause.ways.as_slice(), [_])
            && clause.unknown.is_empty()
            && clause.link == Link::Comma
            && !clause.is_negated;
        let open = all.last_mut().filter(|last| {
            let is_goal = matches!(last.act, Some(Act::Look | Act::Turn));
            is_goal && last.ways.is_empty() && !last.unknown.is_empty() && !last.is_negated
        });
        match open.filter(|_| tells_where) {
            Some(last) => {
                last.ways = clause.ways;
                last.unknown.clear();
            }
            None => all.push(clause),
        }
    }
    all
}

/// "Do not look up until I tell you to": what is awaited is no motion of the robot, so it must not move.
fn awaited(mut clauses: Vec<Clause>) -> Vec<Clause> {
    let is_foreign = |clause: &Clause| {
        clause.is_awaited && !clause.has_motion() && clause.seconds.or(clause.lasting).is_none()
    };
    let waits: Vec<usize> =
        (1..clauses.len()).filter(|at| clauses.get(*at).is_some_and(is_foreign)).collect();
    for at in waits.into_iter().rev() {
        if let Some(before) = clauses.get_mut(at - 1) {
            before.is_negated = true;
        }
        clauses.remove(at);
    }
    clauses
}

/// Reads clauses with a condition among them: what comes if it holds, and what otherwise.
fn conditional(clauses: &[Clause], past: Option<&Past>) -> Reading {
    let mut event: Option<Event> = None;
    let mut branches: [Vec<Clause>; 2] = [Vec::new(), Vec::new()];
    let [then, otherwise] = &mut branches;
    let mut is_then = true;
    let mut has_own = true;
    let mut follows_condition = false;
    for clause in clauses {
        if let Some(condition) = &clause.condition {
            let Some(own) = &condition.event else {
                return Reading::Impossible(Refusal::UnknownCondition);
            };
            if event.as_ref().is_some_and(|event| event != own) {
                return Reading::Impossible(Refusal::OneCondition);
            }
            if clause.link == Link::Stop && has_own && event.is_none() && !then.is_empty() {
                return Reading::Impossible(Refusal::ConditionScope);
            }
            if condition.is_negated {
                // What was said before the condition belongs to it.
                if has_own && event.is_none() {
                    std::mem::swap(then, otherwise);
                }
                is_then = false;
            } else {
                is_then = true;
            }
            event = Some(own.clone());
            has_own = false;
            follows_condition = true;
            continue;
        }
        // "Shake your head, unless you see a face: then nod".
        let is_exception = clause.link == Link::Then
            && event.is_some()
            && !is_then
            && then.is_empty()
            && !otherwise.is_empty();
        if (clause.link == Link::Otherwise && event.is_some()) || (is_exception && follows_condition) {
            is_then = !is_then;
        }
        follows_condition = false;
        if is_then { then.push(clause.clone()) } else { otherwise.push(clause.clone()) }
    }
    let Some(event) = event else { return Reading::Nothing };
    let meaning = |clauses: &[Clause]| {
        Composer::new(past).compose(clauses.to_vec()).map(|found| found.map(|(meaning, _)| meaning))
    };
    match (meaning(then), meaning(otherwise)) {
        (Ok(then), Ok(otherwise)) => Reading::Conditional { event, then, otherwise },
        (Err(reason), _) | (_, Err(reason)) => Reading::Impossible(reason),
    }
}
