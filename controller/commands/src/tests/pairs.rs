//! Known motions in known connections: what each pair has to give follows from its parts.

use crate::describe::describe;
use crate::reader::Reading;
use crate::texts::read;

/// A language with its motions in a fixed order, and what joins two of them.
struct Spoken {
    language: &'static str,
    /// The motions of [`TOLD`].
    orders: [&'static str; 5],
    /// `{a}` comes before `{b}`.
    one_after_another: &'static [&'static str],
    /// Both at the same time.
    at_once: &'static [&'static str],
}

/// What each order is, in the description of its meaning; all of other axes.
const TOLD: [&str; 5] =
    ["nod 2 times", "look left", "tilt right", "turn the body left", "wiggle the antennas"];

const SPOKEN: [Spoken; 6] = [
    Spoken {
        language: "en",
        orders: [
            "nod twice",
            "look left",
            "tilt your head to the right",
            "turn your body to the left",
            "wiggle your ears",
        ],
        one_after_another: &[
            "{a}, then {b}",
            "first {a}, after that {b}",
            "{b}, but first {a}",
            "{b}, but before that {a}",
            "after you {a}, {b}",
            "{a} before you {b}",
            "before you {b}, {a}",
            "{a}, wait two seconds, then {b}",
            "finally {a} and then {b}",
            "1. {a} 2. {b}",
        ],
        at_once: &["{a} and at the same time {b}", "while you {a}, {b}", "both at once: {a} and {b}"],
    },
    Spoken {
        language: "de",
        orders: [
            "nick zweimal",
            "schau nach links",
            "neig den Kopf nach rechts",
            "dreh den Körper nach links",
            "wackel mit den Ohren",
        ],
        one_after_another: &[
            "{a}, dann {b}",
            "erst {a}, dann {b}",
            "{b}, aber vorher {a}",
            "{a} und zum Schluss {b}",
            "{a}, warte zwei Sekunden, dann {b}",
            "erstens {a}, zweitens {b}",
        ],
        at_once: &["{a} und gleichzeitig {b}", "{a} und dabei {b}", "beides zusammen: {a} und {b}"],
    },
    Spoken {
        language: "fr",
        orders: [
            "hoche la tête deux fois",
            "regarde à gauche",
            "penche la tête à droite",
            "tourne le corps à gauche",
            "remue les oreilles",
        ],
        one_after_another: &[
            "{a}, puis {b}",
            "d'abord {a}, ensuite {b}",
            "{b}, mais avant {a}",
            "{b}, mais d'abord {a}",
            "{a}, attends deux secondes, puis {b}",
            "{a}, et quand tu as fini, {b}",
        ],
        at_once: &["{a} et en même temps {b}", "{a} et pendant ce temps {b}"],
    },
    Spoken {
        language: "es",
        orders: [
            "asiente dos veces",
            "mira a la izquierda",
            "inclina la cabeza a la derecha",
            "gira el cuerpo a la izquierda",
            "mueve las orejas",
        ],
        one_after_another: &[
            "{a}, luego {b}",
            "primero {a}, después {b}",
            "{b}, pero antes {a}",
            "{a} y por último {b}",
            "{a}, espera dos segundos y luego {b}",
        ],
        at_once: &["{a} y al mismo tiempo {b}", "{a} y {b} a la vez"],
    },
    Spoken {
        language: "it",
        orders: [
            "annuisci due volte",
            "guarda a sinistra",
            "inclina la testa a destra",
            "gira il corpo a sinistra",
            "muovi le orecchie",
        ],
        one_after_another: &[
            "{a}, poi {b}",
            "per prima cosa {a}, poi {b}",
            "{b}, ma prima {a}",
            "{a}, dopodiché {b}",
            "{a}, aspetta due secondi, poi {b}",
        ],
        at_once: &["{a} e intanto {b}", "{a} e {b}, tutte e due le cose insieme"],
    },
    Spoken {
        language: "zh",
        orders: ["点两下头", "往左看", "把头歪向右边", "把身体转向左边", "动动耳朵"],
        one_after_another: &["{a}，然后{b}", "先{a}，再{b}", "{a}以后，{b}", "{a}，等两秒，再{b}"],
        at_once: &["{a}，同时{b}"],
    },
];

/// Returns what a text means, in English.
fn told(text: &str, language: &str) -> String {
    match read(text, None, language).0 {
        Reading::Motion { meaning, .. } => describe(&meaning, "en"),
        other => format!("{other:?}"),
    }
}

#[test]
fn two_motions_are_joined_in_every_language_as_they_are_said() {
    let mut wrong = Vec::new();
    for Spoken { language, orders, one_after_another, at_once } in &SPOKEN {
        let places = |one: usize, other: usize, told: &str| {
            told.find(TOLD[one]).zip(told.rfind(TOLD[other])).filter(|_| told.starts_with(char::is_lowercase))
        };
        for (a, b) in (0..orders.len()).flat_map(|a| (0..orders.len()).map(move |b| (a, b))) {
            let said = |join: &str| join.replace("{a}", orders[a]).replace("{b}", orders[b]);
            for text in one_after_another.iter().map(|join| said(join)).filter(|_| a != b) {
                let told = told(&text, language);
                let is_right =
                    places(a, b, &told).is_some_and(|(one, other)| one < other) && told.contains("then");
                wrong.extend((!is_right).then(|| format!("{text}: {told}")));
            }
            for text in at_once.iter().map(|join| said(join)).filter(|_| a != b) {
                let told = told(&text, language);
                let is_right = places(a, b, &told).is_some() && !told.contains("then");
                wrong.extend((!is_right).then(|| format!("{text}: {told}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong: {:#?}", wrong.len(), wrong.iter().take(20).collect::<Vec<_>>());
}
