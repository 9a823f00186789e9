//! `mcp`: serves one client of the Model Context Protocol over standard input and output.

use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use minismith_runtime::config::{Config, RobotChoice};
use minismith_runtime::net::Address;
use minismith_server::api;
use tokio::runtime::Runtime;

use super::serve::interrupted;
use super::{CommandStatus, OnRobot, setup};

/// The time that running work may take at the end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves the client that started this program until it disconnects or the program is interrupted; then brakes to rest.
/// With `url`, the robot is that of a running controller.
pub fn run(config: &Config, robot: Option<RobotChoice>, url: Option<&str>) -> anyhow::Result<CommandStatus> {
    match url {
        None => {
            let body = Arc::new(setup::body(config, &OnRobot { robot, json: false })?);
            ended(|runtime| runtime.block_on(api::serve_client(&body, config, end())))
        }
        Some(url) => {
            let Some(address) = Address::parse(url) else {
                bail!("invalid controller address {url:?}; give {}", Address::ALLOWED);
            };
            ended(|runtime| runtime.block_on(api::bridge_client(address, end())))
        }
    }
}

fn ended(serve: impl FnOnce(&Runtime) -> Result<(), api::McpError>) -> anyhow::Result<CommandStatus> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = serve(&runtime);
    // The program does not wait for a line that may never come.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    served?;
    Ok(CommandStatus::Success)
}

async fn end() {
    // Without a signal handler there is nothing to wait for; then only a kill ends the program.
    match interrupted() {
        Ok(interrupted) => interrupted.await,
        Err(_) => std::future::pending().await,
    }
}
