//! Resolves what each name of a file refers to: a module, an imported name, a class of the file, or the
//! robot.
//!
//! The survey does not distinguish scopes: a name has one meaning in the whole file. `module-rebound`
//! rejects a name that refers to a module and to something else.

use std::collections::{BTreeMap, BTreeSet};

use rustpython_parser::ast::{Expr, ExprAttribute, Ranged, Stmt, StmtImportFrom};
use rustpython_parser::text_size::TextSize;

use super::imports::{self, nearest};
use super::rules::name_access as rule;
use super::tree::{Notes, text};
use super::walk::{Binding, Role, Visit, function, parameters, walk_body, walk_expr, walk_stmt};

/// The other modules of a toolkit: their top-level names, and whether each is a class.
pub(super) type Neighbours = BTreeMap<String, BTreeMap<String, bool>>;

/// Returns the top-level names of a module that other modules may use. Names with a leading underscore are
/// private.
pub(super) fn definitions(body: &[Stmt]) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    for stmt in body {
        match stmt {
            Stmt::ClassDef(class) => drop(found.insert(class.name.to_string(), true)),
            Stmt::Assign(s) => {
                let names = s.targets.iter().filter_map(|target| target.as_name_expr());
                found.extend(names.map(|name| (name.id.to_string(), false)));
            }
            Stmt::AnnAssign(s) => {
                found.extend(s.target.as_name_expr().map(|name| (name.id.to_string(), false)));
            }
            other => found.extend(function(other).map(|function| (function.name.to_string(), false))),
        }
    }
    found.retain(|name, _| !name.starts_with('_'));
    found
}

/// The meaning of the names in a file.
#[derive(Default)]
pub(super) struct Survey {
    /// Names bound to modules, with the module's path.
    modules: BTreeMap<String, String>,
    /// Names bound by `from module import name`: module and name.
    values: BTreeMap<String, (String, String)>,
    /// Classes that the file defines.
    pub classes: BTreeSet<String>,
    /// Private attributes that classes of the file define.
    pub own_private: BTreeSet<String>,
    /// Names that hold the robot.
    pub robots: BTreeSet<String>,
    /// Packages outside the standard library.
    pub packages: BTreeSet<String>,
    /// Functions of the file that raise; calling one may end a loop.
    pub raising: BTreeSet<String>,
}

/// The meaning of an expression of names and dots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning<'a> {
    /// A module.
    Module(&'a str),
    /// A listed name of a module.
    Listed(&'a str, &'a str),
    /// A name that is not on its module's list.
    Unlisted(&'a str, &'a str),
    /// Anything else.
    Other,
}

impl Survey {
    /// Reads `body` and checks its imports. Imports from `neighbours` may use the names that these define.
    pub(super) fn of(body: &[Stmt], neighbours: &Neighbours, notes: &mut Notes) -> Survey {
        let mut pass = Pass {
            survey: Survey::default(),
            neighbours,
            notes,
            bound: BTreeMap::new(),
            class_body: false,
            function: None,
        };
        walk_body(&mut pass, body);
        let Pass { mut survey, bound, .. } = pass;
        for (name, path) in &survey.modules {
            if let Some(at) = bound.get(name) {
                notes.add(
                    &rule::MODULE_REBOUND,
                    *at,
                    format!("`{name}` is the module {path} and something else"),
                );
            }
        }
        survey.follow_robots(body);
        survey
    }

    /// Returns the meaning of an expression.
    pub(super) fn meaning<'a>(&'a self, expr: &'a Expr) -> Meaning<'a> {
        match expr {
            Expr::Name(name) => self.meaning_of_name(&name.id),
            Expr::Attribute(attribute) => self.meaning_of_attribute(attribute),
            _ => Meaning::Other,
        }
    }

