//! Draws one chart of curves over time: axes, limits, shaded spans, and a legend.

use super::simplify::{Point, downsample, simplify_line};
use super::xml::{Xml, short};

/// Left edge of the curves in the image.
pub const LEFT: f64 = 60.0;
/// Width of the curves.
pub const WIDTH: f64 = 660.0;
/// Left edge of the legends.
pub const LEGEND: f64 = LEFT + WIDTH + 14.0;
/// Maximum number of points of a curve.
const MAX_POINTS: usize = 1_000;
/// Maximum error of a simplified curve, in units of the image.
const TOLERANCE: f64 = 0.12;

/// A motor or an angle of the head: its goal, its present position, and its limits.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Name of the motor or angle.
    pub name: String,
    /// Time and goal, seconds and degrees.
    pub goal: Vec<Point>,
    /// Time and present position, seconds and degrees.
    pub present: Vec<Point>,
    /// Minimum and maximum angle, degrees.
    pub limits: (f64, f64),
}

/// A shaded time span.
#[derive(Clone, Debug)]
pub struct Shade {
    /// Start and end, seconds.
    pub span: (f64, f64),
    /// The reason.
    pub label: String,
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Title.
    pub title: &'static str,
    /// Curves.
    pub curves: Vec<Curve>,
    /// Shaded spans.
    pub shades: Vec<Shade>,
    /// Height of the curves in the image.
    pub height: f64,
}

/// Maps values to positions in the image.
#[derive(Clone, Copy, Debug)]
struct Scale {
    seconds: f64,
    low: f64,
    high: f64,
    top: f64,
    height: f64,
}

impl Scale {
    fn x(&self, seconds: f64) -> f64 {
        LEFT + seconds / self.seconds * WIDTH
    }

    fn y(&self, degrees: f64) -> f64 {
        self.top + (self.high - degrees) / (self.high - self.low) * self.height
    }
}

impl Chart {
    /// Draws the chart from `top` downwards and returns its bottom edge. `seconds` is the duration of all charts.
    pub fn draw(&self, xml: &mut Xml, top: f64, seconds: f64) -> f64 {
        xml.inside(
            "text",
            &[("class", &"ink head"), ("x", &short(LEFT)), ("y", &short(top + 14.0))],
            |xml| {
                xml.text(self.title);
            },
        );
        let (low, high) = self.range();
        let scale = Scale { seconds, low, high, top: top + 24.0, height: self.height };
        xml.inside("g", &[("class", &"chart"), ("data-chart", &self.title)], |xml| {
            xml.element(
                "rect",
                &[
                    ("class", &"frame"),
                    ("x", &short(LEFT)),
                    ("y", &short(scale.top)),
                    ("width", &short(WIDTH)),
                    ("height", &short(scale.height)),
                ],
            );
            self.shade(xml, &scale);
            self.grid(xml, &scale);
            self.limit_lines(xml, &scale);
            for (position, curve) in self.curves.iter().enumerate() {
                draw_curve(xml, &scale, position, curve);
            }
            self.legend(xml, &scale);
        });
        scale.top + scale.height + 34.0
    }

    /// Returns the range of the axis, degrees: all values, and the limits that are near them.
    fn range(&self) -> (f64, f64) {
        let values = || {
            self.curves.iter().flat_map(|curve| curve.goal.iter().chain(&curve.present)).map(|point| point.1)
        };
        let (least, most) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        if !(least.is_finite() && most.is_finite()) {
            return (-1.0, 1.0);
        }
        let reach = ((most - least) * 0.5).max(2.0);
        let near = |limit: &f64| (least - reach..=most + reach).contains(limit);
        let limits = || self.curves.iter().flat_map(|curve| [curve.limits.0, curve.limits.1]);
        let (least, most) = limits()
            .filter(near)
            .fold((least, most), |(least, most), limit| (least.min(limit), most.max(limit)));
        let room = ((most - least) * 0.06).max(1.0);
        (least - room, most + room)
    }

    fn shade(&self, xml: &mut Xml, scale: &Scale) {
        for Shade { span: (from, to), label: words } in &self.shades {
            let (from, to) = (scale.x(from.clamp(0.0, scale.seconds)), scale.x(to.clamp(0.0, scale.seconds)));
            let width = (to - from).max(1.5);
            xml.inside(
                "rect",
                &[
                    ("class", &"trim"),
                    ("x", &short(from)),
                    ("y", &short(scale.top)),
                    ("width", &short(width)),
                    ("height", &short(scale.height)),
                ],
                |xml| xml.inside("title", &[], |xml| xml.text(words)),
            );
        }
    }

