//! What a tool can call, with signatures, documentation, units and ranges.
//!
//! Nothing is listed here. The names are those that the policy permits; the signatures and the documentation are those of the
//! tool host: `motion.py`, and the stub that the build makes from its Rust sources.

use std::collections::BTreeMap;

use firmware_bridge::units::Radians;
use minismith_analysis::policy::permitted;
use minismith_analysis::policy::surface::{Callable, Surface, Word};
use minismith_runtime::config::Limits;

use crate::signature::{Function, Parameter, functions};

const MOTION: &str = include_str!("../../tool-host/src/python/motion.py");
const FACADE: &str = include_str!(concat!(env!("OUT_DIR"), "/facade.pyi"));

const ROBOT: &str = "ReachyMini";
const MEDIA: &str = "MediaManager";

/// A function or attribute as an editor shows it.
#[derive(Debug)]
pub(crate) struct Symbol {
    /// Where it belongs, such as `ReachyMini` or `motion`.
    pub owner: String,
    pub function: Function,
    words: Vec<Word>,
    needs: Vec<String>,
}

/// Everything that a tool may use.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub surface: Surface,
    /// By owner and name.
    symbols: BTreeMap<(String, String), Symbol>,
    limits: Limits,
}

/// What an expression of names and dots refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Robot,
    Media,
    /// A module that a tool may import.
    Module(String),
    /// A name and its owner: a class or a module.
    Name(String, String),
}

impl Catalog {
    pub(crate) fn new(limits: Limits) -> Self {
        let surface = permitted();
        let mut symbols = BTreeMap::new();
        let mut facade = functions(FACADE);
        let mut add =
            |owner: &str, callables: &[Callable], functions: &mut Vec<Function>, class: Option<&str>| {
                for callable in callables {
                    let is_meant = |it: &Function| it.name == callable.name && it.class.as_deref() == class;
                    let Some(at) = functions.iter().position(is_meant) else { continue };
                    let mut function = functions.swap_remove(at);
                    function.name_parameters(callable.words.iter().map(|word| word.name));
                    let needs =
                        callable.needs.iter().map(|need| format!("{need:?}").to_lowercase()).collect();
                    let symbol =
                        Symbol { owner: owner.to_owned(), function, words: callable.words.clone(), needs };
                    symbols.insert((owner.to_owned(), callable.name.to_owned()), symbol);
                }
            };
        add(ROBOT, &surface.robot, &mut facade, Some(ROBOT));
        add(MEDIA, &surface.media, &mut facade, Some(MEDIA));
        add("reachy_mini.utils", &surface.head_pose, &mut facade, None);
        add("motion", &surface.motion, &mut functions(MOTION), None);
        for function in facade {
            // What is left of the robot is not permitted.
            let owner = match function.class.as_deref() {
                Some(ROBOT | MEDIA) => continue,
                Some(class) => class.to_owned(),
                None => "minismith".to_owned(),
            };
            let name = function.name.clone();
            let symbol = Symbol { owner: owner.clone(), function, words: Vec::new(), needs: Vec::new() };
            symbols.insert((owner, name), symbol);
        }
        Catalog { surface, symbols, limits }
    }

    pub(crate) fn symbol(&self, target: &Target) -> Option<&Symbol> {
        match target {
            Target::Name(owner, name) => self.symbols.get(&(owner.clone(), name.clone())),
            _ => None,
        }
    }

