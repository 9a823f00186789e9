//! Checks how a tool uses the robot: only methods of the official SDK, with their arguments, within the
//! robot's range.
//!
//! `create_head_pose` takes degrees unless told otherwise. Everything else is in radians, metres and
//! seconds.

use std::collections::BTreeSet;
use std::f64::consts::PI;

use minismith_protocol::SyntaxFacts;
use rustpython_parser::ast::{Expr, ExprAttribute, ExprCall, Ranged, Stmt};

use super::imports::nearest;
use super::motion_lint;
use super::name_resolution::Survey;
use super::resource_use::BUDGET_SECONDS;
use super::rules::resource_use as rule;
use super::surface::{Callable, Word};
use super::tree::{Notes, text};
use super::values::{Unit, Values};
use super::walk::{Visit, walk_body, walk_expr};
use crate::manifest::Capability;

/// One attribute of the robot: its arguments in order, and the capability that it needs.
struct Method {
    name: &'static str,
    arguments: &'static [&'static str],
    needs: &'static [Capability],
}

const fn method(
    name: &'static str,
    arguments: &'static [&'static str],
    needs: &'static [Capability],
) -> Method {
    Method { name, arguments, needs }
}

use Capability::{Camera, Microphone, Motion, Motors, Sound, Tracking};

/// `ReachyMini` of the official SDK 1.13.0, as far as the execution context supports it.
const ROBOT: &[Method] = &[
    method("async_play_move", &["move", "play_frequency", "initial_goto_duration", "sound"], &[Motion]),
    method("disable_gravity_compensation", &[], &[Motors]),
    method("disable_motors", &["ids"], &[Motors]),
    method("enable_gravity_compensation", &[], &[Motors]),
    method("enable_motors", &["ids"], &[Motors]),
    method("get_current_head_pose", &[], &[]),
    method("get_current_joint_positions", &[], &[]),
    method("get_present_antenna_joint_positions", &[], &[]),
    method("get_tracked_face", &["wait", "timeout"], &[Tracking]),
    method("goto_sleep", &[], &[Motion]),
    method("goto_target", &["head", "antennas", "duration", "method", "body_yaw"], &[Motion]),
    method("imu", &[], &[]),
    method("look_at_image", &["u", "v", "duration", "perform_movement"], &[Motion, Camera]),
    method("look_at_world", &["x", "y", "z", "duration", "perform_movement"], &[Motion]),
    method("media", &[], &[]),
    method("play_move", &["move", "play_frequency", "initial_goto_duration", "sound"], &[Motion]),
    method("set_automatic_body_yaw", &["enabled"], &[Motion]),
    method("set_target", &["head", "antennas", "body_yaw"], &[Motion]),
    method("set_target_antenna_joint_positions", &["antennas"], &[Motion]),
    method("set_target_body_yaw", &["body_yaw"], &[Motion]),
    method("set_target_head_pose", &["pose"], &[Motion]),
    method("start_head_tracking", &["weight"], &[Tracking]),
    method("start_recording", &[], &[]),
    method("stop_head_tracking", &[], &[Tracking]),
    method("stop_recording", &[], &[]),
    method("wake_up", &[], &[Motion]),
];

/// `ReachyMini.media` of the official SDK 1.13.0, as far as the execution context supports it, and the
/// results of the detectors.
const MEDIA: &[Method] = &[
    method("get_DoA", &[], &[Microphone]),
    method("get_audio_sample", &[], &[Microphone]),
    method("get_detections", &[], &[Camera]),
    method("get_frame", &[], &[Camera]),
    method("get_input_audio_samplerate", &[], &[]),
    method("get_input_channels", &[], &[]),
    method("get_output_audio_samplerate", &[], &[]),
    method("get_output_channels", &[], &[]),
    method("play_sound", &["sound_file"], &[Sound]),
    method("push_audio_sample", &["data"], &[Sound]),
    method("start_playing", &[], &[Sound]),
    method("start_recording", &[], &[]),
    method("stop_playing", &[], &[Sound]),
    method("stop_recording", &[], &[]),
];

/// `create_head_pose` of the official SDK 1.13.0.
const HEAD_POSE: &[&str] = &["x", "y", "z", "roll", "pitch", "yaw", "mm", "degrees"];