    fn grid(&self, xml: &mut Xml, scale: &Scale) {
        for degrees in ticks(scale.low, scale.high, 5.0) {
            let y = short(scale.y(degrees));
            xml.element("path", &[("class", &"grid"), ("d", &format!("M{LEFT} {y}h{WIDTH}"))]);
            tick(xml, ("end", LEFT - 6.0, scale.y(degrees) + 4.0), &format!("{}°", short(degrees)));
        }
        for seconds in ticks(0.0, scale.seconds, 9.0) {
            let bottom = scale.top + scale.height;
            let x = scale.x(seconds);
            xml.element(
                "path",
                &[("class", &"grid"), ("d", &format!("M{} {}v{}", short(x), short(scale.top), scale.height))],
            );
            tick(xml, ("middle", x, bottom + 15.0), &format!("{} s", short(seconds)));
        }
    }

    fn limit_lines(&self, xml: &mut Xml, scale: &Scale) {
        for (position, curve) in self.curves.iter().enumerate() {
            for limit in [curve.limits.0, curve.limits.1] {
                if limit < scale.low || limit > scale.high {
                    continue;
                }
                let path = format!("M{LEFT} {}h{WIDTH}", short(scale.y(limit)));
                xml.inside("path", &[("class", &format!("limit c{}", position % 6)), ("d", &path)], |xml| {
                    xml.inside("title", &[], |xml| {
                        xml.text(&format!("limit of {}: {}°", curve.name, short(limit)))
                    });
                });
            }
        }
    }

    fn legend(&self, xml: &mut Xml, scale: &Scale) {
        for (position, curve) in self.curves.iter().enumerate() {
            let y = scale.top + 10.0 + 26.0 * position as f64;
            let class = format!("goal c{}", position % 6);
            xml.element("path", &[("class", &class), ("d", &format!("M{LEGEND} {}h16", short(y - 4.0)))]);
            let x = short(LEGEND + 22.0);
            xml.inside("text", &[("class", &"ink"), ("x", &x), ("y", &short(y))], |xml| {
                xml.text(&curve.name)
            });
            let limits = format!("may {}° to {}°", short(curve.limits.0), short(curve.limits.1));
            xml.inside("text", &[("class", &"faint"), ("x", &x), ("y", &short(y + 11.0))], |xml| {
                xml.text(&limits)
            });
        }
    }
}

fn draw_curve(xml: &mut Xml, scale: &Scale, position: usize, curve: &Curve) {
    for (kind, points) in [("present", &curve.present), ("goal", &curve.goal)] {
        let in_image: Vec<Point> = downsample(points, MAX_POINTS)
            .into_iter()
            .map(|(s, degrees)| (scale.x(s), scale.y(degrees)))
            .collect();
        let path: Vec<String> = simplify_line(&in_image, TOLERANCE)
            .into_iter()
            .map(|(x, y)| format!("{},{}", short((x * 10.0).round() / 10.0), short(y)))
            .collect();
        let values = || points.iter().map(|point| point.1);
        let (least, most) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let class = format!("{kind} c{}", position % 6);
        xml.inside("polyline", &[("class", &class), ("points", &path.join(" "))], |xml| {
            let words = format!("{} {kind}: {}° to {}°", curve.name, short(least), short(most));
            xml.inside("title", &[], |xml| xml.text(&words));
        });
    }
}

fn tick(xml: &mut Xml, (anchor, x, y): (&str, f64, f64), words: &str) {
    let attributes: [(&str, &dyn std::fmt::Display); 4] =
        [("class", &"faint"), ("text-anchor", &anchor), ("x", &short(x)), ("y", &short(y))];
    xml.inside("text", &attributes, |xml| xml.text(words));
}

/// Returns about this many round values within a range.
fn ticks(low: f64, high: f64, about: f64) -> Vec<f64> {
    let rough = (high - low) / about;
    if !(rough.is_finite() && rough > 0.0) {
        return Vec::new();
    }
    let unit = 10.0_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * unit).find(|step| *step >= rough).unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|n| n as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
    }

    #[test]
    fn draws_ticks_at_round_values() {
        near(&ticks(-12.0, 31.0, 5.0), &[-10.0, 0.0, 10.0, 20.0, 30.0]);
        near(&ticks(0.0, 3.0, 9.0), &[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]);
        near(&ticks(0.0, 0.0, 9.0), &[]);
    }

    #[test]
    fn range_ignores_a_distant_limit() {
        let curve = |limits| Curve {
            name: "a".into(),
            goal: vec![(0.0, -10.0), (1.0, 10.0)],
            present: Vec::new(),
            limits,
        };
        let chart =
            |limits| Chart { title: "", curves: vec![curve(limits)], shades: Vec::new(), height: 100.0 };
        assert!(chart((-160.0, 160.0)).range().1 < 15.0);
        let (low, high) = chart((-160.0, 18.0)).range();
        assert!(low > -15.0 && high > 18.0, "{low} {high}");
    }
}
