//! Parses quantities in words and digits: "twenty-five degrees", "half a second", "a couple of times", "20
//! deg", "twice".

use firmware_bridge::units::Radians;

use super::decimal::plain;
use super::parser::Error;
use super::primitive::{MAX_TIMES, OutOfRange};
use super::tokenize::{Kind, Token};

/// A number with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Quantity {
    /// An angle in degrees or radians.
    Angle(Radians),
    /// Seconds.
    Seconds(f64),
    /// Metres.
    Metres(f64),
    /// A count.
    Times(f64),
    /// A number without a unit.
    Bare(f64),
}

/// Returns the quantity with which these tokens begin, and how many tokens it takes.
pub(super) fn quantity(tokens: &[Token]) -> Option<(Quantity, usize)> {
    let times = match word(tokens, 0) {
        Some("once") => Some(1.0),
        Some("twice") => Some(2.0),
        Some("thrice") => Some(3.0),
        _ => None,
    };
    if let Some(times) = times {
        return Some((Quantity::Times(times), 1));
    }
    let (value, mut taken) = number(tokens)?;
    let bare = taken;
    if word(tokens, taken) == Some("of") {
        taken += 1;
    }
    if matches!(word(tokens, taken), Some("a" | "an" | "more")) {
        taken += 1;
    }
    let unit = word(tokens, taken).and_then(|unit| with_unit(value, unit));
    Some(unit.map_or((Quantity::Bare(value), bare), |quantity| (quantity, taken + 1)))
}

/// Converts a number to a count; it must be whole.
pub(super) fn count(times: f64, what: &str) -> Result<u32, Error> {
    if times.fract() == 0.0 && (1.0..=f64::from(MAX_TIMES)).contains(&times) {
        return Ok(times as u32);
    }
    let what = format!("{what} {} times", plain(times));
    Err(Error::Range(OutOfRange { what, allowed: format!("a whole number from 1 to {MAX_TIMES}") }))
}

fn with_unit(value: f64, unit: &str) -> Option<Quantity> {
    Some(match unit {
        "deg" | "degs" | "degree" | "degrees" => Quantity::Angle(Radians::from_degrees(value)),
        "rad" | "rads" | "radian" | "radians" => Quantity::Angle(Radians(value)),
        "s" | "sec" | "secs" | "second" | "seconds" | "moment" => Quantity::Seconds(value),
        "ms" | "millisecond" | "milliseconds" => Quantity::Seconds(value / 1e3),
        "min" | "mins" | "minute" | "minutes" => Quantity::Seconds(value * 60.0),
        "h" | "hour" | "hours" => Quantity::Seconds(value * 3600.0),
        "m" | "metre" | "metres" | "meter" | "meters" => Quantity::Metres(value),
        "cm" | "centimetre" | "centimetres" | "centimeter" | "centimeters" => Quantity::Metres(value / 1e2),
        "mm" | "millimetre" | "millimetres" | "millimeter" | "millimeters" => Quantity::Metres(value / 1e3),
        "time" | "times" | "x" => Quantity::Times(value),
        _ => return None,
    })
}

/// Returns the number with which these tokens begin, and how many tokens it takes.
pub(super) fn number(tokens: &[Token]) -> Option<(f64, usize)> {
    if matches!(word(tokens, 0), Some("minus" | "negative")) {
        let (value, taken) = number(tokens.get(1..)?)?;
        return Some((-value, taken + 1));
    }
    if let Some(fraction) = fraction(tokens) {
        return Some(fraction);
    }
    let (mut value, mut taken) = match tokens.first()?.kind {
        Kind::Number(value) => (value, 1),
        _ => cardinal(tokens)?,
    };
    if word(tokens, taken) == Some("point") {
        let digits = tokens.iter().skip(taken + 1).map_while(|token| token.word().and_then(ones));
        let mut scale = 1.0;
        for digit in digits.take(6) {
            scale /= 10.0;
            value += digit * scale;
            taken += 1;
        }
        taken += usize::from(scale < 1.0);
    }
    if word(tokens, taken) == Some("and")
        && let Some((part, more)) = tokens.get(taken + 1..).and_then(fraction)
    {
        value += part;
        taken += 1 + more;
    }
    Some((value, taken))
}

/// Parses "half", "a half", "a quarter" or "three quarters".
fn fraction(tokens: &[Token]) -> Option<(f64, usize)> {
    let (count, skip) = match word(tokens, 0)? {
        "a" | "an" | "one" => (1.0, 1),
        "three" => (3.0, 1),
        _ => (1.0, 0),
    };
    match word(tokens, skip)? {
        "half" => Some((0.5 * count, skip + 1)),
        "quarter" | "quarters" => Some((0.25 * count, skip + 1)),
        _ => None,
    }
}

