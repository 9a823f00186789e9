//! Walks every node of a syntax tree. Each kind of node has one exhaustive match, so the walk misses
//! nothing.
//!
//! A [`Visit`] overrides the methods that it needs and calls the `walk_*` function of the same name to
//! descend.

use rustpython_parser::ast::{
    Arg, Arguments, Comprehension, ExceptHandler, Expr, Identifier, Pattern, Ranged, Stmt, StmtClassDef,
    TypeParam, WithItem,
};
use rustpython_parser::text_size::TextSize;

/// How an identifier is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A name that is read.
    Load,
    /// A name that is bound: an assignment, a loop, a `with`, an import, a handler, a pattern, a definition.
    Bind(Binding),
    /// A name that is deleted.
    Delete,
    /// `global` or `nonlocal`.
    Declare,
    /// The attribute after a dot, or the attribute that a class pattern tests.
    Attribute,
    /// The name of a keyword argument in a call.
    Keyword,
    /// The module or name that an import names.
    Imported,
}

/// How a name is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    /// Assignment, loop, `with`, handler, pattern, walrus.
    Assigned,
    /// A parameter.
    Parameter,
    /// `def`.
    Function,
    /// `class`.
    Class,
    /// `import`.
    Import,
}

/// A function definition, synchronous or asynchronous.
#[derive(Clone, Copy)]
pub(super) struct Function<'a> {
    /// Its name.
    pub name: &'a Identifier,
    /// Its parameters.
    pub args: &'a Arguments,
    /// Its statements.
    pub body: &'a [Stmt],
    /// Its decorators.
    pub decorators: &'a [Expr],
    /// The annotation of its result.
    pub returns: Option<&'a Expr>,
    /// PEP 695 parameters.
    pub type_params: &'a [TypeParam],
    /// `async def`.
    pub is_async: bool,
    /// Where it starts.
    pub at: TextSize,
}

/// Returns the function that a statement defines, if any.
pub(super) fn function(stmt: &Stmt) -> Option<Function<'_>> {
    match stmt {
        Stmt::FunctionDef(f) => Some(Function {
            name: &f.name,
            args: &f.args,
            body: &f.body,
            decorators: &f.decorator_list,
            returns: f.returns.as_deref(),
            type_params: &f.type_params,
            is_async: false,
            at: stmt.start(),
        }),
        Stmt::AsyncFunctionDef(f) => Some(Function {
            name: &f.name,
            args: &f.args,
            body: &f.body,
            decorators: &f.decorator_list,
            returns: f.returns.as_deref(),
            type_params: &f.type_params,
            is_async: true,
            at: stmt.start(),
        }),
        _ => None,
    }
}

/// Returns every parameter of `args`, in order.
pub(super) fn parameters(args: &Arguments) -> impl Iterator<Item = &Arg> {
    let plain = args.posonlyargs.iter().chain(&args.args).map(|arg| &arg.def);
    plain
        .chain(args.vararg.as_deref())
        .chain(args.kwonlyargs.iter().map(|arg| &arg.def))
        .chain(args.kwarg.as_deref())
}

/// Returns every default value in `args`, in order.
pub(super) fn defaults(args: &Arguments) -> impl Iterator<Item = &Expr> {
    args.posonlyargs.iter().chain(&args.args).chain(&args.kwonlyargs).filter_map(|arg| arg.default.as_deref())
}

/// Returns the blocks of statements inside a statement, in order.
pub(super) fn blocks(stmt: &Stmt) -> Vec<&[Stmt]> {
    match stmt {
        Stmt::FunctionDef(s) => vec![&s.body],
        Stmt::AsyncFunctionDef(s) => vec![&s.body],
        Stmt::ClassDef(s) => vec![&s.body],
        Stmt::For(s) => vec![&s.body, &s.orelse],
        Stmt::AsyncFor(s) => vec![&s.body, &s.orelse],
        Stmt::While(s) => vec![&s.body, &s.orelse],
        Stmt::If(s) => vec![&s.body, &s.orelse],
        Stmt::With(s) => vec![&s.body],
        Stmt::AsyncWith(s) => vec![&s.body],
        Stmt::Match(s) => s.cases.iter().map(|case| case.body.as_slice()).collect(),
        Stmt::Try(s) => of_try(&s.body, &s.handlers, &s.orelse, &s.finalbody),
        Stmt::TryStar(s) => of_try(&s.body, &s.handlers, &s.orelse, &s.finalbody),
        _ => Vec::new(),
    }
}

