//! Corrections of a tool that was just made: "slower", "only twice", "and then bow", "but with the other antenna".

use std::collections::BTreeSet;

use minismith_score::{Axis, Direction, Number, Parameter, Score, Step, Target};

use crate::act::axes_of;
use crate::clause::{Clause, Link, split};
use crate::compose::{Composed, Outcome, does_something, name_of, plan, within_limits};
use crate::emit::{limit_sentence, maximum_of, moves, tidy, uses};
use crate::guard::{Refusal, refuse};
use crate::library::NoLibrary;
use crate::tag::{Dir, Manner, PartRef, Shape, Tag, Unit};
use crate::tagger::tag;
use crate::words::split as split_words;

mod edit;
mod more;

use edit::{
    double, each_move, each_wait, is_return, joined, mirrored_words, neutral_of, removals, remove,
    remove_gesture, remove_sounds, repeats, scale, swap_sides, swap_up_and_down,
};

/// Changes a tool as a person asks.
#[must_use]
pub fn modify(score: &Score, request: &str) -> Composed {
    let mut editor =
        Editor { score: score.clone(), notes: Vec::new(), missing: Vec::new(), is_changed: false };
    let result = editor.request(request).and_then(|()| {
        if !editor.is_changed {
            return Err((
                "the correction says nothing that this tool can change".to_owned(),
                "say, for example: slower, only twice, bigger, and then bow, or without the nod".to_owned(),
            ));
        }
        if !does_something(&editor.score.steps) {
            return Err((
                "nothing would be left of the tool".to_owned(),
                "say what the tool should do instead".to_owned(),
            ));
        }
        let steps = &editor.score.steps;
        editor.score.parameters.retain(|parameter| parameter.name == "speed" || uses(steps, &parameter.name));
        within_limits(editor.score.clone())
    });
    match result {
        Ok(changed) => Composed {
            name: changed.name.clone(),
            outcome: Outcome::Score(changed),
            notes: editor.notes,
            not_understood: editor.missing,
        },
        Err(refusal) => Composed {
            name: score.name.clone(),
            not_understood: editor.missing,
            ..Composed::declined(refusal)
        },
    }
}

/// A factor beyond all limits.
const AS_FAR_AS_POSSIBLE: f64 = 10.0;

struct Editor {
    score: Score,
    notes: Vec<String>,
    missing: Vec<(String, std::ops::Range<usize>)>,
    is_changed: bool,
}

impl Editor {
    fn request(&mut self, request: &str) -> Result<(), Refusal> {
        if request.chars().count() > crate::guard::MAX_CHARACTERS {
            return refuse(request, &[]).map_or(Ok(()), Err);
        }
        let words = split_words(request);
        if let Some(refusal) = refuse(request, &words) {
            return Err(refusal);
        }
        let first: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let naming = first.iter().position(|word| matches!(*word, "call" | "rename" | "name"));
        if let Some(at) = naming.filter(|at| *at < 3) {
            let skip = ["it", "this", "that", "to", "the", "tool", "as", "him", "her"];
            let name: Vec<String> = words
                .iter()
                .skip(at + 1)
                .filter(|word| word.is_word && !skip.contains(&word.text.as_str()))
                .take(6)
                .map(|word| word.text.clone())
                .collect();
            if !name.is_empty() {
                self.score.name = name_of(&name);
                self.is_changed = true;
                return Ok(());
            }
        }
        let words = removals(words);
        for clause in split(tag(&words, &[])) {
            self.clause(&clause, request)?;
        }
        Ok(())
    }

