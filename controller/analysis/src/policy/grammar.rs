//! Explains syntax errors: text that the parser rejects, and text that it accepts although CPython 3.11
//! does not.

use rustpython_parser::ast::{Constant, Expr, Ranged, Stmt};
use rustpython_parser::text_size::{TextRange, TextSize};

use super::rules::source as rule;
use super::tree::Notes;
use super::walk::{Function, Visit, function, parameters, walk_body, walk_expr, walk_signature, walk_stmt};

/// Maximum nesting of blocks that CPython compiles.
const MAX_BLOCKS: usize = 20;

/// Records why the parser rejects a text at `at`.
pub(super) fn complain(source: &str, at: TextSize, complaint: &str, notes: &mut Notes) {
    let line = line_at(source, usize::from(at));
    let code = line.trim_start();
    let word = |word: &str| code.strip_prefix(word).filter(|rest| rest.starts_with([' ', '(', '"', '\'']));
    let rest_of_except = code.strip_prefix("except").filter(|rest| rest.starts_with([' ', '\t', '*', '(']));
    let rest_of_except = rest_of_except.map(|rest| rest.trim_start_matches('*').trim_start());
    if rest_of_except.is_some_and(|rest| rest.contains(',') && !rest.starts_with('(')) {
        let what = "`except` with several types and no brackets";
        notes.hinted(&rule::NEWER_SYNTAX, at, what, "write `except (A, B):`");
    } else if has_template(line) {
        let what = "a template string `t\"...\"`";
        notes.hinted(&rule::NEWER_SYNTAX, at, what, "write an f-string");
    } else if ["type ", "class ", "def ", "async def "].iter().any(|start| code.starts_with(start))
        && code.split(['(', ':', '=']).next().is_some_and(|head| head.contains('['))
    {
        notes.add(&rule::NEWER_SYNTAX, at, "type parameters in square brackets");
    } else if reuses_quotes(line) {
        let what = "an f-string with its own quotes inside its braces";
        notes.hinted(&rule::NEWER_SYNTAX, at, what, "use the other kind of quotes inside the braces");
    } else if let Some(rest) =
        word("print").or_else(|| word("exec")).filter(|rest| rest.starts_with([' ', '"', '\'']))
    {
        let what = format!("{complaint}: `{}` as a statement is Python 2", code.trim_end_matches(rest));
        notes.hinted(&rule::SYNTAX_ERROR, at, what, "write it as a call, with brackets");
    } else {
        notes.add(&rule::SYNTAX_ERROR, at, complaint);
    }
}

fn line_at(source: &str, at: usize) -> &str {
    let at = (0..=at.min(source.len())).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0);
    let (before, behind) = source.split_at(at);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = behind.find('\n').map_or(source.len(), |newline| at + newline);
    source.get(start..end).unwrap_or_default()
}

/// Returns whether a word begins with the prefix of a template string: `t"`, `rt'`, ...
fn has_template(line: &str) -> bool {
    line.match_indices(['"', '\'']).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let prefix = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let prefix = before.get(prefix.len()..).unwrap_or_default().to_ascii_lowercase();
        matches!(prefix.as_str(), "t" | "rt" | "tr")
    })
}

/// Returns whether an f-string seems to end inside its braces and continues after its own quotes.
fn reuses_quotes(line: &str) -> bool {
    ["f\"", "f'", "F\"", "F'"].iter().any(|start| {
        let quote = start.get(1..).unwrap_or_default();
        let behind = line.split_once(start).and_then(|(_, rest)| rest.split_once(quote));
        behind.is_some_and(|(inside, rest)| {
            let braces = |brace: &str| inside.replace(&brace.repeat(2), "").matches(brace).count();
            braces("{") > braces("}") && rest.contains(quote)
        })
    })
}

/// Reports syntax that this parser accepts and CPython rejects.
pub(super) fn judge(source: &str, body: &[Stmt], notes: &mut Notes) {
    let halves = has_surrogate_escape(source);
    let mut pass =
        Pass { source, notes, position: Scope::Module, is_async: false, loops: 0, blocks: 0, halves };
    walk_body(&mut pass, body);
}