fn of_try<'a>(
    body: &'a [Stmt],
    handlers: &'a [ExceptHandler],
    orelse: &'a [Stmt],
    finalbody: &'a [Stmt],
) -> Vec<&'a [Stmt]> {
    let handled = handlers.iter().map(|ExceptHandler::ExceptHandler(handler)| handler.body.as_slice());
    std::iter::once(body).chain(handled).chain([orelse, finalbody]).collect()
}

/// Visits the nodes of a tree; each method defaults to descending.
pub(super) trait Visit {
    /// A statement.
    fn stmt(&mut self, stmt: &Stmt) {
        walk_stmt(self, stmt);
    }
    /// An expression that is not an annotation or a decorator.
    fn expr(&mut self, expr: &Expr) {
        walk_expr(self, expr);
    }
    /// The annotation of a parameter, a result or a variable.
    fn annotation(&mut self, expr: &Expr) {
        self.expr(expr);
    }
    /// A decorator.
    fn decorator(&mut self, expr: &Expr) {
        self.expr(expr);
    }
    /// A pattern of a `match`.
    fn pattern(&mut self, pattern: &Pattern) {
        walk_pattern(self, pattern);
    }
    /// Any identifier.
    fn identifier(&mut self, _name: &str, _role: Role, _at: TextSize) {}
    /// A PEP 695 parameter.
    fn type_param(&mut self, param: &TypeParam) {
        walk_type_param(self, param);
    }
}

/// Visits each statement.
pub(super) fn walk_body<V: Visit + ?Sized>(v: &mut V, body: &[Stmt]) {
    for stmt in body {
        v.stmt(stmt);
    }
}

fn exprs<'a, V: Visit + ?Sized>(v: &mut V, list: impl IntoIterator<Item = &'a Expr>) {
    for expr in list {
        v.expr(expr);
    }
}

/// Visits what a definition evaluates on the spot (decorators, annotations, defaults), and binds the
/// parameters.
pub(super) fn walk_signature<V: Visit + ?Sized>(v: &mut V, function: Function<'_>) {
    for decorator in function.decorators {
        v.decorator(decorator);
    }
    for param in function.type_params {
        v.type_param(param);
    }
    walk_arguments(v, function.args);
    if let Some(returns) = function.returns {
        v.annotation(returns);
    }
}

/// Binds the name of a class and visits its decorators, bases and keywords.
pub(super) fn walk_class_header<V: Visit + ?Sized>(v: &mut V, class: &StmtClassDef) {
    v.identifier(&class.name, Role::Bind(Binding::Class), class.start());
    for decorator in &class.decorator_list {
        v.decorator(decorator);
    }
    for param in &class.type_params {
        v.type_param(param);
    }
    exprs(v, &class.bases);
    for keyword in &class.keywords {
        if let Some(name) = &keyword.arg {
            v.identifier(name, Role::Keyword, keyword.start());
        }
        v.expr(&keyword.value);
    }
}

fn walk_arguments<V: Visit + ?Sized>(v: &mut V, args: &Arguments) {
    for arg in parameters(args) {
        v.identifier(&arg.arg, Role::Bind(Binding::Parameter), arg.start());
        if let Some(annotation) = &arg.annotation {
            v.annotation(annotation);
        }
    }
    exprs(v, defaults(args));
}

