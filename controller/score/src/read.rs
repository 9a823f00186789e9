//! Reads the source of a tool as a score, without running it.
//!
//! The reader accepts what the writer writes, in any layout. Everything else is an error with its line. The tokens are
//! screened before the parser sees them, so neither the parser nor the tree that it builds can grow deep.

mod documentation;
mod steps;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};

use rustpython_parser::Parse;
use rustpython_parser::ast::{
    Arguments, CmpOp, Constant, Expr, ModModule, Ranged, Stmt, StmtFunctionDef, StmtIf, StmtImportFrom,
    UnaryOp,
};
use rustpython_parser::text_size::TextSize;

use self::documentation::Documentation;
use self::steps::{StepReader, number_constant};
use crate::compile::validate;
use crate::score::{EVENTS, FUNCTIONS, Kind, Parameter, SPEED_PARAMETER, Score, Step, is_motion_function};
use crate::target::Part;
use crate::text::format_number;

/// Why a source is not a score: where, what, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}; {hint}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
    /// What to write instead.
    pub hint: String,
}

/// Reads a source.
///
/// # Errors
/// A [`ReadError`] if the source is not a tool in the language of motion, or if the tool breaks a limit.
pub fn read(source: &str) -> Result<Score, ReadError> {
    tokens::screen(source)?;
    let lines = Lines::of(source);
    let module = ModModule::parse(source, "tool").map_err(|error| ReadError {
        line: lines.at(error.offset),
        reason: format!("this is no valid Python: {}", error.error),
        hint: "check the brackets, commas and indentation".to_owned(),
    })?;
    let mut reader = Reader { lines: &lines, imported: BTreeSet::new(), has_robot: false };
    let function = reader.module(&module).map_err(|fault| fault.at(&lines))?;
    reader.function(function)
}

/// Reads steps alone, with commas between them, as they stand in `perform(robot, ...)`. Names of parameters are kept as
/// they are: the score that gets the steps is checked with [`validate`].
///
/// # Errors
/// A [`ReadError`] if the text is anything else than steps.
pub fn read_steps(text: &str) -> Result<Vec<Step>, ReadError> {
    // The call begins a line above the text.
    let source = format!("perform(\n{text}\n)");
    let in_text = |error: ReadError| ReadError { line: error.line.saturating_sub(1).max(1), ..error };
    tokens::screen(&source).map_err(in_text)?;
    let lines = Lines::of(&source);
    let expression = Expr::parse(&source, "steps").map_err(|error| {
        in_text(ReadError {
            line: lines.at(error.offset),
            reason: format!("this is no valid Python: {}", error.error),
            hint: "check the brackets and commas".to_owned(),
        })
    })?;
    let imported = all_functions();
    let read = match &expression {
        Expr::Call(call) if is_name(Some(&call.func), "perform") && call.keywords.is_empty() => {
            StepReader::new(&imported).steps(&call.args)
        }
        other => Err(Fault::new(other.start(), "this is not a list of steps", steps::FUNCTIONS_HINT)),
    };
    read.map_err(|fault| in_text(fault.at(&lines)))
}

fn all_functions() -> BTreeSet<String> {
    let parts = Part::ALL.map(Part::name);
    parts.iter().chain(&FUNCTIONS).chain(&EVENTS).map(|name| (*name).to_owned()).collect()
}

/// The position of an error, before its line is known.
#[derive(Debug)]
struct Fault {
    at: TextSize,
    reason: String,
    hint: String,
}

impl Fault {
    fn new(at: TextSize, reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Fault { at, reason: reason.into(), hint: hint.into() }
    }

    fn at(self, lines: &Lines) -> ReadError {
        ReadError { line: lines.at(self.at), reason: self.reason, hint: self.hint }
    }
}

/// Where the lines of a source begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(source: &str) -> Self {
        Lines(source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1).collect())
    }

    /// Returns the line of an offset, from 1.
    fn at(&self, offset: TextSize) -> usize {
        1 + self.0.partition_point(|start| *start <= offset.to_usize())
    }
}

struct Reader<'a> {
    lines: &'a Lines,
    imported: BTreeSet<String>,
    has_robot: bool,
}

const SHAPE: &str = "write two imports and one function, with a documentation, a check of each parameter, and \
                     `return perform(robot, ...)`";

