//! What one clause means: which axes go where, how far, how often and how fast.

use minismith_score::Axis;

use crate::arrange::merged;
use crate::clause::{Clause, Heading, Said};
use crate::concept::{Act, Compared, Part, Way, is_posture};
use crate::limits::{LONGEST_DANCE_S, LONGEST_MOTION_S, MOST_TIMES};
use crate::meaning::{Aim, Amount, Gesture, Meaning};
use crate::refusal::Refusal;

mod aims;
mod shown;

use aims::{aim, antenna_aims, body_aims, head_aims};
use shown::{circle, feeling};

/// How long a dance lasts where nothing is said, seconds.
const DANCE_S: f64 = 8.0;

/// A rhythm that does not say how long it goes on takes this, seconds.
const RHYTHM_S: f64 = 3.0;

/// The axes that are neutral when the head is level again.
pub(crate) const LEVEL: [Axis; 2] = [Axis::HeadPitch, Axis::HeadRise];

/// Returns the axes of a part.
pub(crate) fn axes_of(part: Part) -> Vec<Axis> {
    match part {
        Part::Head | Part::Chin => Axis::HEAD.to_vec(),
        Part::Body => vec![Axis::BodyTurn],
        Part::LeftAntenna | Part::LeftOne => vec![Axis::AntennaLeft],
        Part::RightAntenna | Part::RightOne => vec![Axis::AntennaRight],
        Part::Antenna | Part::Antennas | Part::Other | Part::Both => Axis::ANTENNAS.to_vec(),
    }
}

pub(crate) const fn is_antenna(part: Part) -> bool {
    !matches!(part, Part::Head | Part::Chin | Part::Body)
}

impl Clause {
    /// Returns whether it names antennas and no other part.
    pub(crate) fn names_antennas(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().copied().all(is_antenna)
    }

    fn amount_of(&self, said: Option<Said>, axis: Axis) -> Result<Amount, Refusal> {
        let factor = self.size.unwrap_or(1.0);
        match said.or(self.amount).or(self.bare_amount()) {
            Some(Said::Degrees(_)) if axis.is_shift() => Err(Refusal::InMillimetres),
            Some(Said::Millimetres(_)) if !axis.is_shift() => Err(Refusal::InDegrees),
            Some(Said::Degrees(amount) | Said::Millimetres(amount))
                if self.compared.contains(&Compared::Bigger) =>
            {
                Ok(Amount::Further(amount))
            }
            Some(Said::Degrees(amount) | Said::Millimetres(amount)) => Ok(Amount::Exactly(amount)),
            None if self.is_most => Ok(Amount::Most),
            // "Nod half as deep as usual".
            None if self.act.is_some_and(|act| !is_posture(act))
                && self.factor.is_some()
                && self.compared.contains(&Compared::Bigger) =>
            {
                Ok(Amount::Usual(factor * self.factor.unwrap_or(1.0)))
            }
            None if self.compared.contains(&Compared::Bigger) => Ok(Amount::Further(10.0 * factor)),
            None => Ok(Amount::Usual(factor)),
        }
    }

    /// A number without a unit is an angle, where an angle is meant.
    fn bare_amount(&self) -> Option<Said> {
        self.number
            .filter(|number| {
                let is_way = self.act.is_none() && !self.ways.is_empty();
                *number >= 5.0 && (is_way || self.act.is_some_and(is_posture)) && self.count.is_none()
            })
            .map(Said::Degrees)
    }

    fn is_length(&self, said: Option<Said>) -> bool {
        matches!(said.or(self.amount), Some(Said::Millimetres(_)))
    }

