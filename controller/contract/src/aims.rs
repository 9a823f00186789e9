//! Which axes a verb with a part and a direction can mean.

use minismith_score::{Axis, Direction};

use crate::clause::{Ear, Part};
use crate::lexicon::Verb;
use crate::meaning::Way;

/// A movement of an axis; without a direction, to either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aim {
    pub(crate) axis: Axis,
    pub(crate) direction: Option<Direction>,
}

/// The movements of which one must be seen.
pub(crate) type Target = Vec<Aim>;

fn to(axis: Axis, direction: Direction) -> Aim {
    Aim { axis, direction: Some(direction) }
}

fn any(axis: Axis) -> Aim {
    Aim { axis, direction: None }
}

const SIDEWAYS: [Axis; 3] = [Axis::HeadTurn, Axis::HeadTilt, Axis::HeadSide];

/// What the sizes in a clause say about the kind of movement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) is_shift: bool,
    pub(crate) is_angle: bool,
}

/// Returns the movements that a clause asks for: all of the targets, one aim of each.
pub(crate) fn targets(verb: Verb, parts: &[Part], way: Option<Way>, kind: Kind) -> Vec<Target> {
    if parts.is_empty() {
        return default_parts(verb, way)
            .map_or_else(|| whole(verb, way), |parts| targets(verb, &parts, way, kind));
    }
    let mut found = Vec::new();
    for part in parts {
        match part {
            Part::Head => {
                found.push(head(verb, way, kind));
                // "Bows to the left".
                if matches!(verb, Verb::Bow | Verb::Nod)
                    && let Some(way @ (Way::Left | Way::Right)) = way
                {
                    let side = horizontal(way);
                    found.push(vec![
                        to(Axis::HeadTurn, side),
                        to(Axis::HeadTilt, side),
                        to(Axis::BodyTurn, side),
                    ]);
                }
            }
            Part::Chin => found.push(chin(verb, way)),
            Part::Body => found.push(body(verb, way)),
            Part::Ear(Ear::Any) => {
                let mut either = antenna(Axis::AntennaLeft, verb, way);
                either.extend(antenna(Axis::AntennaRight, verb, way));
                found.push(either);
            }
            Part::Ear(ear) => found.extend(antennas(*ear).iter().map(|axis| antenna(*axis, verb, way))),
            Part::Everything => {
                found.push(head(verb, way, kind));
                found.push(body(verb, way));
                found.extend(Axis::ANTENNAS.map(|axis| antenna(axis, verb, None)));
            }
        }
    }
    found.retain(|target| !target.is_empty());
    found
}

/// Returns the axes of an antenna's name.
pub(crate) fn antennas(ear: Ear) -> &'static [Axis] {
    match ear {
        Ear::Left => &[Axis::AntennaLeft],
        Ear::Right => &[Axis::AntennaRight],
        Ear::Both | Ear::Any | Ear::Other => &Axis::ANTENNAS,
    }
}

/// Returns all axes of a part.
pub(crate) fn axes(part: Part) -> Vec<Axis> {
    match part {
        Part::Head | Part::Chin => Axis::HEAD.to_vec(),
        Part::Ear(ear) => antennas(ear).to_vec(),
        Part::Body => vec![Axis::BodyTurn],
        Part::Everything => Axis::ALL.to_vec(),
    }
}

/// Returns the axes that a verb moves, for "without turning": all of its part if it isn't one of a single axis.
pub(crate) fn axes_of(verb: Verb, parts: &[Part]) -> Vec<Axis> {
    let has_body = parts.contains(&Part::Body);
    let has_head = parts.is_empty() || parts.iter().any(|part| matches!(part, Part::Head | Part::Chin));
    let single = match verb {
        Verb::Turn | Verb::Shake | Verb::Spin | Verb::Look if has_head => Some(Axis::HeadTurn),
        Verb::Tilt | Verb::Lean if has_head => Some(Axis::HeadTilt),
        Verb::Nod | Verb::Bow => Some(Axis::HeadPitch),
        Verb::Raise | Verb::Lower if has_head => Some(Axis::HeadRise),
        _ => None,
    };
    match single {
        Some(axis) => {
            let mut found = vec![axis];
            if has_body {
                found.push(Axis::BodyTurn);
            }
            found
        }
        None if parts.is_empty() => Vec::new(),
        None => parts.iter().flat_map(|part| axes(*part)).collect(),
    }
}

