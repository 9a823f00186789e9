//! Figures of several axes: a circle of the head, and a dance to a tempo.

use minismith_score::{Move, Number, Part, Step, Target};

use crate::act::Node;
use crate::emit::tidy;

fn head(targets: &[(Target, f64)], seconds: f64) -> Step {
    movement(Part::Head, targets, seconds)
}

fn movement(part: Part, targets: &[(Target, f64)], seconds: f64) -> Step {
    let targets = targets.iter().map(|(target, value)| (*target, Number::Value(*value))).collect();
    Step::Move(Move {
        part,
        targets,
        seconds: Some(Number::Value(tidy(seconds.clamp(0.1, 60.0)))),
        easing: None,
    })
}

/// The head looks along a circle.
pub(crate) fn circle() -> Node {
    use Target::{HeadDown, HeadLeft, HeadRight, HeadUp};
    let steps = vec![
        head(&[(HeadLeft, 0.0), (HeadUp, 15.0)], 0.6),
        head(&[(HeadRight, 20.0), (HeadUp, 0.0)], 0.8),
        head(&[(HeadRight, 0.0), (HeadDown, 15.0)], 0.8),
        head(&[(HeadLeft, 20.0), (HeadDown, 0.0)], 0.8),
        head(&[(HeadLeft, 0.0), (HeadUp, 15.0)], 0.8),
        head(&[(HeadLeft, 0.0), (HeadUp, 0.0)], 0.6),
    ];
    Node::Raw { label: "draws a circle with the head".to_owned(), name: "circle".to_owned(), steps }
}

/// A dance in bars of four beats, each of `beat` seconds.
pub(crate) fn dance(beat: f64, seconds: Option<f64>, beats: Option<u32>) -> Node {
    // Faster beats than the body can follow are danced at half the tempo.
    let beat = if beat < 0.3 { beat * 2.0 } else { beat }.clamp(0.25, 3.0);
    let length = beats.map(|beats| f64::from(beats) * beat).or(seconds).unwrap_or(16.0 * beat);
    let bars = (length / (4.0 * beat)).round().clamp(1.0, 50.0);
    let repeat = |times: f64, steps: Vec<Step>| Step::Repeat { times: Number::Value(times), steps };
    let sway = repeat(
        bars,
        vec![
            movement(Part::Body, &[(Target::BodyLeft, 15.0)], 2.0 * beat),
            movement(Part::Body, &[(Target::BodyRight, 15.0)], 2.0 * beat),
        ],
    );
    let bob = repeat(
        (2.0 * bars).min(50.0),
        vec![
            head(&[(Target::HeadDown, 8.0), (Target::HeadTiltLeft, 8.0)], beat),
            head(&[(Target::HeadDown, 0.0), (Target::HeadTiltRight, 8.0)], beat),
        ],
    );
    let ears = repeat(
        (2.0 * bars).min(50.0),
        vec![
            movement(Part::Antennas, &[(Target::AntennaLeft, 45.0), (Target::AntennaRight, 10.0)], beat),
            movement(Part::Antennas, &[(Target::AntennaLeft, 10.0), (Target::AntennaRight, 45.0)], beat),
        ],
    );
    let home = Step::Together(vec![
        movement(Part::Body, &[(Target::BodyRight, 0.0)], 0.6),
        head(&[(Target::HeadDown, 0.0), (Target::HeadTiltRight, 0.0)], 0.6),
        movement(Part::Antennas, &[(Target::AntennasBothInward, 10.0)], 0.6),
    ]);
    let steps = vec![Step::Together(vec![sway, bob, ears]), home];
    Node::Raw { label: "dances".to_owned(), name: "dance".to_owned(), steps }
}
