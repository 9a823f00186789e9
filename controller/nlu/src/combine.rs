//! Combines the grammar with the reader of commands, which knows motions of several parts, references, and other
//! languages.

use std::ops::Range;

use firmware_bridge::posture::{HeadPose, Posture};
use minismith_commands::meaning::Meaning;
use minismith_commands::{Past, Phrase, Reading, is_saying, read, timeline};
use minismith_score::{Axis, AxisValues, Event};

use super::aim::Aim;
use super::dialog_context::{DialogContext, PastTurn};
use super::intent::{Intent, Reason, Understanding};
use super::primitive::Primitive;
use super::spoken::Spoken;

/// Combines what the grammar understood with what the reader of commands does.
///
/// The grammar answers questions, knows tools and the camera, and tells single motions. The reader combines parts of a
/// sentence, refers to what was done, and reads other languages.
pub(super) fn combined(
    text: &str,
    understood: Understanding,
    before: Option<&DialogContext>,
) -> Understanding {
    let keeps = match &understood {
        Understanding::Plan(plan) => plan.iter().any(|intent| !matches!(intent, Intent::Motion(_))),
        Understanding::Unclear { reason, .. } => {
            matches!(reason, Reason::NotText | Reason::Rules | Reason::Motors | Reason::Unkind)
        }
        Understanding::OutOfRange(_) => false,
        _ => true,
    };
    if keeps {
        return understood;
    }
    let past = before.and_then(DialogContext::past);
    let language = before.and_then(DialogContext::language).unwrap_or("en");
    let (reading, language) = read(text, past, language);
    let plan = match &understood {
        Understanding::Plan(plan) => plan.as_slice(),
        _ => &[],
    };
    let plan_of = |spoken: Spoken| Understanding::Plan(vec![Intent::Spoken(Box::new(spoken))]);
    match reading {
        // A rhythm, which the grammar takes for a gesture and a time.
        Reading::Motion { ref meaning, .. } if has_rhythm(meaning) => reading_plan(reading, language),
        // "Nod a lot": the grammar knows only how far.
        Reading::Motion { is_simple: true, ref meaning, .. } if is_repeated(plan, meaning) => {
            reading_plan(reading, language)
        }
        Reading::Motion { is_simple: true, ref meaning, .. } if plan.len() == 1 && is_same(plan, meaning) => {
            understood
        }
        // The grammar refers to single motions, too; only what adds to the last one is new to it.
        Reading::Motion { ref meaning, .. }
            if plan.len() == 1
                && !adds_to(past, meaning)
                && !reverses_steps(past, meaning)
                && !repeats_earlier(past, meaning) =>
        {
            understood
        }
        // One step after another, as the grammar reports them.
        Reading::Motion { ref meaning, is_reordered: false, .. }
            if plan.len() > 1 && is_same(plan, meaning) && plan.len() >= repeated_steps(meaning) =>
        {
            understood
        }
        // What the grammar takes for too much may be possible, read otherwise: "half a dozen".
        Reading::Motion { ref meaning, .. }
            if matches!(understood, Understanding::OutOfRange(_))
                && timeline(meaning, &AxisValues::neutral()).is_err() =>
        {
            understood
        }
        Reading::Motion { .. } => reading_plan(reading, language),
        Reading::Conditional { event: Event::Face, then, otherwise } => plan_of(Spoken {
            meaning: otherwise,
            if_event: Some((Event::Face, then)),
            language,
            heard: Vec::new(),
            act: None,
            parts: Vec::new(),
            phrase: Phrase::default(),
        }),
        Reading::NotUnderstood(ranges) if is_foreign(text, language, &understood, &ranges) => {
            let words: Vec<&str> = ranges.iter().filter_map(|range| text.get(range.clone())).collect();
            Understanding::Foreign { language, words: words.join(" ") }
        }
        Reading::Impossible(_) if language != "en" && !matches!(understood, Understanding::Plan(_)) => {
            Understanding::Foreign { language, words: String::new() }
        }
        // An idiom that names what could move: "ear to the ground".
        Reading::Nothing if !plan.is_empty() && is_saying(text) => Understanding::Unclear {
            text: text.trim().to_owned(),
            reason: Reason::Hearsay,
            nearest: Vec::new(),
        },
        _ => understood,
    }
}

