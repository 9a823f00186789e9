//! Groups the stretches of a request into clauses: one verb each, with what belongs to it.

use minismith_score::Event;

use crate::atoms::Atom;
use crate::lexicon::Verb;
use crate::meaning::{Bound, Change, Link, Meaning, PartName, Role, Trigger, Way};
use crate::tokens::Token;

/// Which antennas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ear {
    Left,
    Right,
    Both,
    /// One, and the person leaves open which.
    Any,
    /// The one that was not named before.
    Other,
}

/// A part of the robot with its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Head,
    Chin,
    Ear(Ear),
    Body,
    Everything,
}

/// How a time in seconds is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeUse {
    /// "For two seconds".
    For,
    /// "Over two seconds", "takes two seconds".
    Over,
    /// "Two seconds".
    Plain,
}

/// What one clause says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Clause {
    pub(crate) link: Option<Link>,
    /// The stretches that it consists of.
    pub(crate) atoms: Vec<usize>,
    pub(crate) parts: Vec<Part>,
    pub(crate) part_leads: bool,
    pub(crate) verb: Option<Verb>,
    pub(crate) is_participle: bool,
    /// A verb named as a noun: "between the nods", "each nod".
    pub(crate) noun: Option<Verb>,
    pub(crate) has_article_noun: bool,
    pub(crate) ways: Vec<Way>,
    pub(crate) count: Option<f64>,
    pub(crate) several: bool,
    pub(crate) bare: Option<f64>,
    pub(crate) size: Option<(f64, bool)>,
    /// How many sizes it names.
    pub(crate) sizes: usize,
    pub(crate) bound: Option<Bound>,
    pub(crate) same_size: bool,
    pub(crate) small: bool,
    pub(crate) large: bool,
    pub(crate) more: bool,
    pub(crate) less: bool,
    pub(crate) change: Option<Change>,
    pub(crate) each_time: bool,
    pub(crate) each: bool,
    pub(crate) seconds: Option<(f64, TimeUse)>,
    pub(crate) period: Option<f64>,
    pub(crate) slow: bool,
    pub(crate) fast: bool,
    pub(crate) only_part: bool,
    pub(crate) only: bool,
    pub(crate) not: bool,
    pub(crate) nothing: bool,
    pub(crate) still: bool,
    pub(crate) there: bool,
    pub(crate) back_forth: bool,
    pub(crate) up_down: bool,
    pub(crate) back_again: bool,
    pub(crate) neutral: bool,
    pub(crate) upright: bool,
    pub(crate) together: bool,
    /// It stands before the verb: "simultaneously nods and looks up".
    pub(crate) leads_together: bool,
    pub(crate) alternate: bool,
    pub(crate) apart: bool,
    pub(crate) first: bool,
    pub(crate) last: bool,
    pub(crate) between: bool,
    pub(crate) trigger: Option<Trigger>,
    /// "Waits for a clap": what was said before does not wait.
    pub(crate) waits: bool,
    /// What is perceived is heard.
    pub(crate) hears: bool,
    pub(crate) event: Option<Event>,
    pub(crate) perceive: bool,
    pub(crate) choose: bool,
    pub(crate) roles: Vec<Role>,
    pub(crate) again: bool,
    /// "From left to right": the directions come in their order.
    pub(crate) from: bool,
    pub(crate) another: bool,
    pub(crate) it: bool,
    pub(crate) yes: bool,
    pub(crate) no: bool,
    pub(crate) in_all: bool,
    /// "Keep it raised": the participle tells a state.
    pub(crate) has_state: bool,
    pub(crate) comparative: Option<Change>,
    pub(crate) scale: Option<f64>,
    /// "As if you agreed".
    pub(crate) as_if: bool,
}

impl Clause {
    fn is_empty(&self) -> bool {
        let blank = Clause { link: self.link, atoms: self.atoms.clone(), it: self.it, ..Clause::default() };
        *self == blank
    }

    /// Returns whether it says how something moves besides with which verb.
    pub(crate) fn has_way(&self) -> bool {
        !self.ways.is_empty() || self.back_forth || self.up_down || self.upright
    }
}

