//! Signatures and documentation.

use rustpython_parser::Parse;
use rustpython_parser::ast::{
    ArgWithDefault, Arguments, Constant, ExceptHandler, Expr, ModModule, Ranged, Stmt,
};

use super::edit::{argument, indentation, last_quoted, line, word_behind};
use super::{Broken, Fix};
use crate::imports::{importing, line_break};

/// A function of the source.
struct Function {
    name: String,
    args: Box<Arguments>,
    body: Vec<Stmt>,
    start: usize,
    end: usize,
}

/// Returns the function at or around an offset.
fn function(source: &str, at: usize) -> Option<Function> {
    let module = ModModule::parse(source, "").ok()?;
    let functions = module.body.into_iter().filter_map(|stmt| {
        let (start, end) = (stmt.start().to_usize(), stmt.end().to_usize());
        match stmt {
            Stmt::FunctionDef(it) => {
                Some(Function { name: it.name.to_string(), args: it.args, body: it.body, start, end })
            }
            Stmt::AsyncFunctionDef(it) => {
                Some(Function { name: it.name.to_string(), args: it.args, body: it.body, start, end })
            }
            _ => None,
        }
    });
    let mut functions = functions;
    functions.find(|function| (function.start..function.end).contains(&at))
}

fn plain(args: &Arguments) -> impl Iterator<Item = &ArgWithDefault> {
    args.posonlyargs.iter().chain(&args.args).chain(&args.kwonlyargs)
}

fn sentence(name: &str) -> String {
    let words = name.trim_matches('_').replace('_', " ");
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

fn meaning(name: &str) -> String {
    format!("The {}", name.trim_matches('_').replace('_', " ")).trim_end().to_owned() + "."
}

/// Adds a docstring with a line for each parameter.
pub(super) fn documented(broken: &Broken<'_>) -> Option<Fix> {
    let source = broken.source;
    let function = function(source, broken.at)?;
    let first = function.body.first()?.start().to_usize();
    let first_line = line(source, first);
    let indent = indentation(source.get(first_line.clone())?);
    // The body may stand on the line of the head, and a docstring may be there without words.
    if first != first_line.start + indent.len() || docstring(&function).is_some() {
        return None;
    }
    let newline = line_break(source);
    let mut text = format!("{indent}\"\"\"{}", sentence(&function.name));
    let names: Vec<&str> = plain(&function.args).map(|arg| arg.def.arg.as_str()).collect();
    if !names.is_empty() {
        text.push_str(&format!("{newline}{newline}{indent}Args:{newline}"));
        for name in names {
            text.push_str(&format!("{indent}    {name}: {}{newline}", meaning(name)));
        }
        text.push_str(indent);
    }
    text.push_str(&format!("\"\"\"{newline}"));
    Some(Fix::new("Add a docstring", first_line.start..first_line.start, text))
}

/// Returns where the docstring of a function is.
fn docstring(function: &Function) -> Option<std::ops::Range<usize>> {
    let Stmt::Expr(first) = function.body.first()? else { return None };
    let Expr::Constant(constant) = &*first.value else { return None };
    let is_text = matches!(constant.value, Constant::Str(_));
    is_text.then(|| first.start().to_usize()..first.end().to_usize())
}

/// Adds a line about the parameter to the docstring.
pub(super) fn parameter_documented(broken: &Broken<'_>) -> Option<Fix> {
    let source = broken.source;
    let name = last_quoted(&broken.finding.reason)?;
    let range = docstring(&function(source, broken.at)?)?;
    let text = source.get(range.clone())?;
    let newline = line_break(source);
    let indent = indentation(source.get(line(source, range.start))?);
    let entry = format!("{indent}    {name}: {}{newline}", meaning(name));
    let title = format!("Describe `{name}`");
    if let Some(section) = text.find("Args:") {
        let at = line(source, range.start + section).end;
        return (at <= range.end).then(|| Fix::new(title, at..at, entry));
    }
    let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| text.ends_with(*quotes))?;
    let inside = text.strip_suffix(quotes)?.trim_end();
    let new = format!("{newline}{newline}{indent}Args:{newline}{entry}{indent}");
    Some(Fix::new(title, range.start + inside.len()..range.end - quotes.len(), new))
}

