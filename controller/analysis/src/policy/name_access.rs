//! Checks what a tool could get access to: every name, attribute, decorator and class header.

use std::collections::BTreeSet;

use rustpython_parser::ast::{
    CmpOp, Expr, ExprAttribute, ExprCompare, Operator, Ranged, Stmt, StmtClassDef, TypeParam,
};
use rustpython_parser::text_size::TextSize;

use super::imports;
use super::name_resolution::{Meaning, Survey};
use super::names::{self, listed};
use super::rules::{name_access as rule, source};
use super::tree::{Notes, root, text};
use super::walk::{
    Binding, Function, Role, Visit, function, parameters, walk_body, walk_class_header, walk_expr,
    walk_signature, walk_stmt, walk_type_param,
};

/// Checks every name, attribute, decorator and class header below `body`.
pub(super) fn judge(body: &[Stmt], survey: &Survey, notes: &mut Notes) {
    let foreign = super::restricted_positions::has_foreign_bases(body, survey);
    let bound_in_class = BTreeSet::new();
    let scope = Scope::Module;
    walk_body(
        &mut Pass { survey, notes, scope, own: None, bound_in_class, annotation: false, foreign },
        body,
    );
}

/// The kind of body that contains a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Module,
    Class,
    Function,
}

struct Pass<'a> {
    survey: &'a Survey,
    notes: &'a mut Notes,
    scope: Scope,
    /// The first parameter of the enclosing method: `self` or `cls`.
    own: Option<String>,
    /// Names that the enclosing class binds anywhere in its body.
    bound_in_class: BTreeSet<String>,
    annotation: bool,
    /// Whether `self` may have internals that no class of the file defined.
    foreign: bool,
}

