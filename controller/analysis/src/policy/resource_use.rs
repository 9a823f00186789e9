//! Checks how a tool uses time and resources: loops, sleeps, handlers, numbers and complexity.

use rustpython_parser::ast::{Constant, ExceptHandler, Expr, ExprCall, Operator, Ranged, Stmt, UnaryOp};

use super::name_resolution::{Meaning, Survey};
use super::rules::resource_use as rule;
use super::tree::{Notes, number};
use super::walk::{Function, Visit, defaults, function, walk_body, walk_expr, walk_signature, walk_stmt};

/// Time that a tool may take by default, in seconds.
pub(super) const BUDGET_SECONDS: f64 = 120.0;

/// Maximum number of iterations or items in a literal.
const MAX_ITERATIONS: f64 = 1e7;

/// Maximum exponent; a larger one makes a number of thousands of digits.
const LARGE_EXPONENT: f64 = 10_000.0;

/// Maximum number of branches in one function that a person can review.
const MAX_BRANCHES: usize = 30;

/// Maximum number of statements in one function that a person can review.
const MAX_STATEMENTS: usize = 120;

/// Maximum depth of compound statements that a person can review.
const MAX_INDENT: usize = 6;

/// Numpy functions whose first argument determines how much they allocate.
const ALLOCATING: &[&str] = &["arange", "empty", "eye", "full", "identity", "ones", "zeros"];

/// Checks everything below `body`.
pub(super) fn judge(body: &[Stmt], survey: &Survey, notes: &mut Notes) {
    let mut pass = Pass { survey, notes, is_async: false, branches: 0, statements: 0, depth: 0, deepest: 0 };
    walk_body(&mut pass, body);
}

struct Pass<'a> {
    survey: &'a Survey,
    notes: &'a mut Notes,
    is_async: bool,
    branches: usize,
    statements: usize,
    depth: usize,
    deepest: usize,
}

