//! Finds the other tools that a tool calls, with `exec_function` or with `play` of the module `motion`. Each call must name
//! its tool literally.

use std::collections::BTreeSet;

use rustpython_parser::ast::{Expr, ExprCall, Ranged, Stmt};

use super::name_resolution::Survey;
use super::rules::shape as rule;
use super::tree::{Notes, text};
use super::walk::{Visit, walk_body, walk_expr};

/// Checks every call of `exec_function`.
pub(super) fn judge(body: &[Stmt], survey: &Survey, notes: &mut Notes) {
    each(body, survey, &mut |call| {
        if name(call).is_none() {
            notes.add(
                &rule::COMPUTED_CALLEE,
                call.start(),
                "the name of the tool that is called is computed",
            );
        }
    });
}

/// Returns the names of the tools that are called.
pub(super) fn names(body: &[Stmt], survey: &Survey) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    each(body, survey, &mut |call| names.extend(name(call)));
    names
}

fn name(call: &ExprCall) -> Option<String> {
    text(call.args.first()?).map(ToOwned::to_owned)
}

/// What `play` of the module `motion` plays without another tool.
const ROBOT_MOVES: &[&str] = &["wake_up", "go_to_sleep"];

fn each(body: &[Stmt], survey: &Survey, then: &mut dyn FnMut(&ExprCall)) {
    struct Calls<'a> {
        survey: &'a Survey,
        then: &'a mut dyn FnMut(&ExprCall),
    }
    impl Visit for Calls<'_> {
        fn expr(&mut self, expr: &Expr) {
            if let Expr::Call(call) = expr {
                let own = name(call).is_some_and(|name| ROBOT_MOVES.contains(&name.as_str()));
                if self.survey.is(&call.func, "minismith", "exec_function")
                    || self.survey.is(&call.func, "motion", "play") && !own
                {
                    (self.then)(call);
                }
            }
            walk_expr(self, expr);
        }
    }
    if survey.imports("minismith") || survey.imports("motion") {
        walk_body(&mut Calls { survey, then }, body);
    }
}
