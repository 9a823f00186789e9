//! "Nod if someone claps, otherwise shake": what is expected with an event, and what without it.

use std::ops::Range;

use minismith_score::Event;
use minismith_score::expects::Expect;

use crate::account::{Account, Accounted};
use crate::atoms::is_alternative;
use crate::contract::Contract;
use crate::tokens::{Token, tokens};

/// Returns the words of an alternative, from "otherwise" to the end of the sentence, and where they begin after it.
fn stretch(tokens: &[Token]) -> Option<(Range<usize>, usize)> {
    let at = (0..tokens.len()).find(|at| is_alternative(tokens, *at))?;
    let word = tokens.get(at)?;
    let mark = tokens.iter().skip(at).find(|token| matches!(token.word.as_str(), "." | "!" | "?" | ";"));
    let end = mark.map_or(tokens.last()?.end, |mark| mark.start);
    Some((word.start..end, word.end))
}

/// Replaces what is outside of a range by blanks, so that the places of the rest stay.
fn only(text: &str, kept: impl Fn(usize) -> bool) -> String {
    let blank = |(at, c): (usize, char)| if kept(at) { c.to_string() } else { " ".repeat(c.len_utf8()) };
    text.char_indices().map(blank).collect()
}

impl Contract {
    /// Reads a request. Any text is accepted; what is not understood is in [`words`](Self::words).
    #[must_use]
    pub fn from_request(text: &str) -> Contract {
        of_two_cases(text).unwrap_or_else(|| Self::of_one_case(text))
    }
}

/// Reads a request with an alternative: its expectations hold in a call without the event.
///
/// Returns none if there is no alternative, or if it is not one to an event.
fn of_two_cases(text: &str) -> Option<Contract> {
    let (range, begin) = stretch(&tokens(text))?;
    let mut contract = Contract::of_one_case(&only(text, |at| !range.contains(&at)));
    let others = Contract::of_one_case(&only(text, |at| range.contains(&at) && at >= begin));
    let event = contract.expectations().events().into_iter().next()?;
    let asks_for_call =
        |expect: &Expect| matches!(expect.plain(), Expect::Parameter { .. } | Expect::Without { .. });
    if others.expects.is_empty()
        || !others.expectations().events().is_empty()
        || others.expects.iter().any(asks_for_call)
    {
        return None;
    }
    drop_quiet(&mut contract);
    contract.words = contract.words.into_iter().flat_map(|word| around(text, &range, word)).collect();
    let first = contract.expects.len();
    contract.expects.extend(others.expects.into_iter().map(|expect| without(&event, expect)));
    contract.words.extend(others.words.into_iter().map(|word| Accounted {
        account: match word.account {
            Account::Shown(shown) => Account::Shown(shown.into_iter().map(|at| at + first).collect()),
            account => account,
        },
        ..word
    }));
    contract.words.sort_by_key(|word| word.span);
    contract.conflicts.extend(others.conflicts);
    Some(contract)
}

/// Cuts the alternative out of words that stand around it.
fn around(text: &str, gap: &Range<usize>, word: Accounted) -> Vec<Accounted> {
    let (start, end) = word.span;
    if start >= gap.end || end <= gap.start {
        return vec![word];
    }
    let part = |start: usize, end: usize| {
        let text = text.get(start..end).filter(|text| !text.is_empty())?.to_owned();
        Some(Accounted { text, span: (start, end), account: word.account.clone() })
    };
    part(start, gap.start).into_iter().chain(part(gap.end, end)).collect()
}

fn without(event: &Event, expect: Expect) -> Expect {
    let without = |expect: Box<Expect>| Expect::Without { event: event.clone(), expect };
    match expect {
        Expect::Likely { expect } => Expect::Likely { expect: Box::new(without(expect)) },
        expect => without(Box::new(expect)),
    }
}

/// Something else moves without the event, so nothing says that all is quiet.
fn drop_quiet(contract: &mut Contract) {
    let is_quiet = |expect: &Expect| matches!(expect.plain(), Expect::QuietWithout { .. });
    while let Some(gone) = contract.expects.iter().position(is_quiet) {
        contract.expects.remove(gone);
        for word in &mut contract.words {
            if let Account::Shown(shown) = &mut word.account {
                shown.retain(|at| *at != gone);
                shown.iter_mut().filter(|at| **at > gone).for_each(|at| *at -= 1);
                if shown.is_empty() {
                    word.account = Account::NotMeasurable;
                }
            }
        }
    }
}
