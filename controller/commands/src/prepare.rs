//! Completes clauses by those before and after them, before they are read one by one.

use minismith_score::Axis;

use crate::clause::{Clause, Heading, Link};
use crate::concept::{Act, Part, Way, is_posture};
use crate::past::Past;

/// "Left ear, right ear, then a nod": antennas that are listed, and of which nothing else is said, wiggle.
pub(crate) fn move_listed_antennas(clauses: &mut [Clause]) {
    let is_listed = |clause: &Clause| clause.names_only_parts() && clause.names_antennas();
    let count = clauses.iter().take_while(|clause| is_listed(clause)).count();
    let next = clauses.get(count);
    let is_list = count > 1 && next.is_none_or(|next| next.link == Link::Then && next.act.is_some());
    for clause in clauses.iter_mut().take(count).filter(|_| is_list) {
        clause.act = Some(Act::Wiggle);
    }
}

/// Completes clauses by those that follow: a modifier before what it modifies, and a verb at the end.
pub(crate) fn prepared(clauses: Vec<Clause>, past: Option<&Past>) -> Vec<Clause> {
    let mut named =
        past.is_some_and(|past| past.meaning.axes().iter().all(|axis| Axis::ANTENNAS.contains(axis)));
    let mut all: Vec<Clause> = Vec::new();
    let mut following = clauses.clone().into_iter().skip(1);
    for mut clause in clauses {
        let is_side = |heading: &Heading| matches!(heading.way, Way::Left | Way::Right);
        if clause.act == Some(Act::Tilt) && clause.ways.iter().any(is_side) {
            // "Tilted sideways, ten degrees to the right": the side is said.
            clause.ways.retain(|heading| heading.way != Way::Aside);
        }
        if clause.names_antennas() && clause.act == Some(Act::Look) {
            // "抬左边的天线": what lifts the gaze lifts an antenna.
            clause.act = match clause.ways.as_slice() {
                [heading] if heading.way == Way::Up => Some(Act::Raise),
                [heading] if heading.way == Way::Down => Some(Act::Lower),
                _ => clause.act,
            };
            if clause.act != Some(Act::Look) {
                clause.ways.clear();
            }
        }
        if clause.act.is_some_and(|act| !is_posture(act)) && clause.compared.is_empty() {
            // "A double nod".
            let count = clause.factor.filter(|factor| *factor >= 2.0 && factor.fract() == 0.0);
            clause.count = clause.count.or(count.map(|count| count as u32));
        }
        // "Wiggle the left and the right antenna".
        named |= following.next().is_some_and(|next| next.link == Link::And && names_an_antenna(&next))
            && clause.act.is_some();
        resolve_sides(&mut clause, &mut named, past.is_some() && all.is_empty());
        if all.iter().any(|before| before.names_antennas()) {
            sides_that_go(&mut clause);
        }
        // "Wiggle the left antenna." "That antenna again."
        if clause.parts == [Part::Antenna]
            && clause.is_same
            && let Some([one @ (Part::LeftAntenna | Part::RightAntenna)]) =
                past.map(|past| past.parts.as_slice())
        {
            clause.parts = vec![*one];
        }
        // "Turn your body, not your head, to the left", "left antenna, ten degrees in".
        let is_way = clause.act.is_none()
            && clause.parts.is_empty()
            && !clause.ways.is_empty()
            && clause.link == Link::Comma;
        let open = all.iter_mut().rfind(|before| !before.is_negated && !before.is_still);
        if let Some(open) =
            open.filter(|open| is_way && !clause.is_negated && !clause.is_still && is_open_or_aside(open))
        {
            open.ways.clone_from(&clause.ways);
            open.absorb(&clause);
            continue;
        }
        // "Now the body by the same amount, but to the right".
        if let Some(last) = all.last_mut().filter(|last| last.is_same && last.names_only_parts())
            && is_way
            && !clause.is_negated
        {
            last.ways.clone_from(&clause.ways);
            last.absorb(&clause);
            continue;
        }
        // "Turn your head and your body to the right", "turn your body and tilt your head to the right".
        if let Some(last) = all.last_mut().filter(|last| is_open(last) && last.act.is_some())
            && gives_side(&clause)
            // "Move your ears and tilt your head to the right".
            && last.names_antennas() == clause.names_antennas()
        {
            last.ways.clone_from(&clause.ways);
        }
        // "Ten degrees to the right, with the head tilted".
        let is_vague_tilt = clause.act == Some(Act::Tilt)
            && clause.ways.iter().all(|heading| heading.way == Way::Aside && heading.amount.is_none())
            && clause.said_amount().is_none()
            && !clause.is_negated;
        if let Some(last) = all.last_mut().filter(|last| {
            is_vague_tilt
                && matches!(clause.link, Link::Comma | Link::With)
                && (last.act.is_none() || last.act == clause.act)
                && last.said_amount().is_some()
                && matches!(last.ways.as_slice(), [heading] if is_side(heading))
        }) {
            last.act = clause.act;
            if last.parts.is_empty() {
                last.parts.clone_from(&clause.parts);
            }
            continue;
        }
        // "Tilt your head, tilt it to the right, ten degrees": said again with more.
        if let Some(last) = all.last_mut().filter(|last| is_said_again(last, &clause)) {
            if !clause.ways.is_empty() {
                last.ways.clone_from(&clause.ways);
            }
            if !clause.parts.is_empty() {
                last.parts.clone_from(&clause.parts);
            }
            last.absorb(&clause);
            continue;
        }
        // "Turn your head, no, your whole body, to the right".
        if let [.., open, correction] = all.as_mut_slice()
            && is_way
            && correction.link == Link::Correction
            && correction.names_only_parts()
            && is_open(open)
            && !clause.is_negated
        {
            open.parts.clone_from(&correction.parts);
            open.ways.clone_from(&clause.ways);
            open.absorb(&clause);
            all.pop();
            continue;
        }
        // "Move your left antenna up and down".
        if let Some(last) = all.last_mut().filter(|last| is_up_or_down(last) && !last.parts.is_empty())
            && clause.act.is_none()
            && clause.parts.is_empty()
            && clause.link == Link::And
            && is_up_or_down(&clause)
        {
            last.act = Some(Act::Wiggle);
            last.ways.clear();
            last.absorb(&clause);
            continue;
        }
        // "Move your antennas one at a time, the right one first".
        if let Some(last) = all.last_mut().filter(|last| last.is_in_turn && moves_antennas(last))
            && let Some(order) = order_of(&clause)
        {
            last.parts = order;
            continue;
        }
        // "One of them, the left".
        let is_side = matches!(clause.parts.as_slice(), [Part::LeftAntenna | Part::RightAntenna]);
        if let Some(last) = all.last_mut().filter(|last| last.parts.as_slice() == [Part::Antenna])
            && is_side
            && clause.act.is_none()
            && clause.ways.is_empty()
            && clause.link == Link::Comma
        {
            last.parts.clone_from(&clause.parts);
            continue;
        }
        // "Again, but only the last bit", "the second thing you did, do that again".
        if let Some(last) = all.last_mut().filter(|last| past.is_some() && tells_which_step(last, &clause)) {
            last.is_first |= clause.is_first;
            last.is_last |= clause.is_last;
            last.is_again = true;
            continue;
        }
        let is_first = all.len() == 1;
        let is_reference = |clause: &Clause| {
            !clause.has_motion()
                && clause.has_content()
                && !clause.is_undo
                && !clause.is_cancel
                && !clause.is_stop_order
                && !clause.is_negated
                && !clause.is_still
        };
        let Some(before) = all.last_mut().filter(|before| is_first && is_reference(before)) else {
            all.push(clause);
            continue;
        };
        // "Hold it there for three seconds, then look left".
        let is_held =
            before.is_stay && before.lasting.is_some() && (past.is_some() || clause.link == Link::Then);
        let is_modifier = before.is_only_modifier() && !before.is_again && !before.is_same && !is_held;
        let is_start = before.link != Link::Correction || clause.link != Link::Correction;
        if is_reference(&clause) && clause.link < Link::With && is_start && past.is_some() {
            // "Too high, five degrees less".
            let is_exact = clause.amount.or(clause.said_amount()).is_some()
                || clause.number.is_some()
                || clause.seconds.is_some();
            if is_exact || !clause.compared.is_empty() {
                before.compared.retain(|_| clause.is_again && clause.compared.is_empty());
            }
            before.absorb(&clause);
        } else if is_modifier && clause.is_only_modifier() && past.is_none() && clause.link == Link::Comma {
            // "Slowly, over five seconds, look up".
            before.absorb(&clause);
        } else if (before.is_again || before.is_same)
            && clause.act.is_none()
            && clause.has_motion()
            && past.is_some()
            && clause.link == Link::Comma
            && !clause.is_negated
            && !clause.is_still
        {
            // "The same, but downwards".
            let leading = before.clone();
            clause.link = leading.link;
            clause.is_same = true;
            clause.count = clause.count.or(leading.count);
            merge_leading(&mut clause, &leading);
            *before = clause;
        } else if is_modifier
            && before.count.is_none()
            && clause.has_motion()
            && clause.link < Link::With
            && before.link != Link::Correction
            && !is_step_of_its_own(before, &clause, past)
        {
            // "Very slowly: nod".
            let leading = before.clone();
            let delay = leading.delay.or(clause.delay);
            let link = leading.link;
            clause.link = link;
            let mut joined = leading;
            joined.delay = None;
            joined.compared.extend(std::mem::take(&mut clause.compared));
            merge_leading(&mut clause, &joined);
            clause.delay = delay;
            *before = clause;
        } else {
            all.push(clause);
        }
    }
    // "Undo that, go back to where you were".
    all.dedup_by(|next, before| before.is_undo && next.is_undo && !next.has_motion());
    complete_lists(&mut all);
    once_each(&mut all);
    to_and_fro(&mut all);
    let verb = all.iter().position(|clause| clause.act.is_some());
    if let Some(at) = verb
        && let Some(last) = all.get(at).filter(|clause| clause.is_verb_last).cloned()
    {
        let from = all.iter().take(at + 1).rposition(|clause| clause.link == Link::Stop).unwrap_or(0);
        for clause in all
            .iter_mut()
            .take(at)
            .skip(from)
            .filter(|clause| clause.has_motion() && !clause.is_still && clause.condition.is_none())
        {
            if last.act.is_some_and(|act| is_posture(act) || clause.ways.is_empty()) {
                clause.act = last.act;
                if clause.parts.is_empty() {
                    clause.parts.clone_from(&last.parts);
                }
            }
        }
    }
    all
}

