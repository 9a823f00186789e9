//! Describes detections: what, where and how sure. Everything here is pure.

use minismith_control::seen::Object;

/// The maximum number of objects described one by one.
const MAX_LISTED: usize = 6;

/// Describes one object, such as "a person a little to my left, about 0.8 m away (93 % sure)".
pub(super) fn one(object: &Object) -> String {
    let [x, y, z] = object.position;
    let distance = x.hypot(y).hypot(z);
    let sure = (object.score * 100.0).round();
    format!("{} {}, about {distance:.1} m away ({sure} % sure)", article(object.label), position(object))
}

/// Describes several objects. Returns `None` without objects.
pub(super) fn list(objects: &[Object]) -> Option<String> {
    let mut reported: Vec<String> = objects.iter().take(MAX_LISTED).map(one).collect();
    if objects.len() > MAX_LISTED {
        reported.push(format!("{} more", objects.len() - MAX_LISTED));
    }
    let last = reported.pop()?;
    Some(if reported.is_empty() { last } else { format!("{} and {last}", reported.join(", ")) })
}

/// Describes the direction of an object, seen from the robot.
pub(super) fn position(object: &Object) -> String {
    let [x, y, z] = object.position;
    let (azimuth, elevation) = (y.atan2(x).to_degrees(), z.atan2(x.hypot(y)).to_degrees());
    let side = if azimuth > 0.0 { "left" } else { "right" };
    let across = match azimuth.abs() {
        off if off < 8.0 => "straight ahead".to_owned(),
        off if off < 25.0 => format!("a little to my {side}"),
        off if off < 110.0 => format!("to my {side}"),
        _ => "behind me".to_owned(),
    };
    let height = match elevation {
        up if up > 20.0 => " and up",
        down if down < -20.0 => " and down",
        _ => "",
    };
    across + height
}

/// Returns a label with its article: "a cup", "an apple", "scissors".
pub(super) fn article(label: &str) -> String {
    match label.chars().next() {
        _ if label.ends_with('s') && !matches!(label, "bus") => label.to_owned(),
        Some('a' | 'e' | 'i' | 'o') | Some('u') if !label.starts_with("uni") => format!("an {label}"),
        _ => format!("a {label}"),
    }
}

/// Returns the plural of a label.
pub(super) fn plural(label: &str) -> String {
    match label {
        "person" => "people".into(),
        "knife" => "knives".into(),
        "mouse" => "mice".into(),
        "sheep" | "skis" | "scissors" | "broccoli" => label.into(),
        _ if label.ends_with("ch") || label.ends_with("sh") || label.ends_with('s') => format!("{label}es"),
        _ => format!("{label}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(label: &'static str, position: [f64; 3]) -> Object {
        Object { label, score: 0.934, bounds: [0.0; 4], position }
    }

    #[test]
    fn objects_are_described_by_class_position_and_confidence() {
        let person = object("person", [0.75, 0.2, 0.1]);
        assert_eq!(one(&person), "a person a little to my left, about 0.8 m away (93 % sure)");
        let cup = object("cup", [0.5, -0.5, -0.4]);
        let both = list(&[person.clone(), cup.clone()]).unwrap();
        assert!(both.contains(" and a cup to my right and down, about 0.8 m away"), "{both}");
        assert_eq!(list(&[]), None);
        assert!(list(&vec![cup; 9]).unwrap().ends_with("and 3 more"));
        assert_eq!(
            (article("apple"), article("scissors"), article("bus")),
            ("an apple".into(), "scissors".into(), "a bus".into())
        );
        assert_eq!(
            (plural("bench"), plural("person"), plural("cup")),
            ("benches".into(), "people".into(), "cups".into())
        );
    }
}
