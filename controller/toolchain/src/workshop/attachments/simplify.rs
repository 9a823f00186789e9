//! Reduces the number of points of a curve and keeps its extremes.

/// A point: time, value.
pub type Point = (f64, f64);

/// Reduces a curve to about `most` points. The times must increase.
///
/// Each stretch keeps its minimum and its maximum, in their order.
#[must_use]
pub fn downsample(curve: &[Point], most: usize) -> Vec<Point> {
    if curve.len() <= most.max(4) {
        return curve.to_vec();
    }
    let stretch = curve.len().div_ceil((most / 2).max(2));
    let mut stored = Vec::with_capacity(most + 2);
    stored.extend(curve.first());
    for piece in curve.chunks(stretch) {
        let by_value = |a: &&Point, b: &&Point| a.1.total_cmp(&b.1);
        let (least, greatest) = (piece.iter().min_by(by_value), piece.iter().max_by(by_value));
        let mut both: Vec<Point> = least.into_iter().chain(greatest).copied().collect();
        both.sort_by(|a, b| a.0.total_cmp(&b.0));
        stored.extend(both);
    }
    stored.extend(curve.last());
    stored.dedup();
    stored
}

/// Removes the points that are within `tolerance` of the line between the remaining ones.
///
/// The ends, the minimum and the maximum always remain. The method is Ramer–Douglas–Peucker, with distances along the
/// value axis.
#[must_use]
pub fn simplify_line(curve: &[Point], tolerance: f64) -> Vec<Point> {
    let Some(last) = curve.len().checked_sub(1) else { return Vec::new() };
    let mut stored = vec![false; curve.len()];
    let mut knots = vec![0, last];
    let places = curve.iter().enumerate();
    knots.extend(places.clone().min_by(|a, b| a.1.1.total_cmp(&b.1.1)).map(|(position, _)| position));
    knots.extend(places.max_by(|a, b| a.1.1.total_cmp(&b.1.1)).map(|(position, _)| position));
    knots.sort_unstable();
    let mut pieces: Vec<(usize, usize)> =
        knots.windows(2).filter_map(<[usize]>::first_chunk).map(|[a, b]| (*a, *b)).collect();
    for knot in knots {
        if let Some(stored) = stored.get_mut(knot) {
            *stored = true;
        }
    }
    while let Some((from, to)) = pieces.pop() {
        let Some((position, distance)) = farthest(curve, from, to) else { continue };
        if distance > tolerance {
            if let Some(stored) = stored.get_mut(position) {
                *stored = true;
            }
            pieces.extend([(from, position), (position, to)]);
        }
    }
    curve.iter().zip(stored).filter_map(|(point, stored)| stored.then_some(*point)).collect()
}

/// Returns the point between two others that is farthest from the line between them.
fn farthest(curve: &[Point], from: usize, to: usize) -> Option<(usize, f64)> {
    let (a, b) = (curve.get(from)?, curve.get(to)?);
    let slope = (b.1 - a.1) / (b.0 - a.0).max(1e-12);
    let distance = |point: &Point| (point.1 - (a.1 + slope * (point.0 - a.0))).abs();
    let between = curve.get(from + 1..to)?.iter().enumerate();
    between.map(|(position, point)| (from + 1 + position, distance(point))).max_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(points: u32) -> Vec<Point> {
        (0..points).map(|position| (f64::from(position), (f64::from(position) * 0.05).sin() * 10.0)).collect()
    }

    fn extremes(curve: &[Point]) -> (f64, f64) {
        let values = || curve.iter().map(|point| point.1);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    }

    #[test]
    fn thinned_keeps_extremes_and_ends() {
        let mut long = wave(20_000);
        // A single cycle, which a reduction to every other point would lose.
        long[7_777].1 = 99.0;
        for curve in [
            downsample(&long, 1_000),
            simplify_line(&long, 0.1),
            simplify_line(&downsample(&long, 1_000), 0.1),
        ] {
            assert_eq!(extremes(&curve), extremes(&long));
            assert_eq!((curve.first(), curve.last()), (long.first(), long.last()));
            assert!(curve.is_sorted_by(|a, b| a.0 < b.0));
        }
        assert!(downsample(&long, 1_000).len() <= 1_002);
    }

    #[test]
    fn straightened_reduces_a_line_to_two_points_and_keeps_curves_within_tolerance() {
        let line: Vec<Point> =
            (0..500).map(|position| (f64::from(position), f64::from(position) * 0.5)).collect();
        assert_eq!(simplify_line(&line, 0.01).len(), 2);
        let wave = wave(500);
        let stored = simplify_line(&wave, 0.1);
        assert!(stored.len() < 150, "{}", stored.len());
        for point in &wave {
            let after = stored.iter().position(|stored| stored.0 >= point.0).unwrap().max(1);
            let (a, b) = (stored[after - 1], stored[after]);
            let between = a.1 + (b.1 - a.1) * (point.0 - a.0) / (b.0 - a.0);
            assert!((between - point.1).abs() <= 0.1 + 1e-9);
        }
        assert_eq!(simplify_line(&[], 0.1), []);
        assert_eq!(simplify_line(&[(0.0, 1.0)], 0.1), [(0.0, 1.0)]);
    }
}
