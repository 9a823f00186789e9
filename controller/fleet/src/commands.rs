//! Runs the commands ([`run`]).

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::signal::unix::{SignalKind, signal};

use crate::agent;
use crate::agent::options::Options;
use crate::args::{Args, Enrol, FleetCommand, Join, Target, To};
use crate::error::FleetError;
use crate::identity::Identity;
use crate::identity::access::Role;
use crate::keys::{Name, is_tool_name};
use crate::members;
use crate::messages::{Operation, Outcome, Reply};
use crate::operator::roster::{Roster, resolve};
use crate::operator::send::absent;
use crate::operator::{Operator, metrics, print, user};
use crate::session::{Link, SessionError};

/// How long most commands may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// How long the import of a tool may take, with its rehearsal.
const IMPORT_TIMEOUT: Duration = Duration::from_mins(10);

/// Permitted rates of the state, Hz.
const STATE_RATES: std::ops::RangeInclusive<f64> = 1.0..=200.0;

/// Permitted rates of camera images, Hz.
const CAMERA_RATES: std::ops::RangeInclusive<f64> = 0.0..=30.0;

/// Where a command is sent, and under which name.
struct Context {
    fleet: Name,
    router: Option<String>,
    folder: PathBuf,
    identity: Option<Identity>,
    caller: Name,
}

/// Runs a command. Returns whether all was done.
///
/// # Errors
/// [`FleetError`].
pub async fn run(args: Args) -> Result<bool, FleetError> {
    let folder = match args.folder {
        Some(folder) => folder,
        None => data_folder()?.join("minismith/fleet"),
    };
    let has_own_place = args.identity.is_some();
    let place = args.identity.unwrap_or_else(|| folder.join(args.fleet.as_str()).join("identity"));
    let identity = Identity::read(&place)?;
    if let (Some(identity), Some(caller)) = (&identity, &args.caller)
        && identity.name != *caller
    {
        return Err(FleetError::Usage(format!(
            "this computer's identity is {}, not {caller}; leave out --as",
            identity.name
        )));
    }
    if let Some(identity) = identity.as_ref().filter(|identity| identity.fleet != args.fleet) {
        return Err(FleetError::Usage(format!(
            "the identity in {} belongs to the fleet {}; name it with --fleet",
            place.display(),
            identity.fleet
        )));
    }
    let caller = identity.as_ref().map(|it| it.name.clone()).or(args.caller).unwrap_or_else(user);
    let context = Context { fleet: args.fleet, router: args.router, folder, identity, caller };
    match args.command {
        FleetCommand::Join(join) => join_fleet(context, join).await,
        FleetCommand::List { metrics, json } => {
            let operator = context.operator().await?;
            let roster = operator.roster().await?;
            if metrics {
                print::line(metrics::of(&context.fleet, &roster).trim_end());
            } else {
                print::roster(&context.fleet, &roster, json);
            }
            operator.close().await;
            Ok(true)
        }
        FleetCommand::Watch { state, seconds, json } => {
            let time = seconds.map(time_of).transpose()?;
            let operator = context.operator().await?;
            tokio::select! {
                watched = operator.watch(state, time, json) => watched?,
                () = interrupted()? => {}
            }
            operator.close().await;
            Ok(true)
        }
        FleetCommand::Say { text, to, together, timeout, json } => {
            let timeout = time_of(timeout)?;
            let sent = Sent { name: "say", to: &to, together, timeout, json };
            context.send(&sent, |_| Ok(Operation::Say { text: text.clone() })).await
        }
        FleetCommand::Stop(to) => context.stop(&to).await,
        FleetCommand::Release(To { to, json }) => {
            let sent = Sent { name: "release", to: &to, together: false, timeout: TIMEOUT, json };
            context.send(&sent, |_| Ok(Operation::Release {})).await
        }
        FleetCommand::Share { tool, from, json } => context.share(tool, from, json).await,
        FleetCommand::Get { tool, to, from, json } => {
            check_tool(&tool)?;
            let sent = Sent { name: "get", to: &to, together: false, timeout: IMPORT_TIMEOUT, json };
            context
                .send(&sent, |roster| {
                    let from = sharer(roster, &tool, from.as_ref())?;
                    Ok(Operation::Get { tool: tool.clone(), from })
                })
                .await
        }
        FleetCommand::Withdraw { tool, json } => {
            check_tool(&tool)?;
            let sent = Sent { name: "withdraw", to: &[Target::All], together: false, timeout: TIMEOUT, json };
            context
                .send(&sent, |roster| {
                    let code_sha256 = hashes(roster, &tool);
                    if code_sha256.is_empty() {
                        return Err(format!(
                            "no robot that is present shares {tool} or has it from the fleet"
                        ));
                    }
                    Ok(Operation::Withdraw { tool: tool.clone(), code_sha256 })
                })
                .await
        }
        FleetCommand::Router { listen } => members::route(&context.place(), &listen, context.fleet).await,
        FleetCommand::Init { host, port, owner, json } => {
            members::init(&context.place(), &place, &context.fleet, &owner, host, port, json)
        }
        FleetCommand::Enrol(Enrol { code: Some(code), json, .. }) => {
            members::accept(&context.folder, has_own_place.then_some(place.as_path()), &code, json).await
        }
        FleetCommand::Enrol(enrol) => members::offer(&context.place(), context.fleet, enrol).await,
        FleetCommand::Revoke { member, json } => {
            let mut authority = members::open(&context.place(), &context.fleet)?;
            authority.revoke(&member)?;
            context.revoke(member, json).await
        }
    }
}

