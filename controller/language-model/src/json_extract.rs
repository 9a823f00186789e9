//! Finds JSON in a model's text, next to code fences, sentences or doubled braces.

use serde_json::Value;

/// Returns the first complete object in `text` that can be parsed.
pub(super) fn object(text: &str) -> Option<Value> {
    // What a model thought before it answered is not part of the answer.
    let text = text.rsplit_once("</think>").map_or(text, |(_, answer)| answer);
    if let Ok(value @ Value::Object(_)) = serde_json::from_str(text.trim()) {
        return Some(value);
    }
    let mut rest = text;
    // A model that writes 50 beginnings without an object writes none.
    for _ in 0..50 {
        let begin = rest.find('{')?;
        rest = rest.get(begin..)?;
        if let Some(found) = balanced(rest).and_then(read) {
            return Some(found);
        }
        rest = rest.get(1..)?;
    }
    None
}

/// Returns the text from its opening brace to the matching closing brace.
fn balanced(text: &str) -> Option<&str> {
    let (mut depth, mut in_string, mut escaped) = (0_u32, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => depth += 1,
            b'}' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            _ => {}
        }
    }
    None
}

fn read(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    // The template of some small models doubles every brace, and so do they; inside, they often forget to.
    let inner = text.strip_prefix('{')?.strip_suffix('}')?.trim();
    let single = inner.starts_with('{').then(|| serde_json::from_str(inner).ok()).flatten();
    single.or_else(|| serde_json::from_str(&text.replace("{{", "{").replace("}}", "}")).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_is_found_anywhere_in_the_text() {
        let nod = json!({"name": "nod", "arguments": {"times": 2}});
        for text in [
            r#"{"name": "nod", "arguments": {"times": 2}}"#,
            "```json\n{\"name\": \"nod\", \"arguments\": {\"times\": 2}}\n```",
            r#"Sure {really}: {"name": "nod", "arguments": {"times": 2}} and then {"name": "x"}"#,
            r#"{{"name": "nod", "arguments": {"times": 2}}}"#,
            r#"{{"name": "nod", "arguments": {{"times": 2}}}}"#,
            "<think>{\"name\": \"no\"}</think>{\"name\": \"nod\", \"arguments\": {\"times\": 2}}",
        ] {
            assert_eq!(object(text), Some(nod.clone()), "{text}");
        }
        assert_eq!(object(r#"{"a": "}{\" \\"} tail"#), Some(json!({"a": "}{\" \\"})));
    }

    #[test]
    fn a_text_without_an_object_gives_none() {
        for text in ["", "no", "{", "}", "{\"a\": ", "[1, 2]", "\u{1f916}{\u{1f916}", "{a: 1}"] {
            assert_eq!(object(text), None, "{text}");
        }
        assert_eq!(object(&"{".repeat(100_000)), None);
        assert_eq!(object(&"{\"a\":".repeat(100_000)), None);
    }
}
