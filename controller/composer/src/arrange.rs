//! Puts the items of a request in the order in which they happen, and what happens at once beside each other.

use minismith_score::Event;

use crate::act::{Act, Node};
use crate::build::{Item, What};
use crate::clause::Link;
use crate::tag::Trigger;

/// Returns the nodes of a plan.
pub(crate) fn arrange(mut items: Vec<Item>) -> Vec<Node> {
    let is_node = |item: &Item| matches!(item.what, What::Node(_));
    // Details replace their heading.
    if items.iter().any(|item| !item.is_heading && is_node(item)) {
        items.retain(|item| !(item.is_heading && is_node(item)));
    }
    join_listening(&mut items);
    go_before(&mut items);
    // "Last of all comes a nod; it begins with a turn": what is last goes behind later sentences.
    let late = items.iter().enumerate().find(|(at, item)| {
        item.goes_last
            && is_node(item)
            && items.iter().skip(at + 1).any(|other| other.goes_first && other.sentence > item.sentence)
    });
    if let Some(at) = late.map(|(at, _)| at) {
        let sentence = items.last().map_or(0, |item| item.sentence) + 1;
        let item = items.remove(at);
        items.push(Item { sentence, ..item });
    }
    let mut nodes: Vec<Node> = Vec::new();
    let mut repeat_from: Option<(usize, u32)> = None;
    let mut rest = items.as_slice();
    while let Some(first) = rest.first() {
        let mut length = rest.iter().take_while(|item| item.sentence == first.sentence).count().max(1);
        let has_leading = rest
            .iter()
            .take(length)
            .any(|item| matches!(item.what, What::Condition { is_trailing: false, .. }));
        let has_body = rest
            .iter()
            .take(length)
            .skip_while(|item| !matches!(item.what, What::Condition { .. }))
            .any(is_node);
        // "whenever you see a face: ...": what is ruled follows in the next sentences.
        if has_leading && !has_body {
            length = rest.len();
        }
        // "When you see a face, bow. Then wave": the next sentence goes on.
        while let Some(next) = rest.get(length)
            && (next.link == Link::Otherwise || has_leading && next.link == Link::Then)
            && is_node(next)
        {
            length += rest.iter().skip(length).take_while(|item| item.sentence == next.sentence).count();
        }
        let (sentence, following) = rest.split_at(length);
        rest = following;
        let mut plain: Vec<Item> = Vec::new();
        for item in sentence {
            match &item.what {
                What::RepeatNext { count } => repeat_from = Some((nodes.len(), *count)),
                What::RepeatAll { count, is_set, pause } => {
                    nodes.extend(reacting(std::mem::take(&mut plain)));
                    let inside = std::mem::take(&mut nodes);
                    nodes.push(Node::Times { count: *count, is_set: *is_set, pause: *pause, nodes: inside });
                }
                _ => plain.push(item.clone()),
            }
        }
        nodes.extend(reacting(plain));
    }
    if let Some((from, count)) = repeat_from {
        let inside = nodes.split_off(from);
        nodes.push(Node::Times { count, is_set: false, pause: None, nodes: inside });
    }
    nodes
}

/// "Turn; before that, nod": a motion goes before the one that was said last.
fn go_before(items: &mut [Item]) {
    let mut said: Option<usize> = None;
    for at in 0..items.len() {
        let is_node = items.get(at).is_some_and(|item| matches!(item.what, What::Node(_)));
        if !is_node {
            continue;
        }
        let is_start = items.get(at).is_some_and(|item| item.goes_to_start);
        let goes_prior = is_start || items.get(at).is_some_and(|item| item.goes_prior);
        let first = items.iter().position(|item| matches!(item.what, What::Node(_)));
        if let Some(before) =
            said.map(|said| if is_start { first.unwrap_or(said) } else { said }).filter(|_| goes_prior)
        {
            let sentence = items.get(before).map_or(0, |item| item.sentence);
            if let Some(moved) = items.get_mut(before..=at) {
                moved.rotate_right(1);
                let is_early = moved.get(1).is_some_and(|item| item.goes_first);
                for (place, item) in moved.iter_mut().enumerate() {
                    if place == 0 {
                        item.sentence = sentence;
                    }
                    item.goes_prior = false;
                    // What was last or first is so by its place now.
                    item.goes_last = false;
                    item.goes_first = is_early && place < 2;
                }
                if let [first, second, ..] = moved {
                    first.link = second_link(first.link);
                    second.link = Link::Then;
                }
            }
            said = Some(before);
            continue;
        }
        said = Some(at);
    }
}

/// The link of a motion that now begins.
fn second_link(link: Link) -> Link {
    if matches!(link, Link::Before | Link::After | Link::While | Link::With) { Link::Then } else { link }
}

/// "listens for a clap ... when it hears one": one condition.
fn join_listening(items: &mut Vec<Item>) {
    let mut earlier: Option<(usize, Event, Option<crate::act::Amount>)> = None;
    let mut removed = Vec::new();
    for at in 0..items.len() {
        let Some(item) = items.get_mut(at) else { continue };
        let What::Condition { trigger, event, seconds, .. } = &mut item.what else { continue };
        let is_one = *event == Event::Thing("one".to_owned());
        if let Some((place, before, time)) = &earlier
            && (is_one || *event == *before)
        {
            *event = before.clone();
            *seconds = seconds.or(*time);
            if *trigger != Trigger::Listen {
                removed.push(*place);
            }
        }
        earlier = (*trigger == Trigger::Listen).then(|| (at, event.clone(), *seconds)).or(earlier);
    }
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        !removed.contains(&(at - 1))
    });
}

/// Whether an item begins what is done in another case.
fn opens_case(item: &Item) -> bool {
    item.link == Link::Otherwise || matches!(item.what, What::Condition { is_trailing: false, .. })
}

