//! Numbers that are constants or parameters of the tool.

use minismith_score::{Axis, Direction, Kind, Number, Parameter};

use super::strokes::{Stroke, maximum_of, tidy};
use super::{Emitter, MAX_TIMES};
use crate::act::{Amount, target};
use crate::guard::Refusal;
use crate::tag::Role;

impl Emitter {
    pub(super) fn count(&mut self, count: u32, is_set: bool) -> Result<Number, Refusal> {
        if count == 0 {
            return Err((
                "zero times is nothing to do".to_owned(),
                "say how often, at least once".to_owned(),
            ));
        }
        if count > MAX_TIMES {
            return Err((
                format!("a tool repeats at most {MAX_TIMES} times, and {count} were asked for"),
                "ask for fewer repetitions".to_owned(),
            ));
        }
        if is_set {
            let default = count.min(10);
            self.add_parameter(Parameter::times(default));
            return Ok(Number::Parameter("times".to_owned()));
        }
        Ok(Number::Value(f64::from(count)))
    }

    /// A time in seconds: a number, or the parameter `seconds`.
    pub(super) fn seconds(&mut self, amount: Amount, maximum: f64) -> Result<Number, Refusal> {
        match amount {
            Amount::Value(value) if value > maximum => Err((
                format!("a pause takes at most {maximum} seconds, and {value} were asked for"),
                "choose a shorter time".to_owned(),
            )),
            Amount::Value(value) => Ok(Number::Value(tidy(value.max(0.0)))),
            Amount::Param(_) | Amount::Default(_) => {
                let default = match amount {
                    Amount::Default(value) => value.clamp(0.1, 20.0),
                    _ => 2.0,
                };
                let name = self.parameter_name.clone().unwrap_or_else(|| "seconds".to_owned());
                self.add_parameter(Parameter {
                    name: name.clone(),
                    kind: Kind::Float,
                    default,
                    low: default.min(0.5),
                    high: 20.0,
                    meaning: "How long, in seconds".to_owned(),
                });
                Ok(Number::Parameter(name))
            }
        }
    }

    /// The numbers of a stroke whose size is a parameter.
    pub(super) fn size_parameter(
        &mut self,
        role: Role,
        stroke: &Stroke,
    ) -> Result<Vec<(Axis, Direction, Number)>, Refusal> {
        let towards = |axis: Axis, value: f64| axis.direction_of(value);
        let highest = stroke
            .iter()
            .filter_map(|(axis, _, last)| {
                target(*axis, towards(*axis, *last)).map(|target| (maximum_of(target), last.abs()))
            })
            .fold((f64::INFINITY, f64::INFINITY), |(maximum, ratio), (one, size)| {
                (maximum.min(one), ratio.min(one / size.max(1e-6)))
            });
        let unit_default = stroke.iter().map(|(_, _, last)| last.abs()).fold(0.0, f64::max);
        let is_shift = stroke.iter().all(|(axis, ..)| axis.is_shift());
        let role = match role {
            Role::Distance if is_shift => Role::Millimetres,
            Role::Distance => Role::Degrees,
            role => role,
        };
        let (name, parameter) = match role {
            Role::Degrees | Role::Millimetres => {
                let is_angle = role == Role::Degrees;
                let name = self
                    .parameter_name
                    .clone()
                    .unwrap_or_else(|| if is_angle { "degrees" } else { "millimetres" }.to_owned());
                let meaning = if is_angle { "The angle, in degrees" } else { "The distance, in millimetres" };
                let low = if is_angle { 5.0 } else { 1.0 };
                let parameter = Parameter {
                    name: name.clone(),
                    kind: Kind::Float,
                    default: unit_default.clamp(low, highest.0).round(),
                    low,
                    high: highest.0.floor(),
                    meaning: meaning.to_owned(),
                };
                (name, parameter)
            }
            _ => {
                let high = (highest.1 * 10.0).floor().clamp(10.0, 20.0) / 10.0;
                let parameter = Parameter {
                    name: "size".to_owned(),
                    kind: Kind::Float,
                    default: 1.0,
                    low: 0.3,
                    high,
                    meaning: "How large, as a multiple of the usual size".to_owned(),
                };
                ("size".to_owned(), parameter)
            }
        };
        self.add_parameter(parameter);
        let numbers = stroke.iter().map(|(axis, _, last)| {
            let number = match role {
                Role::Degrees | Role::Millimetres => Number::Parameter(name.clone()),
                _ => Number::Product(last.abs(), name.clone()),
            };
            (*axis, towards(*axis, *last), number)
        });
        Ok(numbers.collect())
    }

    pub(super) fn add_parameter(&mut self, parameter: Parameter) {
        match self.parameters.iter_mut().find(|known| known.name == parameter.name) {
            Some(known) => {
                known.high = known.high.min(parameter.high);
                known.default = known.default.min(known.high);
            }
            None => self.parameters.push(parameter),
        }
    }
}
