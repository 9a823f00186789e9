//! Numbers as people write them.

/// At most two decimals, and none that are not needed; four for what would vanish.
pub fn plain(value: f64) -> String {
    let text = if value.abs() < 0.01 { format!("{value:.4}") } else { format!("{value:.2}") };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "-0" | "" => "0".to_owned(),
        text => text.to_owned(),
    }
}