impl Reader<'_> {
    fn module<'m>(&mut self, module: &'m ModModule) -> Result<&'m StmtFunctionDef, Fault> {
        let mut function = None;
        for statement in &module.body {
            match statement {
                Stmt::ImportFrom(import) if function.is_none() => self.import(import)?,
                Stmt::FunctionDef(definition) if function.is_none() => function = Some(definition),
                other => return Err(Fault::new(other.start(), "this statement does not belong here", SHAPE)),
            }
        }
        let end = module.body.last().map_or(TextSize::default(), Ranged::start);
        let function = function.ok_or_else(|| Fault::new(end, "the source defines no function", SHAPE))?;
        if !self.has_robot {
            let hint = "write from reachy_mini import ReachyMini";
            return Err(Fault::new(function.start(), "ReachyMini is not imported", hint));
        }
        Ok(function)
    }

    fn import(&mut self, import: &StmtImportFrom) -> Result<(), Fault> {
        let module = import.module.as_ref().map(ToString::to_string).unwrap_or_default();
        let is_relative = import.level.as_ref().is_some_and(|level| level.to_usize() > 0);
        for alias in &import.names {
            let name = alias.name.as_str();
            let is_plain = alias.asname.is_none() && !is_relative;
            match module.as_str() {
                "reachy_mini" if is_plain && name == "ReachyMini" => self.has_robot = true,
                "motion" if is_plain && is_motion_function(name) => {
                    self.imported.insert(name.to_owned());
                }
                "motion" if is_plain => {
                    let reason = format!("motion has no function {name}");
                    return Err(Fault::new(import.start(), reason, steps::FUNCTIONS_HINT));
                }
                _ => {
                    let hint = "import ReachyMini from reachy_mini, and the steps from motion, without `as`";
                    return Err(Fault::new(import.start(), "this import is not part of the language", hint));
                }
            }
        }
        Ok(())
    }

    fn function(&self, function: &StmtFunctionDef) -> Result<Score, ReadError> {
        let (score, step_lines) = self.parts(function).map_err(|fault| fault.at(self.lines))?;
        validate(&score).map_err(|error| ReadError {
            line: error
                .step
                .and_then(|step| step_lines.get(step))
                .map_or_else(|| self.lines.at(function.start()), |at| self.lines.at(*at)),
            reason: error.reason,
            hint: error.hint,
        })?;
        Ok(score)
    }

    fn parts(&self, function: &StmtFunctionDef) -> Result<(Score, Vec<TextSize>), Fault> {
        let at = function.start();
        if !function.decorator_list.is_empty() || !function.type_params.is_empty() {
            return Err(Fault::new(at, "the function is decorated or generic", SHAPE));
        }
        if !is_name(function.returns.as_deref(), "str") {
            return Err(Fault::new(
                at,
                "the function does not return str",
                "end its first line with -> str:",
            ));
        }
        let signature = self.signature(&function.args, at)?;
        let [documentation, checks @ .., last] = function.body.as_slice() else {
            return Err(Fault::new(at, "the function has no documentation or no steps", SHAPE));
        };
        let documentation = match documentation {
            Stmt::Expr(expr) => match &*expr.value {
                Expr::Constant(constant) => constant.value.as_str(),
                _ => None,
            },
            _ => None,
        }
        .ok_or_else(|| {
            Fault::new(at, "the function has no documentation", "say in one sentence what the tool does")
        })
        .map(|text| Documentation::read(text))?;
        let mut ranges = BTreeMap::new();
        for check in checks {
            let (name, range) = self.range_check(check)?;
            if ranges.insert(name.clone(), range).is_some() {
                let reason = format!("the range of {name} is checked twice");
                return Err(Fault::new(check.start(), reason, "keep one check"));
            }
        }
        let mut parameters = Vec::new();
        for (name, kind, default) in signature {
            let Some((low, high)) = ranges.remove(&name) else {
                let reason = format!("the range of {name} is not checked");
                let hint = format!(
                    "write if not 1 <= {name} <= 10: raise ValueError(\"{name} must be between 1 and 10\")"
                );
                return Err(Fault::new(at, reason, hint));
            };
            let mut parameter = Parameter { name, kind, default, low, high, meaning: String::new() };
            parameter.meaning = documentation.meaning(&parameter).ok_or_else(|| {
                let reason = format!("the documentation does not tell what {} does", parameter.name);
                let (low, high) = (format_number(low), format_number(high));
                let hint = format!(
                    "write a line below Args: `{}: What it does, between {low} and {high}.`",
                    parameter.name
                );
                Fault::new(at, reason, hint)
            })?;
            parameters.push(parameter);
        }
        if let Some(name) = ranges.keys().next() {
            return Err(Fault::new(at, format!("there is no parameter {name}, but a check of it"), SHAPE));
        }
        if let Some(name) = documentation.first_unknown(&parameters) {
            let reason = format!("the documentation tells of a parameter {name} that is not there");
            return Err(Fault::new(at, reason, "leave the line out, or add the parameter"));
        }
        let mut reader = StepReader::new(&self.imported);
        let steps = self.perform(last, &mut reader, &parameters)?;
        let score =
            Score { name: function.name.to_string(), summary: documentation.summary, parameters, steps };
        Ok((score, reader.into_positions()))
    }

    fn signature(&self, arguments: &Arguments, at: TextSize) -> Result<Vec<(String, Kind, f64)>, Fault> {
        let is_plain = arguments.posonlyargs.is_empty()
            && arguments.kwonlyargs.is_empty()
            && arguments.vararg.is_none()
            && arguments.kwarg.is_none();
        let hint = "write (robot: ReachyMini, times: int = 3, speed: float = 1.0)";
        let [robot, others @ ..] = arguments.args.as_slice() else {
            return Err(Fault::new(at, "the function takes no robot", hint));
        };
        if !is_plain
            || robot.def.arg.as_str() != "robot"
            || robot.default.is_some()
            || !is_name(robot.def.annotation.as_deref(), "ReachyMini")
        {
            return Err(Fault::new(at, "the first parameter is not robot: ReachyMini", hint));
        }
        let mut signature = Vec::new();
        for argument in others {
            let name = argument.def.arg.to_string();
            let kind = if is_name(argument.def.annotation.as_deref(), "int") {
                Kind::Int
            } else if is_name(argument.def.annotation.as_deref(), "float") {
                Kind::Float
            } else {
                return Err(Fault::new(at, format!("{name} is neither int nor float"), hint));
            };
            let default = argument.default.as_deref().and_then(number_constant);
            let Some((default, is_int)) = default else {
                return Err(Fault::new(at, format!("{name} has no number as its default"), hint));
            };
            if kind == Kind::Int && !is_int {
                return Err(Fault::new(at, format!("the default of {name} is not a whole number"), hint));
            }
            signature.push((name, kind, default));
        }
        Ok(signature)
    }

    /// Reads `if not LOW <= NAME <= HIGH: raise ValueError("...")`.
    fn range_check(&self, statement: &Stmt) -> Result<(String, (f64, f64)), Fault> {
        let read = || {
            let Stmt::If(StmtIf { test, body, orelse, .. }) = statement else { return None };
            let Expr::UnaryOp(not) = &**test else { return None };
            let Expr::Compare(compare) = &*not.operand else { return None };
            let ([CmpOp::LtE, CmpOp::LtE], [Expr::Name(name), high]) =
                (compare.ops.as_slice(), compare.comparators.as_slice())
            else {
                return None;
            };
            let [Stmt::Raise(raise)] = body.as_slice() else { return None };
            let Some(Expr::Call(error)) = raise.exc.as_deref() else { return None };
            let [Expr::Constant(message)] = error.args.as_slice() else { return None };
            let is_check = not.op == UnaryOp::Not
                && orelse.is_empty()
                && raise.cause.is_none()
                && is_name(Some(&error.func), "ValueError")
                && error.keywords.is_empty()
                && matches!(message.value, Constant::Str(_));
            let (low, _) = number_constant(&compare.left)?;
            let (high, _) = number_constant(high)?;
            is_check.then(|| (name.id.to_string(), (low, high)))
        };
        read().ok_or_else(|| {
            let reason = "this statement is neither a check of a range nor the last return";
            let hint = "a tool only checks its parameters and returns perform(robot, ...): \
                        if not 1 <= times <= 10: raise ValueError(\"times must be between 1 and 10\")";
            Fault::new(statement.start(), reason, hint)
        })
    }

    fn perform(
        &self,
        statement: &Stmt,
        reader: &mut StepReader<'_>,
        parameters: &[Parameter],
    ) -> Result<Vec<Step>, Fault> {
        let hint = "end the function with return perform(robot, head(left=20), ...)";
        let call = match statement {
            Stmt::Return(result) => match result.value.as_deref() {
                Some(Expr::Call(call)) if is_name(Some(&call.func), "perform") => Some(call),
                _ => None,
            },
            _ => None,
        };
        let Some(call) = call else {
            return Err(Fault::new(statement.start(), "the function does not end with perform", hint));
        };
        reader.require_import("perform", call.start())?;
        let [robot, steps @ ..] = call.args.as_slice() else {
            return Err(Fault::new(call.start(), "perform gets no robot", hint));
        };
        if !is_name(Some(robot), "robot") {
            return Err(Fault::new(robot.start(), "the first argument of perform is not robot", hint));
        }
        let has_speed = parameters.iter().any(|parameter| parameter.name == SPEED_PARAMETER);
        let mut passes_speed = false;
        for keyword in &call.keywords {
            let is_speed = keyword.arg.as_ref().is_some_and(|name| name.as_str() == SPEED_PARAMETER)
                && is_name(Some(&keyword.value), SPEED_PARAMETER);
            if !is_speed || !has_speed {
                let hint = "add the parameter speed: float = 1.0 and pass speed=speed, or leave it out";
                return Err(Fault::new(keyword.start(), "perform takes only speed=speed", hint));
            }
            passes_speed = true;
        }
        if has_speed && !passes_speed {
            return Err(Fault::new(
                call.start(),
                "the parameter speed is not passed on",
                "end with speed=speed",
            ));
        }
        reader.steps(steps)
    }
}

fn is_name(expr: Option<&Expr>, name: &str) -> bool {
    matches!(expr, Some(Expr::Name(found)) if found.id.as_str() == name)
}

#[cfg(test)]
mod tests;
