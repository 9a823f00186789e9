//! Motions that the reader of commands understands: several parts at once, references, and other languages.

use std::fmt;

use firmware_bridge::posture::{HeadPose, Posture};
use minismith_commands::concept::{Act, Part};
use minismith_commands::describe::describe;
use minismith_commands::meaning::{Aim as Course, Amount, Meaning};
use minismith_commands::{Past, Reading, read, timeline};
use minismith_score::{Axis, AxisValues, Event};

use super::aim::Aim;
use super::dialog_context::{DialogContext, PastTurn};
use super::intent::{Intent, Reason, Understanding};
use super::primitive::{Look, Primitive, Side};

/// A motion as it was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Spoken {
    /// What is done; none if nothing is, unless the event holds.
    pub meaning: Option<Meaning>,
    /// What is done instead if an event holds.
    pub if_event: Option<(Event, Option<Meaning>)>,
    /// The language's code: `en`.
    pub language: &'static str,
    act: Option<Act>,
    parts: Vec<Part>,
}

/// Formats the motion in English, as a plan's step.
impl fmt::Display for Spoken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe("en"))
    }
}

impl Spoken {
    /// Describes the motion in a language.
    #[must_use]
    pub fn describe(&self, language: &str) -> String {
        let of = |meaning: &Option<Meaning>| meaning.as_ref().map(|meaning| describe(meaning, language));
        match &self.if_event {
            None => of(&self.meaning).unwrap_or_default(),
            Some((event, then)) => {
                let parts: Vec<String> = [of(then), of(&self.meaning)].into_iter().flatten().collect();
                format!("{}? {}", event.describe(), parts.join(" / "))
            }
        }
    }

    /// Returns what is done when the event holds or not.
    #[must_use]
    pub fn chosen(&self, holds: bool) -> Option<&Meaning> {
        match &self.if_event {
            Some((_, then)) if holds => then.as_ref(),
            _ => self.meaning.as_ref(),
        }
    }
}

/// Combines what the grammar understood with what the reader of commands does.
///
/// The grammar answers questions, knows tools and the camera, and tells single motions. The reader combines parts of a
/// sentence, refers to what was done, and reads other languages.
pub(super) fn combined(text: &str, understood: Understanding, before: Option<&DialogContext>) -> Understanding {
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
    let past = before.and_then(past);
    let language = before.and_then(DialogContext::language).unwrap_or("en");
    let (reading, language) = read(text, past.as_ref(), language);
    let plan = match &understood {
        Understanding::Plan(plan) => plan.as_slice(),
        _ => &[],
    };
    let spoken = |meaning, if_event, act, parts| {
        Understanding::Plan(vec![Intent::Spoken(Box::new(Spoken { meaning, if_event, language, act, parts }))])
    };
    match reading {
        Reading::Motion { is_simple: true, .. } if plan.len() == 1 => understood,
        // One step after another, as the grammar reports them.
        Reading::Motion { ref meaning, .. } if plan.len() > 1 && is_same(plan, meaning) => understood,
        Reading::Motion { meaning, act, parts, .. } => spoken(Some(meaning), None, act, parts),
        Reading::Conditional { event: Event::Face, then, otherwise } => {
            spoken(otherwise, Some((Event::Face, then)), None, Vec::new())
        }
        Reading::NotUnderstood(ranges) if language != "en" && !matches!(understood, Understanding::Plan(_)) => {
            let words: Vec<&str> = ranges.iter().filter_map(|range| text.get(range.clone())).collect();
            Understanding::Foreign { language, words: words.join(" ") }
        }
        Reading::Impossible(_) if language != "en" && !matches!(understood, Understanding::Plan(_)) => {
            Understanding::Foreign { language, words: String::new() }
        }
        _ => understood,
    }
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
    !meaning.is_simultaneous() && Axis::ALL.iter().all(|axis| (ends[*axis] - other[*axis]).abs() < SAME_DEGREES)
}

/// Postures within this of each other count as the same, degrees or millimetres.
const SAME_DEGREES: f64 = 1.0;

