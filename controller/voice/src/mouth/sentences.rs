//! A text in sentences, also one that comes piece by piece.

/// Words whose full stop ends no sentence.
const SHORT: [&str; 14] =
    ["mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "no", "approx", "jr", "sr"];

/// The longest sentence, letters; what is longer is cut at a comma or a space, so that speech begins soon.
const LONGEST: usize = 300;

/// Cuts a text that comes in pieces.
#[derive(Clone, Debug, Default)]
pub struct Cutter {
    rest: String,
}

impl Cutter {
    /// Takes a piece and gives the sentences that are whole.
    pub fn push(&mut self, piece: &str) -> Vec<String> {
        self.rest.push_str(piece);
        let mut whole = Vec::new();
        while let Some(end) = end_of_sentence(&self.rest).or_else(|| too_long(&self.rest)) {
            let rest = self.rest.split_off(end);
            keep(&mut whole, &std::mem::replace(&mut self.rest, rest));
        }
        whole
    }

    /// What is left when the text is over.
    pub fn finish(&mut self) -> Vec<String> {
        let mut whole = Vec::new();
        keep(&mut whole, &std::mem::take(&mut self.rest));
        whole
    }
}

/// The sentences of a text.
#[must_use]
pub fn sentences(text: &str) -> Vec<String> {
    let mut cutter = Cutter::default();
    let mut whole = cutter.push(text);
    whole.extend(cutter.finish());
    whole
}

fn keep(sentences: &mut Vec<String>, sentence: &str) {
    let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    if sentence.chars().any(char::is_alphanumeric) {
        sentences.push(sentence);
    }
}

/// Where the first sentence ends that surely ends: at a line's end, or at a mark with a space and a beginning behind it.
fn end_of_sentence(text: &str) -> Option<usize> {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '\n' {
            return Some(at + 1);
        }
        if !matches!(letter, '.' | '!' | '?' | '…') {
            continue;
        }
        // Quotes and brackets behind the mark belong to it.
        let mut end = at + letter.len_utf8();
        while let Some((place, closing)) = letters.next_if(|(_, next)| {
            matches!(next, '"' | '\'' | ')' | ']' | '\u{201d}' | '\u{2019}' | '.' | '!' | '?')
        }) {
            end = place + closing.len_utf8();
        }
        let mut behind = text.get(end..).unwrap_or_default().chars();
        if !behind.next().is_some_and(char::is_whitespace) {
            continue;
        }
        let next = behind.find(|c| !c.is_whitespace())?;
        let word = text.get(..at).unwrap_or_default().rsplit(|c: char| c.is_whitespace() || c == '(').next();
        let word = word.unwrap_or_default().to_lowercase();
        let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic) && word != "i";
        let is_short = letter == '.' && (is_initial || SHORT.contains(&word.as_str()));
        if !is_short && !next.is_lowercase() {
            return Some(end);
        }
    }
    None
}

/// Where a sentence is cut that goes on for too long.
fn too_long(text: &str) -> Option<usize> {
    let (limit, _) = text.char_indices().nth(LONGEST)?;
    let head = text.get(..limit)?;
    let cut = head.rfind([',', ';', ':']).map(|at| at + 1).filter(|at| *at > limit / 3);
    cut.or_else(|| head.rfind(char::is_whitespace).filter(|at| *at > 0)).or(Some(limit))
}