/// "Ten more and then look up": the first step goes on with the last motion.
fn is_step_of_its_own(before: &Clause, clause: &Clause, past: Option<&Past>) -> bool {
    past.is_some()
        && !before.compared.is_empty()
        && (before.number.is_some() || before.amount.is_some())
        && clause.act.is_some()
        && matches!(clause.link, Link::And | Link::Then)
}

/// "Left antenna up, then right up": a side that goes up or down is an antenna, where antennas were named.
fn sides_that_go(clause: &mut Clause) {
    let [side, way] = clause.ways.as_slice() else { return };
    let is_plain = clause.parts.is_empty()
        && matches!(clause.act, None | Some(Act::Move | Act::Raise | Act::Lower))
        && side.amount.is_none()
        && way.amount.is_none()
        && matches!(way.way, Way::Up | Way::Down);
    let part = match side.way {
        Way::Left => Part::LeftAntenna,
        Way::Right => Part::RightAntenna,
        _ => return,
    };
    if is_plain {
        clause.parts = vec![part];
        clause.ways.remove(0);
    }
}

/// Returns whether one of two clauses says "again", and the other one nothing but which step.
fn tells_which_step(before: &Clause, clause: &Clause) -> bool {
    let is_plain = |one: &Clause| {
        one.act.is_none() && !one.has_motion() && !one.is_negated && !one.is_undo && one.count.is_none()
    };
    let is_step = |one: &Clause| one.is_first != one.is_last;
    is_plain(before)
        && is_plain(clause)
        && (before.is_again || clause.is_again)
        && (is_step(before) != is_step(clause))
        && matches!(clause.link, Link::Comma | Link::Stop | Link::And)
}

