//! Helpers for syntax trees: lines, dotted names, literals and numbers.

use std::collections::BTreeSet;

use rustpython_parser::ast::{Constant, Expr, Operator, Stmt, UnaryOp};
use rustpython_parser::text_size::TextSize;
use serde_json::{Value, json};

use super::rules::Rule;
use crate::finding::{Finding, Located};

/// Maximum number of findings that are recorded for one tool.
const MAX_FINDINGS: usize = 100;

/// The offsets at which the lines of a source begin.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    /// Finds the lines of `source`.
    pub(super) fn of(source: &str) -> Self {
        let behind = (1..).zip(source.bytes()).filter_map(|(behind, byte)| (byte == b'\n').then_some(behind));
        Lines(std::iter::once(0).chain(behind).collect())
    }

    /// Returns the line of an offset, from 1.
    pub(super) fn line(&self, at: TextSize) -> u32 {
        let before = self.0.partition_point(|start| *start <= usize::from(at));
        u32::try_from(before).unwrap_or(u32::MAX)
    }
}

/// Collects findings and maps offsets in the source to lines.
pub(super) struct Notes {
    lines: Lines,
    found: Vec<Located>,
}

impl Notes {
    /// Creates an empty collection for `source`.
    pub(super) fn of(source: &str) -> Self {
        Notes { lines: Lines::of(source), found: Vec::new() }
    }

    /// Returns the line of an offset, from 1.
    pub(super) fn line(&self, at: TextSize) -> u32 {
        self.lines.line(at)
    }

    /// Records that the code at this offset breaks `rule`. The hint is the rule's advice.
    pub(super) fn add(&mut self, rule: &Rule, at: TextSize, what: impl Into<String>) {
        self.hinted(rule, at, what, rule.advice);
    }

    /// Records a finding as [`Notes::add`] does, with a specific hint.
    pub(super) fn hinted(
        &mut self,
        rule: &Rule,
        at: TextSize,
        what: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let finding = rule.hinted(self.line(at), what, hint);
        if self.found.iter().any(|known| known.finding == finding) {
            return;
        }
        let verdict = finding.verdict;
        let located = Located { finding, offset: Some(usize::from(at)) };
        if self.found.len() < MAX_FINDINGS {
            self.found.push(located);
        } else if let Some(lighter) = self.found.iter_mut().find(|known| known.finding.verdict < verdict) {
            // Many minor findings must not hide a severe one.
            *lighter = located;
        }
    }

    /// Returns the findings in the order of their lines.
    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.into_located().into_iter().map(|located| located.finding).collect()
    }

    /// Returns the findings in the order of their lines, with their places.
    pub(super) fn into_located(mut self) -> Vec<Located> {
        self.found.sort_by_key(|Located { finding, .. }| (finding.line, std::cmp::Reverse(finding.verdict)));
        self.found
    }
}

/// Returns `a.b.c` for an expression that consists of names and dots only.
pub(super) fn dotted(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Name(name) => Some(name.id.to_string()),
        Expr::Attribute(attribute) => {
            let mut name = dotted(&attribute.value)?;
            name.push('.');
            name.push_str(&attribute.attr);
            Some(name)
        }
        _ => None,
    }
}

/// Adds a name to a set that usually contains it already.
pub(super) fn note_name(names: &mut BTreeSet<String>, name: &str) {
    if !names.contains(name) {
        names.insert(name.to_owned());
    }
}

/// Returns the name at the root of `a.b[c].d`.
pub(super) fn root(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(&name.id),
        Expr::Attribute(attribute) => root(&attribute.value),
        Expr::Subscript(subscript) => root(&subscript.value),
        _ => None,
    }
}

