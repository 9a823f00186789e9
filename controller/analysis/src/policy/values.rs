//! Infers the numbers and units of names that are bound once, to a number.

use std::collections::{BTreeMap, BTreeSet};

use rustpython_parser::ast::{Expr, ExprCall, Operator, Stmt, UnaryOp};
use rustpython_parser::text_size::TextSize;

use super::docstring;
use super::name_resolution::{Meaning, Survey};
use super::tree::{self, docstring as text_of, text};
use super::walk::{Function, Role, Visit, blocks, function, walk_body};

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Degrees,
    Radians,
    Millimetres,
    Metres,
    Milliseconds,
    Seconds,
}

impl Unit {
    /// Returns the unit as a word in a sentence.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Unit::Degrees => "degrees",
            Unit::Radians => "radians",
            Unit::Millimetres => "millimetres",
            Unit::Metres => "metres",
            Unit::Milliseconds => "milliseconds",
            Unit::Seconds => "seconds",
        }
    }

    /// Returns the words for the unit in docstrings and as parts of names.
    const fn words(self) -> &'static str {
        match self {
            Unit::Degrees => "degree degrees deg degs °",
            Unit::Radians => "radian radians rad rads",
            Unit::Millimetres => "millimetre millimetres millimeter millimeters mm",
            Unit::Metres => "metre metres meter meters",
            Unit::Milliseconds => "millisecond milliseconds millis ms msec",
            Unit::Seconds => "second seconds secs sec",
        }
    }

    const ALL: [Unit; 6] =
        [Unit::Degrees, Unit::Radians, Unit::Millimetres, Unit::Metres, Unit::Milliseconds, Unit::Seconds];

    /// Returns the one unit among `words`; none if there are several.
    fn among<'w>(words: impl Iterator<Item = &'w str> + Clone) -> Option<Unit> {
        let said = |unit: Unit| words.clone().any(|word| unit.words().split(' ').any(|known| known == word));
        let mut units = Unit::ALL.into_iter().filter(|unit| said(*unit));
        units.next().filter(|_| units.next().is_none())
    }

    /// Reads the unit from the parts of a name, such as `yaw_deg` or `step_mm`. A rate (`deg_per_s`) has
    /// none.
    fn of_name(name: &str) -> Option<Unit> {
        let lower = name.to_ascii_lowercase();
        if lower.split('_').any(|part| matches!(part, "per" | "to" | "from" | "in" | "2")) {
            return None;
        }
        Unit::among(lower.split('_'))
    }

    /// Reads the unit from a parameter's description.
    fn of_words(said: &str) -> Option<Unit> {
        let lower = said.to_lowercase();
        if lower.contains(" per ") || lower.contains('/') {
            return None;
        }
        Unit::among(lower.split(|c: char| !c.is_alphanumeric() && c != '°'))
    }
}

/// The values and units of names.
pub(super) struct Values<'a> {
    survey: &'a Survey,
    constants: BTreeMap<String, f64>,
    defaults: BTreeMap<String, f64>,
    units: BTreeMap<String, Unit>,
}