/// Returns whether a clause says the posture of the one before it once more, and where to or how far.
fn is_said_again(before: &Clause, clause: &Clause) -> bool {
    let is_same_act = clause.act.is_some_and(is_posture) && before.act == clause.act;
    let is_plain = |one: &Clause| {
        !one.is_negated && !one.is_still && !one.is_again && !one.is_same && one.compared.is_empty()
    };
    let is_vague = before.ways.iter().all(|heading| heading.way == Way::Aside && heading.amount.is_none());
    let ways = |one: &Clause| one.ways.iter().map(|heading| heading.way).collect::<Vec<Way>>();
    let is_more = if is_vague {
        !clause.ways.is_empty() || clause.said_amount().is_some()
    } else {
        (clause.ways.is_empty() || ways(clause) == ways(before)) && clause.said_amount().is_some()
    };
    is_same_act
        && is_more
        && clause.link == Link::Comma
        && is_plain(before)
        && is_plain(clause)
        && before.said_amount().is_none()
        && before.lasting.or(before.seconds).is_none()
        && clause.parts.iter().all(|part| before.parts.contains(part) || *part == Part::Head)
}

/// Returns whether antennas, or what is not named, go up or down and no certain way.
fn is_up_or_down(clause: &Clause) -> bool {
    let is_vertical =
        matches!(clause.ways.as_slice(), [heading] if matches!(heading.way, Way::Up | Way::Down));
    let is_antenna = |part: &Part| !matches!(part, Part::Head | Part::Body);
    let is_vague = matches!(clause.act, None | Some(Act::Move));
    is_vertical && is_vague && clause.said_amount().is_none() && clause.parts.iter().all(is_antenna)
}

