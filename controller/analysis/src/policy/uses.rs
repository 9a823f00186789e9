//! Judges where names stand that are harmless in one place only: a type among types, a decorator above a definition.
//!
//! Elsewhere they make classes, attributes or memory out of data: `Enum("E", {"__array_interface__": ...})` is an array of
//! any memory, `dataclass` of a `TypedDict` made by a call runs its keys as code, `np.ndarray(buffer=...)` makes an object
//! of any address.

use std::collections::BTreeSet;

use rustpython_parser::ast::{Constant, Expr, ExprCall, Operator, Pattern, Ranged, Stmt, StmtClassDef};

use super::rules::reach as rule;
use super::survey::{Meaning, Survey};
use super::tree::Notes;
use super::walk::{Visit, function, walk_body, walk_expr, walk_pattern, walk_signature, walk_stmt};

/// Where a name may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In annotations, behind `isinstance`, in comparisons, in patterns.
    Type,
    /// There, and as the base of a class.
    Base,
    /// Above a definition.
    Decorator,
    /// Called where a class gives a field its value.
    Field,
}

/// The names, and where they may stand.
const PLACES: &[(&str, &str, Place)] = &[
    ("dataclasses", "dataclass", Place::Decorator),
    ("dataclasses", "field", Place::Field),
    ("enum", "Enum", Place::Base),
    ("enum", "Flag", Place::Base),
    ("enum", "IntEnum", Place::Base),
    ("enum", "IntFlag", Place::Base),
    ("enum", "StrEnum", Place::Base),
    ("functools", "cached_property", Place::Decorator),
    ("numpy", "ndarray", Place::Type),
    ("numpy.typing", "NDArray", Place::Type),
    ("typing", "TypedDict", Place::Base),
];

/// Modules whose classes have insides that a class built on them would reach as `self`.
const WITH_INSIDES: &[&str] = &["asyncio", "contextlib", "dataclasses", "functools", "numpy", "random"];

/// Every list as text, for the digest.
pub(super) fn text() -> String {
    let places = PLACES.iter().map(|(path, name, _)| format!("{path}.{name}"));
    format!("{}\n{WITH_INSIDES:?}\n", places.collect::<Vec<_>>().join(" "))
}

/// Whether a class of the file is built on one of the library's that has insides.
pub(super) fn has_foreign_bases(body: &[Stmt], survey: &Survey) -> bool {
    struct Bases<'a>(&'a Survey, bool);
    impl Visit for Bases<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            if let Stmt::ClassDef(class) = stmt {
                self.1 |= class.bases.iter().any(|base| match self.0.meaning(base) {
                    Meaning::Listed(path, _) => {
                        WITH_INSIDES.contains(&path.split('.').next().unwrap_or_default())
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

/// Judges every such name below `body`.
pub(super) fn judge(body: &[Stmt], survey: &Survey, notes: &mut Notes) {
    let mut pass = Pass { survey, notes, arrays: BTreeSet::new(), enums: BTreeSet::new(), types: false };
    walk_body(&mut pass, body);
}

struct Pass<'a> {
    survey: &'a Survey,
    notes: &'a mut Notes,
    /// Names that were given to `np.ndarray`.
    arrays: BTreeSet<String>,
    /// Classes that are enumerations.
    enums: BTreeSet<String>,
    /// Whether types are being named.
    types: bool,
}

impl Pass<'_> {
    /// Where a name may stand; anything may stand everywhere that is not listed.
    fn place<'e>(&self, expr: &'e Expr) -> Option<(Place, &'e str)> {
        if let Expr::Name(name) = expr
            && self.arrays.contains(name.id.as_str())
        {
            return Some((Place::Type, &name.id));
        }
        let Meaning::Listed(path, name) = self.survey.meaning(expr) else { return None };
        let (_, name, place) = PLACES.iter().find(|(module, known, _)| *module == path && *known == name)?;
        Some((*place, name))
    }

    fn among_types(&mut self, types: bool, walk: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.types, types);
        walk(self);
        self.types = outer;
    }

    fn class(&mut self, class: &StmtClassDef) {
        for base in &class.bases {
            match self.place(base) {
                Some((Place::Base, name)) if name != "TypedDict" => {
                    self.enums.insert(class.name.to_string());
                }
                Some((Place::Base, _)) => {}
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
            let what =
                format!("the enumeration `{}` has no plain members: calling it makes others", class.name);
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

    /// `field(...)`.
    fn is_field(&self, value: Option<&Expr>) -> bool {
        matches!(value, Some(Expr::Call(call)) if matches!(self.place(&call.func), Some((Place::Field, _))))
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

    /// Whether a subscript makes a type of types: `list[X]`, `Optional[X]`.
    fn is_generic(&self, value: &Expr) -> bool {
        match (self.survey.meaning(value), value) {
            // What is annotated can be called like the type itself.
            (Meaning::Listed(_, "Annotated"), _) => self.types,
            (Meaning::Listed(path, _), _) => matches!(path, "typing" | "collections.abc"),
            (_, Expr::Name(name)) => {
                matches!(name.id.as_str(), "dict" | "frozenset" | "list" | "set" | "tuple" | "type")
            }
            _ => false,
        }
    }
}

/// Whether an enumeration has a member that counts: what `_ignore_` names would not.
fn has_members(body: &[Stmt]) -> bool {
    let ignores = |stmt: &Stmt| {
        let Stmt::Assign(s) = stmt else { return false };
        s.targets.iter().any(|target| matches!(target, Expr::Name(name) if name.id.as_str() == "_ignore_"))
    };
    body.iter().any(is_member) && !body.iter().any(ignores)
}

/// A member whose value is plain data: with one, calling the enumeration only looks members up.
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
            Stmt::Assign(s) if matches!(self.place(&s.value), Some((Place::Type, _))) => {
                let names = s.targets.iter().filter_map(|target| target.as_name_expr());
                self.arrays.extend(names.map(|name| name.id.to_string()));
                s.targets.iter().for_each(|target| self.expr(target));
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let Some((place, name)) = self.place(expr) {
            let loads = !matches!(expr, Expr::Name(name) if !name.ctx.is_load());
            if loads && !(self.types && matches!(place, Place::Type | Place::Base)) {
                let hint = match place {
                    Place::Type => {
                        "name it in annotations and behind `isinstance`; make arrays with `np.array` or `np.zeros`"
                    }
                    Place::Base => "write `class Name(...)`, with its members in the body",
                    Place::Decorator => "write `@` and its name above the definition",
                    Place::Field => "write `name: type = field(...)` in the class",
                };
                self.notes.hinted(
                    &rule::RESTRICTED_USE,
                    expr.start(),
                    format!("`{name}` out of its place"),
                    hint,
                );
            }
            return;
        }
        match expr {
            Expr::Call(call) => self.among_types(false, |pass| pass.call(call)),
            Expr::Compare(_) => self.among_types(true, |pass| walk_expr(pass, expr)),
            Expr::Subscript(s)
                if self.is_generic(&s.value) || self.types && self.place(&s.value).is_some() =>
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
            Expr::Call(call) if self.place(&call.func).is_some() => self.arguments(call),
            _ if self.place(expr).is_some() => {}
            _ => self.expr(expr),
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        self.among_types(true, |pass| walk_pattern(pass, pattern));
    }
}