impl<'a> Values<'a> {
    /// Reads `body`.
    pub(super) fn of(body: &'a [Stmt], survey: &'a Survey) -> Values<'a> {
        let mut bindings = Bindings::default();
        walk_body(&mut bindings, body);
        let Bindings { bound, again } = bindings;
        let (mut assigned, mut functions) = (Vec::new(), Vec::new());
        every_stmt(body, &mut |stmt| match stmt {
            Stmt::Assign(s) => {
                if let [Expr::Name(name)] = s.targets.as_slice() {
                    assigned.push((name.id.as_str(), &*s.value));
                }
            }
            Stmt::AnnAssign(s) => {
                if let (Expr::Name(name), Some(value)) = (&*s.target, s.value.as_deref()) {
                    assigned.push((name.id.as_str(), value));
                }
            }
            _ => functions.extend(function(stmt)),
        });
        let once = |name: &str| bound.contains(name) && !again.contains(name);
        let (constants, defaults, units) = Default::default();
        let mut values = Values { survey, constants, defaults, units };
        for function in functions {
            values.parameters(function, once);
        }
        // In source order, because a constant may use earlier ones.
        for (name, value) in assigned {
            if !once(name) {
                continue;
            }
            if let Some(number) = values.number(value) {
                values.constants.insert(name.to_owned(), number);
            }
            if let Some(unit) = values.unit(value) {
                values.units.insert(name.to_owned(), unit);
            }
        }
        values
    }

    fn parameters(&mut self, function: Function<'_>, once: impl Fn(&str) -> bool) {
        let docstring = docstring::read(text_of(function.body).unwrap_or_default());
        let args = function.args;
        for arg in args.posonlyargs.iter().chain(&args.args).chain(&args.kwonlyargs) {
            let name = arg.def.arg.as_str();
            if !once(name) {
                continue;
            }
            if let Some(number) = arg.default.as_deref().and_then(|default| self.number(default)) {
                self.defaults.insert(name.to_owned(), number);
            }
            if let Some(unit) = docstring.arguments.get(name).and_then(|said| Unit::of_words(said)) {
                self.units.insert(name.to_owned(), unit);
            }
        }
    }

    /// Returns the constant value of an expression.
    pub(super) fn number(&self, expr: &Expr) -> Option<f64> {
        match expr {
            Expr::Name(name) => self.constants.get(name.id.as_str()).copied(),
            Expr::Attribute(_) => match self.survey.meaning(expr) {
                Meaning::Listed(path, name) if is_mathematics(path) => match name {
                    "pi" => Some(std::f64::consts::PI),
                    "tau" => Some(std::f64::consts::TAU),
                    _ => None,
                },
                _ => None,
            },
            Expr::UnaryOp(unary) => match unary.op {
                UnaryOp::USub => Some(-self.number(&unary.operand)?),
                UnaryOp::UAdd => self.number(&unary.operand),
                UnaryOp::Invert | UnaryOp::Not => None,
            },
            Expr::BinOp(binary) => {
                tree::computed(binary.op, self.number(&binary.left)?, self.number(&binary.right)?)
            }
            Expr::Call(call) => {
                let [only] = call.args.as_slice() else { return None };
                let value = self.number(only)?;
                match (self.conversion(call), &*call.func) {
                    (Some(Unit::Radians), _) => Some(value.to_radians()),
                    (Some(_), _) => Some(value.to_degrees()),
                    (None, Expr::Name(name)) if name.id.as_str() == "float" => Some(value),
                    (None, Expr::Name(name)) if name.id.as_str() == "abs" => Some(value.abs()),
                    _ => None,
                }
            }
            _ => tree::number(expr),
        }
    }

    /// Returns the default value of a parameter.
    pub(super) fn default(&self, expr: &Expr) -> Option<f64> {
        match expr {
            Expr::Name(name) => self.defaults.get(name.id.as_str()).copied(),
            Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => Some(-self.default(&unary.operand)?),
            _ => None,
        }
    }

    /// Returns the unit that a conversion returns: `math.radians`, `np.deg2rad`, `math.degrees`, ...
    pub(super) fn conversion(&self, call: &ExprCall) -> Option<Unit> {
        let Meaning::Listed(path, name) = self.survey.meaning(&call.func) else { return None };
        match name {
            "radians" | "deg2rad" if is_mathematics(path) => Some(Unit::Radians),
            "degrees" | "rad2deg" if is_mathematics(path) => Some(Unit::Degrees),
            _ => None,
        }
    }

    /// Returns whether a call is a sine, cosine or tangent.
    pub(super) fn is_trigonometric(&self, call: &ExprCall) -> bool {
        matches!(self.survey.meaning(&call.func), Meaning::Listed(path, name)
            if is_mathematics(path) && matches!(name, "sin" | "cos" | "tan"))
    }

    /// Returns the unit of an expression, if it is clear.
    pub(super) fn unit(&self, expr: &Expr) -> Option<Unit> {
        match expr {
            Expr::Name(name) => self.units.get(name.id.as_str()).copied().or_else(|| Unit::of_name(&name.id)),
            Expr::Attribute(attribute) if self.survey.meaning(expr) == Meaning::Other => {
                Unit::of_name(&attribute.attr)
            }
            Expr::Subscript(subscript) => match text(&subscript.slice) {
                Some(key) => Unit::of_name(key),
                None => self.unit(&subscript.value),
            },
            Expr::UnaryOp(unary) => self.unit(&unary.operand),
            Expr::IfExp(choice) => self.unit(&choice.body).or_else(|| self.unit(&choice.orelse)),
            Expr::BinOp(binary) => self.unit_of(&binary.left, binary.op, &binary.right),
            Expr::Call(call) => {
                if let Some(unit) = self.conversion(call) {
                    return Some(unit);
                }
                let same = match (self.survey.meaning(&call.func), &*call.func) {
                    (Meaning::Listed(path, name), _) => {
                        is_mathematics(path) && matches!(name, "clip" | "fabs" | "abs" | "copysign")
                    }
                    (_, Expr::Name(name)) => {
                        matches!(name.id.as_str(), "abs" | "float" | "int" | "max" | "min" | "round")
                    }
                    _ => false,
                };
                call.args.iter().filter(|_| same).find_map(|arg| self.unit(arg))
            }
            _ => None,
        }
    }

    fn unit_of(&self, left: &Expr, op: Operator, right: &Expr) -> Option<Unit> {
        let units = (self.unit(left), self.unit(right));
        let numbers = (self.number(left), self.number(right));
        match op {
            Operator::Add | Operator::Sub => {
                units.0.or(units.1).filter(|_| units.0.is_none() || units.1.is_none() || units.0 == units.1)
            }
            Operator::Mult | Operator::Div => {
                let (unit, factor) = match (units, numbers) {
                    ((Some(unit), None), (_, Some(factor))) => {
                        (unit, if op == Operator::Div { 1.0 / factor } else { factor })
                    }
                    ((None, Some(unit)), (Some(factor), _)) if op == Operator::Mult => (unit, factor),
                    ((Some(unit), None), _) | ((None, Some(unit)), _)
                        if op == Operator::Mult && self.is_plain(left) && self.is_plain(right) =>
                    {
                        return Some(unit);
                    }
                    _ => return None,
                };
                scaled(unit, factor)
            }
            _ => None,
        }
    }

    /// Returns whether an expression has no unit of its own, unlike a rate or a manual conversion.
    fn is_plain(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Name(name) => {
                !name.id.contains("per") && !name.id.contains("rate") && !name.id.contains("speed")
            }
            Expr::Call(call) => self.is_trigonometric(call),
            _ => false,
        }
    }
}

