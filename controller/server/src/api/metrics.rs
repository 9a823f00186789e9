//! `GET /metrics`: what a Prometheus server collects, in its text format; base units, so seconds, radians, volts.

use std::fmt::{Display, Write as _};
use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use firmware_bridge::control_loop::{
    ControlLoopHandle, LoopClient, LoopSnapshot, MotionState, Percentiles, TimingStats,
};
use firmware_bridge::fault::FaultKind;
use firmware_bridge::joint::Joint;
use minismith_protocol::old_names::metrics::{FAMILIES, LABELS, MOTION_STATES};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::ApiError;
use super::request_queue::RequestQueue;
use minismith_control::run_recorder::{DropCounters, RunRecorder};
use minismith_runtime::config::Config;
use minismith_runtime::journal::Journal;
use minismith_runtime::logs;
use minismith_runtime::report::serde_name;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::registry::{Entry, Registry};

/// All states of motion.
const DOINGS: [MotionState; 6] = [
    MotionState::Holding,
    MotionState::Moving,
    MotionState::Stopping,
    MotionState::TorqueOff,
    MotionState::HandGuiding,
    MotionState::Stowing,
];

/// What is counted.
struct Counted {
    control_loop: ControlLoopHandle,
    queue: RequestQueue,
    config: Config,
    recorder: RunRecorder,
    journal: Journal,
}

pub(super) fn routes(
    control_loop: ControlLoopHandle,
    queue: RequestQueue,
    config: &Config,
    (recorder, journal): (RunRecorder, Journal),
) -> OpenApiRouter {
    let counted = Counted { control_loop, queue, config: config.clone(), recorder, journal };
    OpenApiRouter::new().routes(routes!(metrics)).with_state(Arc::new(counted))
}

/// Metrics for Prometheus
///
/// Each with its help and its type, in base units: seconds, radians, volts, amperes, degrees Celsius.
#[utoipa::path(get, path = "/metrics", tag = "robot", responses(
    (status = 200, description = "The text format, version 0.0.4.", body = String, content_type = "text/plain"),
))]
async fn metrics(State(counted): State<Arc<Counted>>, caller: Caller) -> Result<Response, ApiError> {
    caller.require_role(Role::Viewer)?;
    let config = counted.config.clone();
    let tools = tokio::task::spawn_blocking(move || Registry::of(&config)?.list());
    // A registry that cannot be read is left out; the routes about tools report why.
    let tools = tools.await.ok().and_then(Result::ok);
    let mut page = Page::default();
    page.program();
    page.control_loop(&counted.control_loop.snapshot(), &counted.control_loop.timing_stats());
    page.motors(&counted.control_loop.snapshot());
    page.family("minismith_chat_requests", "gauge", "Chat requests that are queued or in progress.");
    page.value("minismith_chat_requests", "", counted.queue.pending_replies());
    page.losses(&counted.journal, counted.recorder.losses(), logs::counts());
    if let Some(tools) = tools {
        page.tools(&tools);
    }
    page.old_families();
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], page.text).into_response())
}

