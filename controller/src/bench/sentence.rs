//! `sentence_p50` and `sentence_p99`: the time to understand a sentence without a language model, in all languages: the
//! search for stop words and the reading, up to a plan or a refusal.

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_nlu::{DialogContext, Known, interpret, is_stop};

use super::rounds::quantile;
use super::row::Row;
use super::{BenchContext, Failed};

pub(super) const NAMES: [&str; 2] = ["sentence_p50", "sentence_p99"];

/// Short, long, polite, corrected, told, misheard and foreign ones.
const SENTENCES: [&str; 24] = [
    "nod",
    "look up and left",
    "look left 20 degrees",
    "stop",
    "would you mind tilting your head a little to the right, please",
    "first nod twice, then shake your head slowly, and finally look straight ahead again",
    "turn your body left while wiggling both antennas, then wait two seconds and come back",
    "look left, no, I mean right",
    "if you see a face nod, otherwise shake your head",
    "my cat always looks left when I come home",
    "every two seconds wiggle the left antenna once, five times altogether",
    "shape your head three times",
    "what can you do",
    "make me a sandwich with cheese and tomatoes and bring it to the garden",
    "schau nach oben und links",
    "könntest du bitte zweimal nicken und dann den Kopf schütteln",
    "regarde en haut puis à gauche",
    "tu pourrais pencher un peu la tête à droite, s'il te plaît",
    "mira hacia arriba y a la izquierda",
    "asiente dos veces y luego mueve las antenas",
    "guarda in alto e a sinistra",
    "inclina la testa a destra e poi torna al centro",
    "点两下头，然后看左边",
    "请把头往右转二十度",
];

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    (context.progress)("sentences: understood without a language model");
    let before = DialogContext::default();
    let known = Known { tools: &[], before: Some(&before) };
    let read = |text: &str| {
        let clock = MonotonicClock::start();
        std::hint::black_box((is_stop(text), interpret(text, &known)));
        clock.now().seconds() * 1e3
    };
    // The first round reads the lexicons.
    SENTENCES.iter().for_each(|text| {
        read(text);
    });
    let rounds = context.pick(20, 200);
    let mut times: Vec<f64> = (0..rounds).flat_map(|_| SENTENCES.iter().map(|text| read(text))).collect();
    NAMES
        .into_iter()
        .zip([0.5, 0.99])
        .map(|(name, share)| {
            let found = quantile(&mut times, share).ok_or_else(|| Failed("no sentence was read".to_owned()));
            Row::alone(name, "ms", found)
        })
        .collect()
}