    /// Returns what goes where for one part and way.
    fn aims(&self, act: Act, part: Part, heading: Option<Heading>) -> Result<Vec<Aim>, Refusal> {
        let said = heading.and_then(|heading| heading.amount);
        let way = heading.map(|heading| heading.way);
        let mut aims = if is_antenna(part) {
            antenna_aims(act, part, way)
        } else if part == Part::Body {
            body_aims(way)?
        } else {
            // A chin that is lifted pitches the head.
            // "Head left 20, up 10": a number of a fragment is an angle.
            let is_bare =
                self.act.is_none() && said.or(self.amount).is_none() && self.bare_amount().is_some();
            let is_angle = self.is_chin || is_bare || matches!(said.or(self.amount), Some(Said::Degrees(_)));
            let is_lift = matches!(act, Act::Raise | Act::Lower);
            let is_vertical = act == Act::Move && matches!(way, Some(Way::Up | Way::Down));
            // "Lean your head ten degrees down": an angle is no shift.
            let is_leaning = act == Act::Lean && matches!(said.or(self.amount), Some(Said::Degrees(_)));
            let act = if is_angle && (is_lift || is_vertical || is_leaning) { Act::Tilt } else { act };
            let way = match (self.act, way) {
                (Some(Act::Raise), None) if is_angle => Some(Way::Up),
                (Some(Act::Lower), None) if is_angle => Some(Way::Down),
                (_, way) => way,
            };
            head_aims(act, way, act == Act::Shift || self.is_length(said))?
        };
        for aim in &mut aims {
            aim.amount = match self.amount_of(said, aim.axis)? {
                // A raised antenna is upright: further up there is nothing.
                Amount::Most if aim.usual == 0.0 => aim.amount,
                amount => amount,
            };
        }
        Ok(aims)
    }

    /// Returns the parts that move: those that are named, or the usual one.
    pub(crate) fn moved_parts(&self, act: Act) -> Vec<Part> {
        if !self.parts.is_empty() {
            return self.parts.clone();
        }
        vec![match act {
            Act::Wiggle | Act::Spread | Act::Close => Part::Antennas,
            Act::Wave => Part::RightAntenna,
            Act::Turn if !self.ways.iter().any(|heading| matches!(heading.way, Way::Up | Way::Down)) => {
                Part::Body
            }
            _ => Part::Head,
        }]
    }

    /// Returns all aims of the clause; each axis once.
    fn all_aims(&self, act: Act) -> Result<Vec<Aim>, Refusal> {
        let mut all: Vec<Aim> = Vec::new();
        for part in self.moved_parts(act) {
            if matches!(act, Act::Spread | Act::Close) && !is_antenna(part) {
                return Err(Refusal::OnlyAntennasOpen);
            }
            if act == Act::Look && self.act == Some(Act::Look) && is_antenna(part) {
                return Err(Refusal::AntennaLooks);
            }
            let headings: Vec<Option<Heading>> =
                if self.ways.is_empty() { vec![None] } else { self.ways.iter().copied().map(Some).collect() };
            for heading in headings {
                for aim in self.aims(act, part, heading)? {
                    if is_posture(act)
                        && all.iter().any(|one| one.axis == aim.axis && one.sign * aim.sign < 0.0)
                    {
                        return Err(Refusal::TwoWays);
                    }
                    // "Out two centimetres in my direction": how far holds for both.
                    let known = all.iter().find(|one| one.axis == aim.axis).map(|one| one.amount);
                    let amount = match (known, aim.amount) {
                        (Some(known @ Amount::Exactly(_)), Amount::Usual(_)) => known,
                        (_, amount) => amount,
                    };
                    all.retain(|one| one.axis != aim.axis);
                    all.push(Aim { amount, ..aim });
                }
            }
        }
        Ok(all)
    }

    fn pace_factor(&self) -> f64 {
        let mut pace = self.pace.unwrap_or(1.0);
        for compared in &self.compared {
            pace *= match compared {
                Compared::Faster => 0.6,
                Compared::Slower => 1.7,
                _ => 1.0,
            };
        }
        pace
    }

    fn count_or(&self, usual: u32) -> u32 {
        let bare = self.number.filter(|number| number.fract() == 0.0 && (1.0..=50.0).contains(number));
        self.count.or(bare.map(|count| count as u32)).unwrap_or(usual)
    }

