//! Draws a tool's motion as one SVG image: the goals, the present positions, and the margins to the limits.
//!
//! The same tool gives the same bytes. The image has its own background, so it is readable on any page. It follows the
//! viewer's dark mode.

use firmware_bridge::joint::Joint;
use firmware_bridge::limits::Limits;

use super::chart::{Chart, Curve, LEFT, Shade};
use super::sample::PoseSample;
use super::xml::{Xml, short};
use minismith_analysis::margins::ClampSpan;
use minismith_analysis::report::PhysicalReport;
use minismith_control::trace::Head;

/// The subject of the image.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Name and version of the tool, and the beginning of its hash.
    pub title: String,
    /// Text below the title.
    pub subtitle: String,
    /// Cycles of the default call.
    pub moments: &'a [PoseSample],
    /// Duration of one cycle, seconds.
    pub period_s: f64,
    /// Limits of the rehearsal.
    pub limits: &'a Limits,
    /// Measurements of all calls.
    pub report: &'a PhysicalReport,
}

const PAGE_WIDTH: f64 = 920.0;

/// Six colours that are distinguishable with colour blindness (after Okabe and Ito), on white and on black.
const STYLE: &str = "
text{font:12px system-ui,'DejaVu Sans',Arial,sans-serif}
.title{font-size:18px;font-weight:600}.head{font-weight:600}.faint{font-size:10px}
.paper{fill:#fff}.ink{fill:#1f2328}.faint{fill:#59636e}
.frame{fill:none;stroke:#c4ccd4}.grid{stroke:#e3e7eb;fill:none}
.trim{fill:#d1242f;fill-opacity:.16}
.goal{fill:none;stroke-width:1.4}.present{fill:none;stroke-width:4;stroke-opacity:.3;stroke-linejoin:round}
.limit{fill:none;stroke-dasharray:6 4;stroke-opacity:.8}
.c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#008a66}.c3{stroke:#b8558f}.c4{stroke:#2a93cf}.c5{stroke:#9a7400}
.bar{fill:#0072b2}.over{fill:#d1242f}.rail{fill:#e3e7eb}
@media (prefers-color-scheme:dark){
.paper{fill:#0d1117}.ink{fill:#f0f6fc}.faint{fill:#9198a1}
.frame{stroke:#3d444d}.grid{stroke:#262c34}.trim{fill:#f85149;fill-opacity:.25}
.c0{stroke:#58a6e6}.c1{stroke:#f08a4b}.c2{stroke:#3fb58f}.c3{stroke:#d98ab8}.c4{stroke:#7cc4ef}.c5{stroke:#d8b13c}
.bar{fill:#58a6e6}.over{fill:#f85149}.rail{fill:#262c34}}
";

/// Draws the image.
#[must_use]
pub fn draw(subject: &Subject<'_>) -> String {
    // The height is known only at the end.
    let mut body = Xml::default();
    text(&mut body, "ink title", (LEFT, 30.0), &subject.title);
    text(&mut body, "faint", (LEFT, 48.0), &subject.subtitle);
    let key = "thin: goal; broad: present position; dashed: limit; shaded: clamped by the envelope";
    text(&mut body, "faint", (LEFT, 62.0), key);
    let seconds = (subject.moments.len().saturating_sub(1) as f64 * subject.period_s).max(0.1);
    let mut top = 76.0;
    for chart in charts(subject) {
        top = chart.draw(&mut body, top, seconds);
    }
    let bottom = bars(&mut body, subject, top);
    let mut xml = Xml::default();
    let (width, height) = (short(PAGE_WIDTH), short(bottom));
    let view = format!("0 0 {width} {height}");
    let body = body.finish();
    xml.inside(
        "svg",
        &[
            ("xmlns", &"http://www.w3.org/2000/svg"),
            ("viewBox", &view),
            ("width", &width),
            ("height", &height),
            ("role", &"img"),
        ],
        |xml| {
            xml.inside("title", &[], |xml| xml.text(&subject.title));
            xml.inside("style", &[], |xml| xml.text_as_is(STYLE));
            xml.element("rect", &[("class", &"paper"), ("width", &width), ("height", &height)]);
            xml.text_as_is(&body);
        },
    );
    xml.finish()
}

fn text(xml: &mut Xml, class: &str, (x, y): (f64, f64), words: &str) {
    xml.inside("text", &[("class", &class), ("x", &short(x)), ("y", &short(y))], |xml| xml.text(words));
}

/// Returns the three charts: body and head, legs, antennas.
fn charts(subject: &Subject<'_>) -> [Chart; 3] {
    let motor = |joint: Joint| {
        let limit = subject.limits.joints[joint];
        Curve {
            name: joint.name().into(),
            goal: curve(subject, |moment| Some(moment.goal[joint])),
            present: curve(subject, |moment| Some(moment.present[joint])),
            limits: (limit.min_position.degrees(), limit.max_position.degrees()),
        }
    };
    let head = |name: &str, index: usize, limit: f64| {
        let angle = |head: Option<Head>| head.and_then(|head| head.angles_deg.get(index).copied());
        Curve {
            name: name.into(),
            goal: curve(subject, |moment| angle(moment.goal_head)),
            present: curve(subject, |moment| angle(moment.present_head)),
            limits: (-limit, limit),
        }
    };
    let Limits { head_pitch, head_roll, relative_yaw, .. } = subject.limits;
    let body = vec![
        motor(Joint::BodyYaw),
        head("head yaw to body", 2, relative_yaw.degrees()),
        head("head pitch", 1, head_pitch.degrees()),
        head("head roll", 0, head_roll.degrees()),
    ];
    let antennas = vec![motor(Joint::RightAntenna), motor(Joint::LeftAntenna)];
    let chart = |title, curves, height, holds: fn(Joint) -> bool| Chart {
        title,
        curves,
        shades: shades(&subject.report.clamps, holds),
        height,
    };
    [
        chart("Body and head", body, 170.0, |joint| joint == Joint::BodyYaw),
        chart("Legs", Joint::STEWART.map(motor).to_vec(), 190.0, Joint::is_leg),
        chart("Antennas", antennas, 110.0, |joint| matches!(joint, Joint::RightAntenna | Joint::LeftAntenna)),
    ]
}

fn curve(subject: &Subject<'_>, of: impl Fn(&PoseSample) -> Option<f64>) -> Vec<(f64, f64)> {
    let places = subject.moments.iter().enumerate();
    places.filter_map(|(position, moment)| Some((position as f64 * subject.period_s, of(moment)?))).collect()
}

fn shades(clamps: &[ClampSpan], holds: fn(Joint) -> bool) -> Vec<Shade> {
    let held = clamps.iter().filter(|clamp| Joint::from_name(&clamp.joint).is_some_and(holds));
    held.map(|clamp| Shade {
        span: (clamp.from_s, clamp.to_s),
        label: format!("{} clamped by up to {}° ({})", clamp.joint, short(clamp.worst_deg), clamp.cause),
    })
    .collect()
}

/// Draws each motor's share of its velocity, acceleration and jerk limits, over all calls. Returns the bottom edge.
fn bars(xml: &mut Xml, subject: &Subject<'_>, top: f64) -> f64 {
    text(
        xml,
        "ink head",
        (LEFT, top + 14.0),
        "Greatest speed, acceleration and jerk in all rehearsed calls, of what is allowed",
    );
    let columns = [("speed", "°/s"), ("acceleration", "°/s²"), ("jerk", "°/s³")];
    for (position, joint) in Joint::ALL.into_iter().enumerate() {
        let y = top + 28.0 + 20.0 * position as f64;
        text(xml, "ink", (LEFT, y + 11.0), joint.name());
        let Some(report) = subject.report.joints.get(joint.name()) else { continue };
        let limit = subject.limits.joints[joint];
        let peaks = [
            (report.peak_speed_dps, limit.max_velocity),
            (report.peak_acceleration_dps2, limit.max_acceleration),
            (report.margins.map_or(0.0, |margins| margins.peak_jerk_dps3), limit.max_jerk),
        ];
        for (column, ((kind, unit), (peak, limit))) in columns.iter().zip(peaks).enumerate() {
            let x = LEFT + 110.0 + 245.0 * column as f64;
            bar(xml, (x, y), &format!("{} {kind}", joint.name()), unit, (peak, limit.degrees()));
        }
    }
    top + 28.0 + 20.0 * 9.0 + 16.0
}

const BAR: f64 = 100.0;

fn bar(xml: &mut Xml, (x, y): (f64, f64), name: &str, unit: &str, (peak, limit): (f64, f64)) {
    let share = if limit > 0.0 { peak / limit } else { 0.0 };
    // Rounding does not count as exceeding a limit.
    let class = if share > 1.0005 { "over" } else { "bar" };
    let (left, top) = (short(x), short(y + 2.0));
    xml.element("rect", &[("class", &"rail"), ("x", &left), ("y", &top), ("width", &BAR), ("height", &"10")]);
    let width = short((share * BAR).clamp(0.0, BAR));
    xml.inside(
        "rect",
        &[("class", &class), ("x", &left), ("y", &top), ("width", &width), ("height", &"10")],
        |xml| xml.inside("title", &[], |xml| xml.text(&format!("{name}: {} {unit}", short(peak)))),
    );
    let words = format!("{:.0} % of {:.0} {unit}", share * 100.0, limit);
    text(xml, "faint", (x + BAR + 6.0, y + 11.0), &words);
}
