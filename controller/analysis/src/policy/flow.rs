//! Checks how a function treats its arguments, failures and coroutines.
//!
//! Reports statements that never run, values that are never read, coroutines that are never awaited, and
//! failures that are returned as a success.

use std::collections::BTreeSet;

use rustpython_parser::ast::{CmpOp, Constant, ExceptHandler, Expr, ExprCall, Ranged, Stmt};
use rustpython_parser::text_size::TextSize;

use super::name_resolution::Survey;
use super::resource_use::catches_all;
use super::rules::resource_use as rule;
use super::signature::yields;
use super::tree::{Notes, note_name, text};
use super::walk::{
    Function, Role, Visit, blocks, defaults, function, walk_body, walk_expr, walk_signature, walk_stmt,
};

/// Words in a text that reports a failure.
const FAILURE: &str = "fail error could can't cannot unable not no n't problem invalid exception refus stop cancel \
                       time unreachable sorry abort interrupt skip unknown missing lost went wrong without nothing \
                       none only partial";

/// Motion methods that block until the motion ends.
const WAITING_METHODS: &[&str] =
    &["goto_sleep", "goto_target", "look_at_image", "look_at_world", "play_move", "wake_up"];

/// Checks every function below `body`.
pub(super) fn judge(body: &[Stmt], survey: &Survey, notes: &mut Notes) {
    let mut known = Known::default();
    walk_body(&mut known, body);
    let mut pass = Pass { survey, notes, known: &known, is_async: false, in_class: false };
    pass.block(body);
    walk_body(&mut pass, body);
}

/// Facts about the functions of a file.
#[derive(Default)]
struct Known {
    /// Names of coroutine functions that are not methods.
    coroutines: BTreeSet<String>,
    /// Names that are used as values and not called; such a function may be a callback.
    values: BTreeSet<String>,
    in_class: bool,
}

impl Visit for Known {
    fn stmt(&mut self, stmt: &Stmt) {
        let outer = self.in_class;
        if let Some(function) = function(stmt) {
            if function.is_async && !self.in_class {
                self.coroutines.insert(function.name.to_string());
            }
            self.in_class = false;
        } else if stmt.is_class_def_stmt() {
            self.in_class = true;
        }
        walk_stmt(self, stmt);
        self.in_class = outer;
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Call(call) if call.func.is_name_expr() => {
                call.args.iter().for_each(|arg| self.expr(arg));
                call.keywords.iter().for_each(|keyword| self.expr(&keyword.value));
            }
            Expr::Name(name) if name.ctx.is_load() => {
                note_name(&mut self.values, &name.id);
            }
            _ => walk_expr(self, expr),
        }
    }
}

/// The names that are read somewhere below a node.
#[derive(Default)]
struct Reads(BTreeSet<String>);

impl Reads {
    fn of(body: &[Stmt]) -> BTreeSet<String> {
        let mut reads = Reads::default();
        walk_body(&mut reads, body);
        reads.0
    }
}

impl Visit for Reads {
    fn stmt(&mut self, stmt: &Stmt) {
        if let Stmt::AugAssign(s) = stmt
            && let Expr::Name(name) = &*s.target
        {
            note_name(&mut self.0, &name.id);
        }
        walk_stmt(self, stmt);
    }

    fn identifier(&mut self, name: &str, role: Role, _at: TextSize) {
        if matches!(role, Role::Load | Role::Delete | Role::Declare) {
            note_name(&mut self.0, name);
        }
    }
}

struct Pass<'a> {
    survey: &'a Survey,
    notes: &'a mut Notes,
    known: &'a Known,
    is_async: bool,
    in_class: bool,
}

