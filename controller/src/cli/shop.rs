//! Sets up what commands share: the workshop and the body.

use minismith::body::Body;
use minismith::config::Config;
use minismith::workshop::Workshop;

use super::OnRobot;

/// The workshop of the configuration.
pub fn workshop(config: &Config) -> anyhow::Result<Workshop> {
    Ok(Workshop::open(config)?)
}

/// The body that the command line or the configuration names.
pub fn body(config: &Config, on: &OnRobot) -> anyhow::Result<Body> {
    Ok(Body::open(on.robot.as_ref().unwrap_or(&config.robot), config)?)
}