/// Replaces a side and an antenna by one stretch with a part; returns parts by the index of their stretch.
fn parts(atoms: &mut [Atom], tokens: &[Token]) -> Vec<Option<Part>> {
    let mut found: Vec<Option<Part>> = vec![None; atoms.len()];
    let meanings: Vec<Meaning> = atoms.iter().map(|atom| atom.meaning.clone()).collect();
    let meaning = |at: Option<usize>| at.and_then(|at| meanings.get(at));
    let word = |at: usize| {
        atoms.get(at).and_then(|atom| tokens.get(atom.first)).map_or("", |token| token.word.as_str())
    };
    let mut blanks = Vec::new();
    for index in 0..meanings.len() {
        let before = index.checked_sub(1);
        let side = |at: Option<usize>| match meaning(at) {
            Some(Meaning::Way(Way::Left)) => Some(Ear::Left),
            Some(Meaning::Way(Way::Right)) => Some(Ear::Right),
            Some(Meaning::Part(PartName::Other)) => Some(Ear::Other),
            _ => None,
        };
        let part = match meaning(Some(index)) {
            Some(Meaning::Part(PartName::Head)) => Part::Head,
            Some(Meaning::Part(PartName::Chin)) => Part::Chin,
            Some(Meaning::Part(PartName::Body)) => Part::Body,
            Some(Meaning::Part(PartName::Everything)) => Part::Everything,
            Some(Meaning::Part(name @ (PartName::Antenna | PartName::Antennas))) => {
                let is_pair = side(before).is_some()
                    && matches!(meaning(index.checked_sub(2)), Some(Meaning::Link(Link::And)))
                    && side(index.checked_sub(3)).is_some();
                if is_pair {
                    blanks.extend([index - 1, index - 2, index - 3]);
                    Part::Ear(Ear::Both)
                } else if let Some(side) = side(before) {
                    blanks.extend(before);
                    Part::Ear(side)
                } else {
                    let is_one = *name == PartName::Antenna
                        && !matches!(meaning(before), Some(Meaning::Each | Meaning::Both));
                    if matches!(meaning(before), Some(Meaning::Bare(_))) {
                        blanks.extend(before);
                    }
                    Part::Ear(if is_one { Ear::Any } else { Ear::Both })
                }
            }
            // "The left one", "the other".
            Some(Meaning::Frame) if matches!(word(index), "one") && side(before).is_some() => {
                let side = side(before).unwrap_or(Ear::Any);
                blanks.extend(before);
                Part::Ear(side)
            }
            Some(Meaning::Part(PartName::Other))
                if !matches!(meaning(Some(index + 1)), Some(Meaning::Part(_) | Meaning::Verb { .. }))
                    && word(index + 1) != "one" =>
            {
                Part::Ear(Ear::Other)
            }
            _ => continue,
        };
        if let Some(slot) = found.get_mut(index) {
            *slot = Some(part);
        }
    }
    for blank in blanks {
        if let Some(atom) = atoms.get_mut(blank) {
            // It belongs to the part that follows.
            atom.meaning = Meaning::Part(PartName::Other);
        }
    }
    found
}

/// Of two links in a row, the one that says more.
fn stronger(one: Option<Link>, other: Link) -> Link {
    let rank = |link: Link| match link {
        Link::Start => 0,
        Link::Comma => 1,
        Link::Stop => 2,
        Link::And => 3,
        Link::Colon => 4,
        Link::But => 4,
        Link::With | Link::Without => 5,
        Link::Then | Link::While | Link::Before | Link::After => 6,
    };
    match one {
        Some(one) if rank(one) > rank(other) => one,
        _ => other,
    }
}

/// Divides a request into clauses.
pub(crate) fn clauses(atoms: &mut [Atom], tokens: &[Token]) -> Vec<Clause> {
    let parts = parts(atoms, tokens);
    let mut builder = Builder {
        done: Vec::new(),
        current: Clause::default(),
        time_use: TimeUse::Plain,
        noun_is_next: false,
        article: false,
        is_after_the: false,
        only_at: None,
        verb_at: None,
        is_after_or: false,
    };
    for (index, atom) in atoms.iter().enumerate() {
        let text = tokens.get(atom.first).map_or("", |token| token.word.as_str());
        builder.add(index, atom, parts.get(index).copied().flatten(), text);
    }
    builder.finish(None);
    builder.done
}

struct Builder {
    done: Vec<Clause>,
    current: Clause,
    time_use: TimeUse,
    noun_is_next: bool,
    article: bool,
    /// Whether "the" stood before.
    is_after_the: bool,
    /// The number of stretches after "only".
    only_at: Option<usize>,
    /// The stretch of the last verb.
    verb_at: Option<usize>,
    /// Whether "or" stood before.
    is_after_or: bool,
}

impl Builder {
    fn finish(&mut self, link: Option<Link>) {
        self.time_use = TimeUse::Plain;
        self.noun_is_next = false;
        self.article = false;
        self.only_at = None;
        if self.current.is_empty() {
            let link = link.map(|link| stronger(self.current.link, link));
            self.current.link = link.or(self.current.link);
            return;
        }
        let next = Clause { link, ..Clause::default() };
        self.done.push(std::mem::replace(&mut self.current, next));
    }

