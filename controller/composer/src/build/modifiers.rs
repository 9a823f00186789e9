//! The modifiers of a clause: how often, how large, how long.

use crate::act::{Act, Amount};
use crate::clause::Clause;
use crate::tag::{Dir, Growth, Role, Tag, Unit};

/// The modifiers of a clause.
#[derive(Clone, Debug, Default)]
pub(super) struct Modifiers {
    pub count: Option<u32>,
    pub is_count_set: bool,
    pub stages: Option<u32>,
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
            if modifiers.growth.is_empty() && act.growth.is_empty() {
                act.growth.push(if first.0 < last.0 { Growth::Bigger } else { Growth::Smaller });
            }
        }
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
    act.hold = modifiers.hold.or(act.hold);
    act.stroke_seconds = modifiers.stroke_seconds.or(act.stroke_seconds);
    if let Some(total) = modifiers.total {
        if act.is_go() || act.is_back {
            act.hold = Some(total);
        } else {
            act.total_seconds = Some(total);
        }
    }
}