impl Pass<'_> {
    fn ascii(&mut self, name: &str, at: TextSize) {
        if !name.is_ascii() {
            self.notes.add(&source::NON_ASCII_IDENTIFIER, at, format!("the name `{name}`"));
        }
    }

    fn attribute(&mut self, attribute: &ExprAttribute) {
        let (name, at) = (attribute.attr.as_str(), attribute.start());
        if !attribute.ctx.is_load()
            && let Some(root) = root(&attribute.value)
            && self.survey.is_imported(root)
        {
            self.notes.add(
                &rule::PATCHED_IMPORT,
                at,
                format!("`{name}` of the imported `{root}` is changed"),
            );
        }
        let receiver = self.survey.meaning(&attribute.value);
        match (receiver, self.survey.meaning_of_attribute(attribute)) {
            (Meaning::Module(path), _)
                if name.starts_with('_') && !listed(&names::PUBLIC_UNDERSCORES, name) =>
            {
                self.plain_attribute(name, at, &format!("of the module {path}"));
                return;
            }
            (Meaning::Module(_), Meaning::Unlisted(path, name)) => {
                let what = format!("{path} has no `{name}` on its list");
                match imports::resembling(path, name) {
                    Some(alike) => {
                        self.notes.hinted(
                            &rule::UNLISTED_ATTRIBUTE,
                            at,
                            what,
                            format!("did you mean `{alike}`?"),
                        );
                    }
                    None => self.notes.add(&rule::UNLISTED_ATTRIBUTE, at, what),
                }
                return;
            }
            (Meaning::Module(_), Meaning::Module(path)) => {
                self.notes.add(&rule::MODULE_AS_VALUE, at, format!("the module {path} is used as a value"));
                return;
            }
            (Meaning::Module(_), Meaning::Listed(path, name)) => {
                self.imported(path, name, at);
                return;
            }
            _ => {}
        }
        let own = matches!(&*attribute.value, Expr::Name(receiver) if Some(receiver.id.as_str()) == self.own.as_deref());
        let own = own && !name.starts_with("__") && self.survey.own_private.contains(name);
        let own = own && (name.starts_with('_') || !self.foreign);
        let super_call = listed(&names::MAGIC_METHODS, name) && is_super(&attribute.value);
        let type_name = name == "__name__" && attribute.ctx.is_load();
        if !own && !super_call && !type_name {
            self.plain_attribute(name, at, "of a value");
        }
        if matches!(name, "format" | "format_map") && !text(&attribute.value).is_some_and(is_plain_format) {
            self.notes.add(
                &rule::FORMAT_STRING,
                at,
                format!("`.{name}` on something other than a plain literal"),
            );
        }
        if type_name {
            self.class_of(&attribute.value);
        } else {
            self.expr(&attribute.value);
        }
    }

    /// Checks an expression where `type(x)` is harmless: compared, displayed, or asked for its name.
    fn class_of(&mut self, expr: &Expr) {
        match expr {
            Expr::Call(call) if is_type_of_one(call) => call.args.iter().for_each(|arg| self.expr(arg)),
            _ => self.expr(expr),
        }
    }

    /// Checks a comparison. `is` inspects nothing. `==` and `in` pass the value to the other side, and an
    /// object of the tool could keep the class.
    fn compare(&mut self, compare: &ExprCompare) {
        let by_identity = compare.ops.iter().all(|op| matches!(op, CmpOp::Is | CmpOp::IsNot));
        let sides = || std::iter::once(&*compare.left).chain(&compare.comparators);
        let harmless = by_identity || sides().all(|side| self.is_plain_class(side));
        for side in sides() {
            if harmless { self.class_of(side) } else { self.expr(side) }
        }
    }

    /// Returns whether this is `type(x)`, a builtin class, a class of a module, or several of these.
    fn is_plain_class(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Call(call) => is_type_of_one(call),
            Expr::Name(name) => self.is_builtin_class(&name.id),
            Expr::Attribute(_) => matches!(self.survey.meaning(expr), Meaning::Listed(..)),
            Expr::Tuple(tuple) => tuple.elts.iter().all(|one| self.is_plain_class(one)),
            _ => false,
        }
    }

    /// Returns whether this names a builtin class. Only a class body may rebind such a name.
    fn is_builtin_class(&self, name: &str) -> bool {
        (name == "type" || listed(&names::CLASSES, name)) && !self.hides(name)
    }

    /// Returns whether a name here may refer to a binding of the enclosing class.
    fn hides(&self, name: &str) -> bool {
        self.scope == Scope::Class && self.bound_in_class.contains(name)
    }

    /// Checks an expression that lists classes for a test or an annotation. Only there may `type` and
    /// numpy's array class be named. Anything that could pass them on (`x := type`, `f(type)`) is checked
    /// as anywhere else.
    fn classes(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) if name.id.as_str() == "type" => {}
            Expr::Name(_) | Expr::Attribute(_) if self.survey.is(expr, "numpy", "ndarray") => {}
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|one| self.classes(one)),
            Expr::List(list) => list.elts.iter().for_each(|one| self.classes(one)),
            Expr::BinOp(either) if either.op == Operator::BitOr => {
                self.classes(&either.left);
                self.classes(&either.right);
            }
            Expr::Subscript(generic) if self.is_generic(&generic.value) => {
                self.classes(&generic.value);
                self.classes(&generic.slice);
            }
            _ => self.expr(expr),
        }
    }

    /// Returns whether this is a class whose square brackets only record their contents.
    fn is_generic(&self, expr: &Expr) -> bool {
        match (self.survey.meaning(expr), expr) {
            (Meaning::Listed(path, name), _) => {
                matches!(path, "typing" | "collections" | "collections.abc" | "asyncio")
                    || (path, name) == ("numpy", "ndarray")
            }
            (_, Expr::Name(name)) => self.is_builtin_class(&name.id),
            _ => false,
        }
    }

    /// Checks an attribute of anything but a module.
    fn plain_attribute(&mut self, name: &str, at: TextSize, of: &str) {
        let rule = if name.starts_with("__") {
            &rule::DUNDER_ATTRIBUTE
        } else if name.starts_with('_') && !listed(&names::PUBLIC_UNDERSCORES, name) {
            &rule::PRIVATE_ATTRIBUTE
        } else if listed(&names::INTERPRETER_ATTRIBUTES, name) {
            &rule::INTERPRETER_ATTRIBUTE
        } else if listed(&names::UNSAFE_ATTRIBUTES, name) {
            &rule::UNSAFE_ATTRIBUTE
        } else {
            return;
        };
        self.notes.add(rule, at, format!("the attribute `{name}` {of}"));
    }

    /// Checks a name from a module's list that is used as a value.
    fn imported(&mut self, path: &str, name: &str, at: TextSize) {
        if (path, name) == ("functools", "wraps") {
            self.notes.add(
                &rule::UNLISTED_DECORATOR,
                at,
                "`wraps` used other than as a decorator `@wraps(f)`",
            );
        }
    }

    fn bound(&mut self, name: &str, binding: Option<Binding>, at: TextSize) {
        let in_class = self.scope == Scope::Class;
        if is_dunder(name) {
            if binding == Some(Binding::Function) && in_class {
                if !listed(&names::MAGIC_METHODS, name) {
                    self.notes.add(&rule::MAGIC_METHOD, at, format!("the special method `{name}`"));
                }
            } else if !(in_class && name == "__slots__") {
                self.notes.add(&rule::DUNDER_NAME, at, format!("`{name}` is bound"));
            }
        } else if listed(&names::FORBIDDEN_BUILTINS, name) {
            self.notes.add(&rule::FORBIDDEN_BUILTIN, at, format!("`{name}` is bound"));
        } else if listed(&names::BUILTINS, name) && !in_class {
            let hint = format!("choose another name, such as `{name}_`");
            self.notes.hinted(&rule::BUILTIN_REBOUND, at, format!("the builtin `{name}` is bound"), hint);
        } else if matches!(name, "self" | "cls") && binding != Some(Binding::Parameter) {
            self.notes.add(&rule::BUILTIN_REBOUND, at, format!("`{name}` is bound again"));
        }
    }

    fn class_header(&mut self, class: &StmtClassDef) {
        for keyword in &class.keywords {
            if !keyword.arg.as_ref().is_some_and(|name| matches!(name.as_str(), "total" | "boundary")) {
                let name = keyword.arg.as_ref().map_or("**", |name| name.as_str());
                self.notes.add(&rule::CLASS_KEYWORD, keyword.start(), format!("the class keyword `{name}`"));
            }
        }
    }

    /// Runs `walk` in another scope.
    fn within(&mut self, scope: Scope, own: Option<String>, walk: impl FnOnce(&mut Self)) {
        let before = (std::mem::replace(&mut self.scope, scope), std::mem::replace(&mut self.own, own));
        walk(self);
        (self.scope, self.own) = before;
    }

    /// Returns the name of `self` inside `function`: a method's first parameter, or that of the enclosing
    /// method.
    fn own_name(&self, function: Function<'_>) -> Option<String> {
        let is_static =
            function.decorators.iter().any(|d| matches!(d, Expr::Name(n) if n.id.as_str() == "staticmethod"));
        if self.scope == Scope::Class && !is_static {
            let first = parameters(function.args).next().map(|arg| arg.arg.to_string());
            return first.filter(|name| matches!(name.as_str(), "self" | "cls"));
        }
        let hidden = |own: &String| parameters(function.args).any(|arg| arg.arg.as_str() == own);
        self.own.clone().filter(|own| self.scope != Scope::Class && !hidden(own))
    }
}