    fn add(&mut self, index: usize, atom: &Atom, part: Option<Part>, text: &str) {
        if let Some(at) = &mut self.only_at {
            *at += 1;
        }
        if let Some(part) = part {
            self.add_part(part);
            self.current.atoms.push(index);
            return;
        }
        // "Nods like a woodpecker ten times", "swings like a pendulum for eight seconds": a number is of the motion.
        let is_number = matches!(atom.meaning, Meaning::Count(_) | Meaning::Seconds(_) | Meaning::Period(_));
        if self.current.as_if && is_number {
            let time_use = self.time_use;
            self.finish(Some(Link::Comma));
            self.time_use = time_use;
        }
        match &atom.meaning {
            Meaning::Link(link) => self.finish(Some(*link)),
            Meaning::Trigger(trigger) => {
                self.finish(Some(Link::Comma));
                self.current.trigger = Some(*trigger);
                self.current.waits =
                    matches!(text, "wait" | "waits" | "waiting" | "listen" | "listens" | "watch");
            }
            Meaning::Still if text == "without" => {
                self.finish(Some(Link::Without));
                self.flag(&atom.meaning);
            }
            Meaning::AsIf => {
                self.finish(Some(Link::Comma));
                self.current.as_if = true;
            }
            Meaning::Verb { verb, .. } if self.repeats(*verb, index) => {
                self.current.count = Some(self.current.count.unwrap_or(1.0) + 1.0);
                self.verb_at = Some(index);
            }
            Meaning::Verb { verb, is_participle } => {
                self.verb_at = Some(index);
                // "A wiggling tool" counts nothing.
                self.article &= !text.ends_with("ing");
                self.add_verb(*verb, *is_participle);
            }
            Meaning::First | Meaning::Last
                if self.current.verb.is_some() && matches!(self.current.link, Some(Link::Stop)) =>
            {
                self.flag(&atom.meaning);
            }
            other => self.flag(other),
        }
        self.is_after_or = matches!(text, "or" | "nor");
        self.current.hears |= matches!(text, "hear" | "hears" | "hearing");
        let clause = &mut self.current;
        match &atom.meaning {
            Meaning::Article => self.article = true,
            Meaning::Manner | Meaning::Small | Meaning::Large | Meaning::Fast | Meaning::Slow => {}
            Meaning::Frame if matches!(text, "single" | "nice" | "simple" | "new") => {}
            _ => self.article = false,
        }
        match &atom.meaning {
            Meaning::Each | Meaning::Between | Meaning::Role(_) => self.noun_is_next = true,
            // "The first nod is tiny": the motion is only mentioned.
            Meaning::First | Meaning::Last if self.is_after_the => self.noun_is_next = true,
            Meaning::Frame | Meaning::Article | Meaning::Large | Meaning::Small | Meaning::It => {}
            _ => self.noun_is_next = false,
        }
        self.is_after_the = text == "the";
        if matches!(text, "altogether")
            || (text == "in" && atom.end - atom.first == 2 && matches!(atom.meaning, Meaning::Frame))
        {
            clause.in_all = true;
        }
        self.current.atoms.push(index);
    }

    /// "Flap flap flap".
    fn repeats(&self, verb: Verb, index: usize) -> bool {
        let is_next = self.verb_at.is_some_and(|at| at + 1 == index);
        is_next && self.current.verb == Some(verb) && verb.is_motion() && !self.noun_is_next
    }

    fn add_part(&mut self, part: Part) {
        let clause = &self.current;
        let is_next_subject =
            clause.verb.is_some_and(Verb::is_motion) && clause.part_leads && !clause.parts.contains(&part);
        if is_next_subject {
            self.finish(Some(Link::Comma));
        }
        if self.current.verb.is_none() {
            self.current.part_leads = true;
        }
        if self.only_at.is_some_and(|at| at <= 5) && self.current.count.is_none() {
            self.current.only_part = true;
        }
        if !self.current.parts.contains(&part) {
            self.current.parts.push(part);
        }
        self.noun_is_next = false;
        self.article = false;
    }

    fn add_verb(&mut self, verb: Verb, is_participle: bool) {
        if self.noun_is_next && !self.current.choose && !self.current.roles.contains(&Role::Times) {
            self.current.noun = Some(verb);
            return;
        }
        let is_over = self
            .current
            .verb
            .is_some_and(|old| old != verb || (self.current.count.is_some() && !self.current.has_way()))
            || (self.current.trigger.is_some() && self.current.event.is_some());
        // "Takes a photo", "makes a turn", "gives a nod": the noun is the verb.
        let is_light =
            matches!(self.current.verb, Some(Verb::Take)) || self.current.verb == Some(Verb::Vague);
        // "Keep the head still": the verb of rest governs.
        let is_state = is_participle && matches!(self.current.verb, Some(Verb::Stay));
        if is_over && !is_light && !is_state {
            let has_article = self.article;
            // "Without twisting or nodding": both are denied.
            let is_denied = self.current.not || self.current.link == Some(Link::Without);
            let link = if self.is_after_or && is_denied { Link::Without } else { Link::Comma };
            self.finish(Some(link));
            self.article = has_article;
        }
        self.current.has_state = is_state;
        self.current.verb = Some(verb);
        self.current.is_participle = is_participle;
        self.current.has_article_noun |= self.article;
    }

