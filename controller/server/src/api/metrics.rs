//! `GET /metrics`: what a Prometheus server collects, in its text format; base units, so seconds, radians, volts.

use std::fmt::{Display, Write as _};
use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use firmware_bridge::fault::FaultKind;
use firmware_bridge::joint::Joint;
use firmware_bridge::pulse::{Conductor, Doing, PulseHandle, Regularity, Snapshot, Spread};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::desk::Desk;
use super::given::Refused;
use minismith_control::chronicle::{Chronicle, Losses};
use minismith_runtime::config::Config;
use minismith_runtime::journal::Journal;
use minismith_runtime::logs;
use minismith_runtime::outcome::word;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::registry::{Entry, Registry};

/// All that a pulse may do.
const DOINGS: [Doing; 6] =
    [Doing::Holding, Doing::Playing, Doing::Braking, Doing::Limp, Doing::Led, Doing::Stowing];

/// What is counted.
struct Counted {
    pulse: PulseHandle,
    desk: Desk,
    config: Config,
    chronicle: Chronicle,
    journal: Journal,
}

pub(super) fn routes(
    pulse: PulseHandle,
    desk: Desk,
    config: &Config,
    (chronicle, journal): (Chronicle, Journal),
) -> OpenApiRouter {
    let counted = Counted { pulse, desk, config: config.clone(), chronicle, journal };
    OpenApiRouter::new().routes(routes!(metrics)).with_state(Arc::new(counted))
}

/// Metrics for Prometheus
///
/// Each with its help and its type, in base units: seconds, radians, volts, amperes, degrees Celsius.
#[utoipa::path(get, path = "/metrics", tag = "robot", responses(
    (status = 200, description = "The text format, version 0.0.4.", body = String, content_type = "text/plain"),
))]
async fn metrics(State(counted): State<Arc<Counted>>, caller: Caller) -> Result<Response, Refused> {
    caller.must_be(Role::Viewer)?;
    let folder = counted.config.tools.clone();
    let tools = tokio::task::spawn_blocking(move || Registry::open(&folder)?.list());
    // A shelf that can't be read is left out; who asks for tools is told why.
    let tools = tools.await.ok().and_then(Result::ok);
    let mut page = Page::default();
    page.program();
    page.pulse(&counted.pulse.snapshot(), &counted.pulse.regularity());
    page.motors(&counted.pulse.snapshot());
    page.family("minismith_chat_requests", "gauge", "Sentences that wait or are being answered.");
    page.value("minismith_chat_requests", "", counted.desk.hearings());
    page.losses(&counted.journal, counted.chronicle.losses(), logs::counts());
    if let Some(tools) = tools {
        page.tools(&tools);
    }
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
        self.family("minismith_build_info", "gauge", "The program; its value is always 1.");
        self.value("minismith_build_info", &format!("version=\"{}\"", env!("CARGO_PKG_VERSION")), 1);
    }

    fn pulse(&mut self, snapshot: &Snapshot, regularity: &Regularity) {
        self.family("minismith_beats_total", "counter", "Beats since the start.");
        self.value("minismith_beats_total", "", snapshot.beats);
        self.family("minismith_late_beats_total", "counter", "Beats that began more than a period late.");
        self.value("minismith_late_beats_total", "", snapshot.late);
        self.family("minismith_halts_total", "counter", "Stops that were taken.");
        self.value("minismith_halts_total", "", snapshot.halts);
        self.family("minismith_beat_period_seconds", "gauge", "The time from beat to beat that is meant.");
        self.value("minismith_beat_period_seconds", "", regularity.period_us / 1e6);
        for (name, help, spread) in [
            ("jitter", "How far the time from beat to beat was from the period.", regularity.jitter),
            ("lateness", "How long after its due moment a beat began.", regularity.lateness),
            ("work", "How long a beat's own work took.", regularity.work),
        ] {
            let name = format!("minismith_beat_{name}_seconds");
            self.family(&name, "gauge", help);
            let Spread { p50_us, p99_us, p999_us, max_us } = spread;
            for (quantile, micros) in [("0.5", p50_us), ("0.99", p99_us), ("0.999", p999_us), ("1", max_us)] {
                self.value(&name, &format!("quantile=\"{quantile}\""), micros / 1e6);
            }
        }
        self.family("minismith_doing", "gauge", "What the pulse does: 1 for that, 0 for the others.");
        for doing in DOINGS {
            let is = u8::from(doing == snapshot.doing);
            self.value("minismith_doing", &format!("doing=\"{}\"", word(&doing)), is);
        }
        self.family("minismith_fault", "gauge", "Whether something is wrong with the body now.");
        self.value("minismith_fault", "", u8::from(snapshot.fault.is_some()));
        let name = "minismith_last_fault_count";
        self.family(name, "gauge", "How often the last fault that was noticed has come; 0 for all others.");
        for kind in FaultKind::ALL {
            let times = snapshot.status.filter(|status| status.kind == kind).map_or(0, |status| status.times);
            self.value(name, &format!("kind=\"{}\"", kind.name()), times);
        }
    }

    fn motors(&mut self, snapshot: &Snapshot) {
        let state = &snapshot.state;
        type Reads<'a> = &'a dyn Fn(Joint) -> Option<f64>;
        let families: [(&str, &str, Reads<'_>); 7] = [
            ("position_radians", "Where a motor is.", &|joint| {
                state.readings[joint].known().map(|angle| angle.value())
            }),
            ("goal_radians", "Where a motor is told to be.", &|joint| {
                Some(snapshot.commanded[joint].value())
            }),
            ("torque", "Whether a motor is driven.", &|joint| Some(f64::from(u8::from(state.torque[joint])))),
            ("temperature_celsius", "Inside a motor.", &|joint| {
                state.health[joint].map(|health| health.celsius)
            }),
            ("voltage_volts", "The supply at a motor.", &|joint| {
                state.health[joint].map(|health| health.volts)
            }),
            ("current_amperes", "Through a motor.", &|joint| {
                state.health[joint].map(|health| health.current.0 / 1e3)
            }),
            ("errors", "How many conditions a motor signals as wrong.", &|joint| {
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

    /// What is in no file and was told to nobody, because it came faster or there was no room.
    fn losses(&mut self, journal: &Journal, chronicle: Option<&Losses>, logs: &logs::Counts) {
        let mut count = |name: &str, help: &str, value: u64| {
            self.family(name, "counter", help);
            self.value(name, "", value);
        };
        count("minismith_journal_lost_total", "Entries that are not in the journal's file.", journal.lost());
        if let Some(losses) = chronicle {
            count("minismith_trace_beats_lost_total", "Beats that are in no trace.", losses.beats());
            count("minismith_trace_words_lost_total", "Words that are in no trace.", losses.words());
            count("minismith_viewer_dropped_total", "Messages that no viewer was shown.", losses.shown());
        }
        count("minismith_log_lost_total", "Lines that are not in the log's file.", logs.lines_lost());
        count("minismith_spans_sent_total", "Spans that the collector has.", logs.spans_sent());
        count("minismith_spans_dropped_total", "Spans that no collector has got.", logs.spans_dropped());
    }

    fn tools(&mut self, tools: &[Entry]) {
        self.family(
            "minismith_tools",
            "gauge",
            "Tools on the shelf, by whether they run when they are called.",
        );
        for callable in [true, false] {
            let count = tools.iter().filter(|tool| tool.is_callable() == callable).count();
            self.value("minismith_tools", &format!("callable=\"{callable}\""), count);
        }
    }
}
