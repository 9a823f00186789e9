//! One thing that a tool does, and the axes and directions that its words mean.

use minismith_score::{Axis, Direction, Event, Step, Target};

use crate::guard::Refusal;
use crate::tag::{Dir, Growth, Mode, PartRef, Role, Shape, Trigger, Unit, Verb};

/// A number that is known now, or a parameter of the tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    Value(f64),
    Param(Role),
    /// A parameter in seconds with this default.
    Default(f64),
}

impl Amount {
    /// "As long as I say (default 1 second)": what is told next of a parameter is its default.
    pub(crate) fn told(self, next: Amount) -> Amount {
        match (self, next) {
            (Amount::Param(Role::Seconds) | Amount::Default(_), Amount::Value(value)) => {
                Amount::Default(value)
            }
            _ => next,
        }
    }
}

/// One movement or gesture, as the request describes it.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    pub verb: &'static Verb,
    pub parts: Vec<PartRef>,
    pub dirs: Vec<Dir>,
    pub size: Option<(f64, Unit)>,
    /// Where a growing size begins.
    pub first_size: Option<f64>,
    pub factor: f64,
    pub is_full: bool,
    pub size_role: Option<Role>,
    pub count: Option<u32>,
    pub is_count_set: bool,
    /// Of a posture: in how many steps it is reached.
    pub stages: Option<u32>,
    pub beats: Option<u32>,
    pub growth: Vec<Growth>,
    pub pace: f64,
    /// Of one stroke, seconds.
    pub stroke_seconds: Option<f64>,
    pub total_seconds: Option<Amount>,
    /// Of one repetition, seconds.
    pub period: Option<f64>,
    /// Of one beat, seconds.
    pub beat: Option<f64>,
    pub hold: Option<Amount>,
    /// Between repetitions, seconds.
    pub pause: Option<f64>,
    pub is_back: bool,
    pub is_alternating: bool,
    /// Axes that an earlier look moved, which go back while this one turns elsewhere.
    pub resets: Vec<Axis>,
}

impl Act {
    pub(crate) fn new(verb: &'static Verb) -> Self {
        Act {
            verb,
            parts: Vec::new(),
            dirs: Vec::new(),
            size: None,
            first_size: None,
            factor: 1.0,
            is_full: false,
            size_role: None,
            count: None,
            is_count_set: false,
            stages: None,
            beats: None,
            growth: Vec::new(),
            pace: verb.pace,
            stroke_seconds: None,
            total_seconds: None,
            period: None,
            beat: None,
            hold: verb.hold.map(Amount::Value),
            pause: None,
            is_back: false,
            is_alternating: false,
            resets: Vec::new(),
        }
    }

    /// Returns whether the act leaves the robot in a posture.
    pub(crate) fn is_go(&self) -> bool {
        self.course().is_ok_and(|(shape, _)| shape == Shape::Go) && !self.is_back && !self.is_repeated()
    }

    pub(crate) fn is_repeated(&self) -> bool {
        self.count.is_some_and(|count| count > 1)
            || self.is_count_set
            || !self.growth.is_empty()
            || self.period.is_some()
    }

    /// Returns the axes that it moves.
    pub(crate) fn axes(&self) -> Vec<Axis> {
        let strokes = self.course().map(|(_, strokes)| strokes).unwrap_or_default();
        let mut axes: Vec<Axis> = strokes.iter().flatten().map(|aim| aim.axis).collect();
        axes.sort_unstable();
        axes.dedup();
        axes
    }