/// The angles and lengths of `create_head_pose`: their unit and range, of each single axis from the neutral head.
const HEAD_POSE_RANGES: &[(&str, &str, (f64, f64))] = &[
    ("roll", "degrees", (-40.0, 40.0)),
    ("pitch", "degrees", (-40.0, 40.0)),
    ("yaw", "degrees", (-180.0, 180.0)),
    ("x", "mm", (-47.0, 51.0)),
    ("y", "mm", (-47.75, 47.75)),
    ("z", "mm", (-51.0, 23.25)),
];

/// The interpolation methods of the SDK.
pub(super) const METHODS: &[&str] = &["linear", "minjerk", "ease_in_out", "cartoon"];

/// Returns the capabilities that a tool needs, judged by the attributes in its source. Every attribute
/// counts, whatever its object is, so an alias of the robot hides nothing.
pub(super) fn capabilities(facts: &SyntaxFacts) -> BTreeSet<Capability> {
    let used = ROBOT.iter().chain(MEDIA).filter(|method| facts.attributes.contains(method.name));
    used.flat_map(|method| method.needs).copied().chain(motion_lint::capabilities(facts)).collect()
}

/// Returns the attributes of the robot, those of its media, and `create_head_pose`.
pub(super) fn surface() -> [Vec<Callable>; 3] {
    let callable = |method: &Method| Callable {
        name: method.name,
        words: method.arguments.iter().copied().map(Word::without_range).collect(),
        needs: method.needs,
    };
    let words =
        HEAD_POSE.iter().map(|name| match HEAD_POSE_RANGES.iter().find(|(known, ..)| known == name) {
            Some((_, unit, range)) => Word { name, unit, range: Some(*range), axes: &[] },
            None => Word::without_range(name),
        });
    let head_pose = Callable { name: "create_head_pose", words: words.collect(), needs: &[] };
    [ROBOT.iter().map(callable).collect(), MEDIA.iter().map(callable).collect(), vec![head_pose]]
}

/// Checks every use of the robot below `body`.
pub(super) fn judge(body: &[Stmt], survey: &Survey, notes: &mut Notes) {
    let values = Values::of(body, survey);
    walk_body(&mut Pass { survey, values: &values, notes }, body);
}

struct Pass<'a> {
    survey: &'a Survey,
    values: &'a Values<'a>,
    notes: &'a mut Notes,
}

/// The object that an expression refers to.
enum Subject {
    Robot,
    Media,
    Other,
}