impl Pass<'_> {
    fn function(&mut self, function: Function<'_>) {
        self.parameters(function);
        for default in defaults(function.args) {
            let makes = matches!(default, Expr::Call(call) if matches!(&*call.func,
                Expr::Name(name) if matches!(name.id.as_str(), "list" | "dict" | "set")));
            if makes || default.is_list_expr() || default.is_dict_expr() || default.is_set_expr() {
                self.notes.add(&rule::MUTABLE_DEFAULT, default.start(), "a default that all calls share");
            }
        }
        if !yields(function.body) && self.always_calls_itself(function, function.body) {
            let what = format!("`{}` always calls itself", function.name);
            self.notes.add(&rule::ENDLESS_RECURSION, function.at, what);
        }
        self.report_hidden_failures(function);
    }

    /// Reports parameters that nothing reads, or that are overwritten first.
    fn parameters(&mut self, function: Function<'_>) {
        if self.in_class || is_stub(function.body) {
            return;
        }
        let args = function.args;
        let mut unread: Vec<_> = args.posonlyargs.iter().chain(&args.args).chain(&args.kwonlyargs).collect();
        unread.retain(|arg| {
            let name = arg.def.arg.as_str();
            !name.starts_with('_') && !self.survey.robots.contains(name) && name != "robot"
        });
        let mut lost = BTreeSet::new();
        for stmt in function.body {
            if unread.is_empty() {
                return;
            }
            let reads = Reads::of(std::slice::from_ref(stmt));
            let overwritten = match stmt {
                Stmt::Assign(s) => s.targets.first(),
                Stmt::AnnAssign(s) if s.value.is_some() => Some(&*s.target),
                Stmt::For(s) => Some(&*s.target),
                _ => None,
            };
            unread.retain(|arg| !reads.contains(arg.def.arg.as_str()));
            if let Some(Expr::Name(target)) = overwritten
                && let Some(arg) = unread.iter().find(|arg| arg.def.arg == target.id)
                && lost.insert(arg.def.arg.as_str())
            {
                let what = format!("the argument `{}` is overwritten before it is read", target.id);
                self.notes.add(&rule::SHADOWED_PARAMETER, stmt.start(), what);
            }
        }
        if self.known.values.contains(function.name.as_str()) {
            return;
        }
        for arg in unread.iter().filter(|arg| !lost.contains(arg.def.arg.as_str())) {
            let what = format!("nothing reads the parameter `{}`", arg.def.arg);
            self.notes.add(&rule::UNUSED_PARAMETER, arg.def.start(), what);
        }
    }

    /// Returns whether `body` always reaches a call of `function` before anything can end it.
    fn always_calls_itself(&self, function: Function<'_>, body: &[Stmt]) -> bool {
        for stmt in body {
            match stmt {
                Stmt::With(s) => return self.always_calls_itself(function, &s.body),
                Stmt::Return(_)
                | Stmt::Expr(_)
                | Stmt::Assign(_)
                | Stmt::AugAssign(_)
                | Stmt::AnnAssign(_) => {
                    let mut calls = OwnCalls { function, method: self.in_class, found: false };
                    walk_stmt(&mut calls, stmt);
                    if calls.found {
                        return true;
                    }
                    if stmt.is_return_stmt() {
                        return false;
                    }
                }
                Stmt::FunctionDef(_) | Stmt::AsyncFunctionDef(_) | Stmt::ClassDef(_) => {}
                Stmt::Import(_)
                | Stmt::ImportFrom(_)
                | Stmt::Pass(_)
                | Stmt::Global(_)
                | Stmt::Nonlocal(_) => {}
                _ => return false,
            }
        }
        false
    }

    /// Reports exception handlers that return a success, or fall through to one.
    fn report_hidden_failures(&mut self, function: Function<'_>) {
        let end = match function.body.last() {
            Some(Stmt::Return(s)) => s.value.as_deref().and_then(returned_text),
            _ => None,
        };
        let ends_well = end.as_deref().is_some_and(is_success);
        let mut handlers = Handlers { end, ..Handlers::default() };
        walk_body(&mut handlers, function.body);
        for (at, what) in handlers.found {
            self.notes.add(&rule::HIDDEN_FAILURE, at, what);
        }
        if ends_well {
            for at in handlers.passed_over {
                let what = "every exception is caught here, and the function still ends with a success";
                self.notes.add(&rule::HIDDEN_FAILURE, at, what);
            }
        }
    }

    /// Reports statements after the end of a block.
    fn block(&mut self, body: &[Stmt]) {
        for pair in body.windows(2) {
            if let [last, behind] = pair
                && (last.is_return_stmt()
                    || last.is_raise_stmt()
                    || last.is_break_stmt()
                    || last.is_continue_stmt())
                && !yields(std::slice::from_ref(behind))
            {
                self.notes.add(&rule::UNREACHABLE_CODE, behind.start(), "a statement that never runs");
            }
        }
    }

    fn call(&mut self, call: &ExprCall) {
        if !self.is_async {
            return;
        }
        if self.survey.is(&call.func, "asyncio", "run") {
            self.notes.add(&rule::BLOCKING_CALL, call.start(), "`asyncio.run` in a coroutine");
        }
        if self.survey.is(&call.func, "motion", "perform") {
            let what = "`perform` in a coroutine blocks until the motion ends";
            self.notes.add(&rule::BLOCKING_MOTION, call.start(), what);
        }
        let Expr::Attribute(attribute) = &*call.func else { return };
        let name = attribute.attr.as_str();
        if matches!(name, "run_until_complete" | "run_forever") {
            self.notes.add(&rule::BLOCKING_CALL, call.start(), format!("`{name}` in a coroutine"));
        }
        let robot =
            matches!(&*attribute.value, Expr::Name(name) if self.survey.robots.contains(name.id.as_str()));
        if robot && WAITING_METHODS.contains(&name) {
            let what = format!("`{name}` in a coroutine blocks until the motion ends");
            self.notes.add(&rule::BLOCKING_MOTION, call.start(), what);
        }
    }

    /// Reports a coroutine that is created as a statement of its own.
    fn report_unawaited(&mut self, value: &Expr) {
        let Expr::Call(call) = value else { return };
        let is = |name: &str| self.survey.is(&call.func, "asyncio", name);
        let own = matches!(&*call.func, Expr::Name(name) if self.known.coroutines.contains(name.id.as_str()));
        let robot = matches!(&*call.func, Expr::Attribute(a) if a.attr.as_str() == "async_play_move");
        if own || robot || is("sleep") || is("wait_for") || is("wait") {
            self.notes.add(&rule::FORGOTTEN_AWAIT, call.start(), "a coroutine that is never awaited");
        }
    }
}