    /// Returns what the clause means.
    pub(crate) fn meaning(&self) -> Result<Meaning, Refusal> {
        // A head does not look so far to a side.
        let is_far = self.ways.iter().any(|heading| {
            let is_side = matches!(heading.way, Way::Left | Way::Right);
            is_side
                && matches!(heading.amount.or(self.amount), Some(Said::Degrees(degrees)) if degrees > 60.0)
        });
        let usual = match (self.parts.is_empty(), is_far) {
            (true, true) => Act::Turn,
            (true, false) => Act::Look,
            _ => Act::Move,
        };
        let act = self.act.unwrap_or(usual);
        if let (
            Act::Wiggle | Act::Wave | Act::Raise,
            [],
            [Heading { way: way @ (Way::Left | Way::Right), amount: None }],
        ) = (act, self.parts.as_slice(), self.ways.as_slice())
        {
            // "Wiggle left", "lift left".
            let part = if *way == Way::Left { Part::LeftAntenna } else { Part::RightAntenna };
            return Clause { act: Some(act), parts: vec![part], ways: Vec::new(), ..self.clone() }.meaning();
        }
        if matches!(act, Act::Nod | Act::Shake | Act::Bow)
            && self.is_together
            && !self.parts.is_empty()
            && self.parts.iter().copied().all(is_antenna)
        {
            // "Nod in sync with your antennas".
            let alone = Clause { parts: Vec::new(), is_together: false, ..self.clone() };
            let wiggle = Clause { act: Some(Act::Wiggle), parts: self.parts.clone(), ..alone.clone() };
            return Ok(merged(vec![alone.meaning()?, wiggle.meaning()?]));
        }
        if act == Act::Bow && self.parts == [Part::Body] {
            // "Bow with your whole body".
            return Clause { parts: Vec::new(), ..self.clone() }.meaning();
        }
        if act == Act::Nod && self.parts == [Part::Body] {
            return Err(Refusal::BodyOnlyTurns);
        }
        if act == Act::Sway
            && self.is_stay
            && self.count.is_none()
            && self.parts.iter().all(|part| *part == Part::Head)
            && matches!(self.ways.as_slice(), [heading] if matches!(heading.way, Way::Left | Way::Right))
        {
            // "Sway to the left and stay there".
            return Clause { act: Some(Act::Tilt), ..self.clone() }.meaning();
        }
        if act == Act::Return
            && !self.ways.is_empty()
            && self.ways.iter().all(|heading| matches!(heading.way, Way::Left | Way::Right))
        {
            // "And with the head look back to the left": it goes there.
            let act = if self.parts.iter().all(|part| *part == Part::Head) { Act::Look } else { Act::Turn };
            return Clause { act: Some(act), undone: None, ..self.clone() }.meaning();
        }
        if self.ways.len() > 1 && self.ways.iter().any(|heading| heading.way == Way::Ahead) {
            // "Look up at me": the other way says where to.
            let ways = self.ways.iter().copied().filter(|heading| heading.way != Way::Ahead).collect();
            return Clause { ways, ..self.clone() }.meaning();
        }
        let rolls = act == Act::Circle
            && self.ways.iter().any(|heading| matches!(heading.way, Way::Left | Way::Right));
        if rolls {
            // "Roll your head to the right" names the axis of the tilt.
            return Clause { act: Some(Act::Tilt), ..self.clone() }.meaning();
        }
        if act == Act::Dance && self.names_antennas() {
            // "Make your antennas dance".
            return Clause { act: Some(Act::Wiggle), ..self.clone() }.meaning();
        }
        if !is_posture(act)
            && !matches!(act, Act::Center | Act::Return)
            && self.count.is_none()
            && self.within.is_some()
            && !self.is_taking
            && self.delay.is_none()
        {
            // "Nod in three seconds".
            return Clause { delay: self.within, within: None, ..self.clone() }.meaning();
        }
        if !is_posture(act) && self.count.is_some() && self.compared.contains(&Compared::Bigger) {
            // "Nod twice more".
            return Clause { compared: Vec::new(), ..self.clone() }.meaning();
        }
        if act == Act::Move
            && !self.parts.is_empty()
            && self.parts.iter().copied().all(is_antenna)
            && matches!(self.ways.as_slice(), [Heading { way: Way::Sides, .. }])
        {
            // "Move your antennas back and forth".
            return Clause { act: Some(Act::Wiggle), ways: Vec::new(), ..self.clone() }.meaning();
        }
        let is_ahead = matches!(self.ways.as_slice(), [heading] if heading.way == Way::Ahead);
        if matches!(act, Act::Wave | Act::Wiggle) && is_ahead && self.parts.iter().copied().all(is_antenna) {
            // "Wiggle your antennas at me".
            return Clause { ways: Vec::new(), ..self.clone() }.meaning();
        }
        if let (Act::Bow | Act::Nod | Act::Shake, [heading]) = (act, self.ways.as_slice())
            && (is_ahead || act != Act::Shake && matches!(heading.way, Way::Left | Way::Right))
            && self.parts.iter().all(|part| *part == Part::Head)
        {
            // "A bow to the left", "nod at me".
            let turn = Clause { act: Some(Act::Look), count: None, number: None, ..self.clone() }
                .plain(Act::Look)?;
            let gesture = Clause { ways: Vec::new(), ..self.clone() }.meaning()?;
            return Ok(Meaning::Sequence(vec![turn, gesture]));
        }
        // "Bow for three seconds": one bow, held so long.
        let is_held = self.is_stay || (act == Act::Bow && self.lasting.is_some() && self.period.is_none());
        if matches!(act, Act::Bow | Act::Nod)
            && is_held
            && self.count.is_none()
            && self.ways.iter().all(|heading| heading.way == Way::Down)
            // "Nod and stay there" stays where it is after the nod.
            && (act == Act::Bow || !self.ways.is_empty() || self.lasting.or(self.seconds).is_some())
        {
            // "Bow and stay down": it goes down and is held.
            let down =
                Clause { ways: Vec::new(), is_stay: false, lasting: None, seconds: None, ..self.clone() };
            let aims = down.all_aims(act)?;
            let go = Meaning::Go { aims, seconds: self.within, pace: self.pace_factor() };
            return Ok(match self.lasting.or(self.seconds) {
                Some(seconds) if act == Act::Bow => down.held_bow(seconds)?,
                Some(seconds) => Meaning::Sequence(vec![go, Meaning::Wait(seconds)]),
                None => go,
            });
        }
        self.check_used(act)?;
        let to_and_fro = is_posture(act) && self.goes_to_and_fro();
        if to_and_fro && self.is_together && !self.names_antennas() {
            return Err(Refusal::TwoWays);
        }
        let meaning = if to_and_fro { self.one_way_after_another(act)? } else { self.plain(act)? };
        Ok(match self.delay {
            Some(delay) => Meaning::Sequence(vec![Meaning::Wait(delay), meaning]),
            None => meaning,
        })
    }