/// Returns the text of a string literal.
pub(super) fn text(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Constant(constant) => match &constant.value {
            Constant::Str(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the docstring of a body.
pub(super) fn docstring(body: &[Stmt]) -> Option<&str> {
    match body.first()? {
        Stmt::Expr(statement) => text(&statement.value),
        _ => None,
    }
}

/// Returns the value of an expression of number literals; infinite if it exceeds the range of a float.
pub(super) fn number(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Constant(constant) => match &constant.value {
            Constant::Int(int) => Some(int.to_string().parse().unwrap_or(f64::INFINITY)),
            Constant::Float(float) => Some(*float),
            _ => None,
        },
        Expr::UnaryOp(unary) => match unary.op {
            UnaryOp::USub => Some(-number(&unary.operand)?),
            UnaryOp::UAdd => number(&unary.operand),
            UnaryOp::Invert | UnaryOp::Not => None,
        },
        Expr::BinOp(binary) => computed(binary.op, number(&binary.left)?, number(&binary.right)?),
        _ => None,
    }
}

/// Applies an operator to two numbers; returns none for operators that are not supported.
pub(super) fn computed(operator: Operator, left: f64, right: f64) -> Option<f64> {
    match operator {
        Operator::Add => Some(left + right),
        Operator::Sub => Some(left - right),
        Operator::Mult => Some(left * right),
        Operator::Div => Some(left / right),
        Operator::Pow => Some(left.powf(right)),
        Operator::LShift => Some(left * right.exp2()),
        _ => None,
    }
}

/// Returns whether an expression is an integer literal or a combination of integer literals.
fn is_integer(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(constant) => matches!(constant.value, Constant::Int(_)),
        Expr::UnaryOp(unary) => is_integer(&unary.operand),
        Expr::BinOp(binary) => {
            binary.op != Operator::Div && is_integer(&binary.left) && is_integer(&binary.right)
        }
        _ => false,
    }
}

/// Returns a number as JSON, as an integer if `integer` is set.
pub(super) fn json_number(value: f64, integer: bool) -> Option<Value> {
    // Below 2^53, every whole float is exact.
    if integer && value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        return Some(json!(value as i64));
    }
    serde_json::Number::from_f64(value).map(Value::Number)
}

/// Converts a literal to JSON: a number, string, boolean, None, or a list, tuple or dict of these.
pub(super) fn literal(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Constant(constant) => match &constant.value {
            Constant::None => Some(Value::Null),
            Constant::Bool(truth) => Some(json!(truth)),
            Constant::Str(text) => Some(json!(text)),
            _ => json_number(number(expr)?, is_integer(expr)),
        },
        Expr::List(list) => list.elts.iter().map(literal).collect(),
        Expr::Tuple(tuple) => tuple.elts.iter().map(literal).collect(),
        Expr::Dict(dict) => {
            let entries = dict.keys.iter().zip(&dict.values);
            let entries =
                entries.map(|(key, value)| Some((text(key.as_ref()?)?.to_owned(), literal(value)?)));
            entries.collect::<Option<serde_json::Map<_, _>>>().map(Value::Object)
        }
        _ => json_number(number(expr)?, is_integer(expr)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustpython_parser::Parse;

    fn parsed(text: &str) -> Expr {
        Expr::parse(text, "").unwrap()
    }

    #[test]
    fn numbers_are_folded_as_python_does() {
        for (text, value) in
            [("-1", -1.0), ("10 ** 9", 1e9), ("1 << 4", 16.0), ("3 * 4 - 2 / 4", 11.5), ("1e3", 1e3)]
        {
            assert_eq!(number(&parsed(text)), Some(value), "{text}");
        }
        assert_eq!(number(&parsed(&"9".repeat(400))), Some(f64::INFINITY));
        for text in ["n", "True", "'1'", "1 if n else 2"] {
            assert_eq!(number(&parsed(text)), None, "{text}");
        }
    }

    #[test]
    fn literals_become_json() {
        for (text, value) in [
            ("(1, -2.5, 'x', None, True)", json!([1, -2.5, "x", null, true])),
            ("{'a': [1.0], 'b': {}}", json!({"a": [1.0], "b": {}})),
            ("10 ** 3", json!(1000)),
            ("1 / 2", json!(0.5)),
        ] {
            assert_eq!(literal(&parsed(text)), Some(value), "{text}");
        }
        for text in ["[n]", "{1: 2}", "{**a}", "f()", "1e999", "1j", "b'x'", "{1}"] {
            assert_eq!(literal(&parsed(text)), None, "{text}");
        }
    }

    #[test]
    fn many_minor_findings_do_not_hide_a_severe_one() {
        use crate::finding::{Verdict, most_severe};
        use crate::policy::rules::resource_use;
        let mut notes = Notes::of("");
        for number in 0..MAX_FINDINGS + 5 {
            notes.add(&resource_use::HUGE_NUMBER, TextSize::new(0), format!("{number}"));
        }
        notes.add(&resource_use::BUSY_LOOP, TextSize::new(0), "a loop");
        let found = notes.into_findings();
        assert_eq!((found.len(), most_severe(&found)), (MAX_FINDINGS, Verdict::Reject));
    }

    #[test]
    fn lines_are_counted_from_one() {
        let notes = Notes::of("a\nbb\n\nc");
        let lines: Vec<u32> = (0..7).map(|at| notes.line(TextSize::new(at))).collect();
        assert_eq!(lines, [1, 1, 2, 2, 2, 3, 4]);
    }
}