    /// Returns the permitted names of a module, or the attributes of the robot and its media.
    pub(crate) fn members(&self, target: &Target) -> Vec<&'static str> {
        let names = |callables: &[Callable]| callables.iter().map(|callable| callable.name).collect();
        match target {
            Target::Robot => names(&self.surface.robot),
            Target::Media => names(&self.surface.media),
            Target::Module(path) => {
                let known = self.surface.modules.iter().find(|(known, _)| known == path);
                known.map(|(_, names)| names.clone()).unwrap_or_default()
            }
            Target::Name(..) => Vec::new(),
        }
    }

    /// Returns what `name` is below `target`.
    pub(crate) fn below(&self, target: &Target, name: &str) -> Option<Target> {
        match target {
            Target::Robot if name == "media" => Some(Target::Media),
            Target::Robot => Some(Target::Name(ROBOT.to_owned(), name.to_owned())),
            Target::Media => Some(Target::Name(MEDIA.to_owned(), name.to_owned())),
            Target::Module(path) => {
                let inner = format!("{path}.{name}");
                let is_module = self.surface.modules.iter().any(|(known, _)| *known == inner);
                Some(if is_module {
                    Target::Module(inner)
                } else {
                    Target::Name(path.clone(), name.to_owned())
                })
            }
            Target::Name(..) => None,
        }
    }

    /// Returns the unit and the range of an argument, for people.
    pub(crate) fn range(&self, symbol: &Symbol, parameter: &str) -> Option<String> {
        let Limits { body_rotation, antennas, head, .. } = self.limits;
        let word = symbol.words.iter().find(|word| word.name == parameter)?;
        if symbol.owner == ROBOT {
            let limit = match parameter {
                "body_yaw" => body_rotation.max_angle,
                "antennas" => antennas.max_angle,
                _ => return None,
            };
            let (radians, degrees) = (limit.value(), limit.degrees());
            let each = if parameter == "antennas" { " each" } else { "" };
            return Some(format!(
                "Range{each}: -{radians:.3} to {radians:.3} radians (-{} to {} degrees).",
                plain(degrees),
                plain(degrees)
            ));
        }
        let (low, high) = word.range?;
        // The configuration may permit less than the policy.
        let limit = match (symbol.owner.as_str(), parameter, word.axes) {
            ("reachy_mini.utils", "pitch", _) | ("motion", _, ["head_pitch"]) => Some(head.max_pitch),
            ("reachy_mini.utils", "roll", _) | ("motion", _, ["head_tilt"]) => Some(head.max_roll),
            ("motion", _, ["body_turn"]) => Some(body_rotation.max_angle),
            _ => None,
        };
        let limit = limit.map_or(f64::INFINITY, Radians::degrees);
        let (low, high) = (low.max(-limit), high.min(limit));
        let unit = if word.unit.is_empty() { String::new() } else { format!(" {}", word.unit) };
        let mut range = format!("Range: {} to {}{unit}.", plain(low), plain(high));
        if symbol.owner == "reachy_mini.utils" && parameter == "yaw" {
            let relative = plain(head.max_relative_yaw.degrees());
            range.push_str(&format!(" The head turns at most {relative} degrees from the body."));
        }
        Some(range)
    }

    /// Returns the texts that an argument takes.
    pub(crate) fn choices(&self, symbol: &Symbol, parameter: &str) -> &'static [&'static str] {
        match (symbol.owner.as_str(), parameter) {
            (ROBOT, "method") => self.surface.methods,
            ("motion", "easing") => self.surface.easings,
            _ => &[],
        }
    }

    /// Returns what an editor says of one argument: its declaration, meaning and range.
    pub(crate) fn describe_parameter(&self, symbol: &Symbol, parameter: &Parameter) -> String {
        let mut text = format!("```python\n{}\n```\n", parameter.declaration());
        if let Some(meaning) = symbol.function.meaning(&parameter.name) {
            text.push_str(&format!("\n{meaning}\n"));
        }
        if let Some(range) = self.range(symbol, &parameter.name) {
            text.push_str(&format!("\n{range}\n"));
        }
        let choices = self.choices(symbol, &parameter.name);
        if !choices.is_empty() {
            text.push_str(&format!("\nOne of `{}`.\n", choices.join("`, `")));
        }
        text
    }

    /// Returns what an editor says of a symbol: signature, documentation, ranges and capabilities.
    pub(crate) fn describe(&self, symbol: &Symbol) -> String {
        let Symbol { owner, function, needs, .. } = symbol;
        let mut text =
            format!("```python\n{}\n```\n\n*{owner}*\n\n{}\n", function.signature(), function.description());
        for parameter in &function.parameters {
            let meaning = function.meaning(&parameter.name);
            let range = self.range(symbol, &parameter.name);
            if meaning.is_none() && range.is_none() {
                continue;
            }
            let words: Vec<String> = meaning.map(str::to_owned).into_iter().chain(range).collect();
            text.push_str(&format!("* `{}`: {}\n", parameter.name, words.join(" ")));
        }
        if !needs.is_empty() {
            text.push_str(&format!("\nCapability: {}.\n", needs.join(", ")));
        }
        text
    }

    /// Returns the word for the opposite direction, such as `right` for `left`.
    pub(crate) fn opposite(&self, function: &str, word: &str) -> Option<&'static str> {
        let callable = self.surface.motion.iter().find(|callable| callable.name == function)?;
        let axes = callable.words.iter().find(|known| known.name == word)?.axes;
        let mut others = callable.words.iter().filter(|other| other.name != word && other.axes == axes);
        others.find(|_| !axes.is_empty()).map(|other| other.name)
    }
}

/// Formats a number without a fraction where it has none.
fn plain(number: f64) -> String {
    let rounded = (number * 100.0).round() / 100.0;
    format!("{rounded}")
}

#[cfg(test)]
mod tests;