fn reacting(items: Vec<Item>) -> Vec<Node> {
    let place = items.iter().position(|item| matches!(item.what, What::Condition { .. }));
    let Some(place) = place else { return group(&items) };
    let Some(Item { what: What::Condition { trigger, event, seconds, is_trailing }, .. }) = items.get(place)
    else {
        return group(&items);
    };
    let start = if *is_trailing {
        let before = items.get(..place).unwrap_or(&[]);
        before.iter().rposition(|item| item.link == Link::Then).unwrap_or(0)
    } else {
        place
    };
    let before = items.get(..start).unwrap_or(&[]);
    let (body, after) = if *is_trailing {
        (group(items.get(start..place).unwrap_or(&[])), items.get(place + 1..).unwrap_or(&[]).to_vec())
    } else {
        // A second condition rules what follows it, and "otherwise" is the other case of this one.
        let rest = items.get(place + 1..).unwrap_or(&[]);
        let next = rest.iter().position(opens_case);
        let (own, other) = rest.split_at(next.unwrap_or(rest.len()));
        (reacting(own.to_vec()), other.to_vec())
    };
    let mut nodes = group(before);
    let (mut body, mut after) = (body, after);
    // An "otherwise" behind the next condition is the other case of that one.
    let own = after.iter().position(opens_case);
    let own = own.filter(|at| after.get(*at).is_some_and(|item| item.link == Link::Otherwise));
    if let Some(at) = own.filter(|_| !body.is_empty()) {
        body.push(Node::Otherwise(reacting(after.split_off(at))));
    }
    if !body.is_empty() {
        nodes.push(Node::React { trigger: *trigger, event: event.clone(), seconds: *seconds, nodes: body });
    }
    nodes.extend(reacting(after));
    nodes
}

fn together(nodes: Vec<Node>) -> Node {
    let mut flat = Vec::new();
    for node in nodes {
        match node {
            Node::Together(inside) => flat.extend(inside),
            node => flat.push(node),
        }
    }
    Node::Together(flat)
}

fn is_posture(node: &Node) -> bool {
    matches!(node, Node::Act(act) if act.is_go())
}

fn is_plain_posture(node: &Node) -> bool {
    matches!(node, Node::Act(act @ Act { .. }) if act.is_go() && act.verb.name() == "move")
}

/// Arranges the items of one sentence without conditions.
fn group(items: &[Item]) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::new();
    let mut suspended: Vec<Node> = Vec::new();
    let mut deferred: Vec<Node> = Vec::new();
    let mut last: Vec<Node> = Vec::new();
    let mut firsts = 0;
    let mut beside: Option<Node> = None;
    let mut start = 0;
    let mut setting: Option<usize> = None;
    for (index, item) in items.iter().enumerate() {
        let What::Node(node) = &item.what else { continue };
        let node = node.clone();
        let joins_setting = setting.is_some() && item.link == Link::And && is_plain_posture(&node);
        if item.link != Link::With && !joins_setting {
            setting = None;
        }
        if item.goes_first && index > 0 && item.link != Link::Then && item.link != Link::After {
            out.insert(firsts.min(out.len()), node);
            firsts += 1;
            continue;
        }
        if item.goes_last && index + 1 < items.len() && item.link != Link::Then {
            last.push(node);
            continue;
        }
        match item.link {
            Link::Then => {
                start = out.len();
                out.push(node);
            }
            Link::After if !out.is_empty() || !last.is_empty() => {
                suspended.extend(out.pop());
                out.push(node);
            }
            Link::Before if out.is_empty() => deferred.push(node),
            Link::While if out.is_empty() => beside = Some(node),
            Link::While => {
                let whole = if item.is_throughout {
                    std::mem::take(&mut out)
                } else {
                    out.pop().into_iter().collect()
                };
                let first = if whole.len() == 1 { whole } else { vec![Node::Sequence(whole)] };
                out.push(together([first, vec![node]].concat()));
            }
            _ if joins_setting => {
                if let Some(before) = setting.and_then(|at| out.get_mut(at)) {
                    *before = together(vec![before.clone(), node]);
                }
                if item.is_throughout
                    && let Some(at) = setting
                {
                    let moved = out.remove(at);
                    out.insert(0, moved);
                }
            }
            Link::With if !out.is_empty() && is_posture(&node) => {
                let at = if item.is_throughout { 0 } else { out.len() - 1 };
                out.insert(at, node);
                setting = Some(at);
            }
            Link::With if !out.is_empty() => {
                let before = out.pop();
                out.push(together(before.into_iter().chain([node]).collect()));
            }
            _ if item.is_throughout && !out.is_empty() => {
                let whole = std::mem::take(&mut out);
                out.push(together(vec![Node::Sequence(whole), node]));
            }
            _ => out.push(node),
        }
        if let Some(other) = beside.take_if(|_| !out.is_empty()) {
            let main = out.pop();
            out.push(together(main.into_iter().chain([other]).collect()));
        }
        // "Both of them swing out at the same time": said of the antennas, and not of what stands before.
        let moved = |node: Option<&Node>| match node {
            Some(Node::Act(act)) => act.axes(),
            _ => Vec::new(),
        };
        let own = moved(out.last());
        let is_of_own_parts = own.len() > 1
            && own.iter().all(|axis| minismith_score::Axis::ANTENNAS.contains(axis))
            && matches!(out.len().checked_sub(2).and_then(|at| out.get(at)), Some(Node::Raw { .. }));
        if item.is_same_time && !is_of_own_parts && out.len() > start + 1 {
            let tail = out.split_off(start);
            out.push(together(tail));
        }
    }
    out.extend(beside);
    out.extend(suspended);
    out.extend(deferred);
    out.extend(last);
    out
}