impl Visit for Pass<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let Some(function) = function(stmt) {
            self.identifier(function.name, Role::Bind(Binding::Function), stmt.start());
            let own = self.own_name(function);
            // Parameters are bound in the function's own scope.
            self.within(Scope::Function, own.clone(), |pass| walk_signature(pass, function));
            self.within(Scope::Function, own, |pass| walk_body(pass, function.body));
        } else if let Stmt::ClassDef(class) = stmt {
            self.class_header(class);
            walk_class_header(self, class);
            let mut bound = Bound(BTreeSet::new());
            walk_body(&mut bound, &class.body);
            let outer = std::mem::replace(&mut self.bound_in_class, bound.0);
            self.within(Scope::Class, None, |pass| walk_body(pass, &class.body));
            self.bound_in_class = outer;
        } else {
            if let Stmt::TypeAlias(_) = stmt {
                self.notes.add(&source::NEWER_SYNTAX, stmt.start(), "a `type` statement");
            }
            walk_stmt(self, stmt);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Attribute(attribute) => {
                self.ascii(&attribute.attr, attribute.start());
                self.attribute(attribute);
            }
            Expr::Compare(compare) => self.compare(compare),
            Expr::Call(call)
                if is_class_test(call) && !self.hides("isinstance") && !self.hides("issubclass") =>
            {
                for (position, arg) in call.args.iter().enumerate() {
                    if position == 1 { self.classes(arg) } else { self.expr(arg) }
                }
            }
            Expr::Subscript(generic) if self.is_generic(&generic.value) => {
                self.expr(&generic.value);
                self.classes(&generic.slice);
            }
            Expr::FormattedValue(formatted) => {
                self.class_of(&formatted.value);
                formatted.format_spec.iter().for_each(|spec| self.expr(spec));
            }
            Expr::Lambda(_) => {
                let own = self.own.clone();
                self.within(Scope::Function, own, |pass| walk_expr(pass, expr));
            }
            // A value that an annotation calls or binds is not a type.
            Expr::Call(_) | Expr::NamedExpr(_) => {
                let outer = std::mem::replace(&mut self.annotation, false);
                walk_expr(self, expr);
                self.annotation = outer;
            }
            _ => walk_expr(self, expr),
        }
    }

    fn annotation(&mut self, expr: &Expr) {
        self.classes(expr);
    }

    fn decorator(&mut self, expr: &Expr) {
        let (callee, call) = match expr {
            Expr::Call(call) => (&*call.func, Some(call)),
            _ => (expr, None),
        };
        let (path, name) = match (self.survey.meaning(callee), callee) {
            (Meaning::Listed(path, name), _) => (path, name),
            (Meaning::Other, Expr::Name(name)) => ("", name.id.as_str()),
            (Meaning::Other, Expr::Attribute(accessor))
                if matches!(accessor.attr.as_str(), "setter" | "getter" | "deleter")
                    && accessor.value.is_name_expr()
                    && self.scope == Scope::Class
                    && call.is_none() =>
            {
                return self.expr(&accessor.value);
            }
            _ => {
                return self.notes.add(
                    &rule::UNLISTED_DECORATOR,
                    expr.start(),
                    "a decorator that is not on the list",
                );
            }
        };
        if !names::DECORATORS.contains(&(path, name)) || path.is_empty() && call.is_some() {
            self.notes.add(&rule::UNLISTED_DECORATOR, expr.start(), format!("the decorator `{name}`"));
        }
        let Some(call) = call else { return };
        let plain =
            call.keywords.is_empty() && call.args.len() == 1 && !call.args.iter().any(Expr::is_starred_expr);
        if name == "wraps" && !plain {
            self.notes.add(&rule::UNLISTED_DECORATOR, expr.start(), "`wraps` with more than the function");
        }
        call.args.iter().for_each(|arg| self.expr(arg));
        call.keywords.iter().for_each(|keyword| self.expr(&keyword.value));
    }

    fn identifier(&mut self, name: &str, role: Role, at: TextSize) {
        self.ascii(name, at);
        match role {
            Role::Load if self.survey.is_imported(name) => match self.survey.meaning_of_name(name) {
                Meaning::Module(path) => {
                    self.notes.add(
                        &rule::MODULE_AS_VALUE,
                        at,
                        format!("the module {path} is used as a value"),
                    );
                }
                Meaning::Listed(path, name) => self.imported(path, name, at),
                Meaning::Unlisted(..) | Meaning::Other => {}
            },
            Role::Load if name.starts_with("__") && name != "__name__" => {
                self.notes.add(&rule::DUNDER_NAME, at, format!("the name `{name}`"));
            }
            Role::Load if listed(&names::FORBIDDEN_BUILTINS, name) => {
                self.notes.add(&rule::FORBIDDEN_BUILTIN, at, format!("`{name}` is used"));
            }
            Role::Load if name == "type" => {
                self.notes.add(
                    &rule::CLASS_BY_TYPE,
                    at,
                    "`type` used other than in `type(x).__name__` or a comparison",
                );
            }
            Role::Load | Role::Imported => {}
            Role::Bind(binding) => self.bound(name, Some(binding), at),
            Role::Delete | Role::Declare => self.bound(name, None, at),
            // Attributes are checked together with the object before the dot. These are the tests of a
            // class pattern.
            Role::Attribute => self.plain_attribute(name, at, "in a pattern"),
            Role::Keyword if is_dunder(name) => {
                self.notes.add(&rule::DUNDER_NAME, at, format!("the keyword `{name}`"));
            }
            Role::Keyword => {}
        }
    }

    fn type_param(&mut self, param: &TypeParam) {
        self.notes.add(&source::NEWER_SYNTAX, param.start(), "type parameters in square brackets");
        walk_type_param(self, param);
    }
}