impl Visit for Pass<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        for block in blocks(stmt) {
            self.block(block);
        }
        let outer = (self.is_async, self.in_class);
        if let Some(function) = function(stmt) {
            self.function(function);
            walk_signature(self, function);
            (self.is_async, self.in_class) = (function.is_async, false);
            walk_body(self, function.body);
        } else {
            match stmt {
                Stmt::ClassDef(_) => (self.is_async, self.in_class) = (false, true),
                Stmt::Expr(s) => self.report_unawaited(&s.value),
                Stmt::While(s)
                    if self.is_async
                        && !s.test.is_constant_expr()
                        && s.body.iter().all(Stmt::is_pass_stmt) =>
                {
                    let what = "a loop that only polls: no other coroutine can run";
                    self.notes.hinted(
                        &rule::BLOCKING_CALL,
                        stmt.start(),
                        what,
                        "await asyncio.sleep(...) in it",
                    );
                }
                _ => {}
            }
            walk_stmt(self, stmt);
        }
        (self.is_async, self.in_class) = outer;
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Call(call) => self.call(call),
            Expr::Lambda(_) => {
                let outer = std::mem::replace(&mut self.is_async, false);
                walk_expr(self, expr);
                self.is_async = outer;
                return;
            }
            Expr::Compare(compare) => {
                let exact = compare.ops.iter().any(|op| matches!(op, CmpOp::Eq | CmpOp::NotEq));
                let sides = std::iter::once(&*compare.left).chain(&compare.comparators);
                if exact && sides.into_iter().any(is_fraction) {
                    self.notes.add(&rule::EXACT_COMPARISON, expr.start(), "a fraction compared exactly");
                }
            }
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn annotation(&mut self, _: &Expr) {}
}

fn is_fraction(expr: &Expr) -> bool {
    super::tree::number(expr).is_some_and(|number| number.is_finite() && number.fract() != 0.0)
}

/// Returns whether a body only declares an interface: a docstring, `...`, `pass` or `raise
/// NotImplementedError`.
fn is_stub(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| match stmt {
        Stmt::Pass(_) | Stmt::Raise(_) => true,
        Stmt::Expr(s) => s.value.is_constant_expr(),
        _ => false,
    })
}

/// Finds calls of a function to itself that run unconditionally.
struct OwnCalls<'a> {
    function: Function<'a>,
    method: bool,
    found: bool,
}

