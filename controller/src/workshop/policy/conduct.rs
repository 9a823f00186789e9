//! Judges how a tool behaves with time and resources: loops, sleeps, handlers, numbers, complexity.

use rustpython_parser::ast::{Constant, ExceptHandler, Expr, ExprCall, Operator, Ranged, Stmt, StmtWhile};

use super::rules::conduct as rule;
use super::survey::Survey;
use super::tree::{Notes, number};
use super::walk::{Function, Visit, defaults, function, walk_body, walk_expr, walk_signature, walk_stmt};

/// Seconds that a tool may take by default.
const BUDGET_SECONDS: f64 = 120.0;

/// More rounds or items than this are too many.
const MANY: f64 = 1e7;

/// A larger exponent makes a number of thousands of digits.
const LARGE_EXPONENT: f64 = 10_000.0;

/// More branches than this in one function are too many to review.
const MAX_BRANCHES: usize = 30;

/// Deeper compound statements than this are too deep to review.
const MAX_INDENT: usize = 6;

/// Judges everything below `body`.
pub(super) fn judge(body: &[Stmt], survey: &Survey, notes: &mut Notes) {
    walk_body(&mut Pass { survey, notes, is_async: false, branches: 0, depth: 0, deepest: 0 }, body);
}

struct Pass<'a> {
    survey: &'a Survey,
    notes: &'a mut Notes,
    is_async: bool,
    branches: usize,
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
        let outer = (self.is_async, self.branches, self.depth, self.deepest);
        (self.is_async, self.branches, self.depth, self.deepest) = (function.is_async, 0, 0, 0);
        walk_body(self, function.body);
        if self.branches > MAX_BRANCHES || self.deepest > MAX_INDENT {
            let what = format!("`{}` has {} branches, {} deep", function.name, self.branches, self.deepest);
            self.notes.add(&rule::TOO_COMPLEX, function.at, what);
        }
        (self.is_async, self.branches, self.depth, self.deepest) = outer;
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
            && call.args.iter().filter_map(number).any(|bound| bound.abs() > MANY)
        {
            self.notes.add(&rule::HUGE_NUMBER, call.start(), "a range of millions");
        }
        if self.survey.is(&call.func, "contextlib", "suppress") && call.args.iter().any(catches_all) {
            self.notes.add(&rule::SWALLOWED_EXCEPTION, call.start(), "every exception is suppressed");
        }
    }

    fn endless(&mut self, loop_: &StmtWhile) {
        let always = match &*loop_.test {
            Expr::Constant(constant) => {
                constant.value == Constant::Bool(true) || number(&loop_.test).is_some_and(|n| n != 0.0)
            }
            _ => false,
        };
        if !always {
            return;
        }
        let mut ways = Ways { survey: self.survey, loops: 0, out: false, waits: false };
        walk_body(&mut ways, &loop_.body);
        if !ways.out {
            let rule = if ways.waits { &rule::ENDLESS_LOOP } else { &rule::BUSY_LOOP };
            self.notes.add(rule, loop_.start(), "`while True` without `break` or `return`");
        }
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
                    "every exception is caught and forgotten",
                );
            }
        }
    }
}

/// `Exception` or `BaseException`, also in a tuple.
fn catches_all(expr: &Expr) -> bool {
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
        let compound = match stmt {
            Stmt::While(s) => {
                self.endless(s);
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
                // An `elif` is no deeper than its `if`.
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
            Stmt::For(_) | Stmt::AsyncFor(_) | Stmt::With(_) | Stmt::AsyncWith(_) => true,
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
                let is_many = |n: Option<f64>| n.is_some_and(|n| n > MANY);
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

/// The ways out of a loop, and whether it waits on its way.
struct Ways<'a> {
    survey: &'a Survey,
    /// Loops inside: their `break` is not ours.
    loops: usize,
    out: bool,
    waits: bool,
}

impl Visit for Ways<'_> {
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
                self.waits |= robot || self.survey.is(&call.func, "time", "sleep");
            }
            _ => {}
        }
        walk_expr(self, expr);
    }
}