fn default_parts(verb: Verb, way: Option<Way>) -> Option<Vec<Part>> {
    match verb {
        Verb::Nod
        | Verb::Shake
        | Verb::Look
        | Verb::Tilt
        | Verb::Lean
        | Verb::Bow
        | Verb::Duck
        | Verb::Bob
        | Verb::Raise
        | Verb::Lower
        | Verb::Stretch => Some(vec![Part::Head]),
        Verb::Wiggle | Verb::Flick | Verb::Salute => Some(vec![Part::Ear(Ear::Any)]),
        Verb::Spread | Verb::Fold | Verb::Close => Some(vec![Part::Ear(Ear::Both)]),
        Verb::Move if way.is_some() => Some(vec![Part::Head]),
        _ => None,
    }
}

/// The whole robot turns or sways.
fn whole(verb: Verb, way: Option<Way>) -> Vec<Target> {
    let side = match way {
        Some(Way::Left) => Some(Direction::Left),
        Some(Way::Right) => Some(Direction::Right),
        _ => None,
    };
    let one = |axis: Axis| Aim { axis, direction: side };
    match verb {
        Verb::Turn => vec![vec![one(Axis::HeadTurn), one(Axis::BodyTurn)]],
        Verb::Spin => vec![vec![one(Axis::BodyTurn)]],
        Verb::Sway => {
            vec![vec![one(Axis::BodyTurn), one(Axis::HeadTilt), one(Axis::HeadSide), one(Axis::HeadTurn)]]
        }
        _ => Vec::new(),
    }
}

fn vertical(way: Way, kind: Kind) -> Target {
    let direction = if way == Way::Up { Direction::Up } else { Direction::Down };
    match (kind.is_shift, kind.is_angle) {
        (true, _) => vec![to(Axis::HeadRise, direction)],
        (_, true) => vec![to(Axis::HeadPitch, direction)],
        _ => vec![to(Axis::HeadRise, direction), to(Axis::HeadPitch, direction)],
    }
}

fn horizontal(way: Way) -> Direction {
    if way == Way::Right { Direction::Right } else { Direction::Left }
}

fn ahead(way: Way, kind: Kind) -> Target {
    let (shift, pitch) = match way {
        Way::Back => (Direction::Back, Direction::Up),
        _ => (Direction::Forward, Direction::Down),
    };
    match (kind.is_shift, kind.is_angle) {
        (true, _) => vec![to(Axis::HeadForward, shift)],
        (_, true) => vec![to(Axis::HeadPitch, pitch)],
        _ => vec![to(Axis::HeadForward, shift), to(Axis::HeadPitch, pitch)],
    }
}

