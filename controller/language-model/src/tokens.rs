//! Estimates the number of tokens of a request, rather too high than too low.

use serde_json::Value;

/// The tokens of an image. Servers count from 85 to about 1500.
pub(super) const IMAGE: u64 = 1000;

/// The tokens that frame one message.
const MESSAGE: u64 = 4;

/// The class of a character for a tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Space,
    Sign,
    /// A token by itself: a digit, or a letter beyond ASCII.
    Alone,
}

/// Estimates the tokens of a text.
///
/// * Words are tokens of up to six letters.
/// * Two signs are a token.
/// * White space counts beyond the single blank before a word.
/// * Digits and letters beyond ASCII count one by one.
pub(super) fn of_text(text: &str) -> u64 {
    let kind = |character: char| match character {
        'a'..='z' | 'A'..='Z' => Kind::Letter,
        ' ' | '\t' | '\n' => Kind::Space,
        '0'..='9' => Kind::Alone,
        _ if character.is_ascii() => Kind::Sign,
        _ => Kind::Alone,
    };
    let count = |kind: Kind, length: u64| match kind {
        Kind::Letter => length.div_ceil(6),
        Kind::Space => u64::from(length > 1),
        Kind::Sign => length.div_ceil(2),
        Kind::Alone => length,
    };
    let (mut tokens, mut run, mut length) = (0, Kind::Space, 0);
    for character in text.chars() {
        let kind = kind(character);
        if kind != run {
            tokens += count(run, length);
            (run, length) = (kind, 0);
        }
        length += 1;
    }
    tokens + count(run, length)
}

/// Estimates the tokens of a request: its messages, schemas and functions.
pub(super) fn of_request(request: &Value) -> u64 {
    let messages = request.get("messages").and_then(Value::as_array).into_iter().flatten();
    let shown = ["tools", "response_format"].iter().filter_map(|key| request.get(key));
    messages
        .map(|message| MESSAGE + of_value(message))
        .chain(shown.map(|shown| of_text(&shown.to_string())))
        .sum()
}

fn of_value(value: &Value) -> u64 {
    match value {
        Value::String(text) if text.starts_with("data:image/") => IMAGE,
        Value::String(text) => of_text(text),
        Value::Array(values) => values.iter().map(of_value).sum(),
        Value::Object(values) => values.values().map(of_value).sum(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_estimate_is_close_and_rather_too_high() {
        // In common tokenizers each of these words and signs is one token.
        for (text, real) in
            [("Please look to the left and nod.", 8_u64), ("a + b = c", 5), ("\u{4f60}\u{597d}", 2)]
        {
            let guess = of_text(text);
            assert!((real * 4 / 5..=real * 2).contains(&guess), "{text}: {guess} for {real}");
        }
    }

    #[test]
    fn images_count_the_same_at_any_size() {
        let of = |bytes: usize| {
            let url = format!("data:image/jpeg;base64,{}", "A".repeat(bytes));
            of_request(&json!({"messages": [{"role": "user", "content": [{"image_url": {"url": url}}]}]}))
        };
        assert_eq!(of(10), of(1_000_000));
        assert!(of(10) >= IMAGE);
    }
}
