//! Computes the shape of a tree: one hash over every node, name, operator, constant and line of a
//! statement.
//!
//! The tool host computes the same hash from CPython's tree (`facts.py`). Both write a normal form with one
//! token a line. A node precedes its parts, and the parts follow the order of CPython's own `ast`:
//!
//! * a node is the name of its class; a statement's line follows its name;
//! * a list is `[` and its length, an absent part is `-`, a text is its length in characters, `:` and the
//!   text;
//! * a number is `i` and its hexadecimal digits, or `f` and its sixty-four bits; bytes are `b` and their
//!   hexadecimal digits;
//! * adjacent texts of an f-string are merged and empty ones dropped, because parsers split them
//!   differently.
//!
//! The form omits what has no meaning or what a parser does not report. That is whether a name is loaded or
//! stored (its position tells), `u` before a text, parentheses around an annotated name, and type comments.

use rustpython_parser::ast::{
    Alias, Arg, Arguments, BoolOp, CmpOp, Comprehension, Constant, ConversionFlag, ExceptHandler, Expr,
    Identifier, Keyword, Operator, Pattern, Ranged, Stmt, TypeParam, UnaryOp, WithItem,
};
use rustpython_parser::text_size::TextSize;

use super::tree::Lines;
use super::walk::{Function, function};
use crate::digest::hex_sha256;

/// Returns the hash of a module's tree, in lower-case hexadecimal.
pub(super) fn of(source: &str, body: &[Stmt]) -> String {
    let mut shape = Shape { form: Vec::with_capacity(16 * source.len()), lines: Lines::of(source) };
    shape.body(body);
    hex_sha256(&shape.form)
}

/// Writes the normal form.
struct Shape {
    form: Vec<u8>,
    lines: Lines,
}

impl Shape {
    fn word(&mut self, word: &str) {
        self.form.extend_from_slice(word.as_bytes());
        self.form.push(b'\n');
    }

    fn decimal(&mut self, number: usize) {
        if number >= 10 {
            self.decimal(number / 10);
        }
        self.form.push(b'0' + (number % 10) as u8);
    }

    fn text(&mut self, text: &str) {
        self.decimal(text.chars().count());
        self.form.push(b':');
        self.word(text);
    }

    fn name(&mut self, name: Option<&Identifier>) {
        match name {
            Some(name) => self.text(name),
            None => self.word("-"),
        }
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.form.push(b'[');
        self.decimal(items.len());
        self.form.push(b'\n');
        for item in items {
            each(self, item);
        }
    }

    fn optional(&mut self, expr: Option<&Expr>) {
        match expr {
            Some(expr) => self.expr(expr),
            None => self.word("-"),
        }
    }

    fn body(&mut self, body: &[Stmt]) {
        self.list(body, Self::stmt);
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        self.list(exprs, Self::expr);
    }

    fn names(&mut self, names: &[Identifier]) {
        self.list(names, |shape, name| shape.text(name));
    }

