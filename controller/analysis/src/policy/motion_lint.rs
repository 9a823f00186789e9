//! Checks the steps of the module `motion`: their arguments, ranges and axes, as far as they are literal.
//!
//! The ranges are those of `controller/tool-host/src/python/motion.py`, which checks them again when the tool runs.

use std::collections::BTreeSet;

use minismith_protocol::SyntaxFacts;
use rustpython_parser::ast::{Constant, Expr, ExprCall, Ranged, Stmt};

use super::imports::nearest;
use super::name_resolution::{Meaning, Survey};
use super::rules::resource_use as rule;
use super::surface::{self, Callable};
use super::tree::{Notes, text};
use super::values::Values;
use super::walk::{Visit, walk_body, walk_expr};
use crate::manifest::Capability::{self, Camera, Microphone, Motion, Sound, Tracking};

/// What a function of the module returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Step,
    Event,
    Number,
    Performance,
}

/// What a function takes after its named first arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    Steps,
}

/// One numeric argument: its word, the axes that it moves, its range and its unit.
struct Word {
    name: &'static str,
    axes: &'static [&'static str],
    range: (f64, f64),
    unit: &'static str,
}

/// One function of the module.
struct Function {
    name: &'static str,
    kind: Kind,
    /// Arguments that stand first, without a keyword.
    first: &'static [&'static str],
    rest: Rest,
    /// Arguments with a range.
    words: &'static [Word],
    /// Whether it takes `easing`.
    eases: bool,
    needs: &'static [Capability],
}