    /// Returns whether its directions exclude one another: "look up, down".
    fn goes_to_and_fro(&self) -> bool {
        let has = |way: Way| self.ways.iter().any(|heading| heading.way == way);
        self.parts.len() < 2 && (has(Way::Left) && has(Way::Right) || has(Way::Up) && has(Way::Down))
    }

    /// "Look up down up": one direction after another.
    fn one_way_after_another(&self, act: Act) -> Result<Meaning, Refusal> {
        let one = |heading: &Heading| Clause { ways: vec![*heading], ..self.clone() }.plain(act);
        Ok(Meaning::Sequence(self.ways.iter().map(one).collect::<Result<_, _>>()?))
    }

    /// What is said and has no use for the act is not understood.
    fn check_used(&self, act: Act) -> Result<(), Refusal> {
        let allowed: &[Way] = match act {
            Act::Nod => &[Way::Up, Way::Down, Way::Forward, Way::Ahead],
            Act::Bow => &[Way::Down, Way::Forward, Way::Ahead],
            Act::Shake | Act::Scan => &[Way::Left, Way::Right, Way::Sides, Way::Ahead],
            // Only what leans or is moved goes out or in: "out of it".
            Act::Look | Act::Turn | Act::Move if self.parts.is_empty() && !self.is_it => &[
                Way::Left,
                Way::Right,
                Way::Up,
                Way::Down,
                Way::Forward,
                Way::Back,
                Way::Ahead,
                Way::Aside,
                Way::Sides,
                Way::Opposite,
            ],
            Act::Dance
            | Act::Happy
            | Act::Sad
            | Act::Curious
            | Act::Surprised
            | Act::Tired
            | Act::Sound
            | Act::Sleep => &[],
            _ => return self.check_number(act),
        };
        if self.ways.iter().any(|heading| !allowed.contains(&heading.way)) {
            return Err(Refusal::WhichWay);
        }
        self.check_number(act)
    }