impl Visit for OwnCalls<'_> {
    fn expr(&mut self, expr: &Expr) {
        match expr {
            // These branches may run later or never.
            Expr::Lambda(_)
            | Expr::IfExp(_)
            | Expr::BoolOp(_)
            | Expr::ListComp(_)
            | Expr::SetComp(_)
            | Expr::DictComp(_)
            | Expr::GeneratorExp(_) => {}
            Expr::Await(_) => {
                let outer = std::mem::replace(&mut self.function.is_async, false);
                walk_expr(self, expr);
                self.function.is_async = outer;
            }
            Expr::Call(call) => {
                let name = self.function.name.as_str();
                let own = match &*call.func {
                    Expr::Name(callee) => !self.method && callee.id.as_str() == name,
                    Expr::Attribute(callee) => {
                        self.method
                            && callee.attr.as_str() == name
                            && matches!(&*callee.value, Expr::Name(of) if of.id.as_str() == "self")
                    }
                    _ => false,
                };
                self.found |= own && !self.function.is_async;
                walk_expr(self, expr);
            }
            _ => walk_expr(self, expr),
        }
    }
}

/// Returns the text of a returned value: a string, the fixed part of an f-string, `True`, or a `status` in
/// a dict.
fn returned_text(value: &Expr) -> Option<String> {
    match value {
        Expr::Constant(constant) => match &constant.value {
            Constant::Str(text) => Some(text.clone()),
            Constant::Bool(true) => Some("True".to_owned()),
            _ => None,
        },
        Expr::JoinedStr(joined) => Some(joined.values.iter().filter_map(text).collect()),
        Expr::Dict(dict) => dict.keys.iter().zip(&dict.values).find_map(|(key, value)| {
            let key =
                text(key.as_ref()?).filter(|key| matches!(*key, "status" | "success" | "ok" | "result"))?;
            returned_text(value)
                .map(|message| if message == "True" { format!("{key}: success") } else { message })
        }),
        _ => None,
    }
}

fn is_failure(message: &str) -> bool {
    let lower = message.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| {
        FAILURE
            .split_whitespace()
            .any(|known| if known.len() > 3 { word.contains(known) } else { word == known })
    })
}

fn is_success(message: &str) -> bool {
    let lower = message.to_lowercase();
    (lower.contains("success") || matches!(lower.trim(), "ok" | "done" | "okay")) && !is_failure(&lower)
}

/// Finds handlers that report a success, and `finally` blocks that return.
#[derive(Default)]
struct Handlers {
    /// The text that the function returns when it succeeds.
    end: Option<String>,
    found: Vec<(TextSize, String)>,
    /// Handlers of all exceptions after which the function continues as if nothing had failed.
    passed_over: Vec<TextSize>,
}

impl Handlers {
    fn handlers(&mut self, handlers: &[ExceptHandler]) {
        for ExceptHandler::ExceptHandler(handler) in handlers {
            let all = handler.type_.as_deref().is_none_or(catches_all);
            let names_it =
                handler.name.as_ref().is_some_and(|name| Reads::of(&handler.body).contains(name.as_str()));
            for stmt in &handler.body {
                let Stmt::Return(s) = stmt else { continue };
                let Some(message) = s.value.as_deref().and_then(returned_text) else { continue };
                let same = all && !message.is_empty() && self.end.as_ref() == Some(&message);
                if !names_it && (is_success(&message) || same) {
                    let what = "a handler returns what looks like a success".to_owned();
                    self.found.push((stmt.start(), what));
                }
            }
            let goes_on = handler.body.iter().all(|stmt| stmt.is_pass_stmt() || stmt.is_expr_stmt());
            if all && goes_on && !names_it {
                self.passed_over.push(handler.start());
            }
        }
    }

    fn finally(&mut self, body: &[Stmt]) {
        if let Some(stmt) = body.iter().find(|stmt| stmt.is_return_stmt()) {
            let what = "`return` in `finally` discards every exception".to_owned();
            self.found.push((stmt.start(), what));
        }
    }
}

impl Visit for Handlers {
    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::FunctionDef(_) | Stmt::AsyncFunctionDef(_) | Stmt::ClassDef(_) => return,
            Stmt::Try(s) => {
                self.handlers(&s.handlers);
                self.finally(&s.finalbody);
            }
            Stmt::TryStar(s) => {
                self.handlers(&s.handlers);
                self.finally(&s.finalbody);
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }
}