/// A command to send.
struct Sent<'a> {
    name: &'static str,
    to: &'a [Target],
    together: bool,
    timeout: Duration,
    json: bool,
}

impl Context {
    fn link(&self, listen: &[String]) -> Result<Link, SessionError> {
        Link::new(self.router.as_deref(), listen, self.identity.clone())
    }

    /// Returns the folder of the fleet's authority, which only the owner's computer has.
    fn place(&self) -> PathBuf {
        self.folder.join(self.fleet.as_str()).join("authority")
    }

    /// Tells the robots that are present to refuse a member. Its certificate is refused by the router.
    async fn revoke(&self, member: Name, json: bool) -> Result<bool, FleetError> {
        let operator = match self.operator().await {
            Ok(operator) => operator,
            Err(error) => {
                tracing::warn!("the robots were not told, because the router cannot be reached: {error}");
                print::replies("revoke", &[], &[], false, json);
                return Ok(true);
            }
        };
        let roster = operator.roster().await?;
        let (mut robots, _) = resolve(&roster, &[Target::All]);
        robots.retain(|robot| *robot != member);
        let operation = Operation::Revoke { member };
        let (replies, clocks) = operator.send(&roster, &robots, &operation, false, TIMEOUT).await;
        operator.close().await;
        let all_done = print::replies("revoke", &replies, &clocks, false, json);
        Ok(all_done || replies.is_empty())
    }

    async fn operator(&self) -> Result<Operator, SessionError> {
        Operator::open(&self.link(&[])?, self.fleet.clone(), self.caller.clone()).await
    }

    /// Sends a command and prints the answers.
    async fn send(
        &self,
        sent: &Sent<'_>,
        operation: impl FnOnce(&Roster) -> Result<Operation, String>,
    ) -> Result<bool, FleetError> {
        let operator = self.operator().await?;
        let roster = operator.roster().await?;
        let (mut robots, unknown) = resolve(&roster, sent.to);
        let operation = match operation(&roster) {
            Ok(operation) => operation,
            Err(refusal) => {
                if sent.json {
                    print::document(&json!({ "command": sent.name, "refusal": refusal, "replies": [] }));
                } else {
                    print::line(&refusal);
                }
                operator.close().await;
                return Ok(false);
            }
        };
        // The robot that shares a tool has it.
        if let Operation::Get { from, .. } = &operation
            && sent.to == [Target::All]
        {
            robots.retain(|robot| robot != from);
        }
        let (mut replies, clocks) =
            operator.send(&roster, &robots, &operation, sent.together, sent.timeout).await;
        replies.extend(unknown.iter().map(|name| absent(name, "no robot or group of this name is present")));
        operator.close().await;
        Ok(print::replies(sent.name, &replies, &clocks, sent.together, sent.json))
    }

    /// Stops robots: all at once with one message, before anything is asked.
    async fn stop(&self, to: &To) -> Result<bool, FleetError> {
        let operator = self.operator().await?;
        let mut replies: Vec<Reply> = Vec::new();
        let is_all = to.to.contains(&Target::All);
        if is_all {
            replies = operator.stop_all().await?;
            replies.retain(|reply| reply.outcome == Outcome::Done);
        }
        // Those that did not accept it, such as one whose clock is wrong, get one of their own.
        let roster = operator.roster().await?;
        let (mut robots, unknown) = resolve(&roster, &to.to);
        robots.retain(|robot| !replies.iter().any(|reply| reply.robot == *robot));
        let (others, clocks) = operator.send(&roster, &robots, &Operation::Stop {}, false, TIMEOUT).await;
        replies.extend(others);
        replies.extend(unknown.iter().map(|name| absent(name, "no robot or group of this name is present")));
        replies.sort_by(|one, other| one.robot.cmp(&other.robot));
        operator.close().await;
        Ok(print::replies("stop", &replies, &clocks, false, to.json))
    }

    /// Lets a robot share a tool.
    async fn share(&self, tool: String, from: Option<Name>, json: bool) -> Result<bool, FleetError> {
        check_tool(&tool)?;
        let to = match from {
            Some(from) => from,
            None => {
                let operator = self.operator().await?;
                let roster = operator.roster().await?;
                operator.close().await;
                let mut robots = roster.into_keys();
                match (robots.next(), robots.next()) {
                    (Some(only), None) => only,
                    (None, _) => return Err(FleetError::Usage("no robot is present".into())),
                    _ => {
                        return Err(FleetError::Usage(
                            "several robots are present; name one with --from".into(),
                        ));
                    }
                }
            }
        };
        let to = [Target::Named(to)];
        let sent = Sent { name: "share", to: &to, together: false, timeout: TIMEOUT, json };
        self.send(&sent, |_| Ok(Operation::Share { tool })).await
    }
}