/// Returns whether a clause moves what is named by its side alone.
fn lifts(clause: &Clause) -> bool {
    matches!(clause.act, Some(Act::Raise | Act::Lower | Act::Wiggle)) && clause.ways.is_empty()
}

/// Returns whether a clause names nothing but one antenna.
fn names_an_antenna(clause: &Clause) -> bool {
    matches!(clause.parts.as_slice(), [Part::LeftAntenna | Part::RightAntenna])
        && clause.act.is_none()
        && clause.ways.iter().all(|heading| matches!(heading.way, Way::Up | Way::Down | Way::Out | Way::In))
}

/// Returns whether "them" is what a clause raises or lowers, and not what it does again.
fn moves_pairs(clause: &Clause) -> bool {
    matches!(clause.act, Some(Act::Raise | Act::Lower | Act::Wiggle | Act::Spread | Act::Close | Act::Move))
        && !clause.is_again
        && !clause.is_same
        && clause.link != Link::Correction
}

/// Returns whether a clause moves both antennas.
fn moves_antennas(clause: &Clause) -> bool {
    let is_usual = clause.parts.is_empty() && clause.act == Some(Act::Wiggle);
    is_usual || clause.parts == [Part::Antennas]
}

/// Returns the order of the antennas that a clause tells, if it tells nothing else: "the right one first".
fn order_of(clause: &Clause) -> Option<Vec<Part>> {
    let is_left = match (clause.parts.as_slice(), clause.ways.as_slice()) {
        ([Part::LeftAntenna], []) => true,
        ([Part::RightAntenna], []) => false,
        ([], [heading]) if heading.way == Way::Left => true,
        ([], [heading]) if heading.way == Way::Right => false,
        _ => return None,
    };
    let is_order = clause.is_first && clause.act.is_none() && clause.said_amount().is_none();
    let order = if is_left {
        vec![Part::LeftAntenna, Part::RightAntenna]
    } else {
        vec![Part::RightAntenna, Part::LeftAntenna]
    };
    is_order.then_some(order)
}

/// "Raise and lower your head twice": both, twice; and both move the same.
fn to_and_fro(all: &mut Vec<Clause>) {
    let [there, back] = all.as_mut_slice() else { return };
    let is_pair = matches!(
        (there.act, back.act),
        (Some(Act::Raise), Some(Act::Lower))
            | (Some(Act::Lower), Some(Act::Raise))
            | (Some(Act::Spread), Some(Act::Close))
            | (Some(Act::Close), Some(Act::Spread))
    );
    let is_one = there.is_bare() && back.link == Link::And;
    if !is_pair || !is_one || there.is_negated || back.is_negated {
        return;
    }
    there.parts.clone_from(&back.parts);
    if let Some(count) = back.count.take() {
        let times = Clause { link: std::mem::take(&mut there.link), count: Some(count), ..Clause::default() };
        all.insert(0, times);
    }
}