    fn clause(&mut self, clause: &Clause, request: &str) -> Result<(), Refusal> {
        let has = |wanted: fn(&Tag) -> bool| clause.has(wanted);
        let is_motion = has(|tag| {
            matches!(
                tag,
                Tag::Verb(_)
                    | Tag::Feeling(_)
                    | Tag::Sound
                    | Tag::Photo
                    | Tag::Play(_)
                    | Tag::Dance
                    | Tag::Circle
            )
        });
        let is_light = clause.tags.iter().all(|tagged| match &tagged.tag {
            Tag::Verb(verb) => verb.shape == Shape::Go && verb.mode == crate::tag::Mode::Move,
            Tag::Feeling(_) | Tag::Sound | Tag::Photo | Tag::Play(_) | Tag::Dance | Tag::Circle => false,
            _ => true,
        });
        for tagged in &clause.tags {
            match &tagged.tag {
                Tag::Impossible(reason) => {
                    return Err(((*reason).to_owned(), "ask for something else".to_owned()));
                }
                Tag::Unknown | Tag::Cannot(_) => {
                    self.missing.push((
                        request.get(tagged.span.clone()).unwrap_or("").to_owned(),
                        tagged.span.clone(),
                    ));
                }
                _ => {}
            }
        }
        // "The left antenna rather than the right one": only the first of the two counts.
        let denied = clause.tags.iter().position(|tagged| matches!(tagged.tag, Tag::Without));
        let is_place = |tagged: &crate::tag::Tagged| {
            matches!(tagged.tag, Tag::Part(_) | Tag::Dir(_) | Tag::Count(_) | Tag::Amount(..))
        };
        if let Some(at) = denied.filter(|at| *at > 0)
            && self.replace(clause, at, request)?
        {
            self.is_changed = true;
            return Ok(());
        }
        if let Some(at) = denied
            && clause.tags.iter().take(at).any(is_place)
            && clause.tags.iter().skip(at).any(is_place)
        {
            let kept = Clause { tags: clause.tags.get(..at).unwrap_or(&[]).to_vec(), ..clause.clone() };
            return self.clause(&kept, request);
        }
        if has(|tag| matches!(tag, Tag::Without)) && has(|tag| matches!(tag, Tag::Return | Tag::Home)) {
            self.is_changed |= self.stay();
            return Ok(());
        }
        if denied.is_none()
            && has(|tag| matches!(tag, Tag::Still))
            && has(|tag| matches!(tag, Tag::Part(_)))
            && self.keep_still(clause)
        {
            self.is_changed = true;
            return Ok(());
        }
        if has(|tag| matches!(tag, Tag::Without)) && (is_motion || has(|tag| matches!(tag, Tag::Part(_)))) {
            return self.leave_out(clause, request);
        }
        if has(|tag| matches!(tag, Tag::Condition(..)))
            || (is_motion && !is_light && !self.is_about_own(clause, request))
        {
            return self.add(clause, request);
        }
        // "Make the pause longer".
        let is_pause = has(|tag| matches!(tag, Tag::Pause)) && more::seconds_in(clause).is_none();
        if is_pause && !has(|tag| matches!(tag, Tag::Count(_))) {
            let has_word = |words: &[&str]| {
                request
                    .to_lowercase()
                    .split(|letter: char| !letter.is_alphanumeric())
                    .any(|word| words.contains(&word))
            };
            if has_word(&["longer", "lengthen", "extend", "increase", "long"]) {
                self.is_changed |= each_wait(&mut self.score.steps, 1.5);
                return Ok(());
            }
            if has_word(&["shorter", "shorten", "reduce", "decrease", "cut", "short"]) {
                self.is_changed |= each_wait(&mut self.score.steps, 0.6);
                return Ok(());
            }
        }
        let mut done = false;
        let parts: Vec<PartRef> = clause
            .tags
            .iter()
            .filter_map(|tagged| match tagged.tag {
                Tag::Part(part) => Some(part),
                _ => None,
            })
            .collect();
        for tagged in &clause.tags {
            done |= match &tagged.tag {
                Tag::Manner(Manner::Pace(factor)) => self.pace(*factor),
                Tag::Manner(Manner::Further(factor)) => self.size(*factor)?,
                Tag::Manner(Manner::Size(factor)) => self.size(if *factor < 1.0 { 0.6 } else { 1.5 })?,
                Tag::Manner(Manner::Full) => self.size(AS_FAR_AS_POSSIBLE)?,
                Tag::Count(count) => self.times(
                    *count,
                    has(|tag| matches!(tag, Tag::RepeatAll)),
                    has(|tag| matches!(tag, Tag::Only)),
                )?,
                Tag::Number(value) if value.fract() == 0.0 && (1.0..=50.0).contains(value) => {
                    self.times(*value as u32, false, false)?
                }
                Tag::Amount(value, Unit::Seconds) if has(|tag| matches!(tag, Tag::Between)) => {
                    self.wait_between(*value)
                }
                Tag::Amount(value, Unit::Seconds) => self.lasts(clause, *value),
                Tag::Between if is_pause => self.wait_between(0.7),
                Tag::Amount(value, unit) => self.set_size(*value, *unit)?,
                Tag::StayThere => self.stay(),
                Tag::Part(PartRef::Other | PartRef::OtherSide) => {
                    self.mirror();
                    true
                }
                Tag::Return | Tag::Home if !has(|tag| matches!(tag, Tag::Part(PartRef::OtherSide))) => {
                    self.return_at_end()
                }
                Tag::Grow(crate::tag::Growth::Slower) => self.pace(1.5),
                Tag::Grow(crate::tag::Growth::Faster) => self.pace(0.7),
                Tag::Grow(crate::tag::Growth::Bigger) => self.size(1.5)?,
                Tag::Grow(crate::tag::Growth::Smaller) => self.size(0.65)?,
                _ => false,
            };
        }
        let dirs: Vec<Dir> = clause
            .tags
            .iter()
            .filter_map(|tagged| match tagged.tag {
                Tag::Dir(dir @ (Dir::Left | Dir::Right)) => Some(dir),
                _ => None,
            })
            .collect();
        if !done || has(|tag| matches!(tag, Tag::Only)) || parts.contains(&PartRef::BothAntennas) {
            done |= self.side(&parts, &dirs);
        }
        // "And let the ears go out at the same time."
        let says_where = has(|tag| matches!(tag, Tag::Part(_))) && has(|tag| matches!(tag, Tag::Dir(_)));
        let is_beside =
            matches!(clause.link, Link::With | Link::While) || has(|tag| matches!(tag, Tag::Same));
        if !done && says_where && (is_beside || has(|tag| matches!(tag, Tag::Verb(_)))) {
            return self.add(clause, request);
        }
        if !done && has(|tag| matches!(tag, Tag::Same)) && self.score.steps.len() > 1 {
            done = self.at_once()?;
        }
        if !done && has(|tag| matches!(tag, Tag::Again | Tag::OnceMore)) {
            done = self.times(2, true, false)?;
        }
        self.is_changed |= done;
        Ok(())
    }