/// Visits everything below `stmt`.
pub(super) fn walk_stmt<V: Visit + ?Sized>(v: &mut V, stmt: &Stmt) {
    let at = stmt.start();
    match stmt {
        Stmt::FunctionDef(_) | Stmt::AsyncFunctionDef(_) => {
            if let Some(function) = function(stmt) {
                v.identifier(function.name, Role::Bind(Binding::Function), at);
                walk_signature(v, function);
                walk_body(v, function.body);
            }
        }
        Stmt::ClassDef(class) => {
            walk_class_header(v, class);
            walk_body(v, &class.body);
        }
        Stmt::Return(s) => exprs(v, s.value.as_deref()),
        Stmt::Delete(s) => exprs(v, &s.targets),
        Stmt::Assign(s) => {
            exprs(v, &s.targets);
            v.expr(&s.value);
        }
        Stmt::TypeAlias(s) => {
            v.expr(&s.name);
            for param in &s.type_params {
                v.type_param(param);
            }
            v.expr(&s.value);
        }
        Stmt::AugAssign(s) => {
            v.expr(&s.target);
            v.expr(&s.value);
        }
        Stmt::AnnAssign(s) => {
            v.expr(&s.target);
            v.annotation(&s.annotation);
            exprs(v, s.value.as_deref());
        }
        Stmt::For(s) => walk_loop(v, &s.target, &s.iter, &s.body, &s.orelse),
        Stmt::AsyncFor(s) => walk_loop(v, &s.target, &s.iter, &s.body, &s.orelse),
        Stmt::While(s) => {
            v.expr(&s.test);
            walk_body(v, &s.body);
            walk_body(v, &s.orelse);
        }
        Stmt::If(s) => {
            v.expr(&s.test);
            walk_body(v, &s.body);
            walk_body(v, &s.orelse);
        }
        Stmt::With(s) => walk_with(v, &s.items, &s.body),
        Stmt::AsyncWith(s) => walk_with(v, &s.items, &s.body),
        Stmt::Match(s) => {
            v.expr(&s.subject);
            for case in &s.cases {
                v.pattern(&case.pattern);
                exprs(v, case.guard.as_deref());
                walk_body(v, &case.body);
            }
        }
        Stmt::Raise(s) => {
            exprs(v, s.exc.as_deref());
            exprs(v, s.cause.as_deref());
        }
        Stmt::Try(s) => walk_try(v, &s.body, &s.handlers, &s.orelse, &s.finalbody),
        Stmt::TryStar(s) => walk_try(v, &s.body, &s.handlers, &s.orelse, &s.finalbody),
        Stmt::Assert(s) => {
            v.expr(&s.test);
            exprs(v, s.msg.as_deref());
        }
        Stmt::Import(s) => {
            for alias in &s.names {
                v.identifier(&alias.name, Role::Imported, alias.start());
                let root = alias.name.split('.').next().unwrap_or_default();
                let bound = alias.asname.as_ref().map_or(root, Identifier::as_str);
                v.identifier(bound, Role::Bind(Binding::Import), alias.start());
            }
        }
        Stmt::ImportFrom(s) => {
            if let Some(module) = &s.module {
                v.identifier(module, Role::Imported, at);
            }
            for alias in &s.names {
                v.identifier(&alias.name, Role::Imported, alias.start());
                let bound = alias.asname.as_ref().unwrap_or(&alias.name);
                v.identifier(bound, Role::Bind(Binding::Import), alias.start());
            }
        }
        Stmt::Global(s) => declare(v, &s.names, at),
        Stmt::Nonlocal(s) => declare(v, &s.names, at),
        Stmt::Expr(s) => v.expr(&s.value),
        Stmt::Pass(_) | Stmt::Break(_) | Stmt::Continue(_) => {}
    }
}

fn declare<V: Visit + ?Sized>(v: &mut V, names: &[Identifier], at: TextSize) {
    for name in names {
        v.identifier(name, Role::Declare, at);
    }
}

fn walk_loop<V: Visit + ?Sized>(v: &mut V, target: &Expr, iter: &Expr, body: &[Stmt], orelse: &[Stmt]) {
    v.expr(target);
    v.expr(iter);
    walk_body(v, body);
    walk_body(v, orelse);
}

fn walk_with<V: Visit + ?Sized>(v: &mut V, items: &[WithItem], body: &[Stmt]) {
    for item in items {
        v.expr(&item.context_expr);
        exprs(v, item.optional_vars.as_deref());
    }
    walk_body(v, body);
}

fn walk_try<V: Visit + ?Sized>(
    v: &mut V,
    body: &[Stmt],
    handlers: &[ExceptHandler],
    orelse: &[Stmt],
    finalbody: &[Stmt],
) {
    walk_body(v, body);
    for ExceptHandler::ExceptHandler(handler) in handlers {
        exprs(v, handler.type_.as_deref());
        if let Some(name) = &handler.name {
            v.identifier(name, Role::Bind(Binding::Assigned), handler.start());
        }
        walk_body(v, &handler.body);
    }
    walk_body(v, orelse);
    walk_body(v, finalbody);
}

fn walk_comprehension<V: Visit + ?Sized>(v: &mut V, generators: &[Comprehension]) {
    for generator in generators {
        v.expr(&generator.target);
        v.expr(&generator.iter);
        exprs(v, &generator.ifs);
    }
}

