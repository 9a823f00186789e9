//! One line that tells a person what a motion did.

use super::Measured;
use super::wording::{Finding, amount_text, name_axes, reach, swings, with_unit};
use crate::axis::Axis;
use crate::text::times;

/// Returns a line about what was measured: "left antenna 62 degrees outward and back, once; head still (0.3 degrees)".
/// What did not hold comes last, with what was expected.
#[must_use]
pub fn summary(measured: &[Measured]) -> String {
    let held = || measured.iter().filter(|one| one.held);
    let findings: Vec<&Finding> = held().flat_map(|one| &one.findings).collect();
    let mut clauses: Vec<String> = Vec::new();
    let mut used = vec![false; findings.len()];
    for (index, finding) in findings.iter().enumerate() {
        if used.get(index).copied().unwrap_or(true) {
            continue;
        }
        let mut take = |index: usize| {
            if let Some(used) = used.get_mut(index) {
                *used = true;
            }
        };
        take(index);
        let clause = match finding {
            Finding::Reach { axis, direction, amount, comes_back } => {
                let twin = mirrored(*axis).and_then(|twin| {
                    findings.iter().position(|other| {
                        matches!(other, Finding::Reach { axis, direction: to, amount: far, comes_back: back }
                            if *axis == twin && to == direction && back == comes_back
                                && (far - amount).abs() <= 2.0)
                    })
                });
                let count = |axis: Axis| {
                    findings.iter().enumerate().find_map(|(at, other)| match other {
                        Finding::Swings { axis: swung, direction: to, count }
                            if *swung == axis && to.is_none_or(|to| to == *direction) =>
                        {
                            Some((at, *count))
                        }
                        _ => None,
                    })
                };
                let own_count = count(*axis);
                let twin = twin.filter(|_| {
                    let twin_count = mirrored(*axis).and_then(&count);
                    twin_count.map(|(_, count)| count) == own_count.map(|(_, count)| count)
                });
                let mut text = reach(*axis, *direction, &amount_text(*amount));
                if let Some(twin) = twin {
                    take(twin);
                    if let Some((at, _)) = mirrored(*axis).and_then(&count) {
                        take(at);
                    }
                    text = text.replacen(axis.title(), "both antennas", 1);
                }
                if *comes_back {
                    text += " and back";
                }
                if let Some((at, count)) = own_count {
                    take(at);
                    text += &format!(", {}", times(count));
                }
                text
            }
            Finding::Swings { axis, direction, count } => {
                // The count belongs to an amount that comes later.
                let comes_later = findings.iter().any(|other| {
                    matches!(other, Finding::Reach { axis: moved, direction: to, .. }
                        if moved == axis && direction.is_none_or(|direction| direction == *to))
                });
                if comes_later {
                    continue;
                }
                swings(*axis, *direction, *count)
            }
            Finding::Still { axes, most, amount } => {
                format!("{} still ({})", name_axes(axes), with_unit(&[*most], *amount))
            }
        };
        clauses.push(clause);
    }
    clauses.extend(held().filter(|one| one.findings.is_empty()).map(|one| one.measured.clone()));
    let failed = measured.iter().filter(|one| !one.held);
    clauses.extend(failed.map(ToString::to_string));
    let mut seen: Vec<String> = Vec::new();
    for clause in clauses {
        if !seen.contains(&clause) {
            seen.push(clause);
        }
    }
    seen.join("; ")
}

fn mirrored(axis: Axis) -> Option<Axis> {
    match axis {
        Axis::AntennaLeft => Some(Axis::AntennaRight),
        Axis::AntennaRight => Some(Axis::AntennaLeft),
        _ => None,
    }
}