impl Pass<'_> {
    fn subject(&self, expr: &Expr) -> Subject {
        match expr {
            Expr::Name(name) if self.survey.robots.contains(name.id.as_str()) => Subject::Robot,
            Expr::Attribute(attribute)
                if attribute.attr.as_str() == "media"
                    && matches!(self.subject(&attribute.value), Subject::Robot) =>
            {
                Subject::Media
            }
            _ => Subject::Other,
        }
    }

    /// Returns the methods of the object before the dot, and a name for it.
    fn methods(&self, receiver: &Expr) -> Option<(&'static [Method], &'static str)> {
        match self.subject(receiver) {
            Subject::Robot => Some((ROBOT, "the robot")),
            Subject::Media => Some((MEDIA, "the robot's media")),
            Subject::Other => None,
        }
    }

    fn attribute(&mut self, attribute: &ExprAttribute) {
        let Some((methods, whose)) = self.methods(&attribute.value) else { return };
        let name = attribute.attr.as_str();
        if methods.iter().any(|method| method.name == name) && attribute.ctx.is_load() {
            return;
        }
        let known = methods.iter().map(|method| method.name);
        let hint = match nearest(name, known.clone()) {
            Some(alike) => format!("did you mean `{alike}`?"),
            None => format!("use one of {}", known.collect::<Vec<_>>().join(", ")),
        };
        self.notes.hinted(
            &rule::UNKNOWN_ROBOT_METHOD,
            attribute.start(),
            format!("{whose} has no `{name}`"),
            hint,
        );
    }

    fn call(&mut self, call: &ExprCall) {
        if self.survey.is_robot_type(&call.func) {
            self.notes.add(&rule::ROBOT_CONSTRUCTED, call.start(), "the tool creates its own robot");
        } else if self.survey.is(&call.func, "reachy_mini.utils", "create_head_pose") {
            let given = self.arguments(call, "create_head_pose", HEAD_POSE);
            self.head_pose(&given);
        } else if let Expr::Attribute(attribute) = &*call.func
            && let Some((methods, _)) = self.methods(&attribute.value)
            && let Some(method) = methods.iter().find(|method| method.name == attribute.attr.as_str())
        {
            let given = self.arguments(call, method.name, method.arguments);
            self.motion(&given);
        }
    }

    /// Matches the arguments of a call with their names, and reports arguments that do not fit.
    fn arguments<'e>(
        &mut self,
        call: &'e ExprCall,
        callee: &str,
        names: &'static [&'static str],
    ) -> Vec<(&'static str, &'e Expr)> {
        let unpacked = call.args.iter().any(Expr::is_starred_expr);
        if call.args.len() > names.len() && !unpacked {
            let what = format!("`{callee}` takes {} arguments, {} are given", names.len(), call.args.len());
            self.notes.add(&rule::UNKNOWN_ARGUMENT, call.start(), what);
        }
        let positions = if unpacked { 0 } else { names.len() };
        let mut given: Vec<_> = names.iter().copied().zip(&call.args).take(positions).collect();
        for keyword in &call.keywords {
            let Some(name) = &keyword.arg else { continue };
            match names.iter().find(|known| **known == name.as_str()) {
                Some(known) => given.push((*known, &keyword.value)),
                None => {
                    let hint = match nearest(name, names.iter().copied()) {
                        Some(alike) => format!("did you mean `{alike}`?"),
                        None if names.is_empty() => format!("`{callee}` takes no arguments"),
                        None => format!("`{callee}` takes {}", names.join(", ")),
                    };
                    let what = format!("`{callee}` has no argument `{name}`");
                    self.notes.hinted(&rule::UNKNOWN_ARGUMENT, keyword.start(), what, hint);
                }
            }
        }
        given
    }

    /// Reports literal angles and lengths beyond the robot's range.
    fn head_pose(&mut self, given: &[(&'static str, &Expr)]) {
        let flag = |name: &str, default: bool| match given.iter().find(|(known, _)| *known == name) {
            Some((_, Expr::Constant(constant))) => constant.value.as_bool().copied(),
            Some(_) => None,
            None => Some(default),
        };
        let degree = flag("degrees", true).map(|degrees| if degrees { 1.0 } else { 180.0 / PI });
        let metre = flag("mm", false).map(|mm| if mm { 1.0 } else { 1000.0 });
        for (name, expr) in given {
            let Some((_, unit, range)) = HEAD_POSE_RANGES.iter().find(|(known, ..)| known == name) else {
                continue;
            };
            let is_angle = *unit == "degrees";
            let Some(scale) = (if is_angle { degree } else { metre }) else { continue };
            let plain = scale == 1.0;
            let wrong = match (is_angle, plain) {
                (true, true) => Unit::Radians,
                (true, false) => Unit::Degrees,
                (false, true) => Unit::Metres,
                (false, false) => Unit::Millimetres,
            };
            self.unit(expr, name, wrong);
            self.range(expr, name, scale, *range, unit);
            // A third of a degree, or a twentieth of a millimetre, is not visible.
            let tiny = if is_angle { 0.4 } else { 0.06 };
            if plain && self.values.number(expr).is_some_and(|value| value != 0.0 && value.abs() <= tiny) {
                let what =
                    format!("{name} of less than {tiny} {unit}: is it meant to be in {}?", wrong.word());
                self.notes.add(&rule::DOUBTFUL_UNIT, expr.start(), what);
            }
        }
    }

    /// Reports an expression that is clearly in another unit than the expected one.
    fn unit(&mut self, expr: &Expr, name: &str, wrong: Unit) {
        if self.values.unit(expr) == Some(wrong) {
            let what = format!("{name} is given in {}", wrong.word());
            self.notes.add(&rule::WRONG_UNIT, expr.start(), what);
        }
    }

    /// Reports sines of degrees, repeated conversions, and sleeps in milliseconds.
    fn conversions(&mut self, call: &ExprCall) {
        let Some(first) = call.args.first() else { return };
        if let Some(to) = self.values.conversion(call) {
            if self.values.unit(first) == Some(to) {
                let what = format!("a value that is already in {} is converted to {}", to.word(), to.word());
                self.notes.add(&rule::WRONG_UNIT, call.start(), what);
            }
        } else if self.values.is_trigonometric(call) {
            self.unit(first, "the argument of a sine, cosine or tangent", Unit::Degrees);
        } else if self.survey.is(&call.func, "time", "sleep")
            || self.survey.is(&call.func, "asyncio", "sleep")
        {
            self.unit(first, "the time of a sleep", Unit::Milliseconds);
        }
    }

    fn motion(&mut self, given: &[(&'static str, &Expr)]) {
        for (name, expr) in given {
            match *name {
                "duration" | "initial_goto_duration" => self.duration(name, expr),
                "body_yaw" => {
                    self.unit(expr, name, Unit::Degrees);
                    self.range(expr, name, 180.0 / PI, (-160.0, 160.0), "degrees");
                }
                "weight" => self.range(expr, name, 1.0, (0.0, 1.0), ""),
                "x" | "y" | "z" => {
                    self.unit(expr, name, Unit::Millimetres);
                    if self.values.number(expr).is_some_and(|metres| metres.abs() >= 20.0) {
                        let what =
                            format!("{name} of twenty metres or more: is it meant to be in millimetres?");
                        self.notes.add(&rule::DOUBTFUL_UNIT, expr.start(), what);
                    }
                }
                "antennas" => {
                    let sides: &[Expr] = match expr {
                        Expr::List(list) => &list.elts,
                        Expr::Tuple(tuple) => &tuple.elts,
                        _ => continue,
                    };
                    if sides.len() != 2 && !sides.iter().any(Expr::is_starred_expr) {
                        let what = format!("{} antennas: right and left are needed", sides.len());
                        self.notes.add(&rule::OUT_OF_RANGE, expr.start(), what);
                    }
                    for side in sides {
                        self.unit(side, name, Unit::Degrees);
                        self.range(side, name, 180.0 / PI, (-180.0, 180.0), "degrees");
                    }
                }
                "method" => {
                    if let Some(method) = text(expr)
                        && !METHODS.contains(&method)
                    {
                        let hint = format!("use one of {}", METHODS.join(", "));
                        self.notes.hinted(
                            &rule::OUT_OF_RANGE,
                            expr.start(),
                            "an unknown interpolation",
                            hint,
                        );
                    }
                }
                _ => {}
            }
        }
    }

    fn duration(&mut self, name: &str, expr: &Expr) {
        self.unit(expr, name, Unit::Milliseconds);
        let Some(seconds) = self.values.number(expr) else { return };
        if seconds < 0.0 || seconds == 0.0 && name == "duration" {
            self.notes.add(&rule::OUT_OF_RANGE, expr.start(), "a duration that is not above zero");
        } else if seconds > BUDGET_SECONDS {
            let what = format!("a motion of {seconds} seconds: is it meant to be in milliseconds?");
            self.notes.add(&rule::LONG_SLEEP, expr.start(), what);
        }
    }

    /// Reports a number, or a parameter's default, beyond the range.
    fn range(&mut self, expr: &Expr, what: &str, scale: f64, (low, high): (f64, f64), unit: &str) {
        let beyond = |value: &f64| !(low..=high).contains(&(value * scale));
        if let Some(value) = self.values.number(expr).filter(beyond) {
            let what = format!("{what} of {:.1} {unit}, the range is {low} to {high}", value * scale);
            self.notes.add(&rule::OUT_OF_RANGE, expr.start(), what);
        } else if let Some(value) = self.values.default(expr).filter(beyond) {
            let what =
                format!("the default makes {what} {:.1} {unit}, the range is {low} to {high}", value * scale);
            self.notes.add(&rule::WRONG_UNIT, expr.start(), what);
        }
    }
}

impl Visit for Pass<'_> {
    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Attribute(attribute) => self.attribute(attribute),
            Expr::Call(call) => {
                self.call(call);
                self.conversions(call);
            }
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn annotation(&mut self, _: &Expr) {}
}
