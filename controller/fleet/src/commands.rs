//! Runs the commands ([`run`]).

use std::path::PathBuf;

use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::signal::unix::{SignalKind, signal};

use crate::agent;
use crate::agent::options::Options;
use crate::args::{Args, Enrol, FleetCommand, Join, To};
use crate::error::FleetError;
use crate::identity::Identity;
use crate::identity::access::Role;
use crate::keys::Name;
use crate::members;
use crate::operator::request::{Request, time_of};
use crate::operator::{Operator, metrics, print, user};
use crate::session::{Link, SessionError};

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
            context.perform(Request::Say { to, text, together, timeout_s: timeout }, json).await
        }
        FleetCommand::Stop(To { to, json }) => context.perform(Request::Stop { to }, json).await,
        FleetCommand::Release(To { to, json }) => context.perform(Request::Release { to }, json).await,
        FleetCommand::Share { tool, from, json } => {
            context.perform(Request::Share { tool, from }, json).await
        }
        FleetCommand::Get { tool, to, from, json } => {
            context.perform(Request::Get { tool, to, from }, json).await
        }
        FleetCommand::Withdraw { tool, json } => context.perform(Request::Withdraw { tool }, json).await,
        FleetCommand::Operate => context.operate().await,
        FleetCommand::Router { listen } => {
            // Elsewhere `--router` names the router to connect to; here it is the one that starts.
            let listen = if listen.is_empty() { context.router.iter().cloned().collect() } else { listen };
            members::route(&context.place(), &listen, context.fleet).await
        }
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
                if json {
                    print::document(&json!({ "command": "revoke", "replies": [], "clocks": {} }));
                }
                return Ok(true);
            }
        };
        let answer = operator.perform(&Request::Revoke { member }, None).await?;
        operator.close().await;
        print::answer(&answer, json);
        Ok(answer.is_done() || answer.replies.is_empty())
    }

    async fn operator(&self) -> Result<Operator, SessionError> {
        Operator::open(&self.link(&[])?, self.fleet.clone(), self.caller.clone()).await
    }

    /// Acts for the program that started this one, until it ends.
    async fn operate(&self) -> Result<bool, FleetError> {
        let operator = std::sync::Arc::new(self.operator().await?);
        tokio::select! {
            operated = operator.operate() => operated?,
            () = interrupted()? => {}
        }
        Ok(true)
    }

    /// Asks robots for something and prints the answers.
    async fn perform(&self, request: Request, json: bool) -> Result<bool, FleetError> {
        request.check()?;
        let operator = self.operator().await?;
        let answer = operator.perform(&request, None).await;
        operator.close().await;
        let answer = answer?;
        print::answer(&answer, json);
        Ok(answer.is_done())
    }
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
