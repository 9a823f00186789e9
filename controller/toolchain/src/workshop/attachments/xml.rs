//! A minimal XML writer for drawings: elements, attributes and text. No text can become markup.

use std::fmt::{Display, Write};

/// A document under construction.
#[derive(Debug, Default)]
pub struct Xml(String);

impl Xml {
    /// Adds an element with content.
    pub fn inside(&mut self, name: &str, attributes: &[(&str, &dyn Display)], inside: impl FnOnce(&mut Xml)) {
        self.open(name, attributes);
        self.0.push('>');
        inside(self);
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push_str(">\n");
    }

    /// Adds an empty element.
    pub fn element(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        self.open(name, attributes);
        self.0.push_str("/>\n");
    }

    /// Adds text inside an element.
    pub fn text(&mut self, text: &str) {
        self.escaped(text);
    }

    /// Adds text that is XML already or contains no markup.
    pub fn text_as_is(&mut self, xml: &str) {
        self.0.push_str(xml);
    }

    /// Returns the document.
    #[must_use]
    pub fn finish(self) -> String {
        self.0
    }

    fn open(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        self.0.push('<');
        self.0.push_str(name);
        for (key, value) in attributes {
            self.0.push(' ');
            self.0.push_str(key);
            self.0.push_str("=\"");
            self.escaped(&value.to_string());
            self.0.push('"');
        }
    }

    fn escaped(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' | '<' | '>' | '"' | '\'' => {
                    // Writing to a string does not fail.
                    let _ = write!(self.0, "&#{};", u32::from(character));
                }
                // XML cannot represent these characters.
                c if c.is_control() && c != '\n' => {}
                c => self.0.push(c),
            }
        }
    }
}

/// Formats a number with at most two decimals, as short as possible.
#[must_use]
pub fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_markup_in_text() {
        let mut xml = Xml::default();
        xml.inside("text", &[("x", &1), ("class", &"a\"b")], |xml| xml.text("<b>&\u{1}"));
        assert_eq!(xml.finish(), "<text x=\"1\" class=\"a&#34;b\">&#60;b&#62;&#38;</text>\n");
    }

    #[test]
    fn formats_short_numbers() {
        for (value, text) in [(1.0, "1"), (-0.001, "0"), (2.504, "2.5"), (100.0, "100"), (-3.456, "-3.46")] {
            assert_eq!(short(value), text);
        }
    }
}