    /// Returns whether a clause names a motion only to say how: "the nod slower", "nod three times".
    fn is_about_own(&self, clause: &Clause, request: &str) -> bool {
        let says_how = clause.has(|tag| {
            matches!(
                tag,
                Tag::Manner(_)
                    | Tag::Count(_)
                    | Tag::Grow(_)
                    | Tag::Number(_)
                    | Tag::Amount(..)
                    | Tag::Between
            )
        });
        let adds = matches!(clause.link, Link::Then | Link::Before | Link::After | Link::While | Link::With)
            || clause.has(|tag| {
                matches!(
                    tag,
                    Tag::First | Tag::Last | Tag::Same | Tag::Again | Tag::OnceMore | Tag::Throughout
                )
            });
        let own = clause.tags.iter().any(|tagged| match &tagged.tag {
            Tag::Verb(verb) => self.score.summary.to_lowercase().contains(verb.name()),
            _ => false,
        });
        (says_how || request.to_lowercase().contains("instead")) && !adds && own
    }

    /// The steps of a clause that names motions of its own.
    fn part(&mut self, clause: &Clause, request: &str) -> Result<Vec<Step>, Refusal> {
        let start = clause.tags.first().map_or(0, |tagged| tagged.span.start);
        let end = clause.tags.last().map_or(0, |tagged| tagged.span.end);
        let text = request.get(start..end).unwrap_or("");
        let mut plan = plan(text, &NoLibrary, &mut Vec::new())?;
        if !plan.keeps {
            let end = plan.emitter.end_return(&plan.steps);
            plan.steps.extend(end);
        }
        for parameter in plan.emitter.parameters {
            if !self.score.parameters.iter().any(|known| known.name == parameter.name) {
                self.score.parameters.push(parameter);
            }
        }
        self.score.summary = joined(&self.score.summary, &crate::compose::summary(&plan.nodes), clause);
        Ok(plan.steps)
    }

