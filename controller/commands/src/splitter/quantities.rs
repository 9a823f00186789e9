//! The quantities of a clause: numbers, angles, lengths and times.

use super::Splitter;
use crate::clause::{Heading, Said};
use crate::concept::{Concept, Unit};
use crate::refusal::Refusal;

impl Splitter {
    /// Returns whether the clause says how long something lasts.
    pub(super) fn has_time(&self) -> bool {
        self.now.lasting.or(self.now.seconds).is_some()
    }

    pub(super) fn flush_number(&mut self) {
        if let Some(number) = self.number.take() {
            // "Left 10 20 30": one number too many.
            if self.now.number.is_some_and(|known| known > 1.0 && known != number) {
                self.now.impossible = Some(Refusal::TwoNumbers);
            }
            self.now.number = Some(number);
        }
    }

    pub(super) fn unit(&mut self, unit: Unit) {
        let number = self.number.take().or(self.now.number.take());
        let is_known = self.now.amount.or(self.now.ways.last().and_then(|heading| heading.amount)).is_some();
        if number.is_none()
            && (is_known || self.now.is_empty())
            && matches!(unit, Unit::Angle(factor) | Unit::Length(factor) if factor <= 1.0)
        {
            // "Thirty degrees (degrees)".
            return;
        }
        let number = number.unwrap_or(1.0);
        if let Unit::Angle(factor) | Unit::Length(factor) = unit {
            self.now.unit = Some(factor);
        }
        match unit {
            Unit::Angle(factor) => self.amount(Said::Degrees(number * factor)),
            Unit::Length(factor) => self.amount(Said::Millimetres(number * factor)),
            Unit::Time(factor) => {
                let seconds = number * factor;
                match self.time.take() {
                    Some(Concept::For) => self.now.lasting = Some(seconds),
                    Some(Concept::Every) => self.now.period = Some(seconds),
                    Some(Concept::In) if self.now.act.is_none() && self.now.ways.is_empty() => {
                        self.now.delay = Some(seconds);
                    }
                    Some(Concept::Taking) => {
                        (self.now.within, self.now.is_taking) = (Some(seconds), true);
                    }
                    Some(Concept::After) => self.now.delay = Some(seconds),
                    Some(Concept::In) => self.now.within = Some(seconds),
                    _ => self.now.seconds = Some(seconds),
                }
            }
        }
    }

    fn amount(&mut self, said: Said) {
        match self.now.ways.last_mut() {
            Some(heading) if heading.amount.is_none() => heading.amount = Some(said),
            // "Look left twenty degrees thirty degrees": one angle too many.
            Some(Heading { amount: Some(Said::Degrees(known)), .. }) if matches!(said, Said::Degrees(degrees) if degrees != *known) =>
            {
                self.now.impossible = Some(Refusal::TwoNumbers);
            }
            _ => self.now.amount = Some(said),
        }
    }
}
