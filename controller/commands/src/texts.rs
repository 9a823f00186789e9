//! Reads a text: behind its title, as it stands, or without its remarks.

use crate::lexicon::lexicon;
use crate::past::Past;
use crate::reader::{Reading, detect, read_whole};
use crate::remarks::without_remarks;
use crate::title::{forbids, order_after_title};

/// Reads a text. Returns the code of its language too; `usual_language` is the one it is taken for where it may be several.
#[must_use]
pub fn read(text: &str, past: Option<&Past>, usual_language: &str) -> (Reading, &'static str) {
    if text.contains([':', '!']) {
        let (lexicon, tags) = detect(text, usual_language);
        if forbids(text, &tags) {
            return (Reading::Nothing, &lexicon.code);
        }
        let order = order_after_title(text, &tags).and_then(|at| text.get(at..));
        if let Some(order) = order.map(|order| read(order, past, &lexicon.code))
            && matches!(&order.0, Reading::Motion { act: Some(_), heard, .. } if heard.is_empty())
        {
            return order;
        }
    }
    let whole = read_whole(text, past, usual_language);
    let may_have_remarks =
        matches!(whole.0, Reading::NotUnderstood(_) | Reading::Nothing | Reading::Impossible(_))
            && whole.1 == "en";
    if may_have_remarks
        && let Some(english) = lexicon("en")
        // Where a text is taken for a tale, a statement in it may be all of it.
        && let Some(rest) = without_remarks(text, &english.words(text), whole.0 != Reading::Nothing)
    {
        let order = read_whole(&rest, past, "en");
        if matches!(&order.0, Reading::Motion { heard, .. } if heard.is_empty()) {
            return order;
        }
    }
    whole
}
