//! Gestures of several motions: a bow, and expressions of feelings on a robot without a face.

use std::time::Duration;

use firmware_bridge::units::Radians;

use super::primitive::{self as p, Look, Primitive, Side};

/// Words that may precede a feeling.
const LEADS: &[&str] = &[
    "be",
    "act",
    "look",
    "seem",
    "show",
    "show me",
    "express",
    "show me that you are",
    "show that you are",
    "show me you are",
    "show me how you are",
    "pretend to be",
    "pretend you are",
    "act like you are",
    "act as if you are",
    "make yourself look",
];

#[derive(Clone, Copy)]
enum Gesture {
    Bow,
    Happy,
    Sad,
    Curious,
    Surprised,
}

const FEELINGS: &[(&str, Gesture)] = &[
    ("happy", Gesture::Happy),
    ("glad", Gesture::Happy),
    ("joyful", Gesture::Happy),
    ("excited", Gesture::Happy),
    ("cheerful", Gesture::Happy),
    ("happiness", Gesture::Happy),
    ("joy", Gesture::Happy),
    ("sad", Gesture::Sad),
    ("unhappy", Gesture::Sad),
    ("sadness", Gesture::Sad),
    ("curious", Gesture::Curious),
    ("interested", Gesture::Curious),
    ("curiosity", Gesture::Curious),
    ("surprised", Gesture::Surprised),
    ("astonished", Gesture::Surprised),
    ("surprise", Gesture::Surprised),
];

const BOWS: &[&str] = &["bow", "bow down", "bow your head", "bow politely", "bow to me", "bow to us"];

/// Returns the motions of the gesture with which these words begin, and how many words it takes.
pub(super) fn gesture(words: &[Option<&str>]) -> Option<(Vec<Primitive>, usize)> {
    let begins = |phrase: &str| {
        let count = phrase.split(' ').count();
        let same = phrase.split(' ').enumerate().all(|(at, part)| words.get(at) == Some(&Some(part)));
        same.then_some(count)
    };
    if let Some(count) = BOWS.iter().filter_map(|phrase| begins(phrase)).max() {
        return Some((motions(Gesture::Bow), count));
    }
    let lead = LEADS.iter().filter_map(|phrase| begins(phrase)).max()?;
    let filler = |word: Option<&str>| matches!(word, Some("very" | "really" | "more" | "a" | "bit" | "some"));
    let at = lead + words.iter().skip(lead).take_while(|word| filler(**word)).count();
    let feeling = words.get(at).copied().flatten()?;
    let (_, gesture) = FEELINGS.iter().find(|(word, _)| *word == feeling)?;
    Some((motions(*gesture), at + 1))
}

fn motions(gesture: Gesture) -> Vec<Primitive> {
    let look = |direction, angle| Primitive::Look { direction, angle, duration: p::head_duration(angle) };
    let antennas = |degrees| {
        let angle = Radians::from_degrees(degrees);
        Primitive::SetAntennas { right: Some(angle), left: Some(angle), duration: p::antenna_duration(angle) }
    };
    match gesture {
        Gesture::Bow => vec![
            look(Look::Down, Radians::from_degrees(30.0)),
            Primitive::Wait { duration: Duration::from_secs(1) },
            look(Look::Ahead, Radians::ZERO),
        ],
        Gesture::Happy => vec![
            Primitive::WiggleAntennas { times: 3, half: p::HALF_SWING_TIME },
            Primitive::Nod { times: 2, angle: p::DEFAULT_SWING, half: p::HALF_SWING_TIME },
        ],
        Gesture::Sad => vec![look(Look::Down, p::DEFAULT_LOOK), antennas(150.0)],
        Gesture::Curious => vec![
            Primitive::Tilt {
                side: Side::Left,
                angle: p::DEFAULT_TILT,
                duration: p::head_duration(p::DEFAULT_TILT),
            },
            antennas(0.0),
        ],
        Gesture::Surprised => {
            vec![
                antennas(0.0),
                Primitive::Height { metres: p::DEFAULT_HEIGHT_M, duration: p::DEFAULT_AIM_TIME },
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gestures_stay_within_the_ranges() {
        let all = [Gesture::Bow, Gesture::Happy, Gesture::Sad, Gesture::Curious, Gesture::Surprised];
        for primitive in all.into_iter().flat_map(motions) {
            assert_eq!(primitive.check(), Ok(()));
        }
    }

    #[test]
    fn feelings_need_a_verb_that_shows_them() {
        let words = |text: &'static str| text.split(' ').map(Some).collect::<Vec<_>>();
        assert_eq!(gesture(&words("be very happy")).map(|(_, taken)| taken), Some(3));
        assert_eq!(gesture(&words("show me that you are sad")).map(|(_, taken)| taken), Some(6));
        assert!(gesture(&words("happy hello")).is_none() && gesture(&words("be quick")).is_none());
    }
}