impl Pass<'_> {
    fn function(&mut self, function: Function<'_>) {
        walk_signature(self, function);
        for default in defaults(function.args) {
            if number(default).is_some_and(|value| value.abs() >= 1e8) {
                self.notes.add(&rule::HUGE_NUMBER, default.start(), "a default of a hundred million or more");
            }
        }
        let outer = (self.is_async, self.branches, self.statements, self.depth, self.deepest);
        (self.is_async, self.branches, self.statements, self.depth, self.deepest) =
            (function.is_async, 0, 0, 0, 0);
        walk_body(self, function.body);
        if self.branches > MAX_BRANCHES || self.deepest > MAX_INDENT || self.statements > MAX_STATEMENTS {
            let Pass { branches, statements, deepest, .. } = self;
            let what = format!(
                "`{}` has {branches} branches and {statements} statements, {deepest} deep",
                function.name
            );
            self.notes.add(&rule::TOO_COMPLEX, function.at, what);
        }
        (self.is_async, self.branches, self.statements, self.depth, self.deepest) = outer;
    }

    fn call(&mut self, call: &ExprCall) {
        let blocking = self.survey.is(&call.func, "time", "sleep");
        if blocking || self.survey.is(&call.func, "asyncio", "sleep") {
            if let Some(seconds) = call.args.first().and_then(number)
                && seconds > BUDGET_SECONDS
            {
                self.notes.add(&rule::LONG_SLEEP, call.start(), format!("a sleep of {seconds} seconds"));
            }
            if blocking && self.is_async {
                self.notes.add(&rule::BLOCKING_SLEEP, call.start(), "`time.sleep` in a coroutine");
            }
        }
        if matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "range")
            && call.args.iter().filter_map(number).any(|bound| bound.abs() > MAX_ITERATIONS)
        {
            self.notes.add(&rule::HUGE_NUMBER, call.start(), "a range of millions");
        }
        if let Meaning::Listed("numpy", name) = self.survey.meaning(&call.func)
            && ALLOCATING.contains(&name)
            && call.args.first().and_then(items).is_some_and(|count| count > MAX_ITERATIONS)
        {
            self.notes.add(&rule::HUGE_NUMBER, call.start(), "an array of millions");
        }
        if matches!(&*call.func, Expr::Attribute(a) if a.attr.as_str() == "run_forever") {
            self.notes.add(&rule::ENDLESS_LOOP, call.start(), "`run_forever`");
        }
        if self.survey.is(&call.func, "contextlib", "suppress") && call.args.iter().any(catches_all) {
            self.notes.add(&rule::SWALLOWED_EXCEPTION, call.start(), "every exception is suppressed");
        }
    }

    fn endless(&mut self, stmt: &Stmt, body: &[Stmt], what: &str) {
        let mut ways = LoopExits { survey: self.survey, loops: 0, out: false, waits: false };
        walk_body(&mut ways, body);
        if !ways.out {
            let rule = if ways.waits { &rule::ENDLESS_LOOP } else { &rule::BUSY_LOOP };
            self.notes.add(rule, stmt.start(), format!("{what} without `break` or `return`"));
        }
    }

    /// Returns whether an iterator never ends: `itertools.count()`, `cycle(...)`, `repeat(x)`, `iter(f,
    /// value)`, or an `enumerate` or `zip` of only these.
    fn is_infinite(&self, iter: &Expr) -> bool {
        let Expr::Call(call) = iter else { return false };
        let is = |name: &str| self.survey.is(&call.func, "itertools", name);
        let builtin = |name: &str| matches!(&*call.func, Expr::Name(n) if n.id.as_str() == name);
        is("count")
            || is("cycle")
            || is("repeat") && call.args.len() == 1 && call.keywords.is_empty()
            || builtin("enumerate") && call.args.first().is_some_and(|of| self.is_infinite(of))
            || builtin("zip") && !call.args.is_empty() && call.args.iter().all(|of| self.is_infinite(of))
    }

    fn handlers(&mut self, handlers: &[ExceptHandler]) {
        for ExceptHandler::ExceptHandler(handler) in handlers {
            self.branches += 1;
            let says_nothing = handler.body.iter().all(|stmt| match stmt {
                Stmt::Pass(_) | Stmt::Continue(_) => true,
                Stmt::Expr(s) => s.value.is_constant_expr(),
                _ => false,
            });
            if says_nothing && handler.type_.as_deref().is_none_or(catches_all) {
                self.notes.add(
                    &rule::SWALLOWED_EXCEPTION,
                    handler.start(),
                    "every exception is caught and ignored",
                );
            }
        }
    }
}

