//! Collects facts of a tree for comparison with CPython's own parser, and bounds the depth of the tree.

use minismith_protocol::SyntaxFacts;
use rustpython_parser::Parse;
use rustpython_parser::ast::{Expr, ModModule, Pattern, Ranged, Stmt};
use rustpython_parser::text_size::TextSize;

use super::shape;
use super::tree::{dotted, note_name};
use super::walk::{Role, Visit, walk_body, walk_expr, walk_pattern, walk_stmt};

/// Maximum depth of a tree that the other passes walk.
const MAX_DEPTH: u32 = 200;

/// Collects the facts of a module's body.
///
/// # Errors
/// The offset at which the tree is deeper than the other passes walk.
pub(super) fn facts(source: &str, body: &[Stmt]) -> Result<SyntaxFacts, TextSize> {
    let mut pass = Pass { facts: SyntaxFacts::default(), depth: 0, too_deep: None };
    walk_body(&mut pass, body);
    match pass.too_deep {
        Some(at) => Err(at),
        None => Ok(SyntaxFacts { tree: shape::of(source, body), ..pass.facts }),
    }
}

struct Pass {
    facts: SyntaxFacts,
    depth: u32,
    too_deep: Option<TextSize>,
}

impl Pass {
    fn deeper(&mut self, at: TextSize, walk: impl FnOnce(&mut Self)) {
        if self.depth == MAX_DEPTH {
            self.too_deep.get_or_insert(at);
            return;
        }
        self.depth += 1;
        walk(self);
        self.depth -= 1;
    }
}

impl Visit for Pass {
    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Import(s) => self.facts.imports.extend(s.names.iter().map(|alias| alias.name.to_string())),
            Stmt::ImportFrom(s) => {
                let dots = ".".repeat(s.level.map_or(0, |level| level.to_usize()));
                let module = s.module.as_ref().map(|module| format!("{module}.")).unwrap_or_default();
                self.facts
                    .imports
                    .extend(s.names.iter().map(|alias| format!("{dots}{module}{}", alias.name)));
            }
            _ => {}
        }
        self.deeper(stmt.start(), |pass| walk_stmt(pass, stmt));
    }

    fn expr(&mut self, expr: &Expr) {
        if self.depth < MAX_DEPTH
            && let Expr::Call(call) = expr
            && let Some(name) = shallow_dotted(&call.func)
        {
            self.facts.calls.insert(name);
        }
        self.deeper(expr.start(), |pass| walk_expr(pass, expr));
    }

    fn pattern(&mut self, pattern: &Pattern) {
        self.deeper(pattern.start(), |pass| walk_pattern(pass, pattern));
    }

    fn identifier(&mut self, name: &str, role: Role, _at: TextSize) {
        match role {
            Role::Attribute => note_name(&mut self.facts.attributes, name),
            Role::Load | Role::Bind(_) | Role::Delete | Role::Declare | Role::Keyword => {
                note_name(&mut self.facts.names, name);
            }
            // An import binds a separate name.
            Role::Imported => {}
        }
    }
}

/// Returns the facts of any text; none if the parser or the depth limit rejects it. Only for comparing the
/// two parsers on texts that are not tools.
#[must_use]
pub fn facts_of(source: &str) -> Option<SyntaxFacts> {
    let module = ModModule::parse(source, "text").ok()?;
    facts(source, &module.body).ok()
}

/// Returns a dotted name, unless it is so long that it exceeds the depth limit anyway.
fn shallow_dotted(expr: &Expr) -> Option<String> {
    let mut below = expr;
    for _ in 0..MAX_DEPTH {
        match below {
            Expr::Attribute(attribute) => below = &attribute.value,
            Expr::Name(_) => return dotted(expr),
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected sets are those of CPython 3.11's `ast` for this text.
    #[test]
    fn facts_include_every_kind_of_name() {
        let source = r#"
import a1.b1 as c1, d1.e1
from .f1 import g1 as h1
from k1.l1 import *

@n1.o1(p1=q1)
async def r1(s1: t1 = u1, /, *v1: w1, x1: y1 = z1.a2(), **b2) -> c2:
    global d2
    async with e2(f"{g2!r:>{h2()}}") as (i2, j2[k2]):
        return [l2 async for l2 in m2() if n2.o2]
    match p2:
        case q2.r2(s2, t2=u2): pass
        case {1: v2, **w2} | [x2, *y2]: z2()
    try:
        del a3.b3
    except* c3 as d3:
        raise e3() from f3.g3()()
    class h3(i3, metaclass=j3[k3:l3]): m3: "n3" = (o3 := lambda p3=q3: {**r3, s3: t3, **{u3 for v3 in w3}})
"#;
        let facts = facts(source, &ModModule::parse(source, "").unwrap().body).unwrap();
        let set =
            |words: &str| words.split(' ').map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(facts.imports, set("a1.b1 d1.e1 .f1.g1 k1.l1.*"));
        assert_eq!(facts.attributes, set("o1 a2 o2 r2 t2 b3 g3"));
        assert_eq!(facts.calls, set("n1.o1 z1.a2 e2 h2 m2 z2 e3 f3.g3"));
        assert_eq!(
            facts.names,
            set(
                "* c1 d1 h1 n1 p1 q1 r1 s1 t1 u1 v1 w1 x1 y1 z1 b2 c2 d2 e2 g2 h2 i2 j2 k2 l2 m2 n2 p2 q2 s2 u2 v2 w2 x2 \
                 y2 z2 a3 c3 d3 e3 f3 h3 i3 metaclass j3 k3 l3 m3 o3 p3 q3 r3 s3 t3 u3 v3 w3"
            )
        );
    }
}