    /// A bare number of a posture is an angle; a small one, or one beside an amount, is something else.
    fn check_number(&self, act: Act) -> Result<(), Refusal> {
        if is_posture(act) && self.period.is_some() && self.said_amount().is_some() && self.count.is_none() {
            return Err(Refusal::DistanceInTime);
        }
        // A quarter of a nod, and more of them than anyone waits for.
        if self.count.is_some_and(|count| count == 0 || count > MOST_TIMES) {
            return Err(Refusal::Times);
        }
        if self.within.is_some_and(|seconds| seconds > LONGEST_MOTION_S) {
            return Err(Refusal::Seconds);
        }
        let is_left_over = self.number.is_some_and(|number| number < 5.0 || self.said_amount().is_some());
        if is_posture(act) && is_left_over && self.number != Some(1.0) {
            return Err(Refusal::WhatNumber);
        }
        Ok(())
    }

    fn plain(&self, act: Act) -> Result<Meaning, Refusal> {
        let is_length = matches!(self.said_amount(), Some(Said::Millimetres(_)));
        if act == Act::Return && is_length && self.ways.is_empty() {
            // "Pull your head back by a centimetre".
            let back = Heading { way: Way::Back, amount: None };
            return Clause { act: Some(Act::Move), ways: vec![back], ..self.clone() }.plain(Act::Move);
        }
        if matches!(act, Act::Move | Act::Look | Act::Shift) && self.parts.is_empty() && self.ways.is_empty()
        {
            return Err(Refusal::NoGoal);
        }
        let pace = self.pace_factor();
        let lasting = self.lasting.or(self.seconds);
        match act {
            // "Wait two seconds to your left".
            Act::Wait if !self.ways.is_empty() => return Err(Refusal::WaitsHere),
            Act::Wait | Act::Hold if self.ways.is_empty() => {
                // "Wait two seconds, nod, wait another two".
                let bare = self.number.filter(|number| (0.5..=60.0).contains(number));
                // "Take a two-second break".
                let taken = self.within.filter(|_| self.is_taking);
                return Ok(Meaning::Wait(lasting.or(taken).or(bare).unwrap_or(1.0)));
            }
            Act::Dance => {
                let usual = if self.is_until_stop { LONGEST_DANCE_S } else { DANCE_S };
                return Ok(Meaning::Dance(lasting.or(self.within).unwrap_or(usual)));
            }
            Act::Wake => return Ok(Meaning::Wake),
            Act::Sleep => return Ok(Meaning::Sleep),
            Act::Sound => return Ok(Meaning::Sound),
            Act::Center | Act::Return => {
                let mut axes: Vec<Axis> = self.parts.iter().flat_map(|part| axes_of(*part)).collect();
                let is_vertical = !self.ways.is_empty()
                    && self.ways.iter().all(|heading| matches!(heading.way, Way::Up | Way::Down));
                if is_vertical && !self.parts.iter().any(|part| is_antenna(*part)) {
                    // "Bring your head back up".
                    axes = LEVEL.to_vec();
                }
                if axes.is_empty() {
                    axes = if self.undone == Some(Act::Tilt) {
                        vec![Axis::HeadTilt]
                    } else {
                        Axis::ALL.to_vec()
                    };
                }
                return Ok(Meaning::Neutral { axes, seconds: self.within, pace });
            }
            Act::Happy | Act::Sad | Act::Curious | Act::Surprised | Act::Tired => {
                return Ok(feeling(act, pace));
            }
            Act::Circle if !matches!(self.parts.as_slice(), [] | [Part::Head]) => {
                return Err(Refusal::OnlyHeadCircles);
            }
            Act::Circle => return Ok(circle(self.count_or(1), pace)),
            _ => {}
        }
        // "Look to me again" is the same as "look at me".
        let is_ahead = |heading: &Heading| {
            heading.way == Way::Ahead
                || (heading.way == Way::Forward
                    && act == Act::Look
                    && heading.amount.or(self.amount).is_none())
        };
        if self.ways.len() == 1 && self.ways.iter().any(is_ahead) {
            let axes: Vec<Axis> = self.moved_parts(act).into_iter().flat_map(axes_of).collect();
            return Ok(Meaning::Neutral { axes, seconds: None, pace });
        }
        let aims = self.all_aims(act)?;
        if aims.is_empty() {
            return Err(Refusal::NothingMoves);
        }
        let is_antennas = self.moved_parts(act).into_iter().all(is_antenna);
        let is_to_both_sides = !(is_antennas && is_posture(act) && !self.ways.is_empty())
            && self.ways.iter().any(|heading| heading.way == Way::Sides)
            || (self.ways.is_empty()
                && self.amount.or(self.bare_amount()).is_none()
                && matches!(act, Act::Look | Act::Move | Act::Shift));
        // "Look up until I say stop": what has a place is held there.
        let repeats = self.count.is_some_and(|count| count > 1)
            || self.period.is_some()
            || (self.is_until_stop && !is_posture(act));
        if self.is_together && self.ways.iter().any(|heading| heading.way == Way::Sides) {
            return Err(Refusal::BothSides);
        }
        if !is_posture(act) || is_to_both_sides || (repeats && !self.is_stay) {
            return Ok(Meaning::Gesture(self.gesture(act, aims, pace, is_to_both_sides)));
        }
        let go = Meaning::Go { aims: aims.clone(), seconds: self.within, pace };
        let go = if self.is_in_turn && aims.len() > 1 {
            let each = aims.iter().map(|aim| Meaning::Go { aims: vec![*aim], seconds: self.within, pace });
            Meaning::Sequence(each.collect())
        } else {
            go
        };
        Ok(match lasting {
            Some(seconds) => Meaning::Sequence(vec![go, Meaning::Wait(seconds)]),
            _ => go,
        })
    }

