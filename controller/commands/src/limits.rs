//! The limits of what a sentence may ask for, in English.

/// How often something is repeated.
pub(crate) const TIMES: &str = "1 to 50 times";
/// How often something is repeated, where half a time was asked for.
pub(crate) const WHOLE_TIMES: &str = "a whole number of times";
/// How long a motion takes.
pub(crate) const SECONDS: &str = "up to 60 seconds";

/// Returns whether a reason why something is impossible is a limit of how often or how long it is done.
#[must_use]
pub fn is_limit(reason: &str) -> bool {
    [TIMES, WHOLE_TIMES, SECONDS].contains(&reason)
}