/// Returns whether a clause says to which side what was named before it goes, too.
fn gives_side(clause: &Clause) -> bool {
    let is_side = match clause.ways.as_slice() {
        [heading] if clause.act.is_some_and(is_posture) => {
            matches!(heading.way, Way::Left | Way::Right) && heading.amount.is_none()
        }
        ways => clause.act.is_none() && !ways.is_empty(),
    };
    is_side && !clause.parts.is_empty() && clause.link == Link::And && !clause.is_negated
}

/// Returns whether a clause names what moves, and not yet where to.
fn is_open(clause: &Clause) -> bool {
    let is_vague = matches!(clause.act, None | Some(Act::Move | Act::Turn | Act::Tilt));
    is_vague
        && !clause.parts.is_empty()
        && clause.ways.is_empty()
        && clause.said_amount().is_none()
        && clause.count.is_none()
        && !clause.is_again
        && !clause.is_same
        && !clause.is_cancel
        && clause.link != Link::Correction
        && clause.condition.is_none()
}

/// Returns whether a clause names what moves, and not yet to which side.
fn is_open_or_aside(clause: &Clause) -> bool {
    let is_aside = clause.act == Some(Act::Tilt)
        && !clause.ways.is_empty()
        && clause.ways.iter().all(|heading| heading.way == Way::Aside && heading.amount.is_none());
    is_open(clause) || (is_aside && is_open(&Clause { ways: Vec::new(), ..clause.clone() }))
}

/// "The left one" is an antenna where antennas were named, else a side.
fn resolve_sides(clause: &mut Clause, named: &mut bool, is_after: bool) {
    let is_antenna = |part: &Part| {
        matches!(part, Part::Antenna | Part::Antennas | Part::LeftAntenna | Part::RightAntenna | Part::Other)
    };
    *named |= clause.parts.iter().any(is_antenna);
    let mut parts = Vec::new();
    let own = std::mem::take(&mut clause.parts);
    let has_side = own.iter().any(|part| matches!(part, Part::LeftAntenna | Part::RightAntenna));
    for part in own {
        match (part, *named) {
            // "Salute them with your right antenna".
            (Part::Both, _) if has_side => {}
            // "The left antenna, then the right one, then both together".
            (Part::Both, true) if clause.is_together && clause.link == Link::Then => {
                clause.is_together = false;
                parts.push(Part::Antennas);
            }
            // "Wiggle the left antenna." "Now both of them together."
            (Part::Both, true) if clause.is_together && is_after && !clause.has_motion() => {
                clause.is_together = false;
                parts.push(Part::Antennas);
            }
            (Part::Both, true)
                if !(clause.is_together || clause.is_in_turn)
                    || clause.act.is_some()
                    || !clause.ways.is_empty()
                    || clause.is_still =>
            {
                parts.push(Part::Antennas)
            }
            // Of what it has, only the antennas are two: "raise them both".
            (Part::Both, false) if moves_pairs(clause) => parts.push(Part::Antennas),
            (Part::Both, _) => clause.is_it = true,
            // "Lift up the right one": of what can be lifted, only antennas have sides.
            (Part::LeftOne, false) if lifts(clause) => parts.push(Part::LeftAntenna),
            (Part::RightOne, false) if lifts(clause) => parts.push(Part::RightAntenna),
            (Part::LeftOne, true) => parts.push(Part::LeftAntenna),
            (Part::RightOne, true) => parts.push(Part::RightAntenna),
            (Part::LeftOne, false) => {
                clause.ways.push(Heading { way: Way::Left, amount: clause.amount.take() })
            }
            (Part::RightOne, false) => {
                clause.ways.push(Heading { way: Way::Right, amount: clause.amount.take() })
            }
            (part, _) => parts.push(part),
        }
    }
    // "Lift up the ear on your right".
    let lifts = matches!(clause.act, Some(Act::Raise | Act::Lower | Act::Wiggle | Act::Wave));
    if parts == [Part::Antenna]
        && lifts
        && let [heading] = clause.ways.as_slice()
        && heading.amount.is_none()
    {
        let side = match heading.way {
            Way::Left => Some(Part::LeftAntenna),
            Way::Right => Some(Part::RightAntenna),
            _ => None,
        };
        if let Some(side) = side {
            parts = vec![side];
            clause.ways.clear();
        }
    }
    // "I mean just one of them, the left", "of your antennas only the left one".
    let is_one_of = |of: Part| of == Part::Antenna || (of == Part::Antennas && clause.is_only);
    if let [of, side @ (Part::LeftAntenna | Part::RightAntenna)] = parts.as_slice()
        && is_one_of(*of)
    {
        parts = vec![*side];
    }
    if parts == [Part::Antenna] && clause.link == Link::Correction && clause.act.is_none() {
        parts = vec![Part::RightAntenna];
    }
    clause.parts = parts;
}