    /// Returns the meaning of a name.
    pub(super) fn meaning_of_name(&self, name: &str) -> Meaning<'_> {
        if let Some(path) = self.modules.get(name) {
            Meaning::Module(path)
        } else if let Some((path, name)) = self.values.get(name) {
            Meaning::Listed(path, name)
        } else {
            Meaning::Other
        }
    }

    /// Returns the meaning of `a.b`.
    pub(super) fn meaning_of_attribute<'a>(&'a self, attribute: &'a ExprAttribute) -> Meaning<'a> {
        let Meaning::Module(path) = self.meaning(&attribute.value) else { return Meaning::Other };
        let name = attribute.attr.as_str();
        match imports::below(path, name) {
            Some(module) => Meaning::Module(module),
            None if imports::allows(path, name) => Meaning::Listed(path, name),
            None => Meaning::Unlisted(path, name),
        }
    }

    /// Returns whether an expression is exactly this listed name of a module.
    pub(super) fn is(&self, expr: &Expr, path: &str, name: &str) -> bool {
        // Most calls have another name, so this comparison comes first.
        !matches!(expr, Expr::Attribute(attribute) if attribute.attr.as_str() != name)
            && self.meaning(expr) == Meaning::Listed(path, name)
    }

    /// Returns whether the file imports the module itself or a name from it.
    pub(super) fn imports(&self, path: &str) -> bool {
        self.modules.values().any(|module| module == path) || self.values.values().any(|(of, _)| of == path)
    }

    /// Returns whether a name was imported, as a module or from one.
    pub(super) fn is_imported(&self, name: &str) -> bool {
        self.modules.contains_key(name) || self.values.contains_key(name)
    }

    /// Returns whether an annotation names the robot's type.
    pub(super) fn is_robot_type(&self, annotation: &Expr) -> bool {
        text(annotation).is_some_and(|text| text.trim() == "ReachyMini")
            || self.is(annotation, "reachy_mini", "ReachyMini")
            || matches!(annotation, Expr::Name(name) if name.id.as_str() == "ReachyMini")
    }

    /// Finds parameters annotated as the robot, then names assigned from them.
    fn follow_robots(&mut self, body: &[Stmt]) {
        loop {
            let known = self.robots.len();
            let mut robots = std::mem::take(&mut self.robots);
            walk_body(&mut Robots { survey: self, robots: &mut robots }, body);
            self.robots = robots;
            if self.robots.len() == known {
                return;
            }
        }
    }
}

struct Pass<'n> {
    survey: Survey,
    neighbours: &'n Neighbours,
    notes: &'n mut Notes,
    /// Names bound by anything but the import of a module, with their first position.
    bound: BTreeMap<String, TextSize>,
    class_body: bool,
    /// The enclosing function.
    function: Option<String>,
}

impl Pass<'_> {
    fn module(&mut self, path: &str, bound: &str, at: TextSize) {
        if let Some(package) = imports::package(path) {
            self.survey.packages.insert(package.to_owned());
        }
        if let Some(earlier) = self.survey.modules.insert(bound.to_owned(), path.to_owned())
            && earlier != path
        {
            self.notes.add(
                &rule::MODULE_REBOUND,
                at,
                format!("`{bound}` is the module {earlier} and {path}"),
            );
        }
    }

    fn unlisted(&mut self, at: TextSize, what: String, alike: Option<&str>) {
        match alike {
            Some(alike) => {
                self.notes.hinted(&rule::UNLISTED_IMPORT, at, what, format!("did you mean `{alike}`?"))
            }
            None => self.notes.add(&rule::UNLISTED_IMPORT, at, what),
        }
    }

    /// Handles `from .poses import BOW` in a toolkit. Only names that the other module defines can be
    /// imported, without renaming.
    fn import_neighbour(&mut self, level: u32, module: &str, import: &StmtImportFrom) {
        let at = import.start();
        let Some(neighbour) = self.neighbours.get(module).filter(|_| level == 1) else {
            let dots = ".".repeat(level as usize);
            self.notes.add(
                &rule::RELATIVE_IMPORT,
                at,
                format!("`{dots}{module}` is not a module of this toolkit"),
            );
            return;
        };
        for alias in &import.names {
            let name = alias.name.as_str();
            let bound = alias.asname.as_ref().map_or(name, |bound| bound.as_str());
            let Some(is_class) = neighbour.get(name) else {
                let what = format!("{module}.py defines no `{name}`");
                let alike = nearest(name, neighbour.keys().map(String::as_str)).map(str::to_owned);
                self.unlisted(alias.start(), what, alike.as_deref());
                continue;
            };
            self.bound.entry(bound.to_owned()).or_insert(alias.start());
            if *is_class {
                self.survey.classes.insert(bound.to_owned());
            }
        }
    }

    fn import_from(&mut self, module: &str, name: &str, bound: &str, at: TextSize) {
        let below = format!("{module}.{name}");
        if name == "*" {
            self.notes.add(&rule::STAR_IMPORT, at, format!("all names are imported from {module}"));
        } else if !imports::is_module(module) {
            self.unlisted(
                at,
                format!("the module {module} is not on the list"),
                imports::resembling("", module),
            );
        } else if imports::is_module(&below) {
            self.module(&below, bound, at);
        } else if imports::allows(module, name) {
            self.bound.entry(bound.to_owned()).or_insert(at);
            if let Some(package) = imports::package(module) {
                self.survey.packages.insert(package.to_owned());
            }
            let meant = (module.to_owned(), name.to_owned());
            if let Some(earlier) = self.survey.values.insert(bound.to_owned(), meant.clone())
                && earlier != meant
            {
                let what = format!("`{bound}` is {}.{} and {module}.{name}", earlier.0, earlier.1);
                self.notes.add(&rule::MODULE_REBOUND, at, what);
            }
        } else {
            let alike = imports::resembling(module, name);
            self.unlisted(at, format!("{module} has no `{name}` on its list"), alike);
        }
    }
}

