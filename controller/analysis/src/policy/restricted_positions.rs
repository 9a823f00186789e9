//! Checks names that are harmless only in certain positions: a type among types, a decorator above a
//! definition.
//!
//! Elsewhere such names build classes, attributes or memory from data:
//!
//! * `Enum("E", {"__array_interface__": ...})` is an array over arbitrary memory;
//! * `dataclass` of a `TypedDict` made by a call runs its keys as code;
//! * `np.ndarray(buffer=...)` makes an object at an arbitrary address.

use std::collections::BTreeSet;

use rustpython_parser::ast::{Constant, Expr, ExprCall, Operator, Pattern, Ranged, Stmt, StmtClassDef};

use super::name_resolution::{Meaning, Survey};
use super::rules::name_access as rule;
use super::tree::Notes;
use super::walk::{Visit, function, walk_body, walk_expr, walk_pattern, walk_signature, walk_stmt};

/// A position in which a name may be used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// In annotations, as an argument of `isinstance`, in comparisons and in patterns.
    Type,
    /// In the positions of a type, and as the base of a class.
    Base,
    /// As a decorator of a definition.
    Decorator,
    /// Called where a class gives a field its value.
    Field,
}

/// The restricted names and their permitted positions.
const POSITIONS: &[(&str, &str, Position)] = &[
    ("dataclasses", "dataclass", Position::Decorator),
    ("dataclasses", "field", Position::Field),
    ("enum", "Enum", Position::Base),
    ("enum", "Flag", Position::Base),
    ("enum", "IntEnum", Position::Base),
    ("enum", "IntFlag", Position::Base),
    ("enum", "StrEnum", Position::Base),
    ("functools", "cached_property", Position::Decorator),
    ("numpy", "ndarray", Position::Type),
    ("numpy.typing", "NDArray", Position::Type),
    ("typing", "TypedDict", Position::Base),
];

/// Modules whose classes have internals that a subclass could access through `self`.
const WITH_INTERNALS: &[&str] =
    &["asyncio", "contextlib", "cv2", "dataclasses", "functools", "numpy", "random", "scipy"];

/// Returns every list as text, for the digest.
pub(super) fn text() -> String {
    let positions = POSITIONS.iter().map(|(path, name, _)| format!("{path}.{name}"));
    format!("{}\n{WITH_INTERNALS:?}\n", positions.collect::<Vec<_>>().join(" "))
}

/// Returns whether a class of the file inherits from a library class that has internals.
pub(super) fn has_foreign_bases(body: &[Stmt], survey: &Survey) -> bool {
    struct Bases<'a>(&'a Survey, bool);
    impl Visit for Bases<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            if let Stmt::ClassDef(class) = stmt {
                self.1 |= class.bases.iter().any(|base| match self.0.meaning(base) {
                    Meaning::Listed(path, _) => {
                        WITH_INTERNALS.contains(&path.split('.').next().unwrap_or_default())
                    }
                    Meaning::Other => !matches!(base, Expr::Name(_) | Expr::Subscript(_)),
                    Meaning::Module(_) | Meaning::Unlisted(..) => true,
                });
            }
            walk_stmt(self, stmt);
        }
    }
    if survey.classes.is_empty() {
        return false;
    }
    let mut bases = Bases(survey, false);
    walk_body(&mut bases, body);
    bases.1
}

/// Checks every restricted name below `body`.
pub(super) fn judge(body: &[Stmt], survey: &Survey, notes: &mut Notes) {
    let mut pass = Pass { survey, notes, arrays: BTreeSet::new(), enums: BTreeSet::new(), types: false };
    walk_body(&mut pass, body);
}

struct Pass<'a> {
    survey: &'a Survey,
    notes: &'a mut Notes,
    /// Names that were passed to `np.ndarray`.
    arrays: BTreeSet<String>,
    /// Classes that are enumerations.
    enums: BTreeSet<String>,
    /// Whether the walk is in a position that names types.
    types: bool,
}