    fn add(&mut self, clause: &Clause, request: &str) -> Result<(), Refusal> {
        // "The flick before the nod": both are in the tool already, so nothing is added.
        let own = |tagged: &crate::tag::Tagged| matches!(&tagged.tag, Tag::Verb(verb) if self.score.summary.to_lowercase().contains(verb.name()));
        let lower = request.to_lowercase();
        let is_order = [" before the ", " after the "].iter().any(|word| lower.contains(word))
            && ["do the ", "put the ", "move the ", "have the "].iter().any(|word| lower.contains(word));
        if is_order && clause.tags.iter().any(own) {
            return Err((
                "the order of what a tool does already is not changed".to_owned(),
                "say the whole tool in the new order".to_owned(),
            ));
        }
        let is_own = clause.tags.iter().any(own);
        let mut steps = self.part(clause, request)?;
        // "Nod first", of a tool that nods last.
        if is_own && clause.has(|tag| matches!(tag, Tag::First)) {
            remove_gesture(&mut self.score.steps, &steps);
        }
        let has = |wanted: fn(&Tag) -> bool| clause.has(wanted);
        let own = std::mem::take(&mut self.score.steps);
        let is_beside = clause.link == Link::While
            || clause.link == Link::With
            || has(|tag| matches!(tag, Tag::Same | Tag::Throughout));
        if is_beside {
            let axis = Axis::ALL.into_iter().find(|axis| moves(&own, *axis) && moves(&steps, *axis));
            if let Some(axis) = axis {
                return Err((
                    format!("the tool moves the {} already, so both cannot be done at once", axis.title()),
                    "let it follow: and then ...".to_owned(),
                ));
            }
            self.score.steps = vec![Step::Together(vec![Step::Sequence(own), Step::Sequence(steps)])];
        } else if clause.link == Link::Before
            || has(|tag| matches!(tag, Tag::First | Tag::Prior | Tag::PriorAll))
        {
            steps.extend(own);
            self.score.steps = steps;
        } else {
            self.score.steps = own;
            self.score.steps.extend(steps);
        }
        self.is_changed = true;
        Ok(())
    }

    fn leave_out(&mut self, clause: &Clause, request: &str) -> Result<(), Refusal> {
        let at = clause.tags.iter().position(|tagged| matches!(tagged.tag, Tag::Without)).unwrap_or(0);
        let denied = Clause { tags: clause.tags.get(at + 1..).unwrap_or(&[]).to_vec(), ..clause.clone() };
        let mut axes: BTreeSet<Axis> = BTreeSet::new();
        if denied.has(|tag| matches!(tag, Tag::Sound)) {
            remove_sounds(&mut self.score.steps);
            self.is_changed = true;
            return Ok(());
        }
        if denied.has(|tag| matches!(tag, Tag::Verb(_) | Tag::Feeling(_))) {
            let summary = self.score.summary.clone();
            let steps = self.part(&denied, request)?;
            self.score.summary = summary;
            if remove_gesture(&mut self.score.steps, &steps) {
                self.is_changed = true;
                return Ok(());
            }
            axes.extend(Axis::ALL.into_iter().filter(|axis| moves(&steps, *axis)));
        } else {
            for tagged in &denied.tags {
                if let Tag::Part(part) = tagged.tag {
                    axes.extend(axes_of(part));
                }
            }
        }
        if !axes.iter().any(|axis| moves(&self.score.steps, *axis)) {
            if self.is_changed {
                return Ok(());
            }
            return Err((
                "the tool does not do that".to_owned(),
                "say which of its motions to leave out".to_owned(),
            ));
        }
        remove(&mut self.score.steps, &axes);
        self.is_changed = true;
        Ok(())
    }