/// Returns the motion of plain commands in English; none if the reader of commands does not understand all of them. Its
/// answers are in the language with this code.
#[must_use]
pub fn commanded(commands: &str, language: &'static str) -> Option<Spoken> {
    let (reading, _) = read(commands, None, "en");
    match reading_plan(reading, language) {
        Understanding::Plan(mut plan) => match plan.pop() {
            Some(Intent::Spoken(spoken)) if spoken.heard.is_empty() => Some(*spoken),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the plan of a motion that the reader of commands understood.
fn reading_plan(reading: Reading, language: &'static str) -> Understanding {
    let Reading::Motion { meaning, act, parts, phrase, heard, .. } = reading else {
        return Understanding::Empty;
    };
    let spoken = Spoken { meaning: Some(meaning), if_event: None, language, heard, act, parts, phrase };
    Understanding::Plan(vec![Intent::Spoken(Box::new(spoken))])
}

/// Returns whether a meaning is one gesture in a rhythm of its own.
fn has_rhythm(meaning: &Meaning) -> bool {
    matches!(meaning, Meaning::Gesture(gesture)
        if gesture.period.is_some() || gesture.pause > 0.0 || gesture.trend.is_some())
}

/// Returns whether a text is in another language than English, by the larger part of it.
fn is_foreign(text: &str, language: &str, understood: &Understanding, unknown: &[Range<usize>]) -> bool {
    let unknown: usize = unknown.iter().map(ExactSizeIterator::len).sum();
    language != "en" && !matches!(understood, Understanding::Plan(_)) && 2 * unknown < text.len()
}

/// Returns how many steps a motion has of which some are repeated; none where nothing is.
fn repeated_steps(meaning: &Meaning) -> usize {
    fn steps(meaning: &Meaning) -> usize {
        match meaning {
            Meaning::Sequence(inner) => inner.iter().map(steps).sum(),
            Meaning::Repeat(count, inner) => *count as usize * steps(inner),
            _ => 1,
        }
    }
    let repeats = match meaning {
        Meaning::Repeat(..) => true,
        Meaning::Sequence(inner) => inner.iter().any(|one| matches!(one, Meaning::Repeat(..))),
        _ => false,
    };
    if repeats { steps(meaning) } else { 0 }
}

/// Returns whether a gesture is done several times that a plan does once.
fn is_repeated(plan: &[Intent], meaning: &Meaning) -> bool {
    let ([Intent::Motion(primitive)], Meaning::Gesture(gesture)) = (plan, meaning) else { return false };
    gesture.count >= MANY
        && matches!(primitive, Primitive::Nod { times: 1, .. } | Primitive::Shake { times: 1, .. })
}

/// A gesture that is done so often was ordered so.
const MANY: u32 = 5;

/// Returns whether several steps are done again in another order: the grammar knows only the last one.
fn reverses_steps(past: Option<&Past>, meaning: &Meaning) -> bool {
    let (Some(Meaning::Sequence(before)), Meaning::Sequence(now)) = (past.map(|past| &past.meaning), meaning)
    else {
        return false;
    };
    before.len() == now.len()
}

/// Returns whether what was done before the last action is done again: the grammar knows only the last one.
fn repeats_earlier(past: Option<&Past>, meaning: &Meaning) -> bool {
    past.and_then(|past| past.earlier.as_ref()).is_some_and(|earlier| earlier.meaning == *meaning)
}

/// Returns whether a posture leaves the axes of the last one where they are: "and now up as well".
fn adds_to(past: Option<&Past>, meaning: &Meaning) -> bool {
    let (Some(past), Meaning::Go { .. }) = (past, meaning) else { return false };
    let moved = past.meaning.axes();
    past.meaning.is_posture() && meaning.axes().iter().all(|axis| !moved.contains(axis))
}

/// Returns whether a plan of single motions and a meaning without simultaneous gestures end in the same posture.
fn is_same(plan: &[Intent], meaning: &Meaning) -> bool {
    let mut aim = Aim::neutral();
    for intent in plan {
        if let Intent::Motion(primitive) = intent {
            primitive.motions_from(&mut aim);
        }
    }
    let ends = AxisValues::from_posture(&posture_of(&aim));
    let Ok(timeline) = timeline(meaning, &AxisValues::neutral()) else { return false };
    let other = timeline.axes_at(timeline.seconds());
    !meaning.is_simultaneous()
        && Axis::ALL.iter().all(|axis| (ends[*axis] - other[*axis]).abs() < SAME_DEGREES)
}

/// Postures within this of each other count as the same, degrees or millimetres.
const SAME_DEGREES: f64 = 1.0;

/// Returns what a turn did, to which a later text may refer. `earlier`: what was done before it.
pub(super) fn done(turn: &PastTurn, earlier: Option<&Past>) -> Option<Past> {
    let PastTurn { plan, said, from, .. } = turn;
    let start = AxisValues::from_posture(&posture_of(from.as_ref()?));
    if let [Intent::Spoken(spoken)] = plan.as_slice() {
        return spoken.past(start);
    }
    match read(said, earlier, "en").0 {
        Reading::Motion { meaning, act, parts, phrase, .. } => {
            Some(Past { meaning, act, parts, phrase, before: start, earlier: None })
        }
        _ => None,
    }
}

fn posture_of(aim: &Aim) -> Posture {
    let head: HeadPose = aim.head();
    Posture { head, body_yaw: aim.body_yaw, antennas: aim.antennas }
}
