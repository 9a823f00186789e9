//! The modifiers of a clause: how often, how large, how long.

use super::Builder;
use crate::act::{Act, Amount};
use crate::clause::{Clause, Link};
use crate::tag::{Dir, Growth, Manner, Role, Shape, Tag, Unit};

/// The modifiers of a clause.
#[derive(Clone, Debug, Default)]
pub(super) struct Modifiers {
    pub count: Option<u32>,
    pub is_count_set: bool,
    pub stages: Option<u32>,
    /// What is said is said of each part.
    pub is_each: bool,
    pub beats: Option<u32>,
    pub sizes: Vec<(f64, Unit)>,
    pub factor: Option<f64>,
    pub further: Option<f64>,
    pub is_full: bool,
    pub size_role: Option<Role>,
    pub pace: Option<f64>,
    pub growth: Vec<Growth>,
    pub rate: Option<f64>,
    pub tempo: Option<f64>,
    pub hold: Option<Amount>,
    pub stroke_seconds: Option<f64>,
    pub total: Option<Amount>,
    pub between: Option<f64>,
    pub is_between: bool,
    pub is_alternating: bool,
}

impl Modifiers {
    pub(super) fn is_empty(&self) -> bool {
        self.count.is_none()
            && !self.is_count_set
            && self.stages.is_none()
            && self.beats.is_none()
            && self.sizes.is_empty()
            && self.factor.is_none()
            && self.further.is_none()
            && !self.is_full
            && self.size_role.is_none()
            && self.pace.is_none()
            && self.growth.is_empty()
            && self.rate.is_none()
            && self.tempo.is_none()
            && self.hold.is_none()
            && self.stroke_seconds.is_none()
            && self.total.is_none()
            && self.between.is_none()
            && !self.is_alternating
    }
}

pub(super) fn has_return_first(clause: &Clause) -> bool {
    let place = |wanted: fn(&Tag) -> bool| clause.tags.iter().position(|tagged| wanted(&tagged.tag));
    let back = place(|tag| matches!(tag, Tag::Return));
    let dir = place(|tag| matches!(tag, Tag::Dir(_)));
    back.zip(dir).is_some_and(|(back, dir)| back < dir)
}

pub(super) fn dirs_in(clause: &Clause) -> Vec<Dir> {
    let mut dirs: Vec<Dir> = Vec::new();
    for tagged in &clause.tags {
        if let Tag::Dir(dir) = tagged.tag
            && !dirs.contains(&dir)
        {
            dirs.push(dir);
        }
    }
    // "Sideways to the right".
    if dirs.iter().any(|dir| matches!(dir, Dir::Left | Dir::Right)) {
        dirs.retain(|dir| *dir != Dir::Sides);
    }
    dirs
}

pub(super) fn apply(act: &mut Act, modifiers: &Modifiers) {
    if let Some(count) = modifiers.count {
        act.count = Some(count);
    }
    act.is_count_set |= modifiers.is_count_set;
    act.stages = modifiers.stages.or(act.stages);
    act.beats = modifiers.beats.or(act.beats);
    match modifiers.sizes.as_slice() {
        [] => {}
        [one] => act.size = Some(*one),
        [first, .., last] => {
            act.first_size = Some(first.0);
            act.size = Some(*last);
            // "By 20, 40 and 60 degrees": one round for each.
            if modifiers.sizes.len() > 2 && act.count.is_none() {
                act.count = u32::try_from(modifiers.sizes.len()).ok();
            }
            if modifiers.growth.is_empty() && act.growth.is_empty() {
                act.growth.push(if first.0 < last.0 { Growth::Bigger } else { Growth::Smaller });
            }
        }
    }
    // "In three stages of 5 degrees each".
    if let (Some(stages), true, [(size, unit)]) = (act.stages, modifiers.is_each, modifiers.sizes.as_slice())
    {
        act.size = Some((size * f64::from(stages), *unit));
    }
    if let Some(factor) = modifiers.factor {
        act.factor = factor;
    }
    if let Some(further) = modifiers.further {
        act.factor *= further;
    }
    act.is_full |= modifiers.is_full && modifiers.sizes.is_empty();
    act.size_role = modifiers.size_role.or(act.size_role);
    if let Some(pace) = modifiers.pace {
        act.pace = act.verb.pace * pace;
    }
    act.growth.extend(&modifiers.growth);
    act.period = modifiers.rate.or(act.period);
    act.beat = modifiers.tempo.or(act.beat);
    act.pause = modifiers.between.or(act.pause);
    act.is_alternating |= modifiers.is_alternating;
    act.hold = match (act.hold, modifiers.hold) {
        (Some(known), Some(next)) => Some(known.told(next)),
        (known, next) => next.or(known),
    };
    act.stroke_seconds = modifiers.stroke_seconds.or(act.stroke_seconds);
    if let Some(total) = modifiers.total {
        if act.is_go() || act.is_back {
            act.hold = Some(act.hold.map_or(total, |known| known.told(total)));
        } else {
            act.total_seconds = Some(total);
        }
    }
}