const fn angle(name: &'static str, axes: &'static [&'static str], high: f64) -> Word {
    Word { name, axes, range: (0.0, high), unit: "degrees" }
}

const fn length(name: &'static str, axes: &'static [&'static str], high: f64) -> Word {
    Word { name, axes, range: (0.0, high), unit: "mm" }
}

const fn time(name: &'static str, low: f64, high: f64) -> Word {
    Word { name, axes: &[], range: (low, high), unit: "seconds" }
}

const fn count(name: &'static str, low: f64, high: f64) -> Word {
    Word { name, axes: &[], range: (low, high), unit: "" }
}

const fn moves(name: &'static str, words: &'static [Word]) -> Function {
    Function { name, kind: Kind::Step, first: &[], rest: Rest::Nothing, words, eases: true, needs: &[Motion] }
}

const fn event(name: &'static str, first: &'static [&'static str], needs: &'static [Capability]) -> Function {
    Function { name, kind: Kind::Event, first, rest: Rest::Nothing, words: &[], eases: false, needs }
}

const fn step(
    name: &'static str,
    first: &'static [&'static str],
    rest: Rest,
    words: &'static [Word],
    needs: &'static [Capability],
) -> Function {
    Function { name, kind: Kind::Step, first, rest, words, eases: false, needs }
}

const LEFT_ANTENNA: &[&str] = &["antenna_left"];
const RIGHT_ANTENNA: &[&str] = &["antenna_right"];
const ANTENNAS: &[&str] = &["antenna_left", "antenna_right"];
const HEAD: &[&str] = &["head_turn", "head_pitch", "head_tilt", "head_forward", "head_rise", "head_side"];
const MOVE_SECONDS: Word = time("seconds", 0.1, 60.0);

const FUNCTIONS: &[Function] = &[
    moves(
        "head",
        &[
            angle("left", &["head_turn"], 60.0),
            angle("right", &["head_turn"], 60.0),
            angle("up", &["head_pitch"], 35.0),
            angle("down", &["head_pitch"], 35.0),
            angle("tilt_left", &["head_tilt"], 30.0),
            angle("tilt_right", &["head_tilt"], 30.0),
            length("forward_mm", &["head_forward"], 20.0),
            length("back_mm", &["head_forward"], 20.0),
            length("rise_mm", &["head_rise"], 20.0),
            length("lower_mm", &["head_rise"], 40.0),
            length("side_left_mm", &["head_side"], 15.0),
            length("side_right_mm", &["head_side"], 15.0),
            MOVE_SECONDS,
        ],
    ),
    moves(
        "antennas",
        &[
            angle("left", LEFT_ANTENNA, 170.0),
            angle("right", RIGHT_ANTENNA, 170.0),
            angle("both", ANTENNAS, 170.0),
            angle("left_inward", LEFT_ANTENNA, 170.0),
            angle("right_inward", RIGHT_ANTENNA, 170.0),
            angle("both_inward", ANTENNAS, 170.0),
            MOVE_SECONDS,
        ],
    ),
    moves(
        "body",
        &[angle("left", &["body_turn"], 160.0), angle("right", &["body_turn"], 160.0), MOVE_SECONDS],
    ),
    moves("neutral", &[MOVE_SECONDS]),
    step("wait", &["seconds"], Rest::Nothing, &[time("seconds", 0.0, 60.0)], &[]),
    step("repeat", &["times"], Rest::Steps, &[count("times", 1.0, 50.0)], &[]),
    step("together", &[], Rest::Steps, &[], &[]),
    step("sequence", &[], Rest::Steps, &[], &[]),
    step("play", &["name"], Rest::Nothing, &[], &[Motion]),
    step("sound", &["name"], Rest::Nothing, &[], &[Sound]),
    step("photo", &[], Rest::Nothing, &[], &[Camera]),
    step("when", &["event"], Rest::Steps, &[time("within", 0.1, 120.0)], &[]),
    step("otherwise", &[], Rest::Steps, &[], &[]),
    step("whenever", &["event"], Rest::Steps, &[time("seconds", 0.1, 120.0)], &[]),
    step("as_long_as", &["event"], Rest::Steps, &[time("at_most", 0.1, 120.0)], &[]),
    step("until", &["event"], Rest::Steps, &[time("at_most", 0.1, 120.0)], &[]),
    event("face", &[], &[Tracking]),
    event("thing", &["name"], &[Camera]),
    event("voice", &[], &[Microphone]),
    event("clap", &[], &[Microphone]),
    event("touch", &[], &[]),
    event("tilted", &[], &[]),
    Function {
        name: "ramp",
        kind: Kind::Number,
        first: &["first", "last"],
        rest: Rest::Nothing,
        words: &[],
        eases: false,
        needs: &[],
    },
    Function {
        name: "perform",
        kind: Kind::Performance,
        first: &["robot"],
        rest: Rest::Steps,
        words: &[count("speed", 0.1, 4.0)],
        eases: false,
        needs: &[],
    },
];

pub(super) const EASINGS: &[&str] = &["minjerk", "linear", "ease_in_out", "cartoon"];

/// Returns the capabilities of the functions that a source imports, or may use through the module's name. As with the
/// robot's methods, a function counts wherever it is used.
pub(super) fn capabilities(facts: &SyntaxFacts) -> BTreeSet<Capability> {
    let whole = facts.imports.contains("motion");
    let used = FUNCTIONS.iter().filter(|function| {
        facts.imports.contains(&format!("motion.{}", function.name))
            || whole && facts.attributes.contains(function.name)
    });
    used.flat_map(|function| function.needs).copied().collect()
}

/// Returns the functions of the module.
pub(super) fn surface() -> Vec<Callable> {
    let words = |function: &Function| -> Vec<surface::Word> {
        let with_range = |name: &str| function.words.iter().find(|word| word.name == name);
        let first = function.first.iter().filter(|name| with_range(name).is_none());
        let first = first.copied().map(surface::Word::without_range);
        let ranged = function.words.iter().map(|word| surface::Word {
            name: word.name,
            unit: word.unit,
            range: Some(word.range),
            axes: word.axes,
        });
        let easing = function.eases.then(|| surface::Word::without_range("easing"));
        first.chain(ranged).chain(easing).collect()
    };
    let callable =
        |function: &Function| Callable { name: function.name, words: words(function), needs: function.needs };
    FUNCTIONS.iter().map(callable).collect()
}

/// Checks every use of the module below `body`.
pub(super) fn judge(body: &[Stmt], survey: &Survey, notes: &mut Notes) {
    if survey.imports("motion") {
        let values = Values::of(body, survey);
        walk_body(&mut Pass { survey, values: &values, notes }, body);
    }
}

struct Pass<'a> {
    survey: &'a Survey,
    values: &'a Values<'a>,
    notes: &'a mut Notes,
}

impl Pass<'_> {
    /// Returns the function of the module that an expression names.
    fn function(&self, expr: &Expr) -> Option<&'static Function> {
        match self.survey.meaning(expr) {
            Meaning::Listed("motion", name) => FUNCTIONS.iter().find(|function| function.name == name),
            _ => None,
        }
    }

    /// Returns the function of the module that an expression calls.
    fn called<'e>(&self, expr: &'e Expr) -> Option<(&'static Function, &'e ExprCall)> {
        let Expr::Call(call) = expr else { return None };
        Some((self.function(&call.func)?, call))
    }

    fn call(&mut self, call: &ExprCall) {
        let Some(function) = self.function(&call.func) else { return };
        self.positional(function, call);
        let mut given: Vec<(&Word, &Expr)> = Vec::new();
        for (name, value) in
            function.first.iter().zip(&call.args).take_while(|(_, arg)| !arg.is_starred_expr())
        {
            given.extend(function.words.iter().find(|word| word.name == *name).map(|word| (word, value)));
        }
        for keyword in &call.keywords {
            let Some(name) = keyword.arg.as_ref().map(|name| name.as_str()) else { continue };
            if let Some(word) = function.words.iter().find(|word| word.name == name) {
                given.push((word, &keyword.value));
            } else if name == "easing" && function.eases {
                self.easing(&keyword.value);
            } else if !function.first.contains(&name) {
                self.unknown(function, name, keyword.start());
            }
        }
        for (word, value) in &given {
            self.range(function, word, value);
        }
        self.contradictions(function, &given, call);
        if function.name == "together" {
            self.tracks(call);
        }
    }

    /// Checks the arguments without a keyword: their number, and that steps stand where steps belong.
    fn positional(&mut self, function: &Function, call: &ExprCall) {
        let spread = call.args.iter().any(Expr::is_starred_expr);
        if function.rest == Rest::Nothing && call.args.len() > function.first.len() {
            let name = function.name;
            let what = match function.first {
                [] => format!("`{name}` takes named arguments only"),
                first => format!("`{name}` takes {} arguments, {} are given", first.len(), call.args.len()),
            };
            let hint = match function.words {
                [] => format!("write `{name}({})`", function.first.join(", ")),
                [word, ..] => format!("write `{name}({}=...)`", word.name),
            };
            self.notes.hinted(&rule::UNKNOWN_ARGUMENT, call.start(), what, hint);
            return;
        }
        if spread {
            return;
        }
        for (name, arg) in function.first.iter().zip(&call.args) {
            let wrong = match *name {
                "event" => self.not_an(arg, Kind::Event, "an event such as face()"),
                "robot" => self.not_robot(arg),
                _ => None,
            };
            if let Some(what) = wrong {
                self.notes.add(&rule::INVALID_STEP, arg.start(), format!("`{}` {what}", function.name));
            }
        }
        if function.rest == Rest::Steps {
            let steps = call.args.get(function.first.len()..).unwrap_or_default();
            if steps.is_empty() {
                let what = format!("`{}` has no step", function.name);
                self.notes.add(&rule::INVALID_STEP, call.start(), what);
            }
            for arg in steps {
                if let Some(what) = self.not_an(arg, Kind::Step, "steps such as head(down=15)") {
                    self.notes.add(&rule::INVALID_STEP, arg.start(), format!("`{}` {what}", function.name));
                }
            }
        }
    }

    /// Returns what is wrong with an argument that is certainly not of this kind.
    fn not_an(&self, arg: &Expr, kind: Kind, takes: &str) -> Option<String> {
        if let Some(function) = self.function(arg) {
            return Some(format!("takes {takes}; write `{}()` with brackets", function.name));
        }
        let other = match arg {
            Expr::Call(call) => self.function(&call.func).is_some_and(|function| function.kind != kind),
            Expr::Name(name) => self.survey.robots.contains(name.id.as_str()),
            Expr::Constant(_)
            | Expr::JoinedStr(_)
            | Expr::List(_)
            | Expr::Tuple(_)
            | Expr::Dict(_)
            | Expr::Set(_)
            | Expr::Lambda(_)
            | Expr::Compare(_)
            | Expr::ListComp(_)
            | Expr::GeneratorExp(_) => true,
            _ => false,
        };
        other.then(|| format!("takes {takes}, and this is something else"))
    }

    fn not_robot(&self, arg: &Expr) -> Option<String> {
        let other = matches!(arg, Expr::Constant(_) | Expr::List(_) | Expr::Tuple(_))
            || matches!(arg, Expr::Call(call) if self.function(&call.func).is_some());
        other.then(|| "takes the robot first".to_owned())
    }

    fn unknown(&mut self, function: &Function, name: &str, at: rustpython_parser::text_size::TextSize) {
        let known: Vec<_> =
            function.words.iter().map(|word| word.name).chain(function.first.iter().copied()).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(alike) => format!("did you mean `{alike}`?"),
            None if known.is_empty() => format!("`{}` takes no arguments with a name", function.name),
            None => format!("`{}` takes {}", function.name, known.join(", ")),
        };
        let what = format!("`{}` has no argument `{name}`", function.name);
        self.notes.hinted(&rule::UNKNOWN_ARGUMENT, at, what, hint);
    }

    fn easing(&mut self, value: &Expr) {
        if let Some(easing) = text(value)
            && !EASINGS.contains(&easing)
        {
            let hint = format!("use one of {}", EASINGS.join(", "));
            self.notes.hinted(&rule::OUT_OF_RANGE, value.start(), "an unknown easing", hint);
        }
    }

    /// Reports a number, an end of a ramp or a parameter's default beyond the range.
    fn range(&mut self, function: &Function, word: &Word, value: &Expr) {
        if let Some((inner, call)) = self.called(value)
            && inner.kind == Kind::Number
        {
            for end in call.args.iter().chain(call.keywords.iter().map(|keyword| &keyword.value)) {
                self.range(function, word, end);
            }
            return;
        }
        let (low, high) = word.range;
        let number = self.values.number(value);
        let default = self.values.default(value);
        let Some(beyond) = number.or(default).filter(|number| !(low..=high).contains(number)) else { return };
        let Word { name, unit, .. } = word;
        let space = if unit.is_empty() { "" } else { " " };
        let whose = if number.is_some() { "" } else { "the default of " };
        let what =
            format!("{whose}{name} is {beyond}{space}{unit}, `{}` takes {low} to {high}", function.name);
        let hint = if beyond < 0.0 && function.words.len() > 2 {
            "directions are words: write the opposite word with a positive number".to_owned()
        } else {
            format!("write a number from {low} to {high}")
        };
        self.notes.hinted(&rule::OUT_OF_RANGE, value.start(), what, hint);
    }

    /// Reports two words for one axis, such as `left` and `right`.
    fn contradictions(&mut self, function: &Function, given: &[(&Word, &Expr)], call: &ExprCall) {
        let is_set = |value: &Expr| !matches!(value, Expr::Constant(it) if it.value == Constant::None);
        let mut taken: Vec<(&str, &str)> = Vec::new();
        for (word, _) in given.iter().filter(|(_, value)| is_set(value)) {
            for axis in word.axes {
                if let Some((_, before)) = taken.iter().find(|(known, _)| known == axis) {
                    let what =
                        format!("`{}` takes one of {before} and {}, not both", function.name, word.name);
                    self.notes.add(&rule::INVALID_STEP, call.start(), what);
                }
            }
            taken.extend(word.axes.iter().map(|axis| (*axis, word.name)));
        }
    }

    /// Reports tracks that move the same axis.
    fn tracks(&mut self, call: &ExprCall) {
        let mut taken = BTreeSet::new();
        for track in &call.args {
            let axes = self.axes(track);
            if let Some(axis) = axes.intersection(&taken).next() {
                let what = format!("two tracks of `together` move the same axis, {axis}");
                let hint = "let one track move it: `sequence(...)` puts steps one after another";
                self.notes.hinted(&rule::INVALID_STEP, track.start(), what, hint);
            }
            taken.extend(axes);
        }
    }

    /// Returns the axes that a step certainly moves.
    fn axes(&self, step: &Expr) -> BTreeSet<&'static str> {
        let Some((function, call)) = self.called(step) else { return BTreeSet::new() };
        let named = call.keywords.iter().filter_map(|keyword| {
            let name = keyword.arg.as_ref()?.as_str();
            function.words.iter().find(|word| word.name == name)
        });
        let mut axes: BTreeSet<&'static str> = named.flat_map(|word| word.axes).copied().collect();
        if axes.is_empty() && !call.keywords.iter().any(|keyword| keyword.arg.is_none()) {
            match function.name {
                "head" => axes.extend(HEAD),
                "antennas" => axes.extend(ANTENNAS),
                "body" => axes.extend(["body_turn"]),
                "neutral" | "play" => axes.extend(HEAD.iter().chain(ANTENNAS).chain(&["body_turn"])),
                _ => {}
            }
        }
        if function.rest == Rest::Steps {
            axes.extend(call.args.iter().flat_map(|arg| self.axes(arg)));
        }
        axes
    }
}

impl Visit for Pass<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let Expr::Call(call) = expr {
            self.call(call);
        }
        walk_expr(self, expr);
    }

    fn annotation(&mut self, _: &Expr) {}
}

#[cfg(test)]
mod tests;