/// A modifier before what it modifies fills what that leaves open.
fn merge_leading(clause: &mut Clause, leading: &Clause) {
    clause.amount = clause.amount.or(leading.amount);
    clause.lasting = clause.lasting.or(leading.lasting).or(leading.seconds);
    clause.within = clause.within.or(leading.within);
    clause.period = clause.period.or(leading.period);
    clause.size = clause.size.or(leading.size);
    clause.pace = clause.pace.or(leading.pace);
    clause.pause = clause.pause.or(leading.pause);
    clause.trend = clause.trend.or(leading.trend);
    clause.is_most |= leading.is_most;
    clause.is_both_turns |= leading.is_both_turns;
    clause.is_together |= leading.is_together;
    clause.is_in_turn |= leading.is_in_turn;
    clause.is_until_stop |= leading.is_until_stop;
    if clause.compared.is_empty() {
        clause.compared.clone_from(&leading.compared);
    }
}

/// "Tilt your head: first to the right, then to the left": the verb of the clause before, which says nothing else, is theirs.
fn complete_lists(all: &mut Vec<Clause>) {
    let mut at = 0;
    while let [before, clause, ..] = all.get_mut(at..).unwrap_or_default() {
        let is_open = before.act.is_some_and(is_posture)
            && before.is_bare_but_for_parts()
            && !before.is_negated
            && !before.is_stop_order
            && !before.is_still
            && before.condition.is_none();
        // "A look round: to the left first, and then to the right".
        let is_scan = before.act == Some(Act::Scan) && before.is_bare() && !before.is_negated;
        // "Have a look at both sides, first to the right, then to the left".
        let is_announced = !before.ways.is_empty()
            && before.act.is_some_and(is_posture)
            && before.ways.iter().all(|heading| heading.way == Way::Sides && heading.amount.is_none())
            && clause.is_first;
        let is_list = clause.act.is_none()
            && clause.parts.is_empty()
            && !clause.ways.is_empty()
            && !clause.is_negated
            && matches!(clause.link, Link::Comma | Link::Stop);
        if (is_open || is_announced || is_scan) && is_list {
            clause.act = if is_scan { Some(Act::Look) } else { before.act };
            clause.parts.clone_from(&before.parts);
            clause.link = before.link;
            clause.pace = clause.pace.or(before.pace);
            clause.size = clause.size.or(before.size);
            all.remove(at);
        } else {
            at += 1;
        }
    }
}

/// "Nod, wait a second, nod": a gesture that is said several times is done once each time.
fn once_each(clauses: &mut [Clause]) {
    for act in [Act::Nod, Act::Shake, Act::Bow] {
        let is_open = |clause: &Clause| {
            clause.act == Some(act)
                && clause.count.is_none()
                && clause.number.is_none()
                && clause.parts.iter().all(|part| *part == Part::Head)
                && clause.lasting.or(clause.seconds).or(clause.within).is_none()
                && clause.trend.is_none()
                && clause.period.is_none()
                && !clause.is_negated
                && clause.link != Link::Correction
        };
        if clauses.iter().filter(|clause| is_open(clause)).count() > 1 {
            clauses.iter_mut().filter(|clause| is_open(clause)).for_each(|clause| clause.count = Some(1));
        }
    }
}
