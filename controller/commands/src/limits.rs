//! The limits of what a sentence may ask for.

/// Nothing is repeated more often than this.
pub(crate) const MOST_TIMES: u32 = 50;

/// No motion is stretched to more than this, seconds.
pub(crate) const LONGEST_MOTION_S: f64 = 60.0;

/// No dance is longer than this, seconds.
pub(crate) const LONGEST_DANCE_S: f64 = 60.0;
