//! Selects the pages that an author gets: only those that match the request, within a budget of tokens.
//!
//! The pages are this project's own description of the SDK as tools see it ([`REFERENCE`]), and the local
//! tools and past failures (`tool_pages`). A full-text index (FTS5) in memory finds the matching ones.

pub mod tool_pages;

use rusqlite::{Connection, params};

use crate::agents::authoring::Page;

/// The text of all reference pages.
pub const REFERENCE: &str = include_str!("reference.md");

/// The default budget, in tokens.
pub const MAX_TOKENS: usize = 700;

/// The maximum number of pages.
const MAX_PAGES: usize = 5;
/// The maximum number of pages about local work.
const MAX_OWN_PAGES: usize = 3;

/// Words that say nothing about the subject of a page.
const SAY_NOTHING: &[&str] = &[
    "all", "and", "are", "but", "can", "each", "for", "from", "has", "have", "into", "its", "makes", "not",
    "one", "some", "that", "the", "then", "they", "this", "tool", "two", "with", "you", "your",
];

/// Bytes of a token, as a rule of thumb.
const BYTES_PER_TOKEN: usize = 4;

/// Returns the pages that match a request best, together within `max_tokens`.
///
/// They come from the reference and from these other pages, none of which may displace the reference. The
/// result is empty when nothing matches.
#[must_use]
pub fn pages(request: &str, own: &[Page], max_tokens: usize) -> Vec<Page> {
    let mut all = reference();
    let references = all.len();
    all.extend_from_slice(own);
    let found = find(&all, request).unwrap_or_else(|error| {
        tracing::warn!(%error, "the reference can't be searched");
        Vec::new()
    });
    let (first, others): (Vec<usize>, Vec<usize>) =
        found.into_iter().partition(|position| *position < references);
    // The best page of the reference comes first, then the local pages, then the rest.
    let (best, rest) = first.split_at(first.len().min(1));
    let mut left = max_tokens * BYTES_PER_TOKEN;
    let fits = |page: &Page| {
        let cost = page.title.len() + page.text.len();
        let fits = cost <= left;
        if fits {
            left -= cost;
        }
        fits
    };
    let places = best.iter().chain(others.iter().take(MAX_OWN_PAGES)).chain(rest);
    places.filter_map(|position| all.get(*position).cloned()).filter(fits).take(MAX_PAGES).collect()
}

/// Returns the number of tokens of all pages, for comparison.
#[must_use]
pub const fn all_tokens() -> usize {
    REFERENCE.len() / BYTES_PER_TOKEN
}

fn reference() -> Vec<Page> {
    format!("\n{REFERENCE}")
        .split("\n# ")
        .filter_map(|page| page.split_once('\n'))
        .map(|(title, text)| Page { title: format!("reference: {title}"), text: text.trim_end().to_owned() })
        .collect()
}

/// Returns the indices of the pages that share words with the request, best first. A title counts more than a
/// text.
fn find(all: &[Page], request: &str) -> rusqlite::Result<Vec<usize>> {
    let words: Vec<String> = request
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| word.len() > 2 && !SAY_NOTHING.contains(&word.as_str()))
        .take(60)
        .map(|word| format!("\"{word}\""))
        .collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let index = Connection::open_in_memory()?;
    index.execute_batch("CREATE VIRTUAL TABLE pages USING fts5(title, text, tokenize='porter unicode61')")?;
    for (position, page) in all.iter().enumerate() {
        index.execute(
            "INSERT INTO pages (rowid, title, text) VALUES (?1, ?2, ?3)",
            params![i64::try_from(position).unwrap_or(i64::MAX), page.title, page.text],
        )?;
    }
    let mut rows = index
        .prepare("SELECT rowid FROM pages WHERE pages MATCH ?1 ORDER BY bm25(pages, 6.0, 1.0), rowid")?;
    let rows = rows.query_map([words.join(" OR ")], |row| row.get::<_, i64>(0))?;
    rows.map(|position| Ok(usize::try_from(position?).unwrap_or(usize::MAX))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(request: &str) -> Vec<String> {
        pages(request, &[], MAX_TOKENS).into_iter().map(|page| page.title).collect()
    }

    #[test]
    fn the_matching_page_comes_first_and_others_stay_out() {
        for (request, title) in [
            ("wiggle the ears happily", "antennas"),
            ("move the head in a circle", "stream"),
            ("turn the body to the left by 40 degrees", "body turn"),
            ("measure the brightness of the picture", "camera"),
        ] {
            let found = titles(request);
            assert!(found.first().is_some_and(|first| first.contains(title)), "{request}: {found:?}");
            assert!(found.len() <= MAX_PAGES, "{found:?}");
        }
        assert!(titles("").is_empty());
        assert!(titles("the one with all of you").is_empty());
        // The request is plain words, not a query language.
        assert_eq!(titles("\" OR * NEAR( antennas) --"), titles("near antennas"));
    }

    #[test]
    fn pages_stay_within_the_budget() {
        let own = |number: usize| Page {
            title: format!("a past failure: rule {number}"),
            text: "nod the head ".repeat(number * 4),
        };
        let own: Vec<Page> = (1..20).map(own).collect();
        for most in [0, 50, 200, 700] {
            let pages = pages("nod the head, turn the body, antennas, camera, face, dance, wait", &own, most);
            let bytes: usize = pages.iter().map(|page| page.title.len() + page.text.len()).sum();
            assert!(bytes <= most * BYTES_PER_TOKEN, "{bytes} of {most} tokens");
            let failures = pages.iter().filter(|page| page.title.contains("failure")).count();
            assert!(failures <= MAX_OWN_PAGES && pages.len() <= MAX_PAGES, "{pages:?}");
            assert!(most < 700 || (pages[0].title.contains("reference") && failures > 0), "{pages:?}");
        }
        assert!(all_tokens() > MAX_TOKENS);
    }
}
