//! Finds a tool's entry point, and reads its signature and docstring.

use std::collections::BTreeMap;

use rustpython_parser::ast::{Expr, Ranged, Stmt};
use rustpython_parser::text_size::TextSize;
use serde_json::{Map, Value, json};

use super::docstring::{self, Docstring};
use super::files;
use super::name_resolution::Survey;
use super::reserved_names::{Meaning, reserved};
use super::rules::{shape as rule, source};
use super::schema::{Types, bound, shown};
use super::tree::{Notes, docstring as text_of, literal};
use super::walk::{Function, Visit, function, parameters, walk_body, walk_expr, walk_stmt};
use crate::draft::{MAX_NAME_LENGTH, clip, is_hidden, is_module_name};
use crate::files::Outputs;
use crate::manifest::Returns;

/// How to call a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name of the function.
    pub name: String,
    /// Whether the execution context supplies the robot as the first argument.
    pub takes_robot: bool,
    /// The parameter for the output files, which the execution context supplies, and the outputs that the
    /// tool declares.
    pub outputs: Option<(String, Outputs)>,
    /// Whether it is a coroutine function.
    pub is_async: bool,
    /// The other parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// One parameter of the entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its JSON Schema, with `description`, `default`, `minimum` and `maximum` where they are known.
    pub schema: Value,
    /// Whether the caller must supply it: it has no default.
    pub required: bool,
}

impl Entry {
    /// Returns the strict JSON Schema of the arguments.
    #[must_use]
    pub fn parameters_schema(&self) -> Value {
        let properties: Map<String, Value> = self
            .parameters
            .iter()
            .map(|parameter| (parameter.name.clone(), parameter.schema.clone()))
            .collect();
        let required =
            self.parameters.iter().filter(|parameter| parameter.required).map(|parameter| &parameter.name);
        json!({
            "type": "object",
            "properties": properties,
            "required": required.collect::<Vec<_>>(),
            "additionalProperties": false,
        })
    }
}

/// One callable function, with the contents of its docstring.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub entry: Entry,
    pub description: String,
    pub returns: Returns,
}

/// Returns the entry points of a module, and reports missing parts. A tool has one. A toolkit has every
/// public function, beginning with the one of the same name.
pub(super) fn read(
    name: &str,
    text: &str,
    body: &[Stmt],
    is_toolkit: bool,
    survey: &Survey,
    notes: &mut Notes,
) -> Vec<Read> {
    let public: Vec<Function<'_>> =
        body.iter().filter_map(function).filter(|f| !f.name.starts_with('_')).collect();
    for function in &public {
        type_hints(*function, notes);
    }
    let named = public.iter().position(|function| function.name.as_str() == name);
    let chosen: Vec<Function<'_>> = match (public.as_slice(), named) {
        (several, named) if is_toolkit && !several.is_empty() => {
            let (first, rest) = several.split_at(named.unwrap_or(0));
            rest.iter().take(1).chain(first).chain(rest.iter().skip(1)).copied().collect()
        }
        ([only], _) => vec![*only],
        (several, Some(named)) => several.get(named).copied().into_iter().collect(),
        (several, None) => {
            let at = several.get(1).map(|function| function.at).unwrap_or_default();
            let what = format!("{} public functions, and none is named `{name}`", several.len());
            notes.add(&rule::NO_ENTRY, at, what);
            return Vec::new();
        }
    };
    if is_toolkit && let Some((meaning, like)) = reserved(name) {
        notes.add(&source::RESERVED_NAME, TextSize::default(), taken(name, meaning, like));
    }
    for entry in &chosen {
        may_be_called(*entry, is_toolkit, notes);
    }
    chosen.into_iter().map(|entry| read_one(entry, text, body, survey, notes)).collect()
}

/// Checks the name of a callable function. That of a toolkit's function stands behind the toolkit's, so it can only be
/// mistaken for a stop.
fn may_be_called(entry: Function<'_>, is_toolkit: bool, notes: &mut Notes) {
    let name = entry.name.as_str();
    if !is_module_name(name) {
        notes.add(&source::BAD_NAME, entry.at, format!("`{}` is not the name of a tool", clip(name)));
    }
    let found = reserved(name).filter(|(meaning, _)| !is_toolkit || *meaning == Meaning::Stop);
    if let Some((meaning, like)) = found {
        notes.add(&source::RESERVED_NAME, entry.at, taken(name, meaning, like));
    }
}