    fn gesture(&self, act: Act, aims: Vec<Aim>, pace: f64, is_to_both_sides: bool) -> Gesture {
        let usual = match act {
            Act::Shake | Act::Sway | Act::Wiggle => 2,
            Act::Wave => 3,
            _ => 1,
        };
        let is_out_and_back = !is_to_both_sides
            && !matches!(act, Act::Shake | Act::Sway | Act::Scan | Act::Wave)
            || aims.iter().all(|aim| Axis::ANTENNAS.contains(&aim.axis));
        let opposite =
            |aims: &[Aim]| aims.iter().map(|aim| Aim { sign: -aim.sign, ..*aim }).collect::<Vec<Aim>>();
        let strokes = if is_out_and_back && self.is_in_turn {
            aims.iter().map(|aim| vec![*aim]).collect()
        } else if is_out_and_back {
            vec![aims]
        } else {
            vec![aims.clone(), opposite(&aims)]
        };
        // "Two seconds each".
        let each = self.lasting.or(self.seconds).filter(|_| self.is_each);
        let total = self.lasting.or(self.seconds).or(self.within).filter(|_| each.is_none());
        let is_open = self.count.is_none() && self.number.is_none();
        let is_one_way = matches!(act, Act::Look | Act::Turn | Act::Tilt | Act::Move)
            && is_to_both_sides
            && self.lasting.or(self.seconds).is_none();
        let round = match act {
            _ if is_out_and_back => 0.8,
            Act::Shake => 0.5,
            _ => 1.0,
        } * pace
            * strokes.len() as f64;
        let mut period = each.or(self.period);
        if let (Some(_), Some(own), Some(count)) = (total, self.period, self.count) {
            // "Twice a second for four seconds".
            period = Some(own / f64::from(count.max(1)));
        }
        let count = match (total, period) {
            (None, None) if is_open && self.trend.is_some() => usual.max(4),
            (Some(total), Some(period)) => (total / period).round().max(1.0) as u32,
            // "Twice a second": long enough that a person sees the rhythm.
            (None, Some(period)) if is_open && each.is_none() => {
                ((RHYTHM_S / period).round() as u32).max(usual)
            }
            // "From left to right within six seconds": once.
            (Some(_), None) if is_open && is_one_way => usual,
            (Some(total), None) if is_open => (total / round).round().clamp(1.0, 50.0) as u32,
            _ if self.is_until_stop && is_open => 20,
            _ => self.count_or(usual),
        };
        Gesture {
            strokes,
            is_out_and_back,
            count: count.clamp(1, 50),
            hold: if act == Act::Bow { 0.6 } else { 0.0 },
            stroke: pace,
            pause: self.pause.unwrap_or(0.0),
            trend: self.trend,
            period,
            total: total.filter(|_| act != Act::Bow || is_open),
        }
    }
}