/// Returns the unit of a scaled value; none if the factor may be a conversion.
fn scaled(unit: Unit, factor: f64) -> Option<Unit> {
    let is = |other: f64| (factor.abs() / other - 1.0).abs() < 0.01;
    let quarter_turn = 1.0_f64.to_radians();
    match unit {
        Unit::Degrees if is(quarter_turn) => Some(Unit::Radians),
        Unit::Radians if is(1.0 / quarter_turn) => Some(Unit::Degrees),
        Unit::Millimetres if is(1e-3) => Some(Unit::Metres),
        Unit::Metres if is(1e3) => Some(Unit::Millimetres),
        Unit::Milliseconds if is(1e-3) => Some(Unit::Seconds),
        Unit::Seconds if is(1e3) => Some(Unit::Milliseconds),
        // Half, twice or the negative of a value keeps its unit; multiplying by pi may be part of a
        // conversion.
        _ if [0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0].into_iter().any(is) => Some(unit),
        _ => None,
    }
}

fn is_mathematics(path: &str) -> bool {
    matches!(path, "math" | "numpy")
}

/// Records which names are bound, and which more than once.
#[derive(Default)]
struct Bindings {
    bound: BTreeSet<String>,
    again: BTreeSet<String>,
}

impl Visit for Bindings {
    fn identifier(&mut self, name: &str, role: Role, _at: TextSize) {
        if matches!(role, Role::Bind(_) | Role::Delete | Role::Declare) && !self.bound.insert(name.to_owned())
        {
            self.again.insert(name.to_owned());
        }
    }
}

/// Calls `each` for every statement; nested statements follow their parent.
fn every_stmt<'a>(body: &'a [Stmt], each: &mut impl FnMut(&'a Stmt)) {
    for stmt in body {
        each(stmt);
        for block in blocks(stmt) {
            every_stmt(block, each);
        }
    }
}