impl Pass<'_> {
    /// Returns the permitted position of a name; names that are not listed may be used everywhere.
    fn position<'e>(&self, expr: &'e Expr) -> Option<(Position, &'e str)> {
        if let Expr::Name(name) = expr
            && self.arrays.contains(name.id.as_str())
        {
            return Some((Position::Type, &name.id));
        }
        let Meaning::Listed(path, name) = self.survey.meaning(expr) else { return None };
        let (_, name, position) =
            POSITIONS.iter().find(|(module, known, _)| *module == path && *known == name)?;
        Some((*position, name))
    }

    fn among_types(&mut self, types: bool, walk: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.types, types);
        walk(self);
        self.types = outer;
    }

    fn class(&mut self, class: &StmtClassDef) {
        for base in &class.bases {
            match self.position(base) {
                Some((Position::Base, name)) if name != "TypedDict" => {
                    self.enums.insert(class.name.to_string());
                }
                Some((Position::Base, _)) => {}
                _ => self.expr(base),
            }
            if let Expr::Name(base) = base
                && self.enums.contains(base.id.as_str())
            {
                self.enums.insert(class.name.to_string());
            }
        }
        class.keywords.iter().for_each(|keyword| self.expr(&keyword.value));
        class.decorator_list.iter().for_each(|decorator| self.decorator(decorator));
        if self.enums.contains(class.name.as_str()) && !has_members(&class.body) {
            let what = format!(
                "the enumeration `{}` has no plain members: calling it creates another enumeration",
                class.name
            );
            self.notes.add(&rule::RESTRICTED_USE, class.start(), what);
        }
        for stmt in &class.body {
            match stmt {
                Stmt::AnnAssign(s) if self.is_field(s.value.as_deref()) => {
                    self.annotation(&s.annotation);
                    if let Some(Expr::Call(call)) = s.value.as_deref() {
                        self.arguments(call);
                    }
                }
                _ => self.stmt(stmt),
            }
        }
    }

    /// Returns whether this is a call of `field(...)`.
    fn is_field(&self, value: Option<&Expr>) -> bool {
        matches!(value, Some(Expr::Call(call)) if matches!(self.position(&call.func), Some((Position::Field, _))))
    }

    fn arguments(&mut self, call: &ExprCall) {
        let keywords = call.keywords.iter().map(|keyword| &keyword.value);
        call.args.iter().chain(keywords).for_each(|arg| self.expr(arg));
    }

    fn call(&mut self, call: &ExprCall) {
        self.expr(&call.func);
        let builtin = matches!(&*call.func, Expr::Name(name) if matches!(name.id.as_str(), "isinstance" | "issubclass"));
        let types_at = if builtin {
            Some(1)
        } else if self.survey.is(&call.func, "typing", "cast") {
            Some(0)
        } else {
            None
        };
        for (position, arg) in call.args.iter().enumerate() {
            self.among_types(Some(position) == types_at, |pass| pass.expr(arg));
        }
        call.keywords.iter().for_each(|keyword| self.expr(&keyword.value));
    }

    /// Returns whether a subscript makes a type from types, such as `list[X]` or `Optional[X]`.
    fn is_generic(&self, value: &Expr) -> bool {
        match (self.survey.meaning(value), value) {
            // An annotated type can be called like the type itself.
            (Meaning::Listed(_, "Annotated"), _) => self.types,
            (Meaning::Listed(path, _), _) => matches!(path, "typing" | "collections.abc"),
            (_, Expr::Name(name)) => {
                matches!(name.id.as_str(), "dict" | "frozenset" | "list" | "set" | "tuple" | "type")
            }
            _ => false,
        }
    }
}

/// Returns whether an enumeration has a member that counts; names in `_ignore_` do not.
fn has_members(body: &[Stmt]) -> bool {
    let ignores = |stmt: &Stmt| {
        let Stmt::Assign(s) = stmt else { return false };
        s.targets.iter().any(|target| matches!(target, Expr::Name(name) if name.id.as_str() == "_ignore_"))
    };
    body.iter().any(is_member) && !body.iter().any(ignores)
}

/// Returns whether a statement defines a member with plain data. Calling an enumeration that has one only
/// looks members up.
fn is_member(stmt: &Stmt) -> bool {
    let plain = |value: &Expr| match value {
        Expr::Constant(constant) => constant.value != Constant::None,
        Expr::Tuple(tuple) => tuple.elts.iter().all(|one| one.is_constant_expr() || one.is_unary_op_expr()),
        Expr::Call(call) => call.args.is_empty() && call.keywords.is_empty() && is_auto(&call.func),
        Expr::UnaryOp(_) | Expr::BinOp(_) => true,
        _ => false,
    };
    match stmt {
        Stmt::Assign(s) => {
            let names = s
                .targets
                .iter()
                .all(|target| matches!(target, Expr::Name(name) if !name.id.starts_with('_')));
            names && plain(&s.value)
        }
        _ => false,
    }
}

fn is_auto(callee: &Expr) -> bool {
    super::tree::dotted(callee).is_some_and(|name| name == "auto" || name.ends_with(".auto"))
}

impl Visit for Pass<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let Some(function) = function(stmt) {
            walk_signature(self, function);
            return walk_body(self, function.body);
        }
        match stmt {
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Assign(s) if matches!(self.position(&s.value), Some((Position::Type, _))) => {
                let names = s.targets.iter().filter_map(|target| target.as_name_expr());
                self.arrays.extend(names.map(|name| name.id.to_string()));
                s.targets.iter().for_each(|target| self.expr(target));
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let Some((position, name)) = self.position(expr) {
            let loads = !matches!(expr, Expr::Name(name) if !name.ctx.is_load());
            if loads && !(self.types && matches!(position, Position::Type | Position::Base)) {
                let hint = match position {
                    Position::Type => {
                        "name it in annotations and as an argument of `isinstance`; make arrays with `np.array` or `np.zeros`"
                    }
                    Position::Base => "write `class Name(...)`, with its members in the body",
                    Position::Decorator => "write `@` and its name above the definition",
                    Position::Field => "write `name: type = field(...)` in the class",
                };
                self.notes.hinted(
                    &rule::RESTRICTED_USE,
                    expr.start(),
                    format!("`{name}` in a position where it is not allowed"),
                    hint,
                );
            }
            return;
        }
        match expr {
            Expr::Call(call) => self.among_types(false, |pass| pass.call(call)),
            Expr::Compare(_) => self.among_types(true, |pass| walk_expr(pass, expr)),
            Expr::Subscript(s)
                if self.is_generic(&s.value) || self.types && self.position(&s.value).is_some() =>
            {
                self.expr(&s.value);
                self.among_types(true, |pass| pass.expr(&s.slice));
            }
            Expr::BinOp(op) if op.op == Operator::BitOr => {
                self.among_types(true, |pass| walk_expr(pass, expr))
            }
            Expr::Tuple(_) | Expr::Name(_) | Expr::Constant(_) => walk_expr(self, expr),
            _ => self.among_types(false, |pass| walk_expr(pass, expr)),
        }
    }

    fn annotation(&mut self, expr: &Expr) {
        self.among_types(true, |pass| pass.expr(expr));
    }

    fn decorator(&mut self, expr: &Expr) {
        match expr {
            Expr::Call(call) if self.position(&call.func).is_some() => self.arguments(call),
            _ if self.position(expr).is_some() => {}
            _ => self.expr(expr),
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        self.among_types(true, |pass| walk_pattern(pass, pattern));
    }
}
