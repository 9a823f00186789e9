//! Events that something waits for, and what is heard or seen of the robot: sounds, photos and speech.

use super::Reader;
use crate::clause::Clause;
use crate::lexicon::Verb;
use crate::meaning::{Bound, Link, Trigger};
use crate::reading::{Action, Occasion};

impl Reader {
    /// "Whenever you see a face".
    pub(super) fn occasion(&mut self, index: usize, clause: &Clause) -> bool {
        // "Waits at most 15 seconds for a clap".
        let is_waiting = clause.verb == Some(Verb::Wait) && clause.event.is_some();
        let Some(trigger) = clause.trigger.or(is_waiting.then_some(Trigger::When)) else { return false };
        // "Listen until somebody speaks, then nod" waits.
        let is_wait = trigger == Trigger::Until && self.reading.actions.is_empty();
        let trigger = if is_wait { Trigger::When } else { trigger };
        let event = match (&clause.event, clause.verb) {
            // "If you hear me".
            (Some(minismith_score::Event::Face), _) if clause.hears => Some(minismith_score::Event::Voice),
            (Some(event), _) => Some(event.clone()),
            (None, Some(Verb::Tilt | Verb::Raise)) if clause.is_participle => {
                Some(minismith_score::Event::Tilted)
            }
            // "When it hears one": the event that was named before.
            _ if clause.perceive => self.reading.occasions.last().map(|known| known.event.clone()),
            _ => None,
        };
        if let Some(event) = event {
            if self.reading.actions.is_empty() {
                self.occasion_is_open = true;
            } else if (clause.waits || is_waiting) && trigger != Trigger::Until {
                // "Tilts, waits for a clap, and straightens up": only what follows waits.
                self.occasion_is_open = true;
                self.link = Some(Link::Then);
            } else {
                let group = self.group;
                for action in self.reading.actions.iter_mut().filter(|action| action.group == group) {
                    action.is_reaction = true;
                }
                self.occasion_is_open |= clause.link == Some(Link::Stop);
            }
            self.reading.occasions.push(Occasion { clause: index, trigger, event });
            self.window(index, clause);
            return clause.verb.is_none_or(|verb| !verb.is_motion()) || clause.is_participle;
        }
        if clause.seconds.is_some() {
            self.window(index, clause);
            return true;
        }
        // "Until it reaches 60 degrees".
        if trigger == Trigger::Until && clause.size.is_some() {
            self.modify(index, clause);
            return true;
        }
        if clause.verb.is_some_and(Verb::is_motion) {
            return false;
        }
        self.reading.lost.push(index);
        true
    }

    /// How long the tool watches for its event.
    fn window(&mut self, index: usize, clause: &Clause) {
        if clause.bound == Some(Bound::AtMost) {
            return;
        }
        if let Some((seconds, _)) = clause.seconds {
            self.reading.durations.push((index, Some(seconds * 0.85 - 0.3), None));
        }
    }

    /// Sounds, photos and speech.
    pub(super) fn signal(&mut self, index: usize, clause: &Clause) -> bool {
        let verb = match clause.verb {
            Some(verb @ (Verb::Sound | Verb::Photo)) => verb,
            // "Take a photo, look right and take another one."
            Some(Verb::Take)
                if clause.another
                    && clause.parts.is_empty()
                    && self.reading.actions.iter().any(|action| action.verb == Verb::Photo) =>
            {
                Verb::Photo
            }
            Some(Verb::Say) if !(clause.yes || clause.no) => {
                self.reading.unmeasurable.push(index);
                Verb::Say
            }
            _ => return false,
        };
        let mut action = Action::new(index, verb, Vec::new(), 0);
        if clause.not || clause.link == Some(Link::Without) {
            action.count = Some(0.0);
        }
        self.push(index, clause, action);
        true
    }
}