/// Returns whether the text contains an escape from `\ud800` to `\udfff`.
fn has_surrogate_escape(source: &str) -> bool {
    source.match_indices("\\u").chain(source.match_indices("\\U")).any(|(at, mark)| {
        let digits = if mark == "\\u" { at + 2..at + 6 } else { at + 2..at + 10 };
        let code = source.get(digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        code.is_some_and(|code| (0xd800..0xe000).contains(&code))
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Module,
    Class,
    Function,
}

struct Pass<'a> {
    source: &'a str,
    notes: &'a mut Notes,
    position: Scope,
    is_async: bool,
    loops: usize,
    blocks: usize,
    /// Whether the text contains escapes of lone surrogates.
    halves: bool,
}

impl Pass<'_> {
    fn wrong(&mut self, at: TextSize, what: &str, hint: &str) {
        self.notes.hinted(&rule::SYNTAX_ERROR, at, what, hint);
    }

    fn within(&mut self, position: Scope, is_async: bool, walk: impl FnOnce(&mut Self)) {
        let outer = (self.position, self.is_async, self.loops, self.blocks);
        (self.position, self.is_async, self.loops, self.blocks) = (position, is_async, 0, 0);
        walk(self);
        (self.position, self.is_async, self.loops, self.blocks) = outer;
    }

    fn function(&mut self, function: Function<'_>) {
        let mut names: Vec<&str> = parameters(function.args).map(|arg| arg.arg.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair.first() == pair.last()) {
            let name = pair.first().copied().unwrap_or_default();
            self.wrong(function.at, &format!("two parameters are named `{name}`"), "rename one of them");
        }
        walk_signature(self, function);
        self.within(Scope::Function, function.is_async, |pass| walk_body(pass, function.body));
    }

    fn awaits(&mut self, at: TextSize, what: &str) {
        if self.position != Scope::Function {
            self.wrong(at, &format!("{what} outside of a function"), "write it in an `async def` function");
        } else if !self.is_async {
            self.wrong(at, &format!("{what} in a function that is not `async`"), "write `async def`");
        }
    }

    fn slice(&self, range: TextRange) -> &str {
        self.source.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
    }
}

impl Visit for Pass<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let at = stmt.start();
        if let Some(function) = function(stmt) {
            return self.function(function);
        }
        match stmt {
            Stmt::ClassDef(class) => {
                super::walk::walk_class_header(self, class);
                return self.within(Scope::Class, false, |pass| walk_body(pass, &class.body));
            }
            Stmt::Return(_) if self.position != Scope::Function => {
                self.wrong(at, "`return` outside of a function", "write it in a function");
            }
            Stmt::Break(_) | Stmt::Continue(_) if self.loops == 0 => {
                self.wrong(at, "`break` or `continue` outside of a loop", "write it in a loop");
            }
            Stmt::Nonlocal(_) if self.position == Scope::Module => {
                self.wrong(at, "`nonlocal` outside of a function", "delete it");
            }
            Stmt::AsyncFor(_) => self.awaits(at, "`async for`"),
            Stmt::AsyncWith(_) => self.awaits(at, "`async with`"),
            _ => {}
        }
        let is_loop = matches!(stmt, Stmt::While(_) | Stmt::For(_) | Stmt::AsyncFor(_));
        let is_block =
            is_loop || matches!(stmt, Stmt::With(_) | Stmt::AsyncWith(_) | Stmt::Try(_) | Stmt::TryStar(_));
        self.loops += usize::from(is_loop);
        self.blocks += usize::from(is_block);
        if self.blocks > MAX_BLOCKS {
            self.notes.add(&rule::TOO_NESTED, at, "more than 20 loops, `with` or `try` inside one another");
        }
        walk_stmt(self, stmt);
        self.loops -= usize::from(is_loop);
        self.blocks -= usize::from(is_block);
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Await(_) => self.awaits(expr.start(), "`await`"),
            Expr::Yield(_) | Expr::YieldFrom(_) if self.position != Scope::Function => {
                self.wrong(expr.start(), "`yield` outside of a function", "write it in a function");
            }
            Expr::Lambda(_) => return self.within(Scope::Function, false, |pass| walk_expr(pass, expr)),
            Expr::Constant(constant) if self.halves => {
                if let Constant::Str(text) = &constant.value
                    && text.contains('\u{fffd}')
                    && !self.slice(constant.range).contains('\u{fffd}')
                {
                    let what = "half of a surrogate pair (`\\ud800` to `\\udfff`): it is not a character";
                    self.notes.hinted(
                        &rule::CONTROL_CHARACTER,
                        expr.start(),
                        what,
                        "write the character itself",
                    );
                }
            }
            Expr::FormattedValue(formatted) => {
                let spec = formatted.format_spec.as_deref();
                if let Some(Expr::JoinedStr(spec)) = spec
                    && spec.values.iter().filter_map(super::tree::text).any(|text| text.contains('\\'))
                {
                    let what = "an escape in the format after `:`: Python versions read it differently";
                    self.notes.hinted(&rule::NEWER_SYNTAX, expr.start(), what, "delete the backslash");
                }
            }
            _ => {}
        }
        walk_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {

    fn rule_of(source: &str) -> String {
        use crate::draft::Draft;
        use crate::finding::{Finding, Verdict};
        use crate::policy::vet;
        let source =
            format!("def tool() -> int:\n    \"\"\"Do.\"\"\"\n    a = b = 1\n{source}\n    return a + b\n");
        match vet(Draft::read("tool", source.as_bytes()).unwrap()) {
            Ok(_) => "none".into(),
            Err(refused) => {
                let refuses = |finding: &&Finding| finding.verdict == Verdict::Reject;
                refused.findings().iter().find(refuses).unwrap().rule.clone()
            }
        }
    }

    #[test]
    fn newer_syntax_names_its_python_version() {
        for newer in [
            "    try:\n        pass\n    except ValueError, TypeError:\n        pass",
            "    c = t\"{a}\"",
            "    type Pair[T] = tuple[T, T]",
            "    type Pair[T = int] = tuple[T, T]",
            "    def f[T](x: T) -> T:\n        return x",
            "    def f[T = int](x: T) -> T:\n        return x",
            "    class Box[T]:\n        pass",
            "    c = f\"{\"x\"}\"",
            "    c = f'{d['x']}'",
            "    c = f'{a:\\x41}'",
        ] {
            assert_eq!(rule_of(newer), "newer-syntax", "{newer}");
        }
        for older in ["    print a", "    exec 'a'", "    c = f'{a'", "    c = (1", "    except_ a, b"] {
            assert_eq!(rule_of(older), "syntax-error", "{older}");
        }
        for valid in
            ["    try:\n        pass\n    except* ValueError:\n        a = 2", "    c = f'{a!r:>{b}}'"]
        {
            assert_eq!(rule_of(valid), "none", "{valid}");
        }
    }

    #[test]
    fn errors_of_the_compiler_alone_are_explained() {
        for wrong in [
            "    await a",
            "    async with a:\n        pass",
            "    break",
            "    def f(x: int, x: int) -> None:\n        pass",
            "    class A:\n        return 1",
            "    lambda: (await a)",
            "    while a:\n        def g() -> None:\n            continue",
        ] {
            assert_eq!(rule_of(wrong), "syntax-error", "{wrong}");
        }
        let half = "    c = '\\ud800'";
        assert_eq!(rule_of(half), "control-character");
        assert_eq!(rule_of("    c = '\\\\ud800 \u{fffd}'"), "none");
        let deep: String = (0..21).map(|depth| format!("{}while a:\n", " ".repeat(depth + 4))).collect();
        assert_eq!(rule_of(&format!("{deep}{}pass", " ".repeat(25))), "too-nested");
    }
}
