//! The program `minismith-fleet` beside the server: it makes the robot a member of a fleet.

use std::net::SocketAddr;

use minismith_runtime::config::{Config, FleetMembership};
use minismith_runtime::paths::Environment;
use minismith_runtime::subprocess;

use crate::child_program::{ChildProgram, reached_at};

const PROGRAM: &str = "minismith-fleet";

/// Starts the program for a server that listens here, if the configuration names the robot. Without it, the server does the
/// rest.
#[must_use]
pub fn start(config: &Config, listening: SocketAddr) -> Option<ChildProgram> {
    let membership = config.fleet.as_ref()?;
    let (robot, fleet) = (&membership.robot.0, &membership.fleet.0);
    match begin(config, membership, listening) {
        Ok(program) => {
            tracing::info!("the robot is joining the fleet {fleet} as {robot}");
            Some(program)
        }
        Err(reason) => {
            tracing::warn!("the robot is not in the fleet {fleet} (`fleet.robot`): {reason}");
            None
        }
    }
}

fn begin(
    config: &Config,
    membership: &FleetMembership,
    listening: SocketAddr,
) -> Result<ChildProgram, String> {
    if config.server.tls.is_some() {
        return Err("the server has TLS, which the program does not speak; start it without".into());
    }
    let path = subprocess::find_beside(PROGRAM).ok().flatten().ok_or_else(|| {
        format!("there is no {PROGRAM} beside this program; build it with `make fleet`, or install it there")
    })?;
    let arguments = arguments(config, membership, listening);
    // It runs `minismith` to export and import tools, which finds its files by these.
    let variables = Environment::of_this_process().variables.into_iter();
    let environment = variables.filter_map(|(name, value)| Some((name, value.into_string().ok()?))).collect();
    ChildProgram::start(&path, arguments, environment)
        .map_err(|error| format!("cannot start {PROGRAM}: {error}"))
}

/// Returns the arguments. No value can be taken for a flag: each is joined to its own.
fn arguments(config: &Config, membership: &FleetMembership, listening: SocketAddr) -> Vec<String> {
    let FleetMembership { robot, fleet, groups, router, token_file, directory } = membership;
    let mut arguments = vec![format!("--fleet={}", fleet.0), format!("--folder={}", directory.display())];
    arguments.extend(router.iter().map(|router| format!("--router={router}")));
    arguments.extend(["join".to_owned(), robot.0.clone(), "--with-parent".to_owned()]);
    arguments.push(format!("--url=http://{}", reached_at(listening)));
    arguments.extend(groups.iter().map(|group| format!("--group={}", group.0)));
    arguments.extend(token_file.iter().map(|file| format!("--token-file={}", file.display())));
    arguments.extend(config.source.iter().map(|file| format!("--config={}", file.display())));
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_becomes_arguments() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.yaml");
        let given = |text: &str| {
            std::fs::write(&file, text).unwrap();
            let config = Config::load(Some(&file)).unwrap();
            let listening = "0.0.0.0:8001".parse().unwrap();
            config.fleet.as_ref().map(|membership| arguments(&config, membership, listening).join(" "))
        };
        assert_eq!(given("robot: mock\n"), None, "no member by default");
        let source = file.display();
        let place = folder.path().display();
        assert_eq!(
            given(
                "fleet: {robot: hall, fleet: shop, groups: [a, b], router: 'tls/[::1]:7', token_file: t, directory: d}\n"
            ),
            Some(format!(
                "--fleet=shop --folder={place}/d --router=tls/[::1]:7 join hall --with-parent --url=http://127.0.0.1:8001 \
                 --group=a --group=b --token-file={place}/t --config={source}"
            ))
        );
    }
}
