//! Command-line arguments ([`Args`]).

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, Subcommand};

use crate::identity::access::Role;
use crate::keys::Name;

/// Several robots: see them, command them, stop them, and pass tools from one to another, over Eclipse Zenoh.
#[derive(Debug, Parser)]
#[command(
    name = "minismith fleet",
    version,
    after_help = "Exit codes: 0 done, 1 refused or failed, 2 usage or environment error.\nExamples, all on one computer:\n  \
minismith fleet router &\n  minismith fleet join kitchen --url http://127.0.0.1:8000 &\n  \
minismith fleet list\n  minismith fleet say --to kitchen \"wave\"\n  minismith fleet stop\n\
With several computers: `minismith fleet init --help`."
)]
pub struct Args {
    /// Name of the fleet.
    #[arg(long, global = true, value_name = "NAME", default_value = "lab")]
    pub fleet: Name,
    /// Router or peer to connect to. Default: that of the identity, or tcp/127.0.0.1:7447.
    #[arg(long, global = true, value_name = "ENDPOINT")]
    pub router: Option<String>,
    /// Folder of identities and of what robots remember. Default: ~/.local/share/minismith/fleet.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Folder of the identity to use. Default: FOLDER/FLEET/identity, if it exists.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub identity: Option<PathBuf>,
    /// Name of the caller, without an identity. Default: the current user.
    #[arg(long = "as", global = true, value_name = "NAME")]
    pub caller: Option<Name>,
    /// What to do.
    #[command(subcommand)]
    pub command: FleetCommand,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum FleetCommand {
    /// Make the robot of a running controller a member of the fleet, until interrupted.
    #[command(after_help = "Examples:\n  minismith fleet join kitchen\n  \
minismith fleet join hall --group dancers --url http://127.0.0.1:8001 --state-hz 50")]
    Join(Join),
    /// List the robots: presence, state, health, clock offset, tools.
    #[command(after_help = "Examples:\n  minismith fleet list\n  minismith fleet list --json\n  \
minismith fleet list --metrics > /var/lib/prometheus/node-exporter/fleet.prom")]
    List {
        /// Print metrics for Prometheus, with a label for the robot.
        #[arg(long, conflicts_with = "json")]
        metrics: bool,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Show what happens: robots that come and go, commands, stops, tools; until interrupted.
    #[command(
        after_help = "Examples:\n  minismith fleet watch\n  minismith fleet watch --state --json --seconds 10"
    )]
    Watch {
        /// Also show the state of each robot, at its rate.
        #[arg(long)]
        state: bool,
        /// End after this time.
        #[arg(long, value_name = "SECONDS")]
        seconds: Option<f64>,
        /// Print one JSON document per line.
        #[arg(long)]
        json: bool,
    },
    /// Let robots carry out a sentence.
    #[command(after_help = "Examples:\n  minismith fleet say --to kitchen,hall \"wave\"\n  \
minismith fleet say --to dancers --together \"nod twice\" --json")]
    Say {
        /// Request in plain English.
        text: String,
        /// Robots and groups, separated by commas, or `all`.
        #[arg(long, value_name = "ROBOTS", value_delimiter = ',', required = true)]
        to: Vec<Target>,
        /// Begin at the same moment on all robots.
        #[arg(long)]
        together: bool,
        /// How long to wait for the answers, seconds.
        #[arg(long, value_name = "SECONDS", default_value_t = 120.0)]
        timeout: f64,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Stop robots at once. They hold, also for local clients, until `release`.
    #[command(after_help = "Examples:\n  minismith fleet stop\n  minismith fleet stop --to kitchen --json")]
    Stop(To),
    /// Let stopped robots move again.
    #[command(
        after_help = "Examples:\n  minismith fleet release\n  minismith fleet release --to kitchen --json"
    )]
    Release(To),
    /// Offer a tool of one robot to the others, as a signed bundle.
    #[command(after_help = "Example:\n  minismith fleet share happy_hello --from kitchen")]
    Share {
        /// Name of the tool.
        tool: String,
        /// The robot that has it. Default: the only robot that is present.
        #[arg(long, value_name = "ROBOT")]
        from: Option<Name>,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Let robots import a shared tool. Each checks and rehearses it first; a person approves it there unless its signer is trusted.
    #[command(after_help = "Examples:\n  minismith fleet get happy_hello --to hall\n  \
minismith fleet get happy_hello --to all --from kitchen --json")]
    Get {
        /// Name of the tool.
        tool: String,
        /// Robots and groups, separated by commas, or `all`.
        #[arg(long, value_name = "ROBOTS", value_delimiter = ',', required = true)]
        to: Vec<Target>,
        /// The robot that shares it. Default: the only one that does.
        #[arg(long, value_name = "ROBOT")]
        from: Option<Name>,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Disable a shared tool everywhere, also on robots that return later.
    #[command(after_help = "Example:\n  minismith fleet withdraw happy_hello --json")]
    Withdraw {
        /// Name of the tool.
        tool: String,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Act for another program, which sends requests to standard input and reads robots, events, images and answers from standard
    /// output: one JSON document per line, until the input ends.
    #[command(after_help = "Example:\n  \
echo '{\"id\": 1, \"request\": {\"command\": \"say\", \"to\": [\"all\"], \"text\": \"wave\"}}' | minismith fleet operate")]
    Operate,
    /// Route between the robots and operators, until interrupted. Zenoh's own `zenohd` does the same with the file `router.json5`.
    #[command(
        after_help = "Examples:\n  minismith fleet router\n  minismith fleet router --listen tls/0.0.0.0:7447"
    )]
    Router {
        /// Where to listen. Default: `--router`, or tcp/127.0.0.1:7447, or the endpoint of the fleet.
        #[arg(long, value_name = "ENDPOINT")]
        listen: Vec<String>,
    },
    /// Start a fleet of several computers: make its keys, the identity of its owner, and the router's configuration.
    #[command(after_help = "Example:\n  minismith fleet init --host 192.168.1.5 --owner anna")]
    Init {
        /// Address or host name at which the others reach the router on this computer.
        #[arg(long, value_name = "HOST")]
        host: Vec<String>,
        /// Port of the router.
        #[arg(long, value_name = "PORT", default_value_t = 7447)]
        port: u16,
        /// Name of the owner, who enrols and revokes members.
        #[arg(long, value_name = "NAME", default_value = "owner")]
        owner: Name,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Enrol a member: print a code that works once, and wait for it. With --code, become that member.
    #[command(after_help = "Examples, first on the owner's computer, then on the robot's:\n  \
minismith fleet enrol kitchen --listen tcp/0.0.0.0:7448\n  minismith fleet enrol --code CODE")]
    Enrol(Enrol),
    /// Take all rights from a member: robots refuse its commands at once, and routers refuse its certificate.
    #[command(after_help = "Example:\n  minismith fleet revoke kitchen --json")]
    Revoke {
        /// Name of the member.
        member: Name,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

/// Arguments of `join`.
#[derive(Debug, clap::Args)]
pub struct Join {
    /// Name of the robot in the fleet.
    pub robot: Name,
    /// Group that the robot belongs to; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub group: Vec<Name>,
    /// Endpoint where other robots connect to this one, instead of a router.
    #[arg(long, value_name = "ENDPOINT")]
    pub listen: Vec<String>,
    /// Controller: the address that `minismith serve` prints.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8000")]
    pub url: ControllerAddress,
    /// File with a token for the controller; its role limits what the fleet may do.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// The controller's configuration file, so that tools are imported where it finds them.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Rate of the published state, Hz.
    #[arg(long, value_name = "HZ", default_value_t = 10.0)]
    pub state_hz: f64,
    /// Rate of camera images while somebody watches them, Hz; 0 for none.
    #[arg(long, value_name = "HZ", default_value_t = 0.0)]
    pub camera_hz: f64,
    /// End when standard input does, for the program that started this one.
    #[arg(long, hide = true)]
    pub with_parent: bool,
    /// Print one JSON document when the robot is present.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `stop` and `release`.
#[derive(Debug, clap::Args)]
pub struct To {
    /// Robots and groups, separated by commas, or `all`.
    #[arg(long, value_name = "ROBOTS", value_delimiter = ',', default_value = "all")]
    pub to: Vec<Target>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `enrol`.
#[derive(Debug, clap::Args)]
pub struct Enrol {
    /// Name of the new member.
    #[arg(required_unless_present = "code", conflicts_with = "code")]
    pub member: Option<Name>,
    /// What it may do.
    #[arg(long, value_enum, default_value = "robot", conflicts_with = "code")]
    pub role: Role,
    /// Where to wait for the new member.
    #[arg(long, value_name = "ENDPOINT", default_value = "tcp/127.0.0.1:7448", conflicts_with = "code")]
    pub listen: String,
    /// Address at which the new member reaches this computer. Default: the first host of the fleet.
    #[arg(long, value_name = "HOST", conflicts_with = "code")]
    pub host: Option<String>,
    /// The code that the owner's computer printed.
    #[arg(long, value_name = "CODE")]
    pub code: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// A robot, a group, or all robots.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(try_from = "String")]
pub enum Target {
    /// All that are present.
    All,
    /// A robot or a group.
    Named(Name),
}

impl TryFrom<String> for Target {
    type Error = crate::keys::NameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl FromStr for Target {
    type Err = crate::keys::NameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "all" { Ok(Target::All) } else { text.parse().map(Target::Named) }
    }
}

/// The address of the controller, `host:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerAddress(pub String);

/// Reports an address that is none of a controller.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("it must look like http://127.0.0.1:8000")]
pub struct AddressError;

impl FromStr for ControllerAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let site = text.strip_prefix("http://").ok_or(AddressError)?.trim_end_matches('/');
        let (host, port) = site.rsplit_once(':').ok_or(AddressError)?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
        if host.is_empty() || !host.bytes().all(is_plain) || port.parse::<u16>().is_err() {
            return Err(AddressError);
        }
        Ok(ControllerAddress(site.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Args::command().debug_assert();
        let args = Args::try_parse_from(["fleet", "say", "--to", "kitchen,hall", "wave"]).unwrap();
        let FleetCommand::Say { to, .. } = args.command else { panic!("{args:?}") };
        assert_eq!(to.len(), 2);
        for bad in [
            &["fleet", "say", "wave"][..],
            &["fleet", "say", "--to", "a/b", "wave"],
            &["fleet", "join", "All"],
            &["fleet", "join", "kitchen", "--url", "https://x:1"],
            &["fleet", "enrol"],
            &["fleet", "enrol", "kitchen", "--code", "x"],
            &["fleet", "enrol", "kitchen", "--role", "owner"],
        ] {
            assert!(Args::try_parse_from(bad).is_err(), "{bad:?}");
        }
    }
}
