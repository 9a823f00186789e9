//! Reads clauses as items of a plan: what each of them does, and to what it is linked.

use std::ops::Range;

use minismith_score::{Axis, Event, Step};

use crate::act::{Act, Amount, Node, is_antenna};
use crate::clause::{Clause, Link};
use crate::guard::Refusal;
use crate::tag::{Dir, Manner, Mode, PartRef, Shape, Tag, Tagged, Trigger, Verb};

mod back;
mod ellipsis;
mod in_all;
mod modifiers;
mod named;
mod parts;
mod still;

use modifiers::{Modifiers, apply, dirs_in};

/// What a clause became.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are nodes")]
pub(crate) enum What {
    Node(Node),
    /// A condition; whether it follows what it rules.
    Condition {
        trigger: Trigger,
        event: Event,
        seconds: Option<Amount>,
        is_trailing: bool,
    },
    /// All before is repeated.
    RepeatAll {
        count: u32,
        is_set: bool,
        pause: Option<f64>,
    },
    /// All that follows is repeated.
    RepeatNext {
        count: u32,
    },
}

/// What a clause became, with its place among the others.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub what: What,
    pub link: Link,
    /// The number of its sentence; a colon begins one, too.
    pub sentence: usize,
    pub goes_first: bool,
    pub goes_last: bool,
    /// Whether it comes before what was said last.
    pub goes_prior: bool,
    /// Whether it comes before all that was said.
    pub goes_to_start: bool,
    pub is_same_time: bool,
    pub is_throughout: bool,
    /// Whether the sentence ends with a colon: a heading, which details replace.
    pub is_heading: bool,
}

/// A library entry, as far as a clause can be served by it.
pub(crate) struct KnownSteps {
    pub name: String,
    pub steps: Vec<Step>,
}

#[derive(Default)]
pub(crate) struct Built {
    pub items: Vec<Item>,
    pub not_understood: Vec<Range<usize>>,
    pub notes: Vec<String>,
    /// The axes that must not move, with their reason.
    pub still: Vec<Axis>,
    pub keeps: bool,
    /// Whether a clause only said how a parameter sets the tempo.
    pub has_speed: bool,
}