/// Collects all bound names, at any depth.
struct Bound(BTreeSet<String>);

impl Visit for Bound {
    fn identifier(&mut self, name: &str, role: Role, _: TextSize) {
        if matches!(role, Role::Bind(_) | Role::Declare | Role::Delete) {
            self.0.insert(name.to_owned());
        }
    }
}

fn is_dunder(name: &str) -> bool {
    name.starts_with("__")
}

/// Returns whether this is `super()` without arguments.
fn is_super(expr: &Expr) -> bool {
    matches!(expr, Expr::Call(call) if call.args.is_empty() && call.keywords.is_empty()
        && matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "super"))
}

/// Returns whether this is `type(x)`. Its result is a class, and the class of a class creates new ones.
fn is_type_of_one(call: &rustpython_parser::ast::ExprCall) -> bool {
    matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "type")
        && call.keywords.is_empty()
        && matches!(call.args.as_slice(), [only] if !only.is_starred_expr())
}

/// Returns whether this is `isinstance(x, classes)` or `issubclass(x, classes)`.
fn is_class_test(call: &rustpython_parser::ast::ExprCall) -> bool {
    matches!(&*call.func, Expr::Name(name) if matches!(name.id.as_str(), "isinstance" | "issubclass"))
        && call.keywords.is_empty()
        && call.args.len() == 2
        && !call.args.iter().any(Expr::is_starred_expr)
}

/// Returns whether no replacement field of a format string accesses an attribute or an item.
pub(super) fn is_plain_format(format: &str) -> bool {
    // Every brace counts as the start of a field, even a doubled one. This is stricter than Python, and
    // simple.
    format.split('{').skip(1).all(|field| {
        let name = field.split([':', '!', '}']).next().unwrap_or_default();
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.starts_with('_')
    })
}

#[cfg(test)]
mod tests {
    use super::is_plain_format;

    #[test]
    fn format_fields_access_no_attributes() {
        for plain in ["", "{}", "{0} {name!r:>{width}}", "{:.2f}", "100 % }"] {
            assert!(is_plain_format(plain), "{plain}");
        }
        for reaching in ["{0.__class__}", "{0[x]}", "{x:{y.z}}", "{:{0.real}}", "{{0.x}}", "{_x}"] {
            assert!(!is_plain_format(reaching), "{reaching}");
        }
    }
}