/// Returns what a text may refer to.
fn past(before: &DialogContext) -> Option<Past> {
    let PastTurn { plan, from, .. } = before.last_action()?;
    let start = AxisValues::from_posture(&posture_of(from.as_ref()?));
    if let [Intent::Spoken(spoken)] = plan.as_slice() {
        let meaning = spoken.meaning.clone()?;
        return Some(Past { meaning, act: spoken.act, parts: spoken.parts.clone(), before: start });
    }
    let mut act = None;
    let mut parts = Vec::new();
    let meanings: Vec<Meaning> = plan
        .iter()
        .filter_map(|intent| match intent {
            Intent::Motion(primitive) => {
                let (meaning, own, part) = meaning_of(primitive)?;
                (act, parts) = (Some(own), part.into_iter().collect());
                Some(meaning)
            }
            _ => None,
        })
        .collect();
    let meaning = match <[Meaning; 1]>::try_from(meanings) {
        Ok([meaning]) => meaning,
        Err(meanings) if meanings.is_empty() => return None,
        Err(meanings) => Meaning::Sequence(meanings),
    };
    Some(Past { meaning, act, parts, before: start })
}

fn posture_of(aim: &Aim) -> Posture {
    let head: HeadPose = aim.head();
    Posture { head, body_yaw: aim.body_yaw, antennas: aim.antennas }
}

/// Returns the meaning of a motion of the grammar, as far as a text can refer to it.
fn meaning_of(primitive: &Primitive) -> Option<(Meaning, Act, Option<Part>)> {
    let go = |axis: Axis, sign: f64, amount: f64| Meaning::Go {
        aims: vec![Course { axis, sign, usual: amount, amount: Amount::Exactly(amount) }],
        seconds: None,
        pace: 1.0,
    };
    let side = |side: Side| if side == Side::Left { -1.0 } else { 1.0 };
    let said = |text: &str| match read(text, None, "en").0 {
        Reading::Motion { meaning, .. } => Some(meaning),
        _ => None,
    };
    Some(match *primitive {
        Primitive::Look { direction, angle, .. } => {
            let degrees = angle.degrees();
            let meaning = match direction {
                Look::Left => go(Axis::HeadTurn, 1.0, degrees),
                Look::Right => go(Axis::HeadTurn, -1.0, degrees),
                Look::Up => go(Axis::HeadPitch, -1.0, degrees),
                Look::Down => go(Axis::HeadPitch, 1.0, degrees),
                Look::Ahead => said("look straight ahead")?,
            };
            (meaning, Act::Look, None)
        }
        Primitive::Tilt { side: to, angle, .. } => {
            (go(Axis::HeadTilt, side(to), angle.degrees()), Act::Tilt, Some(Part::Head))
        }
        Primitive::TurnBody { angle, .. } => {
            let degrees = angle.degrees();
            (go(Axis::BodyTurn, degrees.signum(), degrees.abs()), Act::Turn, Some(Part::Body))
        }
        Primitive::Height { metres, .. } => {
            let act = if metres < 0.0 { Act::Lower } else { Act::Raise };
            (go(Axis::HeadRise, metres.signum(), metres.abs() * 1000.0), act, Some(Part::Head))
        }
        Primitive::Nod { times, .. } => (said(&format!("nod {times} times"))?, Act::Nod, None),
        Primitive::Shake { times, .. } => (said(&format!("shake your head {times} times"))?, Act::Shake, None),
        Primitive::WiggleAntennas { times, .. } => {
            (said(&format!("wiggle your antennas {times} times"))?, Act::Wiggle, Some(Part::Antennas))
        }
        Primitive::SetAntennas { right, left, .. } => {
            let aims = [(Axis::AntennaRight, right), (Axis::AntennaLeft, left)];
            let aims = aims.into_iter().filter_map(|(axis, angle)| {
                let degrees = angle?.degrees();
                let amount = Amount::Exactly(degrees.abs());
                Some(Course { axis, sign: if degrees < 0.0 { -1.0 } else { 1.0 }, usual: degrees.abs(), amount })
            });
            let part = match (right, left) {
                (Some(_), None) => Part::RightAntenna,
                (None, Some(_)) => Part::LeftAntenna,
                _ => Part::Antennas,
            };
            (Meaning::Go { aims: aims.collect(), seconds: None, pace: 1.0 }, Act::Move, Some(part))
        }
        Primitive::Dance { duration } => (Meaning::Dance(duration.as_secs_f64()), Act::Dance, None),
        Primitive::Center => (Meaning::Neutral { axes: Axis::ALL.to_vec(), pace: 1.0 }, Act::Center, None),
        _ => return None,
    })
}