/// Returns the robot that shares a tool.
fn sharer(roster: &Roster, tool: &str, from: Option<&Name>) -> Result<Name, String> {
    if let Some(from) = from {
        return Ok(from.clone());
    }
    let shared = |name: &Name| {
        let status = roster.get(name).and_then(|robot| robot.status.as_ref());
        status.is_some_and(|status| status.tools.iter().any(|one| one.name == tool && one.is_shared))
    };
    let mut sharers = roster.keys().filter(|name| shared(name));
    match (sharers.next(), sharers.next()) {
        (Some(only), None) => Ok(only.clone()),
        (None, _) => Err(format!(
            "no robot that is present shares {tool}; `minismith fleet share {tool} --from ROBOT`"
        )),
        (Some(one), Some(other)) => {
            Err(format!("{one} and {other} share a tool called {tool}; name one with --from"))
        }
    }
}

/// Returns the hashes of the code of a tool on all robots that have it from the fleet, or share it.
fn hashes(roster: &Roster, tool: &str) -> Vec<String> {
    let statuses = roster.values().filter_map(|robot| robot.status.as_ref());
    let tools = statuses.flat_map(|status| &status.tools).filter(|one| one.name == tool);
    let hashes: std::collections::BTreeSet<String> = tools.map(|tool| tool.code_sha256.clone()).collect();
    hashes.into_iter().collect()
}

fn check_tool(tool: &str) -> Result<(), FleetError> {
    let well = is_tool_name(tool);
    if well { Ok(()) } else { Err(FleetError::Usage(format!("{tool:?} is not the name of a tool"))) }
}

fn time_of(seconds: f64) -> Result<Duration, FleetError> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| FleetError::Usage(format!("{seconds} is not a time in seconds")))
}

/// Runs the agent of a robot.
async fn join_fleet(context: Context, join: Join) -> Result<bool, FleetError> {
    if !STATE_RATES.contains(&join.state_hz) || !CAMERA_RATES.contains(&join.camera_hz) {
        return Err(FleetError::Usage("use --state-hz 1 to 200, and --camera-hz 0 to 30".into()));
    }
    if let Some(identity) = &context.identity
        && identity.name != join.robot
    {
        return Err(FleetError::Usage(format!(
            "this computer is enrolled as {}; join with this name, or enrol again",
            identity.name
        )));
    }
    if context.identity.as_ref().is_some_and(|identity| identity.role != Role::Robot) {
        return Err(FleetError::Usage(
            "this computer's identity is not that of a robot; enrol one with --role robot".into(),
        ));
    }
    if context.identity.is_some() && !join.listen.is_empty() {
        // Roles are enforced where members connect, and the agent of a robot does not know them.
        return Err(FleetError::Usage(
            "members with an identity connect to the router, which knows all roles; leave out --listen"
                .into(),
        ));
    }
    let token = match join.token_file {
        Some(path) => {
            Some(std::fs::read_to_string(&path).map_err(|source| FleetError::File { path, source })?)
        }
        None => None,
    };
    let link = context.link(&join.listen)?;
    let options = Options {
        folder: context.folder.join(context.fleet.as_str()).join("robots").join(join.robot.as_str()),
        fleet: context.fleet,
        robot: join.robot.clone(),
        groups: join.group,
        controller: join.url.0,
        token,
        config: join.config,
        state_hz: join.state_hz,
        camera_hz: join.camera_hz,
    };
    let (fleet, endpoint, as_json) = (options.fleet.clone(), link.endpoint().to_owned(), join.json);
    let joined = || {
        if as_json {
            print::document(&json!({ "joined": join.robot, "fleet": fleet, "endpoint": endpoint }));
        } else {
            print::line(&format!("{} is in the fleet {fleet} at {endpoint}; Ctrl-C ends it", join.robot));
        }
    };
    let interrupted = interrupted()?;
    let ended = async {
        tokio::select! {
            () = interrupted => {}
            () = end_of_input(), if join.with_parent => {}
        }
    };
    agent::run(options, &link, joined, ended).await?;
    Ok(true)
}

/// Returns the folder of this user's data.
fn data_folder() -> Result<PathBuf, FleetError> {
    let named = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::home_dir().map(|home| home.join(".local/share"));
    named
        .or_else(home)
        .ok_or_else(|| FleetError::Usage("this user has no home; name a folder with --folder".into()))
}

/// Waits for the end of standard input, which the program that started this one holds open.
async fn end_of_input() {
    let mut byte = [0];
    while !matches!(tokio::io::stdin().read(&mut byte).await, Ok(0) | Err(_)) {}
}

/// Returns a future that waits for a signal to end.
fn interrupted() -> Result<impl Future<Output = ()>, FleetError> {
    let mut interrupt = signal(SignalKind::interrupt()).map_err(FleetError::System)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(FleetError::System)?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