/// Returns whether a condition is always true: `True`, `1`, `"x"` or `not False`.
fn is_always_true(test: &Expr) -> bool {
    match test {
        Expr::Constant(constant) => match &constant.value {
            Constant::Bool(truth) => *truth,
            Constant::Str(text) => !text.is_empty(),
            _ => number(test).is_some_and(|n| n != 0.0),
        },
        Expr::UnaryOp(not) if not.op == UnaryOp::Not => match &*not.operand {
            Expr::Constant(constant) => {
                matches!(constant.value, Constant::Bool(false) | Constant::None)
                    || number(&not.operand).is_some_and(|n| n == 0.0)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether this is `Exception` or `BaseException`, or a tuple that contains one of them.
pub(super) fn catches_all(expr: &Expr) -> bool {
    match expr {
        Expr::Name(name) => matches!(name.id.as_str(), "Exception" | "BaseException"),
        Expr::Tuple(tuple) => tuple.elts.iter().any(catches_all),
        _ => false,
    }
}

impl Visit for Pass<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let Some(function) = function(stmt) {
            return self.function(function);
        }
        self.statements += 1;
        let compound = match stmt {
            Stmt::While(s) => {
                if is_always_true(&s.test) {
                    self.endless(stmt, &s.body, "`while True`");
                }
                true
            }
            Stmt::For(s) => {
                if self.is_infinite(&s.iter) {
                    self.endless(stmt, &s.body, "a loop over numbers without an end");
                }
                true
            }
            Stmt::Try(s) => {
                self.handlers(&s.handlers);
                true
            }
            Stmt::TryStar(s) => {
                self.handlers(&s.handlers);
                true
            }
            Stmt::If(s) => {
                self.branches += 1;
                // An `elif` is not nested deeper than its `if`.
                self.expr(&s.test);
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
                walk_body(self, &s.body);
                let elif = matches!(s.orelse.as_slice(), [Stmt::If(_)]);
                self.depth -= usize::from(elif);
                walk_body(self, &s.orelse);
                self.depth -= usize::from(!elif);
                return;
            }
            Stmt::Match(s) => {
                self.branches += s.cases.len();
                true
            }
            Stmt::AsyncFor(_) | Stmt::With(_) | Stmt::AsyncWith(_) => true,
            _ => false,
        };
        self.branches += usize::from(matches!(stmt, Stmt::While(_) | Stmt::For(_) | Stmt::AsyncFor(_)));
        self.depth += usize::from(compound);
        self.deepest = self.deepest.max(self.depth);
        walk_stmt(self, stmt);
        self.depth -= usize::from(compound);
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Call(call) => self.call(call),
            Expr::BoolOp(op) => self.branches += op.values.len().saturating_sub(1),
            Expr::IfExp(_) => self.branches += 1,
            Expr::BinOp(op) => {
                let (left, right) = (number(&op.left), number(&op.right));
                let is_many = |n: Option<f64>| n.is_some_and(|n| n > MAX_ITERATIONS);
                let is_sequence = |e: &Expr| {
                    e.is_list_expr()
                        || e.is_tuple_expr()
                        || matches!(e, Expr::Constant(c) if matches!(c.value, Constant::Str(_) | Constant::Bytes(_)))
                };
                let huge = match op.op {
                    Operator::Mult => {
                        is_many(left) && is_sequence(&op.right) || is_many(right) && is_sequence(&op.left)
                    }
                    Operator::Pow | Operator::LShift => right.is_some_and(|n| n > LARGE_EXPONENT),
                    _ => false,
                };
                if huge {
                    self.notes.add(&rule::HUGE_NUMBER, expr.start(), "a number or sequence of huge size");
                }
            }
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn annotation(&mut self, _: &Expr) {}
}

/// Returns the number of items in an array shape.
fn items(shape: &Expr) -> Option<f64> {
    match shape {
        Expr::Tuple(tuple) => tuple.elts.iter().map(number).product(),
        Expr::List(list) => list.elts.iter().map(number).product(),
        _ => number(shape),
    }
}

/// Finds the exits of a loop, and whether the loop waits.
struct LoopExits<'a> {
    survey: &'a Survey,
    /// Nesting depth of inner loops; their `break` does not end this loop.
    loops: usize,
    out: bool,
    waits: bool,
}

impl Visit for LoopExits<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::FunctionDef(_) | Stmt::AsyncFunctionDef(_) | Stmt::ClassDef(_) => return,
            Stmt::Return(_) | Stmt::Raise(_) => self.out = true,
            Stmt::Break(_) if self.loops == 0 => self.out = true,
            _ => {}
        }
        let inner = usize::from(matches!(stmt, Stmt::While(_) | Stmt::For(_) | Stmt::AsyncFor(_)));
        self.loops += inner;
        walk_stmt(self, stmt);
        self.loops -= inner;
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Lambda(_) => return,
            Expr::Yield(_) | Expr::YieldFrom(_) => self.out = true,
            Expr::Await(_) => self.waits = true,
            Expr::Call(call) => {
                let robot =
                    super::tree::root(&call.func).is_some_and(|name| self.survey.robots.contains(name));
                self.out |=
                    matches!(&*call.func, Expr::Name(name) if self.survey.raising.contains(name.id.as_str()));
                self.waits |= robot
                    || self.survey.is(&call.func, "time", "sleep")
                    || self.survey.is(&call.func, "motion", "perform");
            }
            _ => {}
        }
        walk_expr(self, expr);
    }
}
