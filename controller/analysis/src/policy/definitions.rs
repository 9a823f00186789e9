//! Checks that loading a tool only evaluates definitions and constants.

use rustpython_parser::ast::{Constant, Expr, Ranged, Stmt};

use super::imports;
use super::name_resolution::{Meaning, Survey};
use super::rules::shape as rule;
use super::tree::Notes;
use super::walk::{Visit, function, walk_body, walk_class_header, walk_expr, walk_signature, walk_stmt};

/// Checks the statements of a module or of a class in it.
pub(super) fn judge(body: &[Stmt], survey: &Survey, notes: &mut Notes) {
    walk_body(&mut Pass { survey, notes }, body);
}

/// Visits everything that is evaluated while the tool loads: all but the bodies of functions.
struct Pass<'a> {
    survey: &'a Survey,
    notes: &'a mut Notes,
}

impl Pass<'_> {
    /// Returns whether a call only computes a value.
    fn is_pure(&self, callee: &Expr) -> bool {
        match (self.survey.meaning(callee), callee) {
            (Meaning::Listed(path, name), _) => imports::is_pure(path, name),
            // The check of names handles this.
            (Meaning::Module(_) | Meaning::Unlisted(..), _) => true,
            (Meaning::Other, Expr::Name(name)) => {
                self.survey.classes.contains(name.id.as_str()) || imports::is_pure_builtin(&name.id)
            }
            (Meaning::Other, Expr::Attribute(attribute)) => match self.survey.meaning(&attribute.value) {
                Meaning::Listed(path, name) => imports::is_pure(path, name),
                _ => true,
            },
            (Meaning::Other, _) => false,
        }
    }
}

impl Visit for Pass<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let defines = match stmt {
            Stmt::Import(_) | Stmt::ImportFrom(_) | Stmt::Pass(_) => true,
            Stmt::FunctionDef(_) | Stmt::AsyncFunctionDef(_) => {
                if let Some(function) = function(stmt) {
                    walk_signature(self, function);
                }
                return;
            }
            Stmt::ClassDef(class) => {
                walk_class_header(self, class);
                return walk_body(self, &class.body);
            }
            Stmt::Assign(s) => s.targets.iter().all(is_name),
            Stmt::AnnAssign(s) => is_name(&s.target),
            Stmt::Expr(s) => {
                matches!(&*s.value, Expr::Constant(c) if matches!(c.value, Constant::Str(_) | Constant::Ellipsis))
            }
            _ => false,
        };
        if defines {
            walk_stmt(self, stmt);
        } else {
            let hint = match stmt {
                Stmt::If(_) => "delete it: `if __name__ == ...` never runs in a tool",
                _ => rule::MODULE_LEVEL_CODE.advice,
            };
            let what = "a statement that runs while the tool is loaded";
            self.notes.hinted(&rule::MODULE_LEVEL_CODE, stmt.start(), what, hint);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Lambda(lambda) => {
                super::walk::defaults(&lambda.args).for_each(|default| self.expr(default))
            }
            Expr::Call(call) => {
                if !self.is_pure(&call.func) {
                    self.notes.add(
                        &rule::EAGER_CALL,
                        expr.start(),
                        "a call that runs while the tool is loaded",
                    );
                }
                walk_expr(self, expr);
            }
            _ => walk_expr(self, expr),
        }
    }

    fn decorator(&mut self, expr: &Expr) {
        // Decorators have a separate list; their arguments are evaluated.
        if let Expr::Call(call) = expr {
            call.args
                .iter()
                .chain(call.keywords.iter().map(|keyword| &keyword.value))
                .for_each(|arg| self.expr(arg));
        }
    }
}

/// Returns whether a target is a name, or several names.
fn is_name(target: &Expr) -> bool {
    match target {
        Expr::Name(_) => true,
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_name),
        _ => false,
    }
}