    /// Returns the shape and the strokes: of one round, or to the posture.
    pub(crate) fn course(&self) -> Result<(Shape, Vec<Vec<Aim>>), Refusal> {
        let aims = |dir: Option<Dir>| -> Result<Vec<Aim>, Refusal> {
            let mut all: Vec<Aim> = Vec::new();
            for part in &self.parts {
                for aim in
                    aims(self.verb, *part, dir, self.size.map(|(_, unit)| unit).or(self.unit_of_role()))?
                {
                    if !all.iter().any(|one| one.axis == aim.axis) {
                        all.push(aim);
                    }
                }
            }
            Ok(all)
        };
        let antennas = self.parts.iter().all(|part| is_antenna(*part)) && !self.parts.is_empty();
        let mut dirs = self.dirs.clone();
        if dirs.contains(&Dir::Sides) {
            dirs = vec![Dir::Left, Dir::Right];
        }
        let pair = dirs.len() == 2 && dirs.first().map(|dir| dir.opposite()) == dirs.get(1).copied();
        if pair {
            let first = dirs.first().copied();
            // Antennas go out, and their way in is the way back.
            if antennas && !matches!(first, Some(Dir::Left | Dir::Right)) {
                let out = aims(Some(Dir::Out))?;
                let strokes = if self.is_alternating {
                    out.into_iter().map(|aim| vec![aim]).collect()
                } else {
                    vec![out]
                };
                return Ok((Shape::Beat, strokes));
            }
            let strokes = vec![aims(first)?, aims(dirs.get(1).copied())?];
            return Ok((Shape::Sway, strokes));
        }
        if dirs.len() > 1 {
            let mut all: Vec<Aim> = Vec::new();
            for dir in &dirs {
                for aim in aims(Some(*dir))? {
                    if all.iter().any(|one| one.axis == aim.axis) {
                        return Err((
                            "one part cannot go in two directions at the same moment".to_owned(),
                            "say which comes first, for example: left and then right".to_owned(),
                        ));
                    }
                    all.push(aim);
                }
            }
            return Ok((if self.verb.directed_go { Shape::Go } else { self.verb.shape }, vec![all]));
        }
        let dir = dirs.first().copied();
        let mut shape = self.verb.shape;
        if dir.is_some() && self.verb.directed_go {
            shape = Shape::Go;
        }
        if self.is_alternating && antennas && shape != Shape::Sway {
            let strokes = aims(dir)?.into_iter().map(|aim| vec![aim]).collect();
            return Ok((Shape::Beat, strokes));
        }
        // "Wag your body" goes to both sides.
        if self.verb.name() == "wiggle" && dir.is_none() && !antennas && !self.is_alternating {
            return Ok((Shape::Sway, vec![aims(Some(Dir::Left))?, aims(Some(Dir::Right))?]));
        }
        match (shape, dir) {
            (Shape::Sway, _) if antennas => Ok((Shape::Beat, vec![aims(dir)?])),
            (Shape::Sway, None) => Ok((Shape::Sway, vec![aims(Some(Dir::Left))?, aims(Some(Dir::Right))?])),
            (
                Shape::Sway,
                Some(dir @ (Dir::Up | Dir::Down | Dir::Left | Dir::Right | Dir::Forward | Dir::Back)),
            ) => Ok((Shape::Sway, vec![aims(Some(dir))?, aims(Some(dir.opposite()))?])),
            (Shape::Go, None) if self.verb.dir.is_none() => {
                // A movement without a direction goes there and back.
                if antennas {
                    return Ok((Shape::Beat, vec![aims(None)?]));
                }
                Ok((Shape::Sway, vec![aims(Some(Dir::Left))?, aims(Some(Dir::Right))?]))
            }
            _ => Ok((shape, vec![aims(dir.or(self.verb.dir))?])),
        }
    }

    fn unit_of_role(&self) -> Option<Unit> {
        match self.size_role {
            Some(Role::Degrees) => Some(Unit::Degrees),
            Some(Role::Millimetres) => Some(Unit::Millimetres),
            _ => None,
        }
    }

    /// Returns the act as words: "tilts the head left".
    pub(crate) fn label(&self) -> String {
        let verb = self.verb.name();
        let ending = if verb.ends_with("sh") || verb.ends_with('o') { "es" } else { "s" };
        let mut text = format!("{verb}{ending}");
        let is_usual = self.verb.part.is_some() && self.parts.first().copied() == self.verb.part;
        if !is_usual {
            let parts: Vec<&str> = self.parts.iter().map(|part| part_words(*part)).collect();
            text = format!("{text} the {}", parts.join(" and the "));
        }
        for dir in &self.dirs {
            text = format!("{text} {}", dir.word());
        }
        text
    }

    /// Returns the act as a part of a name: "tilt_left".
    pub(crate) fn name(&self) -> String {
        let mut text = self.verb.name().to_owned();
        if self.parts.first().copied() != self.verb.part {
            let part = match self.parts.first() {
                Some(PartRef::Body) => "_body",
                Some(PartRef::LeftAntenna) => "_left_antenna",
                Some(PartRef::RightAntenna) => "_right_antenna",
                Some(PartRef::BothAntennas) => "_antennas",
                _ => "",
            };
            text += part;
        }
        if let Some(dir) = self.dirs.first() {
            text += "_";
            text += match dir {
                Dir::Sides => "sideways",
                dir => dir.word(),
            };
        }
        text
    }
}