/// Annotates what the defaults and the returned values show.
pub(super) fn annotated(broken: &Broken<'_>) -> Option<Fix> {
    let source = broken.source;
    let function = function(source, broken.at)?;
    if broken.finding.reason.ends_with("does not annotate its result") {
        let given = result(&function.body)?;
        let colon = head_end(source, &function)?;
        return Some(Fix::new(
            format!("Annotate the result: `{given}`"),
            colon..colon,
            format!(" -> {given}"),
        ));
    }
    let mut fix = Fix { title: "Annotate the parameters".into(), edits: Vec::new() };
    for arg in plain(&function.args).filter(|arg| arg.def.annotation.is_none()) {
        let name = arg.def.arg.as_str();
        let given = match arg.default.as_deref() {
            Some(default) => kind(default)?,
            None if is_robot(broken, name) => "ReachyMini",
            None => return None,
        };
        let end = arg.def.start().to_usize() + name.len();
        // `n=1` becomes `n: int = 1`.
        let behind = source.get(end..)?;
        let equals = behind.len() - behind.trim_start().len();
        let new = match arg.default {
            Some(_) => (end..end + equals + 1, format!(": {given} =")),
            None => (end..end, format!(": {given}")),
        };
        let is_spaced = source.get(new.0.end..)?.starts_with(' ');
        let blank = if arg.default.is_some() && !is_spaced { " " } else { "" };
        fix.edits.push((new.0, format!("{}{blank}", new.1)));
        if given == "ReachyMini" && !source.contains("import ReachyMini") {
            fix.edits.push(importing(source, "reachy_mini", "ReachyMini"));
        }
    }
    Some(fix)
}

/// Returns whether the source uses a name as the robot.
fn is_robot(broken: &Broken<'_>, name: &str) -> bool {
    let robot = &broken.catalog.surface.robot;
    robot.iter().any(|callable| broken.source.contains(&format!("{name}.{}", callable.name)))
        || broken.source.contains(&format!("perform({name}"))
}

/// Returns the offset of the colon behind the parameters.
fn head_end(source: &str, function: &Function) -> Option<usize> {
    let bracket = function.start + source.get(function.start..)?.find('(')?;
    let (mut depth, mut at) = (0_usize, bracket);
    for character in source.get(bracket..)?.chars() {
        at += character.len_utf8();
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return source.get(at..)?.trim_start().starts_with(':').then_some(at);
        }
    }
    None
}

/// Returns the type of a literal.
fn kind(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::JoinedStr(_) => Some("str"),
        Expr::UnaryOp(unary) => kind(&unary.operand),
        Expr::Constant(constant) => match constant.value {
            Constant::Bool(_) => Some("bool"),
            Constant::Int(_) => Some("int"),
            Constant::Float(_) => Some("float"),
            Constant::Str(_) => Some("str"),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the type of all values that a function returns, as far as they are literals.
fn result(body: &[Stmt]) -> Option<&'static str> {
    let mut values = Vec::new();
    returned(body, &mut values);
    let mut kinds = values.iter().map(|value| match value {
        None => Some("None"),
        Some(value) => kind(value),
    });
    match kinds.next() {
        None => Some("None"),
        Some(first) => first.filter(|first| kinds.all(|kind| kind == Some(first))),
    }
}

fn returned<'s>(body: &'s [Stmt], values: &mut Vec<Option<&'s Expr>>) {
    for stmt in body {
        match stmt {
            Stmt::Return(it) => values.push(it.value.as_deref()),
            Stmt::If(it) => [&it.body, &it.orelse].into_iter().for_each(|body| returned(body, values)),
            Stmt::For(it) => [&it.body, &it.orelse].into_iter().for_each(|body| returned(body, values)),
            Stmt::While(it) => [&it.body, &it.orelse].into_iter().for_each(|body| returned(body, values)),
            Stmt::With(it) => returned(&it.body, values),
            Stmt::Match(it) => it.cases.iter().for_each(|case| returned(&case.body, values)),
            Stmt::Try(it) => {
                for body in [&it.body, &it.orelse, &it.finalbody] {
                    returned(body, values);
                }
                for ExceptHandler::ExceptHandler(handler) in &it.handlers {
                    returned(&handler.body, values);
                }
            }
            _ => {}
        }
    }
}

/// Turns a default list into a tuple, which no call can change.
pub(super) fn tuple_default(broken: &Broken<'_>) -> Option<Fix> {
    let source = broken.source;
    let range = argument(source, broken.at)?;
    let items = source.get(range.clone())?.strip_prefix('[')?.strip_suffix(']')?;
    let comma = if items.is_empty() || items.contains(',') { "" } else { "," };
    let fix = Fix::new("Use a tuple", range, format!("({items}{comma})"));
    // `steps: list[int] = ` in front of it.
    let head = source.get(line(source, broken.at).start..broken.at)?;
    let start = broken.at - head.len() + head.rfind("list[")?;
    let inner = start + "list".len();
    let item = source.get(inner + 1..broken.at)?.split(']').next()?;
    let whole = start..inner + 1 + item.len() + 1;
    Some(fix.with(Some((whole, format!("tuple[{item}, ...]")))))
}

/// Writes a list for a set, which JSON does not have.
pub(super) fn list_type(broken: &Broken<'_>) -> Option<Fix> {
    let range = argument(broken.source, broken.at)?;
    let annotation = broken.source.get(line(broken.source, broken.at).start..)?;
    let name = ["frozenset", "set"].into_iter().find(|name| annotation.contains(&format!("{name}[")))?;
    let word = word_behind(broken.source, range.start, name)?;
    Some(Fix::new("Use a list", word, "list"))
}