    fn at(&mut self, word: &str, at: TextSize) {
        self.form.extend_from_slice(word.as_bytes());
        self.decimal(self.lines.line(at) as usize);
        self.form.push(b'\n');
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let at = stmt.start();
        if let Some(function) = function(stmt) {
            return self.function(function, at);
        }
        match stmt {
            Stmt::FunctionDef(_) | Stmt::AsyncFunctionDef(_) => {}
            Stmt::ClassDef(s) => {
                self.at("ClassDef", at);
                self.text(&s.name);
                self.exprs(&s.bases);
                self.list(&s.keywords, Self::keyword);
                self.body(&s.body);
                self.exprs(&s.decorator_list);
                self.type_params(&s.type_params);
            }
            Stmt::Return(s) => {
                self.at("Return", at);
                self.optional(s.value.as_deref());
            }
            Stmt::Delete(s) => {
                self.at("Delete", at);
                self.exprs(&s.targets);
            }
            Stmt::Assign(s) => {
                self.at("Assign", at);
                self.exprs(&s.targets);
                self.expr(&s.value);
            }
            Stmt::TypeAlias(s) => {
                self.at("TypeAlias", at);
                self.expr(&s.name);
                self.type_params(&s.type_params);
                self.expr(&s.value);
            }
            Stmt::AugAssign(s) => {
                self.at("AugAssign", at);
                self.expr(&s.target);
                self.word(operator(s.op));
                self.expr(&s.value);
            }
            Stmt::AnnAssign(s) => {
                self.at("AnnAssign", at);
                self.expr(&s.target);
                self.expr(&s.annotation);
                self.optional(s.value.as_deref());
            }
            Stmt::For(s) => self.for_loop("For", at, (&s.target, &s.iter), (&s.body, &s.orelse)),
            Stmt::AsyncFor(s) => self.for_loop("AsyncFor", at, (&s.target, &s.iter), (&s.body, &s.orelse)),
            Stmt::While(s) => self.branch("While", at, &s.test, (&s.body, &s.orelse)),
            Stmt::If(s) => self.branch("If", at, &s.test, (&s.body, &s.orelse)),
            Stmt::With(s) => self.with("With", at, &s.items, &s.body),
            Stmt::AsyncWith(s) => self.with("AsyncWith", at, &s.items, &s.body),
            Stmt::Match(s) => {
                self.at("Match", at);
                self.expr(&s.subject);
                self.list(&s.cases, |shape, case| {
                    shape.word("match_case");
                    shape.pattern(&case.pattern);
                    shape.optional(case.guard.as_deref());
                    shape.body(&case.body);
                });
            }
            Stmt::Raise(s) => {
                self.at("Raise", at);
                self.optional(s.exc.as_deref());
                self.optional(s.cause.as_deref());
            }
            Stmt::Try(s) => self.attempt("Try", at, (&s.body, &s.handlers), (&s.orelse, &s.finalbody)),
            Stmt::TryStar(s) => {
                self.attempt("TryStar", at, (&s.body, &s.handlers), (&s.orelse, &s.finalbody));
            }
            Stmt::Assert(s) => {
                self.at("Assert", at);
                self.expr(&s.test);
                self.optional(s.msg.as_deref());
            }
            Stmt::Import(s) => {
                self.at("Import", at);
                self.list(&s.names, Self::alias);
            }
            Stmt::ImportFrom(s) => {
                self.at("ImportFrom", at);
                self.name(s.module.as_ref());
                self.list(&s.names, Self::alias);
                self.word(&format!("i{:x}", s.level.map_or(0, |level| level.to_u32())));
            }
            Stmt::Global(s) => {
                self.at("Global", at);
                self.names(&s.names);
            }
            Stmt::Nonlocal(s) => {
                self.at("Nonlocal", at);
                self.names(&s.names);
            }
            Stmt::Expr(s) => {
                self.at("Expr", at);
                self.expr(&s.value);
            }
            Stmt::Pass(_) => self.at("Pass", at),
            Stmt::Break(_) => self.at("Break", at),
            Stmt::Continue(_) => self.at("Continue", at),
        }
    }

    fn function(&mut self, function: Function<'_>, at: TextSize) {
        self.at(if function.is_async { "AsyncFunctionDef" } else { "FunctionDef" }, at);
        self.text(function.name);
        self.arguments(function.args);
        self.body(function.body);
        self.exprs(function.decorators);
        self.optional(function.returns);
        self.type_params(function.type_params);
    }

    /// CPython 3.11 has no type parameters, so an empty list writes nothing.
    fn type_params(&mut self, params: &[TypeParam]) {
        if !params.is_empty() {
            self.word("type_params");
        }
    }

    fn for_loop(&mut self, word: &str, at: TextSize, of: (&Expr, &Expr), then: (&[Stmt], &[Stmt])) {
        self.at(word, at);
        self.expr(of.0);
        self.expr(of.1);
        self.body(then.0);
        self.body(then.1);
    }

    fn branch(&mut self, word: &str, at: TextSize, test: &Expr, then: (&[Stmt], &[Stmt])) {
        self.at(word, at);
        self.expr(test);
        self.body(then.0);
        self.body(then.1);
    }

    fn with(&mut self, word: &str, at: TextSize, items: &[WithItem], body: &[Stmt]) {
        self.at(word, at);
        self.list(items, |shape, item| {
            shape.word("withitem");
            shape.expr(&item.context_expr);
            shape.optional(item.optional_vars.as_deref());
        });
        self.body(body);
    }

    fn attempt(
        &mut self,
        word: &str,
        at: TextSize,
        tried: (&[Stmt], &[ExceptHandler]),
        then: (&[Stmt], &[Stmt]),
    ) {
        self.at(word, at);
        self.body(tried.0);
        self.list(tried.1, |shape, ExceptHandler::ExceptHandler(handler)| {
            shape.at("ExceptHandler", handler.start());
            shape.optional(handler.type_.as_deref());
            shape.name(handler.name.as_ref());
            shape.body(&handler.body);
        });
        self.body(then.0);
        self.body(then.1);
    }

    fn alias(&mut self, alias: &Alias) {
        self.word("alias");
        self.text(&alias.name);
        self.name(alias.asname.as_ref());
    }

    fn keyword(&mut self, keyword: &Keyword) {
        self.word("keyword");
        self.name(keyword.arg.as_ref());
        self.expr(&keyword.value);
    }

