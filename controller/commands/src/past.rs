//! What was done last, to which a text may refer.

use minismith_score::AxisValues;

use crate::clause::Phrase;
use crate::concept::{Act, Part};
use crate::meaning::Meaning;

/// The number of motions that are known before the last two.
const OLDER_MOTIONS: usize = 3;

/// What was done last, to which a text may refer.
#[derive(Clone, Debug, PartialEq)]
pub struct Past {
    /// What it meant.
    pub meaning: Meaning,
    /// The act that was said last.
    pub act: Option<Act>,
    /// The parts that were said last.
    pub parts: Vec<Part>,
    /// What was said last.
    pub phrase: Phrase,
    /// The posture before it.
    pub before: AxisValues,
    /// The posture in which it left the robot, if that is known.
    pub after: Option<AxisValues>,
    /// What was done before that.
    pub earlier: Option<Earlier>,
}

/// What was done before the last motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    /// What it meant.
    pub meaning: Meaning,
    /// The posture before it.
    pub before: AxisValues,
    /// What the motions before it meant, the oldest first.
    pub older: Vec<Meaning>,
}

impl From<Past> for Earlier {
    fn from(past: Past) -> Self {
        let older = past.earlier.map_or_else(Vec::new, |earlier| {
            let mut older = earlier.older;
            older.push(earlier.meaning);
            older.split_off(older.len().saturating_sub(OLDER_MOTIONS))
        });
        Earlier { meaning: past.meaning, before: past.before, older }
    }
}
