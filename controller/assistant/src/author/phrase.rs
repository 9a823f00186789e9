//! Turns repetitions in a list of strokes into loops.

use minismith_nlu::motion_segments::MotionSegment;

/// Strokes that run a number of times.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Phrase<'a> {
    pub strokes: &'a [MotionSegment],
    pub times: usize,
}

/// The maximum length of a loop, in strokes.
const MAX_LOOP_PHRASES: usize = 12;

/// Splits strokes into phrases: from the front, each time the repetition that covers the most.
pub(super) fn phrases(mut strokes: &[MotionSegment]) -> Vec<Phrase<'_>> {
    let mut phrases = Vec::new();
    while !strokes.is_empty() {
        let candidates = (1..=MAX_LOOP_PHRASES.min(strokes.len() / 2)).rev();
        let (length, times) = candidates
            .map(|length| (length, repeats(strokes, length)))
            .filter(|&(_, times)| times > 1)
            .max_by_key(|&(length, times)| length * times)
            .unwrap_or((1, 1));
        let (phrase, _) = strokes.split_at(length);
        phrases.push(Phrase { strokes: phrase, times });
        strokes = strokes.get(length * times..).unwrap_or_default();
    }
    phrases
}

/// Returns how often the first `length` strokes follow one another at the beginning.
fn repeats(strokes: &[MotionSegment], length: usize) -> usize {
    let mut chunks = strokes.chunks_exact(length);
    let Some(first) = chunks.next() else { return 0 };
    1 + chunks.take_while(|chunk| *chunk == first).count()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn phrases_find_loops_and_keep_every_stroke() {
        let pause = |seconds| MotionSegment::Pause(Duration::from_secs(seconds));
        let strokes: Vec<MotionSegment> = [1, 2, 1, 2, 1, 2, 3, 4, 4].into_iter().map(pause).collect();
        let found: Vec<(usize, usize)> =
            phrases(&strokes).iter().map(|p| (p.strokes.len(), p.times)).collect();
        assert_eq!(found, [(2, 3), (1, 1), (1, 2)]);
        let same = vec![pause(1); 7];
        let found: Vec<(usize, usize)> = phrases(&same).iter().map(|p| (p.strokes.len(), p.times)).collect();
        assert_eq!(found, [(1, 7)]);
        assert!(phrases(&[]).is_empty());
    }
}