fn part_words(part: PartRef) -> &'static str {
    match part {
        PartRef::Head => "head",
        PartRef::Chin => "chin",
        PartRef::Body => "body",
        PartRef::LeftAntenna | PartRef::LeftOne => "left antenna",
        PartRef::RightAntenna | PartRef::RightOne => "right antenna",
        PartRef::BothAntennas | PartRef::BothOnes => "antennas",
        PartRef::Other | PartRef::OtherSide => "other one",
    }
}

pub(crate) const fn is_antenna(part: PartRef) -> bool {
    matches!(
        part,
        PartRef::LeftAntenna
            | PartRef::RightAntenna
            | PartRef::BothAntennas
            | PartRef::LeftOne
            | PartRef::RightOne
    )
}

/// Returns the axes of a part.
pub(crate) fn axes_of(part: PartRef) -> Vec<Axis> {
    match part {
        PartRef::Head | PartRef::Chin => Axis::HEAD.to_vec(),
        PartRef::Body => vec![Axis::BodyTurn],
        PartRef::LeftAntenna | PartRef::LeftOne => vec![Axis::AntennaLeft],
        PartRef::RightAntenna | PartRef::RightOne => vec![Axis::AntennaRight],
        PartRef::BothAntennas | PartRef::BothOnes => Axis::ANTENNAS.to_vec(),
        PartRef::Other | PartRef::OtherSide => Vec::new(),
    }
}

/// Where an axis goes, in a direction from neutral.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Aim {
    pub axis: Axis,
    pub direction: Direction,
    /// The usual size, degrees or millimetres.
    pub size: f64,
    /// Whether the size is fixed by the word: upright.
    pub is_fixed: bool,
}

/// Returns the target of an axis in a direction.
pub(crate) fn target(axis: Axis, direction: Direction) -> Option<Target> {
    Target::ALL.into_iter().find(|target| *target.axes() == [axis] && target.direction() == direction)
}

fn aims(verb: &Verb, part: PartRef, dir: Option<Dir>, unit: Option<Unit>) -> Result<Vec<Aim>, Refusal> {
    let aim = |axis: Axis, direction: Direction, usual: f64| Aim {
        axis,
        direction,
        size: verb.size.unwrap_or(usual),
        is_fixed: false,
    };
    let impossible = |what: &str, hint: &str| Err((what.to_owned(), hint.to_owned()));
    if is_antenna(part) {
        if unit == Some(Unit::Millimetres) {
            return impossible("an antenna turns and has no length to move by", "give its angle in degrees");
        }
        let dir = dir.or(verb.dir).unwrap_or(Dir::Out);
        return Ok(axes_of(part).into_iter().map(|axis| antenna_aim(verb, axis, dir)).collect());
    }
    if part == PartRef::Body {
        return match dir.or(verb.dir) {
            _ if unit == Some(Unit::Millimetres) => {
                impossible("the body only turns", "give an angle in degrees")
            }
            Some(Dir::Right) => Ok(vec![aim(Axis::BodyTurn, Direction::Right, 45.0)]),
            Some(Dir::Left) | None => Ok(vec![aim(Axis::BodyTurn, Direction::Left, 45.0)]),
            Some(dir) if verb.dir == Some(dir) && matches!(verb.mode, Mode::Pitch) => {
                Ok(vec![Aim { axis: Axis::HeadPitch, ..aim(Axis::HeadPitch, Direction::Down, 20.0) }])
            }
            Some(_) => impossible(
                "the body only turns to the left and to the right",
                "say it of the head, or turn the body",
            ),
        };
    }
    let is_mm = unit == Some(Unit::Millimetres);
    let is_degrees = unit == Some(Unit::Degrees);
    let mode = match verb.mode {
        Mode::Wiggle => Mode::Tilt,
        Mode::Rise if part == PartRef::Chin => Mode::Look,
        Mode::Move if part == PartRef::Chin => Mode::Look,
        mode => mode,
    };
    use Dir::{Back, Down, Forward, In, Left, Out, Right, Sides, Straight, Up};
    let dir = dir.or(verb.dir).unwrap_or(Left);
    let side = if dir == Left { Direction::Left } else { Direction::Right };
    // "Bows to the left": down, and turned.
    if mode == Mode::Pitch && matches!(dir, Left | Right) && !is_mm {
        let turn = Aim { size: 25.0, ..aim(Axis::HeadTurn, side, 25.0) };
        return Ok(vec![aim(Axis::HeadPitch, Direction::Down, 20.0), turn]);
    }
    let one = match (dir, mode) {
        (Left | Right, Mode::Shift) => aim(Axis::HeadSide, side, 12.0),
        (Left | Right, _) if is_mm => aim(Axis::HeadSide, side, 12.0),
        (Left | Right, Mode::Tilt | Mode::Lean | Mode::Rise) => aim(Axis::HeadTilt, side, 20.0),
        (Left | Right, _) => aim(Axis::HeadTurn, side, 30.0),
        // "Lifts the head straight up".
        (Up | Straight, Mode::Rise | Mode::Shift) if !is_degrees => aim(Axis::HeadRise, Direction::Up, 12.0),
        (Down, Mode::Rise | Mode::Shift) if !is_degrees => aim(Axis::HeadRise, Direction::Down, 18.0),
        // "Push the head up" lifts it.
        (Up | Straight, Mode::Move) if verb.name() == "push" && !is_degrees => {
            aim(Axis::HeadRise, Direction::Up, 12.0)
        }
        (Down, Mode::Move) if verb.name() == "push" && !is_degrees => {
            aim(Axis::HeadRise, Direction::Down, 18.0)
        }
        (Up | Straight, _) if is_mm => aim(Axis::HeadRise, Direction::Up, 12.0),
        (Down, _) if is_mm => aim(Axis::HeadRise, Direction::Down, 18.0),
        (Up | Straight, _) => aim(Axis::HeadPitch, Direction::Up, 20.0),
        (Down, _) => aim(Axis::HeadPitch, Direction::Down, 20.0),
        (Forward, Mode::Tilt | Mode::Pitch | Mode::Look) if !is_mm => {
            aim(Axis::HeadPitch, Direction::Down, 15.0)
        }
        (Forward, _) if is_degrees => aim(Axis::HeadPitch, Direction::Down, 15.0),
        (Back, Mode::Tilt | Mode::Pitch | Mode::Look) if !is_mm => aim(Axis::HeadPitch, Direction::Up, 15.0),
        (Back, _) if is_degrees => aim(Axis::HeadPitch, Direction::Up, 15.0),
        (Forward | Out, _) => aim(Axis::HeadForward, Direction::Forward, 15.0),
        (Back | In, _) => aim(Axis::HeadForward, Direction::Back, 15.0),
        (Sides, _) => aim(Axis::HeadTurn, Direction::Left, 30.0),
    };
    if is_mm && !one.axis.is_shift() {
        return impossible("an angle is given in degrees", "say, for example, 20 degrees");
    }
    if is_degrees && one.axis.is_shift() {
        return impossible("a shift of the head is given in millimetres", "say, for example, 10 mm");
    }
    Ok(vec![one])
}

