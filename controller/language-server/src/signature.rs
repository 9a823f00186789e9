//! Signatures and documentation, read from Python.

use rustpython_parser::Parse;
use rustpython_parser::ast::{
    Arg, ArgWithDefault, Arguments, Constant, Expr, ModModule, Ranged, Stmt, StmtFunctionDef,
};

/// A function, a method or a property.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    /// The class of a method.
    pub class: Option<String>,
    pub parameters: Vec<Parameter>,
    pub is_property: bool,
    returns: Option<String>,
    documentation: String,
}

/// One parameter.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub name: String,
    pub kind: Kind,
    annotation: Option<String>,
    default: Option<String>,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    PositionOnly,
    Plain,
    /// `*steps`.
    Rest,
    KeywordOnly,
    /// `**options`.
    Keywords,
}

impl Parameter {
    /// Returns the parameter as it stands in a signature.
    pub(crate) fn declaration(&self) -> String {
        let stars = match self.kind {
            Kind::Rest => "*",
            Kind::Keywords => "**",
            _ => "",
        };
        let mut text = format!("{stars}{}", self.name);
        if let Some(annotation) = &self.annotation {
            text.push_str(&format!(": {annotation}"));
        }
        match (&self.default, &self.annotation) {
            (Some(default), Some(_)) => text.push_str(&format!(" = {default}")),
            (Some(default), None) => text.push_str(&format!("={default}")),
            (None, _) => {}
        }
        text
    }

    /// Returns whether a call may name it.
    pub(crate) fn has_keyword(&self) -> bool {
        matches!(self.kind, Kind::Plain | Kind::KeywordOnly)
    }
}

impl Function {
    /// Names the parameters of a function that passes on whatever it gets.
    pub(crate) fn name_parameters<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        let plain = |name: &str| Parameter {
            name: name.to_owned(),
            kind: Kind::Plain,
            annotation: None,
            default: None,
        };
        if self.parameters.iter().any(|parameter| parameter.kind == Kind::Keywords) {
            self.parameters = names.map(plain).collect();
        }
    }

    /// Returns the signature, on several lines if it is long.
    pub(crate) fn signature(&self) -> String {
        let returns = self.returns.as_ref().map(|given| format!(" -> {given}")).unwrap_or_default();
        if self.is_property {
            return format!("{}{}", self.name, returns.replacen(" ->", ":", 1));
        }
        let parts = self.parts();
        let line = format!("{}({}){returns}", self.name, parts.join(", "));
        if line.len() <= 100 {
            return line;
        }
        format!("{}(\n    {},\n){returns}", self.name, parts.join(",\n    "))
    }

    /// Returns the parameters with the marks `*` and `/`.
    fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        let mut before = None;
        for parameter in &self.parameters {
            if before == Some(Kind::PositionOnly) && parameter.kind != Kind::PositionOnly {
                parts.push("/".to_owned());
            }
            let is_marked = matches!(before, Some(Kind::KeywordOnly | Kind::Rest));
            if parameter.kind == Kind::KeywordOnly && !is_marked {
                parts.push("*".to_owned());
            }
            parts.push(parameter.declaration());
            before = Some(parameter.kind);
        }
        if before == Some(Kind::PositionOnly) {
            parts.push("/".to_owned());
        }
        parts
    }

    /// Returns the documentation before the section of the arguments.
    pub(crate) fn description(&self) -> &str {
        self.documentation.split("\nArgs:").next().unwrap_or_default().trim()
    }

    /// Returns the line of the documentation about a parameter. One may also be named in the line of another.
    pub(crate) fn meaning(&self, parameter: &str) -> Option<&str> {
        let (_, arguments) = self.documentation.split_once("Args:\n")?;
        let lines = arguments.lines().take_while(|line| line.starts_with(' ') || line.is_empty());
        let entries = lines.filter_map(|line| line.trim().split_once(": "));
        let own = entries.clone().find(|(name, _)| *name == parameter);
        let mention = format!("`{parameter}`");
        own.or_else(|| entries.clone().find(|(_, text)| text.contains(&mention))).map(|(_, text)| text)
    }
}

/// Reads the public functions of a source, and the methods of its classes. A source of ours that is not Python has none.
pub(crate) fn functions(source: &str) -> Vec<Function> {
    let Ok(module) = ModModule::parse(source, "") else { return Vec::new() };
    let mut found = Vec::new();
    for stmt in &module.body {
        match stmt {
            Stmt::FunctionDef(function) => found.push(read(source, function, None)),
            Stmt::ClassDef(class) => {
                let methods = class.body.iter().filter_map(Stmt::as_function_def_stmt);
                found.extend(methods.map(|method| read(source, method, Some(class.name.as_str()))));
            }
            _ => {}
        }
    }
    found.retain(|function| !function.name.starts_with('_'));
    found
}

fn read(source: &str, function: &StmtFunctionDef, class: Option<&str>) -> Function {
    let is_property = function
        .decorator_list
        .iter()
        .any(|decorator| matches!(decorator, Expr::Name(name) if name.id.as_str() == "property"));
    let mut parameters = parameters(source, &function.args);
    if class.is_some() && !parameters.is_empty() {
        parameters.remove(0);
    }
    Function {
        name: function.name.to_string(),
        class: class.map(str::to_owned),
        parameters,
        is_property,
        returns: function.returns.as_deref().map(|given| shown(source, given)),
        documentation: documentation(&function.body),
    }
}

fn parameters(source: &str, args: &Arguments) -> Vec<Parameter> {
    let plain = |kind| {
        move |arg: &ArgWithDefault| Parameter {
            name: arg.def.arg.to_string(),
            kind,
            annotation: arg.def.annotation.as_deref().map(|given| shown(source, given)),
            default: arg.default.as_deref().map(|given| shown(source, given)),
        }
    };
    let star = |kind| {
        move |arg: &Arg| Parameter {
            name: arg.arg.to_string(),
            kind,
            annotation: arg.annotation.as_deref().map(|given| shown(source, given)),
            default: None,
        }
    };
    let mut found: Vec<Parameter> = args.posonlyargs.iter().map(plain(Kind::PositionOnly)).collect();
    found.extend(args.args.iter().map(plain(Kind::Plain)));
    found.extend(args.vararg.as_deref().map(star(Kind::Rest)));
    found.extend(args.kwonlyargs.iter().map(plain(Kind::KeywordOnly)));
    found.extend(args.kwarg.as_deref().map(star(Kind::Keywords)));
    found
}

fn shown(source: &str, expr: &Expr) -> String {
    let range = usize::from(expr.start())..usize::from(expr.end());
    source.get(range).unwrap_or_default().to_owned()
}

/// Returns the docstring without its indentation.
fn documentation(body: &[Stmt]) -> String {
    let Some(Stmt::Expr(first)) = body.first() else { return String::new() };
    let Expr::Constant(constant) = &*first.value else { return String::new() };
    let Constant::Str(text) = &constant.value else { return String::new() };
    let indents = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let indent = indents.map(|line| line.len() - line.trim_start().len()).min().unwrap_or_default();
    let lines = text.lines().enumerate().map(|(number, line)| match number {
        0 => line.trim(),
        _ => line.get(indent..).unwrap_or_default().trim_end(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
