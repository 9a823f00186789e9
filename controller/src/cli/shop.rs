//! Sets up what commands share: the workshop and the body.

use minismith::body::{Body, limits_of};
use minismith::config::Config;
use minismith::guest::LazyHost;
use minismith::workshop::Workshop;
use minismith::workshop::registry::Registry;
use minismith::workshop::rehearsal::Conditions;

use super::OnRobot;

/// The workshop: the tool host is started by the first tool that needs it.
pub fn workshop(config: &Config) -> anyhow::Result<Workshop> {
    let registry = Registry::open(&config.tools)?;
    let conditions = Conditions {
        limits: limits_of(config),
        period: config.rate.beat(),
        stage_seconds: config.workshop.budget.simulated.as_secs_f64(),
        guest: config.workshop.budget.guest,
    };
    let host = LazyHost::new(&config.tool_host.python, config.tool_host.least_cage);
    Ok(Workshop::new(registry, Box::new(host), conditions, config.limits.untrusted_scale.value()))
}

/// The body that the command line or the configuration names.
pub fn body(config: &Config, on: &OnRobot) -> anyhow::Result<Body> {
    Ok(Body::open(on.robot.as_ref().unwrap_or(&config.robot), config)?)
}
