//! Formats numbers as people write them.

/// Formats a number with at most two decimals and no trailing zeros; a number below 0.01 gets four.
pub fn plain(value: f64) -> String {
    let text = if value.abs() < 0.01 { format!("{value:.4}") } else { format!("{value:.2}") };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "-0" | "" => "0".to_owned(),
        text => text.to_owned(),
    }
}