pub(crate) struct Builder<'a> {
    known: &'a [KnownSteps],
    pub built: Built,
    last: Option<Act>,
    tempo: Option<f64>,
    pending: Option<Modifiers>,
    pending_span: Option<Range<usize>>,
    sentence: usize,
    /// The parts that a heading named.
    parts: Vec<PartRef>,
    has_condition: bool,
    /// Whether "at the same time" was said of what follows.
    is_same_next: bool,
    /// Whether "before that" was said of what follows.
    is_prior_next: bool,
    is_start_next: bool,
    /// Whether "after nodding" was said of what follows, where the nod was told already.
    is_then_next: bool,
    /// The side that was named of a motion to both sides.
    told_side: Option<Dir>,
    /// "Both at once: ...": all of this sentence happens at the same time.
    is_same_sentence: bool,
    /// Whether several motions take turns, so a number counts them all.
    is_taking_turns: bool,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(known: &'a [KnownSteps]) -> Self {
        Builder {
            known,
            built: Built::default(),
            last: None,
            tempo: None,
            pending: None,
            pending_span: None,
            sentence: 0,
            parts: Vec::new(),
            has_condition: false,
            is_same_next: false,
            is_prior_next: false,
            is_start_next: false,
            is_then_next: false,
            told_side: None,
            is_same_sentence: false,
            is_taking_turns: false,
        }
    }

    /// Reads all clauses.
    pub(crate) fn clauses(&mut self, clauses: &[Clause]) -> Result<(), Refusal> {
        self.has_condition = clauses.iter().any(|clause| clause.has(|tag| matches!(tag, Tag::Condition(..))));
        let mut items_before = 0;
        for (at, clause) in clauses.iter().enumerate() {
            // "Look up, sigh by lowering the head": only the last clause is described.
            let is_means = matches!(clause.tags.first(), Some(Tagged { tag: Tag::Means, .. }));
            let is_retold = matches!(clause.tags.first(), Some(Tagged { tag: Tag::Retold, .. }));
            let described = Clause {
                link: clause.link,
                is_first: clause.is_first,
                tags: clause.tags.iter().skip(usize::from(is_means || is_retold)).cloned().collect(),
            };
            let clause = &described;
            if clause.is_first && clause.link != Link::Colon {
                self.is_same_sentence = false;
            }
            if clause.link == Link::Colon {
                self.is_same_sentence |= std::mem::take(&mut self.is_same_next);
                // "Nod, then sigh by lowering the head": only what stands behind "then".
                let is_own = at
                    .checked_sub(1)
                    .and_then(|at| clauses.get(at))
                    .is_some_and(|before| is_means || (before.link == Link::Then && !is_retold));
                let from = if is_own { items_before } else { 0 };
                for item in
                    self.built.items.iter_mut().skip(from).filter(|item| item.sentence == self.sentence)
                {
                    item.is_heading = true;
                }
            }
            // "...; simultaneously the head nods" belongs to the sentence before.
            let joins = clause.is_first
                && self.sentence > 0
                && clause.tags.len() > 1
                && matches!(clause.tags.first(), Some(Tagged { tag: Tag::Same | Tag::Throughout, .. }));
            let joined = Clause { link: Link::While, is_first: false, tags: clause.tags.clone() };
            let clause = if joins { &joined } else { clause };
            if clause.is_first {
                self.sentence += 1;
            }
            // "Three times in a row: ..."
            let is_before_colon = clauses.get(at + 1).is_some_and(|next| next.link == Link::Colon);
            // "Say hello by waving": the description tells how.
            let is_speech = |tagged: &Tagged| matches!(tagged.tag, Tag::Cannot("speak") | Tag::Pronoun);
            if is_before_colon && clause.tags.iter().all(is_speech) {
                continue;
            }
            if is_before_colon && let [Tagged { tag: Tag::Count(count), .. }] = clause.tags.as_slice() {
                self.push(clause, What::RepeatNext { count: *count });
                continue;
            }
            let before = self.built.items.len();
            items_before = before;
            // "Keep them out while you nod": the posture is reached first.
            let is_during_hold = clause.link == Link::While
                && !clause.is_first
                && at.checked_sub(1).and_then(|at| clauses.get(at)).is_some_and(|before| {
                    before.has(|tag| matches!(tag, Tag::Hold | Tag::StayThere))
                        && !before.has(|tag| matches!(tag, Tag::Verb(_) | Tag::Amount(..) | Tag::Still))
                })
                && clause.has(|tag| matches!(tag, Tag::Verb(_)))
                && matches!(
                    self.built.items.last(),
                    Some(Item { what: What::Node(Node::Act(act)), .. }) if act.is_go()
                );
            let during = Clause { link: Link::Then, is_first: false, tags: clause.tags.clone() };
            let clause = if is_during_hold { &during } else { clause };
            self.clause(clause)?;
            // "Shyness. Look down ...": a title, and then what it means.
            let is_title = clause.tags.iter().all(|tagged| match &tagged.tag {
                Tag::Feeling(_) => true,
                Tag::Verb(verb) => verb.mode == Mode::Look,
                _ => false,
            });
            // "A shrug with your feelers, both of them swing out".
            let is_announced = clause.link == Link::Comma
                && clause.has(|tag| matches!(tag, Tag::Verb(_) | Tag::Dir(_)))
                && clause.has(|tag| matches!(tag, Tag::Part(_)))
                && before == 1
                && matches!(
                    self.built.items.first(),
                    Some(Item { what: What::Node(Node::Raw { .. }), is_heading: false, .. })
                )
                && self.built.items.len() > before;
            if is_announced && let Some(first) = self.built.items.first_mut() {
                first.is_heading = true;
            }
            let ends_here = clauses.get(at + 1).is_some_and(|next| next.is_first);
            if is_title && ends_here && clause.is_first && clause.has(|tag| matches!(tag, Tag::Feeling(_))) {
                self.built.items.iter_mut().skip(before).for_each(|item| item.is_heading = true);
            }
            if self.pending.is_some()
                && let (Some(first), Some(last)) = (clause.tags.first(), clause.tags.last())
            {
                self.pending_span.get_or_insert(first.span.start..last.span.end);
            }
        }
        // With nothing after it, it was said of what stands before.
        if self.pending.take().is_some()
            && let Some(span) = self.pending_span.take()
        {
            self.unknown(span);
        }
        if std::mem::take(&mut self.is_same_next)
            && let Some(item) = self.built.items.last_mut()
        {
            item.is_same_time = true;
        }
        Ok(())
    }

    fn clause(&mut self, whole: &Clause) -> Result<(), Refusal> {
        let (clause, denied) = self.split_denied(whole);
        if let Some(denied) = denied {
            self.deny(&denied);
        }
        let clause = &clause;
        if clause.tags.is_empty() {
            return Ok(());
        }
        if let [Tagged { tag: tag @ (Tag::Prior | Tag::PriorAll), .. }] = clause.tags.as_slice() {
            self.is_start_next = matches!(tag, Tag::PriorAll);
            self.is_prior_next = !self.is_start_next;
            return Ok(());
        }
        for tagged in &clause.tags {
            match &tagged.tag {
                Tag::Impossible(reason) => {
                    let hint = "the head turns, tilts, nods and moves a little, the body turns, and the antennas swing";
                    return Err(((*reason).to_owned(), hint.to_owned()));
                }
                Tag::Cannot(_) if self.built.not_understood.contains(&tagged.span) => {}
                Tag::Cannot(what) => {
                    self.built.not_understood.push(tagged.span.clone());
                    self.built.notes.push(format!("a tool of this kind cannot {what}"));
                }
                Tag::Unknown => self.unknown(tagged.span.clone()),
                _ => {}
            }
        }
        let modifiers = self.modifiers(clause);
        let verb = clause.tags.iter().find_map(|tagged| match tagged.tag {
            Tag::Verb(verb) => Some(verb),
            _ => None,
        });
        let has = |wanted: fn(&Tag) -> bool| clause.has(wanted);
        let cannot = has(|tag| matches!(tag, Tag::Cannot(_)));
        if let Some(condition) = self.condition(clause) {
            return self.conditional(clause, condition, verb, &modifiers);
        }
        if self.in_all(clause, &modifiers, verb) {
            return Ok(());
        }
        // "Move the head back 10 mm and nothing else".
        let is_whole = verb.is_some() && has(|tag| matches!(tag, Tag::Dir(_) | Tag::Amount(..)));
        if has(|tag| matches!(tag, Tag::NothingElse)) && !is_whole {
            if let Some(seconds) = modifiers.hold.or(modifiers.total).filter(|_| verb.is_none()) {
                self.push(clause, What::Node(Node::Pause(seconds)));
            }
            return Ok(());
        }
        if self.keeps_straight(clause, verb) {
            return Ok(());
        }
        if has(|tag| matches!(tag, Tag::Still)) && verb.is_none_or(|verb| verb.mode == Mode::Move) {
            self.still(clause, &modifiers);
            return Ok(());
        }
        let is_again = has(|tag| matches!(tag, Tag::Again | Tag::OnceMore));
        if has(|tag| matches!(tag, Tag::RepeatAll))
            && verb.is_none()
            // "Two times the same to the left".
            && !has(|tag| matches!(tag, Tag::Dir(_)))
            && (modifiers.count.is_some() || modifiers.is_count_set || is_again)
        {
            // "The same twice more".
            let more = u32::from(is_again);
            let count = modifiers.count.map_or(2, |count| count + more);
            // "Tilt and back takes half a second; do this ten times": its rounds are counted.
            if let [Item { what: What::Node(Node::Act(act)), .. }] = self.built.items.as_mut_slice()
                && act.count.is_none()
                && act.period.is_some()
            {
                act.count = Some(count);
                return Ok(());
            }
            let has_items = self.built.items.iter().any(|item| matches!(item.what, What::Node(_)));
            let what = if has_items {
                What::RepeatAll { count, is_set: modifiers.is_count_set, pause: modifiers.between }
            } else {
                What::RepeatNext { count }
            };
            self.push(clause, what);
            return Ok(());
        }
        if self.named(clause, &modifiers) {
            return Ok(());
        }
        if verb.is_none() && has(|tag| matches!(tag, Tag::Pause)) && !modifiers.is_between {
            let amount = modifiers.hold.or(modifiers.total).or(modifiers.stroke_seconds.map(Amount::Value));
            self.push(clause, What::Node(Node::Pause(amount.unwrap_or(Amount::Value(1.0)))));
            return Ok(());
        }
        let has_posture = verb.is_some()
            || (has(|tag| matches!(tag, Tag::Dir(_))) && has(|tag| matches!(tag, Tag::Part(_))));
        if verb.is_some() && has(|tag| matches!(tag, Tag::StayThere)) {
            self.built.keeps = true;
        } else if has(|tag| matches!(tag, Tag::StayThere))
            || (has(|tag| matches!(tag, Tag::Hold)) && !has_posture)
        {
            self.hold(clause, &modifiers);
            return Ok(());
        }
        if self.returns(clause, verb, &modifiers) {
            return Ok(());
        }
        if let Some(verb) = verb {
            // "Looks frobbly": what is not known is no look around.
            let is_vague = matches!(verb.mode, Mode::Look | Mode::Move)
                && clause.has(|tag| matches!(tag, Tag::Unknown))
                && !clause.has(|tag| matches!(tag, Tag::Dir(_) | Tag::Part(_)));
            if is_vague {
                return Ok(());
            }
            // A movement of nothing in particular, to nowhere.
            let is_empty = verb.mode == Mode::Move
                && verb.part.is_none()
                && modifiers.sizes.is_empty()
                && !clause.has(|tag| {
                    matches!(
                        tag,
                        Tag::Dir(_) | Tag::Part(_) | Tag::Return | Tag::Home | Tag::Pronoun | Tag::Hold
                    )
                });
            if is_empty {
                // "They get weaker and weaker" tells how.
                let tells_how =
                    clause.has(|tag| matches!(tag, Tag::Grow(_) | Tag::Manner(Manner::Further(_))));
                let verb = clause.tags.iter().find(|tagged| matches!(tagged.tag, Tag::Verb(_)) && !tells_how);
                if let Some(span) = verb.map(|tagged| tagged.span.clone()) {
                    self.unknown(span);
                }
                return self.elliptic_without_verb(clause, modifiers, cannot);
            }
            return self.act(clause, verb, modifiers);
        }
        self.elliptic(clause, modifiers, cannot)
    }

    fn unknown(&mut self, span: Range<usize>) {
        match self.built.not_understood.last_mut() {
            Some(last) if last.end + 1 >= span.start && span.start >= last.end => last.end = span.end,
            _ => self.built.not_understood.push(span),
        }
    }

    fn push(&mut self, clause: &Clause, what: What) {
        let has = |wanted: fn(&Tag) -> bool| clause.has(wanted);
        let follows = std::mem::take(&mut self.is_then_next);
        self.built.items.push(Item {
            what,
            link: if follows { Link::Then } else { clause.link },
            sentence: self.sentence,
            goes_first: has(|tag| matches!(tag, Tag::First)),
            goes_last: has(|tag| matches!(tag, Tag::Last)),
            goes_to_start: has(|tag| matches!(tag, Tag::PriorAll)) || std::mem::take(&mut self.is_start_next),
            goes_prior: has(|tag| matches!(tag, Tag::Prior)) || std::mem::take(&mut self.is_prior_next),
            is_same_time: has(|tag| matches!(tag, Tag::Same))
                || self.is_same_sentence
                || std::mem::take(&mut self.is_same_next),
            is_throughout: has(|tag| matches!(tag, Tag::Throughout)),
            is_heading: false,
        });
    }

    fn elliptic_without_verb(
        &mut self,
        clause: &Clause,
        modifiers: Modifiers,
        cannot: bool,
    ) -> Result<(), Refusal> {
        let mut rest = clause.clone();
        rest.tags.retain(|tagged| !matches!(tagged.tag, Tag::Verb(_)));
        if rest.tags.is_empty() || modifiers.is_empty() {
            return Ok(());
        }
        self.elliptic(&rest, modifiers, cannot)
    }

    fn act(&mut self, clause: &Clause, verb: &'static Verb, modifiers: Modifiers) -> Result<(), Refusal> {
        let parts = self.parts_in(clause);
        let dirs = dirs_in(clause);
        let is_new = clause.link == Link::Then
            || clause.has(|tag| matches!(tag, Tag::Again | Tag::OnceMore | Tag::First | Tag::Last));
        let repeats_last = self.last.as_ref().is_some_and(|last| last.verb.name() == verb.name())
            && parts.is_empty()
            && dirs.is_empty()
            && !is_new
            && !self.built.items.is_empty();
        let says_how = !modifiers.growth.is_empty()
            || modifiers.is_count_set
            || modifiers.size_role.is_some()
            || modifiers.rate.is_some()
            || modifiers.between.is_some()
            || clause.has(|tag| matches!(tag, Tag::Each | Tag::Between))
            // "bobs up and down, five bobs in total"
            || ((modifiers.count.is_some() || modifiers.factor.is_some() || modifiers.pace.is_some())
                && self.last.as_ref().is_some_and(|last| last.count.is_none() || modifiers.count.is_none())
                && matches!(self.built.items.last(), Some(Item { what: What::Node(Node::Act(_)), is_heading: false, .. }))
                && !matches!(clause.link, Link::And | Link::After | Link::Before));
        // "keeps it tilted", "holds the bow for three seconds"
        let is_held = clause.has(|tag| matches!(tag, Tag::Hold)) && dirs.is_empty() && parts.is_empty();
        if is_held && self.last.as_ref().is_some_and(|last| last.verb.name() == verb.name()) {
            if let Some(seconds) = modifiers.hold.or(modifiers.total)
                && let Some(Item { what: What::Node(Node::Act(act)), .. }) = self.built.items.last_mut()
            {
                act.hold = Some(seconds);
                return Ok(());
            }
            self.hold(clause, &modifiers);
            return Ok(());
        }
        if repeats_last && clause.link == Link::While {
            // "nods and, while nodding, turns": what follows runs beside it.
            self.is_same_next = true;
            return Ok(());
        }
        if repeats_last && says_how {
            return self.modify_last(&modifiers, clause.link);
        }
        // "Peeks to the left with just a tiny head turn": how the last motion is done.
        if clause.link == Link::With
            && dirs.is_empty()
            && modifiers.count.is_none()
            && verb.is_gesture_noun
            && verb.shape == Shape::Go
            && parts.iter().all(|part| *part == PartRef::Head)
            && let Some(last) = &self.last
            && verb.part.is_none_or(|part| part == PartRef::Head)
            && let mut noun = Act::new(verb)
            && {
                noun.parts = last.parts.clone();
                noun.dirs.clone_from(&last.dirs);
                noun.axes() == last.axes()
            }
        {
            return self.modify_last(&modifiers, clause.link);
        }
        self.is_taking_turns |=
            modifiers.is_alternating && verb.part == Some(PartRef::Head) && parts.is_empty();
        let mut act = Act::new(verb);
        if clause.has(|tag| matches!(tag, Tag::OnceMore)) {
            act.count = Some(1);
        }
        act.parts = if parts.is_empty() { self.default_parts(clause, verb, &dirs) } else { parts };
        act.dirs = dirs;
        // "One antenna goes out to the left": outwards on that side.
        if act.parts.iter().all(|part| is_antenna(*part))
            && act.dirs.contains(&Dir::Out)
            && let Some(side) = act.dirs.iter().copied().find(|dir| matches!(dir, Dir::Left | Dir::Right))
        {
            if act.parts.as_slice() == [PartRef::RightAntenna] && side == Dir::Left {
                act.parts = vec![PartRef::LeftAntenna];
            }
            act.dirs = vec![Dir::Out];
        }
        if clause.has(|tag| matches!(tag, Tag::Part(PartRef::OtherSide)))
            && let Some(last) = &self.last
        {
            act.dirs = last.dirs.iter().map(|dir| dir.opposite()).collect();
        }
        // "tilted left for two seconds", said of holding.
        if clause.has(|tag| matches!(tag, Tag::Hold)) && modifiers.hold.is_none() && modifiers.total.is_none()
        {
            self.built.keeps = true;
        }
        if clause.has(|tag| matches!(tag, Tag::Return)) && act.is_go() {
            act.is_back = true;
        }
        if let Some(pending) = self.pending.take() {
            apply(&mut act, &pending);
        }
        apply(&mut act, &modifiers);
        act.beat = act.beat.or(self.tempo);
        self.add(clause, act)
    }

    /// "Before looking to the right, look left": a motion that was told already only says when.
    fn is_mentioned(&self, clause: &Clause, act: &Act) -> bool {
        let is_same = |item: &Item| match &item.what {
            What::Node(Node::Act(other)) => {
                let is_named = act.dirs.is_empty() && clause.link == Link::After;
                other.verb.name() == act.verb.name()
                    && (other.parts == act.parts || is_named)
                    && (other.dirs == act.dirs || is_named)
            }
            _ => false,
        };
        matches!(clause.link, Link::Before | Link::After)
            && act.count.is_none()
            && act.size.is_none()
            && (self.built.items.last().is_some_and(is_same)
                // "Before you nod, turn; once you have nodded, turn back".
                || clause.link == Link::After
                    && (clause.is_first || act.dirs.is_empty())
                    && self.built.items.iter().any(is_same))
    }

    fn add(&mut self, clause: &Clause, act: Act) -> Result<(), Refusal> {
        let (shape, _) = act.course()?;
        if self.is_mentioned(clause, &act) {
            self.is_prior_next = clause.link == Link::Before;
            self.is_then_next = clause.link == Link::After && clause.is_first;
            return Ok(());
        }
        let is_alone = !self.built.items.iter().any(|item| item.sentence == self.sentence);
        let is_both_ways = shape == Shape::Sway && act.dirs.len() == 2 && clause.link != Link::With;
        let are_several = act.parts.len() > 1 || act.parts.as_slice() == [PartRef::BothAntennas];
        if is_both_ways && is_alone && !are_several && clause.has(|tag| matches!(tag, Tag::Same)) {
            return Err((
                "one part cannot go in two directions at the same moment".to_owned(),
                "say which comes first, for example: left and then right".to_owned(),
            ));
        }
        let is_posture = act.is_go();
        self.parts = act.parts.clone();
        self.last = Some(act.clone());
        if is_posture && matches!(clause.link, Link::Then | Link::Comma | Link::And | Link::Stop) {
            // What stays was said of an earlier posture.
            let says_so = clause.has(|tag| matches!(tag, Tag::Hold | Tag::StayThere));
            self.built.keeps &= says_so || clause.is_first;
        }
        self.push(clause, What::Node(Node::Act(act)));
        Ok(())
    }
}