/// The text, as it grows.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string does not fail.
        let _written = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn value(&mut self, name: &str, labels: &str, value: impl Display) {
        let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
        let _written = writeln!(self.text, "{name}{labels} {value}");
    }

    fn program(&mut self) {
        self.family("minismith_build_info", "gauge", "Version of the program. The value is always 1.");
        self.value("minismith_build_info", &format!("version=\"{}\"", env!("CARGO_PKG_VERSION")), 1);
    }

    fn control_loop(&mut self, snapshot: &LoopSnapshot, regularity: &TimingStats) {
        let cycles = "minismith_control_cycles_total";
        self.family(cycles, "counter", "Control cycles since the start.");
        self.value(cycles, "", snapshot.cycles);
        let overruns = "minismith_control_overruns_total";
        self.family(overruns, "counter", "Control cycles that began more than one period late.");
        self.value(overruns, "", snapshot.overruns);
        self.family("minismith_stops_total", "counter", "Stops of the robot since the start.");
        self.value("minismith_stops_total", "", snapshot.stop_epoch);
        self.family("minismith_control_period_seconds", "gauge", "Configured period of the control loop.");
        self.value("minismith_control_period_seconds", "", regularity.period_us / 1e6);
        for (name, help, spread) in [
            ("jitter", "Deviation of the time between two cycles from the period.", regularity.jitter),
            ("wakeup_latency", "Delay from the deadline of a cycle to its start.", regularity.wakeup_latency),
            ("cycle_time", "Computing time of a cycle.", regularity.cycle_time),
        ] {
            let name = format!("minismith_control_{name}_seconds");
            self.family(&name, "gauge", help);
            let Percentiles { p50_us, p99_us, p999_us, max_us } = spread;
            for (quantile, micros) in [("0.5", p50_us), ("0.99", p99_us), ("0.999", p999_us), ("1", max_us)] {
                self.value(&name, &format!("quantile=\"{quantile}\""), micros / 1e6);
            }
        }
        let motion = "minismith_motion_state";
        self.family(motion, "gauge", "Motion state of the robot: 1 for the current state, 0 for all others.");
        for doing in DOINGS {
            let state = serde_name(&doing);
            let state = new_state(&state).unwrap_or(&state);
            self.value(motion, &format!("state=\"{state}\""), u8::from(doing == snapshot.motion_state));
        }
        self.family("minismith_fault", "gauge", "Whether the robot has a fault: 1 if so, otherwise 0.");
        self.value("minismith_fault", "", u8::from(snapshot.fault.is_some()));
        let name = "minismith_last_fault_count";
        self.family(name, "gauge", "Occurrences of the last fault; 0 for all other kinds.");
        for kind in FaultKind::ALL {
            let times =
                snapshot.last_fault.filter(|status| status.kind == kind).map_or(0, |status| status.count);
            self.value(name, &format!("kind=\"{}\"", kind.name()), times);
        }
    }

    fn motors(&mut self, snapshot: &LoopSnapshot) {
        let state = &snapshot.state;
        type Reads<'a> = &'a dyn Fn(Joint) -> Option<f64>;
        let families: [(&str, &str, Reads<'_>); 7] = [
            ("position_radians", "Measured position of a motor.", &|joint| {
                state.readings[joint].known().map(|angle| angle.value())
            }),
            ("goal_radians", "Goal position of a motor.", &|joint| Some(snapshot.goal[joint].value())),
            ("torque_enabled", "Whether the torque of a motor is enabled: 1 if so, otherwise 0.", &|joint| {
                Some(f64::from(u8::from(state.torque[joint])))
            }),
            ("temperature_celsius", "Temperature inside a motor.", &|joint| {
                state.health[joint].map(|health| health.temperature_c)
            }),
            ("voltage_volts", "Supply voltage at a motor.", &|joint| {
                state.health[joint].map(|health| health.voltage_v)
            }),
            ("current_amperes", "Current of a motor.", &|joint| {
                state.health[joint].map(|health| health.current.0 / 1e3)
            }),
            ("hardware_errors", "Number of hardware errors that a motor reports.", &|joint| {
                Some(state.errors[joint].iter().count() as f64)
            }),
        ];
        for (name, help, read) in families {
            let name = format!("minismith_motor_{name}");
            self.family(&name, "gauge", help);
            for joint in Joint::ALL {
                if let Some(value) = read(joint) {
                    self.value(&name, &format!("motor=\"{}\"", joint.name()), value);
                }
            }
        }
    }

    /// What was dropped because it came too fast or the disk was full.
    fn losses(&mut self, journal: &Journal, recorder: Option<&DropCounters>, logs: &logs::LogCounters) {
        let mut count = |name: &str, help: &str, value: u64| {
            self.family(name, "counter", help);
            self.value(name, "", value);
        };
        count("minismith_journal_dropped_total", "Entries missing from the journal.", journal.lost());
        if let Some(losses) = recorder {
            count(
                "minismith_trace_cycles_dropped_total",
                "Control cycles missing from traces.",
                losses.cycles(),
            );
            count("minismith_trace_texts_dropped_total", "Texts missing from traces.", losses.texts());
            count("minismith_viewer_dropped_total", "Messages not sent to a Rerun viewer.", losses.viewer());
        }
        count("minismith_log_dropped_total", "Lines missing from the log file.", logs.lines_lost());
        count("minismith_spans_sent_total", "Spans that the collector accepted.", logs.spans_sent());
        count("minismith_spans_dropped_total", "Spans that no collector received.", logs.spans_dropped());
    }

    fn tools(&mut self, tools: &[Entry]) {
        let name = "minismith_tools";
        self.family(name, "gauge", "Registered tools, by whether they are enabled.");
        // The old label is on the same sample: as a sample of its own it would be counted twice in sums.
        let old = LABELS.iter().filter(|(family, ..)| *family == name).map(|(_, old, _)| *old);
        let labels: Vec<&str> = std::iter::once("enabled").chain(old).collect();
        for is_enabled in [true, false] {
            let count = tools.iter().filter(|tool| tool.is_callable() == is_enabled).count();
            let labels: Vec<String> =
                labels.iter().map(|label| format!("{label}=\"{is_enabled}\"")).collect();
            self.value(name, &labels.join(","), count);
        }
    }

    /// Exports the renamed families under their old names as well.
    fn old_families(&mut self) {
        let text = std::mem::take(&mut self.text);
        let mut old_text = String::new();
        for (old, new) in FAMILIES {
            for line in text.lines() {
                let kind = line.strip_prefix("# TYPE ").and_then(|rest| rest.strip_prefix(new));
                if let Some(kind) = kind.and_then(|rest| rest.strip_prefix(' ')) {
                    let _written =
                        writeln!(old_text, "# HELP {old} Deprecated: use {new}.\n# TYPE {old} {kind}");
                } else if let Some(sample) =
                    line.strip_prefix(new).filter(|rest| rest.starts_with(['{', ' ']))
                {
                    let _written = writeln!(old_text, "{old}{}", old_labels(new, sample));
                }
            }
        }
        self.text = text + &old_text;
    }
}