    fn pace(&mut self, factor: f64) -> bool {
        if !Axis::ALL.iter().any(|axis| moves(&self.score.steps, *axis)) {
            return false;
        }
        if !self.score.parameters.iter().any(|parameter| parameter.name == "speed") {
            self.score.parameters.push(Parameter::speed());
        }
        if let Some(speed) = self.score.parameters.iter_mut().find(|parameter| parameter.name == "speed") {
            speed.default = tidy((speed.default / factor).clamp(0.2, 3.0));
            speed.low = speed.low.min(tidy(speed.default * 0.6)).max(0.1);
            speed.high = speed.high.max(tidy(speed.default * 1.4)).min(4.0);
        }
        true
    }

    fn times(&mut self, count: u32, is_all: bool, is_only: bool) -> Result<bool, Refusal> {
        if !(1..=50).contains(&count) {
            return Err((
                format!("a tool repeats 1 to 50 times, and {count} were asked for"),
                "ask for another number".to_owned(),
            ));
        }
        let mut found = Vec::new();
        repeats(&mut self.score.steps, &mut found);
        found.retain(|times| matches!(times, Number::Value(_)));
        if let Some(times) = self.score.parameters.iter_mut().find(|parameter| parameter.name == "times") {
            // Where the tool does all of it once by default, a count that a person says is that of the motion inside.
            let is_inside = times.default == 1.0 && !is_all && (found.len() == 1 || is_only);
            if is_inside && !found.is_empty() {
                found.into_iter().for_each(|times| *times = Number::Value(f64::from(count)));
                return Ok(true);
            }
            times.high = times.high.max(f64::from(count));
            times.default = f64::from(count);
            return Ok(true);
        }
        if let [only] = found.as_mut_slice()
            && !is_all
        {
            **only = Number::Value(f64::from(count));
            return Ok(true);
        }
        if found.len() > 1 && is_only {
            found.into_iter().for_each(|times| *times = Number::Value(f64::from(count)));
            return Ok(true);
        }
        let steps = std::mem::take(&mut self.score.steps);
        self.score.steps = vec![Step::Repeat { times: Number::Parameter("times".to_owned()), steps }];
        let high = f64::from(count.max(10));
        self.score
            .parameters
            .insert(0, Parameter { default: f64::from(count), high, ..Parameter::times(10) });
        Ok(true)
    }

    fn size(&mut self, factor: f64) -> Result<bool, Refusal> {
        let mut is_limited = false;
        let mut limit = None;
        let is_changed = each_move(&mut self.score.steps, &mut |target, number| {
            let was_limited = std::mem::take(&mut is_limited);
            let is_changed = scale(target, number, factor, &mut is_limited);
            if is_limited {
                limit = Some((limit_sentence(target), format!("ask for at most {}", maximum_of(target))));
            }
            is_limited |= was_limited;
            is_changed
        });
        // "Twice as high" says how high, "bigger" does not.
        if let Some(limit) = limit.filter(|_| (2.0..AS_FAR_AS_POSSIBLE).contains(&factor)) {
            return Err(limit);
        }
        if is_limited {
            self.notes.push("the motion goes as far as the robot can".to_owned());
        }
        Ok(is_changed)
    }

