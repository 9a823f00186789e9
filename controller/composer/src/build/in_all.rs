//! How often in all: "left, right, left, right, eight leans altogether", "turns and comes back, waits, turns. Four times in
//! total".

use super::modifiers::Modifiers;
use super::{Builder, Item, What};
use crate::act::{Act, Amount, Node};
use crate::clause::{Clause, Link};
use crate::tag::{Tag, Verb};

impl Builder<'_> {
    /// Repeats what was told last so often that it is done a number of times in all. Returns whether the clause says that.
    pub(super) fn in_all(
        &mut self,
        clause: &Clause,
        modifiers: &Modifiers,
        verb: Option<&'static Verb>,
    ) -> bool {
        let place = |wanted: fn(&Tag) -> bool| clause.tags.iter().position(|tagged| wanted(&tagged.tag));
        let says_more = clause.has(|tag| matches!(tag, Tag::Part(_) | Tag::Dir(_) | Tag::Return));
        let counts_first = place(|tag| matches!(tag, Tag::Count(_) | Tag::Number(_)))
            .zip(place(|tag| matches!(tag, Tag::Verb(_))))
            .is_none_or(|(count, verb)| count < verb);
        let is_apart = matches!(clause.link, Link::Comma | Link::Stop | Link::Colon);
        let Some(count) = modifiers.count.filter(|count| *count > 1) else { return false };
        if !is_apart || says_more || !counts_first || !clause.has(|tag| matches!(tag, Tag::InAll)) {
            return false;
        }
        let start = self.built.items.iter().rposition(|item| node(item).is_none()).map_or(0, |end| end + 1);
        let run = joined(self.built.items.iter().skip(start).filter_map(node));
        let length = (1..=run.len())
            .find(|length| run.iter().zip(run.iter().skip(*length)).all(|(one, next)| is_alike(one, next)));
        let Some(length) = length else { return false };
        let is_enumerated = length < run.len();
        let is_last = |verb: &Verb| self.last.as_ref().is_some_and(|last| last.verb.name() == verb.name());
        if !is_enumerated && (length > 1 || !verb.is_none_or(is_last)) {
            return false;
        }
        let mut unit: Vec<Node> = run.into_iter().take(length).collect();
        let pause = match unit.last() {
            Some(Node::Pause(Amount::Value(seconds))) => Some(*seconds),
            _ => None,
        };
        unit.truncate(length - usize::from(pause.is_some()));
        // "Left, right, left, right, eight in all" counts each of them; "eight rounds" counts both together.
        let acts = unit.iter().filter(|node| matches!(node, Node::Act(_))).count();
        let acts = u32::try_from(acts).unwrap_or(1).max(1);
        let counts_each = verb.is_some() || clause.has(|tag| matches!(tag, Tag::Number(_)));
        let rounds = if counts_each && acts > 1 && count.is_multiple_of(acts) { count / acts } else { count };
        let link = self.built.items.get(start).map_or(Link::Then, |item| item.link);
        self.built.items.truncate(start);
        let what = match unit.as_mut_slice() {
            [Node::Act(act)] => {
                act.count = Some(rounds);
                act.pause = pause.or(act.pause);
                act.period = modifiers.rate.or(act.period);
                self.last = Some(act.clone());
                Node::Act(act.clone())
            }
            _ => Node::Times { count: rounds, is_set: false, pause, nodes: unit },
        };
        let clause = Clause { link, is_first: clause.is_first, tags: Vec::new() };
        self.push(&clause, What::Node(what));
        true
    }
}

/// Returns the motion or the pause of an item that follows what stands before it.
fn node(item: &Item) -> Option<&Node> {
    let follows = !item.is_heading && !item.is_same_time && !item.is_throughout && item.link != Link::While;
    match &item.what {
        What::Node(node @ (Node::Act(_) | Node::Pause(_) | Node::Return { .. })) if follows => Some(node),
        _ => None,
    }
}

/// Returns nodes in which a motion and its way back are one.
fn joined<'a>(nodes: impl Iterator<Item = &'a Node>) -> Vec<Node> {
    let mut all: Vec<Node> = Vec::new();
    for node in nodes {
        match (all.last_mut(), node) {
            (Some(Node::Act(act)), Node::Return { axes: Some(axes), .. }) if *axes == act.axes() => {
                act.is_back = true;
            }
            _ => all.push(node.clone()),
        }
    }
    all
}

/// Returns whether two nodes do the same. The last one of several may not tell its way back.
fn is_alike(one: &Node, other: &Node) -> bool {
    let goes = |act: &Act| (act.axes(), act.course().ok(), act.size);
    match (one, other) {
        (Node::Act(one), Node::Act(other)) => goes(one) == goes(other),
        (Node::Return { axes: one, .. }, Node::Return { axes: other, .. }) => one == other,
        (Node::Pause(Amount::Value(one)), Node::Pause(Amount::Value(other))) => (one - other).abs() < 0.01,
        _ => false,
    }
}
