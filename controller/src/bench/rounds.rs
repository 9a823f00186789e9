//! Two sides measured in turn, and the statistics of their numbers.

use super::{BenchContext, Failed};

/// The median of each side's rounds; the baseline is none without a peer or when it failed.
pub(super) struct Medians {
    pub(super) ours: Result<f64, Failed>,
    pub(super) theirs: Option<f64>,
}

/// One side: each call is one round and returns its number.
pub(super) type Side<'a> = dyn FnMut() -> Result<f64, Failed> + 'a;

/// Measures both sides in turn. A failing peer is reported, and the rest is measured without it.
pub(super) fn take_turns(
    context: &BenchContext<'_>,
    rounds: usize,
    ours: &mut Side<'_>,
    mut theirs: Option<&mut Side<'_>>,
) -> Medians {
    let (mut our_numbers, mut their_numbers) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        match ours() {
            Ok(number) => our_numbers.push(number),
            Err(failed) => return Medians { ours: Err(failed), theirs: None },
        }
        match theirs.as_mut().map(|side| side()) {
            Some(Ok(number)) => their_numbers.push(number),
            Some(Err(failed)) => {
                (context.progress)(&format!("the official side failed: {failed}"));
                their_numbers.clear();
                theirs = None;
            }
            None => {}
        }
    }
    Medians {
        ours: quantile(&mut our_numbers, 0.5).ok_or_else(|| Failed("there was no round".into())),
        theirs: quantile(&mut their_numbers, 0.5),
    }
}

/// Returns the smallest of the numbers that this fraction of them does not exceed (nearest rank); none of no numbers.
pub(super) fn quantile(numbers: &mut [f64], share: f64) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let rank = (share * numbers.len() as f64).ceil() as usize;
    numbers.get(rank.clamp(1, numbers.len().max(1)) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn a_quantile_is_one_of_the_numbers() {
        let mut numbers: Vec<f64> = (1..=1000).rev().map(f64::from).collect();
        for (share, expected) in [(0.5, 500.0), (0.99, 990.0), (0.999, 999.0), (1.0, 1000.0), (0.0, 1.0)] {
            assert_eq!(quantile(&mut numbers, share), Some(expected));
        }
        assert_eq!(quantile(&mut [3.0, 1.0, 2.0], 0.5), Some(2.0));
        assert_eq!(quantile(&mut [], 0.5), None);
    }
}