fn head(verb: Verb, way: Option<Way>, kind: Kind) -> Target {
    let pitch = |way: Way| {
        let direction = if matches!(way, Way::Up | Way::Back) { Direction::Up } else { Direction::Down };
        vec![to(Axis::HeadPitch, direction)]
    };
    match (verb, way) {
        (Verb::Nod | Verb::Bow, _) => vec![to(Axis::HeadPitch, Direction::Down)],
        (Verb::Shake | Verb::Spin, None | Some(Way::Around)) => vec![any(Axis::HeadTurn)],
        (Verb::Bob, _) => vec![any(Axis::HeadRise), any(Axis::HeadPitch)],
        (Verb::Wiggle | Verb::Flick | Verb::Sway, None | Some(Way::Around)) => SIDEWAYS.map(any).to_vec(),
        (Verb::Raise, _) => vertical(Way::Up, kind),
        (Verb::Lower | Verb::Duck, _) => vertical(Way::Down, kind),
        (Verb::Fold, None) => vertical(Way::Down, kind),
        (Verb::Look, None | Some(Way::Around | Way::Out)) => vec![any(Axis::HeadTurn), any(Axis::BodyTurn)],
        (Verb::Look, Some(way @ (Way::Left | Way::Right))) => {
            vec![to(Axis::HeadTurn, horizontal(way)), to(Axis::BodyTurn, horizontal(way))]
        }
        (Verb::Turn | Verb::Look, Some(way @ (Way::Up | Way::Down))) => pitch(way),
        (Verb::Turn | Verb::Shake | Verb::Spin, Some(way @ (Way::Left | Way::Right))) => {
            vec![to(Axis::HeadTurn, horizontal(way))]
        }
        (Verb::Turn, None | Some(Way::Around | Way::Out | Way::In)) => vec![any(Axis::HeadTurn)],
        (Verb::Tilt, Some(way @ (Way::Left | Way::Right))) => vec![to(Axis::HeadTilt, horizontal(way))],
        (Verb::Tilt, Some(way @ (Way::Up | Way::Down | Way::Back | Way::Forward))) => pitch(way),
        (Verb::Tilt, _) => vec![any(Axis::HeadTilt)],
        (Verb::Lean, Some(way @ (Way::Left | Way::Right))) => {
            vec![to(Axis::HeadTilt, horizontal(way)), to(Axis::HeadSide, horizontal(way))]
        }
        (Verb::Lean, Some(way @ (Way::Up | Way::Down))) => pitch(way),
        (Verb::Lean, None) => vec![
            to(Axis::HeadPitch, Direction::Down),
            any(Axis::HeadTilt),
            to(Axis::HeadForward, Direction::Forward),
        ],
        (Verb::Stretch, None) => {
            vec![to(Axis::HeadRise, Direction::Up), to(Axis::HeadForward, Direction::Forward)]
        }
        (_, Some(way @ (Way::Up | Way::Down))) => vertical(way, kind),
        (_, Some(way @ (Way::Forward | Way::Back))) => ahead(way, kind),
        (_, Some(way @ (Way::Left | Way::Right))) if kind.is_shift => {
            vec![to(Axis::HeadSide, horizontal(way))]
        }
        (_, Some(way @ (Way::Left | Way::Right))) => SIDEWAYS.map(|axis| to(axis, horizontal(way))).to_vec(),
        (Verb::Move, None | Some(Way::Around)) => Axis::HEAD.map(any).to_vec(),
        _ => Vec::new(),
    }
}

fn chin(verb: Verb, way: Option<Way>) -> Target {
    match (verb, way) {
        (Verb::Raise, _) | (_, Some(Way::Up)) => vec![to(Axis::HeadPitch, Direction::Up)],
        (Verb::Lower | Verb::Fold, _) | (_, Some(Way::Down)) => vec![to(Axis::HeadPitch, Direction::Down)],
        _ => head(verb, way, Kind::default()),
    }
}

fn body(verb: Verb, way: Option<Way>) -> Target {
    match (verb, way) {
        (_, Some(way @ (Way::Left | Way::Right))) => vec![to(Axis::BodyTurn, horizontal(way))],
        (
            Verb::Turn | Verb::Spin | Verb::Sway | Verb::Shake | Verb::Wiggle | Verb::Flick | Verb::Move,
            None | Some(Way::Around),
        ) => vec![any(Axis::BodyTurn)],
        (Verb::Look, Some(Way::Around)) => vec![any(Axis::BodyTurn)],
        _ => Vec::new(),
    }
}

fn antenna(axis: Axis, verb: Verb, way: Option<Way>) -> Target {
    let sideways = |left: bool| {
        let is_outward = left == (axis == Axis::AntennaLeft);
        to(axis, if is_outward { Direction::Outward } else { Direction::Inward })
    };
    match (verb, way) {
        (_, Some(Way::Out)) => vec![to(axis, Direction::Outward)],
        (_, Some(Way::In)) => vec![to(axis, Direction::Inward)],
        (_, Some(Way::Left)) => vec![sideways(true)],
        (_, Some(Way::Right)) => vec![sideways(false)],
        (Verb::Spread, _) => vec![to(axis, Direction::Outward)],
        // The antennas turn in one plane, across the view.
        (_, Some(Way::Forward)) => Vec::new(),
        (Verb::Nod | Verb::Bow | Verb::Look, _) => Vec::new(),
        _ => vec![any(axis)],
    }
}