    fn arg(&mut self, arg: &Arg) {
        self.word("arg");
        self.text(&arg.arg);
        self.optional(arg.annotation.as_deref());
    }

    fn arguments(&mut self, args: &Arguments) {
        let one = |shape: &mut Self, arg: Option<&Arg>| match arg {
            Some(arg) => shape.arg(arg),
            None => shape.word("-"),
        };
        self.word("arguments");
        self.list(&args.posonlyargs, |shape, arg| shape.arg(&arg.def));
        self.list(&args.args, |shape, arg| shape.arg(&arg.def));
        one(self, args.vararg.as_deref());
        self.list(&args.kwonlyargs, |shape, arg| shape.arg(&arg.def));
        self.list(&args.kwonlyargs, |shape, arg| shape.optional(arg.default.as_deref()));
        one(self, args.kwarg.as_deref());
        let defaults: Vec<&Expr> =
            args.posonlyargs.iter().chain(&args.args).filter_map(|arg| arg.default.as_deref()).collect();
        self.list(&defaults, |shape, default| shape.expr(default));
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::BoolOp(e) => {
                self.word("BoolOp");
                self.word(match e.op {
                    BoolOp::And => "And",
                    BoolOp::Or => "Or",
                });
                self.exprs(&e.values);
            }
            Expr::NamedExpr(e) => self.node("NamedExpr", &[&e.target, &e.value]),
            Expr::BinOp(e) => {
                self.node("BinOp", &[&e.left]);
                self.word(operator(e.op));
                self.expr(&e.right);
            }
            Expr::UnaryOp(e) => {
                self.word("UnaryOp");
                self.word(match e.op {
                    UnaryOp::Invert => "Invert",
                    UnaryOp::Not => "Not",
                    UnaryOp::UAdd => "UAdd",
                    UnaryOp::USub => "USub",
                });
                self.expr(&e.operand);
            }
            Expr::Lambda(e) => {
                self.word("Lambda");
                self.arguments(&e.args);
                self.expr(&e.body);
            }
            Expr::IfExp(e) => self.node("IfExp", &[&e.test, &e.body, &e.orelse]),
            Expr::Dict(e) => {
                self.word("Dict");
                self.list(&e.keys, |shape, key| shape.optional(key.as_ref()));
                self.exprs(&e.values);
            }
            Expr::Set(e) => self.node_of("Set", &e.elts),
            Expr::List(e) => self.node_of("List", &e.elts),
            Expr::Tuple(e) => self.node_of("Tuple", &e.elts),
            Expr::ListComp(e) => self.comprehension("ListComp", &[&e.elt], &e.generators),
            Expr::SetComp(e) => self.comprehension("SetComp", &[&e.elt], &e.generators),
            Expr::DictComp(e) => self.comprehension("DictComp", &[&e.key, &e.value], &e.generators),
            Expr::GeneratorExp(e) => self.comprehension("GeneratorExp", &[&e.elt], &e.generators),
            Expr::Await(e) => self.node("Await", &[&e.value]),
            Expr::Yield(e) => {
                self.word("Yield");
                self.optional(e.value.as_deref());
            }
            Expr::YieldFrom(e) => self.node("YieldFrom", &[&e.value]),
            Expr::Compare(e) => {
                self.node("Compare", &[&e.left]);
                self.list(&e.ops, |shape, op| shape.word(comparison(*op)));
                self.exprs(&e.comparators);
            }
            Expr::Call(e) => {
                self.node("Call", &[&e.func]);
                self.exprs(&e.args);
                self.list(&e.keywords, Self::keyword);
            }
            Expr::FormattedValue(e) => {
                self.node("FormattedValue", &[&e.value]);
                self.word(match e.conversion {
                    ConversionFlag::None => "i-1",
                    ConversionFlag::Str => "i73",
                    ConversionFlag::Ascii => "i61",
                    ConversionFlag::Repr => "i72",
                });
                self.optional(e.format_spec.as_deref());
            }
            Expr::JoinedStr(e) => self.joined(&e.values),
            Expr::Constant(e) => self.constant(&e.value),
            Expr::Attribute(e) => {
                self.node("Attribute", &[&e.value]);
                self.text(&e.attr);
            }
            Expr::Subscript(e) => {
                self.node("Subscript", &[&e.value]);
                if e.slice.is_starred_expr() {
                    // CPython represents `x[*a]` as a tuple with one item.
                    self.word("Tuple");
                    self.word("[1");
                }
                self.expr(&e.slice);
            }
            Expr::Starred(e) => self.node("Starred", &[&e.value]),
            Expr::Name(e) => {
                self.word("Name");
                self.text(&e.id);
            }
            Expr::Slice(e) => {
                self.word("Slice");
                for bound in [&e.lower, &e.upper, &e.step] {
                    self.optional(bound.as_deref());
                }
            }
        }
    }

    fn node(&mut self, word: &str, parts: &[&Expr]) {
        self.word(word);
        for part in parts {
            self.expr(part);
        }
    }

    fn node_of(&mut self, word: &str, parts: &[Expr]) {
        self.word(word);
        self.exprs(parts);
    }

    fn comprehension(&mut self, word: &str, parts: &[&Expr], generators: &[Comprehension]) {
        self.node(word, parts);
        self.list(generators, |shape, generator| {
            shape.node("comprehension", &[&generator.target, &generator.iter]);
            shape.exprs(&generator.ifs);
            shape.word(if generator.is_async { "i1" } else { "i0" });
        });
    }

    /// Merges adjacent texts and drops empty ones.
    fn joined(&mut self, values: &[Expr]) {
        enum Piece<'e> {
            Text(String),
            Field(&'e Expr),
        }
        let mut pieces: Vec<Piece<'_>> = Vec::new();
        for value in values {
            match (super::tree::text(value), pieces.last_mut()) {
                (Some(""), _) => {}
                (Some(more), Some(Piece::Text(text))) => text.push_str(more),
                (Some(text), _) => pieces.push(Piece::Text(text.to_owned())),
                (None, _) => pieces.push(Piece::Field(value)),
            }
        }
        self.word("JoinedStr");
        self.list(&pieces, |shape, piece| match piece {
            Piece::Text(text) => shape.text(text),
            Piece::Field(field) => shape.expr(field),
        });
    }

    fn constant(&mut self, constant: &Constant) {
        match constant {
            Constant::None => self.word("None"),
            Constant::Bool(true) => self.word("True"),
            Constant::Bool(false) => self.word("False"),
            Constant::Ellipsis => self.word("Ellipsis"),
            Constant::Str(text) => self.text(text),
            Constant::Bytes(bytes) => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                self.word(&format!("b{digits}"));
            }
            Constant::Int(int) => self.word(&format!("i{int:x}")),
            Constant::Float(float) => self.word(&format!("f{:016x}", float.to_bits())),
            Constant::Complex { real, imag } => {
                self.word(&format!("f{:016x}{:016x}", real.to_bits(), imag.to_bits()));
            }
            // No parser produces this constant.
            Constant::Tuple(_) => self.word("()"),
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::MatchValue(p) => self.node("MatchValue", &[&p.value]),
            Pattern::MatchSingleton(p) => {
                self.word("MatchSingleton");
                self.constant(&p.value);
            }
            Pattern::MatchSequence(p) => self.patterns("MatchSequence", &p.patterns),
            Pattern::MatchMapping(p) => {
                self.word("MatchMapping");
                self.exprs(&p.keys);
                self.list(&p.patterns, Self::pattern);
                self.name(p.rest.as_ref());
            }
            Pattern::MatchClass(p) => {
                self.node("MatchClass", &[&p.cls]);
                self.list(&p.patterns, Self::pattern);
                self.names(&p.kwd_attrs);
                self.list(&p.kwd_patterns, Self::pattern);
            }
            Pattern::MatchStar(p) => {
                self.word("MatchStar");
                self.name(p.name.as_ref());
            }
            Pattern::MatchAs(p) => {
                self.word("MatchAs");
                match p.pattern.as_deref() {
                    Some(pattern) => self.pattern(pattern),
                    None => self.word("-"),
                }
                self.name(p.name.as_ref());
            }
            Pattern::MatchOr(p) => self.patterns("MatchOr", &p.patterns),
        }
    }

    fn patterns(&mut self, word: &str, patterns: &[Pattern]) {
        self.word(word);
        self.list(patterns, Self::pattern);
    }
}

const fn operator(op: Operator) -> &'static str {
    match op {
        Operator::Add => "Add",
        Operator::Sub => "Sub",
        Operator::Mult => "Mult",
        Operator::MatMult => "MatMult",
        Operator::Div => "Div",
        Operator::Mod => "Mod",
        Operator::Pow => "Pow",
        Operator::LShift => "LShift",
        Operator::RShift => "RShift",
        Operator::BitOr => "BitOr",
        Operator::BitXor => "BitXor",
        Operator::BitAnd => "BitAnd",
        Operator::FloorDiv => "FloorDiv",
    }
}

const fn comparison(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "Eq",
        CmpOp::NotEq => "NotEq",
        CmpOp::Lt => "Lt",
        CmpOp::LtE => "LtE",
        CmpOp::Gt => "Gt",
        CmpOp::GtE => "GtE",
        CmpOp::Is => "Is",
        CmpOp::IsNot => "IsNot",
        CmpOp::In => "In",
        CmpOp::NotIn => "NotIn",
    }
}
