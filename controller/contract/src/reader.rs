//! Reads the clauses of a request one after another.

mod modify;
mod occasions;
mod order;
mod parts;
mod rest;

use crate::aims::{Kind, targets};
use crate::clause::{Clause, Ear, Part};
use crate::lexicon::Verb;
use crate::meaning::{Bound, Link, Role, Way};
use crate::reading::{Action, Feature, Reading};

/// Reads all clauses.
pub(crate) fn read(clauses: &[Clause]) -> Reading {
    let mut reader = Reader::default();
    let announced = announced(clauses);
    for (index, clause) in clauses.iter().enumerate() {
        // "Stays still until a face shows up": what is still before an event may move after it.
        let is_quiet = clause.still
            && clause.parts.is_empty()
            && clause.seconds.is_none()
            && clauses.get(index + 1).is_some_and(|next| next.trigger.is_some());
        if index < announced || is_quiet {
            reader.reading.unmeasurable.push(index);
        } else {
            reader.clause(index, clause);
        }
    }
    reader.finish();
    reader.reading
}

/// Returns how many clauses only announce what a later one tells once more: "a tool that nods and waves: it nods twice,
/// and then it waves".
fn announced(clauses: &[Clause]) -> usize {
    let Some(at) = clauses.iter().position(|clause| clause.link == Some(Link::Colon)) else { return 0 };
    let (before, after) = clauses.split_at(at);
    let motions = |clauses: &[Clause]| -> Vec<Verb> {
        clauses.iter().filter_map(|clause| clause.verb).filter(|verb| verb.is_motion()).collect()
    };
    let (told, told_again) = (motions(before), motions(after));
    let is_plain = before.iter().all(|clause| clause.trigger.is_none() && clause.roles.is_empty());
    if told.len() > 1 && is_plain && told.iter().all(|verb| told_again.contains(verb)) { at } else { 0 }
}

#[derive(Default)]
struct Reader {
    reading: Reading,
    verb: Option<Verb>,
    parts: Vec<Part>,
    /// Parts that were named before their verb.
    waiting_parts: Vec<Part>,
    /// The clauses that named them.
    waiting_clauses: Vec<usize>,
    group: usize,
    /// How the next action is linked, if a clause without one stood between.
    link: Option<Link>,
    /// The actions that the last clause added.
    latest: Vec<usize>,
    /// The next participle tells what is held: "holds the head tilted".
    holds_next: Option<usize>,
    /// A clause that began with "while", "after" or "before" before its main clause.
    opening: Option<(Link, usize)>,
    /// The action that "before" at the beginning of this sentence names: all others of the sentence come first.
    comes_last: Option<usize>,
    /// An event is the condition for what follows.
    occasion_is_open: bool,
    /// The actions that come first or last, in spite of their place in the text.
    first: Vec<usize>,
    last: Vec<usize>,
    /// "First" or "finally" stood in a clause of its own.
    place_next: Option<bool>,
    last_ear: Option<Ear>,
    /// The last action raised an antenna.
    ear_is_up: bool,
    /// "All at once: ...": what follows in this sentence happens at the same time, by the clause that says so.
    together_next: Option<usize>,
}