    /// Sets the size of the one motion that the tool has in this unit.
    fn set_size(&mut self, value: f64, unit: Unit) -> Result<bool, Refusal> {
        let is_shift = unit == Unit::Millimetres;
        let fits = |target: &Target| target.axes().iter().all(|axis| axis.is_shift() == is_shift);
        let mut refused = None;
        let is_changed = each_move(&mut self.score.steps, &mut |target, number| {
            let rest = neutral_of(target);
            match number {
                Number::Value(old) if fits(&target) && (*old - rest).abs() > 1e-9 && *old > 0.0 => {
                    let maximum = maximum_of(target);
                    if value > maximum {
                        refused = Some((limit_sentence(target), format!("ask for at most {maximum}")));
                    }
                    *number = Number::Value(tidy((value + rest).min(maximum)));
                    true
                }
                _ => false,
            }
        });
        refused.map_or(Ok(is_changed), Err)
    }

    fn wait_between(&mut self, seconds: f64) -> bool {
        let seconds = tidy(seconds.clamp(0.0, 60.0));
        for step in &mut self.score.steps {
            if let Step::Repeat { steps, .. } = step {
                steps.push(Step::Wait(Number::Value(seconds)));
                return true;
            }
        }
        false
    }

    /// Leaves out the way back at the end.
    fn stay(&mut self) -> bool {
        let is_back = |step: &Step| match step {
            Step::Neutral { .. } => true,
            Step::Move(movement) => is_return(movement),
            Step::Together(tracks) => {
                tracks.iter().all(|track| matches!(track, Step::Move(movement) if is_return(movement)))
            }
            _ => false,
        };
        let is_last = self.score.steps.last().is_some_and(is_back);
        if is_last {
            self.score.steps.pop();
        }
        is_last
    }

    fn return_at_end(&mut self) -> bool {
        if self.score.steps.last().is_some_and(|step| matches!(step, Step::Neutral { .. })) {
            return false;
        }
        self.score.steps.push(Step::Neutral { seconds: None, easing: None });
        true
    }

    fn mirror(&mut self) {
        let is_lateral = [
            Axis::HeadTurn,
            Axis::HeadTilt,
            Axis::HeadSide,
            Axis::BodyTurn,
            Axis::AntennaLeft,
            Axis::AntennaRight,
        ]
        .iter()
        .any(|axis| moves(&self.score.steps, *axis));
        if is_lateral {
            swap_sides(&mut self.score.steps);
            self.score.summary = mirrored_words(&self.score.summary);
        } else {
            swap_up_and_down(&mut self.score.steps);
            self.notes.push("the other way round is taken as up instead of down".to_owned());
        }
    }

    /// "just the right one", "on the left": one antenna, or the other side.
    fn side(&mut self, parts: &[PartRef], dirs: &[Dir]) -> bool {
        let steps = &mut self.score.steps;
        let (moves_left, moves_right) = (moves(steps, Axis::AntennaLeft), moves(steps, Axis::AntennaRight));
        let wanted = parts.iter().find_map(|part| match part {
            PartRef::LeftAntenna | PartRef::LeftOne => Some(Dir::Left),
            PartRef::RightAntenna | PartRef::RightOne => Some(Dir::Right),
            _ => None,
        });
        if parts.contains(&PartRef::BothAntennas) && moves_left != moves_right {
            return double(steps);
        }
        if let Some(wanted) = wanted.or(dirs.first().copied().filter(|_| moves_left && moves_right)) {
            if moves_left && moves_right {
                let other = if wanted == Dir::Left { Axis::AntennaRight } else { Axis::AntennaLeft };
                remove(steps, &BTreeSet::from([other]));
                return true;
            }
            let is_there = if wanted == Dir::Left { moves_left } else { moves_right };
            if !is_there && (moves_left || moves_right) {
                self.mirror();
                return true;
            }
            return is_there;
        }
        if let [dir] = dirs {
            let direction = if *dir == Dir::Left { Direction::Left } else { Direction::Right };
            let other = if *dir == Dir::Left { Direction::Right } else { Direction::Left };
            let goes = |direction: Direction| {
                let mut found = false;
                each_move(&mut steps.clone(), &mut |target, number| {
                    found |= target.direction() == direction
                        && !matches!(number, Number::Value(value) if *value == 0.0);
                    false
                });
                found
            };
            if goes(other) && !goes(direction) {
                self.mirror();
                return true;
            }
        }
        false
    }
}