fn taken(name: &str, meaning: Meaning, like: &str) -> String {
    let name = clip(name);
    let meaning = meaning.describe();
    if name == like {
        format!("`{name}` is {meaning}")
    } else {
        format!("`{name}` is taken for `{like}`, {meaning}")
    }
}

fn read_one(entry: Function<'_>, source: &str, body: &[Stmt], survey: &Survey, notes: &mut Notes) -> Read {
    if yields(entry.body) {
        notes.add(&rule::ENTRY_YIELDS, entry.at, format!("`{}` is a generator", entry.name));
    }
    let docstring = docstring::read(text_of(entry.body).unwrap_or_default());
    if docstring.description.is_empty() {
        notes.add(&rule::MISSING_DOCSTRING, entry.at, format!("`{}` has no description", entry.name));
    }
    let types = Types { aliases: aliases(body) };
    let (takes_robot, outputs, parameters) = arguments(entry, &docstring, &types, survey, notes);
    readable(entry, &docstring, &parameters, notes);
    let returns = Returns {
        r#type: entry.returns.map_or_else(|| "None".to_owned(), |annotation| shown(annotation, source)),
        description: docstring.returns,
    };
    let name = entry.name.to_string();
    let entry = Entry { name, takes_robot, outputs, is_async: entry.is_async, parameters };
    Read { entry, description: docstring.description, returns }
}

/// Maximum length of a tool's description, in characters.
const MAX_DESCRIPTION_CHARS: usize = 2_000;

/// Maximum length of the description of a parameter or of the result, in characters.
const MAX_PARAMETER_CHARS: usize = 500;