fn antenna_aim(verb: &Verb, axis: Axis, dir: Dir) -> Aim {
    let is_left = axis == Axis::AntennaLeft;
    let (direction, size, is_fixed) = match dir {
        Dir::Straight => (Direction::Outward, 0.0, true),
        Dir::In => (Direction::Inward, 35.0, false),
        Dir::Down | Dir::Back => (Direction::Outward, 100.0, false),
        Dir::Left if !is_left => (Direction::Inward, 40.0, false),
        Dir::Right if is_left => (Direction::Inward, 40.0, false),
        Dir::Up => (Direction::Outward, 50.0, false),
        _ => (Direction::Outward, verb.size.unwrap_or(50.0), false),
    };
    let size = if is_fixed || verb.mode == Mode::Rise { size } else { verb.size.unwrap_or(size) };
    Aim { axis, direction, size, is_fixed }
}

/// The nodes of a plan.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are acts")]
pub(crate) enum Node {
    Act(Act),
    Pause(Amount),
    /// Back to neutral: these axes, or all.
    Return {
        axes: Option<Vec<Axis>>,
        pace: f64,
        seconds: Option<f64>,
    },
    Sound,
    Photo,
    Raw {
        label: String,
        name: String,
        steps: Vec<Step>,
    },
    Sequence(Vec<Node>),
    Together(Vec<Node>),
    Times {
        count: u32,
        is_set: bool,
        pause: Option<f64>,
        nodes: Vec<Node>,
    },
    React {
        trigger: Trigger,
        event: Event,
        seconds: Option<Amount>,
        nodes: Vec<Node>,
    },
    /// The last one of those of a reaction: if the event does not come.
    Otherwise(Vec<Node>),
}

impl Node {
    /// Visits the acts inside.
    pub(crate) fn acts<'a>(&'a self, visit: &mut dyn FnMut(&'a Node)) {
        visit(self);
        match self {
            Node::Sequence(nodes)
            | Node::Together(nodes)
            | Node::Otherwise(nodes)
            | Node::Times { nodes, .. }
            | Node::React { nodes, .. } => {
                nodes.iter().for_each(|node| node.acts(visit));
            }
            _ => {}
        }
    }
}
