//! Which actions follow which.

use super::Reader;
use crate::reading::Action;

impl Reader {
    /// The actions that came since the last "then".
    pub(super) fn joined_before(&self) -> Vec<usize> {
        let group =
            self.latest.last().and_then(|at| self.reading.actions.get(*at)).map(|action| action.group);
        let actions = self.reading.actions.iter().enumerate();
        actions.filter(|(_, action)| Some(action.group) == group).map(|(at, _)| at).collect()
    }

    /// Movements of one axis can only follow each other.
    pub(super) fn shares_axis(&self, before: &[usize], at: usize) -> bool {
        let axes = |at: &usize| self.reading.actions.get(*at).map(Action::axes).unwrap_or_default();
        let own = axes(&at);
        before.iter().flat_map(axes).any(|axis| own.contains(&axis))
    }

    pub(super) fn pair(&mut self, before: &[usize], at: usize, clause: usize, is_together: bool) {
        for one in before {
            if is_together {
                self.reading.together.push((*one, at, clause));
            } else {
                self.reading.order.push((*one, at, clause));
            }
        }
    }

    pub(super) fn finish(&mut self) {
        let count = self.reading.actions.len();
        // "First" comes before all that is not first, unless a "then" says the same.
        let first = self.first.clone();
        for at in &first {
            let clause = self.reading.actions.get(*at).map_or(0, |action| action.clause);
            let is_chained = self.reading.order.iter().any(|(one, _, _)| one == at);
            for other in (0..count).filter(|other| !first.contains(other)) {
                if !is_chained || other < *at {
                    self.reading.order.push((*at, other, clause));
                }
            }
        }
        let last = self.last.clone();
        for at in &last {
            let clause = self.reading.actions.get(*at).map_or(0, |action| action.clause);
            for other in (0..count).filter(|other| !last.contains(other)) {
                self.reading.order.push((other, *at, clause));
            }
        }
        let flipped: Vec<(usize, usize)> = self
            .reading
            .order
            .iter()
            .filter(|(one, other, _)| last.contains(one) && !last.contains(other))
            .map(|(one, other, _)| (*one, *other))
            .collect();
        self.reading.order.retain(|(one, other, _)| !flipped.contains(&(*one, *other)));
    }
}