impl Builder<'_> {
    /// Reads how often, how large and how long from a clause.
    pub(super) fn modifiers(&mut self, clause: &Clause) -> Modifiers {
        let mut modifiers = Modifiers::default();
        let mut place: Option<&Tag> = None;
        let has = |wanted: fn(&Tag) -> bool| clause.has(wanted);
        modifiers.is_between = has(|tag| matches!(tag, Tag::Between));
        modifiers.is_each = has(|tag| matches!(tag, Tag::Each));
        // "Keeps nodding for ten seconds" holds no posture.
        let is_gesture = has(
            |tag| matches!(tag, Tag::Verb(verb) if verb.shape != Shape::Go && verb.hold.is_none() && !verb.directed_go),
        );
        let is_hold =
            has(|tag| matches!(tag, Tag::Hold | Tag::StayThere | Tag::Pause | Tag::Still)) && !is_gesture;
        let verb_follows = |at: usize| {
            let rest = clause.tags.get(at + 1..).unwrap_or(&[]);
            let next = rest
                .iter()
                .find(|tagged| !matches!(tagged.tag, Tag::Manner(_) | Tag::Part(_) | Tag::Grow(_)));
            next.is_some_and(|tagged| match &tagged.tag {
                Tag::Verb(verb) => verb.is_gesture_noun,
                Tag::Feeling(_) | Tag::Known(_) | Tag::Sound | Tag::Photo | Tag::Circle => true,
                _ => false,
            })
        };
        let verb_free = !has(|tag| matches!(tag, Tag::Verb(_)));
        for (at, tagged) in clause.tags.iter().enumerate() {
            match &tagged.tag {
                Tag::Count(count) => modifiers.count = Some(*count),
                Tag::SameSize => modifiers.sizes.extend(self.last.as_ref().and_then(|last| last.size)),
                Tag::Stages(stages) => modifiers.stages = Some(*stages),
                Tag::Beats(beats) => modifiers.beats = Some(*beats),
                Tag::Number(value) if verb_follows(at) && value.fract() == 0.0 && *value < 1e6 => {
                    modifiers.count = Some(*value as u32)
                }
                Tag::Number(value)
                    if matches!(place, Some(Tag::For))
                        || (matches!(place, Some(Tag::Pause)) && is_hold && modifiers.hold.is_none()) =>
                {
                    self.time(&mut modifiers, Amount::Value(*value), place, is_hold);
                }
                Tag::Number(value) => {
                    let unit = Unit::Degrees;
                    let has_size_role = modifiers.size_role.is_some()
                        || (modifiers.is_empty()
                            && verb_free
                            && self
                                .last
                                .as_ref()
                                .is_some_and(|last| last.size_role.is_some() && !last.is_count_set));
                    // "Thirty left, thirty right, ten left, ten right": angles, like those before.
                    let is_listed = verb_free
                        && has(|tag| matches!(tag, Tag::Dir(_)))
                        && clause.link == Link::Comma
                        && self.last.as_ref().is_some_and(|last| {
                            last.is_go() && matches!(last.size, Some((_, Unit::Degrees)))
                        });
                    let is_size = matches!(place, Some(Tag::By | Tag::Reach))
                        || *value > 10.0
                        || has_size_role
                        || is_listed;
                    let is_shift = self.last.as_ref().is_some_and(|last| {
                        matches!(last.size_role, Some(Role::Millimetres | Role::Distance))
                            && last.axes().iter().all(|axis| axis.is_shift())
                    });
                    if is_size && has_size_role && is_shift {
                        modifiers.sizes.push((*value, Unit::Millimetres));
                    } else if is_size {
                        modifiers.sizes.push((*value, unit));
                        self.built.notes.push(format!("{value} is taken as an angle in degrees"));
                    } else if value.fract() == 0.0 && *value >= 1.0 {
                        modifiers.count = Some(*value as u32);
                    }
                }
                Tag::Amount(value, Unit::Seconds) => {
                    let value = Amount::Value(*value);
                    self.time(&mut modifiers, value, place, is_hold);
                }
                Tag::Amount(value, unit) => modifiers.sizes.push((*value, *unit)),
                Tag::Param(role) => match role {
                    Role::Times => modifiers.is_count_set = true,
                    Role::Speed => self.built.has_speed = true,
                    Role::Seconds => self.time(&mut modifiers, Amount::Param(Role::Seconds), place, is_hold),
                    role => modifiers.size_role = Some(*role),
                },
                Tag::Rate(seconds) => modifiers.rate = Some(*seconds),
                Tag::Tempo(seconds) => modifiers.tempo = Some(*seconds),
                Tag::Manner(Manner::Pace(factor)) => modifiers.pace = Some(*factor),
                Tag::Manner(Manner::Size(factor)) => modifiers.factor = Some(*factor),
                Tag::Manner(Manner::Further(factor)) => modifiers.further = Some(*factor),
                Tag::Manner(Manner::Full) => modifiers.is_full = true,
                Tag::Grow(growth) => modifiers.growth.push(*growth),
                Tag::Alternate => modifiers.is_alternating = true,
                _ => {}
            }
            place = match &tagged.tag {
                tag @ (Tag::For | Tag::Over | Tag::By | Tag::Reach | Tag::Pause) => Some(tag),
                Tag::Manner(_) | Tag::Number(_) => place,
                _ => None,
            };
        }
        // "one sway every four seconds" says no number.
        modifiers.count = modifiers.count.filter(|count| *count != 1 || modifiers.rate.is_none());
        if has(|tag| matches!(tag, Tag::Each)) {
            // "each time slower", "each a little wider"
            let is_comparative = |pace: &f64| [0.5, 0.7, 0.8, 1.3, 1.5, 2.0].contains(pace);
            if let Some(pace) = modifiers.pace.take_if(|pace| is_comparative(pace)) {
                modifiers.growth.push(if pace > 1.0 { Growth::Slower } else { Growth::Faster });
            }
            if let Some(further) = modifiers.further.take() {
                modifiers.growth.push(if further > 1.0 { Growth::Bigger } else { Growth::Smaller });
            }
        }
        // A pause between repetitions has a time that is known.
        let time = modifiers.hold.or(modifiers.total);
        if modifiers.is_between && matches!(time, Some(Amount::Param(_))) {
            let parameter = clause.tags.iter().find(|tagged| matches!(tagged.tag, Tag::Param(Role::Seconds)));
            if let Some(span) = parameter.map(|tagged| tagged.span.clone()) {
                self.unknown(span);
            }
            (modifiers.hold, modifiers.total) = (None, None);
        }
        if modifiers.is_between
            && let Some(Amount::Value(value)) =
                modifiers.hold.or(modifiers.total).or(modifiers.stroke_seconds.map(Amount::Value))
        {
            modifiers.between = Some(value);
            (modifiers.hold, modifiers.total, modifiers.stroke_seconds) = (None, None, None);
        }
        if let Some(tempo) = modifiers.tempo {
            self.tempo = Some(tempo);
        }
        modifiers
    }

    /// Decides what a time is of.
    fn time(&self, modifiers: &mut Modifiers, value: Amount, place: Option<&Tag>, is_hold: bool) {
        match (place, value) {
            (Some(Tag::Over), Amount::Value(value)) => modifiers.stroke_seconds = Some(value),
            _ if is_hold => modifiers.hold = Some(value),
            _ => modifiers.total = Some(value),
        }
    }
}
