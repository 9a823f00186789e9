//! Just enough of XML to draw: elements, attributes and texts, written so that no text becomes markup.

use std::fmt::{Display, Write};

/// A document that is being written.
#[derive(Debug, Default)]
pub struct Xml(String);

impl Xml {
    /// An element with something inside.
    pub fn inside(&mut self, name: &str, attributes: &[(&str, &dyn Display)], inside: impl FnOnce(&mut Xml)) {
        self.open(name, attributes);
        self.0.push('>');
        inside(self);
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push_str(">\n");
    }

    /// An element with nothing inside.
    pub fn element(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        self.open(name, attributes);
        self.0.push_str("/>\n");
    }

    /// Text inside an element.
    pub fn text(&mut self, text: &str) {
        self.escaped(text);
    }

    /// What was written as XML already, or has no markup.
    pub fn text_as_is(&mut self, xml: &str) {
        self.0.push_str(xml);
    }

    /// The document.
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
                    // Writing to a text does not fail.
                    let _ = write!(self.0, "&#{};", u32::from(character));
                }
                // XML has no way to write them.
                c if c.is_control() && c != '\n' => {}
                c => self.0.push(c),
            }
        }
    }
}

/// A number with at most two decimals, as short as can be.
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
    fn text_is_no_markup() {
        let mut xml = Xml::default();
        xml.inside("text", &[("x", &1), ("class", &"a\"b")], |xml| xml.text("<b>&\u{1}"));
        assert_eq!(xml.finish(), "<text x=\"1\" class=\"a&#34;b\">&#60;b&#62;&#38;</text>\n");
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [(1.0, "1"), (-0.001, "0"), (2.504, "2.5"), (100.0, "100"), (-3.456, "-3.46")] {
            assert_eq!(short(value), text);
        }
    }
}
