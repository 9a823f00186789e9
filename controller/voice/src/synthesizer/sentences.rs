//! Splits a text into sentences, also one that arrives in chunks ([`SentenceSplitter`]).

/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: [&str; 14] =
    ["mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "no", "approx", "jr", "sr"];

/// Maximum number of characters per sentence. A longer one is split at a comma or a space, so that speech begins soon.
const MAX_SENTENCE_CHARS: usize = 300;

/// Splits a text that arrives in chunks.
#[derive(Clone, Debug, Default)]
pub struct SentenceSplitter {
    rest: String,
}

impl SentenceSplitter {
    /// Appends a chunk and returns the complete sentences.
    pub fn push(&mut self, piece: &str) -> Vec<String> {
        self.rest.push_str(piece);
        let mut whole = Vec::new();
        while let Some(end) = end_of_sentence(&self.rest).or_else(|| split_point(&self.rest)) {
            let rest = self.rest.split_off(end);
            push_sentence(&mut whole, &std::mem::replace(&mut self.rest, rest));
        }
        whole
    }

    /// Returns the remainder at the end of the text.
    pub fn finish(&mut self) -> Vec<String> {
        let mut whole = Vec::new();
        push_sentence(&mut whole, &std::mem::take(&mut self.rest));
        whole
    }
}

/// Splits a text into sentences.
#[must_use]
pub fn sentences(text: &str) -> Vec<String> {
    let mut cutter = SentenceSplitter::default();
    let mut whole = cutter.push(text);
    whole.extend(cutter.finish());
    whole
}

fn push_sentence(sentences: &mut Vec<String>, sentence: &str) {
    let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    if sentence.chars().any(char::is_alphanumeric) {
        sentences.push(sentence);
    }
}

/// Returns the end of the first sentence that is certainly complete: at a line break, or at punctuation followed by a space and
/// a new beginning.
fn end_of_sentence(text: &str) -> Option<usize> {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '\n' {
            return Some(at + 1);
        }
        if !matches!(letter, '.' | '!' | '?' | '…') {
            continue;
        }
        // Closing quotes and brackets belong to the sentence.
        let mut end = at + letter.len_utf8();
        while let Some((position, closing)) = letters.next_if(|(_, next)| {
            matches!(next, '"' | '\'' | ')' | ']' | '\u{201d}' | '\u{2019}' | '.' | '!' | '?')
        }) {
            end = position + closing.len_utf8();
        }
        let mut behind = text.get(end..).unwrap_or_default().chars();
        if !behind.next().is_some_and(char::is_whitespace) {
            continue;
        }
        let next = behind.find(|c| !c.is_whitespace())?;
        let word = text.get(..at).unwrap_or_default().rsplit(|c: char| c.is_whitespace() || c == '(').next();
        let word = word.unwrap_or_default().to_lowercase();
        let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic) && word != "i";
        let is_short = letter == '.' && (is_initial || ABBREVIATIONS.contains(&word.as_str()));
        if !is_short && !next.is_lowercase() {
            return Some(end);
        }
    }
    None
}

/// Returns where to split a sentence that is too long.
fn split_point(text: &str) -> Option<usize> {
    let (limit, _) = text.char_indices().nth(MAX_SENTENCE_CHARS)?;
    let head = text.get(..limit)?;
    let cut = head.rfind([',', ';', ':']).map(|at| at + 1).filter(|at| *at > limit / 3);
    cut.or_else(|| head.rfind(char::is_whitespace).filter(|at| *at > 0)).or(Some(limit))
}