/// Visits everything below `expr`.
pub(super) fn walk_expr<V: Visit + ?Sized>(v: &mut V, expr: &Expr) {
    use rustpython_parser::ast::ExprContext::{Del, Load, Store};
    match expr {
        Expr::BoolOp(e) => exprs(v, &e.values),
        Expr::NamedExpr(e) => exprs(v, [&*e.target, &*e.value]),
        Expr::BinOp(e) => exprs(v, [&*e.left, &*e.right]),
        Expr::UnaryOp(e) => v.expr(&e.operand),
        Expr::Lambda(e) => {
            walk_arguments(v, &e.args);
            v.expr(&e.body);
        }
        Expr::IfExp(e) => exprs(v, [&*e.test, &*e.body, &*e.orelse]),
        Expr::Dict(e) => {
            exprs(v, e.keys.iter().flatten());
            exprs(v, &e.values);
        }
        Expr::Set(e) => exprs(v, &e.elts),
        Expr::ListComp(e) => {
            walk_comprehension(v, &e.generators);
            v.expr(&e.elt);
        }
        Expr::SetComp(e) => {
            walk_comprehension(v, &e.generators);
            v.expr(&e.elt);
        }
        Expr::DictComp(e) => {
            walk_comprehension(v, &e.generators);
            exprs(v, [&*e.key, &*e.value]);
        }
        Expr::GeneratorExp(e) => {
            walk_comprehension(v, &e.generators);
            v.expr(&e.elt);
        }
        Expr::Await(e) => v.expr(&e.value),
        Expr::Yield(e) => exprs(v, e.value.as_deref()),
        Expr::YieldFrom(e) => v.expr(&e.value),
        Expr::Compare(e) => {
            v.expr(&e.left);
            exprs(v, &e.comparators);
        }
        Expr::Call(e) => {
            v.expr(&e.func);
            exprs(v, &e.args);
            for keyword in &e.keywords {
                if let Some(name) = &keyword.arg {
                    v.identifier(name, Role::Keyword, keyword.start());
                }
                v.expr(&keyword.value);
            }
        }
        Expr::FormattedValue(e) => {
            v.expr(&e.value);
            exprs(v, e.format_spec.as_deref());
        }
        Expr::JoinedStr(e) => exprs(v, &e.values),
        Expr::Constant(_) => {}
        Expr::Attribute(e) => {
            v.expr(&e.value);
            v.identifier(&e.attr, Role::Attribute, expr.start());
        }
        Expr::Subscript(e) => exprs(v, [&*e.value, &*e.slice]),
        Expr::Starred(e) => v.expr(&e.value),
        Expr::Name(e) => {
            let role = match e.ctx {
                Load => Role::Load,
                Store => Role::Bind(Binding::Assigned),
                Del => Role::Delete,
            };
            v.identifier(&e.id, role, expr.start());
        }
        Expr::List(e) => exprs(v, &e.elts),
        Expr::Tuple(e) => exprs(v, &e.elts),
        Expr::Slice(e) => exprs(v, [&e.lower, &e.upper, &e.step].into_iter().flatten().map(|bound| &**bound)),
    }
}

/// Visits everything below `pattern`.
pub(super) fn walk_pattern<V: Visit + ?Sized>(v: &mut V, pattern: &Pattern) {
    let at = pattern.start();
    let captured = |v: &mut V, name: &Option<Identifier>| {
        if let Some(name) = name {
            v.identifier(name, Role::Bind(Binding::Assigned), at);
        }
    };
    match pattern {
        Pattern::MatchValue(p) => v.expr(&p.value),
        Pattern::MatchSingleton(_) => {}
        Pattern::MatchSequence(p) => patterns(v, &p.patterns),
        Pattern::MatchMapping(p) => {
            exprs(v, &p.keys);
            patterns(v, &p.patterns);
            captured(v, &p.rest);
        }
        Pattern::MatchClass(p) => {
            v.expr(&p.cls);
            patterns(v, &p.patterns);
            for name in &p.kwd_attrs {
                v.identifier(name, Role::Attribute, at);
            }
            patterns(v, &p.kwd_patterns);
        }
        Pattern::MatchStar(p) => captured(v, &p.name),
        Pattern::MatchAs(p) => {
            patterns(v, p.pattern.as_deref());
            captured(v, &p.name);
        }
        Pattern::MatchOr(p) => patterns(v, &p.patterns),
    }
}

fn patterns<'a, V: Visit + ?Sized>(v: &mut V, list: impl IntoIterator<Item = &'a Pattern>) {
    for pattern in list {
        v.pattern(pattern);
    }
}

/// Visits everything below `param`.
pub(super) fn walk_type_param<V: Visit + ?Sized>(v: &mut V, param: &TypeParam) {
    let bind = |v: &mut V, name: &Identifier| {
        v.identifier(name, Role::Bind(Binding::Assigned), param.start());
    };
    match param {
        TypeParam::TypeVar(p) => {
            bind(v, &p.name);
            exprs(v, p.bound.as_deref());
        }
        TypeParam::ParamSpec(p) => bind(v, &p.name),
        TypeParam::TypeVarTuple(p) => bind(v, &p.name),
    }
}