    fn flag(&mut self, meaning: &Meaning) {
        let clause = &mut self.current;
        match meaning {
            Meaning::Way(way) if clause.ways.contains(way) && *way != Way::Around => {}
            Meaning::Way(way) => clause.ways.push(*way),
            Meaning::Count(count) => clause.count = Some(*count),
            Meaning::Encore(count) => {
                clause.verb = Some(Verb::Repeat);
                clause.count = Some(*count);
            }
            Meaning::Several => clause.several = true,
            Meaning::Bare(number) => clause.bare = Some(*number),
            Meaning::Size { amount, is_shift } => {
                clause.size = Some((*amount, *is_shift));
                clause.sizes += 1;
            }
            Meaning::Bound(bound) => clause.bound = Some(*bound),
            Meaning::SameSize => clause.same_size = true,
            Meaning::Small => clause.small = true,
            Meaning::Large => clause.large = true,
            Meaning::More => clause.more = true,
            Meaning::Less => clause.less = true,
            Meaning::Change(change) => clause.change = Some(*change),
            Meaning::EarsInTurn => {
                clause.parts.push(Part::Ear(Ear::Both));
                clause.alternate = true;
            }
            Meaning::Scale(factor) => clause.scale = Some(*factor),
            Meaning::Comparative(change) => clause.comparative = Some(*change),
            Meaning::EachTime => clause.each_time = true,
            Meaning::Each => clause.each = true,
            // "Out in two seconds and back in half a second": the way out and the way back together.
            Meaning::Seconds(back) if clause.back_again && self.time_use == TimeUse::Over => {
                let out = clause.seconds.filter(|(_, usage)| *usage == TimeUse::Over);
                clause.seconds = Some((back + out.map_or(0.0, |(seconds, _)| seconds), TimeUse::Over));
            }
            Meaning::Seconds(seconds) => clause.seconds = Some((*seconds, self.time_use)),
            Meaning::For => self.time_use = TimeUse::For,
            Meaning::Over => self.time_use = TimeUse::Over,
            Meaning::Period(seconds) => clause.period = Some(*seconds),
            Meaning::Slow => clause.slow = true,
            Meaning::Fast => clause.fast = true,
            Meaning::Only => {
                clause.only = true;
                self.only_at = Some(0);
            }
            Meaning::Not => clause.not = true,
            Meaning::Nothing => clause.nothing = true,
            Meaning::Still => clause.still = true,
            Meaning::There => clause.there = true,
            Meaning::BackForth => clause.back_forth = true,
            Meaning::UpDown => clause.up_down = true,
            Meaning::BackAgain => clause.back_again = true,
            Meaning::Neutral => clause.neutral = true,
            Meaning::Upright => clause.upright = true,
            Meaning::Together => {
                clause.together = true;
                clause.leads_together = clause.verb.is_none();
            }
            Meaning::Alternate => clause.alternate = true,
            Meaning::Apart => clause.apart = true,
            Meaning::First => clause.first = true,
            Meaning::Last => clause.last = true,
            Meaning::Between => clause.between = true,
            // "Somebody claps" is a clap.
            Meaning::Event(event) => {
                let is_person = matches!(clause.event, None | Some(Event::Face));
                if is_person {
                    clause.event = Some(event.clone());
                }
            }
            Meaning::Perceive => clause.perceive = true,
            Meaning::Choose => clause.choose = true,
            Meaning::Role(role) => clause.roles.push(*role),
            Meaning::Again => clause.again = true,
            Meaning::Another => clause.another = true,
            Meaning::It => clause.it = true,
            Meaning::From => clause.from = true,
            Meaning::Yes => clause.yes = true,
            Meaning::No => clause.no = true,
            Meaning::Frame
            | Meaning::InOrder
            | Meaning::Throughout
            | Meaning::Manner
            | Meaning::Unknown
            | Meaning::Link(_)
            | Meaning::Part(_)
            | Meaning::Both
            | Meaning::Verb { .. }
            | Meaning::Trigger(_)
            | Meaning::AsIf
            | Meaning::Article => {}
        }
    }
}