impl Reader {
    fn clause(&mut self, index: usize, clause: &Clause) {
        // "Ten flicks with the left ear, ten with the right".
        let side = match (self.last_ear, clause.ways.as_slice()) {
            (Some(Ear::Left), [Way::Right]) => Some(Ear::Right),
            (Some(Ear::Right), [Way::Left]) => Some(Ear::Left),
            _ => None,
        };
        // "Wiggle the left, wiggle the right": only antennas wiggle.
        let ear = match clause.ways.as_slice() {
            [Way::Left] => Some(Ear::Left),
            [Way::Right] => Some(Ear::Right),
            _ => None,
        };
        if let Some(ear) = ear.filter(|_| clause.verb == Some(Verb::Wiggle) && clause.parts.is_empty()) {
            let named = Clause { parts: vec![Part::Ear(ear)], ways: Vec::new(), ..clause.clone() };
            return self.named_clause(index, &named);
        }
        // "Two seconds of nothing", "doing nothing for two seconds".
        let is_rest = clause.nothing && clause.seconds.is_some() && clause.parts.is_empty();
        if is_rest && clause.verb.is_none() && !clause.has_way() {
            let rest = Clause { verb: Some(Verb::Wait), nothing: false, ..clause.clone() };
            return self.named_clause(index, &rest);
        }
        let is_alone = clause.parts.is_empty() && clause.verb.is_none() && clause.size.is_none();
        // "Left and right in turn", of the antennas.
        let are_sides =
            clause.alternate && clause.ways.iter().all(|way| matches!(way, Way::Left | Way::Right));
        let are_ears = self.parts.iter().all(|part| matches!(part, Part::Ear(_))) && !self.parts.is_empty();
        if is_alone && are_sides && are_ears && clause.ways.len() == 2 {
            let named = Clause { ways: Vec::new(), ..clause.clone() };
            return self.named_clause(index, &named);
        }
        let is_counted = clause.count.or(clause.bare).is_some() || clause.link == Some(Link::With);
        if let Some(side) = side.filter(|_| is_alone && is_counted) {
            let named = Clause { parts: vec![Part::Ear(side)], ways: Vec::new(), ..clause.clone() };
            return self.named_clause(index, &named);
        }
        self.named_clause(index, clause);
    }

    fn named_clause(&mut self, index: usize, clause: &Clause) {
        if let Some(link) = clause.link
            && !matches!(link, Link::Comma | Link::And | Link::Start)
            && !(link == Link::Stop && self.link.is_some())
        {
            self.link = Some(link);
        }
        if clause.as_if {
            self.reading.unmeasurable.push(index);
            return;
        }
        if clause.first {
            self.place_next = Some(true);
        }
        if clause.last {
            self.place_next = Some(false);
        }
        if self.occasion(index, clause) || self.signal(index, clause) {
            return;
        }
        if self.stillness(index, clause) || self.rest(index, clause) {
            return;
        }
        if self.go_back(index, clause) {
            // "Finish by closing them": the way back is last, and not what is told next.
            self.place_next = self.place_next.filter(|is_first| *is_first);
            return;
        }
        if self.action(index, clause) {
            return;
        }
        self.modify(index, clause);
    }

