//! The program `minismith-fleet` beside the server: it makes the robot a member of a fleet, and the server an operator
//! ([`operator`]).

pub mod operator;

use std::net::SocketAddr;
use std::path::PathBuf;

use minismith_runtime::child_program::{ChildProgram, reached_at};
use minismith_runtime::config::{Config, Fleet, FleetMembership};
use minismith_runtime::paths::Environment;
use minismith_runtime::subprocess;

const PROGRAM: &str = "minismith-fleet";

/// Starts the program for a server that listens here, if the configuration names the robot. Without it, the server does the
/// rest.
#[must_use]
pub fn start(config: &Config, listening: SocketAddr) -> Option<ChildProgram> {
    let membership = config.fleet.membership.as_ref()?;
    let (robot, fleet) = (&membership.robot.0, &config.fleet.name.0);
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
    let arguments = arguments(config, membership, listening);
    ChildProgram::start(&program()?, arguments, environment())
        .map_err(|error| format!("cannot start {PROGRAM}: {error}"))
}

/// Returns where the program is.
fn program() -> Result<PathBuf, String> {
    subprocess::find_beside(PROGRAM).ok().flatten().ok_or_else(|| {
        format!("there is no {PROGRAM} beside this program; build it with `make fleet`, or install it there")
    })
}

/// Returns the environment of the program, which runs `minismith` to export and import tools: that finds its files by it.
fn environment() -> Vec<(&'static str, String)> {
    let variables = Environment::of_this_process().variables.into_iter();
    variables.filter_map(|(name, value)| Some((name, value.into_string().ok()?))).collect()
}

/// Returns the arguments that name the fleet. No value can be taken for a flag: each is joined to its own.
fn common(fleet: &Fleet) -> Vec<String> {
    let mut arguments =
        vec![format!("--fleet={}", fleet.name.0), format!("--folder={}", fleet.directory.display())];
    arguments.extend(fleet.router.iter().map(|router| format!("--router={router}")));
    arguments
}

/// Returns the arguments of a member.
fn arguments(config: &Config, membership: &FleetMembership, listening: SocketAddr) -> Vec<String> {
    let FleetMembership { robot, groups, camera_fps, token_file } = membership;
    let mut arguments = common(&config.fleet);
    arguments.extend(["join".to_owned(), robot.0.clone(), "--with-parent".to_owned()]);
    arguments.push(format!("--url=http://{}", reached_at(listening)));
    arguments.extend(groups.iter().map(|group| format!("--group={}", group.0)));
    arguments.push(format!("--camera-hz={camera_fps}"));
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
            let membership = config.fleet.membership.as_ref()?;
            Some(arguments(&config, membership, listening).join(" "))
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
                 --group=a --group=b --camera-hz=0 --token-file={place}/t --config={source}"
            ))
        );
    }
}