impl Visit for Pass<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let outer = self.class_body;
        match stmt {
            Stmt::Raise(_) => self.survey.raising.extend(self.function.clone()),
            Stmt::Import(s) => {
                for alias in &s.names {
                    let path = alias.name.as_str();
                    let root = path.split('.').next().unwrap_or(path);
                    if !imports::is_module(path) {
                        let alike = imports::resembling("", path);
                        self.unlisted(alias.start(), format!("the module {path} is not on the list"), alike);
                    } else if let Some(bound) = &alias.asname {
                        self.module(path, bound, alias.start());
                    } else {
                        self.module(root, root, alias.start());
                    }
                }
                return;
            }
            Stmt::ImportFrom(s) => {
                let module = s.module.as_ref().map(|module| module.as_str()).unwrap_or_default();
                if let Some(level) = s.level.filter(|level| level.to_u32() > 0) {
                    self.import_neighbour(level.to_u32(), module, s);
                    return;
                }
                for alias in &s.names {
                    let bound = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.import_from(module, &alias.name, bound, alias.start());
                }
                return;
            }
            Stmt::ClassDef(class) => {
                self.survey.classes.insert(class.name.to_string());
                self.class_body = true;
            }
            Stmt::FunctionDef(_) | Stmt::AsyncFunctionDef(_) => {
                if let Some(function) = function(stmt) {
                    if outer && function.name.starts_with('_') {
                        self.survey.own_private.insert(function.name.to_string());
                    }
                    self.class_body = false;
                    let around = self.function.replace(function.name.to_string());
                    walk_stmt(self, stmt);
                    (self.class_body, self.function) = (outer, around);
                }
                return;
            }
            _ => {}
        }
        walk_stmt(self, stmt);
        self.class_body = outer;
    }

    fn expr(&mut self, expr: &Expr) {
        if let Expr::Attribute(attribute) = expr
            && attribute.ctx.is_store()
            && matches!(&*attribute.value, Expr::Name(name) if name.id.as_str() == "self")
        {
            self.survey.own_private.insert(attribute.attr.to_string());
        }
        walk_expr(self, expr);
    }

    fn identifier(&mut self, name: &str, role: Role, at: TextSize) {
        match role {
            // A field of a class does not shadow a module: methods and users of the class still see the
            // module.
            Role::Bind(Binding::Assigned) if self.class_body => {
                if name.starts_with('_') {
                    self.survey.own_private.insert(name.to_owned());
                }
            }
            Role::Bind(Binding::Import) => {}
            Role::Bind(_) | Role::Declare | Role::Delete => {
                self.bound.entry(name.to_owned()).or_insert(at);
            }
            Role::Load | Role::Attribute | Role::Keyword | Role::Imported => {}
        }
    }
}

/// Finds the names that hold the robot.
struct Robots<'s> {
    survey: &'s Survey,
    robots: &'s mut BTreeSet<String>,
}

impl Visit for Robots<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let Some(function) = function(stmt) {
            for arg in parameters(function.args) {
                if arg.annotation.as_ref().is_some_and(|annotation| self.survey.is_robot_type(annotation)) {
                    self.robots.insert(arg.arg.to_string());
                }
            }
        }
        if let Stmt::Assign(s) = stmt
            && matches!(&*s.value, Expr::Name(name) if self.robots.contains(name.id.as_str()))
        {
            let names = s.targets.iter().filter_map(|target| target.as_name_expr());
            self.robots.extend(names.map(|name| name.id.to_string()));
        }
        walk_stmt(self, stmt);
    }

    /// An expression contains no statements.
    fn expr(&mut self, _: &Expr) {}
}