/// Parses a whole number in words, up to the hundreds.
fn cardinal(tokens: &[Token]) -> Option<(f64, usize)> {
    let first = word(tokens, 0)?;
    let (value, taken) = match first {
        "a" | "an" => match word(tokens, 1)? {
            "couple" => return Some((2.0, 2)),
            "few" => return Some((3.0, 2)),
            "hundred" => (1.0, 1),
            unit if with_unit(1.0, unit).is_some() => return Some((1.0, 1)),
            _ => return None,
        },
        "couple" => return Some((2.0, 1)),
        _ => below_hundred(tokens)?,
    };
    if word(tokens, taken) != Some("hundred") {
        return Some((value, taken));
    }
    let and = usize::from(word(tokens, taken + 1) == Some("and"));
    let rest = tokens.get(taken + 1 + and..).and_then(below_hundred);
    Some(
        rest.map_or((value * 100.0, taken + 1), |(rest, more)| {
            (value * 100.0 + rest, taken + 1 + and + more)
        }),
    )
}

fn below_hundred(tokens: &[Token]) -> Option<(f64, usize)> {
    let first = word(tokens, 0)?;
    if let Some(value) = ones(first).or_else(|| teens(first)) {
        return Some((value, 1));
    }
    let tens = tens(first)?;
    let ones = word(tokens, 1).and_then(ones).filter(|&ones| ones > 0.0);
    Some(ones.map_or((tens, 1), |ones| (tens + ones, 2)))
}

fn ones(word: &str) -> Option<f64> {
    position(word, &["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
}

fn teens(word: &str) -> Option<f64> {
    let words = [
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    position(word, &words).map(|value| value + 10.0)
}

fn tens(word: &str) -> Option<f64> {
    let words = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    position(word, &words).map(|value| (value + 2.0) * 10.0)
}

fn position(word: &str, words: &[&str]) -> Option<f64> {
    words.iter().position(|candidate| *candidate == word).map(|position| position as f64)
}

fn word(tokens: &[Token], at: usize) -> Option<&str> {
    tokens.get(at).and_then(Token::word)
}

#[cfg(test)]
mod tests {
    use super::super::tokenize::tokenize;
    use super::*;

    #[test]
    fn quantities_are_parsed_with_their_length() {
        let cases = [
            ("twenty-five degrees", Quantity::Angle(Radians::from_degrees(25.0)), 3),
            ("20\u{b0}", Quantity::Angle(Radians::from_degrees(20.0)), 2),
            ("0.5 rad", Quantity::Angle(Radians(0.5)), 2),
            ("a hundred and twenty deg", Quantity::Angle(Radians::from_degrees(120.0)), 5),
            ("one hundred and nod", Quantity::Bare(100.0), 2),
            ("half a second", Quantity::Seconds(0.5), 3),
            ("a quarter of a second", Quantity::Seconds(0.25), 5),
            ("two and a half seconds", Quantity::Seconds(2.5), 5),
            ("one point two five s", Quantity::Seconds(1.25), 5),
            ("two minutes", Quantity::Seconds(120.0), 2),
            ("250ms", Quantity::Seconds(0.25), 2),
            ("a couple of times", Quantity::Times(2.0), 4),
            ("a few times", Quantity::Times(3.0), 3),
            ("twice", Quantity::Times(2.0), 1),
            ("three more times", Quantity::Times(3.0), 3),
            ("minus ten mm", Quantity::Metres(-0.01), 3),
            ("seven and nod", Quantity::Bare(7.0), 1),
            ("two and three", Quantity::Bare(2.0), 1),
        ];
        for (text, expected, taken) in cases {
            let (found, took) = quantity(&tokenize(text)).unwrap();
            let close = match (found, expected) {
                (Quantity::Angle(a), Quantity::Angle(b)) => (a - b).abs().value() < 1e-12,
                (Quantity::Seconds(a), Quantity::Seconds(b)) | (Quantity::Metres(a), Quantity::Metres(b)) => {
                    (a - b).abs() < 1e-12
                }
                (a, b) => a == b,
            };
            assert!(close && took == taken, "{text}: {found:?} from {took} tokens");
        }
        for text in ["a nod", "and", "seconds", "", "point five"] {
            assert_eq!(quantity(&tokenize(text)), None, "{text}");
        }
    }
}
