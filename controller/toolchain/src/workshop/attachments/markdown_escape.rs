//! Escapes untrusted text in Markdown, so that it is displayed literally.
//!
//! A docstring, a request or a finding may contain headings, links, HTML or table borders, by chance or on purpose.
//! Each such character becomes a character reference, which never forms structure. An invisible joiner breaks text that
//! some viewers turn into a link.

/// Maximum length of text in a line or a cell, characters.
const MAX_LENGTH: usize = 600;
/// Maximum length of text in a block, characters.
const MAX_BLOCK_LENGTH: usize = 8_000;
/// An invisible character that joins its neighbours.
const JOINER: char = '\u{2060}';

/// Escapes text for a paragraph or a cell, on one line.
#[must_use]
pub fn prose(text: &str) -> String {
    let line = cut(&one_line(text), MAX_LENGTH);
    let mut inert = String::with_capacity(line.len() + 16);
    let mut before = None;
    let mut rest = line.chars().peekable();
    // `1. ` begins a list, `1.5` does not.
    let after_digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let counts =
        after_digits.strip_prefix(['.', ')']).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let mut first_word = true;
    while let Some(character) = rest.next() {
        let after = rest.peek().copied();
        let within = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let structural = match character {
            '&' | '<' | '>' | '|' | '\\' | '`' | '*' | '[' | ']' | '~' | '$' | '^' => true,
            '_' => !(within(before) && within(after)),
            // At the start of a line, these characters may form a heading, a list, a rule or a quotation.
            '#' | '-' | '+' | '=' | ':' => before.is_none() && !within(after),
            '.' | ')' => first_word && counts,
            _ => false,
        };
        first_word &= character.is_ascii_digit();
        if structural {
            inert.push_str(&format!("&#{};", u32::from(character)));
        } else {
            inert.push(character);
        }
        let www = character == 'w' || character == 'W';
        if (character == ':' && after == Some('/')) || character == '@' || (www && after == Some('.')) {
            inert.push(JOINER);
        }
        before = Some(character);
    }
    inert
}

/// Formats a value as code within a line or a cell.
#[must_use]
pub fn code(text: &str) -> String {
    let line = cut(&one_line(text), MAX_LENGTH);
    // A code span has no escapes of its own, and a cell's border would end it.
    if line.is_empty() || line.contains(['`', '|', '\\']) { prose(&line) } else { format!("`{line}`") }
}

/// Formats text of several lines as a block.
#[must_use]
pub fn block(text: &str) -> String {
    let stored: String = text
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| *c == '\n' || !is_hidden(*c))
        .collect();
    let stored = cut(stored.trim_matches('\n'), MAX_BLOCK_LENGTH);
    let longest = stored.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{stored}\n{fence}\n")
}

/// Returns the text without line breaks and invisible characters.
fn one_line(text: &str) -> String {
    let spaced: String =
        text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !is_hidden(*c)).collect();
    spaced.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns whether a character is a control character, changes the writing direction, or has no width.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn cut(text: &str, most: usize) -> String {
    let mut stored: String = text.chars().take(most).collect();
    if stored.len() < text.len() {
        stored.push('…');
    }
    stored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_plain_text_unchanged() {
        let words = "Turns the head (at most 40 degrees), then nods_twice; returns what was done. C# is a note - x = 3.";
        assert_eq!(prose(words), words);
        assert_eq!(code("{\"times\": 3}"), "`{\"times\": 3}`");
    }

    #[test]
    fn escapes_markup_characters() {
        assert_eq!(prose("# a"), "&#35; a");
        assert_eq!(prose("1. a"), "1&#46; a");
        assert_eq!(prose("- a"), "&#45; a");
        assert_eq!(prose("---"), "&#45;--");
        for number in ["in 1.5 s", "1.5 to 2.5", "-60.0 to 60.0"] {
            assert_eq!(prose(number), number);
        }
        assert_eq!(prose("[a](b)"), "&#91;a&#93;(b)");
        assert_eq!(prose("a\n\n| b\r\n--- <i>"), "a &#124; b --- &#60;i&#62;");
        assert_eq!(prose("_a_ a_b"), "&#95;a&#95; a_b");
        assert_eq!(prose("http://a.b www.a.b c@d.e"), "http:\u{2060}//a.b www\u{2060}.a.b c@\u{2060}d.e");
        assert_eq!(prose("a\u{1b}[31m\u{202e}b"), "a&#91;31mb");
        assert_eq!(code("a`b|c"), "a&#96;b&#124;c");
    }

    #[test]
    fn block_cannot_be_closed_from_inside() {
        assert_eq!(block("a\n````\n# b\n"), "`````text\na\n````\n# b\n`````\n");
        assert!(prose(&"x".repeat(5_000)).chars().count() <= MAX_LENGTH + 1);
    }
}
