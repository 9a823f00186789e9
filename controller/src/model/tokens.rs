//! How many tokens a question has, by a rule of thumb that is rather too high.

use serde_json::Value;

/// What a picture counts. Servers count from 85 to some 1500.
const PICTURE: u64 = 1000;

/// What frames one message.
const MESSAGE: u64 = 4;

/// A text's tokens: words of prose have about four letters each, signs stand two to a token, and letters beyond ASCII one.
pub(super) fn of_text(text: &str) -> u64 {
    let (mut letters, mut signs, mut others) = (0_u64, 0_u64, 0_u64);
    for character in text.chars() {
        match character {
            ' ' | 'a'..='z' | 'A'..='Z' => letters += 1,
            _ if character.is_ascii() => signs += 1,
            _ => others += 1,
        }
    }
    letters.div_ceil(4) + signs.div_ceil(2) + others
}

/// A request's tokens: its messages, and the schemas and functions that the model is shown.
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
        Value::String(text) if text.starts_with("data:image/") => PICTURE,
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
    fn the_rule_of_thumb_is_near_and_rather_too_high() {
        // In common tokenizers each of these words and signs is one token.
        for (text, real) in
            [("Please look to the left and nod.", 8_u64), ("a + b = c", 5), ("\u{4f60}\u{597d}", 2)]
        {
            let guess = of_text(text);
            assert!((real * 4 / 5..=real * 2).contains(&guess), "{text}: {guess} for {real}");
        }
    }

    #[test]
    fn pictures_count_alike_however_large() {
        let of = |bytes: usize| {
            let url = format!("data:image/jpeg;base64,{}", "A".repeat(bytes));
            of_request(&json!({"messages": [{"role": "user", "content": [{"image_url": {"url": url}}]}]}))
        };
        assert_eq!(of(10), of(1_000_000));
        assert!(of(10) >= PICTURE);
    }
}