/// Returns the label `state` for what [`MotionState`] is called elsewhere.
fn new_state(state: &str) -> Option<&'static str> {
    MOTION_STATES.iter().find(|(old, _)| *old == state).map(|(_, new)| *new)
}

/// A sample of this family with its old labels.
fn old_labels(family: &str, sample: &str) -> String {
    let mut sample = sample.to_owned();
    for (_, old, new) in LABELS.iter().filter(|(at, ..)| *at == family) {
        sample = sample.replace(&format!("{new}=\""), &format!("{old}=\""));
        for (old, new) in MOTION_STATES {
            sample = sample.replace(&format!("\"{new}\""), &format!("\"{old}\""));
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renamed_families_are_exported_under_both_names() {
        let mut page = Page::default();
        for (_, new) in FAMILIES {
            page.family(new, "gauge", "Something.");
            page.value(new, if new == &"minismith_motion_state" { "state=\"hand_guiding\"" } else { "" }, 7);
        }
        // A name that only begins like another one is not touched.
        page.value("minismith_stops_total_of_others", "", 1);
        page.old_families();
        for (old, new) in FAMILIES {
            assert!(
                page.text.contains(&format!("# HELP {old} Deprecated: use {new}.\n# TYPE {old} gauge\n")),
                "{old}"
            );
            let labels = if *old == "minismith_doing" { "{doing=\"led\"}" } else { "" };
            assert!(page.text.contains(&format!("\n{old}{labels} 7\n")), "{old}: {}", page.text);
        }
        assert!(!page.text.contains("minismith_halts_total_of_others"));
    }
}
