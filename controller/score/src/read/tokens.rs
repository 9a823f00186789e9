//! Screens the tokens of a source, so that the parser and its tree stay small.

use rustpython_parser::lexer::lex;
use rustpython_parser::{Mode, StringKind, Tok};

use super::{Lines, ReadError};

/// The largest source, bytes: more than any score within the limits needs.
const MAX_SOURCE_BYTES: usize = 512 * 1024;
/// How deep brackets may be nested: steps, a ramp inside, and parentheses for the layout.
const MAX_BRACKETS: usize = 32;
/// The longest chain of operators without a comma or a bracket.
const MAX_OPERATORS: usize = 8;
/// The longest number, bytes.
const MAX_NUMBER_BYTES: usize = 24;

/// Checks that the source has only tokens of the language, and that nothing is nested deep.
pub(super) fn screen(source: &str) -> Result<(), ReadError> {
    let lines = Lines::of(source);
    if source.len() > MAX_SOURCE_BYTES {
        let hint = format!("a tool has at most {MAX_SOURCE_BYTES} bytes; use repeat");
        return Err(ReadError { line: 1, reason: "the source is too long".to_owned(), hint });
    }
    let (mut brackets, mut operators, mut indentation) = (0_usize, 0_usize, 0_usize);
    let mut closed = false;
    for token in lex(source, Mode::Module) {
        let (token, range) = token.map_err(|error| ReadError {
            line: lines.at(error.location),
            reason: format!("this is no valid Python: {}", error.error),
            hint: "check the quotes, brackets and indentation".to_owned(),
        })?;
        let fault = |reason: &str, hint: &str| ReadError {
            line: lines.at(range.start()),
            reason: reason.to_owned(),
            hint: hint.to_owned(),
        };
        let too_deep = || fault("the source is nested too deep", "nest steps at most 12 deep");
        let was_closed = std::mem::replace(&mut closed, token == Tok::Rpar);
        match token {
            Tok::Lpar => {
                brackets += 1;
                operators = 0;
                // A call of what a call returns would make a deep tree without deep brackets.
                if was_closed {
                    return Err(fault(
                        "two brackets stand one after the other",
                        "put a comma between two steps",
                    ));
                }
                if brackets > MAX_BRACKETS {
                    return Err(too_deep());
                }
            }
            Tok::Rpar => brackets = brackets.saturating_sub(1),
            Tok::Comma | Tok::Newline => operators = 0,
            Tok::Star | Tok::Not | Tok::Equal | Tok::LessEqual => {
                operators += 1;
                if operators > MAX_OPERATORS {
                    return Err(too_deep());
                }
            }
            Tok::Indent => {
                indentation += 1;
                if indentation > 4 {
                    return Err(too_deep());
                }
            }
            Tok::Dedent => indentation = indentation.saturating_sub(1),
            Tok::Int { .. } | Tok::Float { .. } => {
                if range.len().to_usize() > MAX_NUMBER_BYTES {
                    return Err(fault("the number is too long", "a few digits are enough"));
                }
            }
            Tok::String { kind: StringKind::String, .. }
            | Tok::Name { .. }
            | Tok::Colon
            | Tok::Rarrow
            | Tok::Def
            | Tok::From
            | Tok::Import
            | Tok::If
            | Tok::Raise
            | Tok::Return
            | Tok::StartModule
            | Tok::EndOfFile => {}
            Tok::Minus => {
                let hint = "signs are words: write head(right=20) or head(up=10), and sums as one number";
                return Err(fault("a minus sign stands here", hint));
            }
            Tok::For | Tok::While => {
                return Err(fault("a loop stands here", "write repeat(3, ...), or as_long_as(face(), ...)"));
            }
            Tok::Dot => {
                let hint = "a tool only uses the functions of motion; fractions are written as 0.5";
                return Err(fault("a dot stands here", hint));
            }
            other => {
                let reason = format!("{other} does not belong to the language of motion");
                return Err(fault(&reason, "a tool is one return perform(robot, ...) of steps"));
            }
        }
    }
    Ok(())
}