    /// The parts that a clause is about.
    fn parts_of(&mut self, clause: &Clause) -> Vec<Part> {
        let mut parts = std::mem::take(&mut self.waiting_parts);
        for part in &clause.parts {
            let part = match part {
                Part::Ear(Ear::Other) => match self.last_ear {
                    Some(Ear::Left) => Part::Ear(Ear::Right),
                    Some(Ear::Right) => Part::Ear(Ear::Left),
                    _ => Part::Ear(Ear::Any),
                },
                other => *other,
            };
            if let Part::Ear(ear) = part {
                self.last_ear = Some(ear);
            }
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        if parts.contains(&Part::Ear(Ear::Left)) && parts.contains(&Part::Ear(Ear::Right)) {
            parts.retain(|part| !matches!(part, Part::Ear(_)));
            parts.push(Part::Ear(Ear::Both));
        }
        parts
    }

    /// Returns whether "back" is a direction here.
    fn back_is_direction(&self, clause: &Clause) -> bool {
        let leans = matches!(clause.verb, Some(Verb::Lean | Verb::Tilt));
        let moves = clause.verb == Some(Verb::Move)
            && clause.parts.contains(&Part::Head)
            && self.reading.actions.iter().all(|action| action.is_oscillation() || action.returns);
        let is_other = clause.verb.is_some() && clause.size.is_some_and(|(_, is_shift)| is_shift);
        clause.ways == [Way::Back] && (leans || moves || is_other)
    }

    /// Something moves.
    fn action(&mut self, index: usize, clause: &Clause) -> bool {
        let mut verb = clause.verb;
        // "Yes three times".
        let is_answer =
            verb.is_none() && clause.count.is_some() && clause.parts.is_empty() && (clause.yes || clause.no);
        if verb == Some(Verb::Say) || is_answer {
            verb = Some(if clause.yes { Verb::Nod } else { Verb::Shake });
        }
        // "A shake of the head" and "a look": nouns of the same verb tell more about the last action.
        let is_same = verb.is_some() && verb == self.verb && !self.latest.is_empty();
        let is_mention = clause.link != Some(Link::Then)
            && self.link != Some(Link::Then)
            && !clause.again
            && !clause.another
            && clause.parts.is_empty()
            && !clause.has_way()
            && (clause.bare.is_some()
                || clause.each
                || clause.more
                || clause.less
                || clause.change.is_some()
                || clause.period.is_some());
        // "As you lean, ...": what follows happens meanwhile.
        let is_only_named = clause.parts.is_empty()
            && !clause.has_way()
            && clause.count.or(clause.bare).is_none()
            && clause.size.is_none()
            && clause.seconds.is_none();
        if is_same && is_only_named && clause.link == Some(Link::While) {
            self.link = Some(Link::While);
            return true;
        }
        // "Nod; once you have nodded, turn back": it was told already, and only says when.
        let told = self.reading.actions.iter().rposition(|action| Some(action.verb) == verb);
        if let Some(told) = told
            && is_only_named
            && !(clause.another || clause.again)
            && clause.link == Some(Link::After)
        {
            if let Some(action) = self.reading.actions.get_mut(told) {
                action.notes.push((index, Feature::Motion));
            }
            self.latest = vec![told];
            self.link = Some(Link::Then);
            return true;
        }
        // "Lifts the ear, and waits with it raised": what it did already.
        if let Some(told) = told
            && is_only_named
            && clause.it
            && clause.link == Some(Link::With)
        {
            if let Some(action) = self.reading.actions.get_mut(told) {
                action.notes.push((index, Feature::Motion));
            }
            return true;
        }
        // "Where I set for how long it keeps looking up".
        let is_about =
            clause.link != Some(Link::Then) && self.link != Some(Link::Then) && clause.count.is_none();
        if is_same && is_about && clause.roles.contains(&Role::Seconds) && clause.parts.is_empty() {
            self.modify(index, clause);
            return true;
        }
        if is_same && is_mention && self.reading.pauses.is_empty() {
            self.modify(index, clause);
            return true;
        }
        // "Nods four times, swinging a bit more with each nod".
        let is_trend = clause.each_time
            && (clause.more || clause.less || clause.change.is_some())
            && clause.parts.is_empty()
            && !clause.has_way();
        if is_trend && matches!(verb, Some(Verb::Sway | Verb::Move | Verb::Turn)) && !self.latest.is_empty() {
            self.modify(index, &Clause { verb: None, ..clause.clone() });
            return true;
        }
        if self.once_more(index, clause) || self.adds_sides(index, clause) {
            return true;
        }
        let parts = self.parts_of(clause);
        let is_with = clause.link == Some(Link::With);
        if verb.is_none()
            && !parts.is_empty()
            && clause.size.is_some()
            && !clause.has_way()
            && self.latest.is_empty()
        {
            verb = Some(Verb::Turn);
        }
        let inherits = verb.is_none_or(|verb| !verb.is_motion());
        if inherits && !clause.has_way() {
            let names_only = !parts.is_empty() && clause.noun.is_none();
            if !names_only || verb.is_some() {
                self.waiting_parts = Vec::new();
                if !parts.is_empty() && verb.is_none_or(|verb| verb == Verb::Take) {
                    self.parts.clone_from(&parts);
                }
                return false;
            }
            return self.part_alone(index, clause, parts);
        }
        let mut ways = clause.ways.clone();
        // "In and out": antennas may swing on either side of upright.
        if ways.contains(&Way::Out) && ways.contains(&Way::In) {
            ways.retain(|way| *way != Way::In);
        }
        let is_head_up = clause.upright
            && !parts.iter().any(|part| matches!(part, Part::Ear(_)))
            && (verb == Some(Verb::Look) || parts.contains(&Part::Head));
        if is_head_up {
            ways.push(Way::Up);
        }
        let looks = verb == Some(Verb::Look) || verb.is_none() && self.verb == Some(Verb::Look);
        let up_down = clause.up_down && !looks;
        if clause.up_down && looks {
            ways.extend([Way::Up, Way::Down]);
        }
        ways.retain(|way| {
            *way != Way::Back
                || clause.verb.is_some_and(|verb| verb == Verb::Lean)
                || self.back_is_direction(clause)
        });
        let verb = match verb.filter(|verb| verb.is_motion()) {
            Some(verb) => verb,
            None if is_with || clause.upright || self.verb.is_none_or(|verb| !verb.is_motion()) => Verb::Move,
            None if !parts.is_empty() && !self.verb.is_some_and(Verb::is_oscillation) => Verb::Move,
            None if !parts.is_empty() && !self.is_same_family(&parts) => Verb::Move,
            None => self.verb.unwrap_or(Verb::Move),
        };
        // "By the angle I give, to the right": the direction of the action before.
        if inherits
            && parts.is_empty()
            && self.link.is_none()
            && clause.link == Some(Link::Comma)
            && !ways.is_empty()
            && self.share_way(ways.first().copied())
        {
            if let Some(action) = self.latest.last().and_then(|at| self.reading.actions.get_mut(*at)) {
                action.notes.push((index, Feature::Motion));
            }
            self.modify(index, clause);
            return true;
        }
        // "Left and right three times" continues the clause before.
        if inherits
            && parts.is_empty()
            && clause.link == Some(Link::And)
            && self.link.is_none()
            && self.join_way(index, clause, verb, &ways)
        {
            return true;
        }
        if inherits && clause.link == Some(Link::And) && self.link.is_none() && !parts.is_empty() {
            self.share_way(ways.first().copied());
        }
        // "Turns its body, then it looks up": the robot looks, and not its body.
        let is_of_part = inherits || clause.it && verb != Verb::Look;
        let parts = if parts.is_empty() && is_of_part { self.parts.clone() } else { parts };
        let parts = self.inherited(verb, parts);
        let kind = Kind {
            is_shift: clause.size.is_some_and(|(_, is_shift)| is_shift),
            is_angle: clause.size.is_some_and(|(_, is_shift)| !is_shift)
                || clause.roles.contains(&Role::Degrees),
        };
        let goes_both_ways = clause.back_forth || up_down;
        let all = |parts: &[Part]| {
            let mut wanted = Vec::new();
            if ways.is_empty() || goes_both_ways {
                let way = up_down.then_some(Way::Up).filter(|_| !matches!(verb, Verb::Nod));
                let mut found = targets(verb, parts, way, kind);
                if goes_both_ways {
                    found.iter_mut().flatten().for_each(|aim| aim.direction = None);
                }
                wanted.extend(found);
            }
            for way in &ways {
                wanted.extend(targets(verb, parts, Some(*way), kind));
            }
            wanted
        };
        let mut wanted = all(&parts);
        // "Three flaps, a pause, three flaps": of the same part.
        let same = self.reading.actions.iter().rev().find(|action| action.verb == verb);
        if let Some(same) = same.filter(|_| parts.is_empty() && ways.is_empty() && !goes_both_ways) {
            wanted.clone_from(&same.targets);
        }
        let mut parts = parts;
        // "After it has looked up": the pronoun means the robot.
        if wanted.is_empty() && clause.parts.is_empty() && clause.it {
            parts.clear();
            wanted = all(&parts);
        }
        // "Look right, and before looking to the right look left": it was told already, and only says when.
        let is_when = matches!(clause.link, Some(Link::Before | Link::After));
        let is_plain = clause.count.or(clause.bare).is_none()
            && clause.size.is_none()
            && clause.seconds.is_none()
            && !clause.another;
        // A bow is no nod, though both move the head down.
        let differs = |one: Verb| one != verb && (one == Verb::Bow || verb == Verb::Bow);
        let is_told = |action: &Action| !differs(action.verb) && action.targets == wanted;
        let told = self.reading.actions.iter().rposition(is_told);
        if let Some(told) = told.filter(|_| is_when && is_plain && !clause.again && !wanted.is_empty()) {
            if let Some(action) = self.reading.actions.get_mut(told) {
                action.notes.push((index, Feature::Motion));
            }
            self.latest = vec![told];
            self.link = Some(if clause.link == Some(Link::After) { Link::Then } else { Link::After });
            return true;
        }
        if wanted.is_empty() {
            self.reading.lost.push(index);
            return true;
        }
        if verb == Verb::Nod && ways.contains(&Way::Up) && ways.len() == 1 {
            wanted.iter_mut().flatten().for_each(|aim| aim.direction = Some(minismith_score::Direction::Up));
        }
        let is_upright = clause.upright && parts.iter().any(|part| matches!(part, Part::Ear(_)));
        if is_upright {
            wanted.retain(|target| {
                target.iter().all(|aim| minismith_score::Axis::ANTENNAS.contains(&aim.axis))
            });
            wanted
                .iter_mut()
                .flatten()
                .for_each(|aim| aim.direction = Some(minismith_score::Direction::Outward));
        }
        self.verb = Some(verb);
        let has_default_part = parts.is_empty();
        self.ear_is_up = ways == [Way::Up] || matches!(verb, Verb::Raise | Verb::Stretch) && ways.is_empty();
        self.parts = parts;
        let mut action = Action::new(index, verb, wanted, 0);
        action.has_default_part = has_default_part;
        let follows_state = clause.link == Some(Link::And)
            && self.link.is_none()
            && verb == Verb::Move
            && self
                .latest
                .last()
                .and_then(|at| self.reading.actions.get(*at))
                .is_some_and(|last| last.is_state);
        action.is_state = is_with || follows_state;
        if is_upright {
            action.amount = Some((10.0, crate::meaning::Bound::About));
        }
        if let Some(holder) = self.holds_next.take()
            && clause.is_participle
        {
            action.notes.extend([(holder, Feature::Hold), (holder, Feature::Motion)]);
            action.hold = clause.seconds.map(|(seconds, _)| seconds);
            action.stays = action.hold.is_none();
            if let Some(role) = clause.roles.iter().find(|role| **role == Role::Seconds) {
                action.roles.push(*role);
            }
        }
        if clause.back_forth || up_down {
            action.verb = if verb.is_oscillation() { verb } else { Verb::Sway };
        }
        // "From left to right": the one and then the other.
        let is_path = clause.from
            && ways.len() == 2
            && !verb.is_oscillation()
            && clause.count.or(clause.bare).is_none()
            && !clause.several
            && !goes_both_ways;
        if let (true, [start, end]) = (is_path, ways.as_slice()) {
            action.targets = targets(verb, &self.parts, Some(*start), kind);
            let to = Action::new(index, verb, targets(verb, &self.parts, Some(*end), kind), 0);
            // "Within six seconds": the whole way, beside going there and coming back.
            let timed = clause.seconds.filter(|_| self.reading.actions.is_empty());
            if let Some((seconds, _)) = timed {
                let within = (0.2 * seconds).max(0.3);
                if clause.bound != Some(Bound::AtMost) {
                    self.reading.durations.push((index, Some((seconds - within).max(0.0)), None));
                }
                self.reading.durations.push((index, None, Some(seconds + within + 2.0)));
            }
            let start = Clause { seconds: clause.seconds.filter(|_| timed.is_none()), ..clause.clone() };
            self.push(index, &start, action);
            self.link = Some(Link::Then);
            let opening = self.opening.take();
            self.push(index, &Clause { verb: clause.verb, ..Clause::default() }, to);
            self.opening = opening;
            return true;
        }
        self.push(index, clause, action);
        true
    }

    /// A verb of another part than the last one has its own default part.
    fn inherited(&self, verb: Verb, parts: Vec<Part>) -> Vec<Part> {
        if verb == Verb::Move && parts.is_empty() { self.parts.clone() } else { parts }
    }

    /// Adds an action with its links to the ones before.
    fn push(&mut self, index: usize, clause: &Clause, mut action: Action) {
        let link = self.link.take().or(clause.link).unwrap_or(Link::Start);
        if !matches!(link, Link::And | Link::Comma | Link::With | Link::While | Link::But) {
            self.group += 1;
        }
        action.group = self.group;
        let waiting = std::mem::take(&mut self.waiting_clauses);
        action.notes.extend(waiting.into_iter().map(|clause| (clause, Feature::Motion)));
        action.is_reaction |= self.occasion_is_open;
        if link == Link::Colon {
            self.elaborate(&mut action);
        }
        let before = match link {
            // All that was joined without "then" comes before.
            Link::Then | Link::Before | Link::After => self.joined_before(),
            _ => self.latest.clone(),
        };
        if link == Link::Stop {
            self.comes_last = None;
            self.together_next = None;
        }
        let before: Vec<usize> =
            before.into_iter().filter(|one| Some(*one) != self.comes_last || link == Link::Comma).collect();
        let at = self.reading.actions.len();
        if let Some(last) = self.comes_last {
            self.reading.order.push((at, last, index));
        }
        self.reading.actions.push(action);
        self.latest = vec![at];
        self.fill(index, clause, at);
        let is_opening = before.is_empty();
        match link {
            Link::While | Link::Before | Link::After if is_opening => self.opening = Some((link, index)),
            Link::While => self.pair(&before, at, index, true),
            Link::With => self.pair(&before, at, index, true),
            Link::Then | Link::Before => self.pair(&before, at, index, false),
            Link::After => {
                for one in &before {
                    self.reading.order.push((at, *one, index));
                }
                self.last.retain(|last| !before.contains(last));
            }
            Link::Comma | Link::And | Link::Colon if self.together_next.is_some() => {
                let clause = self.together_next.unwrap_or(index);
                self.pair(&before, at, clause, true);
            }
            // Sentences are told in their order; commas leave it open unless the same axis moves.
            Link::Stop if !is_opening && self.opening.is_none() && !clause.together => {
                self.reading.loose.push(index);
                self.pair(&before, at, index, false);
            }
            Link::Comma
                if !is_opening
                    && self.opening.is_none()
                    && !clause.together
                    && self.shares_axis(&before, at) =>
            {
                self.reading.loose.push(index);
                self.pair(&before, at, index, false);
            }
            _ => {}
        }
        if let Some((link, opener)) = self.opening
            && !is_opening
        {
            match link {
                Link::While => self.pair(&before, at, opener, true),
                Link::Before => {
                    let last = before.first().copied().unwrap_or(0);
                    self.reading.order.push((at, last, opener));
                    self.comes_last = Some(last);
                }
                _ => self.pair(&before, at, opener, false),
            }
            self.opening = None;
        }
        match self.place_next.take() {
            Some(true) => self.first.push(at),
            Some(false) => self.last.push(at),
            None => {}
        }
    }

    /// "It bows: lean the head down ...": what follows a colon tells what the action before it is.
    fn elaborate(&mut self, action: &mut Action) {
        let [only] = self.reading.actions.as_slice() else { return };
        let features = [Feature::Motion, Feature::Tempo];
        action.notes.extend(features.map(|feature| (only.clause, feature)));
        action.notes.extend(only.notes.iter().copied());
        action.period = action.period.or(only.period);
        action.change = action.change.or(only.change);
        self.reading.actions.clear();
        self.reading.order.clear();
        self.reading.together.clear();
        self.latest.clear();
    }
}