/// Checks what people and models read of a function. An escape such as `\x1b` writes a character into a text that the source
/// does not contain.
fn readable(entry: Function<'_>, docstring: &Docstring, schemas: &[Parameter], notes: &mut Notes) {
    let mut judge = |what: &str, text: &str, most: usize| {
        let length = text.chars().count();
        if length > most {
            let what = format!("{what} has {length} characters, {most} are allowed");
            notes.add(&rule::UNREADABLE_TEXT, entry.at, what);
        }
        if let Some(hidden) = text.chars().find(|c| !matches!(c, '\n' | '\t') && is_hidden(*c)) {
            let what = format!("{what} contains the invisible character U+{:04X}", u32::from(hidden));
            notes.add(&rule::UNREADABLE_TEXT, entry.at, what);
        }
    };
    judge("the description", &docstring.description, MAX_DESCRIPTION_CHARS);
    judge("the description of the result", &docstring.returns, MAX_PARAMETER_CHARS);
    for arg in parameters(entry.args) {
        let name = arg.arg.as_str();
        judge("the name of a parameter", name, MAX_NAME_LENGTH);
        if let Some(text) = docstring.arguments.get(name) {
            judge(&format!("the description of `{}`", clip(name)), text, MAX_PARAMETER_CHARS);
        }
    }
    for Parameter { name, schema, .. } in schemas {
        let mut values: Vec<&Value> = ["default", "enum"].iter().filter_map(|key| schema.get(key)).collect();
        while let Some(value) = values.pop() {
            match value {
                Value::String(text) => {
                    judge(&format!("a value of `{}`", clip(name)), text, MAX_PARAMETER_CHARS)
                }
                Value::Array(items) => values.extend(items),
                Value::Object(items) => values.extend(items.values()),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }
}

fn type_hints(function: Function<'_>, notes: &mut Notes) {
    let bare: Vec<&str> = parameters(function.args)
        .filter(|arg| arg.annotation.is_none())
        .map(|arg| arg.arg.as_str())
        .collect();
    if !bare.is_empty() {
        let what = format!("`{}` does not annotate {}", function.name, bare.join(", "));
        notes.add(&rule::MISSING_TYPE_HINT, function.at, what);
    }
    if function.returns.is_none() {
        notes.add(
            &rule::MISSING_TYPE_HINT,
            function.at,
            format!("`{}` does not annotate its result", function.name),
        );
    }
}

fn arguments(
    entry: Function<'_>,
    docstring: &Docstring,
    types: &Types<'_>,
    survey: &Survey,
    notes: &mut Notes,
) -> (bool, Option<(String, Outputs)>, Vec<Parameter>) {
    let args = entry.args;
    for star in [&args.vararg, &args.kwarg].into_iter().flatten() {
        notes.add(&rule::UNSUPPORTED_PARAMETER, star.start(), format!("`*{}` collects arguments", star.arg));
    }
    let (mut takes_robot, mut outputs, mut parameters) = (false, None, Vec::new());
    let plain = args.posonlyargs.iter().chain(&args.args).chain(&args.kwonlyargs);
    for (position, arg) in plain.enumerate() {
        let (name, at) = (arg.def.arg.as_str(), arg.def.start());
        let Some(annotation) = arg.def.annotation.as_deref() else { continue };
        if survey.is_robot_type(annotation) {
            let leads =
                position == 0 && args.posonlyargs.len() + args.args.len() > 0 && arg.default.is_none();
            if leads {
                takes_robot = true;
            } else {
                let what = format!("the robot `{name}` is not the first parameter without a default");
                notes.add(&rule::UNSUPPORTED_PARAMETER, at, what);
            }
            continue;
        }
        let description = docstring.arguments.get(name).map(String::as_str);
        if files::is_outputs(annotation, survey) {
            if outputs.is_some() || arg.default.is_some() {
                let what = format!("`{name}` is not the one parameter for output files, without a default");
                notes.add(&rule::UNSUPPORTED_PARAMETER, at, what);
            }
            outputs = Some((name.to_owned(), files::outputs(description)));
            continue;
        }
        if position < args.posonlyargs.len() {
            notes.add(&rule::UNSUPPORTED_PARAMETER, at, format!("`{name}` cannot be passed by name"));
        }
        let schema = match files::schema(annotation, description, survey) {
            Some(schema) => schema,
            None => types.schema(annotation),
        };
        let mut schema = match schema {
            Ok(schema) => schema,
            Err(what) => {
                notes.add(&rule::UNSUPPORTED_TYPE, at, format!("`{name}` is {what}"));
                continue;
            }
        };
        describe(&mut schema, description, arg.default.as_deref());
        if !docstring.arguments.contains_key(name) {
            notes.add(&rule::UNDOCUMENTED_PARAMETER, at, format!("the docstring does not describe `{name}`"));
        }
        parameters.push(Parameter { name: name.to_owned(), schema, required: arg.default.is_none() });
    }
    (takes_robot, outputs, parameters)
}

fn describe(schema: &mut Value, description: Option<&str>, default: Option<&Expr>) {
    if let Some(description) = description {
        let bounds = docstring::bounds(description);
        for (keyword, value) in [("minimum", bounds.low), ("maximum", bounds.high)] {
            if let Some(value) = value {
                bound(schema, keyword, value);
            }
        }
    }
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(description) = description {
        object.insert("description".to_owned(), json!(description));
    }
    if let Some(default) = default.and_then(literal) {
        object.insert("default".to_owned(), default);
    }
}

/// Returns the module-level names that may be aliases of a type.
fn aliases(body: &[Stmt]) -> BTreeMap<&str, &Expr> {
    body.iter().filter_map(alias).collect()
}

fn alias(stmt: &Stmt) -> Option<(&str, &Expr)> {
    let (target, value) = match stmt {
        Stmt::Assign(s) => (s.targets.first()?, &s.value),
        Stmt::AnnAssign(s) => (&*s.target, s.value.as_ref()?),
        _ => return None,
    };
    Some((target.as_name_expr()?.id.as_str(), value))
}

/// Returns whether these statements contain a `yield` outside of nested functions.
pub(super) fn yields(body: &[Stmt]) -> bool {
    struct Yields(bool);
    impl Visit for Yields {
        fn stmt(&mut self, stmt: &Stmt) {
            if function(stmt).is_none() && !stmt.is_class_def_stmt() {
                walk_stmt(self, stmt);
            }
        }
        fn expr(&mut self, expr: &Expr) {
            match expr {
                Expr::Lambda(_) => return,
                Expr::Yield(_) | Expr::YieldFrom(_) => self.0 = true,
                _ => {}
            }
            walk_expr(self, expr);
        }
    }
    let mut pass = Yields(false);
    walk_body(&mut pass, body);
    pass.0
}
