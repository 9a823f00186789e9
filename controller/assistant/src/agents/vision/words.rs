//! Describes detections: what, where and how sure. Everything here is pure.

use minismith_commands::describe::{Sights, sights};
use minismith_control::seen::Object;

/// The maximum number of objects described one by one.
const MAX_LISTED: usize = 6;

/// Describes one object, such as "a person a little to my left, about 0.8 m away (93 % sure)".
pub(super) fn one(object: &Object, phrases: &Sights) -> String {
    let [x, y, z] = object.position;
    let distance = x.hypot(y).hypot(z);
    let sure = (object.score * 100.0).round();
    let label = phrases.labels.get(object.label).map_or(object.label, String::as_str);
    phrases
        .one
        .replace("{what}", label)
        .replace("{where}", &position(object, phrases))
        .replace("{distance}", &format!("{distance:.1}"))
        .replace("{sure}", &sure.to_string())
}

/// Describes one object in English.
pub(super) fn in_english(object: &Object) -> String {
    sights("en").map(|phrases| one(object, phrases)).unwrap_or_default()
}

/// Describes several objects. Returns `None` without objects.
pub(super) fn list(objects: &[Object], phrases: &Sights) -> Option<String> {
    let mut reported: Vec<String> =
        objects.iter().take(MAX_LISTED).map(|object| one(object, phrases)).collect();
    if objects.len() > MAX_LISTED {
        reported.push(phrases.more.replace("{n}", &(objects.len() - MAX_LISTED).to_string()));
    }
    let last = reported.pop()?;
    Some(if reported.is_empty() { last } else { format!("{}{}{last}", reported.join(", "), phrases.and) })
}

/// Describes the direction of an object, seen from the robot.
pub(super) fn position(object: &Object, phrases: &Sights) -> String {
    let [x, y, z] = object.position;
    let (azimuth, elevation) = (y.atan2(x).to_degrees(), z.atan2(x.hypot(y)).to_degrees());
    let side = if azimuth > 0.0 { &phrases.left } else { &phrases.right };
    let across = match azimuth.abs() {
        off if off < 8.0 => phrases.ahead.clone(),
        off if off < 25.0 => phrases.a_little.replace("{side}", side),
        off if off < 110.0 => side.clone(),
        _ => phrases.behind.clone(),
    };
    match elevation {
        up if up > 20.0 => format!("{across} {}", phrases.up),
        down if down < -20.0 => format!("{across} {}", phrases.down),
        _ => across,
    }
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
    use minismith_perception::detect::LABELS;

    fn object(label: &'static str, position: [f64; 3]) -> Object {
        Object { label, score: 0.934, bounds: [0.0; 4], position }
    }

    #[test]
    fn every_class_has_a_name_in_every_language() {
        for language in ["en", "de", "fr", "es", "it", "zh"] {
            let known = &sights(language).unwrap().labels;
            let missing: Vec<&str> = LABELS.into_iter().filter(|label| !known.contains_key(*label)).collect();
            assert!(missing.is_empty() && known.len() == LABELS.len(), "{language}: {missing:?}");
        }
    }

    #[test]
    fn objects_are_described_by_class_position_and_confidence() {
        let person = object("person", [0.75, 0.2, 0.1]);
        let en = sights("en").unwrap();
        assert_eq!(one(&person, en), "a person a little to my left, about 0.8 m away (93 % sure)");
        let cup = object("cup", [0.5, -0.5, -0.4]);
        let both = list(&[person.clone(), cup.clone()], en).unwrap();
        assert!(both.contains(" and a cup to my right and down, about 0.8 m away"), "{both}");
        assert_eq!(list(&[], en), None);
        let german = list(&[person.clone(), cup.clone()], sights("de").unwrap()).unwrap();
        assert!(german.starts_with("eine Person ein wenig links von mir, etwa 0.8 m entfernt"), "{german}");
        assert!(german.contains(" und eine Tasse rechts von mir und unten"), "{german}");
        assert!(list(&vec![cup; 9], en).unwrap().ends_with("and 3 more"));
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
